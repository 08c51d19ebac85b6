"""Guards spells: what each modifier changes, nothing where there is none, and that records with them are strict."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import InputError
from companion.games.base import Refusal
from companion.games.record import Record
from companion.games.wizard_dice.rules import RULES
from companion.games.wizard_dice.state import FACES, Event, Sheet, Spell, State

from .test_rules import bid, header, random_event, roll, score, wizards

BIDS = [bid(0, "blue", 3), bid(1, "red", 2)]


def spell(name: str = "Echo", **modifiers: Any) -> dict[str, Any]:
    return {"event": "spell", "name": name, "modifiers": modifiers}


def erase(player: int, colour: str, number: int) -> dict[str, Any]:
    return {"event": "erase", "player": player, "colour": colour, "number": number}


def start(*sheets: Sheet) -> State:
    state = RULES.start(header(2, spells=True))
    return replace(state, sheets=sheets) if sheets else state


def after(state: State, *events: dict[str, Any]) -> State:
    for event in events:
        state = RULES.apply(state, RULES.parse_event(event))
    return state


def code(state: State, event: dict[str, Any]) -> str | None:
    refusal = RULES.why_not(state, RULES.parse_event(event))
    return refusal.code if refusal else None


def test_a_spell_needs_the_setting_and_comes_before_the_first_bid_at_most_once() -> None:
    assert code(RULES.start(header(2)), spell()) == "wrong_phase"
    state = after(start(), spell(double=True))
    assert code(state, spell()) == "wrong_phase"
    assert code(after(start(), BIDS[0]), spell()) == "wrong_phase"
    assert code(start(), spell(seer_sets=8)) == code(start(), spell(seer_sets=-1)) == "bad_spell"
    told = RULES.describe(state)
    assert told["spell"] == {"name": "Echo", "modifiers": {"double": True}} and told["erased"] == []
    done = after(state, *BIDS, wizards("red"), roll("bbbrwjj"), score(0), score(1))
    assert done.round == 2 and done.spell is None and "spell" not in RULES.describe(done)


def test_double_gives_two_crosses_or_twice_the_difference() -> None:
    state = after(start(), spell(double=True), *BIDS, wizards("green"), roll("bbbyyyj"), score(0), score(1))
    sheets = RULES.describe(state)["sheets"]
    assert sheets[0] == {"cells": {"blue-3": "XX"}, "jesters": [], "crosses": 2, "points": 6}
    assert sheets[1] == {"cells": {"red-2": -4}, "jesters": [], "crosses": 0, "points": -4}


def test_a_jester_entry_is_not_doubled() -> None:
    state = after(start(), spell(double=True), *BIDS, wizards("green"), roll("bbbyyyj"), score(1, "jesters"))
    assert RULES.describe(state)["sheets"][1] == {"cells": {"red-2": 0}, "jesters": [1], "crosses": 1, "points": 0}


def test_a_doubled_cross_can_jump_over_the_target() -> None:
    eight = Sheet({("green", n): None for n in range(1, 6)} | {("yellow", n): None for n in range(1, 4)})
    state = after(start(eight, Sheet()), spell(double=True), *BIDS, wizards("green"), roll("bbbyyyj"))
    state = after(state, score(0), score(1))
    assert state.phase == "over" and state.sheets[0].crosses == 10
    assert state.sheets[0].points(9) == 15 + 6 + 6 + 3


def test_late_bids_come_between_the_first_roll_and_the_wizard_colour() -> None:
    state = after(start(), spell(late_bids=True))
    assert state.phase == "roll" and code(state, BIDS[0]) == code(state, score(0)) == "wrong_phase"
    state = after(state, roll("bbbrwjj"))
    assert RULES.describe(state)["to_act"] == 0 and state.rolls == 1
    assert code(state, roll("bbbrwjj")) == "wrong_phase"
    state = after(state, *BIDS, wizards("red"))
    assert state.phase == "roll" and code(state, score(1)) is None
    state = after(state, roll("bbbrwjj"), roll("bbbrwjj"))
    assert state.phase == "score" and state.rolls == 3


def test_locked_jesters_stay() -> None:
    state = after(start(), spell(jesters_locked=True), *BIDS, wizards("red"), roll("bbbrwjj"))
    assert code(state, roll("bbbrwjb")) == "jester_rerolled"
    assert code(state, roll("rrrrjjj")) is None
    assert code(after(start(), *BIDS, wizards("red"), roll("bbbrwjj")), roll("bbbrwjb")) is None


def test_a_minus_is_erased_once_at_the_own_turn() -> None:
    bad = Sheet({("red", 5): -3, ("green", 1): None, ("blue", 1): -1})
    state = after(start(bad, bad), spell(erase_minus=True))
    assert code(state, erase(1, "red", 5)) == "not_your_turn"
    assert code(state, erase(0, "green", 1)) == code(state, erase(0, "pink", 9)) == "no_minus"
    state = after(state, erase(0, "red", 5))
    assert RULES.describe(state)["sheets"][0]["cells"]["red-5"] == 0 and RULES.describe(state)["erased"] == [0]
    assert code(state, erase(0, "blue", 1)) == "already_erased"
    assert code(state, bid(0, "red", 5)) == "cell_used"
    state = after(state, BIDS[0])
    assert code(state, erase(1, "red", 5)) is None
    assert code(after(state, BIDS[1]), erase(1, "red", 5)) == "wrong_phase"
    assert code(after(start(bad, bad)), erase(0, "red", 5)) == "wrong_phase"


@pytest.mark.parametrize(
    "event",
    [
        {"event": "spell"}, {"event": "spell", "name": "x"}, {"event": "spell", "modifiers": {}}, spell(1),
        spell(fire=True), spell(double=1), spell(double=None), spell(seer_sets=True), spell(seer_sets=2.0),
        {"event": "spell", "name": "x", "modifiers": []}, erase(0, 1, 1), {"event": "erase", "player": 0},
    ],
)  # fmt: skip
def test_malformed_spells(event: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RULES.parse_event(event)


@pytest.mark.parametrize("change", [{"spells": 1}, {"spells": "yes"}, {"chances": None}, {"chances": 0}])
def test_switches_are_true_or_false(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RULES.start(header(2, **change))


modifiers = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.booleans() for key in ("double", "late_bids", "jesters_locked", "erase_minus")},
        "seer_sets": st.integers(0, 7),
    },
)


@given(st.text(max_size=50), modifiers)
@settings(max_examples=50, deadline=None)
def test_a_spell_survives_its_line(name: str, given: dict[str, Any]) -> None:
    event = RULES.parse_event(spell(name, **given))
    assert isinstance(event, Spell)
    assert RULES.parse_event(json.loads(json.dumps(RULES.event_json(event)))) == event
    state = after(start(), RULES.event_json(event))
    line = RULES.account(start(), event, state)
    assert line.isprintable() and line.startswith("Round 1: spell")


@given(st.integers(0, 2**32), modifiers)
@settings(max_examples=25, deadline=None)
def test_games_under_spells_can_be_replayed_and_undone(seed: int, given: dict[str, Any]) -> None:
    rng = random.Random(seed)
    record: Record[State, Event] = Record(header(3, spells=True))
    states = [RULES.start(record.header)]
    for _ in range(60):
        state = states[-1]
        line = random_event(rng, RULES.describe(state))
        if state.phase == "roll" and rng.random() < 0.5:
            line = {"event": "roll", "faces": rng.choices(FACES, k=7)}
        if state.phase == "bid" and not state.acted and state.spell is None and rng.random() < 0.7:
            line = spell(**given)
        minus = state.sheets[state.to_act].minus if state.to_act is not None else []
        if minus and state.force.erase_minus and rng.random() < 0.5:
            assert state.to_act is not None
            line = erase(state.to_act, *minus[0])
        event = RULES.parse_event(line)
        try:
            states.append(RULES.apply(state, event))
        except Refusal:
            continue
        record = Record(record.header, (*record.events, event))
        assert RULES.account(state, event, states[-1]).isprintable()
        assert hash(states[-1]) == hash(states[-1])
    assert Record.parsed(record.lines()) == record and record.replay() == states[-1]
    assert record.undone().replay() == states[max(len(states) - 2, 0)]
