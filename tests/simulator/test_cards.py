"""Guards the drawn deck and the drawn table with cards: what is printed, what lies where, what a picture shows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.simulator import deck
from companion.simulator.cards import CardTable, lay_grid, value_of
from companion.simulator.scene import Card, Hand, Scene


@pytest.fixture(scope="module")
def table() -> CardTable:
    return CardTable(4, (640, 480))


def test_the_deck_is_that_of_the_game() -> None:
    assert len(deck.DECK) == len(set(deck.DECK)) == 60
    values = [value_of(card) for card in deck.DECK]
    assert values.count("W") == values.count("J") == 4
    assert len(set(values)) == 54
    assert {value_of(card) for page in deck.PAGES for card in page} == set(values) | set(deck.SPECIALS)


def test_every_picture_differs_and_number_cards_read_the_same_from_both_sides() -> None:
    faces = {card: np.asarray(deck.draw_card(card, 2.0)) for card in (*deck.DECK, *deck.SPECIALS)}
    assert len({face.tobytes() for face in faces.values()}) == 65
    corner = (slice(0, 40), slice(0, 36))
    for face in faces.values():
        assert np.abs(face[corner].astype(int) - face[::-1, ::-1][corner].astype(int)).mean() < 6


def test_colours_are_told_without_seeing_colour() -> None:
    """In grey, emblems of two colours with the same number differ by more than a tenth of the card's print."""
    grey = {c: np.asarray(deck.draw_card(f"{c}7", 2.0).convert("L"), int)[50:130, 20:98] < 200 for c in "bryg"}
    for a, b in ("br", "by", "bg", "ry", "rg", "yg"):
        assert (grey[a] != grey[b]).sum() > 0.1 * (grey[a] | grey[b]).sum()


def test_sheets_print_at_real_size() -> None:
    pages = deck.sheets([*deck.DECK[:9], "back"])
    assert [page.size for page in pages] == [(2480, 3508)] * 2
    ink = np.asarray(pages[0].convert("L"))
    inside = ink[150:-150, 220:-220]
    rows, columns = np.nonzero(inside < 250)
    assert columns.max() - columns.min() == pytest.approx(3 * deck.WIDTH_MM * deck.DPI / 25.4, abs=60)
    assert rows.max() - rows.min() == pytest.approx(3 * deck.HEIGHT_MM * deck.DPI / 25.4, abs=60)


def test_the_truth_knows_what_is_covered(table: CardTable) -> None:
    below, above, back = Card("b7", 0, 0), Card("W2", 0, 45.5), Card("r1", -150, 0, face_up=False)
    truth = table.truth(Scene(cards=(below, above, back)))
    assert [t.value for t in truth] == ["b7", "W", None]
    assert truth[0].visible == pytest.approx(0.5, abs=0.04)
    assert truth[1].visible > 0.97


def test_a_hand_hides_and_a_carried_card_is_not_lying(table: CardTable) -> None:
    card = Card("g3", 0, 0)
    (free,) = table.truth(Scene(cards=(card,)))
    hidden = table.truth(Scene(cards=(card,), hands=(Hand(0, 10, -90, pose="flat"),)))
    assert hidden[0].visible < free.visible - 0.2
    assert table.truth(Scene(cards=(Card("g3", 0, 0, z_mm=20),))) == ()


def test_cards_are_drawn_where_they_lie_and_the_camera_is_at_most_35_degrees_off(table: CardTable) -> None:
    with_card, without = table.draw(Scene(cards=(Card("b5", 40, -20, 30),)), 0), table.draw(Scene(), 0)
    changed = np.argwhere(np.abs(with_card.astype(int) - without).max(axis=2) > 30)
    (truth,) = table.truth(Scene(cards=(Card("b5", 40, -20, 30),)))
    x, y, _, h = truth.box
    assert abs(changed[:, 1].min() - x) < 6 and abs(changed[:, 0].max() - y - h) < 6
    for seed in range(10):
        position = CardTable(seed, (160, 120)).camera.position_mm
        assert math.degrees(math.atan2(math.hypot(position[0], position[1]), position[2])) < 38


def test_a_page_to_enrol_lies_wholly_in_view() -> None:
    for seed in range(8):
        table = CardTable(seed, (320, 240))
        for truth in table.truth(Scene(cards=lay_grid(deck.PAGES[0]))):
            assert all(0 <= x < 320 and 0 <= y < 240 for x, y in truth.corners)
