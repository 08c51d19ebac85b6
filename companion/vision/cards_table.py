"""The table seen from straight above, at a known scale: what all that looks for cards works on."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.geometry import PlaneMap

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

PX_PER_MM = 1.6
"""Of the view from above: a card's corner number, 6 to 8 mm high, is ten px high."""
WIDEST_MM = 900.0
"""More of the table than this, far off under a slanting camera, is left out."""
_THIRDS = np.full(3, 1 / 3, np.float32)


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card lies: ``table = middle + matrix @ (mm on the card)``; mm go right and up, on card and table.

    Args:
        middle: 2, mm on the table.
        matrix: 2 x 2: a turn, or nearly one where the plane is not known to a hair.
    """

    middle: F64
    matrix: F64

    def place(self, points: F64) -> F64:
        """Points of the card (... x 2 mm) on the table."""
        return np.asarray(points @ self.matrix.T + self.middle)


def pose_of(middle: F64, angle: float) -> Pose:
    """A card with its middle at a place (mm), its head turned counter-clockwise by an angle (rad).

    >>> pose_of(np.array([10.0, 0.0]), math.pi / 2).place(np.array([0.0, 5.0])).round(3).tolist()
    [5.0, 0.0]
    """
    c, s = math.cos(angle), math.sin(angle)
    return Pose(np.asarray(middle, np.float64), np.array([[c, -s], [s, c]]))


@dataclass(frozen=True, slots=True)
class View:
    """A picture of the table from straight above.

    Args:
        picture: BGR h x w x 3 (or h x w), x to the right, y up the table is up the picture; black beyond the camera's.
        corner: mm on the table of the middle of the first pixel.
        px_per_mm: its scale.
    """

    picture: U8
    corner: tuple[float, float]
    px_per_mm: float = PX_PER_MM

    def to_px(self, points_mm: F64) -> F64:
        """Where points of the table (... x 2 mm) are in it (... x 2 px)."""
        x, y = self.corner
        return np.stack([points_mm[..., 0] - x, y - points_mm[..., 1]], axis=-1) * self.px_per_mm

    def to_mm(self, points_px: F64) -> F64:
        """Points of the table (... x 2 mm) seen at px of it (... x 2)."""
        x, y = self.corner
        return np.stack([x + points_px[..., 0] / self.px_per_mm, y - points_px[..., 1] / self.px_per_mm], axis=-1)

    def at_scale(self, px_per_mm: float) -> View:
        """The same view at a smaller scale."""
        k = px_per_mm / self.px_per_mm
        if k == 1:
            return self
        h, w = self.picture.shape[:2]
        size = (max(round(w * k), 1), max(round(h * k), 1))
        # Above half the scale this mixes all pixels, too, in a sixth of the time that areas take.
        small = np.asarray(cv2.resize(self.picture, size, interpolation=cv2.INTER_LINEAR), np.uint8)
        shift = (0.5 / k - 0.5) / self.px_per_mm
        return View(small, (self.corner[0] + shift, self.corner[1] - shift), px_per_mm)

    def cut(
        self,
        pose: Pose,
        inner_mm: tuple[float, float],
        shape: tuple[int, int],
        nearest: bool = False,
        shifts: F32 | None = None,
    ) -> U8:
        """What lies under the middle part of a card at a pose, upright.

        Args:
            pose: of the card.
            inner_mm: width and height of the part.
            shape: rows and columns of the result.
            nearest: take single px, do not mix them.
            shifts: rows x columns (fewer) x 2: by how many samples of the result its parts lie right and down.
        """
        rows, columns = shape
        step_x, step_y = inner_mm[0] / columns, inner_mm[1] / rows
        first = np.array([(0.5 * step_x - inner_mm[0] / 2), inner_mm[1] / 2 - 0.5 * step_y])
        origin = self.to_px(pose.place(first))
        k = self.px_per_mm
        m = pose.matrix
        affine = np.array(
            [
                [m[0, 0] * step_x * k, -m[0, 1] * step_y * k, origin[0]],
                [-m[1, 0] * step_x * k, m[1, 1] * step_y * k, origin[1]],
            ]
        )
        if shifts is not None:
            x, y = np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32)[:, None]
            moved = cv2.resize(shifts, (columns, rows), interpolation=cv2.INTER_LINEAR)
            x, y = x + moved[..., 0], y + moved[..., 1]
            (a, b, c), (d, e, f) = affine.astype(np.float32)
            return np.asarray(cv2.remap(self.picture, a * x + b * y + c, d * x + e * y + f, cv2.INTER_LINEAR), np.uint8)
        flags = cv2.WARP_INVERSE_MAP | (cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR)
        return np.asarray(cv2.warpAffine(self.picture, affine, (columns, rows), flags=flags), np.uint8)

    def cuts(self, poses: Sequence[Pose], inner_mm: tuple[float, float], shape: tuple[int, int]) -> U8:
        """What lies under the middle part of a card at each of some poses: n x rows x columns x 3; see :meth:`cut`."""
        points = grid(inner_mm, shape)
        at = np.concatenate([self.to_px(pose.place(points)) for pose in poses]).astype(np.float32)
        at = at.reshape(-1, shape[1], 2)
        found = cv2.remap(self.picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
        return np.asarray(found, np.uint8).reshape(len(poses), *shape, *self.picture.shape[2:])


def grid(inner_mm: tuple[float, float], shape: tuple[int, int]) -> F64:
    """The samples (rows * columns x 2 mm on the card) of the middle part of a card.

    >>> grid((4.0, 2.0), (1, 2)).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    down, across = shape
    x = ((np.arange(across) + 0.5) / across - 0.5) * inner_mm[0]
    y = (0.5 - (np.arange(down) + 0.5) / down) * inner_mm[1]
    return np.stack(np.meshgrid(x, y), axis=2).reshape(-1, 2)


def grey(values: F32) -> F32:
    """The mean over the channels (... x 3), many times faster than numpy's own over so few.

    >>> grey(np.array([[[3, 6, 9]]], np.float32)).tolist()
    [[6.0]]
    """
    return np.asarray(values.reshape(-1, 3) @ _THIRDS, np.float32).reshape(values.shape[:-1])


def from_above(picture: U8, plane: PlaneMap) -> View:
    """The view from above of a picture.

    Args:
        picture: BGR h x w x 3, of any size of the camera's shape.
        plane: the table as the camera sees it.

    Raises:
        ValueError: the picture has another shape than the camera's.
    """
    plane = plane.for_size((picture.shape[1], picture.shape[0]))
    corner, fixed, fraction = _maps(plane)
    seen = np.asarray(cv2.remap(picture, fixed, fraction, cv2.INTER_LINEAR), np.uint8)
    return View(seen, corner)


@functools.lru_cache(maxsize=4)
def _maps(plane: PlaneMap) -> tuple[tuple[float, float], npt.NDArray[np.int16], npt.NDArray[np.uint16]]:
    w, h = plane.size
    rim = [(x, y) for x in np.linspace(0, w - 1, 9) for y in (0, h - 1)]
    rim += [(x, y) for y in np.linspace(0, h - 1, 9) for x in (0, w - 1)]
    middle = plane.to_mm([((w - 1) / 2, (h - 1) / 2)])[0]
    seen = plane.to_mm(rim)
    seen = seen[np.isfinite(seen).all(axis=1)]
    low = np.maximum(seen.min(axis=0), middle - WIDEST_MM / 2)
    high = np.minimum(seen.max(axis=0), middle + WIDEST_MM / 2)
    columns, rows = (max(8, round(float(d) * PX_PER_MM)) for d in high - low)
    corner = (float(low[0]), float(high[1]))
    x = corner[0] + np.arange(columns) / PX_PER_MM
    y = corner[1] - np.arange(rows) / PX_PER_MM
    at = plane.to_px(np.stack(np.meshgrid(x, y), axis=2).reshape(-1, 2)).astype(np.float32).reshape(rows, columns, 2)
    fixed, fraction = cv2.convertMaps(at[..., 0], at[..., 1], cv2.CV_16SC2)
    return corner, fixed, fraction
