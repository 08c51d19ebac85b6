"""A table with cards as perfect eyes see it, and the buttons: given to the arbiter as settled readings."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.sight import Sight
from companion.games.wizard_cards.state import State
from companion.journal import Journal
from companion.screens.view import Button, Text, View
from companion.vision.readings import BoardReading, CardReading
from hardware.base import Press

NAMES = ["Ana", "Ben", "Cleo", "Dan", "Eva", "Finn"]
WIDE, HIGH = 60, 90
TRUMP_AT = (700, 100)


@dataclass
class Card:
    value: str | None
    x: float
    y: float


@dataclass
class Table:
    """Cards on a cloth; looks are two seconds apart."""

    arbiter: Arbiter
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    cards: list[Card] = field(default_factory=list)
    camera: bool = True
    t_ms: int = 0

    @property
    def state(self) -> State:
        assert self.arbiter.game is not None
        state: State = self.arbiter.game.state
        return state

    @property
    def events(self) -> list[dict[str, Any]]:
        assert self.arbiter.game is not None
        return [{k: v for k, v in e.items() if k != "t_ms"} for e in self.arbiter.game.events]

    @property
    def view(self) -> View:
        return self.arbiter.view(self.t_ms)

    @property
    def problem(self) -> str | None:
        problem: str | None = self.view.facts.get("problem")
        return problem

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

    def press(self, *buttons: Button, hold: bool = False) -> View:
        for button in buttons:
            self.t_ms += 500
            self.arbiter.press(Press(self.t_ms, button, "hold" if hold else "press"))
        return self.view

    def choose(self, message: str, **values: Any) -> None:
        """Take the option of this message, whose values are among its own."""
        for _ in range(20):
            text = self.view.choices[self.view.chosen]
            if text.id == message and values.items() <= {k: said(v) for k, v in text.values}.items():
                self.press("ok")
                return
            self.press("down")
        raise AssertionError(f"{message} {values} is not among {self.view.choices}")

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


def said(value: Any) -> Any:
    return value.values[0][1] if isinstance(value, Text) and value.id == "{words}" else getattr(value, "id", value)


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
