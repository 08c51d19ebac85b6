"""What dice bear instead of pips: our own symbols of the dice game, and numerals; laid on the sides of drawn dice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from companion.simulator.optics import Array, Camera, Lamp
from companion.simulator.paint import Image
from companion.simulator.scene import Die
from companion.simulator.solids import Light, die_centre, die_sides, lit

SYMBOLS = ("blue", "red", "yellow", "green", "wizard", "jester")
SIZE = 128
"""Side of a face's picture in px: four times what a camera sees of it."""
_PAINT = {
    "blue": (190, 92, 30),
    "red": (40, 36, 200),
    "yellow": (24, 186, 240),
    "green": (60, 140, 34),
    "wizard": (140, 44, 104),
    "jester": (150, 60, 220),
}
Points = Sequence[tuple[float, float]]


def symbol(name: str, ink: tuple[int, int, int] | None = None) -> Image:
    """A face of the dice game (BGRA, SIZE px square): drop, flame, sun, leaf, wizard's hat or jester's cap.

    Args:
        name: one of SYMBOLS.
        ink: one colour for all that is painted, as on engraved dice; None: each symbol has its own.

    >>> symbol("blue").shape, bool(symbol("jester")[..., 3].any())
    ((128, 128, 4), True)
    """
    paint = ink or _PAINT[name]
    out = np.zeros((SIZE, SIZE, 4), np.uint8)

    def fill(points: Points, colour: tuple[int, int, int] | None = paint) -> None:
        corners = np.round((np.asarray(points) * 0.42 + 0.5) * SIZE * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.fillPoly(out, [corners], (0, 0, 0, 0) if colour is None else (*colour, 255), cv2.LINE_8, 4)

    def round_(x: float, y: float, radius: float, colour: tuple[int, int, int] | None = paint) -> None:
        fill([(x + radius * math.cos(a), y + radius * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 40)], colour)

    if name == "blue":  # a drop with a gleam
        fill([(0, -1), (0.34, -0.4), (-0.34, -0.4)])
        fill([(0, -1), *((0.66 * math.cos(a), 0.3 + 0.66 * math.sin(a)) for a in np.linspace(-0.75, math.pi + 0.75))])
        round_(-0.2, 0.42, 0.17, None)
    elif name == "red":  # a flame of three tongues
        fill([(-0.7, 0.9), (-0.9, 0), (-0.5, 0.2), (-0.1, -1), (0.3, 0), (0.7, -0.5), (0.8, 0.3), (0.6, 0.9)])
        fill([(-0.2, 0.9), (0.05, 0.2), (0.3, 0.9)], None)
    elif name == "yellow":  # a sun
        round_(0, 0, 0.5)
        for a in np.arange(8) * math.pi / 4:
            c, s = math.cos(a), math.sin(a)
            fill(
                [
                    (0.95 * c, 0.95 * s),
                    (0.6 * c - 0.18 * s, 0.6 * s + 0.18 * c),
                    (0.6 * c + 0.18 * s, 0.6 * s - 0.18 * c),
                ]
            )
    elif name == "green":  # a leaf with its rib
        bow = [(x, 0.62 * math.cos(x * math.pi / 2)) for x in np.linspace(-0.95, 0.95, 30)]
        fill([((x + y) * 0.75, (x - y) * 0.75) for x, y in [*bow, *((x, -y) for x, y in reversed(bow))]])
        fill([(-0.9, -0.82), (-0.82, -0.9), (0.62, 0.54), (0.54, 0.62)], None)
    elif name == "wizard":  # a pointed hat with a star
        fill([(0.1, -1), (0.55, 0.5), (0.98, 0.62), (0.7, 0.88), (-0.7, 0.88), (-0.98, 0.62), (-0.55, 0.5)])
        star = [(0.3 * (1 if k % 2 else 0.42), k * math.pi / 5 + math.pi / 10) for k in range(10)]
        fill([(r * math.cos(a), 0.12 + r * math.sin(a)) for r, a in star], None if ink else (90, 220, 250))
    else:  # a cap with three bells
        fill([(-0.62, 0.9), (-0.85, -0.35), (-0.35, 0.1), (0, -0.7), (0.35, 0.1), (0.85, -0.35), (0.62, 0.9)])
        for x, y in ((-0.85, -0.4), (0, -0.75), (0.85, -0.4)):
            round_(x, y, 0.22, ink or (30, 150, 235))
        fill([(-0.66, 0.62), (0.66, 0.62), (0.66, 0.72), (-0.66, 0.72)], None)
    return out


def numeral(number: int, ink: tuple[int, int, int]) -> Image:
    """A face with a numeral (BGRA, SIZE px square); 6 is underlined, as on dice that have a 9."""
    out = np.zeros((SIZE, SIZE, 4), np.uint8)
    face, scale, thick = cv2.FONT_HERSHEY_DUPLEX, SIZE / 32, round(SIZE / 10)
    (w, h), _ = cv2.getTextSize(str(number), face, scale, thick)
    at = ((SIZE - w) // 2, (SIZE + h) // 2 - (SIZE // 7 if number == 6 else 0))
    cv2.putText(out, str(number), at, face, scale, (*ink, 255), thick, cv2.LINE_AA)
    if number == 6:
        left, right, y = SIZE // 2 - w // 3, SIZE // 2 + w // 3, at[1] + thick + thick // 2
        cv2.line(out, (left, y), (right, y), (*ink, 255), thick // 2, cv2.LINE_AA)
    return out


def lay_faces(
    image: Image, die: Die, edge_mm: float, art: Mapping[int, Image], camera: Camera, lamp: Lamp, light: Light
) -> None:
    """Paint the faces of a die whose body is drawn already (BGR picture, changed in place).

    Args:
        image: the picture.
        die: the die.
        edge_mm: its edge.
        art: value -> its face, BGRA.
        camera: the camera.
        lamp: where the light comes from.
        light: b, g, r factors of the light that falls on the place.
    """
    centre, reach = die_centre(die, edge_mm), edge_mm / 2 * 0.94
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))  # of the art's corners, from its upper left one clockwise
    for side in die_sides(die, edge_mm, camera):
        corners = camera.project([side.middle_mm + (side.across * a + side.over * b) * reach for a, b in signs])
        shade = lit((255, 255, 255), side.normal, centre, lamp, light)
        _warp(image, art[side.value], corners, np.asarray(shade) / 255)


def _warp(image: Image, art: Image, corners: Array, shade: Array) -> None:
    """Lay a square picture (BGRA), lit, on four corners (px, in its order) of another."""
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 2, image.shape[1::-1])
    w, h = (int(v) for v in high - low)
    if w <= 0 or h <= 0:
        return
    side = max(4, round(float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).max())))
    # Paint is black where there is none, so averaging leaves each colour multiplied by its share.
    small = cv2.resize(art.astype(np.float32), (side, side), interpolation=cv2.INTER_AREA)
    source = np.array([(-0.5, -0.5), (side - 0.5, -0.5), (side - 0.5, side - 0.5), (-0.5, side - 0.5)], np.float32)
    onto = cv2.getPerspectiveTransform(source, (corners - low - 0.5).astype(np.float32))
    laid = cv2.warpPerspective(small, onto, (w, h), flags=cv2.INTER_LINEAR)
    part = image[low[1] : high[1], low[0] : high[0]]
    part[:] = np.clip(laid[..., :3] * shade + part * (1 - laid[..., 3:] / 255), 0, 255).astype(np.uint8)
