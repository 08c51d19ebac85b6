"""The simulated camera: a pinhole with lens distortion, and the lamp that lights the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Plane = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Camera:
    """A camera above the table.

    Args:
        size: width and height of the picture in px.
        focal_px: focal length in px.
        position_mm: where it is (table frame).
        rotation: 3 x 3, table axes to camera axes (x right, y down, z forward).
        k1: radial lens distortion, of the radius in focal lengths squared; below zero it is a barrel.
    """

    size: tuple[int, int]
    focal_px: float
    position_mm: Array
    rotation: Array
    k1: float

    def project(self, points_mm: npt.ArrayLike) -> Array:
        """Where points of the table frame (n x 3 mm) appear (n x 2 px)."""
        p = (np.asarray(points_mm, float).reshape(-1, 3) - self.position_mm) @ self.rotation.T
        xy = p[:, :2] / p[:, 2:]
        xy = xy * (1 + self.k1 * (xy * xy).sum(axis=1, keepdims=True))
        return np.asarray(xy * self.focal_px + (self.size[0] / 2, self.size[1] / 2))

    @cached_property
    def _slopes(self) -> tuple[Plane, Plane]:
        """Of each pixel's ray: how far it runs in x and y (mm) while it falls by one mm."""
        w, h = self.size
        u, v = np.meshgrid((np.arange(w) - w / 2) / self.focal_px, (np.arange(h) - h / 2) / self.focal_px)
        scale = np.ones_like(u)
        for _ in range(6):  # the fixed point of u = u0 (1 + k1 u0^2); |k1 u0^2| < 0.05, so six rounds reach 1e-6
            scale = 1 / (1 + self.k1 * (u * u + v * v) * scale * scale)
        rays = np.stack([u * scale, v * scale, np.ones_like(u)], axis=-1) @ self.rotation
        return (rays[..., 0] / -rays[..., 2]).astype(np.float32), (rays[..., 1] / -rays[..., 2]).astype(np.float32)

    def plane(self, z_mm: float, box: tuple[int, int, int, int] | None = None) -> tuple[Plane, Plane]:
        """Which x and y (mm) of the level plane at ``z_mm`` each pixel sees, in the whole picture or a box."""
        drop = np.float32(self.position_mm[2] - z_mm)
        a, b = self._slopes
        if box is not None:
            x, y, w, h = box
            a, b = a[y : y + h, x : x + w], b[y : y + h, x : x + w]
        return a * drop + np.float32(self.position_mm[0]), b * drop + np.float32(self.position_mm[1])

    def box(self, points_mm: npt.ArrayLike, margin: int = 2) -> tuple[int, int, int, int] | None:
        """The box (x, y, w, h px, cut to the picture) around projected points; None when it is out of the picture."""
        p = self.project(points_mm)
        x0, y0 = np.maximum(np.floor(p.min(axis=0)).astype(int) - margin, 0)
        x1, y1 = np.minimum(np.ceil(p.max(axis=0)).astype(int) + margin + 1, self.size)
        if x1 <= x0 or y1 <= y0:
            return None
        return int(x0), int(y0), int(x1 - x0), int(y1 - y0)


def look_at(
    size: tuple[int, int],
    distance_mm: float,
    tilt_deg: float,
    azimuth_deg: float,
    roll_deg: float,
    target_mm: tuple[float, float],
    focal_px: float,
    k1: float,
) -> Camera:
    """A camera that looks at a point of the table.

    Args:
        size: of the picture in px.
        distance_mm: from the target.
        tilt_deg: off the vertical.
        azimuth_deg: towards where it is tilted, counter-clockwise from the x axis (-90: it stands at seat A).
        roll_deg: how far the picture is turned against "seat A is at the bottom".
        target_mm: the point.
        focal_px: focal length.
        k1: lens distortion.
    """
    t, a, r = (math.radians(v) for v in (tilt_deg, azimuth_deg, roll_deg))
    away = np.array([math.sin(t) * math.cos(a), math.sin(t) * math.sin(a), math.cos(t)])
    forward = -away
    up = np.array([math.sin(r), math.cos(r), 0.0])
    up = up - forward * (up @ forward)
    down = -up / np.linalg.norm(up)
    right = np.cross(down, forward)
    position = np.array([*target_mm, 0.0]) + away * distance_mm
    return Camera(size, focal_px, position, np.stack([right, down, forward]), k1)


@dataclass(frozen=True)
class Lamp:
    """A lamp: its place in mm, the colour of its light (b, g, r factors), and how soft its shadows are (mm)."""

    position_mm: tuple[float, float, float]
    colour: tuple[float, float, float]
    softness_mm: float

    def shadow(self, points_mm: npt.ArrayLike, z_mm: float = 0.0) -> Array:
        """Where points (n x 3 mm) throw their shadow on the level plane at ``z_mm`` (n x 3 mm)."""
        p, lamp = np.asarray(points_mm, float).reshape(-1, 3), np.asarray(self.position_mm)
        k = (lamp[2] - z_mm) / np.maximum(lamp[2] - p[:, 2:], 1.0)
        out = lamp + (p - lamp) * k
        out[:, 2] = z_mm
        return np.asarray(out)

    def falloff(self, x: Plane, y: Plane) -> Plane:
        """How brightly places of the table (mm) are lit, 1 at the origin (cosine over squared distance)."""
        px, py, pz = self.position_mm
        d2 = (x - px) ** 2 + (y - py) ** 2 + pz * pz
        return np.asarray(((px * px + py * py + pz * pz) / d2) ** 1.5, np.float32)
