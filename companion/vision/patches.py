"""Small squares of the rectified picture, one around each space: their size, and which of their places lie where."""

from __future__ import annotations

import functools

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]

PATCH_PX = 40
TOPPING_PX = 29.25
"""Diameter of a topping in the rectified picture: a patch shows a space, and the print up to the neighbours' edges."""

_BURNT_LEVEL = 250
_DISC = 0.4  # the middle of a space, in topping diameters


def cut_patches(rectified: Picture, centres_px: npt.NDArray[np.float64]) -> Picture:
    """Squares around the spaces' centres.

    Args:
        rectified: top-down picture (BGR, or a mask), a topping ``TOPPING_PX`` wide, the print as in the calibration.
        centres_px: n x 2 positions in it.

    Returns:
        n x PATCH_PX x PATCH_PX (x 3); beyond the picture its edge is repeated.
    """
    size = (PATCH_PX, PATCH_PX)
    return np.stack([cv2.getRectSubPix(rectified, size, (float(x), float(y))) for x, y in centres_px])


@functools.cache
def polar() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How far each place of a flattened patch lies from its middle, in topping diameters, and in which direction."""
    axis = (np.arange(PATCH_PX) - (PATCH_PX - 1) / 2) / TOPPING_PX
    x, y = np.meshgrid(axis, axis)
    return np.hypot(x, y).ravel(), np.arctan2(-y, x).ravel()


@functools.cache
def between(inner: float, outer: float) -> npt.NDArray[np.intp]:
    """Which places of a flattened patch lie so far from its middle, in topping diameters."""
    r = polar()[0]
    return np.flatnonzero((r >= inner) & (r < outer))


def burnt_shares(patches: Picture) -> tuple[Float, Float]:
    """Share of each space (n) that is at the end of the scale in all channels, and in two at least."""
    inside = np.take(patches.reshape(len(patches), -1, 3), between(0, _DISC), axis=1)
    blue, green, red = (inside[..., k] >= _BURNT_LEVEL for k in range(3))
    shares = (blue & green & red).mean(axis=1), ((blue & green) | (red & (blue | green))).mean(axis=1)
    return np.asarray(shares[0], np.float32), np.asarray(shares[1], np.float32)


def full_share(patches: Picture) -> Float:
    """Share of each space's values (n), channel by channel, that is at the end of the scale."""
    inside = np.take(patches.reshape(len(patches), -1, 3), between(0, _DISC), axis=1)
    return np.asarray((inside >= _BURNT_LEVEL).reshape(len(patches), -1).mean(axis=1), np.float32)
