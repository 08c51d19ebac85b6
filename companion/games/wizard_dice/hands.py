"""What hands do with dice, cup and tray on the simulated table of the dice game."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.simulator.dice_table import CUP_MM, DiceTable
from companion.simulator.scene import Cup, Die, Point, Scene
from companion.simulator.script import Script, Wait
from companion.simulator.stage import STEP_MS, Pace, Stage, outside

SEATS = "ABCDE"
WALL_GAP_MM = 13.0  # a die's middle stays so far from a wall
TOUCHING = 0.12  # share of dice that come to rest at another one
GAP_MM = 24.0  # between the middles of dice that don't


class DiceStage(Stage):
    """A tray with dice and a cup beside it, and what players do there.

    Args:
        table: draws it.
        players: how many sit around it.
        rng: the source of chance.
        pace: how fast people are.
    """

    def __init__(self, table: DiceTable, players: int, rng: np.random.Generator, pace: Pace) -> None:
        self.half_mm, self.body, self.edge_mm = table.tray.half_mm, table.body, table.look.die_mm
        side = 1.0 if rng.random() < 0.5 else -1.0
        self.cup_place: Point = (side * (self.half_mm[0] + CUP_MM + 24), float(rng.uniform(-40, 40)))
        seats = {SEATS[k]: -90.0 - 360.0 * k / players for k in range(players)}
        super().__init__(Scene(cup=Cup(*self.cup_place)), rng, pace, seats)

    # ---- places ----

    def place(self, value: int, others: Sequence[Die]) -> Die:
        """A die that has come to rest somewhere in the tray, on none of the others."""
        a, b = self.half_mm[0] - WALL_GAP_MM, self.half_mm[1] - WALL_GAP_MM
        x0, y0 = self.scene.shift_mm
        while True:
            x, y = x0 + float(self.rng.uniform(-a, a)), y0 + float(self.rng.uniform(-b, b))
            touching = bool(others) and self.rng.random() < TOUCHING
            if touching:
                beside, angle = others[int(self.rng.integers(len(others)))], float(self.rng.uniform(0, 2 * math.pi))
                away = self.edge_mm * float(self.rng.uniform(1.02, 1.3))
                x, y = beside.x_mm + away * math.cos(angle), beside.y_mm + away * math.sin(angle)
            die = Die(x, y, value, self.body, float(self.rng.uniform(0, 360)))
            inside = abs(x - x0) <= a and abs(y - y0) <= b
            if inside and not any(self._meets(die, other, 0.0 if touching else GAP_MM) for other in others):
                return die

    def _meets(self, die: Die, other: Die, gap_mm: float) -> bool:
        if math.hypot(die.x_mm - other.x_mm, die.y_mm - other.y_mm) < gap_mm:
            return True
        squares = [((d.x_mm, d.y_mm), (self.edge_mm, self.edge_mm), d.spin_deg) for d in (die, other)]
        return int(cv2.rotatedRectangleIntersection(*squares)[0]) != cv2.INTERSECT_NONE

    def places(self, values: Sequence[int], others: Sequence[Die] = ()) -> list[Die]:
        """Dice that have come to rest, on none of the others."""
        dice: list[Die] = []
        for value in values:
            dice.append(self.place(value, [*others, *dice]))
        return dice

    def swap(self, old: Sequence[Die], new: Sequence[Die]) -> None:
        """Some dice are replaced by others, or by themselves elsewhere."""
        self.set(dice=(*(d for d in self.scene.dice if d not in old), *new))

    # ---- throwing ----

    def gather(self, seat: str, dice: Sequence[Die]) -> Script:
        """Pick dice up; one that stays may be brushed."""
        at = (sum(d.x_mm for d in dice) / len(dice), sum(d.y_mm for d in dice) / len(dice))

        def do() -> None:
            self.swap(dice, ())
            if self.scene.dice and self.rng.random() < 0.3:
                brushed = self.scene.dice[int(self.rng.integers(len(self.scene.dice)))]
                self.swap([brushed], [self._shifted(brushed, 2.0)])

        yield from self.visit(seat, at, do)

    def throw(
        self, seat: str, dice: Sequence[Die], then: Callable[[], None], *, leave_cup: Point | None = None
    ) -> Script:
        """Shake dice in the cup and pour them out; they tumble to where they come to rest.

        Args:
            seat: whose hand.
            dice: as they come to rest.
            then: called the moment they lie.
            leave_cup: where the cup is put down; None: at its place beside the tray.
        """
        hand = self._hand(seat, self.cup_place, "pinch", float(self.rng.normal(0, 9)))
        ms = float(self.rng.integers(*self.pace.reach_ms))
        away = outside(hand)
        yield from self._carry(hand, away, self.cup_place, None, ms)
        self.set(cup=None)
        cup = Cup(*self.cup_place)
        x0, y0 = self.scene.shift_mm
        a = math.radians(self.seats[seat])
        pour = (x0 + 0.7 * self.half_mm[0] * math.cos(a), y0 + 0.7 * self.half_mm[1] * math.sin(a))
        yield from self._carry(hand, self.cup_place, pour, cup, ms)
        for step in range(6):  # shaking
            yield from self._carry(hand, pour, (pour[0] + 14 * (-1) ** step, pour[1]), cup, 2 * STEP_MS)
        yield from self._tumble(dice, pour)
        then()
        down = self.cup_place if leave_cup is None else leave_cup
        yield from self._carry(hand, pour, down, cup, ms)
        self._show(None, None)
        self.set(cup=Cup(*down))
        yield from self._carry(hand, down, away, None, ms)
        self._show(None, None)

    def _tumble(self, dice: Sequence[Die], start: Point, steps: int = 12) -> Script:
        others = self.scene.dice
        for i in range(1, steps + 1):
            left = (1 - i / steps) ** 1.5
            in_air = [
                replace(
                    die,
                    x_mm=die.x_mm + (start[0] - die.x_mm) * left,
                    y_mm=die.y_mm + (start[1] - die.y_mm) * left,
                    value=(die.value + i) % 6 + 1,
                    spin_deg=die.spin_deg + 300 * left,
                    tumble_deg=250 * left,
                    z_mm=18 * abs(math.sin(i * 0.6 + k)) * left,
                )
                for k, die in enumerate(dice)
            ]
            self.set(dice=(*others, *(in_air if i < steps else dice)))
            yield Wait(STEP_MS)

    def drop(self, seat: str, die: Die) -> Script:
        """Throw a single die by hand, from the own side of the tray."""
        a = math.radians(self.seats[seat])
        yield from self.roll(seat, die, (die.x_mm + 60 * math.cos(a), die.y_mm + 60 * math.sin(a)))

    # ---- touching ----

    def _shifted(self, die: Die, mm: float) -> Die:
        a = float(self.rng.uniform(0, 2 * math.pi))
        others = [d for d in self.scene.dice if d is not die]
        for _ in range(24):
            x, y = die.x_mm + mm * math.cos(a), die.y_mm + mm * math.sin(a)
            new = replace(die, x_mm=x, y_mm=y, spin_deg=die.spin_deg + float(self.rng.uniform(-3, 3) * mm))
            x0, y0 = self.scene.shift_mm
            inside = abs(x - x0) < self.half_mm[0] - WALL_GAP_MM and abs(y - y0) < self.half_mm[1] - WALL_GAP_MM
            if inside and not any(self._meets(new, other, 0.0) for other in others):
                return new
            a += 2 * math.pi / 24
        return die

    def nudge(self, seat: str, die: Die, mm: float) -> Script:
        """Push a die along by some mm, its face staying up."""
        new = self._shifted(die, mm)
        yield from self.visit(seat, (die.x_mm, die.y_mm), lambda: self.swap([die], [new]))

    def turn(self, seat: str, die: Die, value: int) -> Script:
        """Turn a die to another face, where it lies."""
        new = replace(self._shifted(die, 1.5), value=value)
        yield from self.visit(seat, (die.x_mm, die.y_mm), lambda: self.swap([die], [new]), stay_ms=400)

    def set_aside(self, seat: str, dice: Sequence[Die]) -> Script:
        """Move dice to other places one by one, as people do who keep them."""
        for die in dice:
            new = replace(self.place(die.value, self.scene.dice), spin_deg=die.spin_deg)
            yield from self.take(seat, die)
            yield from self.bring(seat, new)

    def _lift(self, die: Die) -> Die:
        self.swap([die], ())
        return die

    def bring(self, seat: str, die: Die) -> Script:
        """Lay a die into the tray."""
        yield from self.visit(seat, (die.x_mm, die.y_mm), lambda: self.swap((), [die]), carry=die)

    def take(self, seat: str, die: Die) -> Script:
        """Take a die away."""
        yield from self.visit(seat, (die.x_mm, die.y_mm), lambda: self._lift(die))

    def push_tray(self, seat: str, to_mm: Point) -> Script:
        """Push the tray with all that lies in it."""
        start, dice = self.scene.shift_mm, self.scene.dice
        a = math.radians(self.seats[seat])

        def moved(s: float) -> Point:
            return (to_mm[0] - start[0]) * s, (to_mm[1] - start[1]) * s

        def do(s: float) -> None:
            dx, dy = moved(s)
            lie = tuple(replace(d, x_mm=d.x_mm + dx, y_mm=d.y_mm + dy) for d in dice)
            self.set(shift_mm=(start[0] + dx, start[1] + dy), dice=lie)

        def around(s: float) -> Point:
            dx, dy = moved(s)
            rim = (self.half_mm[0] + 6) * math.cos(a), (self.half_mm[1] + 6) * math.sin(a)
            return start[0] + dx + rim[0], start[1] + dy + rim[1]

        yield from self.slide(seat, around, do, 500)

    # ---- the cup ----

    def lift_cup(self, seat: str, under: Sequence[Die]) -> Script:
        """Lift the cup from where it stands to its place; what lies under it is seen again."""
        cup = self.scene.cup
        assert cup is not None
        hand = self._hand(seat, (cup.x_mm, cup.y_mm), "pinch", 0.0)
        ms = float(self.rng.integers(*self.pace.reach_ms))
        yield from self._carry(hand, outside(hand), (cup.x_mm, cup.y_mm), None, ms)
        self.set(cup=None)
        self.swap((), under)
        yield from self._carry(hand, (cup.x_mm, cup.y_mm), self.cup_place, cup, ms)
        self._show(None, None)
        self.set(cup=Cup(*self.cup_place))
        yield from self._carry(hand, self.cup_place, outside(hand), None, ms)
        self._show(None, None)
