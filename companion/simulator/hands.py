"""Hands and arms as shaded pictures with transparency, made once a person and pose."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from companion.simulator.paint import Image, noise

PX_PER_MM = 1.3
LENGTH_MM = 620  # finger tips to the sleeve's far end: longer than the way from the board's middle to any edge
WIDTH_MM = 190
SKINS = ((168, 196, 232), (142, 172, 218), (108, 142, 196), (72, 104, 158), (46, 68, 108), (34, 48, 74))


@dataclass(frozen=True)
class HandPicture:
    """A hand that reaches up out of its picture's bottom.

    Args:
        bgra: the picture at ``PX_PER_MM``.
        tip_px: where the finger tips are in it.
    """

    bgra: Image
    tip_px: tuple[float, float]


def person(rng: np.random.Generator) -> tuple[tuple[int, int, int], tuple[int, int, int], float]:
    """Somebody's skin and sleeve (BGR), and how far the sleeve ends from the finger tips in mm."""
    skin = SKINS[int(rng.integers(len(SKINS)))]
    b, g, r = (int(v) for v in rng.integers(25, 220, 3))
    return skin, (b, g, r), float(rng.uniform(190, 330))


def draw(rng: np.random.Generator, pose: str) -> HandPicture:
    """A right or left hand of a chance person.

    Args:
        rng: the source of chance; the same state gives the same person, also in the other pose.
        pose: "pinch" (thumb and fingers together) or "flat" (fingers spread).
    """
    skin, sleeve, cuff = person(rng)
    mirror = bool(rng.integers(2))
    k = PX_PER_MM
    h, w = round(LENGTH_MM * k), round(WIDTH_MM * k)
    height = np.zeros((h, w), np.float32)
    cx = w / 2

    def capsule(x0: float, y0: float, r0: float, x1: float, y1: float, r1: float) -> None:
        """Raise a rounded limb from one end (mm from the tips' line) to the other."""
        mask = np.zeros((h, w), np.uint8)
        for s in np.linspace(0, 1, 24):
            at = (round((cx + (x0 + (x1 - x0) * s) * k) * 16), round((10 + y0 + (y1 - y0) * s) * k * 16))
            cv2.circle(mask, at, round((r0 + (r1 - r0) * s) * k * 16), 255, -1, cv2.LINE_AA, 4)
        deep = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
        r = max(r0, r1) * k
        bulge = np.sqrt(np.maximum(r * r - np.maximum(r - deep, 0) ** 2, 0))
        np.maximum(height, bulge.astype(np.float32), out=height)

    if pose == "pinch":
        fingers = [(-2, 2, 7.5, -16, 62, 9.5), (5, 6, 8, 0, 60, 10), (17, 20, 8, 14, 64, 10), (27, 34, 7, 27, 70, 9)]
        thumb = ((-10, 6, 8.5, -32, 52, 10.5), (-32, 52, 10.5, -24, 90, 15))
    else:
        fingers = [
            (-32, 14, 7, -22, 78, 9),
            (-9, 2, 7.5, -7, 74, 10),
            (13, 6, 7.5, 10, 76, 10),
            (34, 22, 6.5, 25, 82, 9),
        ]
        thumb = ((-62, 66, 8, -44, 100, 10.5), (-44, 100, 10.5, -22, 128, 15))
    for finger in fingers:
        capsule(*finger)
    for part in thumb:
        capsule(*part)
    capsule(-12, 86, 24, -8, 132, 27)
    capsule(15, 88, 23, 10, 132, 26)
    capsule(0, 140, 27, 0, 200, 25)
    capsule(0, 190, 25, 0, 420, 37)
    skin_height = cv2.GaussianBlur(height, (0, 0), 1.6)
    rows = np.arange(h, dtype=np.float32)[:, None] / k - 10
    sleeved = rows + noise(rng, (1, w), (1, 5), 2) * 4 > cuff
    wide = np.zeros((h, w), np.float32)
    height, bare = wide, skin_height
    capsule(0, cuff, 36, 0, LENGTH_MM + 40, 52)
    folds = noise(rng, (h, w), (34, 5), 3) * np.float32(2.4)
    cloth_height = cv2.GaussianBlur(np.where(wide > 0, wide + folds, 0).astype(np.float32), (0, 0), 2.0)
    surface = np.where(sleeved, cloth_height, bare)
    alpha = np.clip(np.where(sleeved, wide, skin_height) / 4, 0, 1)

    gx, gy = cv2.Sobel(surface, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(surface, cv2.CV_32F, 0, 1, scale=1 / 8)
    shade = (1 + 0.35 * (gx + gy * 0.6) / np.sqrt(1 + gx * gx + gy * gy)) / np.sqrt(1 + 0.25 * (gx * gx + gy * gy))
    shade = np.clip(cv2.GaussianBlur(shade, (0, 0), 1.2), 0.35, 1.15)
    paint = np.where(sleeved[..., None], np.array(sleeve, np.float32), np.array(skin, np.float32))
    grain = 1 + noise(rng, (h, w), (60, 16), 3)[..., None] * np.float32(0.03)
    bgra = np.dstack([np.clip(paint * shade[..., None] * grain, 0, 255), alpha * 255]).astype(np.uint8)
    tip = (cx, 10 * k)
    if mirror:
        bgra = np.ascontiguousarray(bgra[:, ::-1])
        tip = (w - 1 - cx, tip[1])
    return HandPicture(bgra, tip)


def frame_of(x_mm: float, y_mm: float, from_deg: float) -> tuple[float, float, float, float, float, float]:
    """The map from the table (mm) to a hand picture's axes: (ax, bx, cx, ay, by, cy), in mm from the tips.

    The picture's y grows along the arm towards the shoulder, which lies in the direction ``from_deg``.
    """
    a = math.radians(from_deg)
    dx, dy = math.cos(a), math.sin(a)
    return -dy, dx, dy * x_mm - dx * y_mm, dx, dy, -dx * x_mm - dy * y_mm
