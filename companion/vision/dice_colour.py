"""Names of body colours, relative to what is white in the picture's light."""

from __future__ import annotations

import colorsys

import cv2
import numpy as np

from companion.vision.dice_pips import Floats, Picture

_HUES = (
    (14, "red"),
    (40, "orange"),
    (68, "yellow"),
    (168, "green"),
    (252, "blue"),
    (318, "purple"),
    (345, "pink"),
    (361, "red"),
)
"""Upper ends in degrees of each colour's hues."""
_BORDER = 3.0
"""Degrees on both sides of an end in which no name is given."""


def white_of(picture: Picture) -> Floats:
    """(3,) BGR of a white body in this picture's light.

    The brightest twentieth of each channel is a good guess unless the whole table is of one strong colour: on a green
    cloth it is green. Then the light is taken for neutral.

    Args:
        picture: BGR uint8 h x w x 3.
    """
    thin = np.ascontiguousarray(picture[::8, ::8].reshape(-1, 3).T)  # channel by channel: a third of the time
    bright = np.maximum(np.percentile(thin, 95, axis=1), 1).astype(np.float32)
    if bright.min() < 0.4 * bright.max():
        return np.full(3, max(bright.max(), 128), np.float32)
    return np.asarray(bright, np.float32)


def body_colour(body: Floats, white: Floats) -> str | None:
    """A name for a body's colour; None between two names.

    Args:
        body: (3,) Lab, OpenCV's 8-bit scale.
        white: (3,) BGR, from ``white_of``.
    """
    lab = np.clip(np.rint(body), 0, 255).astype(np.uint8).reshape(1, 1, 3)
    bgr = cv2.cvtColor(lab, cv2.COLOR_LAB2BGR).reshape(3).astype(np.float64)
    # A quarter of the tint is taken out (cameras balance the light themselves, and a wooden table tints the guess).
    tint = ((white / white.max()) ** 0.25).astype(np.float64)
    b, g, r = np.minimum(bgr / tint / 255, 1.5)
    hue, saturation, value = colorsys.rgb_to_hsv(r, g, b)
    bright = value * 255 / float(white.max())
    if bright < 0.3 and (saturation < 0.35 or value < 0.1):
        return "black"
    if saturation < 0.2:
        return "white" if bright > 0.6 else "grey" if 0.35 < bright < 0.55 else None
    degrees = hue * 360
    if saturation < 0.4 and 25 < degrees < 65:
        return None if saturation < 0.24 or bright < 0.6 else "ivory"
    if saturation < 0.26:
        return None
    if any(abs(degrees - end) < _BORDER for end, _ in _HUES[:-1]):
        return None
    return next(name for end, name in _HUES if degrees < end)
