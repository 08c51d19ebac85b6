"""Draws what the space reader learns from: pairs of patches, the empty board at calibration and the same place in play.

Everything is drawn from a seed, nothing is taken from a photograph. The drawing varies whatever differs between tables:
print, art of the toppings, their height and place, lamp, tone curve of the camera, glare, shadows, sticks, hands,
other things lying about, blur, noise, JPEG, and the error of the pose.
"""

from __future__ import annotations

import colorsys
import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.spaces import CLASSES, PATCH_PX, TOPPING_PX

Float = npt.NDArray[np.float32]
SIZE = 2 * PATCH_PX  # drawn at twice the size that is read, then averaged
RADIUS_MM = 13.0
SCALE = TOPPING_PX / RADIUS_MM
HIDDEN_BELOW, SEEN_FROM = 0.38, 0.6  # visible share: label "hidden" below, the state from; between the two not used


def _rgb(hue: float, saturation: float, value: float) -> Float:
    """Colour (BGR, linear reflectance) of HSV values as a screen shows them; hue in turns."""
    r, g, b = colorsys.hsv_to_rgb(hue % 1, min(max(saturation, 0), 1), min(max(value, 0), 1))
    return np.array([b, g, r], np.float32) ** 2.2


@dataclass
class _Pen:
    """Random numbers and pixel grids of one drawing; x right, y down, mm from the middle of the space."""

    rng: np.random.Generator

    def __post_init__(self) -> None:
        axis = (np.arange(SIZE, dtype=np.float32) + 0.5) / SCALE - SIZE / SCALE / 2
        self.x, self.y = np.meshgrid(axis, axis)

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def between(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def noise(self, cell_mm: float) -> Float:
        """Smooth noise, mean 0, sd about 1."""
        n = max(2, round(SIZE / SCALE / cell_mm) + 2)
        small = self.rng.normal(0, 1, (n, n)).astype(np.float32)
        big = cv2.resize(small, (SIZE + 40, SIZE + 40), interpolation=cv2.INTER_CUBIC)
        dx, dy = self.rng.integers(0, 40, 2)
        return big[dy : dy + SIZE, dx : dx + SIZE]

    def disc(self, cx: float, cy: float, radius: float, soft: float = 0.25) -> Float:
        """Coverage (0 to 1) of a disc with an edge ``soft`` mm wide."""
        return np.clip((radius - np.sqrt((self.x - cx) ** 2 + (self.y - cy) ** 2)) / soft + 0.5, 0, 1).astype(
            np.float32
        )

    def bar(self, cx: float, cy: float, angle: float, half: float, length: float = 1e3, soft: float = 0.3) -> Float:
        """Coverage of a bar of half width ``half`` mm with round ends."""
        u = (self.x - cx) * math.cos(angle) + (self.y - cy) * math.sin(angle)
        v = -(self.x - cx) * math.sin(angle) + (self.y - cy) * math.cos(angle)
        d = np.sqrt(np.maximum(np.abs(u) - length / 2, 0) ** 2 + v * v)
        return np.clip((half - d) / soft + 0.5, 0, 1).astype(np.float32)


def _over(image: Float, mask: Float, colour: Float | npt.NDArray[np.float32]) -> Float:
    return image + mask[..., None] * (colour - image)


def _print(p: _Pen) -> Float:
    """Reflectance of the printed board around one space."""
    if p.chance(0.75):
        hues, sats, vals = (0.0, 0.17), (0.5, 0.95), (0.45, 0.98)
    else:
        hues, sats, vals = (0.0, 1.0), (0.0, 0.9), (0.15, 0.95)
    image = np.ones((SIZE, SIZE, 3), np.float32) * _rgb(p.between(*hues), p.between(*sats), p.between(*vals))
    for _ in range(3):
        sharp = p.between(0.5, 6)
        mask = np.clip(sharp * (p.noise(p.between(3, 14)) - p.between(0, 1.5)), 0, 1) * p.between(0.2, 1)
        image = _over(image, mask, _rgb(p.between(*hues), p.between(*sats), p.between(*vals)))
    pitch = p.between(30, 37)
    if p.chance(0.85):
        ink, half = _rgb(p.between(0, 1), p.between(0, 0.7), p.between(0.05, 0.5)), p.between(0.15, 0.5)
        for k in range(3):
            a = math.radians(90 + 60 * k)
            for side in (-1, 1):
                d = side * pitch * math.sqrt(3) / 4
                image = _over(image, p.bar(-d * math.sin(a), d * math.cos(a), a, half) * p.between(0.3, 0.9), ink)
    cream = p.chance(0.7)
    pale = (
        _rgb(p.between(0.07, 0.17), p.between(0.08, 0.42), p.between(0.75, 1))
        if cream
        else _rgb(p.between(0, 1), p.between(0, 0.5), p.between(0.5, 1))
    )
    radius, ink = p.between(12, 15), _rgb(p.between(0, 0.15), p.between(0, 0.8), p.between(0.05, 0.5))
    outline, strength = p.between(0.2, 0.6), p.between(0.2, 0.95) * p.chance(0.85)
    centres = [(0.0, 0.0)] + [
        (pitch * math.cos(math.radians(30 + 60 * k)), pitch * math.sin(math.radians(30 + 60 * k))) for k in range(6)
    ]
    for cx, cy in centres:
        face = np.ones_like(image) * pale
        if p.chance(0.6):
            tint = np.clip(2 * (p.noise(p.between(5, 14)) - 0.4), 0, 1) * p.between(0, 0.35)
            face = _over(face, tint, _rgb(p.between(-0.03, 0.15), p.between(0.2, 0.8), p.between(0.6, 0.95)))
        face *= 1 + p.between(0, 0.04) * p.noise(1.2)[..., None]
        image = _over(image, p.disc(cx, cy, radius), face)
        ring = p.disc(cx, cy, radius + outline) * (1 - p.disc(cx, cy, radius - outline))
        image = _over(image, ring * strength, ink)
    mark = p.rng.random()
    ink = _rgb(p.between(0, 1) if p.chance(0.3) else p.between(-0.05, 0.05), p.between(0, 0.9), p.between(0.1, 0.6))
    if mark < 0.2:
        a, half, length = p.between(0, 1.6), p.between(0.4, 1.2), p.between(8, 16)
        for turn in (0, math.pi / 2):
            image = _over(image, p.bar(0, 0, a + turn, half, length), ink)
    elif mark < 0.35:
        for _ in range(int(p.rng.integers(2, 6))):
            image = _over(
                image,
                p.bar(p.between(-5, 5), p.between(-4, 4), p.between(0, 3.2), p.between(0.2, 0.6), p.between(1, 5)),
                ink,
            )
    return image


def _art(p: _Pen, colour: str, cx: float, cy: float, under: Float) -> Float:
    """Face of a topping: plain, or drawn. A white one may be nearly of the colour ``under`` it; then it has art."""
    alike = False
    if colour == "white":
        base = _rgb(p.between(0, 1), abs(p.rng.normal(0, 0.035)), p.between(0.7, 0.98))
        if p.chance(0.35):  # mushrooms and cheese are nearly as creamy as paler print
            base = _rgb(p.between(0.05, 0.16), p.between(0.03, 0.16), p.between(0.75, 1))
        if under.min() > 0.5 * under.max() and p.chance(0.3):
            base, alike = base + p.between(0.4, 1) * (under - base), True
        contrast = p.between(0.03, 0.3) if p.chance(0.5) else p.between(0.3, 0.8)
    else:
        middle = 0.0 if colour == "red" else p.between(0.27, 0.42)
        base = _rgb(middle + p.rng.normal(0, 0.018), p.between(0.6, 0.97), p.between(0.3, 0.92))
        contrast = p.between(0.1, 0.6)
    face = np.ones((SIZE, SIZE, 3), np.float32) * base
    if not alike and p.chance(0.15):
        return face
    if colour == "white":
        other = _rgb(
            p.between(0.03, 0.14) if p.chance(0.6) else p.between(0.6, 0.9), p.between(0, 0.45), p.between(0.3, 0.9)
        )
        light = _rgb(p.between(0, 1), p.between(0, 0.04), 1.0)
    else:
        middle = p.between(-0.03, 0.09) if colour == "red" else p.between(0.18, 0.42)
        other = _rgb(middle, p.between(0.3, 0.95), p.between(0.2, 1))
        light = _rgb(middle, p.between(0.05, 0.5), p.between(0.7, 1))
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
        face = _over(face, mask.astype(np.float32) * contrast * p.between(0.5, 1.3), ink)
    if p.chance(0.4):
        ring = 1 - p.disc(cx, cy, RADIUS_MM - p.between(0.6, 2.5), p.between(0.3, 1.5))
        face = _over(face, ring * p.between(0.1, 0.7), base * p.between(0.6, 1.2))
    return face * (1 + p.between(0, 0.04) * p.noise(0.9)[..., None])


@dataclass
class _View:
    """Where camera and lamp stand: shift (mm) per mm of height of a thing, and of its shadow."""

    lean: tuple[float, float]
    sun: tuple[float, float]
    shadow: float
    soft: float


def _topping(p: _Pen, image: Float, colour: str, cx: float, cy: float, view: _View, height: float) -> Float:
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
        else _rgb(0.09, p.between(0, 0.5), p.between(0.5, 0.95))
    )
    for step in np.linspace(0, 1, 5):
        disc = p.disc(cx + (tx - cx) * step, cy + (ty - cy) * step, radius)
        image = _over(image, disc, wall * (0.7 + 0.3 * step))
    gloss = 1 + p.rng.normal(0, 0.07) + p.between(-0.012, 0.012) * (p.x - tx) + p.between(-0.012, 0.012) * (p.y - ty)
    top = p.disc(tx, ty, radius)
    if p.chance(0.6):
        rim = top * (1 - p.disc(tx, ty, radius - p.between(0.3, 1)))
        face = _over(face, rim, face * p.between(0.6, 1.35))
    return _over(image, top, face * gloss[..., None])


def _stick(p: _Pen, image: Float, view: _View) -> tuple[Float, Float]:
    colour = [
        _rgb(p.rng.normal(0, 0.02), p.between(0.7, 0.95), p.between(0.4, 0.9)),
        _rgb(p.between(0.3, 0.42), p.between(0.6, 0.95), p.between(0.25, 0.75)),
        _rgb(p.between(0, 1), p.between(0, 0.06), p.between(0.75, 1)),
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
    return _over(image, mask, colour * (1 - 0.3 * np.clip(across, -1, 1) ** 2)[..., None]), mask


def _foreign(p: _Pen, image: Float, view: _View) -> tuple[Float, Float]:
    """A hand, a sleeve, a mug, a die or a coin over the place: (image, mask)."""
    mask = np.zeros((SIZE, SIZE), np.float32)
    kind = p.rng.random()
    along = p.between(0, 2 * math.pi)
    skin = _rgb(p.between(0.03, 0.09), p.between(0.25, 0.7), p.between(0.2, 0.95))
    colour = skin if p.chance(0.6) else _rgb(p.between(0, 1), p.between(0, 0.9), p.between(0.08, 0.98))
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
            _rgb(float(p.rng.choice([0.0, 0.36])), p.between(0.6, 0.95), p.between(0.4, 0.9))
            if p.chance(0.6)
            else _rgb(0.1, p.between(0, 0.15), p.between(0.8, 1))
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
            body = _over(body, pip, _rgb(0, 0, 0.95 if p.chance(0.5) else 0.1))
    return _over(image, mask, body), mask


@dataclass
class _Camera:
    """Tone curve and colour rendering, common to both pictures of a pair."""

    curve: int
    knee: float
    saturation: float
    gamma: float

    def expose(self, linear: Float) -> Float:
        linear = np.maximum(linear, 0)
        if self.curve == 0:
            out = np.minimum(linear, 1)
        elif self.curve == 1:
            out = 1 - np.exp(-linear * self.knee)
        else:
            out = linear * (1 + linear / self.knee**2) / (1 + linear)
        peak = np.clip(linear.max(axis=2, keepdims=True) - 0.7, 0, 1) * (0.6 if self.curve else 0)
        grey = out.mean(axis=2, keepdims=True)
        out = grey + (out - grey) * self.saturation * (1 - 0.5 * peak)
        return np.asarray(np.clip(out, 0, 1) ** self.gamma, np.float32)


@dataclass
class _Light:
    gain: Float
    slope: tuple[float, float]
    glare: float
    at: tuple[float, float, float]

    def on(self, p: _Pen, image: Float) -> Float:
        field = np.clip(1 + self.slope[0] * p.x + self.slope[1] * p.y, 0.1, 3)[..., None]
        x, y, width = self.at
        spot = self.glare * np.exp(-((p.x - x) ** 2 + (p.y - y) ** 2) / (2 * width**2))[..., None]
        return np.asarray(image * self.gain * field + spot, np.float32)


def _light(p: _Pen) -> _Light:
    warm = p.rng.normal(0, 0.28)
    level = math.exp(p.between(-2.2, 0.7))
    gain = level * np.exp(np.array([-warm, p.rng.normal(0, 0.05), warm], np.float32))
    slope = (p.rng.normal(0, 0.006), p.rng.normal(0, 0.006))
    glare = p.between(0, 0.5) * level if p.chance(0.12) else 0.0
    return _Light(gain.astype(np.float32), slope, glare, (p.between(-25, 25), p.between(-25, 25), p.between(5, 40)))


def _relit(p: _Pen, light: _Light) -> _Light:
    """The light some minutes later: about the same, or another lamp."""
    if p.chance(0.25):
        return _light(p)
    other = p.rng.normal(0, 0.05, 3) + p.rng.normal(0, 0.15 if p.chance(0.4) else 0.03)
    new = _light(p)
    slope = (light.slope[0] + p.rng.normal(0, 0.002), light.slope[1] + p.rng.normal(0, 0.002))
    return _Light(
        (light.gain * np.exp(other)).astype(np.float32), slope, light.glare if p.chance(0.7) else new.glare, light.at
    )


def _shadow(p: _Pen) -> Float:
    """Factor (h x w x 3) of a shadow cast by something out of the patch, lit by the room alone."""
    a = p.between(0, 2 * math.pi)
    edge = p.x * math.cos(a) + p.y * math.sin(a) - p.between(-20, 16) + p.noise(p.between(6, 20)) * p.between(0, 2)
    mask = np.clip(edge / p.between(0.5, 12) + 0.5, 0, 1)
    if p.chance(0.4):
        mask = mask * np.clip((p.between(8, 30) - edge) / p.between(0.5, 12) + 0.5, 0, 1)
    depth = p.between(0.1, 0.85)
    tint = np.exp(p.rng.normal(0, 0.12) * np.array([1, 0, -1], np.float32) + np.array([0.08, 0, -0.08], np.float32))
    return np.asarray(1 - mask[..., None] * (1 - (1 - depth) * tint), np.float32)


def _finish(p: _Pen, shown: Float, blur: float, noise: float, zoom: float, quality: int) -> npt.NDArray[np.uint8]:
    shown = cv2.GaussianBlur(shown, (0, 0), blur)
    n = round(SIZE * zoom)
    small = cv2.resize(shown, (n, n), interpolation=cv2.INTER_AREA)
    grain = p.rng.normal(0, 1, (n, n, 3)).astype(np.float32)
    if p.chance(0.5):
        grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 1.8
    small = small + noise * (0.6 * grain + 0.6 * grain[..., :1])
    coded = cv2.imencode(".jpg", (np.clip(small, 0, 1) * 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    back = cv2.resize(cv2.imdecode(coded, cv2.IMREAD_COLOR), (SIZE, SIZE), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.resize(back, (PATCH_PX, PATCH_PX), interpolation=cv2.INTER_AREA), np.uint8)


def draw(rng: np.random.Generator) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], int] | None:
    """One pair of patches (calibration, now; BGR uint8 40 x 40 x 3) and its class; None for a half hidden one."""
    p = _Pen(rng)
    printed = _print(p)
    tilt, lamp = p.between(0, 0.7), p.between(0, 1.2)
    away, sun = p.between(0, 6.3), p.between(0, 6.3)
    view = _View(
        (tilt * math.cos(away), tilt * math.sin(away)),
        (lamp * math.cos(sun), lamp * math.sin(sun)),
        p.between(0, 0.75),
        p.between(0.05, 0.8),
    )
    camera = _Camera(int(rng.integers(0, 3)), p.between(1, 2.5), p.between(0.85, 1.25), p.between(0.4, 0.5))
    light = _light(p)
    blur, noise, zoom = p.between(0.4, 1.5), p.between(0, 0.03) * p.chance(0.6), p.between(0.6, 1.0)
    quality = int(rng.integers(65, 97))
    before = _finish(p, camera.expose(light.on(p, printed)), blur, noise, zoom, quality)

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
    if p.chance(0.28):
        scene, mask = _foreign(p, scene, view)
        cover = np.maximum(cover, mask)
    place = p.disc(0, 0, RADIUS_MM)
    visible = 1 - float((cover * place).sum() / place.sum())
    if HIDDEN_BELOW <= visible < SEEN_FROM:
        return None
    if visible < HIDDEN_BELOW:
        label = "hidden"
    lit = _relit(p, light).on(p, scene)
    if p.chance(0.3):
        lit = lit * _shadow(p)
    now = _finish(p, camera.expose(lit), blur * p.between(0.8, 1.4), noise, zoom, quality)
    return before, now, CLASSES.index(label)


def draw_many(seed: int, count: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """``count`` pairs: before and now (n x 40 x 40 x 3) and classes (n)."""
    rng = np.random.default_rng(seed)
    before, now, labels = [], [], []
    while len(labels) < count:
        drawn = draw(rng)
        if drawn is not None:
            before.append(drawn[0])
            now.append(drawn[1])
            labels.append(drawn[2])
    return np.stack(before), np.stack(now), np.array(labels)
