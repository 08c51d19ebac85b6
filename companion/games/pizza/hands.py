"""What hands do with the pieces of the pizza game on the simulated table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from companion.layout import BoardLayout
from companion.simulator.art import ARTS
from companion.simulator.renderer import SEAT_DEG
from companion.simulator.scene import Die, Point, Scene, Stick, Topping
from companion.simulator.script import Script
from companion.simulator.stage import Pace, Stage

BESIDE_MM = 44.0  # a die's place off the board's edge: clear of the sticks, which reach 17 mm over it
OWN_DEG, NEUTRAL_DEG = -10.0, 13.0  # where beside its seat a player's die lies, and the neutral one


class PizzaStage(Stage):
    """A table with a board of a layout, and the moves of the game.

    Args:
        layout: the board.
        scene: how the table lies at the start.
        rng: the source of chance.
        pace: how fast people are.
    """

    def __init__(self, layout: BoardLayout, scene: Scene, rng: np.random.Generator, pace: Pace) -> None:
        super().__init__(scene, rng, pace)
        self.layout = layout

    # ---- toppings ----

    def lying(self) -> dict[str, str]:
        """What lies on which space now: id -> colour."""
        return {space: topping.colour for space, topping in self._toppings().items()}

    def put(self, seat: str, space: str, colour: str, then: Callable[[], None] | None = None) -> Script:
        """Bring a topping and lay it on a space; ``then`` is called the moment it lies."""
        topping = self._new(space, colour)

        def do() -> None:
            self.set(toppings=(*self.scene.toppings, topping))
            if then is not None:
                then()

        yield from self.visit(seat, self._on_table(space), do, carry=topping)

    def take(self, seat: str, space: str) -> Script:
        """Take a topping off."""
        yield from self.visit(seat, self._on_table(space), lambda: self._lift(space))

    def swap(self, seat: str, space: str, colour: str) -> Script:
        """Take the topping off a space and lay one of another colour there."""
        topping = self._new(space, colour)

        def do() -> Topping:
            old = self._lift(space)
            self.set(toppings=(*self.scene.toppings, topping))
            return old

        yield from self.visit(seat, self._on_table(space), do, carry=topping)

    def move(self, seat: str, space: str, to: str) -> Script:
        """Push a topping from one space to another."""
        old, new = self._toppings()[space], self._new(to, self._toppings()[space].colour)

        def do(s: float) -> None:
            x, y = old.x_mm + (new.x_mm - old.x_mm) * s, old.y_mm + (new.y_mm - old.y_mm) * s
            self._follow(replace(old, x_mm=x, y_mm=y))

        yield from self._push(seat, old, new, do)

    def nudge_topping(self, seat: str, space: str, dx_mm: float, dy_mm: float) -> Script:
        """Push a topping by a few mm, so that it stays on its space."""
        old = self._toppings()[space]
        new = replace(old, x_mm=old.x_mm + dx_mm, y_mm=old.y_mm + dy_mm)

        def do(s: float) -> None:
            self._follow(replace(old, x_mm=old.x_mm + dx_mm * s, y_mm=old.y_mm + dy_mm * s))

        yield from self._push(seat, old, new, do)

    def _push(self, seat: str, old: Topping, new: Topping, do: Callable[[float], None]) -> Script:
        a, b = self.scene.to_table(old.x_mm, old.y_mm), self.scene.to_table(new.x_mm, new.y_mm)
        self._pushed = old
        yield from self.slide(seat, lambda s: (a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s), do, 500)

    _pushed: Topping

    def _follow(self, new: Topping) -> None:
        """A pushed topping is now here."""
        self.set(toppings=tuple(new if t is self._pushed else t for t in self.scene.toppings))
        self._pushed = new

    def _toppings(self) -> dict[str, Topping]:
        out = {}
        for topping in self.scene.toppings:
            nearest = min(
                self.layout.spaces.values(), key=lambda s: math.hypot(s.x_mm - topping.x_mm, s.y_mm - topping.y_mm)
            )
            out[nearest.id] = topping
        return out

    def _lift(self, space: str) -> Topping:
        topping = self._toppings()[space]
        self.set(toppings=tuple(t for t in self.scene.toppings if t is not topping))
        return topping

    def _new(self, space: str, colour: str) -> Topping:
        """A topping for a space, laid as people do: a little off its centre, turned at random."""
        dx, dy = np.clip(self.rng.normal(0, 1.3, 2), -3, 3)
        at = self.layout.spaces[space]
        art, spin = int(self.rng.integers(ARTS)), float(self.rng.uniform(0, 360))
        return Topping(at.x_mm + float(dx), at.y_mm + float(dy), colour, art, spin)

    def _on_table(self, space: str) -> Point:
        at = self.layout.spaces[space]
        return self.scene.to_table(at.x_mm, at.y_mm)

    # ---- sticks ----

    def lay_stick(self, seat: str, side: int, number: int, colour: str) -> Script:
        """Bring a colour's stick and lay it on a line; the same colour's stick that lies there is moved."""
        line = self.layout.line(side, number)
        near, far = np.asarray(line.near_mm), np.asarray(line.far_mm)
        along = (far - near) / np.linalg.norm(far - near)
        off = np.array([-along[1], along[0]]) * float(np.clip(self.rng.normal(0, 0.7), -1.5, 1.5))
        slip = along * float(self.rng.uniform(-6, 6))
        a, b = near + off + slip, far + off + slip
        stick = Stick(colour, (float(a[0]), float(a[1])), (float(b[0]), float(b[1])), (side, number))
        carried = replace(stick, near=self.scene.to_table(*stick.near), far=self.scene.to_table(*stick.far), line=None)

        def do() -> None:
            self.set(sticks=(*(s for s in self.scene.sticks if s.colour != colour), stick))

        yield from self.visit(seat, carried.near, do, carry=carried)

    def take_stick(self, seat: str, colour: str) -> Script:
        """Take a colour's stick off the board."""
        (stick,) = (s for s in self.scene.sticks if s.colour == colour)
        on_table = replace(stick, near=self.scene.to_table(*stick.near), far=self.scene.to_table(*stick.far))

        def do() -> Stick:
            self.set(sticks=tuple(s for s in self.scene.sticks if s is not stick))
            return on_table

        yield from self.visit(seat, on_table.near, do)

    # ---- dice ----

    def _beside(self, seat: str, offset_deg: float) -> Point:
        a = math.radians(SEAT_DEG[seat] + offset_deg + float(self.rng.normal(0, 1.5)))
        away = self.layout.board_diameter_mm / 2 + BESIDE_MM
        return away * math.cos(a), away * math.sin(a)

    def show_die(self, seat: str, colour: str, value: int) -> Script:
        """Lay a die with the chosen number up beside the own seat."""
        x, y = self._beside(seat, OWN_DEG)
        die = Die(x, y, value, colour, float(self.rng.uniform(0, 90)))

        def do() -> None:
            self.set(dice=(*self.scene.dice, die))

        yield from self.visit(seat, (x, y), do, carry=die)

    def roll_die(self, seat: str, colour: str, value: int) -> Script:
        """Throw a die beside the board; it comes to rest with a value."""
        x, y = self._beside(seat, NEUTRAL_DEG)
        die = Die(x, y, value, colour, float(self.rng.uniform(0, 90)))
        a = math.radians(SEAT_DEG[seat])
        yield from self.roll(seat, die, (x + 90 * math.cos(a), y + 90 * math.sin(a)))

    def take_die(self, seat: str, colour: str) -> Script:
        """Take a die away."""
        (die,) = (d for d in self.scene.dice if d.colour == colour)

        def do() -> Die:
            self.set(dice=tuple(d for d in self.scene.dice if d is not die))
            return die

        yield from self.visit(seat, (die.x_mm, die.y_mm), do)

    def touch_die(self, seat: str, colour: str) -> Script:
        """Touch a die, so that it moves by a few mm and shows what it showed."""
        (die,) = (d for d in self.scene.dice if d.colour == colour)
        new = replace(die, x_mm=die.x_mm + 3, y_mm=die.y_mm - 2, spin_deg=die.spin_deg + 6)

        def do() -> None:
            self.set(dice=tuple(new if d is die else d for d in self.scene.dice))

        yield from self.visit(seat, (die.x_mm, die.y_mm), do)

    # ---- the board ----

    def turn_board(self, seat: str, degrees: float) -> Script:
        """Turn the board clockwise seen from above (counter-clockwise below zero), a hand at its rim."""
        before = self.scene.turn_deg
        rim = self.layout.board_diameter_mm / 2 - 8
        for part in range(math.ceil(abs(degrees) / 130)):  # nobody turns further in one go
            share = degrees / math.ceil(abs(degrees) / 130)
            start = before + part * share

            def around(s: float, share: float = share) -> Point:
                a = math.radians(SEAT_DEG[seat] + share / 2 - share * s)
                return rim * math.cos(a), rim * math.sin(a)

            def do(s: float, start: float = start, share: float = share) -> None:
                self.set(turn_deg=start + share * s)

            yield from self.slide(seat, around, do, 1200)
        self.set(turn_deg=round(before + degrees) % 360)

    def nudge_board(self, seat: str, to_mm: Point) -> Script:
        """Bump the board, so that its centre comes to a place."""
        a = self.scene.shift_mm
        rim = self.layout.board_diameter_mm / 2
        angle = math.radians(SEAT_DEG[seat])

        def at(s: float) -> Point:
            return a[0] + (to_mm[0] - a[0]) * s, a[1] + (to_mm[1] - a[1]) * s

        def around(s: float) -> Point:
            x, y = at(s)
            return x + rim * math.cos(angle), y + rim * math.sin(angle)

        yield from self.slide(seat, around, lambda s: self.set(shift_mm=at(s)), 400)
