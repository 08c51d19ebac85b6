"""Ones: a single pip has no lattice, so the square body around it must show that it is a die's face."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from companion.vision.dice_faces import EDGE, Face, distance, hull_of
from companion.vision.dice_pips import Floats, Picture, Pips, sample, to_lab

_RAYS = 32
_STEP = 0.2
_REACH = np.arange(1.5, 11.0, _STEP, dtype=np.float32)
"""Along each ray, in pip radii from the pip's middle."""
_TURNS = np.arange(12) * (np.pi / 2 / 12)
_WEIGHTS = np.array([7.5, -12, 0, -0.1, 0, -0.7, 3, -3.7, -0.9, -0.4, -1.5, 2, -8], np.float32)
_BIAS = -4.6
FEATURES = (
    "fit",
    "rough",
    "uneven ring",
    "uneven face",
    "foreshortened",
    "open",
    "edge",
    "edge off",
    "faint",
    "small",
    "hull",
    "aside",
)
_WAYS = np.arange(_RAYS) * (2 * np.pi / _RAYS)


def find_ones(picture: Picture, pips: Pips, rows: npt.NDArray[np.intp]) -> list[Face]:
    """Pips in the middle of a square of one colour that ends on all sides.

    Args:
        picture: BGR uint8 h x w x 3.
        pips: of the same picture.
        rows: of the pips that may be ones.
    """
    good = rows[(pips.rough[rows] < 0.13) & (pips.uneven[rows] < 0.45) & (pips.contrast[rows] > 18)]
    if not len(good):
        return []
    chosen = pips.take(good)
    w, v = np.linalg.eigh(chosen.shape)
    root = (v * np.sqrt(w)[:, None, :]) @ v.transpose(0, 2, 1)
    unit = np.stack([np.cos(_WAYS), np.sin(_WAYS)], axis=1)
    at = (unit[:, None] * _REACH[None, :, None]).reshape(-1, 2)
    colour = to_lab(sample(picture, np.einsum("nij,kj->nki", root, at) + chosen.centre[:, None]))
    off = distance(colour, chosen.body[:, None]).reshape(len(good), _RAYS, len(_REACH))
    near = off[:, :, _REACH < 2.6]
    uneven = np.percentile(near.reshape(len(good), -1), 70, axis=1)
    ends = _ends(off, np.clip(3 * uneven, 10, 30))
    ones = [f for k, row in enumerate(good) if (f := _one(chosen, k, int(row), root[k], ends[k], float(uneven[k])))]
    return [f for f in ones if not _shared(f, pips)]


def _shared(face: Face, pips: Pips) -> bool:
    """Whether the face bears another pip of the same kind: then it is no one."""
    row = face.pips[0]
    at = np.linalg.solve(face.axes.astype(np.float64), (pips.centre - face.centre).T.astype(np.float64))
    like = (pips.dark == pips.dark[row]) & (np.abs(np.log(pips.radius / pips.radius[row])) < 0.6)
    like &= (pips.contrast > 0.4 * pips.contrast[row]) & (pips.rough < 0.14)
    like[row] = False
    return bool((like & (np.abs(at).sum(axis=0) < 1.4)).any())


def _ends(off: Floats, limit: Floats) -> Floats:
    """(n, rays) reach at which the colour leaves the body's for two samples running; inf where it never does."""
    out = off > limit[:, None, None]
    out = out[:, :, :-1] & out[:, :, 1:]
    return np.where(out.any(axis=2), _REACH[out.argmax(axis=2)], np.inf).astype(np.float32)


def _one(pips: Pips, k: int, row: int, root: Floats, ends: Floats, uneven: float) -> Face | None:
    half, turn, fit = _square(ends)
    if not 2.0 <= half <= 7.5:
        return None
    turning = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    # The half diagonals of the face lie at 45 degrees to its sides.
    diagonal = turning @ np.array([[1, -1], [1, 1]]) / np.sqrt(2)
    axes = (root @ diagonal) * (half * np.sqrt(2) / EDGE)
    size = np.linalg.svd(root, compute_uv=False)
    features = np.array(
        [
            fit,
            float(pips.rough[k]),
            float(pips.uneven[k]),
            uneven / 10,
            np.log(size[0] / size[1]),
            float(np.isinf(ends).mean()),
            np.log(half / 3.8),
            np.log(half / 3.8) ** 2,
            np.maximum(0, np.log(80 / pips.contrast[k])),
            np.maximum(0, np.log(6 / pips.radius[k])),
            *_outline(ends, half, turn),
            _notched(ends, half, turn),
        ],
        np.float32,
    )
    evidence = float(features @ _WEIGHTS) + _BIAS
    return Face(1, pips.centre[k], axes.astype(np.float32), (row,), pips.body[k], evidence, features)


def _outline(ends: Floats, half: float, turn: float) -> tuple[float, float]:
    """Size and offset of the body round the pip, as hull_of measures them."""
    # hull_of's rays start at a corner of the face; here they start along the pip's own first axis.
    angle = _WAYS - turn - np.pi / 4
    edge = half / np.maximum(np.abs(np.cos(_WAYS - turn)), np.abs(np.sin(_WAYS - turn)))
    regular = np.interp(
        _WAYS, np.sort(angle % (2 * np.pi)), (ends / edge)[np.argsort(angle % (2 * np.pi))], period=2 * np.pi
    )
    hull, aside = hull_of(np.minimum(regular, 9)[None].astype(np.float32))
    return float(hull[0]), float(aside[0])


def _notched(ends: Floats, half: float, turn: float) -> float:
    """Share of rays that end well inside the square: something else is on the face."""
    edge = half / np.maximum(np.abs(np.cos(_WAYS - turn)), np.abs(np.sin(_WAYS - turn)))
    return float((ends < 0.72 * edge).mean())


def _square(ends: Floats) -> tuple[float, float, float]:
    """The square round the origin that most rays end on: half edge, turn in radians, share of rays that agree.

    A side face that looks like the top lengthens some rays, so the half edge is a low quantile, not a mean.
    """
    best = (0.0, 0.0, 0.0)
    for turn in _TURNS:
        angle = _WAYS - turn
        stretch = 1 / np.maximum(np.abs(np.cos(angle)), np.abs(np.sin(angle)))
        halves = ends / stretch
        half = float(np.median(halves))
        if not np.isfinite(half):
            continue
        fit = float((np.abs(np.log(np.maximum(halves, 1e-3) / half)) < 0.18).mean())
        if fit > best[2]:
            best = (half, float(turn), fit)
    return best


def rows_left(pips: Pips, faces: list[Face]) -> npt.NDArray[np.intp]:
    """Pips that are no part of these faces and don't lie on one."""
    left = np.ones(len(pips), bool)
    for face in faces:
        at = np.linalg.solve(face.axes.astype(np.float64), (pips.centre - face.centre).T.astype(np.float64))
        left &= np.abs(at).sum(axis=0) > 1.4
    return np.flatnonzero(left)
