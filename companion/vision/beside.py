"""What lies beside the board: dice, sought only where the table is not as in the calibration picture."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

from companion.layout import BoardLayout
from companion.vision.dice import UNLIKE, middle_colour, read_pip_dice
from companion.vision.dice_colour import white_of
from companion.vision.pose import BoardPose
from companion.vision.readings import Box, DieReading

if TYPE_CHECKING:
    from companion.vision.symbols import SymbolModel

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

DIE_MM = 21.0
"""The middle of what dice are; the reader believes 0.6 to 1.75 times that: 16 mm dice of a drawer, 28 mm of the box."""
CERTAIN = 0.95
"""Probability from which on pips count here: toppings and flowers lie about, and fingers hide pips."""
SHRINK = 4
_LEAST_CHANGE, _MOST_CHANGE = 0.08, 0.15  # of the logarithm: brighter or darker, in one colour, than the surroundings
_NOISE = 3.0
"""Times what half the table differs by, between the two: white dice on a quiet white table need the least.

The same in levels: a camera's noise is as large where a colour is dark, its logarithm then much larger. In dim light
that spares two thirds of the looks (yellow flowers have little blue); dice's squares change as much as before.
"""
_LEAST_SHARE = 0.2  # of a die's square that must have changed; the least of 168 dice has about 0.3
_SURROUNDINGS = 41  # shrunken px, of 320 x 240: larger than a die, smaller than a lamp's light


def table_of(picture: Picture) -> Floats:
    """The calibration picture in the form that :func:`dice_beside` compares with.

    Args:
        picture: BGR uint8, h x w x 3.
    """
    height, width = picture.shape[:2]
    size = (max(1, width // SHRINK), max(1, height // SHRINK))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return np.asarray(np.log(small.astype(np.float32) + 10))


def dice_beside(
    picture: Picture, table: Floats, pose: BoardPose, layout: BoardLayout, numbered: SymbolModel | None = None
) -> tuple[DieReading, ...]:
    """The dice outside the board, in the players' colours.

    Args:
        picture: BGR uint8, h x w x 3.
        table: of the empty table, from :func:`table_of`. Print on a cloth that looks like a die lay there already.
        pose: where the board lies.
        layout: which board.
        numbered: the enrolled dice with numbers that are used instead of pips.
    """
    die_px = DIE_MM * pose.px_per_mm()
    exclude = nothing_new(picture, table, pose, layout)
    if numbered is None:
        read = _upright(picture, exclude, die_px, pose.plane.turns_upright(layout.board_diameter_mm / 2))
        dice = alike(tuple(die if die.confidence >= CERTAIN else replace(die, value=None) for die in read))
    else:
        dice = _numbered(picture, numbered, exclude)
    return tuple(replace(die, colour=_players(die.colour, layout)) for die in dice)


def _upright(picture: Picture, exclude: Picture, die_px: float, turns: int) -> tuple[DieReading, ...]:
    """Pip dice of a picture that is turned by so many quarters counterclockwise before it is read.

    The networks learned that a die's upper face is its top. Of 126 dice on rendered tables upside down, as a camera
    that hangs by its foot shows them, 118 are read rightly and 3 wrongly as they are, 123 and none when turned.
    """
    if not turns:
        return read_pip_dice(picture, exclude=exclude, die_px=die_px)
    seen, free = (np.ascontiguousarray(np.rot90(whole, turns)) for whole in (picture, exclude))
    size = seen.shape[1], seen.shape[0]
    read = read_pip_dice(seen, exclude=free, die_px=die_px)
    return tuple(replace(die, box=turned_box(die.box, size, -turns)) for die in read)


def turned_box(box: Box, size: tuple[int, int], turns: int) -> Box:
    """Where a box lies after its picture was turned by some quarters counterclockwise.

    Args:
        box: x, y, width, height in px.
        size: width and height of the picture before.
        turns: any whole number.

    >>> turned_box((10, 20, 5, 6), (100, 50), 1)
    (20, 85, 6, 5)
    """
    x, y, w, h = box
    width, height = size
    for _ in range(turns % 4):
        x, y, w, h = y, width - x - w, h, w
        width, height = height, width
    return x, y, w, h


def nothing_new(picture: Picture, table: Floats, pose: BoardPose, layout: BoardLayout) -> npt.NDArray[np.uint8]:
    """255 where no die beside the board can lie: on it, and where the table is as it was (h x w).

    Args:
        picture, table, pose, layout: as :func:`dice_beside` takes them.
    """
    exclude = unchanged(table_of(picture), table, DIE_MM * pose.px_per_mm() / SHRINK)
    exclude = np.asarray(cv2.resize(exclude, picture.shape[1::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
    angles = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    rim = layout.board_diameter_mm / 2 * np.column_stack([np.cos(angles), np.sin(angles)])
    cv2.fillPoly(exclude, [np.rint(pose.to_px(rim)).astype(np.int32)], 255)
    return exclude


def _numbered(picture: Picture, model: SymbolModel, exclude: npt.NDArray[np.uint8]) -> tuple[DieReading, ...]:
    """Enrolled dice whose middles lie where dice may be, with the names of their bodies' colours."""
    from companion.vision.symbols import read_symbol_dice

    white = white_of(picture)
    height, width = picture.shape[:2]
    found = []
    for die in read_symbol_dice(picture, model):
        x, y, w, h = die.box
        if not exclude[min(max(y + h // 2, 0), height - 1), min(max(x + w // 2, 0), width - 1)]:
            found.append(replace(die, colour=middle_colour(picture, die.box, white)))
    return tuple(found)


def alike(dice: tuple[DieReading, ...]) -> tuple[DieReading, ...]:
    """Doubt a die of another size: the dice of one game are alike, and a small or large one is print or a piece."""
    sizes = [max(die.box[2:]) for die in dice if die.value is not None]
    if len(sizes) < 3:
        return dice
    usual = float(np.median(sizes))
    return tuple(die if 1 / UNLIKE < max(die.box[2:]) / usual < UNLIKE else replace(die, value=None) for die in dice)


def unchanged(now: Floats, table: Floats, die_px: float) -> npt.NDArray[np.uint8]:
    """255 where a die's square is as it was on the empty table.

    A camera that was moved sees a pattern elsewhere: then little is unchanged and dice are sought almost everywhere.

    Args:
        now, table: h x w x 3, logarithms of shrunken pictures of the same camera; of other sizes nothing is known.
        die_px: a die's edge in their px.
    """
    if now.shape != table.shape:
        return np.zeros(now.shape[:2], np.uint8)
    off = now - table  # all in place: each of these is 1 MB, and here a reading's memory is at its peak
    middle = np.median(off[::4, ::4], axis=(0, 1))
    light = np.clip(off - middle, -0.5, 0.5)
    cv2.blur(light, (_SURROUNDINGS, _SURROUNDINGS), light)
    light += middle
    cv2.absdiff(off, light, off)
    levels = cv2.min(now, table, light)
    cv2.exp(levels, levels)
    levels *= off
    usual, rough = (float(np.median(_strongest(values[::4, ::4]))) for values in (off, levels))
    least = min(max(_NOISE * usual, _LEAST_CHANGE), _MOST_CHANGE)
    off /= least
    levels /= max(_NOISE * rough, 1e-6)
    beyond = _strongest(cv2.min(off, levels, off))
    changed = (beyond > 1).astype(np.float32)
    reach = max(3, round(die_px))
    return np.asarray((cv2.blur(changed, (reach, reach)) < _LEAST_SHARE) * np.uint8(255), np.uint8)


def _strongest(values: Floats) -> Floats:
    """The largest of each px's three values, h x w; numpy takes eight times as long."""
    first, second, third = cv2.split(values)
    return np.asarray(cv2.max(cv2.max(first, second), third), np.float32)


def _players(colour: str | None, layout: BoardLayout) -> str | None:
    """The player's colour that a body's colour stands for; ivory is how white looks under a warm lamp."""
    if colour == "ivory":
        colour = "white"
    return colour if colour in layout.colours else None
