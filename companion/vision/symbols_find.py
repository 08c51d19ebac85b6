"""Finds where enrolled dice lie: a linear filter over colour and edges, learned from the pictures of an enrolment.

Every picture is first brought to the scale where a die is UNIT px large. The filter then sees windows of cells of
CELL px; it learns from the dice what they look like, and from the rest of the same pictures what this table, cloth and
lamp look like.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.errors import CalibrationError

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

UNIT = 24
"""Px of a die's box at the working scale: a 16 mm die in a picture 60 cm wide has 34 of 1280 px."""
CELL = 3
WINDOW = 11  # cells of the filter's side: a die and a third of one around it
SHADES = 16  # of each of blue, green and red in the table of colours: the upper four bits
CHANNELS = 6

HERE, NEAR, FAR = 0.09, 0.35, 1.2
"""Sides from a die's middle: up to HERE a window shows that die, from NEAR to FAR it shows it displaced, then none."""
_TAKEN = {HERE: 300, NEAR: 400, FAR: 500}  # windows of each sort a scene
_FEWEST = 100  # windows of dice, and of anything else, to learn from
_RIDGE = 0.01
_AROUND = 2  # cells around a place that are looked at with it
_FAR_ENOUGH = np.hypot(*np.mgrid[-_AROUND : _AROUND + 1, -_AROUND : _AROUND + 1]) > _AROUND
_MOST_EVIDENCE = 4.0


@dataclass(frozen=True, slots=True)
class Finder:
    """What dice of one kind look like on one table.

    Args:
        table: SHADES ** 3, log of how much likelier a colour is on a die than elsewhere.
        filters: CHANNELS x WINDOW x WINDOW.
        bias: added to the filters' answer, which then is about 0.5 on a die and -0.5 elsewhere.
        least: answer from which on a place is worth a closer look.
    """

    table: F32
    filters: F32
    bias: float
    least: float

    def answer(self, picture: U8) -> F32:
        """How much each cell looks like a die's middle: rows x columns of cells.

        Args:
            picture: BGR h x w x 3 at the working scale.
        """
        seen = channels(picture, self.table)
        out = np.full(seen.shape[:2], self.bias, np.float32)
        for k in range(CHANNELS):
            out += cv2.filter2D(seen[..., k].copy(), cv2.CV_32F, self.filters[k], borderType=cv2.BORDER_REPLICATE)
        return out

    def places(self, answer: F32, most: int) -> F64:
        """Where dice may lie, the likeliest first: n x 2 px, counted from the picture's corner.

        Args:
            answer: of :meth:`answer`.
            most: the number of places at most.
        """
        rows, columns = np.nonzero(answer > self.least)
        order = np.argsort(-answer[rows, columns], kind="stable")
        free = np.ones((answer.shape[0] + 2 * _AROUND, answer.shape[1] + 2 * _AROUND), bool)
        out: list[tuple[int, int]] = []
        # Between touching dice the answer has ridges, no peaks: what is near a place is left out, not what is lower.
        for y, x in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
            if free[y + _AROUND, x + _AROUND]:
                out.append((x, y))
                if len(out) == most:
                    break
                free[y : y + 2 * _AROUND + 1, x : x + 2 * _AROUND + 1] &= _FAR_ENOUGH
        return (np.array(out, np.float64).reshape(-1, 2) + 0.5) * CELL


def at_scale(picture: U8, die_px: float) -> U8:
    """The picture at the working scale, if a die's box is ``die_px`` large in it (at least one cell on each side)."""
    size = tuple(max(WINDOW * CELL, round(n * UNIT / die_px)) for n in picture.shape[1::-1])
    while 2 * size[0] < picture.shape[1] and 2 * size[1] < picture.shape[0]:
        picture = _halved(picture)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def shades(picture: U8) -> npt.NDArray[np.uint16]:
    """The place of each pixel's colour in a table of colours.

    >>> shades(np.array([[[0, 0, 255]]], np.uint8)).tolist()
    [[15]]
    """
    blue, green, red = (p.astype(np.uint16) for p in cv2.split(picture))
    return np.asarray((blue & 0xF0) << 4 | (green & 0xF0) | red >> 4)


def channels(picture: U8, table: F32) -> F32:
    """What the filter sees: rows x columns of cells x CHANNELS.

    Lightness and two colours, edges, difference from the surroundings, and the colours' evidence. Only edges need the
    picture's full sharpness; the last two are measured at half the scale.

    Args:
        picture: BGR h x w x 3 at the working scale.
        table: SHADES ** 3.
    """
    size = (picture.shape[1] // CELL, picture.shape[0] // CELL)
    whole = picture[: size[1] * CELL, : size[0] * CELL]
    colours = cv2.cvtColor(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2LAB)
    half = _halved(whole)
    lab = cv2.cvtColor(half, cv2.COLOR_BGR2LAB)
    apart = cv2.absdiff(lab, cv2.blur(lab, (UNIT // 2, UNIT // 2)))
    evidence = np.take(table, shades(half))
    seen = [cv2.resize(p, size, interpolation=cv2.INTER_AREA) for p in (_edges(whole), apart, evidence)]
    out = np.empty((CHANNELS, size[1], size[0]), np.float32)
    for k, plane in enumerate((*cv2.split(colours), seen[0])):
        np.multiply(plane, np.float32(1 / 32), out=out[k])
    np.multiply(cv2.transform(seen[1], np.full((1, 3), 1 / 3, np.float32)), np.float32(3 / 32), out=out[4])
    out[5] = seen[2]
    return np.moveaxis(out, 0, 2)


def _halved(picture: U8) -> U8:
    """A picture at half the scale; with even sides, each pixel is the mean of four."""
    size = (max(1, picture.shape[1] // 2), max(1, picture.shape[0] // 2))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR), np.uint8)


_ROOTS = np.asarray(np.minimum(255, np.rint(np.sqrt(np.arange(256)) * 16)), np.uint8)


def _edges(picture: U8) -> U8:
    """How strong edges are, as the root of the change of lightness: h x w; strong ones count little more than weak."""
    light = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (0, 0), 0.7)
    across, down = (cv2.convertScaleAbs(cv2.Sobel(light, cv2.CV_16S, *d), alpha=0.5) for d in ((1, 0), (0, 1)))
    return np.asarray(cv2.LUT(cv2.add(across, down), _ROOTS), np.uint8)


def colour_table(pictures: Iterable[tuple[U8, F64]]) -> F32:
    """Log of how much likelier each colour is on a die than elsewhere: SHADES ** 3.

    Args:
        pictures: BGR at the working scale, each with its dice's middles (n x 2 px).
    """
    on, off = (np.full(SHADES**3, 2.0) for _ in range(2))
    for picture, middles in pictures:
        inside, around = (np.zeros(picture.shape[:2], np.uint8) for _ in range(2))
        for x, y in np.rint(middles).astype(int).tolist():
            cv2.circle(inside, (x, y), int(0.42 * UNIT), 1, -1)
            cv2.circle(around, (x, y), int(0.75 * UNIT), 1, -1)
        seen = shades(picture)
        on += np.bincount(seen[inside > 0], minlength=SHADES**3)
        off += np.bincount(seen[around == 0], minlength=SHADES**3)
    on, off = _smooth(on), _smooth(off)
    evidence = np.log(on / on.sum()) - np.log(off / off.sum())
    return np.asarray(np.clip(evidence, -_MOST_EVIDENCE, _MOST_EVIDENCE), np.float32)


def _smooth(counts: F64) -> F64:
    """Counts spread to neighbouring shades, which the same paint has in a little more or less light."""
    cube = counts.reshape((SHADES,) * 3)
    for axis in range(3):
        padded = np.pad(cube, [(1, 1) if k == axis else (0, 0) for k in range(3)], mode="edge")
        below, at, above = (np.take(padded, range(k, k + SHADES), axis) for k in range(3))
        cube = below / 4 + at / 2 + above / 4
    return np.asarray(cube.ravel(), np.float64)


def learn_finder(scenes: Iterable[tuple[U8, F64]], table: F32, rng: np.random.Generator) -> Finder:
    """The filter that best tells windows with a die in their middle from all others (Fisher's discriminant).

    Args:
        scenes: BGR pictures at the working scale, each with its dice's middles (n x 2 px).
        table: the colours' evidence.
        rng: chooses the windows to learn from.

    Raises:
        CalibrationError: the pictures show hardly anything but dice.
    """
    dice: list[F32] = []
    rest: list[F32] = []
    for picture, middles in scenes:
        seen = channels(picture, table)
        windows = np.lib.stride_tricks.sliding_window_view(seen, (WINDOW, WINDOW), (0, 1))
        rows, columns = np.mgrid[0 : windows.shape[0], 0 : windows.shape[1]]
        far = np.full(rows.shape, np.inf)
        for x, y in middles:
            far = np.minimum(far, np.hypot(_px(columns) - x, _px(rows) - y) / UNIT)
        for least, most, into in ((0.0, HERE, dice), (NEAR, FAR, rest), (FAR, np.inf, rest)):
            some = np.argwhere((far >= least) & (far < most))
            some = some[rng.permutation(len(some))[: _TAKEN[HERE if into is dice else least]]]
            into.append(windows[some[:, 0], some[:, 1]].reshape(len(some), CHANNELS * WINDOW**2))
    good, bad = np.concatenate(dice).astype(np.float64), np.concatenate(rest).astype(np.float64)
    if min(len(good), len(bad)) < _FEWEST:
        raise CalibrationError("too little of the table is seen around the dice: use whole pictures, not cuttings")
    spread = np.cov(bad.T) + 0.5 * np.cov(good.T)
    spread += np.eye(len(spread)) * _RIDGE * np.trace(spread) / len(spread)
    step = good.mean(0) - bad.mean(0)
    weights = np.linalg.solve(spread, step)
    weights /= weights @ step
    bias = -float(weights @ (good.mean(0) + bad.mean(0))) / 2
    least = float(np.percentile(good @ weights + bias, 2)) - 0.2  # half-hidden dice answer lower than any enrolled one
    return Finder(table, weights.reshape(CHANNELS, WINDOW, WINDOW).astype(np.float32), bias, least)


def _px(cells: npt.NDArray[np.intp]) -> F64:
    """The middle, in px, of the window that begins at a cell."""
    return np.asarray((cells + WINDOW / 2) * CELL, np.float64)
