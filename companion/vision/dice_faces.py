"""Faces: pips that lie on the corners, the middle and the sides of one square seen under some angle.

Every value from 2 to 6 has two pips at the ends of a diagonal. So each pair of like pips is tried as a diagonal; the
pips' ellipse tells how the square is foreshortened, and the other seven places are looked at.

Coordinates on a face ("diamond"): the middle is (0, 0), the corner pips are (±1, 0) and (0, ±1), pips between two
corners (±½, ±½). The face itself ends where ``|x| + |y|`` is about 1.8.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.dice_evidence import bound, features_of, weigh
from companion.vision.dice_look import EDGE, NODES, look_at
from companion.vision.dice_pips import Floats, Picture, Pips

LEAST = -1.5
"""Evidence below which a face is not even a candidate: what other dice of the picture add is at most as much."""
_BEYOND = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]], np.float32)
"""Where a printed lattice goes on beyond the face: the backs of cards are full of fives."""
_ENDS = [np.array([np.cos(a), np.sin(a)], np.float32) for a in np.radians((90.0, 64.0, 116.0))]
"""Where a second diagonal may end: in a square, and in sixes whose rows of three stand close together."""
_PATTERNS = {
    (1, 1, 0, 0, 0, 0, 0, 0, 0): 2,
    (1, 1, 0, 0, 1, 0, 0, 0, 0): 3,
    (1, 1, 1, 1, 0, 0, 0, 0, 0): 4,
    (1, 1, 1, 1, 1, 0, 0, 0, 0): 5,
    (1, 1, 1, 1, 0, 1, 1, 0, 0): 6,
    (1, 1, 1, 1, 0, 0, 0, 1, 1): 6,
}
_VALUE_OF = np.zeros(512, np.int64)
for _bits, _value in _PATTERNS.items():
    _VALUE_OF[sum(b << k for k, b in enumerate(_bits))] = _value


@dataclass(frozen=True, slots=True)
class Face:
    """One supposed face of a die.

    Args:
        value: 1 to 6.
        centre: (2,) px.
        axes: (2, 2) px, columns are the two half diagonals between corner pips.
        pips: rows of the pips on it.
        body: (3,) Lab of the face between the pips.
        evidence: how much speaks for a face (higher is better), about log-odds.
        features: what the evidence was weighed from.
    """

    value: int
    centre: Floats
    axes: Floats
    pips: tuple[int, ...]
    body: Floats
    evidence: float
    features: Floats

    @property
    def area(self) -> float:
        """Px² of the face's parallelogram."""
        return float(abs(np.linalg.det(self.axes)) * 2 * EDGE * EDGE)

    @property
    def edge(self) -> float:
        """Px, the side of the square of equal area."""
        return float(np.sqrt(self.area))

    def corners(self, size: float = EDGE) -> Floats:
        """(4, 2) px, the face's corners."""
        u, v = self.axes[:, 0], self.axes[:, 1]
        return np.stack([self.centre + size * d for d in (u, v, -u, -v)]).astype(np.float32)

    def holds(self, point: npt.NDArray[np.floating], size: float = EDGE) -> bool:
        """Whether the px position lies on the face."""
        try:
            x, y = np.linalg.solve(self.axes, point - self.centre)
        except np.linalg.LinAlgError:
            return False
        return bool(abs(x) + abs(y) <= size)


def find_faces(picture: Picture, pips: Pips, *, neighbours: int = 22) -> list[Face]:
    """All faces of 2 to 6 that some pips could form, before any choice between them.

    Args:
        picture: BGR uint8 h x w x 3.
        pips: of the same picture.
        neighbours: how many nearest like pips of a pip are looked at.
    """
    faces: list[Face] = []
    for dark in (True, False):
        rows = np.flatnonzero(pips.dark == dark)
        if len(rows) >= 2:
            faces += _faces_of(picture, pips.take(rows), rows, neighbours)
    return faces


def _faces_of(picture: Picture, pips: Pips, rows: npt.NDArray[np.intp], neighbours: int) -> list[Face]:
    near = _neighbours(pips, neighbours)
    i = np.repeat(np.arange(len(pips)), near.shape[1])
    j = near.reshape(-1)
    fine = (j >= 0) & (i < j)
    i, j = i[fine], j[fine]
    shape = (pips.shape[i] + pips.shape[j]) / 2
    w, v = np.linalg.eigh(shape)
    root = (v * np.sqrt(w)[:, None, :]) @ v.transpose(0, 2, 1)
    back = (v / np.sqrt(w)[:, None, :]) @ v.transpose(0, 2, 1)
    half = (pips.centre[j] - pips.centre[i]) / 2
    flat = np.einsum("nij,nj->ni", back, half)
    length = np.linalg.norm(flat, axis=1)
    fine = (length > 2.2) & (length < 7.6)
    i, j, half, flat, root = i[fine], j[fine], half[fine], flat[fine], root[fine]
    turned = np.stack([-flat[:, 1], flat[:, 0]], axis=1)
    axes = np.stack([half, np.einsum("nij,nj->ni", root, turned)], axis=2)
    middle = (pips.centre[i] + pips.centre[j]) / 2
    place, seen, stray, crowd, axes = _occupancy(pips, near, i, j, middle, axes)
    bits = (seen.astype(np.int64) << np.arange(9)).sum(axis=1)
    value = _VALUE_OF[bits]
    good = np.flatnonzero((value > 0) & (stray == 0))
    if not len(good):
        return []
    value, place, seen, crowd = value[good], place[good], seen[good], crowd[good]
    middle, axes = middle[good], axes[good]
    middle, axes, misfit = _refit(pips, place, seen, value, middle, axes)
    worth = bound(pips, value, place, seen, misfit, crowd) > LEAST
    value, place, seen, crowd = value[worth], place[worth], seen[worth], crowd[worth]
    middle, axes, misfit = middle[worth], axes[worth], misfit[worth]
    if not len(value):
        return []
    look = look_at(picture, pips, place, seen, middle, axes)
    features = features_of(pips, value, place, seen, axes, misfit, crowd, look)
    evidence = weigh(features, value)
    axes = _squared(pips, value, place, seen, axes)
    return [
        Face(
            int(value[k]),
            middle[k],
            axes[k],
            tuple(int(r) for r in rows[place[k][seen[k]]]),
            look.body[k],
            float(evidence[k]),
            features[k],
        )
        for k in np.flatnonzero(evidence > LEAST)
    ]


def _neighbours(pips: Pips, count: int) -> npt.NDArray[np.intp]:
    """(n, count) rows of the nearest like pips, -1 where there are fewer."""
    n = len(pips)
    r = pips.radius
    gap = np.linalg.norm(pips.centre[:, None] - pips.centre[None], axis=2)
    like = (r[:, None] < 1.55 * r[None]) & (r[None] < 1.55 * r[:, None])
    like &= gap < 14.5 * np.sqrt(r[:, None] * r[None])
    c = pips.contrast
    like &= (c[:, None] < 3 * c[None]) & (c[None] < 3 * c[:, None])
    shade = np.abs(pips.body[:, None] - pips.body[None])
    like &= (shade[:, :, 0] < 60) & (shade[:, :, 1] + shade[:, :, 2] < 45)
    np.fill_diagonal(like, False)
    gap = np.where(like, gap, np.inf)
    order = np.argsort(gap, axis=1, kind="stable")[:, : min(count, n)]
    return np.where(np.isfinite(np.take_along_axis(gap, order, axis=1)), order, -1)


def _occupancy(
    pips: Pips,
    near: npt.NDArray[np.intp],
    i: npt.NDArray[np.intp],
    j: npt.NDArray[np.intp],
    middle: Floats,
    axes: Floats,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_], npt.NDArray[np.intp], npt.NDArray[np.intp], Floats]:
    """Which pip sits at which of the nine places (-1: none), how many sit beside them on the
    face and on its rim (a printed pattern goes on there), and the axes as then known."""
    k = near[i]
    away = pips.centre[k] - middle[:, None]
    # The other diagonal is known from the pips' ellipse alone, and a six may be narrower than a square: look wide, at
    # three angles between the diagonals, then trust the two pips found opposite each other.
    at = np.einsum("nij,nkj->nki", np.linalg.inv(axes), away)
    tip = np.full(len(i), np.inf)
    across = axes[:, :, 1]
    for end in _ENDS:
        ends = []
        for side in (end, -end):
            gap = np.where(k < 0, np.inf, np.linalg.norm(at - side, axis=2))
            best = gap.argmin(axis=1)[:, None]
            there = np.take_along_axis(away, best[:, :, None], axis=1)[:, 0]
            ends.append((np.take_along_axis(gap, best, axis=1)[:, 0], there))
        lean = np.linalg.norm(np.linalg.solve(axes, (ends[0][1] + ends[1][1])[:, :, None]), axis=(1, 2))
        off = np.maximum(ends[0][0], ends[1][0])
        better = (off < np.minimum(tip, 0.42)) & (lean < 0.3)
        tip = np.where(better, off, tip)
        across = np.where(better[:, None], (ends[0][1] - ends[1][1]) / 2, across)
    both = np.isfinite(tip)
    axes = np.where(both[:, None, None], np.stack([axes[:, :, 0], across], axis=2), axes)
    at = np.einsum("nij,nkj->nki", np.linalg.inv(axes), away)
    gap = np.linalg.norm(at[:, None] - NODES[None, :, None], axis=3)
    gap = np.where((k < 0)[:, None], np.inf, gap)
    best = gap.argmin(axis=2)
    seen = np.take_along_axis(gap, best[:, :, None], axis=2)[:, :, 0] < 0.24
    place = np.where(seen, np.take_along_axis(k, best, axis=1), -1)
    place[:, 0], seen[:, 0] = j, True
    place[:, 1], seen[:, 1] = i, True
    depth = np.where(k >= 0, np.abs(at).sum(axis=2), np.inf)
    used = (k[:, :, None] == place[:, None, :]).any(axis=2)
    stray = ((depth < 1.3) & ~used).sum(axis=1)
    crowd = ((depth >= 1.3) & (depth < 1.75) & ~used).sum(axis=1)
    beyond = np.linalg.norm(at[:, None] - _BEYOND[None, :, None], axis=3) < 0.2
    crowd = crowd + 3 * ((beyond & (k >= 0)[:, None]).any(axis=2).sum(axis=1) >= 2)
    return place, seen, stray, crowd, axes


def _refit(
    pips: Pips,
    place: npt.NDArray[np.intp],
    seen: npt.NDArray[np.bool_],
    value: npt.NDArray[np.intp],
    middle: Floats,
    axes: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Fits middle and axes to all pips of a face by least squares; misfit in units of the half diagonal."""
    at = pips.centre[np.maximum(place, 0)]
    weight = seen.astype(np.float64)
    design = np.concatenate([NODES, np.ones((9, 1))], axis=1)
    normal = np.einsum("nk,ki,kj->nij", weight, design, design)
    flatfaces = value < 4
    normal[flatfaces] += 1e-3 * np.eye(3)
    right = np.einsum("nk,ki,nkj->nij", weight, design, at)
    fitted = np.linalg.solve(normal, right)
    new_axes = np.where(flatfaces[:, None, None], axes, fitted[:, :2].transpose(0, 2, 1))
    new_middle = np.where(flatfaces[:, None], middle, fitted[:, 2])
    guess = np.einsum("nij,kj->nki", new_axes, NODES) + new_middle[:, None]
    off = np.linalg.norm(guess - at, axis=2)
    size = np.sqrt(np.abs(np.linalg.det(new_axes))) + 1e-6
    misfit = np.sqrt((off**2 * weight).sum(axis=1) / weight.sum(axis=1)) / size
    return new_middle.astype(np.float32), new_axes.astype(np.float32), misfit.astype(np.float32)


def _squared(
    pips: Pips, value: npt.NDArray[np.intp], place: npt.NDArray[np.intp], seen: npt.NDArray[np.bool_], axes: Floats
) -> Floats:
    """The axes with the two rows of each six set apart until they span a square: the face is one, its pips may not."""
    out = axes.copy()
    for k in np.flatnonzero(value == 6):
        w, v = np.linalg.eigh(pips.shape[place[k][seen[k]]].mean(axis=0))
        back = (v / np.sqrt(w)) @ v.T
        plus, minus = axes[k] @ (1, 1), axes[k] @ (1, -1)
        row, gap = (minus, plus) if seen[k, 5] else (plus, minus)
        wide = float(np.linalg.norm(back @ row) / max(float(np.linalg.norm(back @ gap)), 1e-6))
        gap = gap * max(1.0, min(wide, 2.0))
        out[k] = np.stack([row + gap, (row - gap) if not seen[k, 5] else (gap - row)], axis=1) / 2
    return out


def box_of(points: Floats, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The upright box x, y, w, h in px round (n, 2) points, cut at a picture of this width and height."""
    low = np.clip(np.floor(points.min(axis=0)), 0, np.array(size) - 1)
    high = np.clip(np.ceil(points.max(axis=0)), 1, np.array(size))
    w, h = np.maximum(high - low, 1)
    return int(low[0]), int(low[1]), int(w), int(h)


def overlap(a: Face, b: Face) -> float:
    """Common area of two faces as a share of the smaller."""
    common, _ = cv2.intersectConvexConvex(a.corners(), b.corners())
    return float(common / max(min(a.area, b.area), 1e-6))
