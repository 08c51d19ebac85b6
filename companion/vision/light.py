"""How the light on the board differs from the light at calibration, place by place."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]

_LOG = np.log(np.arange(256, dtype=np.float32) + 6)  # the 6 keeps the noise of black pixels small

_CELL_PX = 4
_NEAR = 0.5


def logarithm(picture: Picture) -> Float:
    """Logarithm of a picture (h x w x 3, uint8): a change of light adds to it what is smooth over the board."""
    return np.asarray(cv2.LUT(picture, _LOG), np.float32)


def light_change(ratio: Float, print_mask: Picture, reach_px: float) -> Float:
    """The part of ``ratio`` that the light explains.

    Most of the print that is always free of pieces is taken to be unchanged; what differs from the picture's middle by
    more than a factor of 1.6 is left out, the rest averaged over ``reach_px``.

    Args:
        ratio: h x w x 3, :func:`logarithm` of now less that of the calibration.
        print_mask: h x w, 255 where print is that no piece belongs on.
        reach_px: how far around a place its light is looked for.

    Returns:
        h x w x 3, smooth.
    """
    h, w = print_mask.shape
    size = (max(1, w // _CELL_PX), max(1, h // _CELL_PX))
    small = cv2.resize(ratio, size, interpolation=cv2.INTER_NEAREST)
    free = cv2.resize(print_mask, size, interpolation=cv2.INTER_NEAREST) > 0
    middle = np.median(small[free], axis=0) if free.any() else np.zeros(3, np.float32)
    weight = (free & (np.abs(small - middle).max(axis=2) < _NEAR)).astype(np.float32)
    sigma = reach_px / _CELL_PX
    amount = cv2.GaussianBlur(weight, (0, 0), sigma) + 0.02
    total = cv2.GaussianBlur((small - middle) * weight[..., None], (0, 0), sigma)
    smooth = total / amount[..., None] + middle.astype(np.float32)
    return np.asarray(cv2.resize(smooth, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)
