"""Evidence for a face: what was measured on it, weighed as on the faces of photographs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from companion.vision.dice_look import EDGE, Look
from companion.vision.dice_pips import Floats, Pips

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


def features_of(
    pips: Pips,
    value: npt.NDArray[np.intp],
    place: npt.NDArray[np.intp],
    seen: npt.NDArray[np.bool_],
    axes: Floats,
    misfit: Floats,
    crowd: npt.NDArray[np.intp],
    look: Look,
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


def bound(
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
