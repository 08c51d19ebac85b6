"""Printed square markers around the board, where there are any: they tell where a bumped camera looks now.

Nobody need say which markers they are or where: the picture of the empty board shows them. Stuck to the board's rim
they turn with it; on a sheet under the board they stay. So they are only ever where a search begins: the print of the
board decides whether it lies there.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from calibration.geometry import Picture, PlaneMap, Points, fit_plane

DICTIONARIES = (
    cv2.aruco.DICT_4X4_1000,
    cv2.aruco.DICT_5X5_1000,
    cv2.aruco.DICT_6X6_1000,
    cv2.aruco.DICT_7X7_1000,
    cv2.aruco.DICT_ARUCO_ORIGINAL,
    cv2.aruco.DICT_APRILTAG_36h11,
)
"""The families in use; the smaller ones of a size are beginnings of the ones of 1000."""
LEAST = 2
"""A single marker, some 20 px wide, shows too little of how the camera is tilted."""
CHECKED = 100
"""So many squares that are no markers are a checked cloth: each family would take a second. Elsewhere 20 are seen."""
WINDOW_PX = 23
"""One threshold finds as many markers as three, in a third of the time (88 of 89 in 28 pictures)."""


class Markers:
    """The markers in the picture of the empty board.

    Args:
        picture: the calibration picture, grey h x w.
        plane: its plane map.
    """

    def __init__(self, picture: Picture, plane: PlaneMap) -> None:
        self._plane = plane
        size = plane.for_size((picture.shape[1], picture.shape[0]))
        self._home: Mapping[int, Points] = {}
        for self._family in DICTIONARIES:
            corners, squares = detected(picture, self._family)
            if len(corners) >= LEAST:
                self._home = {marker: size.to_mm(px) for marker, px in corners.items()}
            if self._home or squares > CHECKED:
                break

    def planes(self, picture: Picture) -> list[PlaneMap]:
        """Where the calibrated plane map went, as the markers that are still seen have it: one guess, or none.

        Args:
            picture: grey h x w, of any size of the camera's shape.
        """
        if not self._home:
            return []
        now, _ = detected(picture, self._family)
        both = sorted(now.keys() & self._home.keys())
        if len(both) < LEAST:
            return []
        plane = self._plane.for_size((picture.shape[1], picture.shape[0]))
        mm, px = np.vstack([self._home[m] for m in both]), np.vstack([now[m] for m in both])
        try:
            return [fit_plane(mm, px, plane.size, lens=plane.lens)]
        except ValueError:
            return []


def detected(picture: Picture, family: int) -> tuple[Mapping[int, Points], int]:
    """The markers of a family in a picture.

    Args:
        picture: grey h x w.
        family: of ``cv2.aruco``.

    Returns:
        Number of each marker -> its corners (4 x 2, px), a number that is seen twice left out; and how many squares
        were none.
    """
    parameters = cv2.aruco.DetectorParameters()
    parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = WINDOW_PX
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(family), parameters)
    corners, ids, others = detector.detectMarkers(picture)
    numbers = [] if ids is None else [int(i) for i in np.ravel(ids)]  # n x 1 before OpenCV 5, n since
    once = {
        number: np.asarray(four, np.float64).reshape(4, 2)
        for number, four in zip(numbers, corners, strict=True)
        if numbers.count(number) == 1
    }
    return once, len(others)
