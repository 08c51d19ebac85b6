"""What the drawings of one space are made with: random numbers, a grid of places, soft shapes, colours."""

from __future__ import annotations

import colorsys
import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.spaces import PATCH_PX, TOPPING_PX

Float = npt.NDArray[np.float32]
SIZE = 2 * PATCH_PX  # drawn at twice the size that is read, then averaged
RADIUS_MM = 13.0
SCALE = TOPPING_PX / RADIUS_MM


def rgb(hue: float, saturation: float, value: float) -> Float:
    """Colour (BGR, linear reflectance) of HSV values as a screen shows them; hue in turns."""
    r, g, b = colorsys.hsv_to_rgb(hue % 1, min(max(saturation, 0), 1), min(max(value, 0), 1))
    return np.array([b, g, r], np.float32) ** 2.2


@dataclass
class Pen:
    """Random numbers and pixel grids of one drawing; x right, y down, mm from the middle of the space."""

    rng: np.random.Generator

    def __post_init__(self) -> None:
        axis = (np.arange(SIZE, dtype=np.float32) + 0.5) / SCALE - SIZE / SCALE / 2
        self.x, self.y = np.meshgrid(axis, axis)

    def chance(self, p: float) -> bool:
        """True with this probability."""
        return bool(self.rng.random() < p)

    def between(self, low: float, high: float) -> float:
        """Any number between two."""
        return float(self.rng.uniform(low, high))

    def noise(self, cell_mm: float) -> Float:
        """Smooth noise, mean 0, sd about 1."""
        n = max(2, round(SIZE / SCALE / cell_mm) + 2)
        small = self.rng.normal(0, 1, (n, n)).astype(np.float32)
        big = cv2.resize(small, (SIZE + 40, SIZE + 40), interpolation=cv2.INTER_CUBIC)
        dx, dy = self.rng.integers(0, 40, 2)
        return big[dy : dy + SIZE, dx : dx + SIZE]

    def disc(self, cx: float, cy: float, radius: float, soft: float = 0.25) -> Float:
        """Coverage (0 to 1) of a disc with an edge ``soft`` mm wide."""
        return np.clip((radius - np.sqrt((self.x - cx) ** 2 + (self.y - cy) ** 2)) / soft + 0.5, 0, 1).astype(
            np.float32
        )

    def bar(self, cx: float, cy: float, angle: float, half: float, length: float = 1e3, soft: float = 0.3) -> Float:
        """Coverage of a bar of half width ``half`` mm with round ends."""
        u = (self.x - cx) * math.cos(angle) + (self.y - cy) * math.sin(angle)
        v = -(self.x - cx) * math.sin(angle) + (self.y - cy) * math.cos(angle)
        d = np.sqrt(np.maximum(np.abs(u) - length / 2, 0) ** 2 + v * v)
        return np.clip((half - d) / soft + 0.5, 0, 1).astype(np.float32)


def over(image: Float, mask: Float, colour: Float | npt.NDArray[np.float32]) -> Float:
    """A colour laid over a drawing (h x w x 3) where a mask (h x w, 0 to 1) says."""
    return image + mask[..., None] * (colour - image)
