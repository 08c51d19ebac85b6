"""Guards the pizza game at the table: whole games by sight alone, every mistake named, nothing committed unseen."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from calibration.profile import layout_to_json
from companion.arbiter.arbiter import Arbiter
from companion.games.pizza.state import State
from companion.journal import Journal
from companion.layout import COLOURS, load_layout
from companion.screens.view import verbatim

from .settled import Table, header, ready, table


def stick(state: State, seat: str, number: int) -> tuple[int, tuple[int, str]]:
    return state.facing[seat], (number, COLOURS[state.setup.colour[seat]])


def play_by_sight(it: Table, rng: random.Random, rounds: int = 40) -> list[dict[str, Any]]:
    """Lay pieces as players would, and note what they did."""
    did: list[dict[str, Any]] = []
    while it.state.phase != "over" and it.state.round <= rounds:
        state = it.state
        if state.phase == "place":
            seat = state.to_act
            assert seat is not None
            space = rng.choice(state.setup.board.names(state.legal))
            it.spaces[space] = state.setup.player(seat).colour
            did.append({"event": "place", "seat": seat, "space": space})
        elif state.phase == "neutral_roll":
            assert state.setup.neutral is not None
            number = rng.randint(1, 6)
            colour = state.setup.neutral.colour
            it.dice[colour] = number
            it.die_at[colour] = it.die_at.get(colour, 0) + 1
            did.append({"event": "neutral_roll", "value": number})
        elif state.phase == "neutral_place":
            assert state.setup.neutral is not None and state.neutral_line is not None
            side, laid = stick(state, state.setup.neutral.seat, state.neutral_line)
            it.sticks[side] = laid
            space = rng.choice(state.setup.board.names(state.legal))
            it.spaces[space] = state.setup.neutral.colour
            did.append({"event": "neutral_place", "space": space})
        elif state.phase == "cut":
            lines = {seat: rng.randint(1, 6) for seat in sorted(state.order)}
            for seat, number in lines.items():
                side, laid = stick(state, seat, number)
                it.sticks[side] = laid
                it.dice[laid[1]] = number
            did.append({"event": "cut", "lines": lines})
        else:
            it.lay_as_state()
            it.look()
            assert it.view.facts["stage"] == "turn"
            it.sticks.clear()
            it.dice.clear()
            it.bottom = state.setup.facings[state.round % 3]["A"]
            did.append({"event": "rotate"})
        it.look()
        while it.view.facts.get("ask"):
            it.press("ok")
        passed = it.events[len(did) :]
        assert all(e["event"] in ("pass", "neutral_pass") for e in passed)
        did += passed
    return did


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("confirm", ["unsure", "always"])
def test_a_whole_game_by_sight_gives_the_events_that_were_played(
    tmp_path: Path, seed: int, players: int, confirm: str
) -> None:
    rng = random.Random(seed)
    it = ready(tmp_path, players, rng.choice("ABC"[:players]), confirm)
    did = play_by_sight(it, rng)
    assert it.events == did
    rows = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert [{k: v for k, v in r.items() if k not in ("t_ms", "crc")} for r in rows[1:]] == did


def test_setting_up_says_what_is_missing_and_what_is_wrong(tmp_path: Path) -> None:
    it = table(tmp_path)
    assert it.view.facts.get("events") == 0
    it.look()
    assert it.view.code == "pizza.setup" and it.problem == "missing_topping"
    it.lay_as_state()
    del it.spaces["c1"]
    it.spaces["c1"] = "empty"
    it.spaces["d4"] = "red"
    it.look()
    assert it.view.facts["spaces"] == ("c1", "d4")
    assert it.view.lines == (verbatim("c1"),), "what is to be put there is not said of the other space"
    it.lay_as_state()
    it.bottom = 2
    it.look()
    assert it.problem == "board_turned"
    it.bottom = None  # unsure is no reason to stop the game
    it.look()
    assert it.view.code == "pizza.place"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"c2": "red"}, "adjacent_own_topping"),
        ({"d4": "white"}, "wrong_colour"),
        ({"d4": "red", "a1": "red"}, "two_at_once"),
        ({"c1": "empty", "c2": "red"}, "moved_topping"),
        ({"c1": "empty"}, "missing_topping"),
        ({"c1": "green"}, "swapped_topping"),
    ],
)
def test_a_wrong_move_is_named_and_not_committed_until_it_is_mended(
    tmp_path: Path, changes: dict[str, str], code: str
) -> None:
    it = ready(tmp_path)
    before = dict(it.spaces)
    it.spaces.update(changes)
    it.look()
    assert it.problem == code
    assert it.view.tone == "wrong"
    assert set(it.view.facts["spaces"]) & set(changes)
    it.look(hand=True)
    assert it.problem == code, "it stands while a hand mends it"
    assert it.events == []
    it.spaces = before
    it.look()
    assert it.view.code == "pizza.place" and it.problem is None
    it.spaces["d4"] = "red"
    it.look()
    assert it.events == [{"event": "place", "seat": "A", "space": "d4"}]


def test_nothing_is_committed_while_a_hand_is_in_the_picture(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces["d4"] = "red"
    it.look(hand=True)
    assert it.events == []


def test_a_hand_that_stays_is_named_as_what_is_waited_for(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.look(hand=True)
    it.look(hand=True)
    title = it.look(hand=True).title
    assert title is not None and title.id == "Hands off the table"
    assert it.look().title != title


def test_hidden_spaces_are_no_difference(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces["c1"] = None
    it.look()
    assert it.problem is None and it.events == []


def test_players_who_were_quick_can_say_that_both_toppings_are_right(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces |= {"d4": "red", "e3": "white"}
    it.look()
    assert it.problem == "two_at_once"
    it.press("ok", "down", "ok")
    assert [e["space"] for e in it.events] == ["d4", "e3"]


def test_an_overruled_reading_holds_until_the_reading_changes(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces["c1"] = "empty"  # misread
    it.look()
    assert it.problem == "missing_topping"
    it.press("ok", "down", "ok")  # "all as before"
    it.look()
    assert it.problem is None
    it.spaces["d4"] = "red"
    it.look()
    assert len(it.events) == 1
    it.spaces["c1"] = "white"  # a new reading is looked at again
    it.look()
    assert it.problem == "swapped_topping"


def test_a_corrected_space_counts_as_read(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.press("ok", hold=True)
    assert it.view.code == "menu"
    it.press("down", "ok")
    assert it.view.code == "pizza.correct"
    while it.view.facts["space"] != "d4":
        it.press("down")
    it.press("ok", "back")  # empty -> red
    assert it.events == [{"event": "place", "seat": "A", "space": "d4"}]


def test_undo_takes_the_last_event_back_and_says_what_to_take_off(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces["d4"] = "red"
    it.look()
    assert len(it.events) == 1
    it.press("back", hold=True)
    assert it.events == []
    it.look()
    assert it.events == [], "what was taken back still lies there and is not committed again by itself"
    assert it.view.code == "pizza.restore" and it.view.facts["spaces"] == ("d4",)
    assert len((tmp_path / "journal.jsonl").read_text().splitlines()) == 1
    it.spaces["d4"] = "empty"
    it.look()
    assert it.view.code == "pizza.place"
    it.spaces["d4"] = "red"
    it.look()
    assert len(it.events) == 1


def test_a_taken_back_topping_can_be_said_to_be_right(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces["d4"] = "red"
    it.look()
    it.press("back", hold=True)
    it.look()
    it.press("ok", "down", "ok")
    assert len(it.events) == 1


def test_a_cut_that_was_taken_back_is_asked_for_again(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2})
    it.look()
    it.press("back", hold=True)
    it.lay_as_state()
    it.look()
    assert it.state.phase == "cut" and it.view.code == "pizza.confirm_cut"
    it.press("up", "up", "ok", "ok", "ok", "ok")
    assert it.events[-1]["lines"]["A"] == 4


def test_a_turn_that_was_taken_back_is_not_committed_again_by_itself(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2})
    it.look()
    it.lay_as_state()
    it.sticks.clear()
    it.dice.clear()
    it.bottom = it.state.setup.facings[1]["A"]
    it.look()
    assert it.state.phase == "place"
    it.press("back", hold=True)
    it.look()
    assert it.state.phase == "rotate" and it.problem == "board_turned"
    it.bottom = it.state.facing["A"]
    it.look()
    it.bottom = it.state.setup.facings[1]["A"]
    it.look()
    assert it.state.phase == "place"


def cut_table(folder: Path, confirm: str = "unsure") -> Table:
    it = ready(folder, confirm=confirm)
    for space in ("d4", "b2", "f1"):
        seat = it.state.to_act
        assert seat is not None
        legal = it.state.setup.board.names(it.state.legal)
        it.spaces[space if space in legal else legal[0]] = it.state.setup.player(seat).colour
        it.look()
    assert it.state.phase == "cut"
    return it


def lay(it: Table, numbers: dict[str, int], dice: dict[str, int | None] | None = None) -> None:
    for seat, number in numbers.items():
        side, laid = stick(it.state, seat, number)
        it.sticks[side] = laid
        colour = laid[1]
        it.dice[colour] = number if dice is None else dice.get(seat)


def test_a_cut_waits_for_all_sticks(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5})
    it.look()
    assert it.state.phase == "cut"
    lay(it, {"C": 2})
    it.look()
    assert it.events[-1] == {"event": "cut", "lines": {"A": 3, "B": 5, "C": 2}}


def test_where_stick_and_die_differ_the_players_are_asked(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2}, {"A": 4, "B": 5, "C": 2})
    it.look()
    assert it.problem == "stick_and_die_disagree"
    assert it.view.code == "pizza.confirm_cut"
    it.press("up", "up", "ok", "ok", "ok", "ok")  # change A: 3 -> 4, next, next, back to confirming, right
    assert it.events[-1] == {"event": "cut", "lines": {"A": 4, "B": 5, "C": 2}}


def test_edits_of_a_question_survive_new_pictures(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2}, {"A": 4, "B": 5, "C": 2})
    it.look()
    it.press("up", "up")
    it.look()
    assert it.view.facts["values"] == (4, 5, 2)


def test_an_unsure_stick_is_asked_even_where_certain_cuts_are_not(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2}, {})
    it.sticks[it.state.facing["A"]] = (None, "red")
    it.look()
    assert it.view.code == "pizza.confirm_cut" and it.problem == "unsure"
    it.press("ok")
    assert it.state.phase == "cut", "an unknown number can't be confirmed"
    it.press("up", "ok", "ok", "ok", "ok")
    assert it.events[-1]["event"] == "cut"


def test_a_stick_that_stays_unseen_is_asked_for(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2})
    del it.sticks[it.state.facing["A"]]
    for _ in range(2):
        it.look()
        assert it.view.code == "pizza.cut"
    it.look()
    it.look()
    assert it.view.code == "pizza.confirm_cut" and it.problem == "unsure"
    assert it.view.facts["values"] == (3, 5, 2), "the die tells what the stick does not"
    it.press("ok")
    assert it.events[-1] == {"event": "cut", "lines": {"A": 3, "B": 5, "C": 2}}


def test_a_stick_on_another_side_is_named(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2})
    it.sticks[it.state.facing["A"]] = (3, "green")
    it.look()
    assert it.problem == "wrong_stick" and it.state.phase == "cut"


def test_replacing_is_led_and_checked_before_the_board_may_turn(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2})
    before = dict(it.spaces)
    it.look()
    it.lay_as_state()
    right = dict(it.spaces)
    changed = [s for s in right if right[s] != before[s]]
    it.spaces = dict(before)
    after = it.state.setup.facings[1]["A"]
    if changed:
        it.look()
        assert it.view.facts["stage"] == "replace"
        it.sticks.clear()
        it.bottom = after
        it.look()
        assert it.problem == "not_replaced"
    it.spaces = right
    it.bottom = 6 - after - it.state.facing["A"]
    it.look()
    assert it.problem == "turned_wrong_way"
    it.bottom = after
    it.sticks = {1: (3, "red")}
    it.look()
    assert it.problem == "cutters_left"
    it.sticks.clear()
    it.bottom = None
    it.look()
    assert it.state.phase == "rotate", "not certain that the board has turned"
    it.bottom = after
    it.look()
    assert it.events[-1] == {"event": "rotate"}


def test_why_explains_every_slice(tmp_path: Path) -> None:
    it = cut_table(tmp_path)
    lay(it, {"A": 3, "B": 5, "C": 2})
    it.look()
    it.press("ok", hold=True)
    it.press("ok")
    assert it.view.code == "pizza.why"
    it.press("down")
    it.press("back")
    assert it.view.code != "pizza.why"


def test_a_die_that_lay_there_before_is_no_roll(tmp_path: Path) -> None:
    it = ready(tmp_path, 2)
    it.dice["white"] = 4
    for _ in range(2):
        seat = it.state.to_act
        assert seat is not None
        it.look()
        it.spaces[it.state.setup.board.names(it.state.legal)[0]] = it.state.setup.player(seat).colour
        it.look()
    assert it.state.phase == "neutral_roll"
    it.look()
    assert it.state.phase == "neutral_roll"
    it.die_at["white"] = 3
    it.look()
    assert it.events[-1] == {"event": "neutral_roll", "value": 4}


def roll_table(folder: Path) -> Table:
    """Two players who have added: the neutral die is to be rolled."""
    it = ready(folder, 2)
    for _ in range(2):
        seat = it.state.to_act
        assert seat is not None
        it.spaces[it.state.setup.board.names(it.state.legal)[0]] = it.state.setup.player(seat).colour
        it.look()
    assert it.state.phase == "neutral_roll"
    return it


def test_a_die_whose_rest_was_never_seen_is_no_roll(tmp_path: Path) -> None:
    it = ready(tmp_path, 2)
    it.dice["white"] = 3  # it lies there all the time, but is not looked for before the roll
    it.spaces |= {"d4": "red", "d6": "green"}
    it.look()
    it.press("ok", "down", "ok")  # both are right
    it.look()
    it.look()
    assert it.state.phase == "neutral_roll"
    it.die_at["white"] = 2
    it.look()
    assert it.events[-1] == {"event": "neutral_roll", "value": 3}


def test_a_roll_that_was_taken_back_is_asked_for(tmp_path: Path) -> None:
    it = roll_table(tmp_path)
    it.dice["white"] = 4
    it.look()
    assert it.events[-1]["event"] == "neutral_roll"
    it.press("back", hold=True)
    for _ in range(3):
        it.look()
    assert it.state.phase == "neutral_roll", "the die still shows what was taken back"


def test_what_was_taken_back_stays_so_until_it_is_seen_to_be_gone(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces["d4"] = "red"
    it.look()
    it.press("back", hold=True)
    for state in (None, "red", None, "red"):
        it.spaces["d4"] = state
        it.look()
        assert it.events == []


def test_a_misread_turn_can_be_overruled(tmp_path: Path) -> None:
    it = table(tmp_path)
    it.lay_as_state()
    it.bottom = 2
    it.look()
    assert it.problem == "board_turned"
    it.press("ok", "down", "ok")
    it.look()
    assert it.view.code == "pizza.place"


def test_a_table_that_cannot_be_seen_can_be_said_to_be_right(tmp_path: Path) -> None:
    it = table(tmp_path)
    it.look(hand=True)
    assert it.view.code == "pizza.look"
    it.press("ok", "down", "ok")
    assert it.view.code == "pizza.place"
    it.press("ok", "ok")
    it.look(hand=True)
    assert len(it.events) == 1 and it.problem is None


def test_the_offer_to_go_on_survives_back_and_the_menu(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces["d4"] = "red"
    it.look()
    arbiter = Arbiter(Journal(tmp_path), names=["Ana", "Ben"], draw=lambda: 0)
    arbiter.open()
    again = Table(arbiter, spaces=it.spaces)
    again.press("back")
    assert again.view.code == "go_on"
    again.press("ok", hold=True)
    again.press("ok", "down", "ok")  # language, German
    assert arbiter.language == "de" and again.view.code == "go_on"


def test_a_game_begun_by_the_buttons_is_played_on_the_calibrated_board(tmp_path: Path) -> None:
    board = tmp_path / "board.json"
    board.write_text(json.dumps({**layout_to_json(load_layout("hex37")), "toppings_per_colour": 9}))
    arbiter = Arbiter(Journal(tmp_path), names=[], draw=lambda: 0, board=lambda: str(board))
    arbiter.open()
    Table(arbiter).press("ok", "down", *["ok"] * 7)
    assert arbiter.game is not None and arbiter.game.header["layout"] == str(board)
    assert arbiter.game.state.setup.board.layout.toppings_per_colour == 9


def test_a_card_that_is_full_at_the_start_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arbiter = Arbiter(Journal(tmp_path), names=[], draw=lambda: 0)
    arbiter.open()
    it = Table(arbiter)
    it.press("ok", "down", "ok")
    it.press(*["ok"] * 5)

    def full(self: Journal, header: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Journal, "begin", full)
    it.press("ok")
    assert it.view.code == "not_saved" and arbiter.game is None


def test_a_neutral_stick_on_another_line_than_the_roll_is_named(tmp_path: Path) -> None:
    it = roll_table(tmp_path)
    it.dice["white"] = 4
    it.look()
    side, laid = stick(it.state, "C", 4)
    it.sticks[side] = (3, laid[1])
    it.look()
    assert it.problem == "wrong_line"


def test_a_game_goes_on_after_a_restart_exactly_where_it_was(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.spaces["d4"] = "red"
    it.look()
    arbiter = Arbiter(Journal(tmp_path), names=["Ana", "Ben"], draw=lambda: 0)
    arbiter.open()
    again = Table(arbiter, spaces=it.spaces)
    assert again.view.code == "go_on"
    again.press("ok")
    assert again.events == it.events and again.state == it.state


def test_a_game_can_be_played_by_buttons_when_there_is_no_camera(tmp_path: Path) -> None:
    arbiter = Arbiter(Journal(tmp_path), names=["Ana", "Ben", "Cleo"], draw=lambda: 1, camera=False, confirm="always")
    arbiter.begin(header(3))
    it = Table(arbiter)
    arbiter.tick(0)
    for _ in range(3):
        assert it.view.code == "pizza.place"
        it.press("ok", "ok")
    assert it.state.phase == "cut"
    it.press("ok", "up", "up", "ok", "up", "ok", "up", "ok", "ok")
    assert it.events[-1]["event"] == "cut"
    it.press("ok", "down", "ok")
    assert it.events[-1] == {"event": "rotate"}


def test_the_questions_before_a_game_lead_to_a_header(tmp_path: Path) -> None:
    arbiter = Arbiter(Journal(tmp_path), names=["Ana", "Ben", "Cleo"], draw=lambda: 4)
    arbiter.open()
    it = Table(arbiter)
    assert it.view.code == "which_game"
    it.press("ok")  # the first
    assert it.view.code == "pizza.players"
    it.press("down", "ok")  # three
    it.press("ok", "ok", "ok", "ok", "ok")
    assert it.view.code == "pizza.first"
    assert it.view.facts["first"] == "B"
    it.press("ok")
    assert arbiter.game is not None
    assert arbiter.game.header["first"] == "B"
    assert [p["colour"] for p in arbiter.game.header["players"]] == ["red", "green", "white"]


def test_a_full_card_loses_nothing_and_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    it = ready(tmp_path)

    def full(self: Journal, event: object) -> None:
        raise OSError(28, "No space left on device")

    it.spaces["d4"] = "red"
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", full)
        it.look()
        assert it.view.code == "not_saved"
        assert it.events == []
    it.look()
    assert len(it.events) == 1


def test_what_the_players_began_to_enter_is_left_when_it_is_seen(tmp_path: Path) -> None:
    it = ready(tmp_path)
    it.press("ok")  # begin to enter the topping by the buttons
    entering = it.view.code
    assert entering != "pizza.place"
    seat = it.state.to_act
    assert seat is not None
    it.spaces[it.state.setup.board.names(it.state.legal)[0]] = it.state.setup.player(seat).colour
    it.look()
    assert len(it.events) == 1 and it.view.code != entering
    it.press("ok", hold=True)  # but the menu stays
    seat = it.state.to_act
    assert seat is not None
    it.spaces[it.state.setup.board.names(it.state.legal)[0]] = it.state.setup.player(seat).colour
    it.look()
    assert len(it.events) == 2 and it.view.code == "menu"
