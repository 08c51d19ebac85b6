"""What lies on a simulated table at one moment: plain frozen values, in millimetres.

The table frame has its origin where the board's centre stands at the start, x to the right and y up as seat A
sees them, z out of the table. The board frame turns and moves with the board.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Topping:
    """A disk with an art face: its centre in mm, its colour, which of the colour's pictures, how it is turned.

    ``z_mm`` is the height of its underside over what it lies on; above zero it is carried.
    """

    x_mm: float
    y_mm: float
    colour: str
    art: int = 0
    spin_deg: float = 0.0
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Stick:
    """A thin cutter from ``near`` to ``far`` (mm); ``line`` is the board side and line number it lies on, if any."""

    colour: str
    near: Point
    far: Point
    line: tuple[int, int] | None = None
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Die:
    """A cube: the place of its centre in mm, the value on top (its pips, or the number of its face), its turn about
    the vertical, and the colour of its body.

    A die in the air has ``z_mm`` above zero, or tumbles by ``tumble_deg`` about a level axis.
    """

    x_mm: float
    y_mm: float
    value: int
    colour: str
    spin_deg: float = 0.0
    tumble_deg: float = 0.0
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Cup:
    """A dice cup, standing on its mouth: the place of its middle in mm; ``z_mm`` above zero it is carried."""

    x_mm: float
    y_mm: float
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Card:
    """A card: its picture ("b13", "W2"), its centre in mm, how it is turned (counter-clockwise from its head to +y).

    A card in the air has ``z_mm`` above zero.
    """

    picture: str
    x_mm: float
    y_mm: float
    spin_deg: float = 0.0
    face_up: bool = True
    z_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand whose finger tips are at x, y (mm, table frame) and whose arm comes from the direction ``from_deg``.

    ``person`` chooses skin and sleeve; ``pose`` is "pinch" (holding something) or "flat".
    """

    x_mm: float
    y_mm: float
    from_deg: float
    person: int = 0
    pose: Literal["pinch", "flat"] = "pinch"


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything on the table.

    Args:
        board: whether the board lies there at all.
        turn_deg: how far the board is turned clockwise seen from above against the layout.
        shift_mm: where the board's centre is, in the table frame.
        toppings: on the board, in the board frame.
        sticks: on the board, in the board frame.
        loose: toppings beside the board or carried, in the table frame.
        loose_sticks: sticks beside the board or carried, in the table frame.
        dice: in the table frame.
        cup: a dice cup, in the table frame.
        cards: in the table frame, each above those before it.
        hands: in the table frame.
        lamp: a second lamp is switched on.
        shadow: where somebody's shadow falls over the table (mm, table frame), or None.
    """

    board: bool = True
    turn_deg: float = 0.0
    shift_mm: Point = (0.0, 0.0)
    toppings: tuple[Topping, ...] = ()
    sticks: tuple[Stick, ...] = ()
    loose: tuple[Topping, ...] = ()
    loose_sticks: tuple[Stick, ...] = ()
    dice: tuple[Die, ...] = ()
    cup: Cup | None = None
    cards: tuple[Card, ...] = ()
    hands: tuple[Hand, ...] = ()
    lamp: bool = False
    shadow: Point | None = None

    def to_table(self, x_mm: float, y_mm: float) -> Point:
        """A place of the board frame in the table frame.

        >>> x, y = Scene(turn_deg=90).to_table(10, 0)
        >>> round(x, 6), round(y, 6)
        (0.0, -10.0)
        """
        a = math.radians(self.turn_deg)
        return (
            self.shift_mm[0] + x_mm * math.cos(a) + y_mm * math.sin(a),
            self.shift_mm[1] - x_mm * math.sin(a) + y_mm * math.cos(a),
        )

    def to_board(self, x_mm: float, y_mm: float) -> Point:
        """A place of the table frame in the board frame."""
        a = math.radians(self.turn_deg)
        x, y = x_mm - self.shift_mm[0], y_mm - self.shift_mm[1]
        return x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)
