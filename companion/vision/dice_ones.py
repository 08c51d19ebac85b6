"""Ones: a single pip has no lattice, so the square body around it must show that it is a die's face."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from companion.vision.dice_faces import Face
from companion.vision.dice_look import EDGE, cut_off, distance, hull_of
from companion.vision.dice_pips import Floats, Picture, Pips, sample, to_lab

_RAYS = 32
_REACH = np.arange(1.5, 11.0, 0.2, dtype=np.float32)
"""Along each ray, in pip radii from the pip's middle."""
_LIMITS = (9.0, 15.0, 25.0, 40.0)
"""Lab distances at which a body may end: a white die on white paper by little, a die whose sides are shaded by more."""
_WAYS = np.arange(_RAYS) * (2 * np.pi / _RAYS)
_TURNS = np.arange(12) * (np.pi / 2 / 12)
_STRETCH = np.maximum(np.abs(np.cos(_WAYS - _TURNS[:, None])), np.abs(np.sin(_WAYS - _TURNS[:, None])))
"""(turns, rays) half edge of a turned square over the distance to its rim."""
_WEIGHTS = np.array([7.5, -12, -1, 0, 0, -0.5, 3, -4, -0.7, -0.5, -2, 2, -8, -40], np.float32)
_BIAS = -4.9
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
    "notched",
    "cut",
)


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
    # The blur of a small pip's rim reaches further than its size says.
    off[
        np.broadcast_to((_REACH[None] - 1) * chosen.radius[:, None] < 1.4, (len(good), len(_REACH)))[:, None].repeat(
            _RAYS, 1
        )
    ] = 0
    uneven = np.percentile(off[:, :, _REACH < 2.6].reshape(len(good), -1), 70, axis=1)
    best: dict[int, Face] = {}
    for limit in _LIMITS:
        for face in _squares(picture, chosen, good, root, _ends(off, limit), uneven):
            row = face.pips[0]
            if row not in best or face.evidence > best[row].evidence:
                best[row] = face
    return [f for f in best.values() if not _shared(f, pips)]


def _ends(off: Floats, limit: float) -> Floats:
    """(n, rays) reach at which the colour leaves the body's for two samples running; inf where it never does."""
    out = off > limit
    out = out[:, :, :-1] & out[:, :, 1:]
    return np.where(out.any(axis=2), _REACH[out.argmax(axis=2)], np.inf).astype(np.float32)


def _squares(
    picture: Picture, pips: Pips, rows: npt.NDArray[np.intp], root: Floats, ends: Floats, uneven: Floats
) -> list[Face]:
    """The square round each pip that most rays end on; a side face that looks like the top lengthens some rays."""
    halves = ends[:, None, :] * _STRETCH[None]
    half = np.sort(halves, axis=2)[:, :, _RAYS // 2]
    finite = np.where(np.isfinite(half), half, 1.0)
    agree = np.abs(np.log(halves / finite[:, :, None])) < 0.18
    fits = np.where(np.isfinite(half), agree.mean(axis=2), 0)
    turn = fits.argmax(axis=1)
    n = np.arange(len(rows))
    fit, half, stretch = fits[n, turn], finite[n, turn], _STRETCH[turn]
    # hull_of's rays start at a corner of the face, an eighth of a turn from the square's first axis.
    reach = np.minimum(ends * stretch / half[:, None], 9)
    first = np.rint((_TURNS[turn] + np.pi / 4) / (2 * np.pi) * _RAYS).astype(np.intp)
    reach = reach[n[:, None], (np.arange(_RAYS) + first[:, None]) % _RAYS].astype(np.float32)
    hull, aside = hull_of(reach)
    angle = _TURNS[turn] + np.pi / 4
    diagonals = np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], axis=1).reshape(-1, 2, 2)
    axes = ((root @ diagonals) * (half * np.sqrt(2) / EDGE)[:, None, None]).astype(np.float32)
    size = np.linalg.svd(root, compute_uv=False)
    features = np.stack(
        [
            fit,
            pips.rough,
            pips.uneven,
            uneven / 10,
            np.log(size[:, 0] / size[:, 1]),
            np.isinf(ends).mean(axis=1),
            np.log(half / 3.8),
            np.log(half / 3.8) ** 2,
            np.maximum(0, np.log(80 / pips.contrast)),
            np.maximum(0, np.log(6 / pips.radius)),
            hull,
            aside,
            (reach < 0.72).mean(axis=1),
            cut_off(picture, pips.centre, axes, reach * EDGE),
        ],
        axis=1,
    ).astype(np.float32)
    evidence = features @ _WEIGHTS + np.float32(_BIAS)
    return [
        Face(1, pips.centre[k], axes[k], (int(rows[k]),), pips.body[k], float(evidence[k]), features[k])
        for k in np.flatnonzero((half >= 2.0) & (half <= 7.5) & (fit > 0))
    ]


def _shared(face: Face, pips: Pips) -> bool:
    """Whether the face bears another pip of the same kind: then it is no one."""
    row = face.pips[0]
    at = np.linalg.solve(face.axes.astype(np.float64), (pips.centre - face.centre).T.astype(np.float64))
    like = (pips.dark == pips.dark[row]) & (np.abs(np.log(pips.radius / pips.radius[row])) < 0.6)
    like &= (pips.contrast > 0.4 * pips.contrast[row]) & (pips.rough < 0.14)
    like[row] = False
    return bool((like & (np.abs(at).sum(axis=0) < 1.4)).any())


def rows_left(pips: Pips, faces: list[Face]) -> npt.NDArray[np.intp]:
    """Pips that are no part of these faces and don't lie on one."""
    left = np.ones(len(pips), bool)
    for face in faces:
        at = np.linalg.solve(face.axes.astype(np.float64), (pips.centre - face.centre).T.astype(np.float64))
        left &= np.abs(at).sum(axis=0) > 1.4
    return np.flatnonzero(left)
