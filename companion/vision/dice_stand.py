"""Tells whether a found die lies flat and whole on the table, from what lies around it (trained by training/dice).

The reader (dice_net.py) sees little more than a die's own outline. Half of a domino, the top of a die that leans on
another or lies on one look like dice there; what tells them apart is the other half, the gap beneath, the wall beside.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.dice_net import MODELS, standardise
from companion.vision.readings import Box

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]

WINDOW = 64  # px of a window's side
LIMITS = (-2.0, -3.25)
"""Log-odds below which a die is doubted (docs/accuracy.md tells what that costs and saves): against leaning, and
against being none. What bears signs instead of pips is told too seldom."""
CLEAR = 2.0
"""Above the limits; from less on the mirror image is looked at, too, and the mean counts."""
REACH = 2.6  # a window's side in units of the die's longer side


def window(picture: U8, box: Box, px: int = WINDOW, reach: float = REACH) -> U8:
    """A square of a picture about a die's box as px x px x 3, beyond the edge the edge's colours.

    Args:
        picture: BGR uint8, h x w x 3.
        box: x, y, width, height in px.
        px: of the window's side.
        reach: its side in units of the box's longer one.
    """
    x, y, w, h = box
    side = round(reach * max(8, w, h))
    x0, y0 = x + (w - side) // 2, y + (h - side) // 2
    x1, y1 = x0 + side, y0 + side
    height, width = picture.shape[:2]
    part = picture[max(0, y0) : min(height, y1), max(0, x0) : min(width, x1)]
    beyond = (max(0, -y0), max(0, y1 - height), max(0, -x0), max(0, x1 - width))
    if any(beyond):
        part = np.asarray(cv2.copyMakeBorder(part, *beyond, cv2.BORDER_REPLICATE), np.uint8)
    while len(part) > 3 * px:  # a third of the time that one step takes
        part = np.asarray(cv2.resize(part, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    how = cv2.INTER_AREA if len(part) > px else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (px, px), interpolation=how), np.uint8)


class Standing:
    """The network, loaded once.

    Args:
        file: the network; the package's own if not given.

    Raises:
        FileNotFoundError: it isn't there.
    """

    def __init__(self, file: Path = MODELS / "dice_stand.onnx") -> None:
        if not file.is_file():
            raise FileNotFoundError(f"no network at {file}")
        self._net = cv2.dnn.readNetFromONNX(str(file))

    def look(self, cut: U8) -> F32:
        """Log-odds that a die lies flat and whole on the table, against what it may be instead.

        Args:
            cut: what lies around it, from :func:`window`.

        Returns:
            (2,), against a die that leans or lies on another, and against no die at all.
        """
        # In grey: red and green dice were doubted where no training die had such a colour on such a table.
        grey = cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY)
        self._net.setInput(standardise(np.repeat(grey[None, :, :, None], 3, axis=3)))
        lies, leans, _, nothing = self._net.forward()[0]
        return np.array([lies - leans, lies - nothing], np.float32)

    def margin(self, picture: U8, box: Box) -> float:
        """By how much the least of those lies above its limit; below 0 it is doubted that a die lies there flat.

        Args:
            picture: BGR uint8, h x w x 3.
            box: x, y, width, height in px, as the reader framed the die.
        """
        cut = window(picture, box)
        odds = self.look(cut)
        if _least(odds) < CLEAR:
            odds = np.asarray((odds + self.look(np.ascontiguousarray(cut[:, ::-1]))) / 2, np.float32)
        return _least(odds)


def _least(odds: F32) -> float:
    """By how much the least of some log-odds lies above its limit."""
    return float((odds - LIMITS).min())
