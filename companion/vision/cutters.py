"""Finds the cutters: thin straight sticks lying along printed lines of the board.

A stick is a ridge of one colour that stands out from the print and the toppings on both of its sides, over most of the
board's width. For each direction of printed lines the picture is turned so that they stand upright, each place asked
"is this a red, green or white ridge?", and the answers are added along all nearly upright paths.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.layout import COLOURS, BoardLayout
from companion.vision.readings import CutterReading

Float = npt.NDArray[np.float32]
Mask = npt.NDArray[np.uint8]

_ROW_MM = 2.7
_BLOCK_ROWS = 6
_MARGIN_MM = 13.0  # as far as the steepest path leans on half the board
_SIDE_MM = 4.5  # where "beside the stick" is: sticks are 3 to 4 mm thick
_SHEARS = np.tan(np.radians(np.linspace(-4.8, 4.8, 11)))
_TO_STICKS = np.array([[0, -1, 1], [1, -0.5, -0.5], [1 / 3, 1 / 3, 1 / 3]], np.float32)
_SMOOTH = np.full((1, 3), 1 / 3, np.float32)
_FOUND = 0.4  # share of the length; the highest that no stick reached on 160 drawn pictures is 0.34
_CERTAIN = 0.55
_RIVAL = 0.75


@dataclass(frozen=True, slots=True)
class Stick:
    """A straight ridge across the board.

    Args:
        side: board side whose lines run in its direction.
        colour: "red", "green" or "white"; None when two colours fit.
        offset_mm: distance from the board's centre, to the right when side's lines are seen upright.
        slope: mm it moves to the right a mm further from the side.
        score: share of its length (0 to 1) on which it was seen.
    """

    side: int
    colour: str | None
    offset_mm: float
    slope: float
    score: float


def stick_colours(colour: Float) -> Float:
    """Turns colours into the two that tell sticks from pizza: red against green, blue against yellow.

    Args:
        colour: h x w x 3 (BGR), logarithms, 0 for the pale print of a space in the light of its place.

    Returns:
        h x w x 3: red - green, blue - (green + red) / 2, mean.
    """
    return np.asarray(cv2.transform(colour, _TO_STICKS), np.float32)


def ridges_of(colour: Float, layout: BoardLayout, px_per_mm: float) -> dict[int, Float]:
    """Board side -> how much each place looks like a stick of each colour along that side's lines.

    Args:
        colour: h x w x 3 of :func:`stick_colours`, top-down, its middle is the board's.
        px_per_mm: its scale.

    Returns:
        side -> colours x blocks (along the lines) x columns (across), 0 to 1.
    """
    return {
        side: _ridges(_upright(colour, _angle(layout, side), _reach(layout, side), px_per_mm, layout), px_per_mm)
        for side in layout.sides
    }


def find_sticks(
    now: Mapping[int, Float], before: Mapping[int, Float], layout: BoardLayout, px_per_mm: float
) -> list[Stick]:
    """Every stick across the board along a direction of printed lines.

    Args:
        now: :func:`ridges_of` the picture.
        before: the same of the empty board: what is printed is no stick.
        px_per_mm: scale of both.
    """
    return [s for side in layout.sides for s in _paths(now[side] * (1 - before[side]), side, layout, px_per_mm)]


def _angle(layout: BoardLayout, side: int) -> float:
    """Direction of a side's lines, from the side to the far end; radians from the x axis."""
    dx, dy = 0.0, 0.0
    for line in layout.lines:
        if line.side == side:
            dx += line.far_mm[0] - line.near_mm[0]
            dy += line.far_mm[1] - line.near_mm[1]
    return math.atan2(dy, dx)


def _offsets(layout: BoardLayout, side: int) -> list[tuple[float, int]]:
    """Where a side's lines lie, mm to the right of the board's centre, seen upright; and their numbers."""
    angle = _angle(layout, side)
    mids = [
        (line.near_mm[0] + line.far_mm[0], line.near_mm[1] + line.far_mm[1], line.number)
        for line in layout.lines
        if line.side == side
    ]
    return sorted(((x * math.sin(angle) - y * math.cos(angle)) / 2, number) for x, y, number in mids)


def _gap(layout: BoardLayout, side: int) -> float:
    """Distance of neighbouring lines in mm."""
    places = _offsets(layout, side)
    return min((b[0] - a[0] for a, b in itertools.pairwise(places)), default=layout.pitch_mm)


def _reach(layout: BoardLayout, side: int) -> float:
    """How far from the board's centre a stick of this side is looked for, in mm."""
    return max(abs(place) for place, _ in _offsets(layout, side)) + 0.6 * _gap(layout, side)


def _upright(colour: Float, angle: float, reach_mm: float, px_per_mm: float, layout: BoardLayout) -> Float:
    """The board turned so that direction ``angle`` points up; ``_ROW_MM`` a row, columns at ``px_per_mm``."""
    rows = round(layout.board_diameter_mm / _ROW_MM)
    columns = 2 * round((reach_mm + _MARGIN_MM) * px_per_mm) + 1
    along = np.array([math.cos(angle), math.sin(angle)]) * _ROW_MM
    across = np.array([math.sin(angle), -math.cos(angle)]) / px_per_mm
    # column and row -> mm on the board -> px of the picture (y down)
    turn = np.column_stack([across, -along]) * px_per_mm * np.array([[1], [-1]])
    middle = np.array([(colour.shape[1] - 1) / 2, (colour.shape[0] - 1) / 2])
    shift = middle - turn @ np.array([(columns - 1) / 2, (rows - 1) / 2])
    return np.asarray(
        cv2.warpAffine(
            colour,
            np.column_stack([turn, shift]),
            (columns, rows),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    )


def _ridges(upright: Float, px_per_mm: float) -> Float:
    """How much each place looks like a stick of each colour: 3 x blocks x columns, 0 to 1."""
    d = max(2, round(_SIDE_MM * px_per_mm))
    planes = [cv2.filter2D(cv2.extractChannel(upright, k), -1, _SMOOTH) for k in range(3)]
    rg, by, mean = (plane[:, d:-d] for plane in planes)
    rg_left, rg_right, by_left, by_right = (part for p in planes[:2] for part in (p[:, : -2 * d], p[:, 2 * d :]))
    red = np.minimum((rg - np.maximum(rg_left, rg_right)) * 2, (rg - 0.2) * 4)
    green = np.minimum((np.minimum(rg_left, rg_right) - rg) * 2.5, (-0.05 - rg) * 4)
    neutral = (np.abs(rg) < 0.3) & (by > -0.2) & (mean > -1)
    white = np.minimum((by - np.maximum(by_left, by_right)) * 3.3, neutral)
    blocks = len(rg) // _BLOCK_ROWS
    out = np.zeros((3, blocks, upright.shape[1]), np.float32)
    for k, evidence in enumerate((red, green, white)):
        rows = np.clip(evidence[: blocks * _BLOCK_ROWS], 0, 1).reshape(blocks, _BLOCK_ROWS, -1)
        out[k, :, d:-d] = rows.mean(axis=1)
    smooth = cv2.blur(out.reshape(3 * blocks, -1), (3, 1)).reshape(out.shape)
    return np.asarray(np.minimum(smooth * 2, 1), np.float32)


@functools.lru_cache(maxsize=8)
def _grid(blocks: int, columns: int, diameter_mm: float, px_per_mm: float) -> tuple[Float, Float, Float]:
    """Of ridges: mm of the blocks along a line and of the columns across it, and each block's share of its column."""
    up = ((blocks - 1) / 2 - np.arange(blocks)) * _ROW_MM * _BLOCK_ROWS
    margin = round(_MARGIN_MM * px_per_mm)
    offset = (np.arange(margin, columns - margin) - (columns - 1) / 2) / px_per_mm
    on_board = np.hypot(up[:, None], offset[None, :]) < diameter_mm / 2
    return up, offset, (on_board / np.maximum(on_board.sum(axis=0), 1)).astype(np.float32)


def _paths(ridges: Float, side: int, layout: BoardLayout, px_per_mm: float) -> list[Stick]:
    _, blocks, columns = ridges.shape
    margin = round(_MARGIN_MM * px_per_mm)
    up, offset, weight = _grid(blocks, columns, layout.board_diameter_mm, px_per_mm)
    swing = round(_SHEARS[-1] * up[0] * px_per_mm)
    # What the best path through a column can reach at most; on most columns that is too little to look further.
    widened = cv2.dilate(ridges.reshape(3 * blocks, columns), np.ones((1, 2 * swing + 1), np.uint8))
    most = (widened.reshape(ridges.shape)[..., margin : columns - margin] * weight).sum(axis=1).max(axis=0)
    worth = np.flatnonzero(most >= _FOUND)
    scores = np.zeros((len(_SHEARS), len(offset), 3), np.float32)
    for k, shear in enumerate(_SHEARS if len(worth) else ()):
        shift = margin + np.rint(up * shear * px_per_mm).astype(np.intp)
        along = ridges[:, np.arange(blocks)[:, None], shift[:, None] + worth]
        scores[k, worth] = (along * weight[:, worth]).sum(axis=1).T
    found = []
    for _ in range(len(COLOURS)):
        k, column, c = (int(i) for i in np.unravel_index(int(np.argmax(scores)), scores.shape))
        best = float(scores[k, column, c])
        if best < _FOUND:
            break
        near = slice(max(0, column - round(8 * px_per_mm)), column + round(8 * px_per_mm) + 1)
        rival = max(float(scores[:, near, i].max()) for i in range(len(COLOURS)) if i != c)
        name = COLOURS[c] if rival < _RIVAL * best else None
        found.append(Stick(side, name, float(offset[column]), float(_SHEARS[k]), best))
        scores[:, near] = 0
    return found


def draw_stick(mask: Mask, stick: Stick, layout: BoardLayout, px_per_mm: float, value: int, half_mm: float) -> None:
    """Mark where a stick lies in a top-down picture.

    Args:
        mask: h x w, its middle is the board's; changed.
        stick: which.
        layout: of the board.
        px_per_mm: scale of the mask.
        value: to mark with.
        half_mm: half the width of the mark: sticks are 3 to 4 mm thick, 6 mm hold the shadow too.
    """
    angle = _angle(layout, stick.side)
    ux, uy = math.cos(angle), math.sin(angle)
    across = np.array([uy - stick.slope * ux, -ux - stick.slope * uy])  # times a place in mm: how far to the right
    along = np.array([-across[1], across[0]])
    far = layout.board_diameter_mm / math.hypot(*along)
    corners = np.array(
        [
            (stick.offset_mm + side * half_mm) * across / (across @ across) + end * far * along
            for side, end in ((-1, -1), (-1, 1), (1, 1), (1, -1))
        ]
    )
    middle = np.array([(mask.shape[1] - 1) / 2, (mask.shape[0] - 1) / 2])
    px = middle + px_per_mm * corners * (1, -1)
    cv2.fillConvexPoly(mask, np.rint(px * 16).astype(np.int32), value, shift=4)


def read_cutters(sticks: list[Stick], layout: BoardLayout) -> tuple[CutterReading, ...]:
    """Names the line that each stick lies on; number None where it lies between two.

    Of two sticks on one side both are told; the caller's rules decide.
    """
    readings = []
    for stick in sticks:
        gap = _gap(layout, stick.side)
        distance, number = min((abs(place - stick.offset_mm), n) for place, n in _offsets(layout, stick.side))
        swing = abs(stick.slope) * layout.board_diameter_mm / 2
        near = distance < 0.32 * gap and distance + swing < 0.75 * gap
        sure = near and stick.score >= _CERTAIN and stick.colour is not None
        confidence = min(0.99, 0.5 + stick.score) if sure else 0.5
        readings.append(CutterReading(stick.side, number if sure else None, stick.colour, round(confidence, 3)))
    return tuple(sorted(readings, key=lambda r: (r.side, r.number or 0)))
