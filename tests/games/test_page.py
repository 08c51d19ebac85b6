"""Guards what the page for the phone is told of the games: whole sentences, edits that can be parsed, no secrets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.games import rules_of
from companion.games.page import changeable, page_of
from companion.games.record import Record
from companion.journal import Journal
from companion.screens.language import LANGUAGES, Translator
from companion.web import past

PEOPLE = [{"name": "Ana"}, {"name": "Ben"}, {"name": "Cleo"}]
CARDS = {"game": "wizard_cards", "players": PEOPLE, "dealer": 0}
GAMES: dict[str, list[dict[str, Any]]] = {
    "pizza": [
        {"game": "pizza", "layout": "hex37", "first": "A", "players": [
            {"name": "Ana", "seat": "A", "colour": "red"}, {"name": "Ben", "seat": "B", "colour": "green"}]},
        {"event": "place", "seat": "A", "space": "d4"},
        {"event": "place", "seat": "B", "space": "c3"},
        {"event": "neutral_roll", "value": 3},
        {"event": "neutral_place", "space": "f4"},
        {"event": "cut", "lines": {"A": 3, "B": 4}},
        {"event": "rotate"},
    ],
    "wizard_dice": [
        {"game": "wizard_dice", "players": PEOPLE, "first_seer": 0},
        {"event": "bid", "player": 0, "colour": "red", "number": 2},
        {"event": "bid", "player": 1, "colour": "red", "number": 3},
        {"event": "bid", "player": 2, "colour": "blue", "number": 4},
        {"event": "wizard_colour", "colour": "red"},
        {"event": "roll", "faces": ["red", "red", "blue", "green", "green", "jester", "yellow"]},
        {"event": "score", "player": 0, "entry": "bid"},
        {"event": "score", "player": 1, "entry": "bid"},
        {"event": "score", "player": 2, "entry": "jesters"},
    ],
    "wizard_cards": [
        CARDS,
        {"event": "trump", "card": "r7"},
        {"event": "bid", "player": 1, "tricks": 1},
        {"event": "bid", "player": 2, "tricks": 0},
        {"event": "bid", "player": 0, "tricks": 0},
        {"event": "play", "player": 1, "card": "b3"},
        {"event": "play", "player": 2, "card": "b9"},
        {"event": "play", "player": 0, "card": "J"},
        {"event": "trump", "card": "W"},
        {"event": "trump_colour", "colour": "green"},
        {"event": "bid", "player": 2, "tricks": 1},
        {"event": "bid", "player": 0, "tricks": 1},
        {"event": "bid", "player": 1, "tricks": 1},
        {"event": "tricks", "taken": [1, 0, 1]},
    ],
}  # fmt: skip


def steps(game: str) -> list[tuple[Any, Any, Any]]:
    """Every event of the game above with the states before and after it."""
    record: Record[Any, Any] = Record.parsed(json.dumps(line) for line in GAMES[game])
    rules, state = rules_of(game), rules_of(game).start(record.header)
    found = []
    for event in record.events:
        after = rules.apply(state, event)
        found.append((state, event, after))
        state = after
    return found


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_is_told_in_whole_sentences(game: str, language: str) -> None:
    words = Translator(language)
    for before, event, after in steps(game):
        for text in page_of(game).told(before, event, after):
            said = words.translate(text)
            assert said and "{" not in said and "? " not in said, (event, said)


@pytest.mark.parametrize("game", GAMES)
def test_what_can_be_changed_holds_the_value_and_leads_to_an_event(game: str) -> None:
    rules, changed = rules_of(game), 0
    for before, event, _ in steps(game):
        for field in page_of(game).fields(before, event):
            line = rules.event_json(event)
            place: Any = line
            for key in field.path[:-1]:
                place = place[key]
            assert place[field.path[-1]] == field.value
            assert field.value in [value for value, _ in field.options]
            for value, _ in field.options:
                place[field.path[-1]] = value
                rules.parse_event(line)
                changed += 1
    assert changed > 10


@pytest.mark.parametrize("game", GAMES)
def test_drawings_and_turns_are_of_the_state(game: str) -> None:
    page = page_of(game)
    for before, _, after in steps(game):
        drawing = page.drawing(after, None)
        assert drawing is None or not drawing.seen
        assert page.turn(before) is None or Translator().translate(page.turn(before)) in ("Ana", "Ben", "Cleo")  # type: ignore[arg-type]


def test_hidden_bids_are_told_nobody_before_they_are_shown(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.begin({**CARDS, "settings": {"bids_shown": "together"}})
    journal.append({"event": "trump", "card": "r7"})
    journal.append({"event": "bid", "player": 1, "tricks": 1})
    words = Translator()
    game = past.load_game(tmp_path / "journal.jsonl")
    assert words.translate(game.told(1)[0]) == "Ben has bid"
    assert "tricks" not in json.loads(past.export_json(game, words))["events"][1]
    assert "tricks" not in past.export_csv(game, words).decode()
    page = page_of("wizard_cards")
    assert changeable(page, game.states[-1], game.states[1], game.events[1]) == ()
    journal.append({"event": "bid", "player": 2, "tricks": 0})
    journal.append({"event": "bid", "player": 0, "tricks": 0})
    game = past.load_game(tmp_path / "journal.jsonl")
    assert json.loads(past.export_json(game, words))["events"][1]["tricks"] == 1
    (field,) = changeable(page, game.states[-1], game.states[1], game.events[1])
    assert field.path == ("tricks",) and field.value == 1, "a bid that was shown can be mended"


def test_the_trick_on_the_table_is_drawn_in_the_order_of_play() -> None:
    from companion.web.shapes import drawing_json

    rules, page = rules_of("wizard_cards"), page_of("wizard_cards")
    state = rules.start(GAMES["wizard_cards"][0])
    drawn = []
    for line in GAMES["wizard_cards"][1:8]:
        state = rules.apply(state, rules.parse_event(line))
        drawing = page.drawing(state, None)
        drawn.append([] if drawing is None else drawing_json(drawing, Translator("de"))["cards"])
    ben = {"player": "Ben", "face": "3", "colour": "blue", "colour_name": "blau", "leads": True}
    cleo = {"player": "Cleo", "face": "9", "colour": "blue", "colour_name": "blau", "leads": False}
    assert drawn == [[], [], [], [], [ben], [ben, cleo], []]


def test_a_misread_card_leads_to_the_play_that_it_was_taken_for_and_to_no_other() -> None:
    page, history = page_of("wizard_cards"), [(before, event) for before, event, _ in steps("wizard_cards")]
    trick = history[:6]  # the trump, three bids, b3 and b9
    assert page.mended(trick, "card", ["b3", "b9"], "b9", "b8") == (5, replace(history[5][1], card="b8"))
    assert page.mended(trick, "card", ["r7", "b3"], "r7", "r1") == (0, replace(history[0][1], card="r1"))
    for lying, was in ((["b3", "b3"], "b3"), (["b3", None], None), (["b3", "g1"], "g1")):
        assert page.mended(trick, "card", lying, was, "b8") is None, "two that are alike, one unread, one not played"
    assert page.mended(history, "card", ["b3"], "b3", "b8") is None, "a card of an older round is no longer there"
    twice = [*trick, (history[5][0], history[5][1])]
    assert page.mended(twice, "card", ["b9"], "b9", "b8") is None


def test_a_misread_die_leads_to_the_roll_that_lies_there_and_to_no_other() -> None:
    page, history = page_of("wizard_dice"), [(before, event) for before, event, _ in steps("wizard_dice")]
    rolled, faces = history[:5], list(history[4][1].faces)
    found = page.mended(rolled, "die", faces, "jester", "wizard")
    assert found is not None and found[0] == 4
    assert sorted(found[1].faces) == sorted([*(face for face in faces if face != "jester"), "wizard"])
    assert page.mended(rolled, "die", [*faces[1:], "wizard"], "jester", "wizard") is None, "other dice lie there"
    assert page.mended(history[:6], "die", faces, "jester", "wizard") is None, "it was scored already"
    assert page_of("pizza").mended([], "space", [], "red", "empty") is None
