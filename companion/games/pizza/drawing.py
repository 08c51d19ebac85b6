"""The small drawing of the board, as the table lies before the camera."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Mapping

from companion.games.pizza.state import State
from companion.layout import BoardLayout
from companion.screens.view import BoardMark, BoardPicture


def board_picture(
    state: State,
    spaces: Mapping[str, str | None],
    blink: Collection[str] = (),
    sticks: Collection[tuple[int, int]] = (),
) -> BoardPicture:
    """Draw the board with what lies on it.

    Args:
        state: says how the board is turned.
        spaces: id -> "empty", a colour, or None; what is not named is empty.
        blink: the ids to point at.
        sticks: (side, number) of the lines to draw a stick on.
    """
    layout = state.setup.board.layout
    where = places(layout, state.facing["A"])
    marks = tuple(BoardMark(*where[s], spaces.get(s, "empty"), s in blink) for s in state.setup.board.ids)
    return BoardPicture(marks, tuple(_stick(layout, state.facing["A"], *stick) for stick in sticks), radius(layout))


@functools.lru_cache(maxsize=16)
def _frame(angle: float, unit: float) -> tuple[float, float]:
    """Cosine and sine of the turn that brings the side at ``angle`` to the bottom, over the drawing's unit in mm."""
    turn = math.radians(-90 - angle)
    return math.cos(turn) / unit, math.sin(turn) / unit


def _unit(layout: BoardLayout) -> float:
    furthest = max(math.hypot(s.x_mm, s.y_mm) for s in layout.spaces.values())
    return furthest + layout.topping_diameter_mm / 2


def radius(layout: BoardLayout) -> float:
    """Of a space, in units of the drawing's disk."""
    return layout.topping_diameter_mm / 2 / _unit(layout)


def _turned(frame: tuple[float, float], x_mm: float, y_mm: float) -> tuple[float, float]:
    cos, sin = frame
    return x_mm * cos - y_mm * sin, -(x_mm * sin + y_mm * cos)


def places(layout: BoardLayout, bottom: int) -> dict[str, tuple[float, float]]:
    """Where each space is drawn (x right, y down, on the unit disk) when board side ``bottom`` is at the bottom.

    >>> from companion.layout import load_layout
    >>> x, y = places(load_layout("hex37"), 1)["d1"]
    >>> abs(x) < 1e-9, round(y, 2)
    (True, 0.89)
    """
    frame = _frame(layout.side_angles_deg[bottom], _unit(layout))
    return {s.id: _turned(frame, s.x_mm, s.y_mm) for s in layout.spaces.values()}


def reading_order(layout: BoardLayout, bottom: int) -> tuple[str, ...]:
    """The spaces row by row from the top of the drawing, each row from the left."""
    where = places(layout, bottom)
    return tuple(sorted(where, key=lambda s: (round(where[s][1], 2), where[s][0])))


def _stick(layout: BoardLayout, bottom: int, side: int, number: int) -> tuple[float, float, float, float]:
    line, frame = layout.line(side, number), _frame(layout.side_angles_deg[bottom], _unit(layout))
    return (*_turned(frame, *line.near_mm), *_turned(frame, *line.far_mm))
