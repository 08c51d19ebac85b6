"""Where the spaces and lines of a board lie in a picture, for whoever draws over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from companion.layout import BoardLayout
    from companion.vision.pose import BoardPose


@dataclass(frozen=True, slots=True)
class Places:
    """A board as a picture shows it, all in px of that picture.

    Args:
        spaces: id -> (a, b, c, d, x, y): the space is the unit circle under the map
            ``(u, v) -> (a u + c v + x, b u + d v + y)``.
        lines: (side, number) -> x and y of the near end, x and y of the far end.
        turn: degrees that the board is turned clockwise against the calibration; None when that is not known: then
            no id can be trusted.
    """

    spaces: Mapping[str, tuple[float, float, float, float, float, float]]
    lines: Mapping[tuple[int, int], tuple[float, float, float, float]]
    turn: int | None


@runtime_checkable
class HasPlaces(Protocol):
    """Eyes that know where a board lies."""

    def places(self) -> Places | None:
        """Where the board lay in the last picture read; None when it was not found."""
        ...


def places_of(pose: BoardPose, layout: BoardLayout) -> Places:
    """The places of a layout's spaces and lines under a pose."""
    radius = layout.topping_diameter_mm / 2
    centres = np.array([(space.x_mm, space.y_mm) for space in layout.spaces.values()])
    right, up = np.array([radius, 0.0]), np.array([0.0, radius])
    # A circle of this size is an ellipse in the picture to within a tenth of a px.
    around = np.stack([centres, centres + right, centres - right, centres + up, centres - up], axis=1)
    px = pose.to_px(around.reshape(-1, 2)).reshape(-1, 5, 2)
    maps = np.concatenate([(px[:, 1] - px[:, 2]) / 2, (px[:, 3] - px[:, 4]) / 2, px[:, 0]], axis=1)
    spaces = {space: (a, b, c, d, x, y) for space, (a, b, c, d, x, y) in zip(layout.spaces, maps.tolist(), strict=True)}
    ends = pose.to_px([end for line in layout.lines for end in (line.near_mm, line.far_mm)]).reshape(-1, 4)
    lines = {
        (line.side, line.number): (x1, y1, x2, y2)
        for line, (x1, y1, x2, y2) in zip(layout.lines, ends.tolist(), strict=True)
    }
    return Places(spaces, lines, pose.turn)
