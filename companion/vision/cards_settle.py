"""Where a card lies whose place was told by a line of its print, or of the cloth, instead of its edge.

A frame printed on a card runs along its edges some millimetres inside. Where the edge itself can't be seen (a cloth as
bright as the card) the frame is taken for it, and the card is looked for beside where it lies.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.vision.cards_deck import COARSE, Deck, soften, to_paper
from companion.vision.cards_table import F32, Pose, View, grey

_REACH = 5
"""Coarse samples (of 1.6 mm) by which a place may be off: frames are printed 3 to 7 mm inside a card's edge."""
_LEAST_SEEN = 0.15  # of a card's samples must be free to say how it lies


def settled(view: View, covered: View, deck: Deck, pose: Pose, looks: Sequence[int]) -> Pose:
    """The place around a pose where the print goes along best with a look.

    Args:
        view: the table.
        covered: the same view (h x w), 255 where a card above lies.
        deck: the enrolled cards.
        pose: where the card was looked for.
        looks: what it may be, or is printed alike.
    """
    rows, columns = deck.shape(COARSE)
    step = (deck.inner_mm[0] / columns, deck.inner_mm[1] / rows)
    wide = (rows + 2 * _REACH, columns + 2 * _REACH)
    wide_mm = (wide[1] * step[0], wide[0] * step[1])
    patch = soften(view.cut(pose, wide_mm, wide).astype(np.float32))
    free = (covered.cut(pose, wide_mm, wide, nearest=True) == 0) & (patch[..., 1] > 0)
    ours, weight = grey(to_paper(patch, free)) * free, free.astype(np.float32)
    flat = np.ones((rows, columns), np.float32)
    n = np.maximum(_sums(weight, flat), 1)
    mean = _sums(ours, flat) / n
    spread = _sums(ours * ours, flat) / n - mean**2
    best, move = -1.0, (0, 0)
    for look in looks:
        face = grey(deck.small[look])
        wanted = _sums(weight, face) / n
        both = spread * (_sums(weight, face * face) / n - wanted**2)
        along = (_sums(ours, face) / n - mean * wanted) / np.sqrt(np.maximum(both, 1e-8))
        along[n < _LEAST_SEEN * face.size] = -1
        if along.max() > best:
            best = float(along.max())
            down, right = divmod(int(along.argmax()), along.shape[1])
            move = (right - _REACH, _REACH - down)
    return Pose(pose.place(np.array(move) * step), pose.matrix)


def _sums(picture: F32, face: F32) -> F32:
    """Of each place of a face in a picture the sum of their products."""
    return np.asarray(cv2.matchTemplate(picture, face, cv2.TM_CCORR), np.float32)
