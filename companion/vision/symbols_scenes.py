"""Draws more scenes out of an enrolment: its dice, cut out, turned and laid close together on its own table.

Enrolled dice often lie apart; those of a throw touch and cover each other. What is learned from these knows both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.symbols_find import F32, F64, U8, UNIT, shades

CLOSE = 0.68
"""Boxes' sides between the middles of the closest dice: 0.76 where two lie side by side, less where one leans over."""
_TOGETHER = 0.9  # share of dice that are laid beside another one
_BACK = 0.45  # of a box must look like die for its outline to be believed


@dataclass(frozen=True, slots=True)
class Labelled:
    """A picture of dice with what each shows.

    Args:
        picture: BGR uint8 h x w x 3.
        boxes: n x 4, x, y, width, height in px of all dice in it.
        values: n face values, upwards.
    """

    picture: U8
    boxes: F64
    values: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture of enrolled dice at the working scale.

    Args:
        picture: BGR h x w x 3.
        middles: n x 2, the middles of the dice's boxes in px.
        sizes: n x 2, the boxes' widths and heights.
        values: n face values.
    """

    picture: U8
    middles: F64
    sizes: F64
    values: tuple[int | str, ...]


def draw_scenes(
    shown: Sequence[Shown], table: F32, count: int, dice: int, rng: np.random.Generator
) -> Iterator[tuple[U8, F64]]:
    """Scenes with more dice, each with the middles of all its dice (n x 2 px); the light varies a little.

    Args:
        shown: the enrolment.
        table: the colours' evidence, as the finder has it.
        count: scenes to draw.
        dice: dice to add to each.
        rng: where the dice go.
    """
    faces: dict[int | str, list[tuple[U8, U8]]] = {}
    for s in shown:
        for middle, size, value in zip(s.middles, s.sizes, s.values, strict=True):
            faces.setdefault(value, []).append(_cut(s.picture, middle, size, table))
    groups = list(faces.values())
    for k in range(count):
        picture = shown[k % len(shown)].picture.astype(np.float32)
        middles = [(float(x), float(y)) for x, y in shown[k % len(shown)].middles]
        there = len(middles)
        for _ in range(4 * dice):
            if len(middles) == there + dice:
                break
            place = _place(middles, picture.shape[1], picture.shape[0], rng)
            if place is not None:
                group = groups[rng.integers(len(groups))]
                _lay(picture, *group[rng.integers(len(group))], place, rng)
                middles.append(place)
        if k >= len(shown):
            picture *= (rng.uniform(0.85, 1.15) * rng.uniform(0.96, 1.04, 3)).astype(np.float32)
            if rng.random() < 0.4:
                picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.4, 0.9))
            picture += rng.normal(0, rng.uniform(0, 3), picture.shape).astype(np.float32)
        yield np.clip(picture, 0, 255).astype(np.uint8), np.array(middles, np.float64).reshape(-1, 2)


def _place(
    middles: list[tuple[float, float]], width: int, height: int, rng: np.random.Generator
) -> tuple[float, float] | None:
    """A free place for one more die, mostly beside another; None when the one tried is taken."""
    if middles and rng.random() < _TOGETHER:
        x, y = middles[rng.integers(len(middles))]
        angle, far = rng.uniform(0, 2 * np.pi), UNIT * rng.uniform(CLOSE, 1.05)
        x, y = float(x + far * np.cos(angle)), float(y + far * np.sin(angle))
    else:
        x, y = float(rng.uniform(0, width)), float(rng.uniform(0, height))
    inside = UNIT < x < width - UNIT and UNIT < y < height - UNIT
    free = all((x - a) ** 2 + (y - b) ** 2 >= (CLOSE * UNIT) ** 2 for a, b in middles)
    return (x, y) if inside and free else None


def _cut(picture: U8, middle: F64, size: F64, table: F32) -> tuple[U8, U8]:
    """A die with surroundings, 2 UNIT a side, and the mask of what is die."""
    side = 2 * UNIT
    patch = cv2.getRectSubPix(picture, (side, side), (float(middle[0]) - 0.5, float(middle[1]) - 0.5))
    (left, top), (right, bottom) = np.rint(UNIT - size / 2).astype(int), np.rint(UNIT + size / 2).astype(int)
    likely = np.zeros((side, side), np.uint8)
    likely[top:bottom, left:right] = table[shades(patch)][top:bottom, left:right] > 0.5
    mask = np.zeros((side, side), np.uint8)
    points = cv2.findNonZero(likely)
    if points is not None and len(points) > 2:
        cv2.fillConvexPoly(mask, cv2.convexHull(points), 255)
    if (mask > 0).sum() < _BACK * size[0] * size[1]:
        mask[:] = 0
        cv2.ellipse(mask, (UNIT, UNIT), (int(size[0] / 2), int(size[1] / 2)), 0, 0, 360, 255, -1)
    return np.asarray(patch, np.uint8), mask


def _lay(picture: F32, patch: U8, mask: U8, place: tuple[float, float], rng: np.random.Generator) -> None:
    """Paint a cut die, turned at random, into a picture."""
    side = 2 * UNIT
    turn = cv2.getRotationMatrix2D((UNIT - 0.5, UNIT - 0.5), rng.uniform(0, 360), rng.uniform(0.93, 1.07))
    x, y = int(place[0]) - UNIT, int(place[1]) - UNIT
    turn[:, 2] += (place[0] % 1, place[1] % 1)
    patch = cv2.warpAffine(patch, turn, (side, side))
    cover = cv2.GaussianBlur(cv2.warpAffine(mask, turn, (side, side)), (0, 0), 0.6)[..., None] / np.float32(255)
    where = picture[y : y + side, x : x + side]
    where += (patch - where) * cover
