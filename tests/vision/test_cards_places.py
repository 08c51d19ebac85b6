"""Guards where cards are looked for on busy cloths, and how a card's parts are moved onto a face."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from companion.vision.cards_bend import MOST, shifts
from companion.vision.cards_deck import Deck
from companion.vision.cards_edges import SCALE, Rim, find_edges, find_places
from companion.vision.cards_table import F64, View

CARD_MM = (59.0, 91.0)
PAPER = (225, 235, 240)


def chequered() -> tuple[View, F64]:
    """A cloth of fields of 18 mm, and on it two cards, one half under the other; the middle of the lower one in mm."""
    h, w = 330, 440
    y, x = np.mgrid[0:h, 0:w].astype(np.float32) / SCALE
    share = (((x + 0.2 * y) % 36 < 18).astype(np.float32) + ((y - 0.2 * x) % 36 < 18)) / 2
    cloth = (1 - share[..., None]) * (150, 120, 115) + share[..., None] * (120, 60, 130)
    picture = np.ascontiguousarray(cloth.astype(np.uint8))
    middles = np.array([(200.0, 130.0), (210.0, 150.0)])
    for middle, angle in zip(middles, (0.1, 1.4), strict=True):
        corners = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)]) / 2 * CARD_MM
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        px = np.rint((corners @ turn.T + middle) * SCALE).astype(np.int32).reshape(-1, 1, 2)
        cv2.fillPoly(picture, [px], PAPER)
        cv2.polylines(picture, [px], True, (150, 150, 150), 1)
    noise = np.random.default_rng(2).normal(0, 1, picture.shape)
    view = View(np.clip(cv2.GaussianBlur(picture, (5, 5), 1.0) + noise, 0, 255).astype(np.uint8), (0.0, 0.0), SCALE)
    return view, middles[0] * (1, -1)


def rank(view: View, middle: F64, rim: Rim | None) -> int:
    places = find_places(view, CARD_MM, 400, rim)
    near = np.hypot(*(places.middles - middle).T) < 4
    return int(near.argmax()) if near.any() else 400


def test_a_covered_card_is_among_the_first_places_on_a_chequered_cloth() -> None:
    view, middle = chequered()
    assert rank(view, middle, Rim((225.0, 235.0, 240.0), 0.02)) < 10
    assert rank(view, middle, None) > 40, "the picture is too easy to show anything"


def test_the_light_may_have_changed_since_the_enrolment() -> None:
    view, middle = chequered()
    dim = View((view.picture * 0.6).astype(np.uint8), view.corner, view.px_per_mm)
    assert rank(dim, middle, Rim((225.0, 235.0, 240.0), 0.02)) < 10


def test_a_rim_of_many_colours_says_nothing_and_hides_nothing() -> None:
    view, middle = chequered()
    assert rank(view, middle, Rim((60.0, 200.0, 90.0), 0.01)) < 400


@pytest.mark.parametrize("joint_deg", [10, 14, 18, 22])
def test_an_edge_that_a_joint_of_the_table_crosses_is_found(joint_deg: float) -> None:
    """The joint's direction is so near the edge's that both were taken for one edge, in the direction of neither."""
    picture = np.full((300, 300, 3), (40, 60, 80), np.uint8)
    along = (math.cos(math.radians(joint_deg)) * 250, math.sin(math.radians(joint_deg)) * 250)
    at = (118, 204)
    ends = [(round(at[0] + k * along[0]), round(at[1] + k * along[1])) for k in (-1, 1)]
    cv2.line(picture, ends[0], ends[1], (12, 16, 20), 2, cv2.LINE_AA)
    cv2.rectangle(picture, (110, 100), (175, 200), PAPER, -1)
    noise = np.random.default_rng(1).normal(0, 1, picture.shape)
    view = View(np.clip(cv2.GaussianBlur(picture, (5, 5), 0.9) + noise, 0, 255).astype(np.uint8), (0.0, 0.0), SCALE)
    edges = find_edges(view)
    length = np.hypot(edges[:, 2] - edges[:, 0], edges[:, 3] - edges[:, 1])
    level = np.abs(edges[:, 3] - edges[:, 1]) < 0.08 * length
    lower = np.abs(edges[:, 1] + 200.5 / SCALE) < 1.5
    assert length[level & lower].sum() > 45, "the lower edge of 59 mm"


def test_the_parts_of_a_card_are_moved_on_their_own() -> None:
    rng = np.random.default_rng(5)
    face = 1 - cv2.GaussianBlur((rng.random((99, 63)) > 0.8).astype(np.float32), (5, 5), 1.0)
    y, x = np.mgrid[0:99, 0:63].astype(np.float32)
    off = np.where(y < 49, 0.5, -0.4).astype(np.float32)
    seen = cv2.remap(face, x - off, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    found = shifts(face, seen, np.ones(face.shape, bool), (11, 7))
    assert np.abs(found[:4, :, 0] - 0.5).max() < 0.2
    assert np.abs(found[7:, :, 0] + 0.4).max() < 0.2
    assert np.abs(found[..., 1]).max() < 0.2


def test_other_print_moves_nothing_far() -> None:
    rng = np.random.default_rng(6)
    face, other = (cv2.GaussianBlur(rng.random((99, 63)).astype(np.float32), (3, 3), 0.8) for _ in range(2))
    moved = shifts(face, other, np.ones(face.shape, bool), (11, 7))
    assert np.abs(moved).max() <= MOST
    blank = shifts(np.ones_like(face), np.ones_like(face), np.ones(face.shape, bool), (11, 7))
    assert np.abs(blank).max() == 0


def test_few_cards_are_taken_for_a_part_of_a_deck() -> None:
    faces = np.full((60, 182, 118, 3), 240, np.uint8)
    assert not Deck(faces, tuple(f"c{i}" for i in range(60)), CARD_MM).part
    assert Deck(faces[:30], tuple(f"c{i}" for i in range(30)), CARD_MM).part
    rim = Deck(faces, tuple(f"c{i}" for i in range(60)), CARD_MM).rim
    assert rim.colour == (240.0, 240.0, 240.0) and rim.spread == 0
