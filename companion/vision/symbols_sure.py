"""How sure a place is to be a die that shows a face; which of overlapping places stands; what sizes say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.vision.symbols_find import F32, F64

APART = 0.6
"""Boxes' sides between two dice at least: touching dice are 0.75 apart, top and side of one die 0.5."""
SURE = 0.8
"""Confidence from which on a value is given."""
_NET = 0.65  # the network's share in a verdict
_LEAD = 0.3  # a lead beyond which overlapping places are equals
_SAME_SIZE = 0.1  # log of ratio up to which dice of one picture are of one size
_OTHER_SIZE = 0.2
"""The same, from which on none of them is read: beyond it lie 6 of 613 right values in photographs taken by hand, and 2
of 3 wrong ones."""
_HARDLY = 0.25  # a lead, in units of what the best face lacks, below which nothing is told
_SPARE = 0.03  # of a perfect fit, that two looks at one die lack at least


@dataclass(frozen=True, slots=True)
class Seen:
    """A place that may be a die.

    Args:
        x: the middle of its box in px of the picture as given.
        y: the same.
        side: of the box, in px.
        answer: the finder's.
        value: the face that fits best.
        fit: how well.
        lead: how much better than the next.
        sure: the chance that it is right, once that is known.
        likely: all faces, the one that fits best first.
    """

    x: float
    y: float
    side: float
    answer: float
    value: int | str
    fit: float
    lead: float
    sure: float = 0.0
    likely: tuple[int | str, ...] = ()

    @property
    def rank(self) -> float:
        """What decides between overlapping places."""
        return self.fit + min(self.lead, _LEAD) / 2 + self.answer


def like_in_size(seen: Sequence[Seen]) -> list[Seen]:
    """Places weighed by their size: the dice of one picture are of about one size, that of the surest places."""
    best = [seen[k] for k in choose(seen)]
    weights = np.array([max(s.fit - 0.6, 0.0) * max(s.lead, 0.0) * max(s.answer, 0.0) for s in best])
    if not weights.any():
        return list(seen)
    usual = _middle(np.log([s.side for s in best]), weights)
    return [replace(s, answer=s.answer - max(0.0, abs(math.log(s.side) - usual) - _SAME_SIZE)) for s in seen]


def of_one_size(seen: Sequence[Seen], sides: Sequence[float]) -> list[Seen]:
    """Places, uncertain where a top has quite another size than most: a pip of a die is the only one of a smaller die.

    Args:
        seen: the places.
        sides: of their boxes in px, as their tops tell them.
    """
    weights = np.array([s.sure for s in seen])
    if not weights.any():
        return list(seen)
    usual = _middle(np.log(sides), weights)
    other = [abs(math.log(side) - usual) > _OTHER_SIZE for side in sides]
    return [replace(s, sure=min(s.sure, SURE / 2)) if far else s for s, far in zip(seen, other, strict=True)]


def _middle(values: F64, weights: F64) -> float:
    """The weighted median."""
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)])


def choose(seen: Sequence[Seen]) -> list[int]:
    """Which of the places overlap none that looks more like a die with a face; the best first."""
    x, y, side = (np.array([getattr(s, name) for s in seen], np.float64) for name in ("x", "y", "side"))
    left = np.argsort([-s.rank for s in seen], kind="stable")
    out: list[int] = []
    while len(left):
        k = left[0]
        out.append(int(k))
        far = np.hypot(x[left] - x[k], y[left] - y[k]) >= APART * np.maximum(side[left], side[k])
        left = left[1:][far[1:]]
    return out


def together(fits: F32 | F64, close: F32) -> F64:
    """How well faces fit by both looks: laid over each other, and the network's."""
    return np.asarray((1 - _NET) * fits + _NET * close, np.float64)


def confidence(fit: float, lead: float, answer: float, readable: float) -> float:
    """The chance that a face is right: a logistic curve.

    What counts is by how much the next face is worse, in units of what even the best one lacks: among numerals that fit
    nearly perfectly little is enough, among burnt-out tops that fit badly it takes more. Set on 1182 labelled dice:
    drawn symbols and numerals, and photographs of pips with an emblem.

    Args:
        fit: how well it fits by both looks, 0 to 1.
        lead: how much better than the next face.
        answer: the finder's.
        readable: the network's.
    """
    told = max(lead, 0.0) / (1 + _SPARE - min(fit, 1.0))
    good = 1.25 * math.log(told + 0.01) + 11.0 * min(fit, 0.9) + 3.1 * min(answer, 0.35) - 7.3
    good += 0.48 * max(-4.0, min(readable, 4.0))
    return min(1.0, told / _HARDLY) / (1 + math.exp(-good))
