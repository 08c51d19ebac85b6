"""What was laid on a table: found by comparing it with the empty one, before anything is known of its looks."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
Box = tuple[float, float, float, float]

_DIFFERS = 0.16  # of the logarithm: how much a colour must change, beyond what its surroundings did
_NOISE_FACTOR = 6.0
_SHADOW = 0.07  # of the logarithm: a shadow darkens all three colours alike, to this much
_DEEPEST = 1.3  # of the logarithm: darker than a quarter is no shadow but something dark
_DARK = 8.0  # grey values added to all: what lies at the end of the scale is noise
_SMALLEST = 6  # px a side: less is noise
_LARGEST = 0.3  # of the picture's shorter side: a hand or a book, no die


def added(empty: U8, now: U8) -> tuple[Box, ...]:
    """Boxes (x, y, width, height in px) of what lies on a table that was empty before, the largest first.

    Shadows are left out, slow changes of light too. A thing that touches the picture's edge counts.

    Args:
        empty: BGR uint8 h x w x 3, from the same camera.
        now: the same with things on it.
    """
    before, after = (
        np.log(cv2.GaussianBlur(p, (0, 0), 1.0).astype(np.float32) + np.float32(_DARK)) for p in (empty, now)
    )
    change = after - before
    change -= _surroundings(change)
    strength = np.abs(change).max(axis=2)
    floor = max(_DIFFERS, _NOISE_FACTOR * 1.48 * float(np.median(strength[::4, ::4])))
    spread = change.max(axis=2) - change.min(axis=2)
    darker = change.mean(axis=2)
    shadow = (darker < 0) & (darker > -_DEEPEST) & (spread < _SHADOW - 0.35 * darker)
    solid = ((strength > floor) & ~shadow).astype(np.uint8)
    solid = cv2.morphologyEx(solid, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    solid = cv2.morphologyEx(solid, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(solid)
    things = [tuple(float(v) for v in stats[k, :4]) for k in range(1, count) if min(stats[k, 2:4]) >= _SMALLEST]
    return tuple(sorted(((x, y, w, h) for x, y, w, h in things), key=lambda box: -box[2] * box[3]))


def is_die(box: Box, size: tuple[int, int]) -> bool:
    """Whether a box can be one die's in a picture of that width and height: about square, not large, not at an edge.

    >>> is_die((100, 80, 40, 44), (640, 480)), is_die((100, 80, 40, 90), (640, 480)), is_die((0, 9, 40, 40), (640, 480))
    (True, False, False)
    """
    x, y, w, h = box
    inside = x > 1 and y > 1 and x + w < size[0] - 1 and y + h < size[1] - 1
    return inside and max(w, h) < _LARGEST * min(size) and max(w, h) < 1.8 * min(w, h)


def _surroundings(change: F32) -> F32:
    """The slow part of a change: exposure, white balance, a lamp's glow."""
    small = cv2.resize(change, (32, 24), interpolation=cv2.INTER_AREA)
    slow = cv2.GaussianBlur(cv2.medianBlur(small, 5), (0, 0), 1.5)
    return np.asarray(cv2.resize(slow, change.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)
