"""Kills a process that plays and journals pizza games, again and again, and counts lost events.

usage: power.py [--kills 200] [--seed 1]

Every event that the player was told of (a line on its standard output, written after the journal's fsync) must be in
the journal afterwards, in order, and the game must go on from there.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.arbiter.game import Game
from companion.games.pizza.state import Cut, Event, NeutralPass, NeutralPlace, NeutralRoll, Pass, Place, Rotate, State
from companion.journal import Journal

HEADER = {
    "game": "pizza",
    "layout": "hex37",
    "players": [{"name": "Ana", "seat": "A", "colour": "red"}, {"name": "Ben", "seat": "C", "colour": "white"}],
    "first": "C",
}


def some_event(state: State, rng: random.Random) -> Event:
    """A random legal event."""
    legal = state.setup.board.names(state.legal)
    if state.phase == "place":
        assert state.to_act is not None
        return Place(state.to_act, rng.choice(legal)) if legal else Pass(state.to_act)
    if state.phase == "neutral_roll":
        return NeutralRoll(rng.randint(1, 6))
    if state.phase == "neutral_place":
        return NeutralPlace(rng.choice(legal)) if legal else NeutralPass()
    if state.phase == "cut":
        return Cut(tuple((seat, rng.randint(1, 6)) for seat in sorted(state.order)))
    return Rotate()


def playing(seed: int) -> Iterator[tuple[Game, dict[str, Any] | None]]:
    """Random games one after the other, event by event; None at the start of a game."""
    rng = random.Random(seed)
    while True:
        game = Game(HEADER)
        yield game, None
        while not game.rules.is_over(game.state):
            event = some_event(game.state, rng)
            row = game.rules.event_json(event)
            game.push(event, row)
            yield game, row


def play(folder: Path, seed: int) -> None:
    """Journal games until killed, and say each event once it is safe."""
    journal = Journal(folder)
    for game, row in playing(seed):
        if row is None:
            journal.begin(HEADER)
        else:
            journal.append(row)
        print(len(game.events), flush=True)


def killed_once(folder: Path, seed: int, after_s: float) -> tuple[int, int]:
    """Start a player, kill it after a time; returns (events it had been told of, events of that game in the journal).

    Raises:
        AssertionError: the journal does not hold what was played.
    """
    command = [sys.executable, __file__, "--play", str(folder), "--seed", str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it has begun
        time.sleep(after_s)
        process.kill()
        told = process.stdout.read().split()
    saved = Journal(folder).saved
    assert saved is not None, "a game had begun"
    count = len(told)
    with contextlib.closing(playing(seed)) as games:
        expected: list[list[dict[str, Any]]] = []
        for _, (_, row) in zip(range(count + 3), games, strict=False):
            if row is None:
                expected.append([])
            else:
                expected[-1].append(row)
    told_steps = [step for game in expected for step in ([None, *game])][: count + 1]
    finished = sum(step is None for step in told_steps) - 1
    in_game = len(told_steps) - 1 - max(i for i, step in enumerate(told_steps) if step is None)
    events = list(saved.events)
    if len(events) < in_game or events[:in_game] != expected[finished][:in_game]:
        # the process may have begun the next game without having told of it
        assert events == expected[finished + 1][: len(events)] and len(events) <= 1, "an event was lost"
    Game(saved.header, saved.events)  # it can be gone on with
    return count, len(events)


def main() -> None:
    """Run the kills and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--play", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.play:
        play(args.play, args.seed)
        return
    rng = random.Random(args.seed)
    told = 0
    for i in range(args.kills):
        with tempfile.TemporaryDirectory() as folder:
            told += killed_once(Path(folder), i, rng.uniform(0, 0.3))[0]
    print(f"{args.kills} kills, {told} events told of before them, 0 lost")


if __name__ == "__main__":
    main()
