"""Reads the pizza board: pose, then spaces, cutters, a hand, and the dice around it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

from calibration.geometry import rotation
from companion.errors import LayoutError, ProfileError
from companion.layout import BoardLayout, load_layout, same_board
from companion.vision import spaces as space_reader
from companion.vision.beside import dice_beside, table_of
from companion.vision.cutters import Stick, draw_stick, find_sticks, read_cutters, ridges_of, stick_colours
from companion.vision.hand import HAND_CM2, covered_cm2, foreign_print
from companion.vision.light import CELL_PX, cells, colours_alike, light_change, logarithm, opponents
from companion.vision.pose import BoardNotFound, BoardPose, PoseFinder, reduced
from companion.vision.readings import BoardReading, CutterReading, DieReading

if TYPE_CHECKING:
    from calibration.profile import Profile
    from companion.vision.places import Places
    from companion.vision.symbols import SymbolModel

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]
Points = npt.NDArray[np.float64]

_EDGE_MM = 4.0  # of table shown around the board
_LIGHT_REACH_MM = 20.0
_BESIDE_SHARE = 0.012
"""Covered print around a space: nine in ten half hidden spaces reach it, and one clear space in ten beside a hand."""
_TRUE_COLOURS = 0.3
"""The print's colours must be as like the calibration's; see :func:`companion.vision.light.colours_alike`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The empty board as the calibration shows it, prepared for comparing.

    Args:
        layout: the board.
        px_per_mm: scale of its rectified pictures.
        half_mm: half their side.
        centres_px: n x 2, the spaces' centres in them, in the order of ``layout.spaces``.
        seen: n, whether the calibration picture shows the whole space.
        empty: what the spaces look like.
        half_log: h/2 x w/2 x 3, logarithm of the rectified picture at half the scale.
        cell_log: the same at its :func:`companion.vision.light.cells`; ``cell_free``: which of them are in
            ``print_mask``; ``colours``: :func:`companion.vision.light.opponents` of them.
        pale: 3, the middle colour of the spaces.
        print_mask: h x w, 255 where print is that toppings never cover.
        table: the whole calibration picture, as :func:`companion.vision.beside.table_of` makes it.
        sticks: ridges of the print, per side.
    """

    layout: BoardLayout
    px_per_mm: float
    half_mm: float
    centres_px: Points
    seen: npt.NDArray[np.bool_]
    empty: space_reader.Empty
    half_log: Float
    cell_log: Float
    cell_free: npt.NDArray[np.bool_]
    colours: Float
    pale: Float
    print_mask: Picture
    table: Float
    sticks: Mapping[int, Float]


@dataclass(frozen=True, slots=True)
class Surface:
    """What lies on the board in one rectified picture; nothing is told where its colours are not to be trusted."""

    spaces: Mapping[str, space_reader.SpaceReading]
    cutters: tuple[CutterReading, ...]
    covered_cm2: float
    true_colours: bool = True


def rectified(
    picture: Picture,
    pose: BoardPose,
    px_per_mm: float,
    half_mm: float,
    smaller: Callable[[int], Picture] | None = None,
) -> Picture:
    """Top-down picture (BGR) of the board, averaged against aliasing: before, if the picture has much more pixels.

    Args:
        picture: BGR uint8, h x w x 3.
        pose: where the board lies in it.
        px_per_mm: scale of the result.
        half_mm: half its side.
        smaller: gives :func:`companion.vision.pose.reduced` of the picture, where others need it, too.
    """
    factor = round(pose.plane.for_size((picture.shape[1], picture.shape[0])).px_per_mm() / px_per_mm)
    if factor > 1:
        return pose.rectify(reduced(picture, factor) if smaller is None else smaller(factor), px_per_mm, half_mm)
    quarter = 0.25 / px_per_mm
    first, second = (
        pose.plane.after(rotation(0, d, d)).rectify(picture, px_per_mm, half_mm) for d in (-quarter, quarter)
    )
    return np.asarray(cv2.addWeighted(first, 0.5, second, 0.5, 0), np.uint8)


def make_reference(picture: Picture, pose: BoardPose, layout: BoardLayout) -> Reference:
    """Prepare the calibration picture (BGR, h x w x 3) of the empty board."""
    px_per_mm = space_reader.TOPPING_PX / layout.topping_diameter_mm
    half = math.ceil((layout.board_diameter_mm / 2 + _EDGE_MM) * px_per_mm) / px_per_mm  # whole px
    before = rectified(picture, pose, px_per_mm, half)
    size = len(before)
    axis = ((np.arange(size) + 0.5) / px_per_mm - half).astype(np.float32)
    columns, rows = np.meshgrid(axis, -axis)
    centres_mm = _centres_mm(layout)
    radius = layout.topping_diameter_mm / 2
    from_space = np.full((size, size), np.inf, np.float32)
    for x, y in centres_mm:
        np.minimum(from_space, np.hypot(columns - x, rows - y), out=from_space)
    on_board = np.hypot(columns, rows) < layout.board_diameter_mm / 2 - _EDGE_MM
    free = on_board & (from_space > 1.25 * radius)  # toppings lie up to a quarter of their radius off
    log = logarithm(before)
    pale = np.median(log[from_space < 0.7 * radius], axis=0).astype(np.float32)
    centres_px = pose.rectified_xy(centres_mm, px_per_mm, half)
    print_mask = (free * 255).astype(np.uint8)
    cell_log = cells(log)
    return Reference(
        layout=layout,
        px_per_mm=px_per_mm,
        half_mm=half,
        centres_px=centres_px,
        seen=whole_spaces(pose, layout, picture),
        empty=space_reader.Empty.of(space_reader.cut_patches(before, centres_px), space_reader.load_net()),
        half_log=_half(log),
        cell_log=cell_log,
        cell_free=cells(free.astype(np.float32)) > 0,
        colours=opponents(cell_log),
        pale=pale,
        print_mask=print_mask,
        table=table_of(picture),
        sticks=ridges_of(stick_colours(log - pale), layout, px_per_mm),
    )


def whole_spaces(pose: BoardPose, layout: BoardLayout, picture: Picture) -> npt.NDArray[np.bool_]:
    """Which spaces (n, in the order of ``layout.spaces``) lie wholly inside the picture."""
    height, width = picture.shape[:2]
    around = 0.6 * layout.topping_diameter_mm * np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])
    px = pose.to_px((_centres_mm(layout)[:, None] + around).reshape(-1, 2)).reshape(-1, 8)
    limits = np.tile([width - 1, height - 1], 4)
    return np.asarray(((px >= 0) & (px <= limits)).all(axis=1))


def read_surface(now: Picture, reference: Reference, seen: npt.NDArray[np.bool_]) -> Surface:
    """Read spaces, cutters and foreign cover from a rectified picture.

    Args:
        now: BGR, as :func:`rectified` makes it.
        seen: n, which spaces the picture shows.
    """
    layout, px_per_mm = reference.layout, reference.px_per_mm
    log = logarithm(now)
    cell_log = cells(log)
    light = light_change(cell_log - reference.cell_log, reference.cell_free, _LIGHT_REACH_MM * px_per_mm / CELL_PX)
    colour = stick_colours(log)
    colour -= _enlarged(stick_colours(light + reference.pale), colour)
    sticks = find_sticks(ridges_of(colour, layout, px_per_mm), reference.sticks, layout, px_per_mm)
    foreign = _foreign(_half(log), light, reference, sticks)
    readings = space_reader.read_patches(
        reference.empty,
        space_reader.cut_patches(now, reference.centres_px),
        space_reader.cut_patches(_stick_picture(sticks, reference), reference.centres_px) if sticks else None,
        _beside(foreign, reference),
    )
    hidden = space_reader.SpaceReading(None, 0.0)
    true_colours = colours_alike(opponents(cell_log), reference.colours, reference.cell_free) >= _TRUE_COLOURS
    told = seen & reference.seen & true_colours
    return Surface(
        {space: r if both else hidden for space, r, both in zip(layout.spaces, readings, told, strict=True)},
        read_cutters(sticks, layout) if true_colours else (),
        covered_cm2(foreign, px_per_mm / 2),
        true_colours,
    )


def _foreign(log: Float, light: Float, reference: Reference, sticks: list[Stick]) -> Picture:
    """Where the print is covered; looked for at half the scale, which the pattern of the print survives."""
    unexplained = log - reference.half_log
    unexplained -= _enlarged(light, unexplained)
    mask = reference.print_mask[::2, ::2].copy()
    for stick in sticks:
        draw_stick(mask, stick, reference.layout, reference.px_per_mm / 2, 0, half_mm=6.0)
    return foreign_print(reference.half_log[..., 1], log[..., 1], unexplained, mask, reference.px_per_mm / 2)


def _stick_picture(sticks: list[Stick], reference: Reference) -> Picture:
    mask = np.zeros_like(reference.print_mask)
    for stick in sticks:
        draw_stick(mask, stick, reference.layout, reference.px_per_mm, 255, half_mm=3.0)
    return mask


def _beside(foreign: Picture, reference: Reference) -> npt.NDArray[np.bool_]:
    """Which spaces (n) have covered print around them: there a hand may show through where a topping is looked for."""
    size = round(1.4 * reference.layout.pitch_mm * reference.px_per_mm / 2) | 1
    near = cv2.blur((foreign > 0).astype(np.float32), (size, size))
    x, y = np.rint(reference.centres_px / 2).astype(np.intp).T
    return np.asarray(near[y, x] > _BESIDE_SHARE)


def _enlarged(values: Float, like: Float) -> Float:
    return np.asarray(cv2.resize(values, like.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _half(values: Float) -> Float:
    size = ((values.shape[1] + 1) // 2, (values.shape[0] + 1) // 2)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), np.float32)


def _centres_mm(layout: BoardLayout) -> Points:
    return np.array([(s.x_mm, s.y_mm) for s in layout.spaces.values()], np.float64)


class BoardEyes:
    """Reads pictures of one calibrated board; remembers where the board lay.

    Args:
        profile: the calibration.
        numbered: the enrolled dice with numbers that lie beside the board instead of pip dice.

    Attributes:
        bottom: the board side nearest the bottom edge of the calibration picture.
    """

    def __init__(self, profile: Profile, numbered: SymbolModel | None = None) -> None:
        picture = profile.picture()
        self.bottom = profile.side_at_bottom
        self._finder = PoseFinder(picture, profile.plane, profile.layout)
        calibrated = BoardPose(profile.plane, profile.layout.board_diameter_mm / 2)
        self._reference = make_reference(picture, calibrated, profile.layout)
        self._numbered = numbered
        self._pose: BoardPose | None = None
        self._placed: tuple[BoardPose, Places] | None = None

    @classmethod
    def open(cls, folder: str | Path, dice: str = "latest", layout: str | None = None) -> BoardEyes:
        """The reader of the profile in a folder, with its dice if such with numbers are enrolled there.

        Args:
            folder: of the profile.
            dice: which of several such kinds; see :func:`calibration.kinds.numbered_kind`.
            layout: name or file of the layout that is played on; None: the calibrated one.

        Raises:
            ProfileError: it is missing, broken, of another format or of a board with another layout.
        """
        from calibration.kinds import numbered_kind
        from calibration.profile import load_profile
        from companion.vision.eyes import of_fixed_camera

        profile = load_profile(folder)
        try:
            other = layout is not None and not same_board(profile.layout, load_layout(layout))
        except LayoutError as error:
            raise ProfileError(f"the board that the game is played on: {error}") from error
        if other:
            raise ProfileError(
                f"{folder}: a board {profile.layout.name} is calibrated, the game is played on {layout}: "
                "calibrate its board, or begin another game"
            )
        kind = numbered_kind(folder, dice)
        if kind is None:
            return cls(profile)
        from calibration.faces import load_faces

        return cls(profile, of_fixed_camera(load_faces(folder, kind).model))

    def places(self) -> Places | None:
        """Where spaces and lines lay in the last picture; None when no board was found in it."""
        from companion.vision.places import places_of

        if self._pose is None:
            return None
        if self._placed is None or self._placed[0] is not self._pose:
            self._placed = (self._pose, places_of(self._pose, self._reference.layout))
        return self._placed[1]

    def read(self, picture: Picture, *, dice: bool = True) -> BoardReading:
        """The reading of a picture; never raises for a bad picture, says "unreadable".

        Args:
            picture: BGR uint8, h x w x 3.
            dice: whether dice are looked for beside the board.
        """
        smaller = functools.cache(partial(reduced, picture))
        try:
            self._pose = self._finder.find(picture, self._pose, smaller)
        except BoardNotFound as error:
            self._pose = None
            return BoardReading("unreadable", str(error))
        return read_board(picture, self._pose, self._reference, dice=dice, numbered=self._numbered, smaller=smaller)


def read_board(
    picture: Picture,
    pose: BoardPose,
    reference: Reference,
    *,
    dice: bool = True,
    numbered: SymbolModel | None = None,
    smaller: Callable[[int], Picture] | None = None,
) -> BoardReading:
    """Read one picture whose pose is known.

    Args:
        picture: BGR uint8, h x w x 3.
        pose: where the board lies in it.
        reference: the empty board.
        dice: whether dice are looked for beside the board.
        numbered: enrolled dice with numbers, to look for instead of pip dice.
        smaller: as :func:`rectified` takes it.
    """
    layout = reference.layout
    found = dice_beside(picture, reference.table, pose, layout, numbered) if dice else ()
    if pose.turn is None:
        return BoardReading(
            "unsure",
            "which way the board is turned can't be told",
            None,
            dict.fromkeys(layout.spaces),
            dict.fromkeys(layout.spaces, 0.0),
            dice=found,
            moved=pose.moved,
        )
    seen = whole_spaces(pose, layout, picture)
    flat = rectified(picture, pose, reference.px_per_mm, reference.half_mm, smaller)
    surface = read_surface(flat, reference, seen)
    hand = surface.covered_cm2 >= HAND_CM2
    reason = _doubt(surface, found, hand)
    return BoardReading(
        status="ok" if reason is None else "unsure",
        reason=reason,
        turn=pose.turn,
        spaces={space: r.state for space, r in surface.spaces.items()},
        confidence={space: r.confidence for space, r in surface.spaces.items()},
        cutters=surface.cutters,
        dice=found,
        dice_sought=dice,
        hand=hand,
        moved=pose.moved,
    )


def _doubt(surface: Surface, dice: tuple[DieReading, ...], hand: bool) -> str | None:
    """Why a reading is not certain, one line; None if it is."""
    if not surface.true_colours:
        return "the picture's colours are wrong: red and blue swapped, grey, or far too bright"
    if hand:
        return "something is over the board"
    dark = sorted(space for space, r in surface.spaces.items() if r.state is None)
    if dark:
        return f"hidden or unsure: {', '.join(dark)}"
    if any(c.number is None or c.colour is None for c in surface.cutters):
        return "a stick lies on no line or can't be told"
    if any(d.value is None or d.colour is None for d in dice):
        return "a die can't be read"
    return None
