"""What hands do with cards on the simulated table: turn up, lay, take back, clear away."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from companion.simulator.scene import Card, Point, Scene
from companion.simulator.script import Script
from companion.simulator.stage import Pace, Stage

SEATS = "ABCDEF"
HEAP_MM = (-45.0, -5.0)  # the middle of the tricks
APART_MM = 58.0  # how far from there each lays cards, on the own side
STRAY_MM = 6.0
STOCK_MM = (166.0, 92.0)  # the stock, face down, with the turned card on it


class CardStage(Stage):
    """A cloth with a trick in the middle and the stock beside it.

    Args:
        players: how many sit around it.
        rng: the source of chance.
        pace: how fast people are.
    """

    def __init__(self, players: int, rng: np.random.Generator, pace: Pace) -> None:
        # Clockwise as seen from above, the first in front of the camera.
        super().__init__(Scene(), rng, pace, {SEATS[k]: -90.0 - 360.0 * k / players for k in range(players)})

    def lying(self, player: int, picture: str) -> Card:
        """A card as a player lays it: on the own side of the heap, its head away from the player, a little askew."""
        angle = self.seats[SEATS[player]]
        a = math.radians(angle)
        dx, dy = self.rng.normal(0, STRAY_MM, 2)
        x = HEAP_MM[0] + APART_MM * math.cos(a) + float(np.clip(dx, -2 * STRAY_MM, 2 * STRAY_MM))
        y = HEAP_MM[1] + APART_MM * math.sin(a) + float(np.clip(dy, -2 * STRAY_MM, 2 * STRAY_MM))
        return Card(picture, x, y, angle + 90 + float(self.rng.normal(0, 8)))

    @property
    def trick(self) -> tuple[Card, ...]:
        """The cards in the middle."""
        return tuple(card for card in self.scene.cards if math.dist((card.x_mm, card.y_mm), STOCK_MM) > 60)

    @property
    def stock(self) -> tuple[Card, ...]:
        """The stock and the turned card."""
        return tuple(card for card in self.scene.cards if card not in self.trick)

    def put(self, player: int, card: Card, then: Callable[[], None] | None = None) -> Script:
        """Bring a card and lay it down; ``then`` is called the moment it lies."""

        def do() -> None:
            self.set(cards=(*self.scene.cards, card))
            if then is not None:
                then()

        yield from self.visit(SEATS[player], (card.x_mm, card.y_mm), do, carry=card)

    def take(self, player: int, cards: Sequence[Card]) -> Script:
        """Take cards away in one go."""
        at: Point = (sum(c.x_mm for c in cards) / len(cards), sum(c.y_mm for c in cards) / len(cards))

        def do() -> Card:
            self.set(cards=tuple(card for card in self.scene.cards if card not in cards))
            return cards[-1]

        yield from self.visit(SEATS[player], at, do)

    def exchange(self, player: int, old: Card, new: Card) -> Script:
        """Lay a card in the place of another, which is taken away."""

        def do() -> Card:
            self.set(cards=tuple(new if card is old else card for card in self.scene.cards))
            return old

        yield from self.visit(SEATS[player], (old.x_mm, old.y_mm), do, carry=new)

    def turn_up(self, dealer: int, picture: str, then: Callable[[], None]) -> Script:
        """Put the stock down and turn its uppermost card."""
        x, y = (at + float(self.rng.uniform(-3, 3)) for at in STOCK_MM)
        stock = Card("b1", x, y, float(self.rng.normal(0, 4)), face_up=False)
        yield from self.put(dealer, stock)
        dx, dy = self.rng.uniform(-7, 7, 2)
        turned = Card(picture, x + float(dx), y + float(dy), float(self.rng.normal(0, 6)))
        yield from self.put(dealer, turned, then)

    def nudge(self, player: int, card: Card, mm: float) -> Script:
        """Push a card along by some mm."""
        a = float(self.rng.uniform(0, 2 * math.pi))
        dx, dy = mm * math.cos(a), mm * math.sin(a)
        moved = replace(card, x_mm=card.x_mm + dx, y_mm=card.y_mm + dy, spin_deg=card.spin_deg + mm / 3)

        def do() -> None:
            self.set(cards=tuple(moved if other is card else other for other in self.scene.cards))

        yield from self.visit(SEATS[player], (card.x_mm, card.y_mm), do)
