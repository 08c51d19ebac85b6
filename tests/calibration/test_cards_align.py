"""Guards that faces of a kind are brought onto each other, and that faces of other kinds stay where they are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.cards_align import misplaced
from companion.simulator import deck
from companion.vision.cards_deck import FACE_PX_PER_MM
from companion.vision.cards_table import U8

KIND = ("b7", "b8", "b10", "b12", "b13")


def face(name: str, right_mm: float = 0.0, down_mm: float = 0.0) -> U8:
    """A printed face as an enrolment that is off by so much cuts it out."""
    w, h = round(deck.WIDTH_MM * FACE_PX_PER_MM), round(deck.HEIGHT_MM * FACE_PX_PER_MM)
    printed = np.asarray(deck.draw_card(name, 4.0).convert("RGB"), np.uint8)[..., ::-1]
    small = cv2.resize(np.ascontiguousarray(printed), (w, h), interpolation=cv2.INTER_AREA)
    warp = np.array([(1, 0, -right_mm * FACE_PX_PER_MM), (0, 1, -down_mm * FACE_PX_PER_MM)])
    return np.asarray(cv2.warpAffine(small, warp, (w, h), borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize(("right", "down"), [(0.65, 0.13), (-0.8, 0.4), (0.0, -1.0), (0.2, -9.9), (-8, 6)])
def test_one_cut_out_aside_is_told_from_the_others(right: float, down: float) -> None:
    faces = [face(name) for name in KIND[:-1]] + [face(KIND[-1], right, down)]
    moves = misplaced(np.stack(faces))
    assert (
        max(abs(moves[-1][0] + right), abs(moves[-1][1] + down)) < 0.1
    )  # what is cut out too far right lies too far left
    assert all(np.abs(move[:2]).max() < 0.1 for move in moves[:-1])


def test_faces_of_other_kinds_do_not_move_each_other() -> None:
    faces = [face("bomb", 0.7), face("dragon"), face("W1"), face("J2", 0.0, 0.6)]
    assert np.abs(misplaced(np.stack(faces))).max() == 0.0


def test_one_face_alone_stays() -> None:
    assert np.abs(misplaced(face("b1")[None])).max() == 0.0
