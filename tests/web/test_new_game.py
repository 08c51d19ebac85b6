"""Guards a game begun on the phone: as its form is filled, judged by its rules, and never over one being played."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from companion.games import GAMES, flow_of, rules_of
from companion.games.page import page_of

from .conftest import Stage

PIZZA = {
    "game": "pizza",
    "players": [{"name": "PA", "seat": "B", "colour": "white"}, {"name": "PB", "seat": "A", "colour": "red"}],
    "first": 1,
    "rules": [],
}
CARDS = {"game": "wizard_cards", "players": [{"name": n} for n in ("PA", "PC", "PB")], "first": 2, "rules": [3, [4, 0]]}
DICE = {"game": "wizard_dice", "players": [{"name": "PB"}, {"name": "PA"}], "first": 0, "rules": [1, 1, 1, 1]}


def begun(stage: Stage, form: dict[str, Any]) -> Any:
    """The header of the game that a form began."""
    answer = stage.client().post("/api/new-game", {**form, "leave": True})
    assert answer.status_code == 200, answer.text
    assert stage.daemon.arbiter.game is not None
    return stage.daemon.arbiter.game.header


@pytest.fixture(autouse=True)
def _names(stage: Stage) -> None:
    stage.daemon.arbiter.settle(names=["PA", "PB", "PC", "PD"])


def test_the_form_becomes_the_header_of_its_game(stage: Stage) -> None:
    assert begun(stage, PIZZA) == {
        "game": "pizza", "layout": "hex37", "players": PIZZA["players"], "first": "A"}  # fmt: skip
    header = begun(stage, CARDS)
    assert header["dealer"] == 2 and [p["name"] for p in header["players"]] == ["PA", "PC", "PB"]
    assert header["settings"] == {"bids_shown": "after_round", "specials": ["bomb", "fairy"]}
    header = begun(stage, DICE)
    assert header["first_seer"] == 0
    assert header["settings"] == {"target": 12, "drop_out": "exact_only", "spells": True, "chances": True}
    assert '"first_seer": 0' in (stage.folder / "journal.jsonl").read_text()


def test_who_begins_is_drawn_by_lot_unless_said(stage: Stage) -> None:
    stage.daemon.arbiter._draw = lambda: 4
    assert begun(stage, {**CARDS, "first": None})["dealer"] == 1


@pytest.mark.parametrize("game", GAMES)
def test_whatever_can_be_chosen_is_a_game_of_the_rules(game: str) -> None:
    new = page_of(game).new
    assert new is not None
    singles = [rule for rule in new.rules if not rule.several]
    board = {"layout": "hex37"} if flow_of(game).eyes == "board" else {}  # filled in by the arbiter
    several = {rule.several: [value for value, _ in rule.options] for rule in new.rules if rule.several}
    seats, colours = [seat for seat, _ in new.seats], [colour for colour, _ in new.colours]
    for count in range(new.least, new.most + 1):
        players = [
            {"name": str(i)} | ({"seat": seats[i]} if seats else {}) | ({"colour": colours[i]} if colours else {})
            for i in range(count)
        ]
        first = {new.first: seats[count - 1] if seats else count - 1}
        for chosen in itertools.product(*(rule.options for rule in singles)):
            settings: dict[str, Any] = {**several}
            for option, _ in chosen:
                settings |= option
            rules_of(game).start({"game": game, **board, "players": players, **first, "settings": settings})


def test_the_form_offers_names_and_settings_in_the_language_asked_for(stage: Stage) -> None:
    form = stage.client().get("/api/new-game?lang=de").json()
    assert form["playing"] and [game["game"] for game in form["games"]] == list(GAMES)
    cards = next(game for game in form["games"] if game["game"] == "wizard_cards")
    assert cards["names"] == ["PA", "PB", "PC", "PD", "5", "6"]
    assert [rule["label"] for rule in cards["rules"]] == ["Gebote", "Sonderkarten"]
    assert cards["first"] == "Wer gibt zuerst?"


def test_a_game_being_played_is_left_only_by_those_who_say_so(stage: Stage) -> None:
    game = stage.daemon.arbiter.game
    for leave in ({}, {"leave": False}, {"leave": 1}):
        answer = stage.client().post("/api/new-game?lang=en", {**DICE, **leave})
        assert (answer.status_code, answer.json()["error"]) == (409, "A game is being played.")
    assert stage.daemon.arbiter.game is game


def test_a_viewer_begins_no_game(stage: Stage) -> None:
    assert stage.client("viewer").post("/api/new-game", {**DICE, "leave": True}).status_code == 403


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({**DICE, "players": [{"name": "PA"}, {"name": "PA"}]}, "Two players have the same name."),
        ({**PIZZA, "players": [{**p, "seat": "A"} for p in PIZZA["players"]]}, "Two players sit at the same place."),  # type: ignore[attr-defined]
        ({**PIZZA, "players": [{**p, "colour": "red"} for p in PIZZA["players"]]}, "Two players have the same colour."),  # type: ignore[attr-defined]
        ({**DICE, "players": [{"name": "PA"}]}, "players: must be 2 to 5"),
        ({**DICE, "players": "all"}, "players: must be"),
        ({**DICE, "players": [{"name": "PA"}, {"name": "nobody"}]}, "one of the names"),
        ({**DICE, "players": [{"name": "PA"}, {"name": ["PB"]}]}, "one of the names"),
        ({**PIZZA, "players": [{"name": "PA"}, {"name": "PB"}]}, "one of the names"),
        ({**DICE, "first": 2}, "first: "),
        ({**DICE, "first": True}, "first: "),
        ({**DICE, "rules": []}, "rules: "),
        ({**DICE, "rules": [2, 0, 0, 0]}, "rules: "),
        ({**DICE, "rules": [-1, 0, 0, 0]}, "rules: "),
        ({**DICE, "rules": [[0], 0, 0, 0]}, "rules: "),
        ({**CARDS, "rules": [0, 1]}, "rules: "),
        ({**CARDS, "rules": [0, [5]]}, "rules: "),
        ({**DICE, "game": "chess"}, "game: "),
        ({**DICE, "game": ["pizza"]}, "game: "),
        ({}, "game: "),
    ],
)
def test_a_form_that_makes_no_game_is_refused_in_one_line(stage: Stage, form: dict[str, Any], why: str) -> None:
    game = stage.daemon.arbiter.game
    answer = stage.client().post("/api/new-game?lang=en", {**form, "leave": True})
    assert answer.status_code == 400 and why in answer.json()["error"] and "\n" not in answer.json()["error"]
    assert stage.daemon.arbiter.game is game


def test_a_disk_that_refuses_leaves_the_game_as_it_was(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(header: Any) -> None:
        raise OSError(28, "No space left on device")

    game = stage.daemon.arbiter.game
    monkeypatch.setattr(stage.daemon.arbiter._book._journal, "begin", full)
    assert stage.client().post("/api/new-game", {**DICE, "leave": True}).status_code == 409
    assert stage.daemon.arbiter.game is game
