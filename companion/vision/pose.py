"""Where the board lies in a picture: nudged, turned by a third, under another light, partly covered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from calibration.geometry import Picture, PlaneMap, Points, rectified_xy
from companion.errors import CompanionError


class BoardNotFound(CompanionError):  # noqa: N818 - an answer about the picture, not a fault
    """The board can't be found in the picture; the text says why."""

    short = "Board not found"


@dataclass(frozen=True, slots=True)
class BoardPose:
    """Where the board lies in one picture.

    Board millimetres follow the print: after the board was turned, space ``a1`` has the same millimetres and other
    pixels. So whatever reads spaces needs no word about the turn.

    Args:
        plane: board mm to picture px.
        half_mm: the board's radius; half the side of the rectified picture unless told otherwise.
        turn: 0, 120 or 240 degrees clockwise against the calibration picture; None when the print could not tell
            it: then ids of spaces, sides and lines can't be told either.
        residual_mm: median distance of the print from where the pose expects it.
        quality: 0 to 1, share of the looked-at print that was found in its place.
        moved: the board or the camera was nudged by more than a millimetre since the calibration.
    """

    plane: PlaneMap
    half_mm: float
    turn: int | None = 0
    residual_mm: float = 0.0
    quality: float = 1.0
    moved: bool = False

    def to_px(self, points_mm: npt.ArrayLike) -> Points:
        """Pixel positions (n x 2) of board points (n x 2, mm)."""
        return self.plane.to_px(points_mm)

    def to_mm(self, points_px: npt.ArrayLike) -> Points:
        """Board points (n x 2, mm) at pixel positions (n x 2); off the board: of its plane."""
        return self.plane.to_mm(points_px)

    def px_per_mm(self, point_mm: npt.ArrayLike = (0.0, 0.0)) -> float:
        """Scale of the picture at a board point."""
        return self.plane.px_per_mm(point_mm)

    def rectify(self, frame: Picture, px_per_mm: float = 2.0, half_mm: float | None = None) -> Picture:
        """Top-down picture of the board, y up, the print as in the calibration whatever the turn.

        Args:
            frame: BGR h x w x 3 (or grey h x w) that the pose was found in.
            px_per_mm: scale of the result.
            half_mm: half the side of the shown square; the board's radius if None.

        Returns:
            n x n x 3 with n = 2 * half_mm * px_per_mm; :meth:`rectified_xy` says where a board point lies in it.
        """
        return self.plane.rectify(frame, px_per_mm, self.half_mm if half_mm is None else half_mm)

    def rectified_xy(self, points_mm: npt.ArrayLike, px_per_mm: float = 2.0, half_mm: float | None = None) -> Points:
        """Where board points (n x 2, mm) lie in the rectified picture (n x 2, px)."""
        return rectified_xy(points_mm, px_per_mm, self.half_mm if half_mm is None else half_mm)
