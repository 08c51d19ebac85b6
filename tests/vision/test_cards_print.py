"""Guards what tells an enrolled card from one that is not: other print, never more or less light."""

from __future__ import annotations

import functools

import cv2
import numpy as np
import pytest

from companion.simulator import deck as drawn
from companion.vision.cards_deck import FACE_PX_PER_MM, FINE, Deck
from companion.vision.cards_light import like, relight
from companion.vision.cards_print import holed, misprinted, other_card, room_of
from companion.vision.cards_table import F32, U8

CARD_MM = (drawn.WIDTH_MM, drawn.HEIGHT_MM)
PIPS = {4: (0.2, 0.8), 6: (0.2, 0.5, 0.8)}


def pip_card(rows: int, index: str) -> U8:
    """A card with two pips in each row and a number in two corners, as French ones have."""
    w, h = (round(mm * FACE_PX_PER_MM) for mm in CARD_MM)
    face = np.full((h, w, 3), 235, np.uint8)
    for y in PIPS[rows]:
        for x in (0.3, 0.7):
            cv2.circle(face, (round(x * w), round(y * h)), 11, (30, 25, 25), -1, cv2.LINE_AA)
    cv2.putText(face, index, (8, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (30, 25, 25), 2, cv2.LINE_AA)
    return np.asarray(np.maximum(0, np.minimum(face, face[::-1, ::-1])), np.uint8)


@functools.cache
def deck() -> Deck:
    return Deck(np.stack([pip_card(4, "4"), pip_card(6, "6")]), ("4", "6"), CARD_MM)


def look(value: str) -> F32:
    k = deck().values.index(value)
    return np.asarray(deck().fine[k].T.reshape(*deck().shape(FINE), 3) + 1, np.float32)


def off(patch: F32, value: str) -> bool:
    everything = np.ones(deck().shape(FINE), bool)
    face = look(value)
    return misprinted(deck(), like(relight(patch, face, everything, FINE), face, everything) - face, face, everything)


@pytest.mark.parametrize("exponent", [0.65, 1.0, 1.5])
def test_more_or_less_light_is_no_other_print(exponent: float) -> None:
    assert not off(np.asarray(look("4") ** exponent, np.float32), "4")


def test_pips_that_are_missing_are_other_print() -> None:
    assert off(look("4"), "6")


def test_a_pip_in_the_middle_is_other_print_also_beside_a_mirroring_lamp() -> None:
    everything = np.ones(deck().shape(FINE), bool)
    agrees = np.ones(deck().cells, bool)
    agrees[4, 3] = False
    assert holed(agrees, room_of(deck(), everything))
    agrees[4, :3] = False  # and what hides a part comes in from the edge
    assert not holed(agrees, room_of(deck(), everything))


@pytest.mark.parametrize(("value", "other"), [("4", False), ("6", True)])
def test_where_a_lamp_mirrors_print_is_paler_but_there(value: str, other: bool) -> None:
    """Half of a four seen through glare: it can be told from a six, whose middle pips lie in the glare."""
    free = np.ones(deck().shape(FINE), bool)
    clear = free.copy()
    rows = free.shape[0]
    clear[rows // 3 : 2 * rows // 3] = False
    patch = look("4")
    patch[~clear] = 1 + 0.6 * (patch[~clear] - 1)
    best = deck().values.index(value)
    assert other_card(deck(), best, np.ones(deck().cells, bool), patch, clear, free) is other


def test_a_part_of_a_card_is_not_enough_if_others_may_lie_there() -> None:
    free = np.ones(deck().shape(FINE), bool)
    free[free.shape[0] // 2 :] = False
    assert other_card(deck(), 0, np.ones(deck().cells, bool), look("4"), free, free)
