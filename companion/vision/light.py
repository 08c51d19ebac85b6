"""How the light on the board differs from the light at calibration, place by place."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]

_LOG = np.log(np.arange(256, dtype=np.float32) + 6)  # the 6 keeps the noise of black pixels small

_OPPONENTS = np.array([[0, -1, 1], [1, -0.5, -0.5]], np.float32)  # BGR: red - green, blue - yellow
_LOCAL_PX = 31
_STRONGEST = 0.6  # no single thing on the board decides

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


def opponents(log: Float) -> Float:
    """The colours of a :func:`logarithm` at every second place, less what the places around have in common.

    Args:
        log: h x w x 3 (BGR).

    Returns:
        h/2 x w/2 x 2: red against green, blue against yellow.
    """
    colours = cv2.transform(np.ascontiguousarray(log[::2, ::2]), _OPPONENTS)
    return np.asarray(np.clip(colours - cv2.blur(colours, (_LOCAL_PX, _LOCAL_PX)), -_STRONGEST, _STRONGEST), np.float32)


def colours_alike(now: Float, before: Float, mask: npt.NDArray[np.bool_]) -> float:
    """How well the colours of the print are those of the calibration: the smaller of two correlations, -1 to 1.

    Any lamp leaves 0.53 and more (54 rendered frames, hands, glare and low light among them; 0.8 on drawn ones), red
    and blue swapped at most -0.47, a grey picture 0, one so overexposed that its yellow is white 0.08.

    Args:
        now, before: h x w x 2, :func:`opponents`.
        mask: h x w, where print is that no piece belongs on.
    """
    a, b = now[mask], before[mask]
    norm = np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0)) + 1e-6
    return float(((a * b).sum(axis=0) / norm).min())
