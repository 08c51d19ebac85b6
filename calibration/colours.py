"""How far apart what lies on the spaces looks under the light of a picture."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import cv2
import numpy as np

from calibration.geometry import Picture, PlaneMap, Points, rectified_xy
from companion.layout import BoardLayout

SCALE = 1.0


def colour_separation(
    frame: Picture, plane: PlaneMap, layout: BoardLayout, states: Mapping[str, str | None]
) -> dict[str, float]:
    """CIE Lab distance between the mean looks of each two states of a space (empty, red, green, white).

    Args:
        frame: BGR h x w x 3.
        plane: where the board lies in it.
        states: space id -> what lies there; None and missing ones are left out.

    Returns:
        For each pair that the picture shows, such as ``"empty-white"``, a distance; 2 is just visible, 10 is plain.
    """
    half = layout.board_diameter_mm / 2
    lab = cv2.cvtColor(plane.rectify(frame, SCALE, half).astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    radius = max(1, int(0.3 * layout.topping_diameter_mm * SCALE))
    looks: dict[str, list[Points]] = {}
    for space in layout.spaces.values():
        state = states.get(space.id)
        if state is None:
            continue
        x, y = np.rint(rectified_xy((space.x_mm, space.y_mm), SCALE, half)[0]).astype(int)
        patch = lab[y - radius : y + radius + 1, x - radius : x + radius + 1]
        looks.setdefault(state, []).append(np.median(patch, axis=(0, 1)))
    means = {state: np.mean(seen, axis=0) for state, seen in sorted(looks.items())}
    return {
        f"{a}-{b}": round(float(np.linalg.norm(means[a] - means[b])), 1) for a, b in itertools.combinations(means, 2)
    }
