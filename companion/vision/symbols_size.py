"""How large dice are in the pictures of an enrolment, and whether one camera that stays where it is made them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.symbols_find import F32, F64
from companion.vision.symbols_scenes import Labelled

_Table = tuple[F32, npt.NDArray[np.bool_]]
TURNED = 0.3
"""Boxes of one die, turned and leaning, differ by this share in size."""
_ENOUGH = 8  # dice from which on it is told how sizes change over the picture
_STEP = 1.18  # a die a tenth larger or smaller than enrolled is still known
_BEYOND = 1.7  # times the enrolled sizes that hand-held pictures are searched for
_LONGER = 160  # px to which pictures are shrunk to compare their tables
_SAME_TABLE = 15.0
"""Mean difference, in grey values, up to which it may be the same table seen from the same place: 1 to 2 with a fixed
camera, 20 to 74 with one held by hand over wood."""
_SAME_PLACE = 0.5
"""Correlation of what is fine in a tile of two tables from which on, in a quarter of the tiles, the camera stayed where
it was: 0.99 at rendered and simulated tables, 0.58 and more at three drawn ones of which a hand hides much, but 0.37 at
most in pictures taken by hand over the same wood."""
_TILES, _FEWEST = 4, 4  # a side, and as many at least that show table
_FINE = 4.0  # px of the small pictures: what is coarser is light and shadow
_SEEN = 0.5
"""Share of the table in view between all dice from which on it says anything: 0.7 and more but in crowded drawings."""


def die_sizes(pictures: Sequence[Labelled]) -> list[float]:
    """The side in px of the dice's boxes in each picture; one for all if a fixed camera may have made them.

    It may if the table around the dice is the same, and the dice are of one size, or of one size at each place: near a
    tilted camera dice are larger.
    """
    longer = [max(p.picture.shape[:2]) for p in pictures]
    shares = _shares(pictures)
    if not _one_size(pictures, shares):
        return [float(np.median(s)) * n for s, n in zip(shares, longer, strict=True)]
    common = float(np.median(np.concatenate(shares)))
    return [common * n for n in longer]


def searched_sizes(pictures: Sequence[Labelled]) -> tuple[float, ...]:
    """The sides of dice's boxes to search for, as shares of the longer side: one for a fixed camera.

    Several, but none beyond the enrolled ones, if it is fixed and few dice leave their size open.
    """
    shares = _shares(pictures)
    if _one_size(pictures, shares):
        return (float(np.median(np.concatenate(shares))),)
    medians = [float(np.median(s)) for s in shares]
    beyond = 1.0 if _same_place(pictures) else _BEYOND
    low, high = min(medians) / beyond, max(medians) * beyond
    steps = math.ceil(math.log(high / low) / math.log(_STEP))
    return tuple(float(s) for s in np.geomspace(low, high, steps + 1))


def _shares(pictures: Sequence[Labelled]) -> list[F64]:
    """The sides of all dice's boxes as shares of their picture's longer side."""
    return [np.sqrt(p.boxes[:, 2] * p.boxes[:, 3]) / max(p.picture.shape[:2]) for p in pictures]


def _one_size(pictures: Sequence[Labelled], shares: Sequence[F64]) -> bool:
    """Whether a fixed camera may have made the pictures, whose dice are of one size.

    That they are of one size is not enough: two of eight pairs of pictures taken by hand agree in it to a fiftieth.
    """
    spread = 1 + TURNED / math.sqrt(min(len(p.values) for p in pictures))
    alike = _alike(shares, spread) or _alike(_by_place(pictures, shares), spread)
    return alike and (_same_place(pictures) or _same_table(pictures))


def _alike(shares: Sequence[F64], spread: float) -> bool:
    """Whether the dice of all pictures are of one size."""
    medians = [float(np.median(s)) for s in shares]
    return max(medians) <= spread * min(medians)


def _by_place(pictures: Sequence[Labelled], shares: Sequence[F64]) -> list[F64]:
    """The dice's sizes as shares of what is usual at their place, if size changes evenly over the picture.

    As they are where there are too few dice to tell.
    """
    if sum(len(s) for s in shares) < _ENOUGH:
        return list(shares)
    middles = [(p.boxes[:, :2] + p.boxes[:, 2:] / 2) / max(p.picture.shape[:2]) for p in pictures]
    at = [np.column_stack([np.ones(len(m)), m]) for m in middles]
    usual = np.linalg.lstsq(np.concatenate(at), np.concatenate(shares), rcond=None)[0]
    return [s / np.maximum(a @ usual, 1e-6) for s, a in zip(shares, at, strict=True)]


def _same_table(pictures: Sequence[Labelled]) -> bool:
    """Whether most pictures show the table of the first one from the same place."""
    first, *others = [_table(p) for p in pictures]
    apart = [_apart(first, other) for other in others]
    return not apart or float(np.median(apart)) <= _SAME_TABLE


def _same_place(pictures: Sequence[Labelled]) -> bool:
    """Whether most tables have so much structure in common with the first that the camera can't have moved."""
    first, *others = [_table(p) for p in pictures]
    alike = [_in_common(first, other) for other in others]
    return bool(alike) and float(np.median(alike)) >= _SAME_PLACE


def _in_common(one: _Table, other: _Table) -> float:
    """The correlation (-1 to 1) of what is fine in two tables, in the upper quarter of their tiles; a hand hides some.

    0 where too little can be compared.
    """
    if one[0].shape != other[0].shape:
        return 0.0
    free, a, b = one[1] & other[1], _fine(*one), _fine(*other)
    rows, columns = (np.linspace(0, n, _TILES + 1).astype(int) for n in free.shape)
    tiles = [
        (slice(rows[k], rows[k + 1]), slice(columns[m], columns[m + 1])) for k in range(_TILES) for m in range(_TILES)
    ]
    alike = [_correlation(a[t][free[t]], b[t][free[t]]) for t in tiles if free[t].mean() >= _SEEN]
    return float(np.percentile(alike, 75)) if len(alike) >= _FEWEST else 0.0


def _correlation(a: F32, b: F32) -> float:
    """Of what two pictures show at the same pixels."""
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / math.sqrt(max(1e-6, float((a * a).sum() * (b * b).sum()))))


def _fine(seen: F32, free: npt.NDArray[np.bool_]) -> F32:
    """What differs from the table around; dice beside it don't count."""
    there = free.astype(np.float32)
    around = cv2.GaussianBlur(seen * there, (0, 0), _FINE) / np.maximum(cv2.GaussianBlur(there, (0, 0), _FINE), 1e-3)
    return np.asarray(seen - around, np.float32)


def _table(labelled: Labelled) -> _Table:
    """A small grey picture, and where in it no die is."""
    height, width = labelled.picture.shape[:2]
    scale = _LONGER / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.cvtColor(cv2.resize(labelled.picture, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    free = np.ones(small.shape, bool)
    for x, y, w, h in labelled.boxes * scale:
        left, top = max(0, int(x - w / 4)), max(0, int(y - h / 4))
        free[top : int(y + 1.25 * h) + 1, left : int(x + 1.25 * w) + 1] = False
    return np.asarray(small, np.float32), free


def _apart(one: _Table, other: _Table) -> float:
    """How much two tables differ, in grey values beyond a change of light; 0 where too little can be compared."""
    if one[0].shape != other[0].shape:
        return math.inf
    free = one[1] & other[1]
    if free.mean() < _SEEN:
        return 0.0
    change = (one[0] - other[0])[free]
    return float(np.abs(change - np.median(change)).mean())
