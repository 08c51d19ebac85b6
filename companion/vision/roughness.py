"""How unevenly a space changed since the calibration: art on a topping shows, a change of light is smooth.

A second witness beside the network, for the hardest question: a white topping or the pale empty space? On rendered
tables 95 % of empty spaces are less than twice as rough as the middle empty space of their picture, and 95 % of white
toppings more than 2.4 times.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]

_INSIDE = 0.4  # of a topping's diameter, from the middle
_MARK = 0.12  # printed marks: the calibration's logarithm differs by more within 5 px; there the pose's error shows
_LEAST_PIXELS = 60


@dataclass(frozen=True, slots=True)
class Smooth:
    """What of the empty spaces is smooth print.

    Args:
        mean: n size x size, logarithm of the calibration, its channels' mean.
        free: n x places inside a space, False where a printed mark is.
        topping_px: diameter of a topping.
    """

    mean: Float
    free: npt.NDArray[np.bool_]
    topping_px: float

    @classmethod
    def of(cls, log: Float, topping_px: float) -> Smooth:
        """Prepare the empty board's patches: n x size x size x 3, their :func:`~companion.vision.light.logarithm`."""
        n, size = log.shape[:2]
        mean = cv2.transform(log.reshape(-1, size, 3), _MEAN)
        square = np.ones((5, 5), np.uint8)
        marked = cv2.dilate(mean, square) - cv2.erode(mean, square) > _MARK
        return cls(mean, ~marked.reshape(n, -1)[:, _inside(size, topping_px)[0]], topping_px)


def roughness(before: Smooth, log: Float, sticks: Picture | None = None) -> npt.NDArray[np.float64]:
    """Spread of the change inside each space after a plane has been taken off, printed marks left out.

    Args:
        before: the empty board.
        log: n x size x size x 3, logarithm of the same places now.
        sticks: n x size x size, non-zero where a stick lies: left out as well.

    Returns:
        n values (of the logarithm); NaN where marks leave too little to judge.
    """
    n, size = log.shape[:2]
    new = cv2.transform(log.reshape(-1, size, 3), _MEAN)
    inside, plane = _inside(size, before.topping_px)
    change = np.take(cv2.blur(new - before.mean, (3, 3)).reshape(n, -1), inside, axis=1)
    free = before.free
    if sticks is not None:
        free = free & (np.take(sticks.reshape(n, -1), inside, axis=1) == 0)
    count = free.sum(axis=1)
    weight = free.astype(np.float32)
    squares = (plane[:, :, None] * plane[:, None, :]).reshape(-1, 9)
    normal = (weight @ squares).reshape(n, 3, 3) + np.float32(1e-6) * np.eye(3, dtype=np.float32)
    clipped = change
    for _ in range(2):
        fit = np.linalg.solve(normal, ((weight * clipped) @ plane)[..., None])[..., 0] @ plane.T
        rest = change - fit
        spread = 2 * np.sqrt((weight * (clipped - fit) ** 2).sum(axis=1) / np.maximum(count, 1))[:, None]
        clipped = fit + np.clip(rest, -spread, spread)
    ordered = np.sort(np.where(free, rest, np.float32(np.inf)), axis=1)
    rows = np.arange(n)
    low, high = (ordered[rows, np.minimum((share * count).astype(np.intp), len(inside) - 1)] for share in (0.15, 0.85))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(count >= _LEAST_PIXELS, high - low, np.nan), np.float64)


_MEAN = np.full((1, 3), 1 / 3, np.float32)


@functools.cache
def _inside(size: int, topping_px: float) -> tuple[npt.NDArray[np.intp], Float]:
    axis = ((np.arange(size) - (size - 1) / 2) / topping_px).astype(np.float32)
    x, y = np.meshgrid(axis, axis)
    inside = np.flatnonzero(np.hypot(x, y) < _INSIDE)
    return inside, np.column_stack([np.ones(len(inside), np.float32), x.ravel()[inside], y.ravel()[inside]])
