"""Guards the enrolment of cards: labels, number of cards, likeness, and a profile that survives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.cards import (
    Enrolment,
    Labelled,
    alike,
    enrol,
    has_cards,
    load_cards,
    parse_labels,
    parse_size,
    save_cards,
)
from companion.errors import CalibrationError, InputError, ProfileError
from companion.simulator import deck
from companion.simulator.cards import CardTable, lay_grid
from companion.simulator.scene import Scene

CARD_MM = (deck.WIDTH_MM, deck.HEIGHT_MM)
CARDS = ("b1", "r2", "y3", "g4")


@pytest.fixture(scope="module")
def picture() -> Any:
    table = CardTable(2, (960, 720))
    table.gloss = None
    return table.draw(Scene(cards=lay_grid(CARDS, 2)), 0)


@pytest.fixture(scope="module")
def enrolment(picture: Any) -> Enrolment:
    return enrol([Labelled(picture, CARDS)], CARD_MM)


def test_faces_are_what_was_printed(enrolment: Enrolment) -> None:
    assert enrolment.counts == dict.fromkeys(CARDS, 1)
    for value, face in zip(enrolment.model.deck.values, enrolment.model.deck.faces, strict=True):
        printed = np.asarray(deck.draw_card(value, 2.0).convert("RGB"), float)[8:-8, 8:-8, ::-1].ravel()
        likeness = {turn: np.corrcoef(printed, np.rot90(face, turn)[8:-8, 8:-8].ravel())[0, 1] for turn in (0, 2)}
        assert max(likeness.values()) > 0.8


def test_boxes_free_the_order(picture: Any) -> None:
    table = CardTable(2, (960, 720))
    truth = table.truth(Scene(cards=lay_grid(CARDS, 2)))[::-1]
    labelled = Labelled(picture, CARDS[::-1], np.array([t.box for t in truth], float))
    a, b = enrol([labelled], CARD_MM).model.deck, enrol([Labelled(picture, CARDS)], CARD_MM).model.deck
    for value in CARDS:
        one, other = a.faces[a.values.index(value)], b.faces[b.values.index(value)]
        assert np.abs(one.astype(int) - other).mean() < 2


def test_another_number_of_cards_is_said(picture: Any) -> None:
    with pytest.raises(CalibrationError, match="4 cards are seen, 5 are labelled"):
        enrol([Labelled(picture, (*CARDS, "b9"))], CARD_MM)
    with pytest.raises(CalibrationError, match="0 cards are seen"):
        enrol([Labelled(np.full_like(picture, 90), CARDS)], CARD_MM)


def test_small_cards_are_refused(picture: Any) -> None:
    import cv2

    small = np.asarray(cv2.resize(picture, (320, 240), interpolation=cv2.INTER_AREA), np.uint8)
    with pytest.raises(CalibrationError, match=r"px wide|cards are seen"):
        enrol([Labelled(small, CARDS)], CARD_MM)


def test_cards_that_look_alike_are_named(enrolment: Enrolment) -> None:
    from companion.vision.cards_deck import Deck

    faces = np.concatenate([enrolment.model.deck.faces, enrolment.model.deck.faces[:1]])
    assert alike(Deck(faces, (*CARDS, "b7"), CARD_MM)) == [("b1", "b7")]
    assert alike(enrolment.model.deck) == []


def test_a_profile_comes_back_as_it_was(enrolment: Enrolment, tmp_path: Path) -> None:
    assert not has_cards(tmp_path)
    save_cards(tmp_path, enrolment)
    again = load_cards(tmp_path)
    assert has_cards(tmp_path)
    assert again.counts == enrolment.counts and again.model.plane == enrolment.model.plane
    assert (again.model.deck.faces == enrolment.model.deck.faces).all()


def test_a_new_enrolment_leaves_no_old_pictures(enrolment: Enrolment, tmp_path: Path) -> None:
    from dataclasses import replace

    save_cards(tmp_path, enrolment)
    two = replace(enrolment.model.deck, faces=enrolment.model.deck.faces[:2], values=CARDS[:2])
    save_cards(tmp_path, replace(enrolment, model=replace(enrolment.model, deck=two)))
    assert len(list((tmp_path / "cards").iterdir())) == 3
    assert load_cards(tmp_path).counts == {"b1": 1, "r2": 1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "format 2 is not 1"),
        ({"format": True}, "format True"),
        ({"size_mm": [59]}, "broken"),
        ({"size_mm": [5000, 9000]}, "broken"),
        ({"plane": {"matrix": [0] * 9, "lens": 0, "size_px": [960, 720]}}, "broken|can't"),
        ({"plane": None}, "broken"),
        ({"cards": []}, "broken"),
        ({"cards": [{"value": "b1", "file": "../x.png", "sha256": ""}] * 2}, "broken"),
        ({"hints": 3}, "broken"),
    ],
)
def test_a_broken_profile_names_its_file(
    enrolment: Enrolment, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    save_cards(tmp_path, enrolment)
    path = tmp_path / "cards" / "cards.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ProfileError, match=said) as error:
        load_cards(tmp_path)
    assert "cards.json" in str(error.value)


def test_changed_and_missing_pictures_are_named(enrolment: Enrolment, tmp_path: Path) -> None:
    save_cards(tmp_path, enrolment)
    face = next((tmp_path / "cards").glob("b1-*.png"))
    face.write_bytes(b"x")
    with pytest.raises(ProfileError, match=r"b1-.*changed or damaged"):
        load_cards(tmp_path)
    face.unlink()
    with pytest.raises(ProfileError, match=r"b1-.*No such file"):
        load_cards(tmp_path)
    with pytest.raises(ProfileError, match="missing: run"):
        load_cards(tmp_path / "elsewhere")


@pytest.mark.parametrize(
    "labels",
    [
        None,
        {"cards": []},
        {"cards": [{"value": 3}]},
        {"cards": [{"value": ""}]},
        {"cards": [{"value": "a b"}]},
        {"cards": [{"value": "b1", "box": [1, 2, 3]}]},
        {"cards": [{"value": "b1", "box": [900, 0, 40, 60]}]},
        {"cards": [{"value": "b1", "box": [0, 0, True, 60]}]},
        {"cards": [{"value": "b1", "box": [0, 0, 40, 60]}, {"value": "b2"}]},
    ],
)
def test_bad_labels_are_refused_with_their_file(labels: Any) -> None:
    with pytest.raises(InputError, match=r"l\.json"):
        parse_labels(labels, "l.json", (640, 480))


@pytest.mark.parametrize("text", ["", "59", "59x", "0x0", "59x59", "20x30", "axb", "59x91x3", "-59x91", "59x400"])
def test_bad_sizes_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--size"):
        parse_size(text)
