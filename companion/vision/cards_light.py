"""A card's picture in the light and with the contrast of an enrolled face, so that only its print is compared."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.cards_table import F32, Mask

CONTRAST = (0.6, 1.7)
"""By which a card's print may differ in contrast from the enrolled one, channel by channel."""
_LOCAL_CONTRAST = (0.7, 2.2)  # of the card's; less than 1 only by noise, more where a lamp mirrors
_AROUND = np.array([0.4, 1, 0.4], np.float32)  # what the cells beside one say of its contrast
_BEND, _STRAIGHT = (-0.2, 0.3), 0.01  # as exponents of 0.6 to 1.6 do; what speaks against a bend, per print
_USUAL_CONTRAST = 0.5  # at full contrast, samples of print that say as much as that a card has one contrast


def relight(patch: F32, look: F32, free: Mask, samples: int) -> F32:
    """A patch in the light of a look: what changes smoothly over a card is the lamp's.

    Args:
        patch: rows x columns x 3 (or several such, side by side as channels) in paper white.
        look: the same of the card.
        free: samples that count.
        samples: across a cell.
    """
    rows, columns = free.shape
    weight = free.astype(np.float32)[..., None]
    ours, theirs = (
        cv2.blur(
            cv2.resize(one * weight, (columns // samples, rows // samples), interpolation=cv2.INTER_AREA),
            (5, 5),
            borderType=cv2.BORDER_CONSTANT,
        )
        for one in (patch, look)
    )
    gain = np.clip((theirs + 0.01) / (ours + 0.01), 0.6, 1.7)  # 1 where nothing is free
    return np.asarray(patch * cv2.resize(gain, (columns, rows), interpolation=cv2.INTER_LINEAR), np.float32)


def like(patch: F32, look: F32, free: Mask, cells: tuple[int, int] | None = None) -> F32:
    """A patch with the contrast of a look, channel by channel: where paper is burnt out, print is paler.

    Args:
        patch: rows x columns x 3 in paper white.
        look: the same of the card.
        free: samples that count.
        cells: rows and columns of parts of which each may have its own contrast: a lamp mirrors in a part of a card.
    """
    ours, theirs = patch - 1, look - 1
    if cells is None:
        return 1 + _toned(ours, theirs, free)
    sums = np.concatenate([ours * theirs, ours**2], axis=2) * free[..., None]
    total = sums.sum(axis=(0, 1))
    whole = np.clip(total[:3] / np.maximum(total[3:], 1e-3), *CONTRAST)
    per_cell = len(patch) // cells[0] * (patch.shape[1] // cells[1])
    near = cv2.resize(sums, (cells[1], cells[0]), interpolation=cv2.INTER_AREA) * np.float32(per_cell)
    near = cv2.sepFilter2D(near, -1, _AROUND, _AROUND, borderType=cv2.BORDER_CONSTANT)
    here = (near[..., :3] + _USUAL_CONTRAST * whole) / (near[..., 3:] + _USUAL_CONTRAST)
    gain = np.clip(here, whole * _LOCAL_CONTRAST[0], whole * _LOCAL_CONTRAST[1])
    size = (patch.shape[1], patch.shape[0])
    return np.asarray(1 + ours * cv2.resize(gain, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _toned(ours: F32, theirs: F32, free: Mask) -> F32:
    """Print (rows x columns x 3, paper 0) with a look's contrast, and tones bent as it has them, channel by channel.

    Where more light falls, or a camera's curve is another one, the edges of print are eaten away or grow.
    """
    x, y = ours[free].T, theirs[free].T
    square = x * x
    xx, xs, ss = (x * x).sum(axis=1) + 1e-3, (x * square).sum(axis=1), (square * square).sum(axis=1)
    xy, sy = (x * y).sum(axis=1), (square * y).sum(axis=1)
    bend = (sy * xx - xs * xy) / np.maximum((ss + _STRAIGHT * xx) * xx - xs * xs, 1e-6)
    bend = np.clip(bend / np.maximum((xy - bend * xs) / xx, 0.2), *_BEND)
    # With that bend, the contrast that fits best.
    whole = np.clip((xy + bend * sy) / (xx + 2 * bend * xs + bend**2 * ss), *CONTRAST)
    return np.asarray(whole * (ours + bend * ours * ours), np.float32)
