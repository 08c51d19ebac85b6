"""A table as perfect eyes see it: the pieces as plain values, given to the arbiter as settled readings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.sight import Sight
from companion.games.pizza.judge import wanted
from companion.journal import Journal
from companion.layout import load_layout
from companion.screens.view import View
from companion.vision.readings import BoardReading, CutterReading, DieReading

from .watched import Watched

SEATS = ("A", "B", "C")
COLOURS = ("red", "green", "white")


def header(players: int = 3, first: str = "A") -> dict[str, Any]:
    return {
        "game": "pizza",
        "layout": "hex37",
        "players": [{"name": f"P{s}", "seat": s, "colour": c} for s, c in zip(SEATS[:players], COLOURS, strict=False)],
        "first": first,
    }


@dataclass
class Table(Watched):
    """Pieces on the table, and the arbiter that watches them; time goes on by two seconds a look."""

    spaces: dict[str, str | None] = field(default_factory=dict)
    sticks: dict[int, tuple[int | None, str | None]] = field(default_factory=dict)
    dice: dict[str, int | None] = field(default_factory=dict)
    die_at: dict[str, int] = field(default_factory=dict)
    bottom: int | None = 1

    def lay_as_state(self) -> None:
        self.spaces = dict(wanted(self.state))
        self.bottom = self.state.facing["A"]

    def look(self, *, hand: bool = False) -> View:
        self.t_ms += 2000
        if hand:
            self.arbiter.see(self.t_ms, Sight(hand=True))
        else:
            self.arbiter.see(self.t_ms, Sight(settled=self.reading(), since_ms=self.t_ms - 1000))
        return self.view

    def reading(self) -> BoardReading:
        return BoardReading(
            "ok",
            turn=None if self.bottom is None else (self.bottom - 1) * 120,
            spaces=dict(self.spaces),
            confidence=dict.fromkeys(self.spaces, 1.0),
            cutters=tuple(CutterReading(s, n, c, 1.0) for s, (n, c) in self.sticks.items()),
            dice=tuple(DieReading(v, c, (100 * self.die_at.get(c, 0), 0, 40, 40), 1.0) for c, v in self.dice.items()),
            dice_sought=self.arbiter.game is None or self.arbiter.game.flow.needs_dice(self.state),
            hand=False,
        )


def table(folder: Path, players: int = 3, first: str = "A", confirm: str = "unsure") -> Table:
    arbiter = Arbiter(Journal(folder), names=["Ana", "Ben", "Cleo"], draw=lambda: 0, confirm=confirm)  # type: ignore[arg-type]
    arbiter.begin(header(players, first))
    it = Table(arbiter)
    it.spaces = dict.fromkeys(load_layout("hex37").spaces, "empty")
    return it


def ready(folder: Path, players: int = 3, first: str = "A", confirm: str = "unsure") -> Table:
    """A table that is set up and has been checked."""
    it = table(folder, players, first, confirm)
    it.lay_as_state()
    it.look()
    return it
