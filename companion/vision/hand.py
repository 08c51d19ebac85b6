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
_NOISE = 0.002  # variance of the logarithm that is no pattern
_GAP_MM = 8.0
_ALIKE = 0.5  # correlation of a patch of print with its calibration
_THIN_MM = 3.2  # across: a stick of 5 mm with its shadow has 2, a finger of 15 mm 4.3
HAND_CM2 = 2.0
"""Covered print (without spaces) from which on it is a hand. On 156 rendered pictures the 112 without a hand over the
board stay below 1, those with one reach 3.6."""


def foreign_print(before: Float, now: Float, unexplained: Float, print_mask: Picture, px_per_mm: float) -> Picture:
    """Where the print is covered.

    Args:
        before: h x w, logarithm of the calibration's brightness.
        now: the same of the picture.
        unexplained: h x w x 3, change that the light does not explain.
        print_mask: h x w, 255 where print is that neither toppings nor sticks cover.
        px_per_mm: scale of all four.

    Returns:
        h x w, 255 where something foreign is seen; all 0 if less than a hand's worth of print changed.
    """
    blue, green, red = cv2.split(np.abs(unexplained))
    changed = (np.maximum(np.maximum(blue, green), red) > _CHANGED) & (print_mask > 0)
    if np.count_nonzero(changed) < HAND_CM2 * 100 * px_per_mm * px_per_mm:
        return np.zeros_like(print_mask)  # the usual case, at a third of the cost
    size = round(_WINDOW_MM * px_per_mm) | 1
    weight = (print_mask > 0).astype(np.float32)
    b, n = before * weight, now * weight
    sums = [cv2.blur(part, (size, size)) for part in (weight, b, n, b * before, n * now, b * now)]
    share = np.maximum(sums[0], 1e-3)
    mb, mn, bb, nn, bn = (part / share for part in sums[1:])
    alike = (bn - mb * mn) / np.sqrt((bb - mb * mb + _NOISE) * (nn - mn * mn + _NOISE))
    return np.asarray(((alike < _ALIKE) & changed) * 255, np.uint8)


def covered_cm2(foreign: Picture, px_per_mm: float) -> float:
    """Area of the largest connected part of a mask (h x w), small gaps closed, counting the mask's own pixels only.

    Parts that are as thin as a stick don't count: one that was not told as a stick is no hand either.
    """
    reach = round(_GAP_MM * px_per_mm) | 1
    joined = cv2.dilate(cv2.morphologyEx(foreign, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.ones((reach, reach)))
    count, labels = cv2.connectedComponents(joined, connectivity=4)
    areas = np.bincount(labels[foreign > 0], minlength=count)
    areas[0] = 0
    for part in np.argsort(-areas)[:3]:
        if areas[part] and _thickness(np.argwhere((labels == part) & (foreign > 0))) >= _THIN_MM * px_per_mm:
            return float(areas[part]) / (px_per_mm * px_per_mm) / 100
    return 0.0


def _thickness(points: npt.NDArray[np.int64]) -> float:
    """Standard deviation across the main direction of some places (n x 2), in their units."""
    if len(points) < 3:
        return 0.0
    return float(np.sqrt(max(0.0, np.linalg.eigvalsh(np.cov(points.T.astype(np.float64)))[0])))
