"""Which parts of a picture may hold a die: what is as plain as most of the table needs no network to look at it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]

TILE = 16
"""Px of a tile's side: what the finder takes as a whole."""
BUSY = 1.5
"""Times the usual unrest of a picture's tiles. On 182 photographs and 18 drawn pictures the tiles of what the finder is
sure of (0.6) have 4 times as much and more, on a glittering table 1.6; what it takes for dice below that, 1.5 % of all
its marks, is none."""
CALM = 30
"""Levels of unrest above which no tile is plain, whatever the others are: a chequered table has 138, as much as many a
die."""

Part = tuple[int, int, int, int]
"""x0, y0, x1, y1 in tiles."""


def busy_parts(picture: U8, exclude: U8 | None = None) -> list[Part]:
    """Rectangles around all that is not plain, or not excluded, each with the tiles beside it.

    Args:
        picture: BGR uint8 h x w x 3.
        exclude: uint8 h x w, not 0 where nothing is sought; all else is then worth a look, for what is left of a table
            and a board is mostly dice, among which plain ones could pass for usual.

    >>> table = np.full((160, 320, 3), 90, np.uint8)
    >>> busy_parts(table)
    []
    >>> _ = cv2.rectangle(table, (100, 50), (120, 70), (255, 255, 255), -1)
    >>> busy_parts(table)
    [(5, 2, 9, 6)]
    """
    if exclude is None:
        unrest = _tiles(_steps(picture))
        busy = unrest > min(CALM, BUSY * float(np.median(unrest)))
    else:
        busy = _tiles(cv2.bitwise_not(exclude)) > 0
    around = cv2.dilate(busy.astype(np.uint8), np.ones((3, 3), np.uint8))
    _, _, found, _ = cv2.connectedComponentsWithStats(around)
    return [(x, y, x + w, y + h) for x, y, w, h, _ in found[1:].tolist()]


def merged(parts: list[Part], beside: int) -> list[Part]:
    """Parts of which no two are looked at sooner as one.

    Args:
        parts: rectangles.
        beside: how many tiles around each must be looked at, too.

    >>> merged([(0, 0, 4, 4), (5, 0, 9, 4), (20, 0, 24, 4)], beside=2)
    [(20, 0, 24, 4), (0, 0, 9, 4)]
    """

    def cost(part: Part) -> int:
        return (part[2] - part[0] + 2 * beside) * (part[3] - part[1] + 2 * beside)

    waiting, done = list(parts), list[Part]()
    while waiting:
        part = waiting.pop()
        for other in done:
            x0, y0 = (min(part[k], other[k]) for k in (0, 1))
            x1, y1 = (max(part[k], other[k]) for k in (2, 3))
            both = x0, y0, x1, y1
            if cost(both) <= cost(part) + cost(other):
                done.remove(other)
                waiting.append(both)
                break
        else:
            done.append(part)
    return done


def _steps(picture: U8) -> U8:
    """By how much the colours beside each px differ, the noise of single px taken off."""
    blurred = cv2.blur(picture, (2, 2))
    steps = np.zeros(picture.shape, np.uint8)
    steps[:, 1:-1] = cv2.absdiff(blurred[:, 2:], blurred[:, :-2])
    steps[1:-1] = np.maximum(steps[1:-1], cv2.absdiff(blurred[2:], blurred[:-2]))
    return steps


def _tiles(values: U8) -> U8:
    """The largest value in each tile of a picture of one or more channels; the last row and column may lack some px."""
    height, width = values.shape[:2]
    whole = cv2.copyMakeBorder(values, 0, -height % TILE, 0, -width % TILE, cv2.BORDER_CONSTANT)
    rows, columns = (side // TILE for side in whole.shape[:2])
    return np.asarray(whole.reshape(rows, TILE, -1).max(1).reshape(rows, columns, -1).max(2), np.uint8)
