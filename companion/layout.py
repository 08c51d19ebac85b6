"""A board layout: spaces, lines and sides of one kind of board, in millimetres.

The built-in layout is ``hex37``; any JSON file of the same form describes another board. Pure data: the rules
use neighbours and touching, the eyes use the millimetres.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from companion.errors import LayoutError

BUILT_IN = ("hex37",)
COLOURS = ("red", "green", "white")
LARGEST_FILE = 4 << 20
"""Bytes a layout file may have: a board of a thousand spaces needs a tenth of it."""


@dataclass(frozen=True, slots=True)
class Space:
    """One round space: its centre in mm (x right, y up, board centre is the origin) and its neighbours' ids."""

    id: str
    x_mm: float
    y_mm: float
    neighbours: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line: it starts at ``near_mm`` on board side ``side`` and ends at ``far_mm``."""

    side: int
    number: int
    near_mm: tuple[float, float]
    far_mm: tuple[float, float]
    touching: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """A validated board.

    Args:
        name: short name, used in record headers.
        spaces: id -> Space, sorted by id.
        lines: every printed line, sorted by (side, number).
        side_angles_deg: side -> angle of the side's middle, counter-clockwise from the x axis.
        start_spaces: side -> the ids that carry a topping at the start.
    """

    name: str
    pitch_mm: float
    board_diameter_mm: float
    topping_diameter_mm: float
    toppings_per_colour: int
    colours: tuple[str, ...]
    spaces: Mapping[str, Space]
    lines: tuple[Line, ...]
    side_angles_deg: Mapping[int, float]
    start_spaces: Mapping[int, tuple[str, ...]]

    @property
    def sides(self) -> tuple[int, ...]:
        """The board's sides, sorted."""
        return tuple(sorted(self.side_angles_deg))

    def numbers(self, side: int) -> tuple[int, ...]:
        """The line numbers printed on a side, sorted."""
        return tuple(line.number for line in self.lines if line.side == side)

    def line(self, side: int, number: int) -> Line:
        """The line with this number on this side.

        Raises:
            KeyError: there is no such line.
        """
        for line in self.lines:
            if line.side == side and line.number == number:
                return line
        raise KeyError((side, number))


def load_layout(name_or_path: str | Path) -> BoardLayout:
    """Load a layout by its built-in name, or from a JSON file.

    Raises:
        LayoutError: no such layout or file, or it does not describe a board; names what and where.

    >>> len(load_layout("hex37").spaces)
    37
    """
    if str(name_or_path) in BUILT_IN:
        return _built_in(str(name_or_path))
    path, shown = Path(name_or_path), _shown(str(name_or_path))
    if path.suffix != ".json":
        raise LayoutError(f"unknown layout {shown}: built in are {', '.join(BUILT_IN)}; or give a .json file")
    try:
        # Asked first, since the name may come from a stranger's record: opening a pipe would wait for ever.
        if not path.is_file():
            raise LayoutError(f"unknown layout {shown}: no such file")
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise LayoutError(f"{shown}: {error.strerror or error}") from error
    if len(raw) > LARGEST_FILE:
        raise LayoutError(f"{shown}: longer than {LARGEST_FILE} bytes")
    try:
        data = json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise LayoutError(f"{shown}: not JSON: {error}") from error
    return parse_layout(data, str(path))


def same_board(one: BoardLayout, other: BoardLayout) -> bool:
    """Whether two layouts are the same to a game's rules: spaces, neighbours, lines, start spaces; not their sizes."""
    return (
        one.toppings_per_colour == other.toppings_per_colour
        and {s.id: s.neighbours for s in one.spaces.values()} == {s.id: s.neighbours for s in other.spaces.values()}
        and one.start_spaces == other.start_spaces
        and [(line.side, line.number, line.touching) for line in one.lines]
        == [(line.side, line.number, line.touching) for line in other.lines]
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("a key is given twice")
    return data


def _shown(value: Any) -> str:
    """A text for a message: short and on one line (a long path's end tells most); of anything else only what it is."""
    if not isinstance(value, str):
        return type(value).__name__
    return ascii(value if len(value) <= 60 else "..." + value[-60:])


@functools.cache
def _built_in(name: str) -> BoardLayout:
    text = resources.files("companion").joinpath("layouts", f"{name}.json").read_text(encoding="utf-8")
    return parse_layout(json.loads(text), name)


def parse_layout(data: Any, where: str = "layout") -> BoardLayout:
    """Validate a layout's JSON form.

    Args:
        data: the decoded JSON.
        where: named in errors.

    Raises:
        LayoutError: says what is wrong and where.
    """
    reader = _Reader(where)
    top = reader.mapping(data, "the layout")
    colours = tuple(reader.text(c, "colours") for c in reader.sequence(top.get("colours"), "colours"))
    if sorted(colours) != sorted(COLOURS):
        raise reader.error("colours", f"must be {', '.join(COLOURS)} in some order")
    spaces = _spaces(reader, top.get("spaces"))
    sides = {
        reader.number_key(k, "sides"): reader.number(
            reader.mapping(v, f"sides.{k}").get("angle_deg"), f"sides.{k}.angle_deg"
        )
        for k, v in reader.mapping(top.get("sides"), "sides").items()
    }
    if sorted(sides) != [1, 2, 3]:
        raise reader.error("sides", "must be 1, 2 and 3")
    if not all(math.isclose((sides[s] - sides[1]) % 360, 120 * (s - 1), abs_tol=1e-6) for s in sides):
        raise reader.error("sides", "must follow each other by 120 degrees counter-clockwise")
    start = {
        reader.number_key(k, "start_spaces"): tuple(
            reader.known(s, spaces, f"start_spaces.{k}") for s in reader.sequence(v, k)
        )
        for k, v in reader.mapping(top.get("start_spaces"), "start_spaces").items()
    }
    flat = [s for ids in start.values() for s in ids]
    if sorted(start) != [1, 2, 3] or len(set(flat)) != len(flat) or not all(start.values()):
        raise reader.error("start_spaces", "must name different spaces for the sides 1, 2 and 3")
    supply = top.get("toppings_per_colour")
    if type(supply) is not int or not max(map(len, start.values())) < supply <= 1000:
        raise reader.error("toppings_per_colour", "must be a whole number above that of a side's start spaces")
    return BoardLayout(
        name=reader.text(top.get("name"), "name"),
        pitch_mm=reader.positive(top.get("pitch_mm"), "pitch_mm"),
        board_diameter_mm=reader.positive(top.get("board_diameter_mm"), "board_diameter_mm"),
        topping_diameter_mm=reader.positive(top.get("topping_diameter_mm"), "topping_diameter_mm"),
        toppings_per_colour=supply,
        colours=COLOURS,
        spaces=spaces,
        lines=_lines(reader, top.get("lines"), spaces),
        side_angles_deg=sides,
        start_spaces=start,
    )


def _spaces(reader: _Reader, data: Any) -> dict[str, Space]:
    raw = reader.mapping(data, "spaces")
    if not 1 <= len(raw) <= 1000:
        raise reader.error("spaces", "must be 1 to 1000")
    spaces = {}
    for name in sorted(raw):
        if not name.isprintable() or not 1 <= len(name) <= 16 or set(name) & set(" ,/="):
            raise reader.error("spaces", f"{_shown(name)} is no id: 1 to 16 characters, none of them a space , / or =")
        entry = reader.mapping(raw[name], f"spaces.{name}")
        near = [
            reader.known(n, raw, f"spaces.{name}.neighbours")
            for n in reader.sequence(entry.get("neighbours"), f"spaces.{name}.neighbours")
        ]
        if name in near or len(set(near)) != len(near):
            raise reader.error(f"spaces.{name}.neighbours", "names the space itself or one space twice")
        x, y = (reader.number(entry.get(k), f"spaces.{name}.{k}") for k in ("x_mm", "y_mm"))
        spaces[name] = Space(name, x, y, tuple(sorted(near)))
    for space in spaces.values():
        for other in space.neighbours:
            if space.id not in spaces[other].neighbours:
                raise reader.error(f"spaces.{other}.neighbours", f"lacks {space.id}, which names {other}")
    return spaces


def _lines(reader: _Reader, data: Any, spaces: Mapping[str, Space]) -> tuple[Line, ...]:
    lines = []
    if len(reader.sequence(data, "lines")) > 300:
        raise reader.error("lines", "must be at most 300")
    for i, item in enumerate(data):
        where = f"lines[{i}]"
        entry = reader.mapping(item, where)
        side, number = entry.get("side"), entry.get("number")
        if type(side) is not int or side not in (1, 2, 3) or type(number) is not int:
            raise reader.error(where, "needs a side of 1 to 3 and a whole number")
        near, far = (reader.point(entry.get(k), f"{where}.{k}") for k in ("near_mm", "far_mm"))
        touching = tuple(
            sorted(reader.known(s, spaces, f"{where}.touching") for s in reader.sequence(entry.get("touching"), where))
        )
        length = math.dist(near, far)
        if length < 1:
            raise reader.error(where, "is shorter than 1 mm")
        for space in spaces.values():
            # A cutter across a space's centre would leave the space in no slice.
            x, y = space.x_mm - near[0], space.y_mm - near[1]
            if abs((far[0] - near[0]) * y - (far[1] - near[1]) * x) < 1e-3 * length:
                raise reader.error(where, f"runs through the centre of {space.id}")
        lines.append(Line(side, number, near, far, touching))
    lines.sort(key=lambda line: (line.side, line.number))
    for side in (1, 2, 3):
        numbers = [line.number for line in lines if line.side == side]
        if not numbers or numbers != list(range(1, len(numbers) + 1)):
            raise reader.error("lines", f"side {side} must have the numbers 1, 2, 3, ... once each")
    return tuple(lines)


class _Reader:
    """Typed access to decoded JSON whose errors name the file and the place."""

    def __init__(self, where: str) -> None:
        self.where = where

    def error(self, place: str, problem: str) -> LayoutError:
        return LayoutError(f"{self.where}: {place}: {problem}")

    def mapping(self, value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.error(place, "must be an object")
        return value

    def sequence(self, value: Any, place: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.error(place, "must be a list")
        return value

    def text(self, value: Any, place: str) -> str:
        if not isinstance(value, str) or not value:
            raise self.error(place, "must be a text")
        return value

    def known(self, value: Any, spaces: Mapping[str, Any], place: str) -> str:
        if not isinstance(value, str) or value not in spaces:
            raise self.error(place, f"unknown space {_shown(value)}")
        return value

    def number(self, value: Any, place: str) -> float:
        # The size first: asking whether a whole number of 400 digits is finite overflows.
        if type(value) not in (int, float) or abs(value) > 1e4 or not math.isfinite(value):
            raise self.error(place, "must be a number within ±10000")
        return float(value)

    def positive(self, value: Any, place: str) -> float:
        number = self.number(value, place)
        if number <= 0:
            raise self.error(place, "must be above zero")
        return number

    def point(self, value: Any, place: str) -> tuple[float, float]:
        pair = self.sequence(value, place)
        if len(pair) != 2:
            raise self.error(place, "must be two numbers")
        return self.number(pair[0], place), self.number(pair[1], place)

    def number_key(self, value: str, place: str) -> int:
        if value not in ("1", "2", "3"):
            raise self.error(place, f"unknown side {_shown(value)}")
        return int(value)
