"""Whether print is a card's own: what no enrolled card shows may be another card's, that is not enrolled.

A half-covered or misprinted look-alike of an enrolled card must not be read as it, though nothing enrolled fits better.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.cards_deck import FINE, Deck
from companion.vision.cards_light import like, relight
from companion.vision.cards_table import F32, Mask, grey

NEAR = 0.13
"""Of paper white: a cell that differs less agrees."""
# A cell with so much print (mean square), of which so great a share is off, is misprinted; so great a share of them
# may be: in photographs, with tones bent as they should be, a hundredth or so of a card's print is off, 0.26 at most of
# a cell's, and of another card's cells 0.3 to 0.8.
_PRINT, _OTHER_PRINT, _MISPRINTS = 0.015, 0.28, 0.06
_PALEST = 0.4  # of a cell's print may be missing, evenly: without any, 0.36 of it is off
_OFF_IN_ALL = 0.05  # of all print; in photographs up to 0.035
_MOST_OF_IT = 0.75  # of a card's cells that is free
# Of what the two cards of a deck differ by that are most alike. Drawn cards that were not enrolled were off by 2.8 to
# 4.4 times that, with 0.24 and more of two cells' print, as indices stand in two corners; enrolled ones by 0.5 at most,
# or, half-covered or beside a hand, by up to 1.9, but in one cell at most. On photographs in another light it is 0.6.
_OF_NEAREST, _OF_A_CELL, _INDICES = 0.7, 0.15, 2

# Times as much contrast as print has to a look's in one channel it may have in another one, of those in which the look
# has so great a share of its most. Of enrolled cards it was 1.27 at most (55 on photographs, 130 drawn), of green ones
# held against the same numbers in blue 2.2 and more.
_TINT, _TELLING_CHANNEL = 1.6, 0.1


def other_card(deck: Deck, best: int, agrees: Mask, patch: F32, clear: Mask, free: Mask) -> bool:
    """Whether another card of its kind may lie there: it is looked at as it is, and a part of it is not enough.

    Args:
        deck: the enrolled cards.
        best: the look that it was held against.
        agrees: rows x columns of cells: the cell shows it.
        patch: the place, unmoved, rows x columns x 3.
        clear: samples that no card covers and on which no lamp mirrors.
        free: samples that no card covers.
    """
    look = deck.fine[best].T.reshape(*free.shape, 3) + 1
    known = deck.clear[best].reshape(free.shape)
    if deck.part and clear.mean() < _MOST_OF_IT:
        if free.mean() < _MOST_OF_IT:
            return True
        # Where a lamp mirrors print is paler, but there: it can be said of every cell that it is the card's.
        rest = like(relight(patch, look, free, FINE), look, free, deck.cells) - look
        wanted, off = _print_off(deck, rest, look, free)
        if (off > np.maximum(NEAR**2 * FINE**2, _OTHER_PRINT * wanted)).any():
            return True
    rest = like(relight(patch, look, clear, FINE), look, clear) - look
    return misprinted(deck, rest, look, clear & known & samples_of(agrees))


def holed(agrees: Mask, room: F32) -> bool:
    """Whether cells in the middle of a card do not show it: what hides a part of a card comes in from its edge.

    Otherwise it is another card, with one emblem more or less.
    """
    other = np.pad((~agrees | (room < 0.4 * FINE**2)).astype(np.uint8), 1, constant_values=1)
    return int(cv2.connectedComponents(other, connectivity=8)[0]) > 2  # the background, and what reaches the edge


def tinted(patch: F32, look: F32, seen: Mask) -> bool:
    """Whether print is a look's, but in another colour: with a contrast for each channel any ink can look as any other.

    Args:
        patch: the place in the look's light, rows x columns x 3.
        look: the card's, rows x columns x 3.
        seen: samples that count.
    """
    ours, theirs = (patch - 1)[seen], (look - 1)[seen]
    print_ = (theirs**2).sum(axis=0)
    contrast = (ours * theirs).sum(axis=0) / np.maximum(print_, 1e-6)
    contrast = contrast[print_ >= _TELLING_CHANNEL * print_.max()]
    return bool(contrast.max() > _TINT * contrast.min())


def misprinted(deck: Deck, rest: F32, look: F32, seen: Mask) -> bool:
    """Whether print is other than the card's, which no other enrolled card need have: in several cells, or in all.

    Of a part of a deck, also whether so much is off as its cards differ by: how alike they may be the others tell.

    Args:
        deck: the enrolled cards.
        rest: by how much the place differs from the look, rows x columns x 3.
        look: the card's, rows x columns x 3.
        seen: samples that count.
    """
    wanted, off = _print_off(deck, rest, look, seen)
    printed = wanted > _PRINT * FINE**2
    if deck.part:
        sample_mm2 = deck.inner_mm[0] * deck.inner_mm[1] / seen.size
        nearest_mm2 = deck.nearest_mm2(room_of(deck, seen) / np.float32(FINE**2))
        enough = off[printed].sum() * sample_mm2 > _OF_NEAREST * nearest_mm2
        if enough and int((off > _OF_A_CELL * wanted)[printed].sum()) >= _INDICES:
            return True
    several = int((off > _OTHER_PRINT * wanted)[printed].sum()) > int(printed.sum()) * _MISPRINTS
    return several or bool(off[printed].sum() > _OFF_IN_ALL * wanted[printed].sum())


def _print_off(deck: Deck, rest: F32, look: F32, seen: Mask) -> tuple[F32, F32]:
    """Print of each cell (rows x columns, sum of squares), and how much of it is other than it should be.

    Paler print is no other print: where more light falls, thin strokes are eaten away.
    """
    print_ = (look - 1) * seen[..., None]
    wanted, along = sum_by_cell(deck, grey(print_**2)), sum_by_cell(deck, grey(print_ * rest))
    paler = np.clip(along / np.maximum(wanted, 1e-6), -_PALEST, 0)
    off = sum_by_cell(deck, grey(rest**2) * seen) - paler * (2 * along - paler * wanted)
    return wanted, np.asarray(off, np.float32)


def samples_of(cells: Mask) -> Mask:
    """The samples of cells (rows x columns)."""
    return np.repeat(np.repeat(cells, FINE, axis=0), FINE, axis=1)


def sum_by_cell(deck: Deck, values: F32) -> F32:
    """The sum of samples (rows x columns) over each cell."""
    down, across = deck.cells
    return np.asarray(values.reshape(down, FINE, across, FINE).sum(axis=(1, 3)), np.float32)


def room_of(deck: Deck, free: Mask) -> F32:
    """How many samples of each cell (rows x columns) are free."""
    return sum_by_cell(deck, free.astype(np.float32))
