"""Chooses at an enrolment how tops are looked at: as it tells the enrolled faces apart best."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from companion.vision.symbols_find import F32, F64
from companion.vision.symbols_match import BESIDE, EDGE, TURNS, Faces, Lens, enrol_faces, kept
from companion.vision.symbols_scenes import Shown

_SPREAD = 0.15
"""Added to the spread of leads: less can't be measured with a dozen dice."""
_ALIKE = 1.0  # what likeness counts beside it: two names for one artwork must not make an odd lens
_OWN = 0.85  # two dice of one face fit by 0.75 to 0.95
_FARTHEST = 6.5  # px from a box's middle to its top's: the camera 45 degrees off the vertical
_OBLONG = 0.4  # a px by which dice's boxes are of another shape than the lean would give them
_COARSE, _FINE = 3.0, 1.5
_BETTER = 0.1  # that pulling highlights apart must bring: without need it lifts nothing but noise


def choose_lens(shown: Sequence[Shown]) -> Lens:
    """The lens by which enrolled dice look more like others of their face than like any other face.

    Straight down and plain if no face is shown twice.
    """
    best = [_best_lean(shown, wide, stretched) for stretched, wide in itertools.product((False, True), (True, False))]
    return max(best, key=lambda found: found[0] - _BETTER * found[1].stretched)[1]


def _best_lean(shown: Sequence[Shown], wide: bool, stretched: bool) -> tuple[float, Lens]:
    """Of all leans the best, searched coarsely, then finely around the best; with how good it is."""
    flattened = [Lens(0.0, 0.0, wide, stretched).flattened(s.picture) for s in shown]
    oblong = float(np.concatenate([s.sizes[:, 1] - s.sizes[:, 0] for s in shown]).mean())
    worth: dict[Lens, float] = {}
    around, reach, step = (0.0, 0.0), 2 * _COARSE, _COARSE
    for reach, step in ((2 * _COARSE, _COARSE), (_FINE, _FINE)):
        for dx, dy in itertools.product(np.arange(-reach, reach + step / 2, step), repeat=2):
            lens = Lens(around[0] + float(dx), around[1] + float(dy), wide, stretched)
            if lens not in worth and np.hypot(lens.x, lens.y) <= _FARTHEST:
                faces = enrol_faces(shown, flattened, lens)
                told = _worth(own_and_other(shown, flattened, faces, lens), faces.owner[::TURNS])
                worth[lens] = told - _OBLONG * max(0.0, abs(oblong - _oblong(lens)) - _FINE)
        best = max(worth, key=lambda lens: worth[lens])
        around = (best.x, best.y)
    return worth[best], best


def _oblong(lens: Lens) -> float:
    """By how much boxes are higher than wide, in px, on average over all turns: a side is seen, a top shrinks."""
    far = max(float(np.hypot(lens.x, lens.y)), 1e-9)
    sine = min(2 * far / EDGE, 0.85)
    across, down = abs(lens.x) / far, abs(lens.y) / far
    return float(EDGE * (sine * (down - across) - 4 / np.pi * (1 - np.sqrt(1 - sine**2)) * (down**2 - across**2)))


def _worth(fits: F64, owner: npt.NDArray[np.intp]) -> float:
    """How well dice are told apart: by their leads over other faces, against the spread of these leads.

    Over the middle one of the others: a lens that tells the most alike faces of a few dice apart does so by luck.
    """
    rows = np.arange(len(fits))
    own, others = fits[rows, owner], fits.copy()
    others[rows, owner] = np.nan
    known = np.isfinite(own)
    if not known.any() or fits.shape[1] < 2:
        return 0.0
    leads = (own - np.nanmedian(others, axis=1))[known]
    return float(leads.mean() / (leads.std() + _SPREAD) + _ALIKE * own[known].mean())


def own_and_other(shown: Sequence[Shown], flattened: Sequence[F32], faces: Faces, lens: Lens) -> F64:
    """How alike each enrolled die is to others: dice x values, the best fit of each face, without the die itself.

    NaN where no other die shows the face.
    """
    fits = []
    for s, flat, chosen in zip(shown, flattened, kept(shown), strict=True):
        if chosen:
            fits.append(faces.alike(flat, s.middles[chosen], lens, BESIDE)[0])
    fit = np.concatenate(fits).astype(np.float64)
    fit[np.arange(len(fit))[:, None] == faces.die[None]] = -np.inf
    best = np.stack([fit[:, faces.owner == k].max(axis=1) for k in range(len(faces.values))], 1)
    return np.where(np.isfinite(best), best, np.nan)


def measure_leads(fits: F64, owner: npt.NDArray[np.intp]) -> F64:
    """By how much what looks like an enrolled die looks more like its face than like each other: dice x values.

    As much as the die looks like others of its face, but what shows a face clearly is not blamed for one of which a
    lamp left nothing to see: dice of one face mostly look so much alike.

    Args:
        fits: dice x values, as :func:`own_and_other` gives them.
        owner: dice, each one's face.
    """
    rows = np.arange(len(fits))
    out = np.fmax(fits[rows, owner], _OWN)[:, None] - fits
    out[rows, owner] = np.inf
    return out
