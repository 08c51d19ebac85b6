"""Where a card's print lies to a fraction of a millimetre, place by place.

Cards are bent, lie on each other, and plane and lens are known only nearly: a pose that fits a whole card leaves the
corners off by half a millimetre, more than the strokes of a one and a two differ. So each part of a card is moved on
its own until it lies on the face that it is compared with (Lucas and Kanade's method over windows of three cells).
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.cards_table import F32, Mask

MOST = 1.0
"""Samples by which a part is moved at most, against its card as a whole."""
_PRIOR = 0.12  # added to the window's sums: what has little print stays where its card is
_OUTLIER = 0.35  # of paper white: such differences are other print, a lamp or a finger, not a shift


def shifts(wanted: F32, seen: F32, free: Mask, cells: tuple[int, int]) -> F32:
    """By how many samples each cell's print lies right of and below where it should (rows x columns x 2).

    Args:
        wanted: the face, rows x columns samples, grey in paper white.
        seen: the picture through the same samples.
        free: the samples that count.
        cells: rows and columns of cells.
    """
    rest = wanted - seen
    weight = (free & (np.abs(rest) < _OUTLIER)).astype(np.float32)
    gx = cv2.Sobel(seen, cv2.CV_32F, 1, 0, scale=1 / 8) * weight
    gy = cv2.Sobel(seen, cv2.CV_32F, 0, 1, scale=1 / 8) * weight
    parts = np.stack([gx * gx, gy * gy, gx * gy, gx * rest], axis=2), gy * rest
    size = (cells[1], cells[0])
    per_cell = (seen.shape[0] // cells[0]) * (seen.shape[1] // cells[1])
    sums = cv2.resize(parts[0], size, interpolation=cv2.INTER_AREA) * per_cell
    last = cv2.resize(parts[1], size, interpolation=cv2.INTER_AREA) * per_cell
    sums = cv2.boxFilter(sums, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    yr = cv2.boxFilter(last, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    xx, yy, xy, xr = (sums[..., k] for k in range(4))
    xx, yy = xx + _PRIOR, yy + _PRIOR
    det = xx * yy - xy * xy
    out = np.stack([yy * xr - xy * yr, xx * yr - xy * xr], axis=2) / det[..., None]
    return np.asarray(np.clip(out, -MOST, MOST), np.float32)
