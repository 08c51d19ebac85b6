"""How far an enrolment can be trusted: what its own dice, each held against all the others, say.

The enrolled dice lie under the lamp and the camera that those to be read will lie under. If they aren't told by one
another, a reading can't be believed that fits no better than they fit wrong faces, however clear its lead looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.symbols_find import F64
from companion.vision.symbols_match import TURNS, Faces
from companion.vision.symbols_net import Prints
from companion.vision.symbols_sure import together

_TOLD, _HARDLY = 0.75, 0.5
"""Shares of enrolled dice told by the others: below the one the faces that were confused aren't believed, below the
other none is. On 47 drawn tables, most of them burnt out, 16 had less than the first, and gave 28 of 33 wrong values;
rendered dice in usable light have 1.0, photographed ones and numerals 0.94 and more, rendered ones in glare 0.79."""
_ENOUGH = 6  # dice that have others of their face, from which on their share says something
_CLOSER = 0.05  # by which a look at a die that is read, moved and turned, fits better than one at an enrolled die


@dataclass(frozen=True, slots=True)
class Trust:
    """What enrolled dice say of each other.

    Args:
        told: share of the dice that look more like another one of their face than like any of another face.
        least: n values, fits up to which a die that seems to show a face may well show another one.
        alone: n values, what a face shown once is granted against others, for which the best of several looks speaks:
            by how much the most alike of several dice is more alike than one of them.
    """

    told: float
    least: F64
    alone: F64

    def granted(self, face: int, other: int) -> float:
        """What a lead of a face over another one loses because of the latter's fewer looks."""
        return max(0.0, float(self.alone[other] - self.alone[face]))


def measure_trust(faces: Faces, prints: Prints) -> Trust:
    """Hold every enrolled die against all the others.

    Args:
        faces: how they look.
        prints: the same dice, as the network sees them.
    """
    owner = faces.faces
    alike = together(faces.by_die(faces.looks[::TURNS] @ faces.looks.T), prints.alike(prints.towards[:, :1]))
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
    return Trust(float(told), least, alone)
