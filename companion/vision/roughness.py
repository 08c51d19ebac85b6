"""How unevenly a space changed since the calibration: art on a topping shows, a change of light is smooth.

A second witness beside the network, for the hardest question: a white topping or the pale empty space? On rendered
tables 95 % of empty spaces are less than twice as rough as the middle empty space of their picture, and 95 % of white
toppings more than 2.4 times.
"""

from __future__ import annotations

import functools

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.light import logarithm

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]

_INSIDE = 0.4  # of a topping's diameter, from the middle
_MARK = 0.12  # printed marks: the calibration's logarithm differs by more within 5 px; there the pose's error shows
_LEAST_PIXELS = 60


def roughness(
    before: Picture, now: Picture, topping_px: float, sticks: Picture | None = None
) -> npt.NDArray[np.float64]:
    """Spread of the change inside each space after a plane has been taken off, printed marks left out.

    Args:
        before: n x size x size x 3, BGR, the empty board at calibration.
        now: the same places now.
        topping_px: diameter of a topping.
        sticks: n x size x size, non-zero where a stick lies: left out as well.

    Returns:
        n values (of the logarithm); NaN where marks leave too little to judge.
    """
    n, size = before.shape[:2]
    old = cv2.transform(logarithm(before.reshape(-1, size, 3)), _MEAN)
    new = cv2.transform(logarithm(now.reshape(-1, size, 3)), _MEAN)
    square = np.ones((5, 5), np.uint8)
    marked = cv2.dilate(old, square) - cv2.erode(old, square) > _MARK
    inside, plane = _inside(size, topping_px)
    change = cv2.blur(new - old, (3, 3)).reshape(n, -1)[:, inside].astype(np.float64)
    free = ~marked.reshape(n, -1)[:, inside]
    if sticks is not None:
        free &= sticks.reshape(n, -1)[:, inside] == 0
    count = free.sum(axis=1)
    weight = free.astype(np.float64)
    squares = (plane[:, :, None] * plane[:, None, :]).reshape(-1, 9)
    normal = (weight @ squares).reshape(n, 3, 3) + 1e-6 * np.eye(3)
    clipped = change
    for _ in range(2):
        fit = np.linalg.solve(normal, ((weight * clipped) @ plane)[..., None])[..., 0] @ plane.T
        rest = change - fit
        spread = 2 * np.sqrt((weight * (clipped - fit) ** 2).sum(axis=1) / np.maximum(count, 1))[:, None]
        clipped = fit + np.clip(rest, -spread, spread)
    ordered = np.sort(np.where(free, rest, np.inf), axis=1)
    rows = np.arange(n)
    low, high = (ordered[rows, np.minimum((share * count).astype(np.intp), len(inside) - 1)] for share in (0.15, 0.85))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(count >= _LEAST_PIXELS, high - low, np.nan), np.float64)


_MEAN = np.full((1, 3), 1 / 3, np.float32)


@functools.cache
def _inside(size: int, topping_px: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    axis = (np.arange(size) - (size - 1) / 2) / topping_px
    x, y = np.meshgrid(axis, axis)
    inside = np.flatnonzero(np.hypot(x, y) < _INSIDE)
    return inside, np.column_stack([np.ones(len(inside)), x.ravel()[inside], y.ravel()[inside]])
