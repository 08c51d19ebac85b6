"""Guards the rulings of the rules page one by one, each worked out by hand.

Most cuts here have line 3 on every side of hex37, which makes seven slices:
S1 a1 a2 a3 a4 b2 b3 b4 c3 c4, S2 b1 c1 c2, S3 b5 c5 c6, S4 d1 d2 d3 e1 e2 e3 f1 f2 g1, S5 d4,
S6 d5 d6 d7 e4 e5 e6 f4 f5 g4, S7 f3 g2 g3.
"""

from typing import Any

import pytest

from companion.errors import InputError
from companion.games.base import Refusal
from companion.games.pizza.position import parse_position
from companion.games.pizza.rules import RULES
from companion.games.pizza.state import State

S1 = "a1 a2 a3 a4 b2 b3 b4 c3 c4"
S2 = "b1 c1 c2"
S3 = "b5 c5 c6"
S4 = "d1 d2 d3 e1 e2 e3 f1 f2 g1"
S6 = "d5 d6 d7 e4 e5 e6 f4 f5 g4"
S7 = "f3 g2 g3"
THREE = {"A": "red", "B": "green", "C": "white"}


def header(seats: dict[str, str] = THREE, first: str = "A") -> dict[str, Any]:
    people = [{"name": colour.title(), "seat": seat, "colour": colour} for seat, colour in seats.items()]
    return {"game": "pizza", "layout": "hex37", "players": people, "first": first}


def cut_of(red: str, green: str, white: str, seats: dict[str, str] = THREE) -> dict[str, Any]:
    """The described state after a cut along the three lines 3; a third player's line is the neutral cutter's."""
    game = RULES.start(header(seats)).setup
    toppings = "/".join(",".join(sorted(part.split())) or "-" for part in (red, green, white))
    cutters = ["-", "-", "-"]
    if game.neutral:
        cutters[game.facings[0][game.neutral.seat] - 1] = "3"
    before = parse_position(game, f"1 cut {toppings} {','.join(cutters)}")
    after = RULES.apply(before, RULES.parse_event({"event": "cut", "lines": dict.fromkeys(seats, 3)}))
    return RULES.describe(after)


@pytest.mark.parametrize(
    ("red", "green", "white", "removed", "placed", "safe"),
    [
        pytest.param("a1 a3", "a2 d1 f1", "", {"a2": "green"}, {"a2": "red"}, ["white"], id="strictly-most-takes"),
        pytest.param("a1 a3", "a2 d1", "", {}, {}, ["green", "white"], id="one-at-most-in-every-slice-is-safe"),
        pytest.param(
            "a1 a3 b3", "a2 a4 d1", "", {"a2": "green", "a4": "green"}, {"a2": "red", "a4": "red"}, ["white"],
            id="two-in-one-slice-are-not-safe",
        ),
        pytest.param("a1 a3", "a2 a4", "b3 d1 f1", {"b3": "white"}, {}, [], id="two-way-tie-removes-the-third"),
        pytest.param("a1 a3", "a2 a4", "b3", {}, {}, ["white"], id="two-way-tie-spares-a-safe-third"),
        pytest.param("a1 a3", "a2 a4", "", {}, {}, ["white"], id="two-way-tie-without-a-third"),
        pytest.param("a1 a3", "a2 a4", "b2 b4", {}, {}, [], id="three-way-tie"),
        pytest.param("", "a2", "", {}, {}, ["red", "green", "white"], id="no-topping-is-safe"),
        pytest.param(
            "a1 a3 d1", "a2 d2 e1", "", {"a2": "green", "d1": "red"}, {"a2": "red", "d1": "green"}, ["white"],
            id="slices-do-not-influence-each-other",
        ),
        pytest.param(
            "a1 a2 a3 d1", "a4 d2 e1", "b3 d3 g2 g3",
            {"a4": "green", "b3": "white", "d1": "red", "d3": "white"},
            {"a4": "red", "b3": "red", "d1": "green", "d3": "green"}, [],
            id="the-winner-takes-the-places-of-both-others",
        ),
    ],
)  # fmt: skip
def test_replacing(red: str, green: str, white: str, removed: Any, placed: Any, safe: list[str]) -> None:
    state = cut_of(red, green, white)
    assert (state["removed"], state["placed"], state["safe"]) == (removed, placed, safe)
    board = {s: c for c, spaces in (("red", red), ("green", green), ("white", white)) for s in spaces.split()}
    assert state["board"] == {s: c for s, c in board.items() if s not in removed} | placed
    assert state["phase"] == "rotate" and state["result"] is None and state["winners"] == []


def test_slices_are_those_at_the_cut() -> None:
    state = cut_of("a1 a3", "a2 d1 f1", "g2 f3 b5 c5")
    expected = [
        (S1, (2, 1, 0), "red"),
        (S2, (0, 0, 0), "empty"),
        (S3, (0, 0, 2), "white"),
        (S4, (0, 2, 0), "green"),
        ("d4", (0, 0, 0), "empty"),
        (S6, (0, 0, 0), "empty"),
        (S7, (0, 0, 2), "white"),
    ]
    assert state["slices"] == [
        {"spaces": spaces.split(), "counts": dict(zip(("red", "green", "white"), counts, strict=True)), "outcome": out}
        for spaces, counts, out in expected
    ]


@pytest.mark.parametrize(
    ("more_red", "placed"),
    [
        pytest.param("", {"b3": "red", "b4": "red"}, id="two-left"),
        pytest.param("g2 d4", {"b3": "red", "g2": "green"}, id="none-left-but-one-comes-back-first"),
    ],
)
def test_short_supply_fills_in_order_of_ids(more_red: str, placed: dict[str, str]) -> None:
    """Red has 14 (or all 16) on the board and wants b3, b4 and c4; what it has no topping for stays empty."""
    state = cut_of(f"{S4} a1 a2 a3 a4 b2 {more_red}", "b3 b4 c4 f3 g3", "")
    assert state["placed"] == placed
    assert not ({"b3", "b4", "c4"} - set(placed)) & set(state["board"])
    assert (state["result"], state["winners"], state["phase"]) == ("win", ["A"], "over")
    assert state["supply"]["red"] == 0 and "to_act" not in state and "legal" not in state


RED_15 = f"{S4} a1 a2 a3 a4 b2 b3"  # takes c3 from green
GREEN_15 = f"{S3} {S2} c3 d4 d7 e4 e5 e6 f4 f5 g4"  # loses c3, takes d5 and d6 from white


@pytest.mark.parametrize(
    ("seats", "result", "winners"),
    [
        (THREE, "shared_win", ["A", "B"]),
        ({"C": "green", "A": "red"}, "shared_win", ["A", "C"]),
        ({"A": "red", "C": "white"}, "both_lose", []),
        ({"A": "white", "C": "green"}, "both_lose", []),
    ],
)
def test_two_colours_complete_at_once(seats: dict[str, str], result: str, winners: list[str]) -> None:
    state = cut_of(RED_15, GREEN_15, "d5 d6", seats)
    assert state["supply"] == {"red": 0, "green": 0, "white": 16}
    assert (state["result"], state["winners"], state["phase"]) == (result, winners, "over")
    assert set(state) >= {"slices", "safe", "removed", "placed"}


@pytest.mark.parametrize("event", [{"event": "rotate"}, {"event": "place", "seat": "Z", "space": "zz"}])
def test_after_the_end_everything_is_refused(event: Any) -> None:
    game = RULES.start(header()).setup
    parts = (",".join(sorted(part.split())) for part in (RED_15, GREEN_15, "d5 d6"))
    over = parse_position(game, f"1 over {'/'.join(parts)} 3,3,3")
    assert refused(over, event) == "game_over"


def played(events: list[dict[str, Any]], head: dict[str, Any]) -> State:
    state = RULES.start(head)
    for event in events:
        state = RULES.apply(state, RULES.parse_event(event))
    return state


def place(seat: str, space: str) -> dict[str, Any]:
    return {"event": "place", "seat": seat, "space": space}


def refused(state: State, event: dict[str, Any]) -> str | None:
    refusal = RULES.why_not(state, RULES.parse_event(event))
    return refusal.code if refusal else None


@pytest.mark.parametrize(
    ("first", "facing", "order"),
    [
        ("A", {"A": 1, "B": 3, "C": 2}, "ACB"),
        ("B", {"A": 2, "B": 1, "C": 3}, "BAC"),
        ("C", {"A": 3, "B": 2, "C": 1}, "CBA"),
    ],
)
def test_three_players_start_and_order(first: str, facing: dict[str, int], order: str) -> None:
    state = RULES.start(header(first=first))
    shown = RULES.describe(state)
    assert shown["facing"] == facing and shown["to_act"] == first and "".join(state.order) == order
    starts = {1: ("c1", "e1"), 2: ("f5", "g3"), 3: ("a3", "b5")}
    assert shown["board"] == {space: THREE[seat] for seat, side in facing.items() for space in starts[side]}
    assert shown["supply"] == {"red": 14, "green": 14, "white": 14}


def test_the_board_turns_clockwise() -> None:
    events = [place("A", "d4"), place("C", "a1"), place("B", "g1")]
    state = played([*events, {"event": "cut", "lines": {"A": 1, "B": 1, "C": 1}}, {"event": "rotate"}], header())
    shown = RULES.describe(state)
    assert (shown["round"], shown["facing"], shown["to_act"]) == (2, {"A": 2, "B": 1, "C": 3}, "B")
    assert not {"slices", "safe", "removed", "placed"} & set(shown)
    assert state.order == ("B", "A", "C")


TWO = {"B": "white", "C": "red"}


def test_two_players_a_whole_round() -> None:
    """The first player alternates, green is neutral at seat A, its cutter lies on the side that faces A."""
    state = RULES.start(header(TWO, "C"))
    shown = RULES.describe(state)
    assert shown["facing"] == {"A": 3, "B": 2, "C": 1} and shown["to_act"] == "C"
    assert shown["board"] == {
        s: c for c, two in {"red": "c1 e1", "white": "f5 g3", "green": "a3 b5"}.items() for s in two.split()
    }
    events = [place("C", "d4"), place("B", "a1")]
    state = played(events, header(TWO, "C"))
    assert set(RULES.describe(state)) == {"round", "phase", "facing", "board", "supply", "winners", "result"}
    assert state.phase == "neutral_roll"
    events.append({"event": "neutral_roll", "value": 1})
    shown = RULES.describe(played(events, header(TWO, "C")))
    # Line 1 of side 3 also touches f5 and g3, which are taken; what lies next to a space is no matter.
    assert (shown["phase"], shown["legal"]) == ("neutral_place", ["c6", "d6", "d7", "e5", "e6", "f4", "g4"])
    assert "to_act" not in shown
    events.append({"event": "neutral_place", "space": "c6"})
    shown = RULES.describe(played(events, header(TWO, "C")))
    assert shown["phase"] == "cut" and shown["board"]["c6"] == "green" and "legal" not in shown
    events.append({"event": "cut", "lines": {"B": 6, "C": 1}})
    shown = RULES.describe(played(events, header(TWO, "C")))
    assert [" ".join(part["spaces"])[:8] for part in shown["slices"]] == [
        "a1 a2 a3",
        "a4",
        "b1 b2 b3",
        "b5 c6",
        "d7",
        "e6 f5 g4",
    ]
    assert (shown["phase"], shown["safe"], shown["removed"]) == ("rotate", ["white"], {})
    events.append({"event": "rotate"})
    state = played(events, header(TWO, "C"))
    assert (state.to_act, state.neutral_line) == ("B", None)
    assert RULES.describe(state)["facing"] == {"A": 1, "B": 3, "C": 2}


def at(position: str, seats: dict[str, str] = THREE, first: str = "A") -> State:
    return parse_position(RULES.start(header(seats, first)).setup, position)


PLACING = at("1 place:0 c1,e1/a3,b5/f5,g3 -,-,-")
ROLLING = at("1 neutral_roll c1,e1/a3,b5/f5,g3 -,-,-", TWO, "C")
NEUTRAL = at("1 neutral_place c1,e1/a3,b5/f5,g3 -,-,1", TWO, "C")
CUTTING = at("1 cut c1,e1/a3,b5/f5,g3 -,-,-")
TURNING = at("1 rotate c1,e1/a3,b5/f5,g3 1,1,1")
STUCK = at("1 place:0 b2,b4,d1,d3,d5,d7,f2,f4/a1,a2,a3,a4,c1,c3,c6,e1,g1/g2,g3,g4 -,-,-")
COVERED = at("1 neutral_place d5/a4,b4,b5,c5,c6,d6,d7/e5,e6,f4,f5,g3,g4 -,-,1", TWO, "C")


@pytest.mark.parametrize(
    ("state", "event", "code"),
    [
        (PLACING, place("A", "d4"), None),
        (PLACING, place("B", "zz"), "not_your_turn"),
        (PLACING, place("Z", "d4"), "not_your_turn"),
        (PLACING, place("A", "zz"), "unknown_space"),
        (PLACING, place("A", ""), "unknown_space"),
        (PLACING, place("A", "c1"), "space_occupied"),
        (PLACING, place("A", "a3"), "space_occupied"),
        (PLACING, place("A", "d2"), "adjacent_own_topping"),
        (PLACING, place("A", "a4"), None),
        (PLACING, {"event": "pass", "seat": "B"}, "not_your_turn"),
        (PLACING, {"event": "pass", "seat": "A"}, "must_place"),
        (PLACING, {"event": "rotate"}, "wrong_phase"),
        (PLACING, {"event": "cut", "lines": {}}, "wrong_phase"),
        (PLACING, {"event": "neutral_roll", "value": 1}, "wrong_phase"),
        (PLACING, {"event": "neutral_place", "space": "zz"}, "wrong_phase"),
        (PLACING, {"event": "neutral_pass"}, "wrong_phase"),
        (STUCK, {"event": "pass", "seat": "A"}, None),
        (STUCK, place("A", "e2"), "adjacent_own_topping"),
        (ROLLING, {"event": "neutral_roll", "value": 6}, None),
        (ROLLING, {"event": "neutral_roll", "value": 0}, "line_out_of_range"),
        (ROLLING, {"event": "neutral_roll", "value": 7}, "line_out_of_range"),
        (ROLLING, {"event": "neutral_place", "space": "c6"}, "wrong_phase"),
        (ROLLING, place("C", "d4"), "wrong_phase"),
        (NEUTRAL, {"event": "neutral_place", "space": "d7"}, None),
        (NEUTRAL, {"event": "neutral_place", "space": "zz"}, "unknown_space"),
        (NEUTRAL, {"event": "neutral_place", "space": "b5"}, "space_occupied"),
        (NEUTRAL, {"event": "neutral_place", "space": "c5"}, "not_touching_cutter"),
        (NEUTRAL, {"event": "neutral_pass"}, "must_place"),
        (COVERED, {"event": "neutral_pass"}, None),
        (COVERED, {"event": "neutral_place", "space": "a1"}, "not_touching_cutter"),
        (CUTTING, {"event": "cut", "lines": {"A": 1, "B": 6, "C": 3}}, None),
        (CUTTING, {"event": "cut", "lines": {}}, "wrong_cutters"),
        (CUTTING, {"event": "cut", "lines": {"A": 1, "B": 99}}, "wrong_cutters"),
        (CUTTING, {"event": "cut", "lines": {"A": 1, "B": 2, "C": 3, "D": 4}}, "wrong_cutters"),
        (CUTTING, {"event": "cut", "lines": {"A": 1, "B": 2, "Z": 3}}, "wrong_cutters"),
        (CUTTING, {"event": "cut", "lines": {"A": 1, "B": 2, "C": 7}}, "line_out_of_range"),
        (CUTTING, {"event": "cut", "lines": {"A": 0, "B": 2, "C": 6}}, "line_out_of_range"),
        (CUTTING, {"event": "cut", "lines": {"A": -1, "B": 2, "C": 6}}, "line_out_of_range"),
        (CUTTING, place("A", "d4"), "wrong_phase"),
        (TURNING, {"event": "rotate"}, None),
        (TURNING, {"event": "cut", "lines": {"A": 1, "B": 6, "C": 3}}, "wrong_phase"),
    ],
)  # fmt: skip
def test_first_reason_that_applies(state: State, event: dict[str, Any], code: str | None) -> None:
    assert refused(state, event) == code
    if code is None:
        assert RULES.apply(state, RULES.parse_event(event)) != state
        return
    with pytest.raises(Refusal) as caught:
        RULES.apply(state, RULES.parse_event(event))
    assert caught.value.code == code and caught.value.message.isprintable()


def test_a_player_who_cannot_add_passes_and_the_next_adds() -> None:
    after = RULES.apply(STUCK, RULES.parse_event({"event": "pass", "seat": "A"}))
    assert after.to_act == "C" and after.pieces == STUCK.pieces


def test_the_account_of_a_cut_gives_each_reason() -> None:
    """Strictly most, two-way ties with and without a third colour, three-way ties; empty slices are left out."""
    red, green, white = "a1,a3,b5,e4,f3", "a2,b1,c5,d1,f1,g2", "a4,b3,c1,c6,d5,g3"
    before = at(f"2 cut {red}/{green}/{white} -,-,-", first="C")
    event = RULES.parse_event({"event": "cut", "lines": {"A": 3, "B": 3, "C": 3}})
    assert RULES.account(before, event, RULES.apply(before, event)) == (
        "Round 2: cut: Red (A) line 3 of side 1, Green (B) line 3 of side 3, White (C) line 3 of side 2. "
        "[9 spaces at a1: red 2 green 1 white 2: two-way tie for most; green leaves a2] "
        "[3 spaces at b1: green 1 white 1: two-way tie for most] "
        "[3 spaces at b5: red 1 green 1 white 1: three-way tie, nothing happens] "
        "[9 spaces at d1: green 2: green has most and takes it] "
        "[9 spaces at d5: red 1 white 1: two-way tie for most] "
        "[3 spaces at f3: red 1 green 1 white 1: three-way tie, nothing happens]"
    )


@pytest.mark.parametrize(
    ("state", "event", "line"),
    [
        (STUCK, {"event": "pass", "seat": "A"}, "Round 1: Red (A) passes: every empty space is next to red."),
        (ROLLING, {"event": "neutral_roll", "value": 2},
         "Round 1: the neutral die shows 2: its cutter goes on line 2 of side 3."),
        (NEUTRAL, {"event": "neutral_place", "space": "d7"},
         "Round 1: Red (C) puts neutral green on d7, which touches the cutter."),
        (COVERED, {"event": "neutral_pass"},
         "Round 1: no neutral topping is put: no empty space touches the cutter (our ruling)."),
        (TURNING, {"event": "rotate"}, "The board turns: side 1 faces B; round 2 starts with Green (B)."),
    ],
)  # fmt: skip
def test_the_account_of_other_events(state: State, event: dict[str, Any], line: str) -> None:
    parsed = RULES.parse_event(event)
    assert RULES.account(state, parsed, RULES.apply(state, parsed)) == line


def test_the_account_of_the_end_marks_our_rulings() -> None:
    game = RULES.start(header()).setup
    event = RULES.parse_event({"event": "cut", "lines": {"A": 3, "B": 3, "C": 3}})
    parts = "/".join(",".join(sorted(part.split())) for part in (RED_15, GREEN_15, "d5 d6"))
    before = parse_position(game, f"1 cut {parts} -,-,-")
    line = RULES.account(before, event, RULES.apply(before, event))
    assert line.endswith(" All 16 on the board: Red (A) and Green (B) win together (our ruling).")
    short = ",".join(sorted(f"{S4} a1 a2 a3 a4 b2".split()))
    before = parse_position(game, f"1 cut {short}/b3,b4,c4/- -,-,-")
    line = RULES.account(before, event, RULES.apply(before, event))
    assert " red has no toppings left for c4: spaces are filled in order of their ids (our ruling)." in line
    assert line.endswith(" All 16 on the board: Red (A) wins.")


PLAYERS = header()["players"]


@pytest.mark.parametrize(
    "change",
    [
        {"layout": "hex38"}, {"layout": None}, {"layout": ["hex37"]}, {"layout": "nowhere/no.json"},
        {"layout": "\0.json"},
        {"layout": ""}, {"layout": "."}, {"layout": "/dev/zero"}, {"layout": "x" * 100_000 + ".json"},
        {"players": []}, {"players": PLAYERS[:1]}, {"players": PLAYERS + PLAYERS[:1]}, {"players": PLAYERS * 1000},
        {"players": {}}, {"players": "ABC"}, {"players": None}, {"players": [1, 2]}, {"players": [PLAYERS[0], None]},
        {"players": [PLAYERS[0], PLAYERS[1] | {"seat": "A"}]},
        {"players": [PLAYERS[0], PLAYERS[1] | {"colour": "red"}]},
        {"players": [PLAYERS[0], PLAYERS[1] | {"seat": "D"}]},
        {"players": [PLAYERS[0], PLAYERS[1] | {"colour": "blue"}]},
        {"players": [PLAYERS[0], PLAYERS[1] | {"name": 7}]}, {"players": [PLAYERS[0], PLAYERS[1] | {"seat": ["B"]}]},
        {"players": [PLAYERS[0], {"seat": "B", "colour": "green"}]},
        {"first": "C", "players": PLAYERS[:2]}, {"first": "D"}, {"first": 1}, {"first": None}, {"first": True},
    ],
)  # fmt: skip
def test_impossible_headers(change: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        RULES.start(header() | change)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("missing", ["layout", "players", "first"])
def test_incomplete_headers(missing: str) -> None:
    with pytest.raises(InputError, match=missing):
        RULES.start({key: value for key, value in header().items() if key != missing})


def test_names_may_repeat_and_be_anything() -> None:
    people = [
        {"name": name, "seat": s, "colour": c} for name, s, c in (("\ud800\n", "A", "red"), ("\ud800\n", "B", "green"))
    ]
    state = RULES.start(header() | {"players": people, "extra": [[]]})
    event = RULES.parse_event(place("A", "d4") | {"t_ms": 1.5, "crc": "00"})
    line = RULES.account(state, event, RULES.apply(state, event))
    assert line == r"Round 1: \ud800\n (A) puts red on d4."


@pytest.mark.parametrize(
    "event",
    [
        {}, {"event": None}, {"event": "jump"}, {"event": ["place"]}, {"event": {}}, {"event": True},
        {"event": "place"}, {"event": "place", "seat": "A"}, {"event": "place", "seat": 1, "space": "d4"},
        {"event": "place", "seat": "A", "space": None}, {"event": "place", "seat": "A", "space": ["d4"]},
        {"event": "pass"}, {"event": "neutral_roll"}, {"event": "neutral_roll", "value": True},
        {"event": "neutral_roll", "value": 3.0}, {"event": "neutral_roll", "value": "3"},
        {"event": "neutral_place", "space": 4}, {"event": "cut"}, {"event": "cut", "lines": []},
        {"event": "cut", "lines": {"A": True}}, {"event": "cut", "lines": {"Z": None}},
        {"event": "cut", "lines": {"A": 1.0}},
        {"event": "cut", "lines": {"A": [1]}},
    ],
)  # fmt: skip
def test_malformed_events(event: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RULES.parse_event(event)
