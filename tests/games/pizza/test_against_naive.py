"""Guards every ruling: the referee and a naive engine agree, event by event, over random games with mistakes in them.

Doesn't guard what both engines read out of the rules page in the same wrong way: test_rulings.py does that by hand.
"""

import json
import random
from collections import Counter
from typing import Any

import pytest

from companion.games.base import Refusal
from companion.games.pizza.rules import RULES

COLOURS = ["red", "green", "white"]


def random_header(rng: random.Random, players: int, layout: str) -> dict[str, Any]:
    seats = rng.sample("ABC", players)
    colours = rng.sample(COLOURS, players)
    people = [{"name": "P", "seat": s, "colour": c} for s, c in zip(seats, colours, strict=True)]
    return {"game": "pizza", "layout": layout, "players": people, "first": rng.choice(seats)}


def likely_event(
    rng: random.Random, state: dict[str, Any], seats: list[str], spaces: list[str], lines: int
) -> dict[str, Any]:
    """An event that fits the phase, legal four times in five."""
    wild = rng.random() < 0.25
    number = rng.randint(0, lines + 1) if wild else rng.randint(1, lines)
    chosen = rng.choice([*spaces, "z9"] if wild or not state.get("legal") else state["legal"])
    match state["phase"]:
        case "place" if (not state["legal"] and not wild) or rng.random() < 0.02:
            return {"event": "pass", "seat": state["to_act"]}
        case "place":
            return {
                "event": "place",
                "seat": rng.choice("ABCD") if wild and rng.random() < 0.3 else state["to_act"],
                "space": chosen,
            }
        case "neutral_roll":
            return {"event": "neutral_roll", "value": number}
        case "neutral_place" if (not state["legal"] and not wild) or rng.random() < 0.02:
            return {"event": "neutral_pass"}
        case "neutral_place":
            return {"event": "neutral_place", "space": chosen}
        case "cut":
            numbers = {seat: rng.randint(1, lines) for seat in seats}
            if wild:
                numbers[rng.choice("ABCD")] = number
            return {"event": "cut", "lines": numbers}
    return {"event": "rotate"}


def random_event(rng: random.Random, spaces: list[str], lines: int) -> dict[str, Any]:
    return rng.choice(
        [
            {"event": "place", "seat": rng.choice("ABC"), "space": rng.choice(spaces)},
            {"event": "pass", "seat": rng.choice("ABC")},
            {"event": "neutral_roll", "value": rng.randint(0, lines + 1)},
            {"event": "neutral_place", "space": rng.choice(spaces)},
            {"event": "neutral_pass"},
            {
                "event": "cut",
                "lines": {seat: rng.randint(0, lines + 1) for seat in rng.sample("ABC", rng.randint(0, 3))},
            },
            {"event": "rotate"},
        ]
    )


MET_BY_ALL = {"legal", "wrong_phase", "not_your_turn", "unknown_space", "space_occupied", "adjacent_own_topping"}
MET_BY_ALL |= {"must_place", "line_out_of_range", "wrong_cutters", "game_over", "win"}


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("board", [0, 1, 2], ids=["hex37", "hex61", "hex19"])
def test_same_games(board: int, players: int, layouts: Any, naive_pizza: Any) -> None:
    met = Counter[str]()
    name, layout = list(layouts.items())[board]
    for seed in range(60):
        met += play_both(random.Random(seed), players, name, layout, naive_pizza)
    # The games are worth something only if they met every kind of refusal and end.
    assert MET_BY_ALL | ({"not_touching_cutter", "both_lose"} if players == 2 else set()) <= set(met), met


def play_both(rng: random.Random, players: int, name: str, layout: Any, naive_pizza: Any) -> Counter[str]:
    met = Counter[str]()
    header = random_header(rng, players, name)
    seats = [p["seat"] for p in header["players"]]
    lines = max(line["number"] for line in layout["lines"])
    naive = naive_pizza(header, layout)
    state = RULES.start(header)
    assert RULES.describe(state) == naive.describe()
    for _ in range(400):
        if rng.random() < 0.03:
            event = random_event(rng, list(layout["spaces"]), lines)
        else:
            event = likely_event(rng, naive.describe(), seats, list(layout["spaces"]), lines)
        code = naive.play(event)
        before = RULES.describe(state)
        try:
            state = RULES.apply(state, RULES.parse_event(event))
        except Refusal as refusal:
            assert refusal.code == code, (event, refusal.message)
            assert RULES.describe(state) == before
        else:
            assert code is None, event
        assert RULES.describe(state) == naive.describe()
        met[code or "legal"] += 1
        if naive.phase == "over" and code == "game_over":
            break
    met[state.result or "unfinished"] += 1
    return met


def test_the_board_maker_knows_hex37(make_hexagon: Any, layouts: Any) -> None:
    """The other boards are hex37's kin: the same maker gives hex37 but for ends of lines and the rim."""
    made, real = make_hexagon(4), layouts["hex37"]
    assert json.dumps(made["spaces"], sort_keys=True) == json.dumps(real["spaces"], sort_keys=True)
    assert {k: sorted(v) for k, v in made["start_spaces"].items()} == {
        k: sorted(v) for k, v in real["start_spaces"].items()
    }
    for ours, theirs in zip(made["lines"], real["lines"], strict=True):
        assert (ours["side"], ours["number"]) == (theirs["side"], theirs["number"])
        assert sorted(ours["touching"]) == sorted(theirs["touching"])
