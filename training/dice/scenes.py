"""Composes whole pictures of dice with their truth; see README.md for what varies and why."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from leaning import draw_slab, turned
from render import F32, TOP, Camera, Die, Light, Rng, draw_die
from tables import clutter, hand, table
from things import noise
from throws import USUAL, Mix, throw


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of one die in a picture.

    Args:
        value: the top face, 1 to 6; 0 where there is none to read (blank, other symbols, cocked).
        box: x, y, width, height in px of the whole die as if nothing hid it.
        visible: share of the die's outline that is to be seen, 0 to 1.
        top: share of the top face that is to be seen, 0 to 1.
        up: px from the middle of its foot to that of its top (x, y), in units of the top's edge: the root of its area.
        marked: it bears letters or signs instead of pips.
    """

    value: int
    box: tuple[float, float, float, float]
    visible: float
    top: float
    up: tuple[float, float] = (0.0, 0.0)
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture (BGR uint8) and the dice in it."""

    picture: npt.NDArray[np.uint8]
    dice: tuple[Truth, ...]


def _light(rng: Rng) -> Light:
    """One to three lamps, ceiling or low, and the sky."""
    n = int(rng.choice([1, 2, 3], p=[0.5, 0.35, 0.15]))
    up, turn = rng.uniform(0.35, 1.0, n), rng.uniform(0, 2 * np.pi, n)
    side = np.sqrt(1 - up**2)
    towards = np.column_stack([side * np.cos(turn), side * np.sin(turn), up]).astype(np.float32)
    share = rng.dirichlet(np.full(n, 2.0))
    ambient = rng.uniform(0.3, 0.8)
    spread = np.exp(rng.uniform(np.log(0.002), np.log(0.06), n))
    halo = np.where(rng.random(n) < 0.35, rng.uniform(0.1, 0.7, n), 0)
    strength = ((1.05 - ambient) * share).astype(np.float32)
    return Light(towards, strength, spread.astype(np.float32), halo.astype(np.float32), ambient)


def _up(camera: Camera, die: Die) -> tuple[float, float]:
    """Where a die's top lies in the picture, seen from its foot, in units of the top's edge."""
    square = [(x, y) for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))]
    corners = np.array([[x, y, z] for z in (0.5, -0.5) for x, y in square], np.float32) * die.size
    px = camera.project(np.asarray(corners @ die.rotation.T + die.centre, np.float32))
    edge = float(np.sqrt(abs(cv2.contourArea(px[:4]))))
    right, down = (px[:4].mean(0) - px[4:].mean(0)) / max(edge, 1e-3)
    return float(np.clip(right, -2, 2)), float(np.clip(down, -2, 2))


def _shadows(rng: Rng, out: F32, camera: Camera, dice: list[Die], light: Light, edge: float) -> None:
    """Cast and contact shadows on the table, in place."""
    h, w = out.shape[:2]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32) * 0.46
    total = float(light.strength.sum() + light.ambient)
    hard = np.exp(rng.uniform(np.log(0.02), np.log(0.4)))
    for towards, strength in zip(light.towards, light.strength * rng.uniform(0.5, 1.3), strict=True):
        mask = np.zeros((h, w), np.float32)
        for die in dice:
            p = corners * die.size @ die.rotation.T + die.centre
            foot = p - towards * (p[:, 2:3] / towards[2])
            hull = cv2.convexHull(camera.project(np.asarray(foot, np.float32))).reshape(-1, 2)
            cv2.fillConvexPoly(mask, (hull * 8).astype(np.int32), 1.0, cv2.LINE_AA, 3)
        mask = cv2.GaussianBlur(mask, (0, 0), max(0.4, hard * edge))
        out *= 1 - np.clip(strength / total * 1.3, 0, 0.9) * mask[:, :, None]
    mask = np.zeros((h, w), np.float32)
    for die in dice:
        foot = corners * die.size * 1.12 @ die.rotation.T + die.centre
        foot[:, 2] = 0
        hull = cv2.convexHull(camera.project(np.asarray(foot, np.float32))).reshape(-1, 2)
        cv2.fillConvexPoly(mask, (hull * 8).astype(np.int32), 1.0, cv2.LINE_AA, 3)
    out *= 1 - light.ambient * rng.uniform(0.3, 0.8) * cv2.GaussianBlur(mask, (0, 0), max(0.5, 0.1 * edge))[:, :, None]


def _ground(rng: Rng, camera: Camera, size: tuple[int, int], edge: float, crowded: bool, mix: Mix = USUAL) -> F32:
    """The table with its clutter as the camera sees it."""
    w, h = size
    side = 640
    flat = table(rng, side, side, mix.checked)
    for _ in range(4 if crowded else int(rng.random() < 0.75)):
        clutter(rng, flat, edge, mix.dominoes / (4 if crowded else 0.75))
    scale = edge * rng.uniform(0.75, 1.3)  # canvas px per die edge; what lies beyond the canvas is its mirror image
    frame = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    turn = turned(rng.uniform(0, 6.3), 0, 0)[:2, :2] * np.float32(scale)
    canvas = (camera.on_table(frame)[:, :2] @ turn.T + side / 2).astype(np.float32)
    m = cv2.getPerspectiveTransform(canvas, frame)
    out = cv2.warpPerspective(flat, m, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(out, np.float32)


def _photograph(rng: Rng, out: F32, edge: float) -> npt.NDArray[np.uint8]:
    """What lamp, lens, sensor, phone and file do to a picture (BGR 0 to 1) -> BGR uint8."""
    h, w = out.shape[:2]
    if rng.random() < 0.6:
        out = out * (1 + noise(rng, (w, h), (w / 2, h / 2)) * rng.uniform(0, 0.5))
    if rng.random() < 0.1:  # a hard edge of sun or shade
        a, b = rng.uniform(0, 2 * np.pi), rng.uniform(-0.3, 0.3)
        x, y = np.meshgrid(np.linspace(-0.5, 0.5, w, dtype=np.float32), np.linspace(-0.5, 0.5, h, dtype=np.float32))
        out = (
            out
            * (1 - rng.uniform(0.2, 0.6) / (1 + np.exp((x * np.cos(a) + y * np.sin(a) - b) * rng.uniform(20, 300))))[
                :, :, None
            ]
        )
    if rng.random() < 0.3:
        x, y = np.meshgrid(np.linspace(-1, 1, w, dtype=np.float32), np.linspace(-1, 1, h, dtype=np.float32))
        out = out * (1 - rng.uniform(0.1, 0.7) * (x * x + y * y) / 2)[:, :, None]
    if rng.random() < 0.6:
        out = out * np.exp(rng.normal(0, 0.12, 3)).astype(np.float32)
    if rng.random() < 0.6:  # cameras choose the exposure by the picture's mean
        gain = rng.uniform(0.3, 0.65) / max(0.05, float(out.mean()))
        out = out * np.float32(min(gain, 1.5 / float(np.percentile(out[::4, ::4], 99))))
    out = np.clip(out * float(np.exp(rng.normal(0.12, 0.3))), 0, 4)
    out = out / (1 + float(rng.choice([0.0, 0.3])) * out)
    out = np.clip(out, 1e-4, 1) ** float(np.exp(rng.normal(0, 0.2)))
    out = np.clip((out - 0.5) * rng.uniform(0.6, 1.15) + 0.5 + rng.normal(0, 0.04), 0, 1).astype(np.float32)
    if rng.random() < 0.7:
        out = cv2.GaussianBlur(out, (0, 0), max(0.3, min(0.06 * edge, abs(rng.normal(0, 1.0)) + 0.3)))
    if rng.random() < 0.06:
        n = int(np.clip(edge * rng.uniform(0.08, 0.2), 2, 15))
        line = np.zeros((n, n), np.float32)
        line[n // 2] = 1
        k = cv2.warpAffine(line, cv2.getRotationMatrix2D(((n - 1) / 2, (n - 1) / 2), rng.uniform(0, 180), 1), (n, n))
        out = cv2.filter2D(out, -1, k / max(1e-3, float(k.sum())))
    if rng.random() < 0.15:  # a small picture made larger, as films and cheap cameras have it
        f = rng.uniform(0.4, 0.8)
        small = cv2.resize(out, None, fx=f, fy=f, interpolation=cv2.INTER_AREA)
        out = cv2.resize(small, (w, h), interpolation=int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC])))
    if rng.random() < 0.7:
        sigma = abs(float(rng.normal(0, 0.025)))
        grain = rng.standard_normal((h, w, 1), np.float32) * sigma
        if rng.random() < 0.5:
            grain = grain + rng.standard_normal((h, w, 3), np.float32) * sigma * 0.7
        out = out + (cv2.GaussianBlur(grain, (0, 0), 0.7).reshape(h, w, -1) * 1.5 if rng.random() < 0.4 else grain)
    if rng.random() < 0.35:  # phones sharpen
        out = out + (out - cv2.GaussianBlur(out, (0, 0), rng.uniform(0.7, 2.5))) * rng.uniform(0.3, 2)
    picture = (np.clip(out, 0, 1) * 255).astype(np.uint8)
    if rng.random() < 0.8:
        jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 96))])[1]
        picture = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    return np.asarray(picture, np.uint8)


def scene(
    rng: Rng,
    size: tuple[int, int] | None = None,
    edge: float | None = None,
    count: int | None = None,
    mix: Mix = USUAL,
) -> Scene:
    """One picture and its truth.

    Args:
        rng: what is drawn follows from its state.
        size: width and height in px; about 640 x 440 if not given.
        edge: of a die in the middle, px; 10 to 120 if not given.
        count: how many dice, as far as there is room; zero to forty if not given.
        mix: how often it shows what is hard to read.
    """
    w, h = int(rng.integers(440, 641)), int(rng.integers(380, 500))
    if rng.random() < 0.3:
        w, h = h, w
    w, h = size or (w, h)
    usual = float(np.exp(rng.uniform(np.log(10), np.log(120))))
    if mix.small and rng.random() < mix.small:
        usual = float(np.exp(rng.uniform(np.log(10), np.log(45))))
    edge = edge or usual
    focal = w * rng.uniform(0.8, 2.5)
    tilt = rng.uniform(0.5, 1.05) if rng.random() < 0.35 else abs(rng.normal(0, 0.4))
    tilt = min(tilt, 1.35 - np.arctan(np.hypot(w, h) / 2 / focal))  # no horizon
    camera = Camera.looking_down(focal, (w, h), edge, tilt, rng.uniform(-0.3, 0.3))
    light = _light(rng)
    empty = rng.random() < 0.2 if count is None else count == 0
    out = _ground(rng, camera, (w, h), edge, empty, mix)
    dice, slabs = ([], []) if empty else throw(rng, camera, (w, h), edge, count, mix)
    for slab in slabs:
        draw_slab(rng, out, camera, slab, edge)
    _shadows(rng, out, camera, dice, light, edge)
    owner = np.zeros((h, w), np.int32)
    drawn: list[tuple[Die, tuple[float, float, float, float], float, float]] = []
    tops = np.zeros((h, w), np.int32)
    for die in sorted(dice, key=lambda d: (d.centre[2] > d.size, -float(np.linalg.norm(d.centre - camera.position)))):
        (x, y), rgb, cover, top = draw_die(camera, die, light, rng)
        ys, xs = np.nonzero(cover > 0.5)
        here = (slice(max(0, y), max(0, y + len(cover))), slice(max(0, x), max(0, x + cover.shape[1])))
        under = out[here]
        if not len(ys) or not under.size:
            continue
        a, b = max(0, -y), max(0, -x)
        cut = (slice(a, a + under.shape[0]), slice(b, b + under.shape[1]))
        alpha = cover[cut][:, :, None]
        seen = rgb[cut] * 0.8 + 0.2 * under if die.style.pattern == "clear" else rgb[cut]
        out[here] = under * (1 - alpha) + seen * alpha
        box = (float(x + xs.min()), float(y + ys.min()), float(np.ptp(xs) + 1), float(np.ptp(ys) + 1))
        drawn.append((die, box, float(len(ys)), float((top > 0.5).sum())))
        owner[here][cover[cut] > 0.5] = len(drawn)
        tops[here][cover[cut] > 0.5] = 0
        tops[here][top[cut] > 0.5] = len(drawn)
    if rng.random() < mix.hands:
        aim = None
        if drawn and mix.reaching and rng.random() < mix.reaching:
            x, y, bw, bh = drawn[int(rng.integers(len(drawn)))][1]
            aim = (x + bw / 2, y + bh / 2)
        covered = hand(rng, out, edge, aim)
        owner[covered] = tops[covered] = 0
    truths = []
    for k, (die, box, area, area_top) in enumerate(drawn, 1):
        unread = bool(die.style.mark) or die.rotation[2, 2] < 0.97 or die.centre[2] > die.size  # or on another one
        shown = float((tops == k).sum()) / max(1.0, area_top)
        value, visible = 0 if unread else die.faces[TOP], float((owner == k).sum()) / area
        truths.append(Truth(value, box, visible, shown, _up(camera, die), bool(die.style.mark)))
    return Scene(_photograph(rng, out, edge), tuple(truths))
