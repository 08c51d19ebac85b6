"""Is something foreign over the board: a hand, an arm in any sleeve, a mug?

The print between the spaces is looked at: no piece belongs there but sticks. Where it differs from the calibration in
more than light, and its pattern is gone too (a shadow darkens the print, a hand hides it), something lies over it.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]

_WINDOW_MM = 12.0
_CHANGED = 0.3  # of the logarithm, any channel, beyond the light's change
_ALIKE = 0.5  # correlation of a patch of print with its calibration
HAND_CM2 = 4.0
"""Covered print (without spaces) from which on it is a hand. On 156 rendered pictures the 112 without a hand over the
board stay below 1.9, those with one reach 6.8."""


def foreign_print(before: Float, now: Float, unexplained: Float, print_mask: Picture, px_per_mm: float) -> Picture:
    """Where the print is covered.

    Args:
        before: h x w, logarithm of the calibration's brightness.
        now: the same of the picture.
        unexplained: h x w x 3, change that the light does not explain.
        print_mask: h x w, 255 where print is that neither toppings nor sticks cover.
        px_per_mm: scale.

    Returns:
        h x w, 255 where something foreign is seen.
    """
    size = round(_WINDOW_MM * px_per_mm) | 1
    weight = (print_mask > 0).astype(np.float32)
    stack = cv2.merge([weight, before * weight, now * weight])
    second = cv2.merge([before * before * weight, now * now * weight, before * now * weight])
    w, mb, mn = cv2.split(cv2.blur(stack, (size, size)))
    bb, nn, bn = cv2.split(cv2.blur(second, (size, size)))
    w = w + 1e-4
    mb, mn = mb / w, mn / w
    noise = 0.002
    alike = (bn / w - mb * mn) / np.sqrt((bb / w - mb * mb + noise) * (nn / w - mn * mn + noise))
    changed = np.abs(unexplained).max(axis=2) > _CHANGED
    return np.asarray(((alike < _ALIKE) & changed & (print_mask > 0)) * 255, np.uint8)


def covered_cm2(foreign: Picture, px_per_mm: float) -> float:
    """Area of the largest connected part of a mask (h x w), small gaps closed, counting the mask's own pixels only."""
    step = max(1, round(1.5 * px_per_mm))
    small = cv2.resize(foreign, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
    joined = cv2.dilate((small > 90).astype(np.uint8), np.ones((5, 5), np.uint8))
    _, labels = cv2.connectedComponents(joined)
    weights = np.bincount(labels.ravel(), weights=np.where(joined.ravel() > 0, small.ravel() / 255.0, 0.0))
    return float(weights.max()) * step * step / (px_per_mm * px_per_mm) / 100 if len(weights) > 1 else 0.0
