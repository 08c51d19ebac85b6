"""Finds a board that was pushed or turned by a hand's breadth, coarsely: the print against the whole neighbourhood."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.geometry import Picture, PlaneMap, Points, rotation
from companion.layout import BoardLayout
from companion.vision.pose_print import Floats, normalised, visible_print

SCALE = 0.4
BOX_MM = 26.0
REACH_MM = 64.0
ANGLES = tuple(turn + d for turn in (0, 120, 240) for d in range(-20, 21, 4))
"""The board lies near one of its three turns; half a step is 5 mm at the rim, which the next stage takes up."""
TRIES = 4


class Search:
    """The print in every turn near the three of the game, ready to be slid over a picture.

    Args:
        grey: the calibration picture, h x w.
        plane: its plane map.
        layout: the board's layout.
    """

    def __init__(self, grey: Picture, plane: PlaneMap, layout: BoardLayout) -> None:
        self._plane = plane
        self._source = (grey, layout)
        self._half = layout.board_diameter_mm / 2 + REACH_MM
        self._box = 2 * int(BOX_MM * SCALE / 2) + 1
        self._spectra: list[npt.NDArray[np.complex64]] = []

    def motions(self, grey: Picture) -> list[Points]:
        """The likeliest motions of the print on the calibrated plane (3 x 3, mm), best first.

        Args:
            grey: the picture, h x w.
        """
        if not self._spectra:  # most tables never need it
            self._spectra = [self._spectrum(angle) for angle in ANGLES]
        n = 2 * cv2.getOptimalDFTSize((round(2 * self._half * SCALE) + 1) // 2)
        seen = np.fft.rfft2(normalised(self._plane.rectify(grey, SCALE, self._half), self._box), (n, n))
        reach = round(REACH_MM * SCALE)
        found: list[tuple[float, float, float, float]] = []
        for angle, spectrum in zip(ANGLES, self._spectra, strict=True):
            surface = np.fft.irfft2(seen * spectrum, (n, n))
            near = np.roll(surface, (reach, reach), (0, 1))[: 2 * reach + 1, : 2 * reach + 1]
            y, x = np.unravel_index(int(near.argmax()), near.shape)
            found.append((float(near[y, x]), angle, (int(x) - reach) / SCALE, (reach - int(y)) / SCALE))
        kept: list[tuple[float, float, float]] = []
        for _, around, dx, dy in sorted(found, reverse=True):
            if all(np.hypot(dx - a, dy - b) > 10 or abs((around - c + 60) % 120 - 60) > 5 for c, a, b in kept):
                kept.append((around, dx, dy))
        return [rotation(*motion) for motion in kept[:TRIES]]

    def _spectrum(self, angle: float) -> npt.NDArray[np.complex64]:
        grey, layout = self._source
        art = normalised(self._plane.after(rotation(-angle)).rectify(grey, SCALE, self._half), self._box)
        free: Floats = visible_print(layout, art.shape[0], SCALE, self._half, angle)
        face = (art - float((art * free).sum() / free.sum())) * free
        n = 2 * cv2.getOptimalDFTSize((art.shape[0] + 1) // 2)
        return np.asarray(np.conj(np.fft.rfft2(face / np.linalg.norm(face), (n, n))), np.complex64)
