"""Is a die fair? The chi-square test, for what a family has rolled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from companion.screens.view import T, Text

LEAST_EACH = 5  # rolls expected of each face: below, the test says nothing (Cochran's rule of thumb)
DOUBTFUL, UNFAIR = 0.05, 0.001


@dataclass(frozen=True, slots=True)
class Fairness:
    """What the test says.

    Args:
        chi_square: how far the counts are from equal ones.
        p: how often a fair die is as far or further off; None where there are too few rolls.
        verdict: the same in a sentence for everybody.
    """

    chi_square: float
    p: float | None
    verdict: Text


def fairness(counts: Sequence[int]) -> Fairness:
    """Test whether all faces are equally likely.

    Args:
        counts: how often each face was rolled, those never rolled included.

    >>> round(fairness([8, 9, 19, 5, 8, 11]).p, 3)
    0.041
    >>> fairness([1, 0, 0, 0, 0, 0]).p is None
    True
    """
    total = sum(counts)
    expected = total / len(counts)
    statistic = sum((count - expected) ** 2 for count in counts) / expected if total else 0.0
    if expected < LEAST_EACH:
        missing = LEAST_EACH * len(counts) - total
        return Fairness(statistic, None, T("Too few rolls to tell: {count} more.", count=missing))
    p = survival(statistic, len(counts) - 1)
    if p >= DOUBTFUL:
        verdict = T("Looks fair: {count} of 100 fair dice are at least this uneven.", count=round(100 * p))
    elif p >= UNFAIR:
        verdict = T(
            "A bit uneven: only {count} of 1000 fair dice are. It may be luck, so go on rolling.", count=round(1000 * p)
        )
    else:
        verdict = T("Hardly fair: not one of 1000 fair dice is as uneven. Take another die.")
    return Fairness(statistic, p, verdict)


def survival(chi_square: float, degrees: int) -> float:
    """The chance that a chi-square variable is at least this large (regularised upper incomplete gamma function).

    For half-integer and whole shapes it is a finite sum (Abramowitz and Stegun, 26.4.4 and 26.4.5).

    Args:
        chi_square: 0 or more.
        degrees: of freedom, 1 or more.

    >>> round(survival(11.070498, 5), 5), round(survival(3.841459, 1), 5), round(survival(9.487729, 4), 5)
    (0.05, 0.05, 0.05)
    """
    half = chi_square / 2
    if degrees % 2:
        total, term = math.erfc(math.sqrt(half)), 2 * math.exp(-half) * math.sqrt(half / math.pi)
        for k in range(3, degrees + 1, 2):
            total, term = total + term, term * chi_square / k
    else:
        total, term = 0.0, math.exp(-half)
        for k in range(1, degrees // 2 + 1):
            total, term = total + term, term * half / k
    return min(1.0, total)
