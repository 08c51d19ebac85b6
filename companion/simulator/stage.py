"""What people's hands do on the simulated table: scripts that change its scene step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from companion.simulator.renderer import SEAT_DEG
from companion.simulator.scene import Card, Cup, Die, Hand, Point, Scene, Stick, Topping
from companion.simulator.script import Script, Wait

STEP_MS = 50
OUTSIDE_MM = 520  # from where hands come in: out of any picture
CARRIED_MM = 22.0
Item = Topping | Stick | Die | Cup | Card


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast people are, in ms: a reach in or out, and the thinking before an action (least, most)."""

    reach_ms: tuple[int, int]
    think_ms: tuple[int, int]


HUMAN = Pace((420, 700), (700, 2400))
HURRY = Pace((300, 420), (0, 150))


def outside(hand: Hand) -> Point:
    """Where a hand comes from and goes to."""
    a = math.radians(hand.from_deg)
    return hand.x_mm + OUTSIDE_MM * math.cos(a), hand.y_mm + OUTSIDE_MM * math.sin(a)


class Stage:
    """A table with its scene, and the hands that change it.

    Args:
        scene: how it lies at the start.
        rng: the source of chance.
        pace: how fast people are.
        seats: from where their hands come: degrees counter-clockwise from the x axis.
    """

    def __init__(
        self, scene: Scene, rng: np.random.Generator, pace: Pace, seats: Mapping[str, float] = SEAT_DEG
    ) -> None:
        self.scene = scene
        self.seats = seats
        self.rng = rng
        self.pace = pace

    def set(self, **changes: object) -> None:
        """Change the scene at once."""
        self.scene = replace(self.scene, **changes)  # type: ignore[arg-type]

    def think(self) -> Script:
        """Time to think."""
        yield Wait(float(self.rng.integers(self.pace.think_ms[0], self.pace.think_ms[1] + 1)))

    def visit(
        self,
        seat: str,
        at: Point,
        do: Callable[[], Item | None],
        *,
        carry: Item | None = None,
        pose: Literal["pinch", "flat"] = "pinch",
        stay_ms: float = 150,
    ) -> Script:
        """A hand comes in, does something, and leaves.

        Args:
            seat: whose hand.
            at: where to (table frame, mm).
            do: what happens there; returns what the hand takes along, if anything.
            carry: what it brings; ``do`` must lay it down.
            pose: of the hand.
            stay_ms: how long it stays before and after.
        """
        hand = self._hand(seat, at, pose, float(self.rng.normal(0, 9)))
        ms = float(self.rng.integers(*self.pace.reach_ms))
        yield from self._carry(hand, outside(hand), at, carry, ms)
        yield Wait(stay_ms)
        self._show(None, None)
        taken = do()
        self._show(hand, taken)
        yield Wait(stay_ms)
        yield from self._carry(hand, at, outside(hand), taken, ms)
        self._show(None, None)

    def slide(self, seat: str, around: Callable[[float], Point], do: Callable[[float], None], ms: float) -> Script:
        """A hand comes in, moves something along, and leaves.

        Args:
            seat: whose hand.
            around: the hand's place for a share of the way, 0 to 1.
            do: moves the thing to that share of the way.
            ms: how long it takes.
        """
        hand = self._hand(seat, around(0), "flat", 0.0)
        reach = float(self.rng.integers(*self.pace.reach_ms))
        yield from self._carry(hand, outside(hand), around(0), None, reach)
        steps = max(round(ms / STEP_MS), 1)
        for i in range(1, steps + 1):
            s = 0.5 - 0.5 * math.cos(math.pi * i / steps)
            do(s)
            x, y = around(s)
            hand = replace(hand, x_mm=x, y_mm=y)
            self._show(hand, None)
            yield Wait(STEP_MS)
        yield Wait(100)
        yield from self._carry(hand, around(1), outside(hand), None, reach)
        self._show(None, None)

    def roll(self, seat: str, die: Die, start: Point) -> Script:
        """A hand throws a die, which tumbles from ``start`` to where it comes to rest."""
        hand = self._hand(seat, start, "pinch", float(self.rng.normal(0, 9)))
        ms = float(self.rng.integers(*self.pace.reach_ms))
        yield from self._carry(hand, outside(hand), start, die, ms)
        yield Wait(150)
        self._show(hand, None)
        others = self.scene.dice
        steps = 12
        for i in range(1, steps + 1):
            left = (1 - i / steps) ** 1.5
            in_air = replace(
                die,
                x_mm=die.x_mm + (start[0] - die.x_mm) * left,
                y_mm=die.y_mm + (start[1] - die.y_mm) * left,
                value=i % 6 + 1,
                spin_deg=die.spin_deg + 300 * left,
                tumble_deg=250 * left,
                z_mm=18 * abs(math.sin(i * 0.6)) * left,
            )
            self.set(dice=(*others, in_air if i < steps else die))
            yield Wait(STEP_MS)
        yield from self._carry(hand, start, outside(hand), None, ms)
        self._show(None, None)

    def _hand(self, seat: str, at: Point, pose: Literal["pinch", "flat"], lean_deg: float) -> Hand:
        return Hand(*at, self.seats[seat] + lean_deg, list(self.seats).index(seat), pose)

    def _carry(self, hand: Hand, start: Point, end: Point, item: Item | None, ms: float) -> Script:
        steps = max(round(ms / STEP_MS), 2)
        for i in range(1, steps + 1):
            s = 0.5 - 0.5 * math.cos(math.pi * i / steps)
            x, y = start[0] + (end[0] - start[0]) * s, start[1] + (end[1] - start[1]) * s
            self._show(replace(hand, x_mm=x, y_mm=y), item)
            yield Wait(STEP_MS)

    _held: Item | None = None

    def _show(self, hand: Hand | None, item: Item | None) -> None:
        """Draw the hand and what it carries, in place of what it carried before."""
        held, self._held = self._held, None
        if isinstance(held, Topping):
            self.set(loose=tuple(t for t in self.scene.loose if t is not held))
        elif isinstance(held, Stick):
            self.set(loose_sticks=tuple(s for s in self.scene.loose_sticks if s is not held))
        elif isinstance(held, Die):
            self.set(dice=tuple(d for d in self.scene.dice if d is not held))
        elif isinstance(held, Card):
            self.set(cards=tuple(c for c in self.scene.cards if c is not held))
        elif isinstance(held, Cup):
            self.set(cup=None)
        self.set(hands=(hand,) if hand is not None else ())
        if hand is None or item is None:
            return
        x, y = hand.x_mm, hand.y_mm
        if isinstance(item, Topping):
            self._held = replace(item, x_mm=x, y_mm=y, z_mm=CARRIED_MM)
            self.set(loose=(*self.scene.loose, self._held))
        elif isinstance(item, Die):
            self._held = replace(item, x_mm=x, y_mm=y, z_mm=CARRIED_MM)
            self.set(dice=(*self.scene.dice, self._held))
        elif isinstance(item, Card):
            self._held = replace(item, x_mm=x, y_mm=y, z_mm=CARRIED_MM)
            self.set(cards=(*self.scene.cards, self._held))
        elif isinstance(item, Cup):
            self._held = Cup(x, y, CARRIED_MM)
            self.set(cup=self._held)
        else:
            dx, dy = x - item.near[0], y - item.near[1]
            self._held = replace(
                item, near=(x, y), far=(item.far[0] + dx, item.far[1] + dy), z_mm=CARRIED_MM, line=None
            )
            self.set(loose_sticks=(*self.scene.loose_sticks, self._held))
