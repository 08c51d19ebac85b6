"""How the light on the board differs from the light at calibration, place by place."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]

_LOG = np.log(np.arange(256, dtype=np.float32) + 6)  # the 6 keeps the noise of black pixels small

_OPPONENTS = np.array([[0, -1, 1], [1, -0.5, -0.5]], np.float32)  # BGR: red - green, blue - yellow
_LOCAL_PX = 15
_STRONGEST = 0.6  # no single thing on the board decides

CELL_PX = 4
_NEAR = 0.5


def logarithm(picture: Picture) -> Float:
    """Logarithm of a picture (h x w x 3, uint8): a change of light adds to it what is smooth over the board."""
    return np.asarray(cv2.LUT(picture, _LOG), np.float32)


def cells(values: Float) -> Float:
    """Every ``CELL_PX``th place of a picture (h x w, or h x w x 3): enough to tell the light from."""
    size = (max(1, values.shape[1] // CELL_PX), max(1, values.shape[0] // CELL_PX))
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_NEAREST), np.float32)


def light_change(ratio: Float, free: npt.NDArray[np.bool_], reach_px: float) -> Float:
    """The part of ``ratio`` that the light explains.

    Most of the print that is always free of pieces is taken to be unchanged; what differs from the picture's middle by
    more than a factor of 1.6 is left out, the rest averaged over ``reach_px``.

    Args:
        ratio: h x w x 3, :func:`logarithm` of now less that of the calibration, at :func:`cells`.
        free: h x w, where print is that no piece belongs on.
        reach_px: how far around a cell its light is looked for, in cells.

    Returns:
        h x w x 3, smooth: to be enlarged.
    """
    channels = cv2.split(ratio)
    middles = [np.median(channel[free]) if free.any() else np.float32(0) for channel in channels]
    off = [channel - middle for channel, middle in zip(channels, middles, strict=True)]
    near = free & (np.maximum(np.maximum(np.abs(off[0]), np.abs(off[1])), np.abs(off[2])) < _NEAR)
    weight = near.astype(np.float32)
    sums = cv2.GaussianBlur(cv2.merge([*(channel * weight for channel in off), weight]), (0, 0), reach_px)
    *totals, amount = cv2.split(sums)
    smooth = [total / (amount + 0.02) + middle for total, middle in zip(totals, middles, strict=True)]
    return np.asarray(cv2.merge(smooth), np.float32)


def opponents(log: Float) -> Float:
    """The colours of a :func:`logarithm` at :func:`cells`, less what the places around have in common.

    Args:
        log: h x w x 3 (BGR).

    Returns:
        2 x h x w: red against green, blue against yellow.
    """
    colours = cv2.transform(log, _OPPONENTS)
    colours -= cv2.blur(colours, (_LOCAL_PX, _LOCAL_PX))
    return np.asarray(np.clip(np.stack(cv2.split(colours)), -_STRONGEST, _STRONGEST), np.float32)


def colours_alike(now: Float, before: Float, mask: npt.NDArray[np.bool_]) -> float:
    """How well the colours of the print are those of the calibration: the smaller of two correlations, -1 to 1.

    Any lamp leaves 0.53 and more (54 rendered frames, hands, glare and low light among them; 0.8 on drawn ones), red
    and blue swapped at most -0.47, a grey picture 0, one so overexposed that its yellow is white 0.08.

    Args:
        now, before: 2 x h x w, :func:`opponents`.
        mask: h x w, where print is that no piece belongs on.
    """
    pairs = [(a[mask], b[mask]) for a, b in zip(now, before, strict=True)]
    return min(float(a @ b) / (math.sqrt(float(a @ a) * float(b @ b)) + 1e-6) for a, b in pairs)
