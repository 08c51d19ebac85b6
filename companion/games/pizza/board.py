"""A board layout as the rules use it: sets of spaces are bit masks, bit ``i`` is the i-th id in sorted order.

Whole sets are then compared, counted and joined in one operation of an integer, and "in order of their ids"
is "from the lowest bit".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from companion.layout import BUILT_IN, BoardLayout, Line, load_layout


@dataclass(frozen=True, slots=True)
class Board:
    """A layout with its sets of spaces as masks; equal layouts make equal boards.

    Args:
        layout: what the board was made of.
        ids: the spaces' ids, sorted; the position is the bit.
        bits: id -> mask of that space alone.
        near: id -> mask of its neighbours.
        touching: (side, number) -> mask of the spaces that touch this line.
        start: side -> mask of the spaces that carry a topping at the start.
        numbers: side -> the highest line number.
        slices: the three numbers of the cutters on the sides 1, 2, 3 -> the slices that have spaces, each as
            (mask, sorted ids), sorted by their ids.
    """

    layout: BoardLayout = field(hash=False)
    ids: tuple[str, ...] = field(compare=False, repr=False)
    bits: Mapping[str, int] = field(compare=False, repr=False)
    near: Mapping[str, int] = field(compare=False, repr=False)
    touching: Mapping[tuple[int, int], int] = field(compare=False, repr=False)
    start: Mapping[int, int] = field(compare=False, repr=False)
    numbers: Mapping[int, int] = field(compare=False, repr=False)
    slices: Callable[[int, int, int], tuple[tuple[int, tuple[str, ...]], ...]] = field(compare=False, repr=False)
    _ids_by_byte: tuple[tuple[tuple[str, ...], ...], ...] = field(compare=False, repr=False)
    _near_by_byte: tuple[tuple[int, ...], ...] = field(compare=False, repr=False)

    @property
    def full(self) -> int:
        """The mask of all spaces."""
        return (1 << len(self.ids)) - 1

    def names(self, mask: int) -> list[str]:
        """The ids in a mask, sorted.

        >>> board = board_of("hex37")
        >>> board.names(board.mask(["d4", "c1"]))
        ['c1', 'd4']
        """
        names: list[str] = []
        for table, byte in zip(self._ids_by_byte, mask.to_bytes(len(self._ids_by_byte), "little"), strict=True):
            if byte:
                names += table[byte]
        return names

    def mask(self, names: Iterable[str]) -> int:
        """The mask of some ids.

        Raises:
            KeyError: one is no space of this board.
        """
        return functools.reduce(lambda mask, name: mask | self.bits[name], names, 0)

    def neighbours(self, mask: int) -> int:
        """The mask of all spaces next to one of the mask's."""
        near = 0
        for table, byte in zip(self._near_by_byte, mask.to_bytes(len(self._near_by_byte), "little"), strict=True):
            near |= table[byte]
        return near


def board_of(name_or_path: str) -> Board:
    """The board of a layout, by its built-in name or its file (see :func:`companion.layout.load_layout`).

    Raises:
        LayoutError: there is no such layout, or it is none.
    """
    return _built_in(name_or_path) if name_or_path in BUILT_IN else board_from(load_layout(name_or_path))


@functools.cache
def _built_in(name: str) -> Board:
    return board_from(load_layout(name))


def board_from(layout: BoardLayout) -> Board:
    """Work out the masks of a layout."""
    ids = tuple(sorted(layout.spaces))
    bits = {name: 1 << i for i, name in enumerate(ids)}

    def joined(names: Iterable[str]) -> int:
        return sum(bits[name] for name in set(names))

    near = {name: joined(layout.spaces[name].neighbours) for name in ids}
    left = {
        (line.side, line.number): joined(n for n in ids if left_of(line, layout.spaces[n].x_mm, layout.spaces[n].y_mm))
        for line in layout.lines
    }
    full = (1 << len(ids)) - 1

    @functools.lru_cache(maxsize=1024)
    def slices(*numbers: int) -> tuple[tuple[int, tuple[str, ...]], ...]:
        parts = [full]
        for side, number in zip((1, 2, 3), numbers, strict=True):
            parts = [part for p in parts for part in (p & left[side, number], p & ~left[side, number]) if part]
        return tuple(sorted(((p, tuple(n for n in ids if bits[n] & p)) for p in parts), key=lambda part: part[1]))

    id_tables, near_tables = [], []
    for first in range(0, len(ids), 8):
        names: list[tuple[str, ...]] = [()]
        masks = [0]
        for byte in range(1, 256):
            low = first + (byte & -byte).bit_length() - 1
            rest = byte & (byte - 1)
            here = low < len(ids)
            names.append((ids[low], *names[rest]) if here else names[rest])
            masks.append(near[ids[low]] | masks[rest] if here else masks[rest])
        id_tables.append(tuple(names))
        near_tables.append(tuple(masks))
    return Board(
        layout=layout,
        ids=ids,
        bits=bits,
        near=near,
        touching={(line.side, line.number): joined(line.touching) for line in layout.lines},
        start={side: joined(names) for side, names in layout.start_spaces.items()},
        numbers={side: max(layout.numbers(side)) for side in layout.sides},
        slices=slices,
        _ids_by_byte=tuple(id_tables),
        _near_by_byte=tuple(near_tables),
    )


def left_of(line: Line, x_mm: float, y_mm: float) -> bool:
    """Whether a point (mm) lies left of a line as one looks along it from its near end.

    >>> left_of(Line(1, 1, (0.0, -10.0), (0.0, 10.0), ()), -1.0, 0.0)
    True
    """
    (x0, y0), (x1, y1) = line.near_mm, line.far_mm
    return (x1 - x0) * (y_mm - y0) - (y1 - y0) * (x_mm - x0) > 0
