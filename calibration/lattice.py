"""Finds the lattice of round spaces in a picture without any hint, at any tilt a table camera has.

Ellipses are collected from contours at several thresholds in several channels; from an ellipse whose neighbours
stand around it as they do on the board, the lattice is grown outwards; the shape of the grown patch is then laid
over the layout. Nothing depends on the board's colours, and a cloth with a pattern of its own (squares, flowers)
does not grow into the layout's shape.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.geometry import Picture, PlaneMap, Points, fit_plane, rotation
from calibration.spaces import centres
from companion.layout import BoardLayout

WORK_WIDTH = 1280
MAX_SEEDS = 60
FLATTEST = 0.68
"""Least ratio of the two scales of a tilted lattice: cos 47 degrees. A checked cloth taken for a lattice of triangles
has 0.58, seen obliquely up to 0.65."""

Index = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Cell:
    """The layout as a lattice: two steps (mm), all steps between neighbours, and the spaces' whole-number places."""

    basis: Points
    steps: tuple[Index, ...]
    places: frozenset[Index]
    origin_mm: Points

    def mm(self, places: list[Index]) -> Points:
        return np.array(places, np.float64).reshape(-1, 2) @ self.basis


def find_lattice(frame: Picture, layout: BoardLayout) -> list[PlaneMap]:
    """Plane maps that lay the layout over a lattice of ellipses in the picture, best first.

    A lattice looks the same after some turns, so a board gives several maps which only its print tells apart.

    Args:
        frame: BGR h x w x 3.
        layout: its spaces must stand on a lattice.

    Returns:
        Maps in px of the frame, good to a few px; none when no lattice of that shape is to be seen.
    """
    cell = _lattice_of(layout)
    if cell is None:
        return []
    factor = min(1.0, WORK_WIDTH / max(frame.shape[:2]))
    small = cv2.resize(frame, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else frame
    size = (small.shape[1], small.shape[0])
    blobs = _ellipses(small)
    used: set[int] = set()
    tried = 0
    grown: list[tuple[float, PlaneMap]] = []
    for seed in _seeds(blobs, cell):
        if seed[(0, 0)] in used:
            continue
        tried += 1
        if tried > MAX_SEEDS:
            break
        patch, plane = _grow(blobs, cell, seed, size)
        used.update(patch.values())
        if plane is not None:
            grown += _laid(patch, plane, cell, len(layout.spaces))
            if max((score for score, _ in grown), default=0.0) > 0.95:
                break
    best = max((score for score, _ in grown), default=0.0)
    kept = sorted((g for g in grown if g[0] > best - 0.15), key=lambda g: -g[0])
    return [plane.for_size((frame.shape[1], frame.shape[0])) for _, plane in kept]


def _lattice_of(layout: BoardLayout) -> _Cell | None:
    """The layout's lattice, or None when its spaces stand on none."""
    home = centres(layout)
    offsets = [
        (layout.spaces[n].x_mm - s.x_mm, layout.spaces[n].y_mm - s.y_mm)
        for s in layout.spaces.values()
        for n in s.neighbours
    ]
    distinct = {(round(x / 2), round(y / 2)): (x, y) for x, y in offsets}
    steps = sorted(distinct.values(), key=lambda o: math.atan2(o[1], o[0]))
    if len(steps) < 4:
        return None
    first = np.array(steps[0])
    second = next(
        (np.array(o) for o in steps[1:] if abs(first[0] * o[1] - first[1] * o[0]) > 0.5 * first @ first), None
    )
    if second is None:
        return None
    basis = np.stack([first, second])
    whole = (home - home[0]) @ np.linalg.inv(basis)
    around = np.array(steps) @ np.linalg.inv(basis)
    if max(np.abs(whole - whole.round()).max(), np.abs(around - around.round()).max()) > 0.1:
        return None
    return _Cell(
        basis,
        tuple((int(i), int(j)) for i, j in {tuple(r) for r in around.round().astype(int).tolist()}),
        frozenset((int(i), int(j)) for i, j in whole.round().astype(int)),
        home[0],
    )


def _ellipses(picture: Picture) -> Points:
    """Ellipse-like regions: n x 3 (x, y, area in px), each once."""
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    channels = [*cv2.split(picture), hsv[:, :, 1]]
    found = []
    for channel, block in itertools.product(channels, (21, 41, 81, 161)):
        mask = cv2.adaptiveThreshold(channel, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, block, -2)
        for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0]:
            if len(contour) < 20 or len(contour) > 600:
                continue
            m = cv2.moments(contour)
            area = m["m00"]
            if area < 40:
                continue
            xx, yy, xy = m["mu20"] / area, m["mu02"] / area, m["mu11"] / area
            spread = xx * yy - xy * xy
            if spread <= 0 or not 0.92 < area / (4 * math.pi * math.sqrt(spread)) < 1.04:
                continue
            root = math.sqrt((xx - yy) ** 2 + 4 * xy * xy)
            if (xx + yy - root) / (xx + yy + root) < 0.9 * FLATTEST**2:
                continue
            found.append((m["m10"] / area, m["m01"] / area, area))
    return _merged(np.array(found).reshape(-1, 3))


def _merged(found: Points) -> Points:
    """One entry for regions found many times: the median of those around the same centre and of like area."""
    left = np.ones(len(found), bool)
    out = []
    for i in np.argsort(-found[:, 2], kind="stable"):
        if not left[i]:
            continue
        near = left & (np.hypot(*(found[:, :2] - found[i, :2]).T) < 0.3 * math.sqrt(found[i, 2] / math.pi))
        near &= found[:, 2] > 0.6 * found[i, 2]
        left &= ~near
        out.append(np.median(found[near], axis=0))
    return np.array(out).reshape(-1, 3)


def _seeds(blobs: Points, cell: _Cell) -> list[dict[Index, int]]:
    """Places where an ellipse has its neighbours around it as a space has, most complete first."""
    seeds = []
    radius = np.sqrt(blobs[:, 2] / math.pi)
    for i in range(len(blobs)):
        delta = blobs[:, :2] - blobs[i, :2]
        distance = np.hypot(delta[:, 0], delta[:, 1])
        like = (np.abs(np.log(blobs[:, 2] / blobs[i, 2])) < 0.5) & (distance > 1.5 * radius[i])
        near = np.flatnonzero(like & (distance < 6 * radius[i]))
        near = near[np.argsort(distance[near])][:8]
        best: dict[Index, int] = {}
        best_miss = math.inf
        for a, b in itertools.permutations(near, 2):
            linear = np.linalg.solve(cell.basis, np.stack([delta[a], delta[b]]))
            if np.linalg.det(linear) >= 0:  # mm go up where px go down: the other sense would be a mirror's
                continue
            scales = np.linalg.svd(linear, compute_uv=False)
            if scales[1] < 0.9 * FLATTEST * scales[0]:
                continue
            want = np.array(cell.steps) @ cell.basis @ linear
            miss = np.hypot(*(delta[near][:, None] - want[None]).transpose(2, 0, 1)) / np.hypot(*want.T)
            hit = miss.min(axis=0) < 0.15
            total = float(np.minimum(miss.min(axis=0), 0.3).sum())
            if total < best_miss:
                best_miss = total
                best = {(0, 0): i} | {
                    s: int(near[k]) for s, k, h in zip(cell.steps, miss.argmin(axis=0), hit, strict=True) if h
                }
        if len(best) < len(cell.steps):  # more than one neighbour is missing
            continue
        around = blobs[list(best.values()), :2] - blobs[i, :2]
        pulled = np.linalg.lstsq(cell.mm(list(best)), around, rcond=None)[0]
        flat = np.linalg.svd(pulled, compute_uv=False)
        if flat[1] >= FLATTEST * flat[0]:
            seeds.append((best_miss, best))
    return [star for _, star in sorted(seeds, key=lambda s: s[0])]


def _grow(
    blobs: Points, cell: _Cell, seed: dict[Index, int], size: tuple[int, int]
) -> tuple[dict[Index, int], PlaneMap | None]:
    """The lattice patch that the seed belongs to, and its plane map (mm of the lattice, the seed is the origin)."""
    patch = dict(seed)
    plane = None
    for _ in range(30):
        places = list(patch)
        try:
            plane = fit_plane(cell.mm(places), blobs[[patch[p] for p in places], :2], size)
        except ValueError:
            return patch, None
        taken = set(patch.values())
        fresh = {}
        border = sorted({(i + a, j + b) for i, j in places for a, b in cell.steps} - set(places))
        for place, px in zip(border, plane.to_px(cell.mm(border)), strict=True):
            pitch = plane.px_per_mm(cell.mm([place])[0]) * math.hypot(*cell.basis[0])
            if not 0 < pitch < 1e4:
                continue
            near = np.argsort(np.hypot(*(blobs[:, :2] - px).T))[:3]
            for k in near:
                like = 0.55 < blobs[k, 2] / float(np.median(blobs[list(patch.values()), 2])) < 1.8
                if int(k) not in taken and like and math.hypot(*(blobs[k, :2] - px)) < 0.2 * pitch:
                    fresh[place] = int(k)
                    taken.add(int(k))
                    break
        if not fresh or len(patch) > 2 * len(cell.places):  # a cloth's own pattern
            break
        patch.update(fresh)
    return patch, plane


def _laid(patch: dict[Index, int], plane: PlaneMap, cell: _Cell, count: int) -> list[tuple[float, PlaneMap]]:
    """The layout laid over a grown patch in each turn of the lattice: score (1 is perfect) and plane map."""
    out = []
    for degrees in range(0, 360, 30):
        turned = cell.basis @ rotation(degrees)[:2, :2].T @ np.linalg.inv(cell.basis)
        if np.abs(turned - turned.round()).max() > 0.05:
            continue
        shape = np.array(sorted(cell.places)) @ turned.round().astype(int)
        scored = []
        for anchor, at in itertools.product(shape.tolist(), patch):
            shift = (at[0] - anchor[0], at[1] - anchor[1])
            scored.append(shift)
        for shift in set(scored):
            laid = {(int(i) + shift[0], int(j) + shift[1]) for i, j in shape}
            both = len(laid & patch.keys())
            score = (both - 0.7 * (len(patch) - both)) / count
            if score > 0.55:
                move = cell.mm([shift])[0]
                motion = rotation(degrees, *move) @ rotation(0, *-cell.origin_mm)
                out.append((score, plane.after(motion)))
    return out
