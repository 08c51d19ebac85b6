"""Cuts the finder's training samples out of drawn scenes: small pictures, each with a map of its dice."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
from scenes import Scene

from companion.vision.dice_find import CELL

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
Rng = np.random.Generator

CROP = 192  # px of the finder's training crops
SMALL, LARGE = 6.0, 80.0  # px a die's longer side may have in the finder's picture


def recolour(rng: Rng, picture: U8) -> U8:
    """Another exposure, white balance and gamma of the same picture."""
    x = np.arange(256, dtype=np.float32) / 255
    gamma, gain, lift = np.exp(rng.normal(0, 0.2)), np.exp(rng.normal(0, 0.2)), rng.normal(0, 0.04)
    lut = [np.clip(x**gamma * gain * np.exp(rng.normal(0, 0.08)) + lift, 0, 1) * 255 for _ in range(3)]
    return np.asarray(cv2.LUT(picture, np.stack(lut, 1)[:, None].astype(np.uint8)), np.uint8)


def _view(rng: Rng, scene: Scene, side: int) -> tuple[U8, list[tuple[F32, bool]]]:
    """A square of a scene at some scale, and its dice: (x0, y0, x1, y1 in px, is it one to be found)."""
    h, w = scene.picture.shape[:2]
    lowest = max(side / min(h, w), 0.18)
    scale = float(np.exp(rng.uniform(np.log(lowest), np.log(max(1.1, lowest * 1.01)))))
    reach = side / scale  # px of the scene that the view spans
    x, y = rng.uniform(0, max(0, w - reach)), rng.uniform(0, max(0, h - reach))
    if scene.dice and rng.random() < 0.85:
        some = [scene.dice[k].box for k in rng.integers(len(scene.dice), size=3)]
        bx, by, bw, bh = min(some, key=lambda b: _gap(scene, b))  # crowds are the hard part
        x, y = bx + bw / 2 - rng.uniform(0.05, 0.95) * reach, by + bh / 2 - rng.uniform(0.05, 0.95) * reach
    n = int(reach)
    x, y = int(np.clip(x, 0, w - n)), int(np.clip(y, 0, h - n))
    scale = side / n
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(scene.picture[y : y + n, x : x + n], (side, side), interpolation=how)
    dice = []
    for t in scene.dice:
        full = (np.array([t.box[0], t.box[1], t.box[0] + t.box[2], t.box[1] + t.box[3]]) - (x, y, x, y)) * scale
        box = np.clip(full, 0, side).astype(np.float32)
        area = float(np.prod(box[2:] - box[:2]) / max(1e-6, float(np.prod(full[2:] - full[:2]))))
        longer = float((box[2:] - box[:2]).max())
        if area > 0 and longer > 1:
            find = t.value > 0 and t.visible >= 0.5 and area >= 0.6 and SMALL <= longer <= LARGE
            dice.append((box, find))
    return np.asarray(small), dice


def _gap(scene: Scene, box: tuple[float, float, float, float]) -> float:
    """How far from a die the nearest other one is, in units of its width."""
    others = (t.box for t in scene.dice if t.box != box)
    return min((float(np.hypot(b[0] - box[0], b[1] - box[1])) for b in others), default=1e6) / max(1.0, box[2])


def finder_sample(rng: Rng, scenes: list[Scene]) -> tuple[U8, F32]:
    """A picture (CROP x CROP x 3) and its map (7 x cells x cells): heat, weight of the heat, weight of the box, then
    dx, dy (cells), log w, log h (px)."""
    n = CROP // CELL
    picture = np.zeros((CROP, CROP, 3), np.uint8)
    maps = np.zeros((7, n, n), np.float32)
    maps[1] = 1
    parts = 2 if rng.random() < 0.6 else 1  # four small scenes show the large dice of a far smaller picture
    side = CROP // parts
    for oy in range(0, CROP, side):
        for ox in range(0, CROP, side):
            view, dice = _view(rng, scenes[int(rng.integers(len(scenes)))], side)
            picture[oy : oy + side, ox : ox + side] = recolour(rng, view)
            for box, find in dice:
                _mark(maps, box + np.array([ox, oy, ox, oy], np.float32), find)
    if rng.random() < 0.5:
        picture, maps = picture[:, ::-1], maps[:, :, ::-1]
        maps = maps * np.float32([1, 1, 1, -1, 1, 1, 1])[:, None, None]
    if rng.random() < 0.5:
        picture, maps = picture.transpose(1, 0, 2), maps.transpose(0, 2, 1)[[0, 1, 2, 4, 3, 6, 5]]
    return np.ascontiguousarray(picture), np.ascontiguousarray(maps)


def _mark(maps: F32, box: F32, find: bool) -> None:
    """Enters a die into the maps, in place."""
    x0, y0, x1, y1 = box / CELL
    if not find:
        maps[1, int(y0) : int(y1) + 1, int(x0) : int(x1) + 1] = 0
        return
    cx, cy, w, h = (x0 + x1) / 2 - 0.5, (y0 + y1) / 2 - 0.5, x1 - x0, y1 - y0
    n = maps.shape[1]
    wide, high = max(0.6, w / 7), max(0.6, h / 7)
    first = np.clip([cx - 4 * wide, cy - 4 * high], 0, n).astype(int)
    last = np.clip([cx + 4 * wide + 2, cy + 4 * high + 2], 0, n).astype(int)
    gx, gy = np.arange(first[0], last[0]) - cx, np.arange(first[1], last[1]) - cy
    heat = np.exp(-0.5 * ((gx / wide) ** 2 + ((gy / high) ** 2)[:, None])).astype(np.float32)
    px, py = int(np.clip(round(float(cx)), 0, n - 1)), int(np.clip(round(float(cy)), 0, n - 1))
    heat[py - first[1], px - first[0]] = 1
    here = maps[:, first[1] : last[1], first[0] : last[0]]
    own = (heat > here[0]) & (heat > 0.3)
    here[0] = np.maximum(here[0], heat)
    maps[1, py, px] = 1
    here[2][own] = heat[own]
    for k, v in enumerate((-gx[None] + 0 * gy[:, None], -gy[:, None] + 0 * gx[None])):
        here[3 + k][own] = v[own]
    here[5][own], here[6][own] = np.log(w * CELL), np.log(h * CELL)
