"""How many random pizza games a minute the referee plays and describes, beside a naive loop, in one run.

    python benchmarks/referee.py [--games 400] [--players 3]

Both play the same games (same seed): start, take a random legal event from the described state, apply it, describe the
new state, to the end. They take turns in small batches, so that a busy machine slows both; CPU time is counted.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from importlib import resources
from typing import Any

from naive_pizza import NaivePizza

from companion.games.pizza.rules import RULES

BATCH = 20


def header(players: int) -> dict[str, Any]:
    colours = ("red", "green", "white")
    people = [{"name": c, "seat": s, "colour": c} for c, s in zip(colours, "ABC", strict=True)]
    return {"game": "pizza", "layout": "hex37", "players": people[:players], "first": "A"}


def choose(rng: random.Random, state: dict[str, Any], seats: list[str]) -> dict[str, Any]:
    """A random legal event in a described state."""
    match state["phase"]:
        case "place" if state["legal"]:
            return {"event": "place", "seat": state["to_act"], "space": rng.choice(state["legal"])}
        case "place":
            return {"event": "pass", "seat": state["to_act"]}
        case "neutral_roll":
            return {"event": "neutral_roll", "value": rng.randint(1, 6)}
        case "neutral_place" if state["legal"]:
            return {"event": "neutral_place", "space": rng.choice(state["legal"])}
        case "neutral_place":
            return {"event": "neutral_pass"}
        case "cut":
            return {"event": "cut", "lines": {seat: rng.randint(1, 6) for seat in seats}}
    return {"event": "rotate"}


def play_referee(rng: random.Random, head: dict[str, Any]) -> int:
    seats = [p["seat"] for p in head["players"]]
    state = RULES.start(head)
    shown = RULES.describe(state)
    events = 0
    while not RULES.is_over(state):
        state = RULES.apply(state, RULES.parse_event(choose(rng, shown, seats)))
        shown = RULES.describe(state)
        events += 1
    return events


def play_naive(rng: random.Random, head: dict[str, Any], layout: dict[str, Any]) -> int:
    seats = [p["seat"] for p in head["players"]]
    game = NaivePizza(head, layout)
    shown = game.describe()
    events = 0
    while game.phase != "over":
        game.play(choose(rng, shown, seats))
        shown = game.describe()
        events += 1
    return events


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--players", type=int, choices=(2, 3), default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    head = header(args.players)
    layout = json.loads(resources.files("companion").joinpath("layouts/hex37.json").read_text())
    spent = {"referee": 0.0, "naive": 0.0}
    events = {"referee": 0, "naive": 0}
    games = 0
    for seed in range(max(1, args.games // BATCH)):
        for name in spent:
            rng = random.Random(seed)
            begin = time.process_time()
            for _ in range(BATCH):
                events[name] += play_referee(rng, head) if name == "referee" else play_naive(rng, head, layout)
            spent[name] += time.process_time() - begin
        games += BATCH
    if events["referee"] != events["naive"]:
        raise SystemExit(f"the two engines played different games: {events}")
    rates = {name: round(60 * games / seconds) for name, seconds in spent.items()}
    result = {
        "games": games,
        "players": args.players,
        "events_per_game": round(events["referee"] / games, 1),
        "referee_games_per_minute": rates["referee"],
        "naive_games_per_minute": rates["naive"],
        "ratio": round(rates["referee"] / rates["naive"], 2),
    }
    if args.json:
        print(json.dumps(result))
        return
    for key, value in result.items():
        print(f"{key:26} {value}")


if __name__ == "__main__":
    main()
