"""Guards what must hold in every state of every game: conservation, undo, round trips, and one notion of legality."""

import dataclasses
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import RecordError
from companion.games.pizza.position import parse_position, position
from companion.games.pizza.rules import RULES
from companion.games.pizza.state import Cut, Event, NeutralPass, NeutralPlace, NeutralRoll, Pass, Place, Rotate, State
from companion.games.record import Record

COLOURS = ("red", "green", "white")


def legal_event(rng: random.Random, state: State) -> Event:
    spaces = state.setup.board.names(state.legal)
    match state.phase:
        case "place":
            seat = str(state.to_act)
            return Place(seat, rng.choice(spaces)) if spaces else Pass(seat)
        case "neutral_roll":
            return NeutralRoll(rng.randint(1, 6))
        case "neutral_place":
            return NeutralPlace(rng.choice(spaces)) if spaces else NeutralPass()
        case "cut":
            return Cut(tuple((seat, rng.randint(1, 6)) for seat in sorted(state.order)))
    return Rotate()


@st.composite
def games(draw: st.DrawFn) -> Record[State, Event]:
    """A legal record of 0 to 60 events, of two or three players."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    seats = rng.sample("ABC", draw(st.sampled_from([2, 3])))
    people = [
        {"name": draw(st.text(max_size=5)), "seat": seat, "colour": colour}
        for seat, colour in zip(seats, rng.sample(COLOURS, 3), strict=False)
    ]
    header = {"game": "pizza", "layout": "hex37", "players": people, "first": rng.choice(seats)}
    state = RULES.start(header)
    events = []
    for _ in range(draw(st.integers(0, 60))):
        if RULES.is_over(state):
            break
        events.append(legal_event(rng, state))
        state = RULES.apply(state, events[-1])
    return Record(header, tuple(events))


@settings(max_examples=60, deadline=None)
@given(game=games())
def test_every_state_of_a_game(game: Record[State, Event]) -> None:
    state = RULES.start(game.header)
    for count, event in enumerate((*game.events, None)):
        shown = RULES.describe(state)
        assert json.loads(json.dumps(shown)) == shown
        on_board = list(shown["board"].values())
        assert {c: on_board.count(c) + shown["supply"][c] for c in COLOURS} == dict.fromkeys(COLOURS, 16)
        red, green, white = state.pieces
        assert not red & green and not red & white and not green & white
        # The text form gives the same state back, the ruling included.
        assert parse_position(state.setup, position(state)) == state
        # Undo is replay: dropping the later events gives this state.
        assert Record(game.header, game.events[:count]).replay() == state
        # One notion of legality: the list, and the question asked of each space.
        board = state.setup.board
        if state.phase == "place":
            legal = [s for s in board.ids if RULES.why_not(state, Place(str(state.to_act), s)) is None]
            assert shown["legal"] == legal and (RULES.why_not(state, Pass(str(state.to_act))) is None) == (not legal)
        if state.phase == "neutral_place":
            legal = [s for s in board.ids if RULES.why_not(state, NeutralPlace(s)) is None]
            assert shown["legal"] == legal and (RULES.why_not(state, NeutralPass()) is None) == (not legal)
        if state.ruling is not None:
            parts = shown["slices"]
            assert sorted(s for part in parts for s in part["spaces"]) == list(board.ids)
            assert parts == sorted(parts, key=lambda part: part["spaces"]) and 4 <= len(parts) <= 7
            assert set(shown["placed"]) <= set(shown["removed"])
            if set(shown["placed"]) < {s for s, c in shown["removed"].items() if _taken(parts, s)}:
                assert state.phase == "over"  # a colour runs short only when all its toppings are on the board
        if event is not None:
            state = RULES.apply(state, event)


def _taken(parts: list[dict[str, Any]], space: str) -> bool:
    return next(part["outcome"] in COLOURS for part in parts if space in part["spaces"])


@settings(max_examples=40, deadline=None)
@given(game=games())
def test_a_record_round_trips(game: Record[State, Event]) -> None:
    lines = game.lines()
    assert Record.parsed(lines) == game and Record.parsed([line.encode() for line in lines]) == game
    for event in game.events:
        line = json.dumps(RULES.event_json(event))
        assert RULES.parse_event(json.loads(line)) == event
        assert "\n" not in RULES.account(*_around(game, game.events.index(event)))
    undone = game.undone()
    assert undone.events == game.events[:-1]
    if game.events:
        assert undone.push(game.events[-1]) == game


def _around(game: Record[State, Event], index: int) -> tuple[State, Event, State]:
    before = Record(game.header, game.events[:index]).replay()
    return before, game.events[index], RULES.apply(before, game.events[index])


def test_states_are_frozen_and_hashable(start: State) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        start.round = 2  # type: ignore[misc]
    assert hash(start) == hash(RULES.start(_header())) and start == RULES.start(_header())


def _header() -> dict[str, Any]:
    people = [{"name": s, "seat": s, "colour": c} for s, c in zip("ABC", COLOURS, strict=True)]
    return {"game": "pizza", "layout": "hex37", "players": people, "first": "A"}


@pytest.fixture
def start() -> State:
    return RULES.start(_header())


@pytest.mark.parametrize(
    "text",
    [
        "", "1", "1 cut -/-/- - -", "x place:0 -/-/- -,-,-", "0 place:0 -/-/- -,-,-", "1 place -/-/- -,-,-",
        "1 place:3 -/-/- -,-,-", "1 place:-1 -/-/- -,-,-", "1 cut:1 -/-/- -,-,-", "1 cut z9/-/- -,-,-",
        "1 cut a1/a1/- -,-,-", "1 cut a2,a1/-/- -,-,-", "1 cut a1,a1/-/- -,-,-", "1 cut -/- -,-,-", "1 cut -/-/- -,-",
        "1 cut -/-/- 1,-,-", "1 neutral_roll -/-/- -,-,-", "1 neutral_place -/-/- -,1,-", "1 rotate -/-/- -,-,-",
        "1 rotate -/-/- 1,1,7", "1 rotate -/-/- 1,1", "1 over -/-/- 1,1,1", "1 dance -/-/- -,-,-",
        "1 rotate -/-/- 1,1,1 x", "1" * 5000 + " cut -/-/- -,-,-", "1 cut  -/-/- -,-,-",
    ],
)  # fmt: skip
def test_no_positions(text: str, start: State) -> None:
    with pytest.raises(RecordError):
        parse_position(start.setup, text)
