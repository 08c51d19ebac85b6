"""Draws what the space reader learns from: pairs of patches, the empty board at calibration and the same place in play.

Everything is drawn from a seed, nothing is taken from a photograph. The drawing varies whatever differs between tables:
print, art of the toppings, their height and place, lamp, tone curve of the camera, glare, shadows, sticks, hands,
other things lying about, blur, noise, JPEG, and the error of the pose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from lamps import Camera, dazzling, finish, light_of, relit, shadow
from pen import RADIUS_MM, SCALE, SIZE, Float, Pen, over, rgb

from companion.vision.spaces import CLASSES

HIDDEN_BELOW, SEEN_FROM = 0.38, 0.6  # visible share: label "hidden" below, the state from; between the two not used


def _print(p: Pen) -> Float:
    """Reflectance of the printed board around one space."""
    if p.chance(0.75):
        hues, sats, vals = (0.0, 0.17), (0.5, 0.95), (0.45, 0.98)
    else:
        hues, sats, vals = (0.0, 1.0), (0.0, 0.9), (0.15, 0.95)
    image = np.ones((SIZE, SIZE, 3), np.float32) * rgb(p.between(*hues), p.between(*sats), p.between(*vals))
    for _ in range(3):
        sharp = p.between(0.5, 6)
        mask = np.clip(sharp * (p.noise(p.between(3, 14)) - p.between(0, 1.5)), 0, 1) * p.between(0.2, 1)
        image = over(image, mask, rgb(p.between(*hues), p.between(*sats), p.between(*vals)))
    pitch = p.between(30, 37)
    if p.chance(0.85):
        ink, half = rgb(p.between(0, 1), p.between(0, 0.7), p.between(0.05, 0.5)), p.between(0.15, 0.5)
        for k in range(3):
            a = math.radians(90 + 60 * k)
            for side in (-1, 1):
                d = side * pitch * math.sqrt(3) / 4
                image = over(image, p.bar(-d * math.sin(a), d * math.cos(a), a, half) * p.between(0.3, 0.9), ink)
    cream = p.chance(0.7)
    pale = (
        rgb(p.between(0.07, 0.17), p.between(0.08, 0.42), p.between(0.75, 1))
        if cream
        else rgb(p.between(0, 1), p.between(0, 0.5), p.between(0.5, 1))
    )
    radius, ink = p.between(12, 15), rgb(p.between(0, 0.15), p.between(0, 0.8), p.between(0.05, 0.5))
    outline, strength = p.between(0.2, 0.6), p.between(0.2, 0.95) * p.chance(0.85)
    centres = [(0.0, 0.0)] + [
        (pitch * math.cos(math.radians(30 + 60 * k)), pitch * math.sin(math.radians(30 + 60 * k))) for k in range(6)
    ]
    for cx, cy in centres:
        face = np.ones_like(image) * pale
        if p.chance(0.6):
            tint = np.clip(2 * (p.noise(p.between(5, 14)) - 0.4), 0, 1) * p.between(0, 0.35)
            face = over(face, tint, rgb(p.between(-0.03, 0.15), p.between(0.2, 0.8), p.between(0.6, 0.95)))
        face *= 1 + p.between(0, 0.04) * p.noise(1.2)[..., None]
        image = over(image, p.disc(cx, cy, radius), face)
        ring = p.disc(cx, cy, radius + outline) * (1 - p.disc(cx, cy, radius - outline))
        image = over(image, ring * strength, ink)
    mark = p.rng.random()
    ink = rgb(p.between(0, 1) if p.chance(0.3) else p.between(-0.05, 0.05), p.between(0, 0.9), p.between(0.1, 0.6))
    if mark < 0.2:
        a, half, length = p.between(0, 1.6), p.between(0.4, 1.2), p.between(8, 16)
        for turn in (0, math.pi / 2):
            image = over(image, p.bar(0, 0, a + turn, half, length), ink)
    elif mark < 0.35:
        for _ in range(int(p.rng.integers(2, 6))):
            image = over(
                image,
                p.bar(p.between(-5, 5), p.between(-4, 4), p.between(0, 3.2), p.between(0.2, 0.6), p.between(1, 5)),
                ink,
            )
    return image


def _art(p: Pen, colour: str, cx: float, cy: float, under: Float) -> Float:
    """Face of a topping: plain, or drawn. A white one may be nearly of the colour ``under`` it; then it has art."""
    alike = False
    if colour == "white":
        base = rgb(p.between(0, 1), abs(p.rng.normal(0, 0.035)), p.between(0.7, 0.98))
        if p.chance(0.35):  # mushrooms and cheese are nearly as creamy as paler print
            base = rgb(p.between(0.05, 0.16), p.between(0.03, 0.16), p.between(0.75, 1))
        if under.min() > 0.5 * under.max() and p.chance(0.3):
            base, alike = base + p.between(0.4, 1) * (under - base), True
        contrast = p.between(0.03, 0.3) if p.chance(0.5) else p.between(0.3, 0.8)
    else:
        middle = 0.0 if colour == "red" else p.between(0.27, 0.42)
        base = rgb(middle + p.rng.normal(0, 0.018), p.between(0.6, 0.97), p.between(0.3, 0.92))
        contrast = p.between(0.1, 0.6)
    face = np.ones((SIZE, SIZE, 3), np.float32) * base
    if not alike and p.chance(0.15):
        return face
    if colour == "white":
        other = rgb(
            p.between(0.03, 0.14) if p.chance(0.6) else p.between(0.6, 0.9), p.between(0, 0.45), p.between(0.3, 0.9)
        )
        light = rgb(p.between(0, 1), p.between(0, 0.04), 1.0)
    else:
        middle = p.between(-0.03, 0.09) if colour == "red" else p.between(0.18, 0.42)
        other = rgb(middle, p.between(0.3, 0.95), p.between(0.2, 1))
        light = rgb(middle, p.between(0.05, 0.5), p.between(0.7, 1))
    for _ in range(int(p.rng.integers(1, 4))):
        ink = other if p.chance(0.6) else light
        kind = p.rng.integers(0, 6) if colour != "white" else p.rng.choice([0, 1, 1, 3, 4, 4, 5])
        if kind == 0:  # rings of an onion, a slice's edge
            r = np.sqrt((p.x - cx - p.between(-2, 2)) ** 2 + (p.y - cy - p.between(-2, 2)) ** 2)
            mask = np.clip(4 * np.sin(r * p.between(0.8, 4) + p.between(0, 6)) - p.between(0, 3), 0, 1)
        elif kind == 1:  # blobs with an outline
            mask = np.zeros((SIZE, SIZE), np.float32)
            for _ in range(int(p.rng.integers(3, 12))):
                a, d, r = p.between(0, 6.3), p.between(0, 11), p.between(0.7, 4.5)
                x, y = cx + d * math.cos(a), cy + d * math.sin(a)
                blob = p.disc(x, y, r)
                mask = np.maximum(mask * (1 - blob * 0.7), blob * (1 - p.disc(x, y, r * p.between(0, 0.9)) * 0.8))
        elif kind == 2:  # segments
            a = np.arctan2(p.y - cy, p.x - cx)
            mask = np.clip(3 * np.sin(a * p.rng.integers(2, 8) + p.between(0, 6)) - p.between(-0.5, 2.5), 0, 1)
            mask = mask * p.disc(cx, cy, p.between(5, 12))
        elif kind == 3:  # flecks and strokes
            mask = np.zeros((SIZE, SIZE), np.float32)
            for _ in range(int(p.rng.integers(2, 14))):
                a, d = p.between(0, 6.3), p.between(0, 11)
                stroke = p.bar(
                    cx + d * math.cos(a), cy + d * math.sin(a), p.between(0, 3.2), p.between(0.25, 1), p.between(0, 6)
                )
                mask = np.maximum(mask, stroke)
        elif kind == 4:  # mushroom: caps on stems
            mask = np.zeros((SIZE, SIZE), np.float32)
            for _ in range(int(p.rng.integers(1, 4))):
                a, d, r = p.between(0, 6.3), p.between(2, 7), p.between(2.5, 5)
                x, y = cx + d * math.cos(a), cy + d * math.sin(a)
                cap = p.disc(x, y, r) * (1 - p.disc(x + p.between(-0.6, 0.6), y + p.between(-0.6, 0.6), r * 0.8))
                mask = np.maximum(mask, np.maximum(cap, p.bar(x, y, a, 0.8, 1.6 * r) * 0.6))
        else:  # mottling
            mask = np.clip(1.5 * (p.noise(p.between(0.8, 5)) - p.between(0, 1)), 0, 1)
        face = over(face, mask.astype(np.float32) * contrast * p.between(0.5, 1.3), ink)
    if p.chance(0.4):
        ring = 1 - p.disc(cx, cy, RADIUS_MM - p.between(0.6, 2.5), p.between(0.3, 1.5))
        face = over(face, ring * p.between(0.1, 0.7), base * p.between(0.6, 1.2))
    return face * (1 + p.between(0, 0.04) * p.noise(0.9)[..., None])


@dataclass
class _View:
    """Where camera and lamp stand: shift (mm) per mm of height of a thing, and of its shadow."""

    lean: tuple[float, float]
    sun: tuple[float, float]
    shadow: float
    soft: float


def _topping(p: Pen, image: Float, colour: str, cx: float, cy: float, view: _View, height: float) -> Float:
    radius = RADIUS_MM * p.between(0.95, 1.05)
    shade = p.disc(cx + view.sun[0] * height, cy + view.sun[1] * height, radius + 0.3, 0.3 + view.soft * height)
    image = image * (1 - view.shadow * shade[..., None])
    contact = p.disc(cx, cy, radius + p.between(0.3, 1.5), p.between(0.8, 2.5)) * p.between(0, 0.5)
    image = image * (1 - contact[..., None])
    tx, ty = cx + view.lean[0] * height, cy + view.lean[1] * height
    face = _art(p, colour, tx, ty, image[SIZE // 2, SIZE // 2])
    wall = (
        face[SIZE // 2, SIZE // 2] * p.between(0.4, 1.1)
        if p.chance(0.5)
        else rgb(0.09, p.between(0, 0.5), p.between(0.5, 0.95))
    )
    for step in np.linspace(0, 1, 5):
        disc = p.disc(cx + (tx - cx) * step, cy + (ty - cy) * step, radius)
        image = over(image, disc, wall * (0.7 + 0.3 * step))
    gloss = 1 + p.rng.normal(0, 0.07) + p.between(-0.012, 0.012) * (p.x - tx) + p.between(-0.012, 0.012) * (p.y - ty)
    top = p.disc(tx, ty, radius)
    if p.chance(0.6):
        rim = top * (1 - p.disc(tx, ty, radius - p.between(0.3, 1)))
        face = over(face, rim, face * p.between(0.6, 1.35))
    return over(image, top, face * gloss[..., None])


def _stick(p: Pen, image: Float, view: _View) -> tuple[Float, Float]:
    colour = [
        rgb(p.rng.normal(0, 0.02), p.between(0.7, 0.95), p.between(0.4, 0.9)),
        rgb(p.between(0.3, 0.42), p.between(0.6, 0.95), p.between(0.25, 0.75)),
        rgb(p.between(0, 1), p.between(0, 0.06), p.between(0.75, 1)),
    ][p.rng.integers(0, 3)]
    angle = math.radians(float(p.rng.choice([30, 90, 150]))) + p.rng.normal(0, 0.03)
    d = float(p.rng.choice([-14.7, 14.7])) + p.rng.normal(0, 2.5)
    if p.chance(0.15):
        angle, d = p.between(0, 3.2), p.between(-16, 16)
    half, height = p.between(1.2, 2.3), p.between(2, 7)
    x, y = -d * math.sin(angle), d * math.cos(angle)
    soft = 0.3 + view.soft * height
    shade = p.bar(x + view.sun[0] * height, y + view.sun[1] * height, angle, half, soft=soft)
    image = image * (1 - view.shadow * shade[..., None])
    mask = p.bar(x + view.lean[0] * height, y + view.lean[1] * height, angle, half)
    across = (-(p.x - x) * math.sin(angle) + (p.y - y) * math.cos(angle)) / half
    return over(image, mask, colour * (1 - 0.3 * np.clip(across, -1, 1) ** 2)[..., None]), mask


def _foreign(p: Pen, image: Float, view: _View) -> tuple[Float, Float]:
    """A hand, a sleeve, a mug, a die or a coin over the place: (image, mask)."""
    mask = np.zeros((SIZE, SIZE), np.float32)
    kind = p.rng.random()
    along = p.between(0, 2 * math.pi)
    skin = rgb(p.between(0.03, 0.09), p.between(0.25, 0.7), p.between(0.2, 0.95))
    colour = skin if p.chance(0.6) else rgb(p.between(0, 1), p.between(0, 0.9), p.between(0.08, 0.98))
    if kind < 0.45:  # fingers
        first = p.between(-30, 20)
        for k in range(int(p.rng.integers(1, 5))):
            d = first + k * p.between(15, 26)
            half = p.between(5.5, 10)
            reach = p.between(-14, 45)
            x, y = -d * math.sin(along) + reach * math.cos(along), d * math.cos(along) + reach * math.sin(along)
            mask = np.maximum(mask, p.bar(x + 50 * math.cos(along), y + 50 * math.sin(along), along, half, 100))
    elif kind < 0.8:  # arm, sleeve, edge of a phone or a mug
        d = p.between(-22, 17)
        edge = p.x * math.cos(along) + p.y * math.sin(along) - d + p.noise(p.between(6, 20)) * p.between(0, 1)
        mask = np.clip(edge / 0.4 + 0.5, 0, 1).astype(np.float32)
    elif kind < 0.9:  # die
        half, a = p.between(7, 10), p.between(0, 1.6)
        x, y = p.between(-9, 9), p.between(-9, 9)
        mask = p.bar(x, y, a, half, 0.01) * 0
        u = (p.x - x) * math.cos(a) + (p.y - y) * math.sin(a)
        v = -(p.x - x) * math.sin(a) + (p.y - y) * math.cos(a)
        mask = np.clip((half - np.maximum(np.abs(u), np.abs(v))) / 0.4 + 0.5, 0, 1).astype(np.float32)
        colour = (
            rgb(float(p.rng.choice([0.0, 0.36])), p.between(0.6, 0.95), p.between(0.4, 0.9))
            if p.chance(0.6)
            else rgb(0.1, p.between(0, 0.15), p.between(0.8, 1))
        )
    else:  # coin, lid, chip
        mask = p.disc(p.between(-8, 8), p.between(-8, 8), p.between(8, 12))
    shade = cv2.GaussianBlur(mask, (0, 0), p.between(1, 12))
    dx, dy = (round(p.between(-10, 10) * SCALE / 2) for _ in range(2))
    shade = cv2.warpAffine(shade, np.float32([[1, 0, dx], [0, 1, dy]]), (SIZE, SIZE), borderMode=cv2.BORDER_REPLICATE)
    image = image * (1 - shade * p.between(0, 0.8))[..., None]
    inner = cv2.GaussianBlur(mask, (0, 0), p.between(2, 8))
    body = np.ones_like(image) * colour * (0.45 + 0.55 * inner)[..., None]
    body = body * (1 + p.between(0, 0.12) * p.noise(p.between(1, 6))[..., None])
    if kind >= 0.8 and kind < 0.9:
        for _ in range(int(p.rng.integers(1, 7))):
            pip = p.disc(p.between(-9, 9), p.between(-9, 9), p.between(0.8, 1.6)) * mask
            body = over(body, pip, rgb(0, 0, 0.95 if p.chance(0.5) else 0.1))
    return over(image, mask, body), mask


Pair = tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], int]
COVERED = 0.28  # share of the places with something foreign over or beside them


def draw(rng: np.random.Generator, dazzled: int = 0, covered: float = COVERED) -> list[Pair]:
    """Pairs of patches (calibration, now; BGR uint8 40 x 40 x 3) with their class; none of a half hidden place.

    Args:
        rng: what is drawn follows from its state.
        dazzled: how often the drawn place is photographed again, in light that burns out pale print.
        covered: share of the places with something foreign over or beside them.

    Returns:
        1 + ``dazzled`` pairs of one drawing.
    """
    p = Pen(rng)
    printed = _print(p)
    tilt, lamp = p.between(0, 0.7), p.between(0, 1.2)
    away, sun = p.between(0, 6.3), p.between(0, 6.3)
    view = _View(
        (tilt * math.cos(away), tilt * math.sin(away)),
        (lamp * math.cos(sun), lamp * math.sin(sun)),
        p.between(0, 0.75),
        p.between(0.05, 0.8),
    )
    camera = Camera(int(rng.integers(0, 3)), p.between(1, 2.5), p.between(0.85, 1.25), p.between(0.4, 0.5))
    light = light_of(p)
    blur, noise, zoom = p.between(0.4, 1.5), p.between(0, 0.03) * p.chance(0.6), p.between(0.6, 1.0)
    quality = int(rng.integers(65, 97))
    before = finish(p, camera.expose(light.on(p, printed)), blur, noise, zoom, quality)

    label = str(rng.choice(["empty", "empty", "white", "white", "red", "green"]))
    height = p.between(1, 5)
    scene = printed
    shift = cv2.getRotationMatrix2D((SIZE / 2, SIZE / 2), p.rng.normal(0, 0.6), 1 + p.rng.normal(0, 0.008))
    shift[:, 2] += p.rng.normal(0, 0.4 * SCALE, 2)
    scene = cv2.warpAffine(scene, shift, (SIZE, SIZE), borderMode=cv2.BORDER_REFLECT)
    for k in range(6):
        if p.chance(0.45):
            a = math.radians(30 + 60 * k)
            scene = _topping(
                p,
                scene,
                str(rng.choice(["red", "green", "white"])),
                34 * math.cos(a) + rng.normal(0, 1.5),
                34 * math.sin(a) + rng.normal(0, 1.5),
                view,
                height,
            )
    off = 1.3 if p.chance(0.8) else 3.0
    if label != "empty":
        scene = _topping(p, scene, label, rng.normal(0, off), rng.normal(0, off), view, height)
    cover = np.zeros((SIZE, SIZE), np.float32)
    for _ in range(int(rng.choice([0, 0, 0, 1, 1, 2]))):
        scene, mask = _stick(p, scene, view)
        cover = np.maximum(cover, mask)
    if p.chance(covered):
        scene, mask = _foreign(p, scene, view)
        cover = np.maximum(cover, mask)
    place = p.disc(0, 0, RADIUS_MM)
    visible = 1 - float((cover * place).sum() / place.sum())
    if HIDDEN_BELOW <= visible < SEEN_FROM:
        return []
    if visible < HIDDEN_BELOW:
        label = "hidden"
    lit = relit(p, light).on(p, scene)
    if p.chance(0.3):
        lit = lit * shadow(p)
    now = finish(p, camera.expose(lit), blur * p.between(0.8, 1.4), noise, zoom, quality)
    pairs = [(before, now, CLASSES.index(label))]
    for _ in range(dazzled):
        dazzled_camera, light, later = dazzling(p, camera, light_of(p))
        lit = later.on(p, scene) * (shadow(p) if p.chance(0.2) else 1)
        before, now = (
            finish(p, dazzled_camera.expose(shown), blur * wider, noise, zoom, quality)
            for shown, wider in ((light.on(p, printed), 1), (lit, p.between(0.8, 1.4)))
        )
        pairs.append((before, now, CLASSES.index(label)))
    return pairs


def draw_many(
    seed: int, count: int, dazzled: int = 0, covered: float = COVERED
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """``count`` pairs, or a few more, as :func:`draw` makes them: before and now (n x 40 x 40 x 3), classes (n)."""
    rng = np.random.default_rng(seed)
    pairs: list[Pair] = []
    while len(pairs) < count:
        pairs += draw(rng, dazzled, covered)
    before, now, labels = zip(*pairs, strict=True)
    return np.stack(before), np.stack(now), np.array(labels)
