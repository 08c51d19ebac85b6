"""A table with cards as perfect eyes see it, and the buttons: given to the arbiter as settled readings."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.sight import Sight
from companion.journal import Journal
from companion.screens.view import View
from companion.vision.readings import BoardReading, CardReading

from .watched import Watched

NAMES = ["Ana", "Ben", "Cleo", "Dan", "Eva", "Finn"]
WIDE, HIGH = 60, 90
TRUMP_AT = (700, 100)


@dataclass
class Card:
    value: str | None
    x: float
    y: float


@dataclass
class Table(Watched):
    """Cards on a cloth; looks are two seconds apart."""

    rng: random.Random = field(default_factory=lambda: random.Random(1))
    cards: list[Card] = field(default_factory=list)
    camera: bool = True

    def look(self, *, touched: bool = True) -> View:
        """One settled look, after a hand."""
        if not self.camera:
            self.t_ms += 8000
            self.arbiter.tick(self.t_ms)
            return self.view
        if touched:
            self.t_ms += 1000
            self.arbiter.see(self.t_ms, Sight(hand=True))
        self.t_ms += 1000
        cards = tuple(
            CardReading(c.value, (round(c.x - WIDE / 2), round(c.y - HIGH / 2), WIDE, HIGH), 0.99 if c.value else 0.3)
            for c in self.cards
        )
        self.arbiter.see(self.t_ms, Sight(settled=BoardReading("ok", spaces={}, cards=cards, hand=False)))
        return self.view

    def choose_card(self, card: str) -> None:
        """Take a card in two levels."""
        names = {"W": "wizard", "J": "jester", "cloud": "cloud 9¾", "juggler": "juggler 7½"}
        if card[1:].isdigit():
            self.choose({"b": "blue", "r": "red", "y": "yellow", "g": "green"}[card[0]])
            self.choose("{words}", words=card[1:])
        else:
            self.choose(names.get(card, card))

    def bid(self, tricks: int) -> None:
        """Enter the next bid."""
        if self.view.code == "cards.secret":
            self.press("ok")
        assert self.view.facts.get("ask") == "cards.bid", self.view
        self.press(*["up"] * (tricks + 1), "ok")  # type: ignore[list-item]

    # ---- cards ----

    def place(self, player: int) -> tuple[float, float]:
        """Where a player lays a card: on the own side of the heap."""
        angle = 2 * math.pi * player / len(self.state.bids)
        x, y = 400 + 45 * math.cos(angle), 400 + 45 * math.sin(angle)
        return x + self.rng.gauss(0, 5), y + self.rng.gauss(0, 5)

    def lay(self, card: str | None, player: int | None = None, *, look: bool = True) -> View:
        """Lay a card, as the player whose turn it is or another."""
        who = self.state.to_act if player is None else player
        assert who is not None
        self.cards.append(Card(card, *self.place(who)))
        return self.look() if look else self.view

    def turn_up(self, card: str) -> View:
        if not self.camera:
            self.press("ok")
            self.choose_card(card)
            return self.view
        self.cards.append(Card(card, *TRUMP_AT))
        self.look()
        if self.view.code == "cards.confirm_trump":
            self.press("ok")
        return self.view

    def clear(self, *, look: bool = True) -> View:
        """Clear the trick away; the turned card stays."""
        self.cards = [c for c in self.cards if (c.x, c.y) == TRUMP_AT]
        return self.look() if look else self.view

    def clear_all(self) -> View:
        self.cards = []
        return self.look()


def header(players: int, dealer: int = 0, **settings: Any) -> dict[str, Any]:
    people = [{"name": name} for name in NAMES[:players]]
    return {"game": "wizard_cards", "players": people, "dealer": dealer, "settings": settings}


def table(folder: Path, players: int = 3, confirm: str = "unsure", camera: bool = True, **settings: Any) -> Table:
    arbiter = Arbiter(Journal(folder), names=NAMES, draw=lambda: 0, confirm=confirm, camera=camera)  # type: ignore[arg-type]
    arbiter.begin(header(players, **settings))
    it = Table(arbiter, camera=camera)
    it.look()
    return it


def playing(folder: Path, rounds: int = 2, trump: str = "r7", **settings: Any) -> Table:
    """Round number so and so is dealt, all have bid 0; the rounds before were entered by their counts."""
    it = table(folder, **settings)
    for number in range(1, rounds + 1):
        it.clear_all()
        it.turn_up(trump if number == rounds else "J")
        for _ in it.state.bids:
            it.bid(0)
        if number < rounds:
            it.press("ok")
            it.choose("tricks of the round")
            it.press(*["up"] * number, *["ok"] * len(it.state.bids))  # type: ignore[list-item]
            it.t_ms += 10_000
    it.look()
    assert it.view.code == "cards.play", it.view
    return it
