"""Guards the dice game's rulings: by hand one by one, and against a second engine over random games with mistakes."""

import json
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import InputError
from companion.games.base import Refusal
from companion.games.record import Record
from companion.games.wizard_dice.rules import RULES
from companion.games.wizard_dice.state import Event, Pass, Score, Sheet, State

COLOURS = ["blue", "red", "yellow", "green"]
FACES = [*COLOURS, "wizard", "jester"]


def header(players: int = 3, seer: int = 0, **chosen: Any) -> dict[str, Any]:
    people = [{"name": f"P{i}"} for i in range(players)]
    return {"game": "wizard_dice", "players": people, "first_seer": seer, "settings": chosen}


def bid(player: int, colour: str, number: int) -> dict[str, Any]:
    return {"event": "bid", "player": player, "colour": colour, "number": number}


def roll(dice: str) -> dict[str, Any]:
    """A roll from initials: b r y g, w for wizard, j for jester."""
    return {"event": "roll", "faces": [next(f for f in FACES if f[0] == c) for c in dice]}


def score(player: int, entry: str = "bid") -> dict[str, Any]:
    return {"event": "score", "player": player, "entry": entry}


def wizards(colour: str) -> dict[str, Any]:
    return {"event": "wizard_colour", "colour": colour}


def played(events: list[dict[str, Any]], head: dict[str, Any]) -> State:
    state = RULES.start(head)
    for event in events:
        state = RULES.apply(state, RULES.parse_event(event))
    return state


def shown(events: list[dict[str, Any]], head: dict[str, Any]) -> dict[str, Any]:
    return RULES.describe(played(events, head))


def code(events: list[dict[str, Any]], event: dict[str, Any], head: dict[str, Any]) -> str | None:
    refusal = RULES.why_not(played(events, head), RULES.parse_event(event))
    return refusal.code if refusal else None


BIDS = [bid(0, "blue", 3), bid(1, "red", 2), bid(2, "green", 1)]


def test_the_start() -> None:
    assert shown([], header(2, 1)) == {
        "round": 1,
        "phase": "bid",
        "seer": 1,
        "to_act": 1,
        "bids": [None, None],
        "wizard_colour": None,
        "rolls": 0,
        "faces": [],
        "scored": [],
        "sheets": [{"cells": {}, "jesters": [], "crosses": 0, "points": 0}] * 2,
        "winners": [],
    }


def test_a_whole_round() -> None:
    state = shown(BIDS, header())
    assert state["phase"] == "wizard_colour" and "to_act" not in state
    assert state["bids"][1] == {"colour": "red", "number": 2}
    events = [*BIDS, wizards("red"), roll("rrwbbjj"), score(2, "jesters")]
    state = shown(events, header())
    assert (state["phase"], state["rolls"], state["scored"]) == ("roll", 1, [2])
    assert state["sheets"][2] == {"cells": {"green-1": 0}, "jesters": [2], "crosses": 1, "points": 0}
    # The seer stops after the second roll: rolling ends, player 1 must score the same dice.
    events += [roll("rwbbbjg"), score(0)]
    state = shown(events, header())
    assert (state["phase"], state["scored"]) == ("score", [0, 2])
    assert state["sheets"][0] == {"cells": {"blue-3": "X"}, "jesters": [], "crosses": 1, "points": 3}
    assert code(events, roll("rrrrrrr"), header()) == "wrong_phase"
    assert code(events, score(0), header()) == "already_scored"
    assert code(events, score(1, "jesters"), header()) == "exact_bid"
    state = shown([*events, score(1)], header())
    # Wizards counted as red: one red and one wizard is exactly two. Red 2 is the highest bid off the seer's colour.
    assert state["sheets"][1]["cells"] == {"red-2": "X"}
    assert (state["round"], state["phase"], state["seer"], state["to_act"]) == (2, "bid", 1, 1)
    assert (state["bids"], state["faces"], state["rolls"], state["scored"]) == ([None] * 3, [], 0, [])


def test_after_three_rolls_everybody_scores() -> None:
    events = [*BIDS, wizards("yellow"), *[roll("wwwbbjj")] * 3]
    assert shown(events, header())["phase"] == "score"
    state = shown([*events, score(0), score(1, "jesters")], header())
    assert state["sheets"][0]["cells"] == {"blue-3": -1} and state["sheets"][0]["points"] == -1
    assert state["sheets"][1] == {"cells": {"red-2": 0}, "jesters": [2], "crosses": 1, "points": 0}


@pytest.mark.parametrize(
    ("bids", "seer"),
    [
        ([("blue", 3), ("red", 2), ("green", 1)], 1),
        ([("blue", 1), ("red", 2), ("green", 2)], 1),
        ([("blue", 1), ("red", 2), ("green", 5)], 2),
        ([("blue", 1), ("blue", 5), ("green", 1)], 2),
        ([("blue", 1), ("blue", 5), ("blue", 2)], 0),
    ],
)
def test_next_seer(bids: list[tuple[str, int]], seer: int) -> None:
    events = [bid(i, *pair) for i, pair in enumerate(bids)]
    events += [wizards("red"), roll("bbbbbbb"), score(0), score(1), score(2)]
    assert shown(events, header())["seer"] == seer


def test_of_equal_bids_the_earlier_counts_from_the_seer() -> None:
    """Player 2 is the seer, so player 0 bids before player 1."""
    events = [bid(2, "blue", 1), bid(0, "red", 4), bid(1, "green", 4)]
    events += [wizards("red"), roll("bbbbbbb"), score(0), score(1), score(2)]
    assert shown(events, header(seer=2))["seer"] == 0


SHORT = header(2)
TWO_BIDS = [bid(0, "blue", 3), bid(1, "red", 2)]
ROLLED = [*TWO_BIDS, wizards("blue"), roll("bbbrrrj")]
USED = [*ROLLED, score(0), score(1)]  # blue 3 is crossed, red 2 has -1, player 1 is the seer
JESTER = [*TWO_BIDS, wizards("blue"), roll("bbbrrrj"), score(0), score(1, "jesters")]  # jester cell 1 of player 1
AGAIN = [*JESTER, bid(1, "red", 4), bid(0, "green", 2), wizards("red"), roll("rrrjwbb")]


@pytest.mark.parametrize(
    ("events", "event", "expected"),
    [
        ([], bid(1, "blue", 3), "not_your_turn"),
        ([], bid(7, "pink", 9), "not_your_turn"),
        ([], bid(-1, "blue", 3), "not_your_turn"),
        ([], bid(0, "pink", 9), "bad_colour"),
        ([], bid(0, "wizard", 3), "bad_colour"),
        ([], bid(0, "blue", 0), "number_out_of_range"),
        ([], bid(0, "blue", 6), "number_out_of_range"),
        (TWO_BIDS[:1], bid(1, "blue", 3), "duplicate_bid"),
        (USED, bid(1, "red", 2), "cell_used"),
        (USED, bid(1, "blue", 3), None),
        ([*USED, bid(1, "blue", 3)], bid(0, "blue", 3), "duplicate_bid"),
        ([*USED, bid(1, "blue", 4)], bid(0, "blue", 3), "cell_used"),
        (JESTER, bid(1, "red", 2), "cell_used"),
        ([], {"event": "pass", "player": 1}, "not_your_turn"),
        ([], {"event": "pass", "player": 0}, "must_bid"),
        ([], wizards("blue"), "wrong_phase"),
        (TWO_BIDS, wizards("pink"), "bad_colour"),
        (TWO_BIDS, wizards("jester"), "bad_colour"),
        (TWO_BIDS, wizards("blue"), None),
        (TWO_BIDS, roll("bbbbbbb"), "wrong_phase"),
        ([*TWO_BIDS, wizards("red")], score(0), "wrong_phase"),
        ([*TWO_BIDS, wizards("red")], {"event": "roll", "faces": ["x"] * 6}, "wrong_dice_count"),
        ([*TWO_BIDS, wizards("red")], {"event": "roll", "faces": []}, "wrong_dice_count"),
        ([*TWO_BIDS, wizards("red")], {"event": "roll", "faces": ["blue"] * 6 + ["pink"]}, "bad_face"),
        (ROLLED, bid(0, "blue", 1), "wrong_phase"),
        (ROLLED, score(0, "jesters"), "exact_bid"),
        (ROLLED, score(2), "already_scored"),
        (ROLLED, score(-1, "jesters"), "already_scored"),
        ([*ROLLED, score(1)], score(1, "jesters"), "already_scored"),
        ([*ROLLED, roll("bbbbbbb")], score(0, "jesters"), "no_jester_entry"),
        ([*ROLLED, roll("jjjjjjj")], score(0, "jesters"), "no_jester_entry"),
        ([*ROLLED, roll("jjjjjjb")], score(0, "jesters"), "no_jester_entry"),
        ([*ROLLED, roll("jjjjjbb")], score(0, "jesters"), None),
        (AGAIN, score(1, "jesters"), "exact_bid"),
        ([*AGAIN, roll("rrjbbbb")], score(1, "jesters"), "jester_cell_used"),
        ([*AGAIN, roll("rrjjbbb")], score(1, "jesters"), None),
    ],
)  # fmt: skip
def test_first_reason_that_applies(events: list[Any], event: dict[str, Any], expected: str | None) -> None:
    assert code(events, event, SHORT) == expected


def test_leaving_early_only_with_the_exact_bid() -> None:
    """The setting binds the others while rolling goes on; the seer may always stop."""
    strict = header(2, drop_out="exact_only")
    assert code(ROLLED, score(1), strict) == "not_exact" and code(ROLLED, score(1), SHORT) is None
    assert code(ROLLED, score(1, "jesters"), strict) == "not_exact"
    assert code([*ROLLED, roll("bbbbrrr")], score(1, "jesters"), strict) == "no_jester_entry"
    assert code([*ROLLED, roll("bbbbbrr")], score(1), strict) is None
    assert code([*ROLLED, roll("bbbbbrr")], score(0), strict) is None
    assert code([*ROLLED, score(0)], score(1), strict) is None
    assert code([*ROLLED, *[roll("bbbbbbb")] * 2], score(1), strict) is None


Pairs = list[tuple[str, int]]
CROSSED_BLUE_AND_RED: Pairs = [*(("blue", n) for n in range(1, 6)), *(("red", n) for n in range(1, 5))]  # 25 points


def all_hit(zero: Pairs, one: Pairs, head: dict[str, Any]) -> list[dict[str, Any]]:
    """Rounds in which both players bid these pairs and meet them exactly, the one who is not the seer first."""
    events: list[dict[str, Any]] = []
    for pairs in zip(zero, one, strict=True):
        seer = played(events, head).seer
        unused = next(colour for colour in COLOURS if colour not in (pairs[0][0], pairs[1][0]))
        events += [bid(seer, *pairs[seer]), bid(1 - seer, *pairs[1 - seer]), wizards(unused)]
        for player in (1 - seer, seer):
            colour, number = pairs[player]
            events += [{"event": "roll", "faces": [colour] * number + ["jester"] * (7 - number)}, score(player)]
    return events


def test_nine_crosses_end_the_game_after_the_round() -> None:
    better: Pairs = [*(("yellow", n) for n in (5, 4, 3, 2, 1)), *(("green", n) for n in (5, 4, 3, 2))]
    events = all_hit(CROSSED_BLUE_AND_RED, better, header(2))
    assert shown(events[:-1], header(2))["phase"] == "roll"
    state = shown(events, header(2))
    assert (state["phase"], state["winners"], state["round"]) == ("over", [1], 9)
    # The bonus of three is for each player with nine X.
    assert [(sheet["crosses"], sheet["points"]) for sheet in state["sheets"]] == [(9, 25 + 3), (9, 29 + 3)]
    assert code(events, score(7), header(2)) == "game_over"
    long = shown(events, header(2, target=12))
    assert (long["phase"], long["winners"]) == ("bid", [])
    assert [sheet["points"] for sheet in long["sheets"]] == [25, 29]


def test_equal_points_share_the_win() -> None:
    equal: Pairs = [({"blue": "yellow", "red": "green"}[colour], number) for colour, number in CROSSED_BLUE_AND_RED]
    state = shown(all_hit(CROSSED_BLUE_AND_RED, equal, header(2)), header(2))
    assert (state["phase"], state["winners"]) == ("over", [0, 1])


def nearly_full(*free: tuple[str, int]) -> Sheet:
    """A sheet without an X whose cells are used but for these."""
    return Sheet({(c, n): -1 for c in COLOURS for n in range(1, 6) if (c, n) not in free})


def after(state: State, events: list[dict[str, Any]]) -> State:
    for event in events:
        state = RULES.apply(state, RULES.parse_event(event))
    return state


def test_whose_last_free_cell_is_bid_by_another_passes() -> None:
    sheets = (nearly_full(("blue", 1), ("red", 1)), nearly_full(("blue", 1)))
    start = replace(RULES.start(header(2)), sheets=sheets)
    pass_1 = {"event": "pass", "player": 1}
    assert RULES.why_not(after(start, [bid(0, "red", 1)]), Pass(1)).code == "must_bid"  # type: ignore[union-attr]
    state = after(start, [bid(0, "blue", 1), pass_1])
    assert RULES.describe(state)["scored"] == [1] and RULES.describe(state)["bids"][1] is None
    state = after(state, [wizards("red"), roll("rrrrrrr")])
    assert RULES.why_not(state, Score(1, "bid")).code == "already_scored"  # type: ignore[union-attr]
    state = after(state, [score(0)])
    assert (state.round, state.seer, state.phase) == (2, 0, "bid")


def test_a_full_sheet_ends_the_game_after_the_round() -> None:
    start = replace(RULES.start(header(2)), sheets=(nearly_full(("blue", 1)), Sheet()))
    events = [bid(0, "blue", 1), bid(1, "red", 5), wizards("red"), roll("bbwwwww"), score(0)]
    assert after(start, events).phase == "score"
    state = RULES.describe(after(start, [*events, score(1)]))
    assert (state["phase"], state["winners"]) == ("over", [1])
    assert [sheet["points"] for sheet in state["sheets"]] == [-20, 5]


@pytest.mark.parametrize(
    "change",
    [
        {"players": []}, {"players": [{"name": "x"}]}, {"players": [{"name": "x"}] * 6}, {"players": {}},
        {"players": [1, 2]},
        {"players": [{"name": 1}, {"name": "x"}]}, {"players": [{}, {}]}, {"first_seer": 3}, {"first_seer": -1},
        {"first_seer": True}, {"first_seer": 0.0}, {"first_seer": None}, {"settings": None}, {"settings": []},
        {"settings": {"target": 10}}, {"settings": {"target": "9"}}, {"settings": {"target": 9.0}},
        {"settings": {"target": True}},
        {"settings": {"drop_out": "none"}}, {"settings": {"drop_out": None}}, {"settings": {"drop_out": ["any"]}},
    ],
)  # fmt: skip
def test_impossible_headers(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RULES.start(header() | change)


def test_settings_may_be_left_out() -> None:
    assert RULES.start({k: v for k, v in header().items() if k != "settings"}) == RULES.start(header())
    with pytest.raises(InputError, match="first_seer"):
        RULES.start({k: v for k, v in header().items() if k != "first_seer"})


@pytest.mark.parametrize(
    "event",
    [
        {}, {"event": "bids"}, {"event": "bid", "player": 0, "colour": "blue"}, bid(0, "blue", 3) | {"number": 3.0},
        bid(0, "blue", 3) | {"number": True}, bid(0, "blue", 3) | {"colour": None}, bid(0, "blue", 3) | {"player": "0"},
        {"event": "pass"}, {"event": "wizard_colour"}, {"event": "wizard_colour", "colour": 1}, {"event": "roll"},
        {"event": "roll", "faces": "blue"}, {"event": "roll", "faces": [1] * 7},
        {"event": "roll", "faces": ["blue"] * 6 + [None]},
        score(0) | {"entry": 1}, score(0) | {"player": None}, {"event": "score", "player": 0}, score(0, "spell"),
    ],
)  # fmt: skip
def test_malformed_events(event: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RULES.parse_event(event)


class Naive:
    """The dice game as one would write it first; shares no code with the referee."""

    def __init__(self, head: dict[str, Any]) -> None:
        self.n = len(head["players"])
        self.target = head.get("settings", {}).get("target", 9)
        self.drop_out = head.get("settings", {}).get("drop_out", "any")
        self.round, self.seer, self.winners = 1, head["first_seer"], []
        self.sheets: list[dict[str, Any]] = [{"cells": {}, "jesters": []} for _ in range(self.n)]
        self.new_round()

    def new_round(self) -> None:
        self.phase, self.bids, self.wizard = "bid", [None] * self.n, None
        self.rolls, self.faces, self.scored = 0, [], []
        self.queue = [(self.seer + i) % self.n for i in range(self.n)]
        self.sequence: list[int] = []

    def points(self, sheet: dict[str, Any]) -> int:
        total = sum(int(k[-1]) if v == "X" else v for k, v in sheet["cells"].items())
        return total + 3 * (self.crosses(sheet) >= self.target)

    def crosses(self, sheet: dict[str, Any]) -> int:
        return list(sheet["cells"].values()).count("X") + len(sheet["jesters"])

    def play(self, e: dict[str, Any]) -> str | None:
        if self.phase == "over":
            return "game_over"
        kind = e["event"]
        if kind in ("bid", "pass"):
            if self.phase != "bid":
                return "wrong_phase"
            if e["player"] != self.queue[0]:
                return "not_your_turn"
            cells = self.sheets[e["player"]]["cells"]
            if kind == "bid":
                if e["colour"] not in COLOURS:
                    return "bad_colour"
                if not 1 <= e["number"] <= 5:
                    return "number_out_of_range"
                if {"colour": e["colour"], "number": e["number"]} in self.bids:
                    return "duplicate_bid"
                if f"{e['colour']}-{e['number']}" in cells:
                    return "cell_used"
                self.bids[e["player"]] = {"colour": e["colour"], "number": e["number"]}
                self.sequence.append(e["player"])
            else:
                for c in COLOURS:
                    for n in range(1, 6):
                        if f"{c}-{n}" not in cells and {"colour": c, "number": n} not in self.bids:
                            return "must_bid"
                self.scored.append(e["player"])
            self.queue.pop(0)
            if not self.queue:
                self.phase = "wizard_colour"
        elif kind == "wizard_colour":
            if self.phase != "wizard_colour":
                return "wrong_phase"
            if e["colour"] not in COLOURS:
                return "bad_colour"
            self.wizard, self.phase = e["colour"], "roll"
        elif kind == "roll":
            if self.phase != "roll":
                return "wrong_phase"
            if len(e["faces"]) != 7:
                return "wrong_dice_count"
            if set(e["faces"]) - set(FACES):
                return "bad_face"
            self.faces, self.rolls = e["faces"], self.rolls + 1
            if self.rolls == 3:
                self.phase = "score"
        else:
            return self.score(e["player"], e["entry"])
        return None

    def score(self, player: int, entry: str) -> str | None:
        if self.phase not in ("roll", "score") or self.rolls == 0:
            return "wrong_phase"
        if player in self.scored or not 0 <= player < self.n:
            return "already_scored"
        wanted = self.bids[player]
        have = sum(f == wanted["colour"] or (f == "wizard" and self.wizard == wanted["colour"]) for f in self.faces)
        sheet = self.sheets[player]
        jesters = self.faces.count("jester")
        if entry == "jesters":
            if have == wanted["number"]:
                return "exact_bid"
            if not 1 <= jesters <= 5:
                return "no_jester_entry"
            if jesters in sheet["jesters"]:
                return "jester_cell_used"
        early = self.phase == "roll" and player != self.seer
        if early and self.drop_out == "exact_only" and have != wanted["number"]:
            return "not_exact"
        cell = f"{wanted['colour']}-{wanted['number']}"
        if entry == "jesters":
            sheet["cells"][cell] = 0
            sheet["jesters"].append(jesters)
        elif have == wanted["number"]:
            sheet["cells"][cell] = "X"
        else:
            sheet["cells"][cell] = -abs(have - wanted["number"])
        self.scored.append(player)
        if player == self.seer:
            self.phase = "score"
        if len(self.scored) == self.n:
            self.end_round()
        return None

    def end_round(self) -> None:
        if any(self.crosses(s) >= self.target or len(s["cells"]) == 20 for s in self.sheets):
            self.phase = "over"
            best = max(self.points(s) for s in self.sheets)
            self.winners = [i for i, s in enumerate(self.sheets) if self.points(s) == best]
            return
        mine = self.bids[self.seer]["colour"]
        rivals = [p for p in self.sequence if self.bids[p]["colour"] != mine]
        self.seer = max(rivals, key=lambda p: self.bids[p]["number"], default=self.seer)
        self.round += 1
        self.new_round()

    def describe(self) -> dict[str, Any]:
        sheets = [
            {
                "cells": dict(s["cells"]),
                "jesters": sorted(s["jesters"]),
                "crosses": self.crosses(s),
                "points": self.points(s),
            }
            for s in self.sheets
        ]
        state = {
            "round": self.round, "phase": self.phase, "seer": self.seer, "bids": list(self.bids), "sheets": sheets,
            "wizard_colour": self.wizard, "rolls": self.rolls, "faces": list(self.faces),
            "scored": sorted(self.scored), "winners": self.winners,
        }  # fmt: skip
        return state | ({"to_act": self.queue[0]} if self.phase == "bid" else {})


def random_event(rng: random.Random, state: dict[str, Any]) -> dict[str, Any]:
    """An event that mostly fits the phase and is legal four times in five."""
    n = len(state["bids"])
    wild = rng.random() < 0.2
    kinds = {"bid": ["bid"], "wizard_colour": ["wizard_colour"], "roll": ["roll", "score"], "score": ["score"]}
    kind = rng.choice(
        ["bid", "pass", "wizard_colour", "roll", "score"] if wild else kinds.get(state["phase"], ["roll"])
    )
    if kind == "bid" and state["phase"] == "bid":
        taken = [f"{b['colour']}-{b['number']}" for b in state["bids"] if b]
        used = {*taken, *state["sheets"][state["to_act"]]["cells"]}
        free = [(c, k) for c in COLOURS for k in range(1, 6) if f"{c}-{k}" not in used]
        if not free:
            return {"event": "pass", "player": state["to_act"]}
        if not wild:
            return bid(state["to_act"], *rng.choice(free))
    player = rng.randint(-1, n) if rng.random() < 0.2 else state.get("to_act", rng.randrange(n))
    match kind:
        case "bid":
            return bid(player, rng.choice([*COLOURS, "wizard"]), rng.randint(0, 6))
        case "pass":
            return {"event": "pass", "player": player}
        case "wizard_colour":
            return wizards(rng.choice([*COLOURS, "jester"] if wild else COLOURS))
        case "roll":
            faces = rng.choices(FACES, k=7 if not wild else rng.choice([6, 7]))
            return {"event": "roll", "faces": faces if not wild else [*faces[:-1], rng.choice([*FACES, "pink"])]}
    left = [p for p in range(n) if p not in state["scored"]]
    return score(player if wild else rng.choice(left), rng.choice(["bid", "jesters"]))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_same_games_as_the_naive_engine(players: int) -> None:
    met = Counter[str]()
    for seed in range(25):
        rng = random.Random(seed)
        head = header(
            players, rng.randrange(players), target=rng.choice([9, 12]), drop_out=rng.choice(["any", "exact_only"])
        )
        naive, state = Naive(head), RULES.start(head)
        for _ in range(1500):
            event = random_event(rng, naive.describe())
            expected = naive.play(event)
            try:
                state = RULES.apply(state, RULES.parse_event(event))
            except Refusal as refusal:
                assert refusal.code == expected, (event, refusal.message)
            else:
                assert expected is None, event
            assert RULES.describe(state) == naive.describe()
            met[expected or "legal"] += 1
            if expected == "game_over":
                break
    wanted = (
        "legal game_over wrong_phase not_your_turn bad_colour number_out_of_range cell_used must_bid bad_face not_exact"
    )
    wanted += " wrong_dice_count already_scored exact_bid no_jester_entry jester_cell_used"
    assert set(wanted.split()) <= set(met), met


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(0, 120))
def test_round_trips_and_undo(seed: int, players: int, length: int) -> None:
    rng = random.Random(seed)
    record: Record[State, Event] = Record(header(players))
    states = [RULES.start(record.header)]
    for _ in range(length):
        event = RULES.parse_event(random_event(rng, RULES.describe(states[-1])))
        if RULES.why_not(states[-1], event):
            continue
        assert RULES.parse_event(json.loads(json.dumps(RULES.event_json(event)))) == event
        states.append(RULES.apply(states[-1], event))
        account = RULES.account(states[-2], event, states[-1])
        assert account.isprintable() and account.startswith("Round ")
        record = Record(record.header, (*record.events, event))
        assert hash(states[-1]) == hash(states[-1])
    assert Record.parsed(record.lines()) == record and record.replay() == states[-1]
    assert record.undone().replay() == states[max(len(states) - 2, 0)]
