"""How far an enrolment can be trusted: what its own dice, each held against all the others, say.

The enrolled dice lie under the lamp and the camera that those to be read will lie under. If they aren't told by one
another, a reading can't be believed that fits no better than they fit wrong faces, however clear its lead looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.symbols_find import F64
from companion.vision.symbols_match import TURNS, Faces, tints
from companion.vision.symbols_net import Prints
from companion.vision.symbols_sure import together

_TOLD, _HARDLY = 0.75, 0.5
"""Shares of enrolled dice told by the others: below the one the faces that were confused aren't believed, below the
other none is. On 47 drawn tables, most of them burnt out, 16 had less than the first, and gave 28 of 33 wrong values;
rendered dice in usable light have 1.0, photographed ones and numerals 0.94 and more, rendered ones in glare 0.79."""
_WELL, _DOUBTED = 0.95, 12.25
"""Share of enrolled dice told by the others below which, if a face was shown only once, the odds of a value count so
many times less: certain is then what else had 0.98. On 29 of 132 drawn tables it was so; they gave half of all wrong
values, 32 beside 374 right ones, of which 8 and 273 are left."""
_ENOUGH = 6  # dice that have others of their face, from which on their share says something
_CLOSER = 0.05  # by which a look at a die that is read, moved and turned, fits better than one at an enrolled die
_SHORT = 0.12
"""By how much less than enrolled dice fit each other a top may fit its face, under the same camera. Of values on drawn
tables beyond it a quarter was wrong, of others one in fifty: halves of dice, sides, symbols that nobody enrolled."""
_OTHER_COLOURS = 0.96
"""Likeness of colours below which a print may be another one, unless the enrolled ones of the face differ as much: of
values on 46 drawn tables in usable light beyond it half was wrong, 11 of 20 (11 of all 27 that were)."""


@dataclass(frozen=True, slots=True)
class Trust:
    """What enrolled dice say of each other.

    Args:
        told: share of the dice that look more like another one of their face than like any of another face.
        least: n values, fits up to which a die that seems to show a face may well show another one.
        alone: n values, what a face shown once is granted against others, for which the best of several looks speaks:
            by how much the most alike of several dice is more alike than one of them.
        usual: how well an enrolled die fits the most alike other one of its face, in the middle of them; 0 if too few
            are known.
        tint: n values, how much the colours of a top must be those of an enrolled one of its face to be told under the
            same camera; -1 for a face shown once.
        odds: by how much less the odds of all values count.
    """

    told: float
    least: F64
    alone: F64
    usual: float
    tint: F64
    odds: float

    def weighed(self, sure: float) -> float:
        """The chance that a value is right, when the chance among enrolments that can be trusted is known."""
        return sure / (sure + self.odds * (1 - sure))

    def believed(self, face: int, fit: float, fixed: bool) -> bool:
        """Whether a die that seems to show a face may be told.

        Args:
            face: its index.
            fit: how well it fits.
            fixed: whether the camera that sees it made the enrolment: from elsewhere everything fits less.
        """
        return fit > float(self.least[face]) and not (fixed and fit < self.usual - _SHORT)

    def granted(self) -> F64:
        """What a lead of a face over another one loses because of the latter's fewer looks: faces x faces."""
        return np.asarray(np.maximum(0.0, self.alone[None] - self.alone[:, None]), np.float64)


def measure_trust(faces: Faces, prints: Prints) -> Trust:
    """Hold every enrolled die against all the others.

    Args:
        faces: how they look.
        prints: the same dice, as the network sees them.
    """
    owner = faces.faces
    alike = together(faces.by_die(faces.looks[::TURNS] @ faces.looks.T), prints.unmoved())
    equal = owner[:, None] == owner[None]
    same = equal & ~np.eye(len(owner), dtype=bool)
    own, other = (np.where(mask, alike, -np.inf).max(axis=1) for mask in (same, ~equal))
    known = same.any(axis=1)
    wrong = np.flatnonzero(known & (other > own))
    told = 1 - len(wrong) / max(1, known.sum())
    least = np.zeros(len(faces.values))
    if told < _TOLD and known.sum() >= _ENOUGH:
        taken_for = owner[np.where(equal, -np.inf, alike).argmax(axis=1)]
        for k in wrong:
            involved = [owner[k], taken_for[k]] if told >= _HARDLY else slice(None)
            least[involved] = np.maximum(least[involved], other[k] + _CLOSER)
    several = same.sum(axis=1) > 1
    usual = np.where(same, alike, 0.0).sum(axis=1)[several] / same.sum(axis=1)[several]
    gap = float((own[several] - usual).mean()) if several.any() else 0.0
    alone = np.where(np.bincount(owner, minlength=len(faces.values)) == 1, gap, 0.0)
    middle = float(np.median(own[known])) if known.sum() >= _ENOUGH else 0.0
    once = bool((np.bincount(owner, minlength=len(faces.values)) == 1).any())
    odds = _DOUBTED if told < _WELL and once else 1.0
    return Trust(float(told), least, alone, middle, _least_tints(faces), odds)


def _least_tints(faces: Faces) -> F64:
    """How much the enrolled dice of each face agree in colours at least; no more than is asked of any; -1 for one."""
    seen, out = tints(faces.looks[::TURNS]), []
    for k in range(len(faces.values)):
        mine = seen[faces.faces == k]
        alike = np.einsum("ncd,mcd->nm", mine, mine)
        out.append(min(_OTHER_COLOURS, float(alike.min())) if len(mine) > 1 else -1.0)
    return np.array(out)
