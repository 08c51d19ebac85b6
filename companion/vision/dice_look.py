"""What the picture shows on and around a supposed face: the body's colour, its edges, its outline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from companion.vision.dice_pips import Floats, Picture, Pips, sample, to_lab

EDGE = 1.8
"""``|x| + |y|`` at a face's edge; dice measured in photographs have 1.6 to 2.1."""

NODES = np.array(
    [[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0], [0.5, 0.5], [-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]], np.float32
)
"""The nine places of pips: corners, middle, sides; see dice_faces.py for the coordinates."""
_BODY = np.array(
    [[0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5]]
    + [[sx * a, sy * b] for a, b in ((0.78, 0.28), (0.28, 0.78), (0.26, 0.26)) for sx in (1, -1) for sy in (1, -1)],
    np.float32,
)
"""Places on a face between all nine places of pips: only the body's colour is seen there."""

_RAYS = 24
_REACH = np.arange(1.4, 4.3, 0.12, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Look:
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


def look_at(
    picture: Picture, pips: Pips, place: npt.NDArray[np.intp], seen: npt.NDArray[np.bool_], middle: Floats, axes: Floats
) -> Look:
    """Look at n supposed faces.

    Args:
        picture: BGR uint8 h x w x 3.
        pips: all that were found.
        place: n x 9, the pip at each of the nine places, where there is one.
        seen: n x 9, whether there is.
        middle: n x 2, px.
        axes: n x 2 x 2, from the face's coordinates to px.
    """

    def on_face(where: Floats) -> Floats:
        return to_lab(sample(picture, np.einsum("nij,kj->nki", axes, where) + middle[:, None]))

    between, nodes = on_face(_BODY), on_face(NODES)
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
    return Look(body, uneven, seam, blot, fit, edge, (ends > 4.3).mean(axis=1), hull, aside, cut)


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
