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

from companion.vision.dice_pips import Floats, Picture, Pips, sample, to_lab

EDGE = 1.8
"""``|x| + |y|`` at a face's edge; dice measured in photographs have 1.6 to 2.1."""

LEAST = -1.5
"""Evidence below which a face is not even a candidate: what other dice of the picture add is at most as much."""
_NODES = np.array(
    [[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0], [0.5, 0.5], [-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]], np.float32
)
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

_BODY = np.array(
    [[0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5]]
    + [[sx * a, sy * b] for a, b in ((0.78, 0.28), (0.28, 0.78), (0.26, 0.26)) for sx in (1, -1) for sy in (1, -1)],
    np.float32,
)
"""Places on a face between all nine places of pips: only the body's colour is seen there."""

_RAYS = 24
_REACH = np.arange(1.4, 4.3, 0.12, dtype=np.float32)


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
    worth = _bound(pips, value, place, seen, misfit, crowd) > LEAST
    value, place, seen, crowd = value[worth], place[worth], seen[worth], crowd[worth]
    middle, axes, misfit = middle[worth], axes[worth], misfit[worth]
    if not len(value):
        return []
    look = _look(picture, pips, place, seen, middle, axes)
    features = _features(pips, value, place, seen, axes, misfit, crowd, look)
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
    gap = np.linalg.norm(at[:, None] - _NODES[None, :, None], axis=3)
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
    design = np.concatenate([_NODES, np.ones((9, 1))], axis=1)
    normal = np.einsum("nk,ki,kj->nij", weight, design, design)
    flatfaces = value < 4
    normal[flatfaces] += 1e-3 * np.eye(3)
    right = np.einsum("nk,ki,nkj->nij", weight, design, at)
    fitted = np.linalg.solve(normal, right)
    new_axes = np.where(flatfaces[:, None, None], axes, fitted[:, :2].transpose(0, 2, 1))
    new_middle = np.where(flatfaces[:, None], middle, fitted[:, 2])
    guess = np.einsum("nij,kj->nki", new_axes, _NODES) + new_middle[:, None]
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


@dataclass(frozen=True, slots=True)
class _Look:
    """What the picture shows on and around each supposed face."""

    body: Floats
    uneven: Floats
    seam: Floats
    blot: Floats
    fit: Floats
    edge: Floats
    open: Floats
    hull: Floats
    aside: Floats
    cut: Floats


def _look(
    picture: Picture, pips: Pips, place: npt.NDArray[np.intp], seen: npt.NDArray[np.bool_], middle: Floats, axes: Floats
) -> _Look:
    def on_face(where: Floats) -> Floats:
        return to_lab(sample(picture, np.einsum("nij,kj->nki", axes, where) + middle[:, None]))

    between, nodes = on_face(_BODY), on_face(_NODES)
    body = np.median(between, axis=1)
    uneven = np.percentile(distance(between, body[:, None]), 75, axis=1)
    spot = distance(nodes, body[:, None])
    pip = np.array([np.median(s[m]) for s, m in zip(spot, seen, strict=True)])
    seam = np.sort(distance(between, body[:, None]), axis=1)[:, -3:].mean(axis=1) / np.maximum(pip, 1)
    # A place counts as blotted when it differs from the body as pips do, in the direction of the pips.
    towards = np.sign((nodes - body[:, None])[:, :, 0]) == np.where(pips.dark[:1], -1, 1)[:, None]
    blot = np.where(seen | ~towards, 0, spot).max(axis=1) / np.maximum(pip, 1)
    ends = walls(picture, middle, axes, body, np.clip(2 * uneven, 8, 25))
    edge = np.median(ends, axis=1)
    fit = _agreement(ends)
    hull, aside = hull_of(ends / EDGE)
    cut = cut_off(picture, middle, axes, ends)
    return _Look(body, uneven, seam, blot, fit, edge, (ends > 4.3).mean(axis=1), hull, aside, cut)


def walls(picture: Picture, middle: Floats, axes: Floats, body: Floats, limit: Floats) -> Floats:
    """Follows rays over the face's edge until the colour leaves the body's.

    A white die on white paper ends by little, one with shaded sides by more: of several limits the one counts whose
    outline is most like the face's square.

    Args:
        picture: BGR uint8 h x w x 3.
        middle: (n, 2) px.
        axes: (n, 2, 2) px.
        body: (n, 3) Lab.
        limit: (n,) least Lab distance at which the body may have ended.

    Returns:
        (n, rays) where on the diamond's scale each ray ends; 9 where it does not.
    """
    at = (_ways(_RAYS)[:, None] * _REACH[None, :, None]).reshape(-1, 2)
    colour = to_lab(sample(picture, np.einsum("nij,kj->nki", axes, at) + middle[:, None]))
    off = distance(colour, body[:, None]).reshape(len(middle), _RAYS, len(_REACH))
    best = np.full((len(middle), _RAYS), 9, np.float32)
    for times in (1.0, 1.7, 3.0):
        out = off > (limit * times)[:, None, None]
        ends = np.append(_REACH, np.float32(9))[np.where(out.any(axis=2), out.argmax(axis=2), len(_REACH))]
        best = np.where((_agreement(ends) > _agreement(best) + 0.01)[:, None], ends, best)
    return best


def _agreement(ends: Floats) -> Floats:
    """(n,) share of rays that end near the median of all, where a die can end at all."""
    edge = np.median(ends, axis=1)
    near = (np.abs(np.log(ends / edge[:, None])) < 0.2) & (ends < 4.2)
    return np.asarray(near.mean(axis=1), np.float32)


def _ways(rays: int) -> Floats:
    """(rays, 2) directions round the diamond, to where ``|x| + |y|`` is 1; the first is the first half diagonal."""
    turn = np.arange(rays) * (2 * np.pi / rays)
    way = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return np.asarray(way / np.abs(way).sum(axis=1, keepdims=True), np.float32)


def cut_off(picture: Picture, middle: Floats, axes: Floats, ends: Floats) -> Floats:
    """(n,) share of rays that reach the picture's frame before the body ends: pips may be missing from such a face.

    Args:
        picture: BGR uint8 h x w x 3.
        middle: (n, 2) px.
        axes: (n, 2, 2) px.
        ends: (n, rays) as from ``walls``.
    """
    at = _ways(ends.shape[1]) * np.minimum(ends, 1.2 * EDGE)[:, :, None]
    px = np.einsum("nij,nrj->nri", axes, at) + middle[:, None]
    h, w = picture.shape[:2]
    return np.asarray(((px < 0) | (px > (w - 1, h - 1))).any(axis=2).mean(axis=1), np.float32)


def hull_of(ends: Floats) -> tuple[Floats, Floats]:
    """Size of what lies within the rays' ends, and how far its middle is from the rays' origin, in half edges.

    A top face fills most of a die's outline; a side face lies at its rim.

    Args:
        ends: (n, rays) on the scale where the face's edge is at 1 in L1 norm.
    """
    corner = _ways(ends.shape[1]) * np.minimum(ends, 2.4)[:, :, None]
    after = np.roll(corner, -1, axis=1)
    slab = (corner[:, :, 0] * after[:, :, 1] - corner[:, :, 1] * after[:, :, 0]) / 2
    area = slab.sum(axis=1)
    middle = ((corner + after) / 3 * slab[:, :, None]).sum(axis=1) / np.maximum(area, 1e-6)[:, None]
    return np.log(np.sqrt(np.maximum(area, 1e-6) / 2)).astype(np.float32), np.linalg.norm(middle, axis=1).astype(
        np.float32
    )


def distance(a: Floats, b: Floats) -> Floats:
    """Difference of Lab colours; lightness counts half, for one body is lit unevenly."""
    d = a - b
    return np.asarray(np.sqrt((0.5 * d[..., 0]) ** 2 + d[..., 1] ** 2 + d[..., 2] ** 2), np.float32)


_MANY = [-23.0, 0, 0, -41, -5, 0, 3, 1, 0, -3, -3, -2.8, -1.4, -3, -6, 1, -1.5, -2.5, -1.8, 2, -1.4, -40, -4]
_WEIGHTS = {
    2: [0.0, 0, 0, -23, 0, -0.3, 4.7, 1, 0, -4.5, -1.5, 0, -0.9, 0, 0, 0, -1, -0.7, 0.5, 0.5, -0.5, -40, -2],
    3: [-9.0, 0, 0, -22, -2, -0.3, 5, 0.5, 0, -1.5, -1.5, -3.3, -0.3, -3, 0, -0.7, -1.1, -1.5, 0, 1.5, -0.4, -40, -2],
    4: _MANY,
    5: _MANY,
    6: _MANY,
}
_BIAS = {2: -1.2, 3: 0.4, 4: 4.0, 5: 4.6, 6: 5.0}
"""A logistic regression's weights on labelled photographs and renders, rounded; those whose sign made no sense are 0.
What photographs lack (frames that cut, printed patterns, gaps between dice) is weighed by hand: blot, crowd, cut."""
FEATURES = (
    "misfit",
    "radius spread",
    "contrast spread",
    "rough",
    "uneven ring",
    "uneven face",
    "square",
    "edge",
    "edge off",
    "open",
    "blot",
    "skew",
    "pitch",
    "pitch off",
    "foreshortened",
    "small",
    "faint",
    "crowd",
    "hull",
    "aside",
    "seam",
    "cut",
    "ragged",
)
_TABLE = np.array([_WEIGHTS.get(v, [0.0] * len(FEATURES)) for v in range(7)], np.float32)
_BIASES = np.array([_BIAS.get(v, 0.0) for v in range(7)], np.float32)
_BEST_LOOK = 6.0
"""The most that the look of a face adds: square, aside and the like."""


def _features(
    pips: Pips,
    value: npt.NDArray[np.intp],
    place: npt.NDArray[np.intp],
    seen: npt.NDArray[np.bool_],
    axes: Floats,
    misfit: Floats,
    crowd: npt.NDArray[np.intp],
    look: _Look,
) -> Floats:
    """(n, 23) what speaks for and against each face, in the order of FEATURES."""
    count = seen.sum(axis=1)

    def mean(values: Floats) -> Floats:
        return np.asarray((np.where(seen, values[place], 0)).sum(axis=1) / count, np.float32)

    def spread(values: Floats) -> Floats:
        middle = mean(values)
        square = (np.where(seen, values[place] - middle[:, None], 0) ** 2).sum(axis=1) / count
        return np.asarray(np.sqrt(square) / middle, np.float32)

    shape = np.where(seen[:, :, None, None], pips.shape[place], 0).sum(axis=1) / count[:, None, None]
    w, v = np.linalg.eigh(shape)
    back = (v / np.sqrt(w)[:, None, :]) @ v.transpose(0, 2, 1)
    flat = np.linalg.svd(back @ axes, compute_uv=False)
    size = np.linalg.svd(axes, compute_uv=False)
    skew = np.log(flat[:, 0] / np.maximum(flat[:, 1], 1e-6))
    # The three rows of a six may stand closer than a square's: 0.6 of its width occurs.
    skew = np.where(value == 6, np.maximum(0, skew - 0.45), skew)
    pitch = np.log(np.sqrt(flat[:, 0] * flat[:, 1]) / 4.2)
    columns = (
        misfit,
        spread(pips.radius),
        spread(pips.contrast),
        mean(pips.rough),
        mean(pips.uneven),
        np.maximum(0, look.uneven / 10 - 1),
        look.fit,
        np.log(look.edge / EDGE),
        np.log(look.edge / EDGE) ** 2,
        look.open,
        np.maximum(0, look.blot - 0.3),
        skew,
        pitch,
        pitch**2,
        np.maximum(0, np.log(size[:, 0] / np.maximum(size[:, 1], 1e-6)) - 0.3),
        np.maximum(0, np.log(6 / mean(pips.radius))),
        np.maximum(0, np.log(80 / mean(pips.contrast))),
        np.minimum(crowd, 4),
        look.hull,
        look.aside,
        np.maximum(0, look.seam - 0.2),
        look.cut,
        np.maximum(0, 0.35 - look.fit),
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _bound(
    pips: Pips,
    value: npt.NDArray[np.intp],
    place: npt.NDArray[np.intp],
    seen: npt.NDArray[np.bool_],
    misfit: Floats,
    crowd: npt.NDArray[np.intp],
) -> Floats:
    """(n,) more evidence than the pips alone leave possible; looking at the picture is dear, so most end here."""
    count = seen.sum(axis=1)
    rough, uneven = (np.where(seen, v[place], 0).sum(axis=1) / count for v in (pips.rough, pips.uneven))
    known = np.stack([misfit, rough, uneven, np.minimum(crowd, 4)], axis=1)
    column = [FEATURES.index(name) for name in ("misfit", "rough", "uneven ring", "crowd")]
    return np.asarray((known * _TABLE[value][:, column]).sum(axis=1) + _BIASES[value] + _BEST_LOOK, np.float32)


def weigh(features: Floats, value: npt.NDArray[np.intp]) -> Floats:
    """(n,) evidence, about log-odds, that each face is one."""
    return np.asarray((features * _TABLE[value]).sum(axis=1) + _BIASES[value], np.float32)


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
