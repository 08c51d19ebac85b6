"""Cuts training samples out of drawn scenes: pictures with a map of dice for the finder, patches for the reader."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
from pool import Trap
from scenes import Scene, Truth

from companion.vision.dice_net import AROUND, CELL, PATCH, cut_patch

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
    scale = float(np.exp(rng.uniform(np.log(lowest), np.log(max(1.3, lowest * 1.01)))))
    reach = side / scale  # px of the scene that the view spans
    x, y = rng.uniform(0, max(0, w - reach)), rng.uniform(0, max(0, h - reach))
    if scene.dice and rng.random() < 0.7:
        bx, by, bw, bh = scene.dice[int(rng.integers(len(scene.dice)))].box
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


def finder_sample(rng: Rng, scenes: list[Scene]) -> tuple[U8, F32]:
    """A picture (CROP x CROP x 3) and its map (7 x cells x cells): heat, weight of the heat, weight of the box, then
    dx, dy (cells), log w, log h (px)."""
    n = CROP // CELL
    picture = np.zeros((CROP, CROP, 3), np.uint8)
    maps = np.zeros((7, n, n), np.float32)
    maps[1] = 1
    parts = 2 if rng.random() < 0.35 else 1  # four small scenes show the large dice of a far smaller picture
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
    gx, gy = np.arange(n) - cx, np.arange(n) - cy
    heat = np.exp(-0.5 * ((gx / max(0.6, w / 7)) ** 2 + ((gy / max(0.6, h / 7)) ** 2)[:, None])).astype(np.float32)
    px, py = int(np.clip(round(float(cx)), 0, n - 1)), int(np.clip(round(float(cy)), 0, n - 1))
    heat[py, px] = 1
    own = (heat > maps[0]) & (heat > 0.3)
    maps[0] = np.maximum(maps[0], heat)
    maps[1, py, px] = 1
    maps[2][own] = heat[own]
    for k, v in enumerate((-gx[None] + 0 * gy[:, None], -gy[:, None] + 0 * gx[None])):
        maps[3 + k][own] = v[own]
    maps[5][own], maps[6][own] = np.log(w * CELL), np.log(h * CELL)


def _of_die(rng: Rng, scene: Scene, die: Truth) -> tuple[U8, int] | None:
    """A patch about a die and its class; None where it isn't clear which."""
    h, w = scene.picture.shape[:2]
    x, y = max(0.0, die.box[0]), max(0.0, die.box[1])
    bw, bh = min(w, die.box[0] + die.box[2]) - x, min(h, die.box[1] + die.box[3]) - y
    longer = max(bw, bh)
    if longer < 11 or min(bw, bh) < 2 or 0.5 <= die.top < 0.8:
        return None
    value = die.value if die.top >= 0.8 else 0
    shift, zoom = rng.normal(0, 0.06, 2) * longer, float(np.exp(rng.normal(0, 0.12)))
    off = rng.random()
    if off < 0.08:  # between dice, or beside one
        a = rng.uniform(0, 2 * np.pi)
        shift, value = np.array([np.cos(a) * bw, np.sin(a) * bh]) * rng.uniform(0.5, 0.9), 0
    elif off < 0.12:  # a part of a die, or a die within something
        zoom, value = float(rng.choice([rng.uniform(0.3, 0.5), rng.uniform(2.2, 3.5)])), 0
    centre = (x + bw / 2 + float(shift[0]), y + bh / 2 + float(shift[1]))
    if value == 0 and off < 0.12:
        reach = 0.3 * zoom
        for t in scene.dice:  # it may sit on the neighbour's middle by chance
            near = (
                abs(t.box[0] + t.box[2] / 2 - centre[0]) < reach * t.box[2]
                and abs(t.box[1] + t.box[3] / 2 - centre[1]) < reach * t.box[3]
            )
            if near and (t is not die or off < 0.08):
                return None
    return cut_patch(scene.picture, centre, longer * AROUND * zoom, rng.uniform(0, 360)), value


def _of_table(rng: Rng, scene: Scene) -> tuple[U8, int] | None:
    """A patch with no die in its middle."""
    h, w = scene.picture.shape[:2]
    centre = (rng.uniform(0, w), rng.uniform(0, h))
    side = float(np.exp(rng.uniform(np.log(14), np.log(200))))
    for t in scene.dice:
        if (
            abs(t.box[0] + t.box[2] / 2 - centre[0]) < t.box[2] / 2
            and abs(t.box[1] + t.box[3] / 2 - centre[1]) < t.box[3] / 2
        ):
            return None
    return cut_patch(scene.picture, centre, side, rng.uniform(0, 360)), 0


def reader_sample(rng: Rng, scenes: list[Scene], traps: list[Trap]) -> tuple[U8, int]:
    """A patch (PATCH x PATCH x 3) and its class (0: nothing to read)."""
    got: tuple[U8, int] | None
    while True:
        scene = scenes[int(rng.integers(len(scenes)))]
        if traps and rng.random() < 0.2:
            piece, centre, side = traps[int(rng.integers(len(traps)))]
            got = cut_patch(piece, centre, side * float(np.exp(rng.normal(0, 0.1))), rng.uniform(0, 360)), 0
        elif rng.random() < 0.06 or not scene.dice:
            got = _of_table(rng, scene)
        else:
            got = _of_die(rng, scene, scene.dice[int(rng.integers(len(scene.dice)))])
            if got is not None and got[1] == 0 and rng.random() < 0.5:  # else half of all dice were unreadable ones
                continue
        if got is None:
            continue
        cut, value = got
        if value and cut[12:36, 12:36].std() < 7:  # too dark or too bright for anyone
            continue
        if rng.random() < 0.5:
            cut = cut[:, ::-1]
        if rng.random() < 0.4:  # cameras and files whose px aren't square
            a, f = rng.uniform(0, np.pi), float(np.exp(rng.uniform(0, 0.35)))
            turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            m = turn @ np.diag([1 / f, f**0.3]) @ turn.T
            shift = (np.eye(2) - m) @ np.full((2, 1), PATCH / 2 - 0.5)
            cut = cv2.warpAffine(cut, np.hstack([m, shift]), (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE)
        cut = recolour(rng, np.ascontiguousarray(cut))
        if rng.random() < 0.3:
            cut = cv2.GaussianBlur(cut, (0, 0), abs(rng.normal(0, 0.7)) + 0.2)
        if rng.random() < 0.3:
            cut = np.clip(cut + rng.normal(0, abs(rng.normal(0, 6)) + 0.5, cut.shape), 0, 255).astype(np.uint8)
        return np.asarray(cut, np.uint8), value
