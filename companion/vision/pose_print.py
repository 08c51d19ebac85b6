"""The board's own print as a fiducial: what of it stays visible in a game, and where it is found in a picture.

Toppings hide the spaces, but between the spaces and on the rim there are lines, blotches, numbers and arrows. All
comparing is done on pictures normalised by their local mean and spread, so that lamps and shadows fall out, in a
top-down view of about a pixel a millimetre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.geometry import Picture, PlaneMap, Points, rectified_xy, rotation
from calibration.spaces import vertex
from companion.layout import BoardLayout

Floats = npt.NDArray[np.float32]

SPREAD_MM = 9.0
"""Local mean and spread are taken over this box: wider than print, narrower than shadows."""
PATCH_MM = 13.0
CELL_MM = 10.0
GOOD_CELL = 0.6
MAX_PATCHES = 140
TURNS = (0, 120, 240)


def normalised(grey: Picture | Floats, box: int) -> Floats:
    """A grey picture (h x w) less its local mean, by its local spread, both over a box of ``box`` px."""
    mean = cv2.boxFilter(grey, cv2.CV_32F, (box, box))
    spread = np.sqrt(np.maximum(cv2.sqrBoxFilter(grey, cv2.CV_32F, (box, box)) - mean * mean, 0))
    seen = cv2.subtract(grey, mean, dtype=cv2.CV_32F) / (spread + np.float32(4))
    return np.asarray(np.clip(seen, -3, 3, out=seen), np.float32)


@dataclass(frozen=True, slots=True)
class Sight:
    """Where patches of the print are found in one picture.

    Args:
        places: n x 2, mm, patch centres.
        offsets: n x 2, mm, where each was found relative to its place.
        scores: n, correlation.
    """

    places: Points
    offsets: Points
    scores: Points


@dataclass(frozen=True, slots=True)
class Glance:
    """A top-down picture compared with the print as a whole.

    Args:
        likeness: for each of ``TURNS`` how much the picture shows the print so turned, less what all turns have in
            common: 1 like the calibration picture, 0 anything else. Each cell of the board counts with a limit, so
            that no single thing lying on the board decides.
        alike: share of the cells with print in which the picture shows the print.
        drift_mm: how far the print is off there, at the rim; true for less than a millimetre, else only large.
    """

    likeness: tuple[float, float, float]
    alike: float
    drift_mm: float


class Print:
    """The print of one board, top-down, prepared for comparing.

    Args:
        grey: the calibration picture, h x w, of any size of the camera's shape.
        plane: its plane map.
        layout: the board's layout.
        scale: px per mm to work at.

    Attributes:
        art: n x n, the rectified calibration picture, grey.
        places: m x 2, mm, centres of patches worth looking for.
    """

    def __init__(self, grey: Picture, plane: PlaneMap, layout: BoardLayout, scale: float = 1.0) -> None:
        radius = layout.board_diameter_mm / 2
        self.scale = scale
        self.half_mm = math.ceil((radius + PATCH_MM / 2) / CELL_MM) * CELL_MM  # whole cells are averaged fastest
        self.box = 2 * int(SPREAD_MM * scale / 2) + 1
        self.art = plane.rectify(grey, scale, self.half_mm).astype(np.float32)
        n = self.art.shape[0]
        self.free = visible_print(layout, n, scale, self.half_mm)
        self.places = _places(self.art, self.free, scale, self.half_mm)
        turned = [
            normalised(plane.after(rotation(-turn)).rectify(grey, scale, self.half_mm), self.box) * self.free
            for turn in TURNS
        ]
        common = (turned[0] + turned[1] + turned[2]) / 3
        self._own = [art - common for art in turned]
        self._own_weight = [self._cells(own * own) for own in self._own]
        self._face = turned[0]
        self._face_weight = self._cells(self._face * self._face)
        soft = cv2.GaussianBlur(self._face, (0, 0), 0.7)
        dx, dy = (cv2.Sobel(soft, cv2.CV_32F, i, 1 - i, scale=1 / 8) for i in (1, 0))
        along = (np.arange(n) + 0.5) / scale - self.half_mm
        turning = dy * along[None, :].astype(np.float32) - dx * along[:, None].astype(np.float32)
        # A shift of the print by (1, 0), (0, 1) px or a turn by 1 px at the rim changes the face by these.
        self._slopes = np.stack([dx, dy, turning / np.float32(radius)])
        self._curving = np.array([[self._cells(a * b).ravel() for b in self._slopes] for a in self._slopes])

    def _cells(self, values: Floats) -> Floats:
        """Means over cells of a centimetre."""
        n = round(values.shape[0] / (CELL_MM * self.scale))
        means: Floats = cv2.resize(values, (n, n), interpolation=cv2.INTER_AREA)
        return means

    def top_down(self, grey: Picture, plane: PlaneMap) -> Picture:
        """The frame (grey, h x w) as seen from above with a plane map, at this print's scale."""
        return plane.rectify(grey, self.scale, self.half_mm)

    def sight(self, flat: Picture, reach_mm: float, every: int = 1) -> Sight:
        """Look for patches (all or ``every`` so many) in a top-down picture, each within ``reach_mm`` of its place."""
        n = 2 * int(PATCH_MM * self.scale / 2) + 1
        reach = max(2, round(reach_mm * self.scale))
        image = flat.astype(np.float32)
        mean = cv2.boxFilter(image, -1, (n, n))
        contrast = cv2.sqrBoxFilter(image, -1, (n, n)) - mean * mean
        places = self.places[::every]
        offsets = np.zeros_like(places)
        scores = np.zeros(len(places))
        corners = np.rint(rectified_xy(places, self.scale, self.half_mm)).astype(int) - n // 2
        for i, (x, y) in enumerate(corners.tolist()):
            area = image[max(y - reach, 0) : y + n + reach, max(x - reach, 0) : x + n + reach]
            patch = self.art[y : y + n, x : x + n]
            if area.shape[0] < n or area.shape[1] < n or contrast[y + n // 2, x + n // 2] < 2:
                continue
            found = cv2.matchTemplate(area, patch, cv2.TM_CCOEFF_NORMED)
            _, best, _, (bx, by) = cv2.minMaxLoc(found)
            if not 0 < best <= 1.001 or not (0 < bx < found.shape[1] - 1 and 0 < by < found.shape[0] - 1):
                continue  # a best match at the border is no maximum
            dx = bx + vertex(*found[by, bx - 1 : bx + 2].tolist()) - min(x, reach)
            dy = by + vertex(*found[by - 1 : by + 2, bx].tolist()) - min(y, reach)
            offsets[i] = dx / self.scale, -dy / self.scale
            scores[i] = best
        return Sight(places, offsets, scores)

    def glance(self, flat: Picture) -> Glance:
        """Compare a whole top-down picture with the print at once, without looking for anything: cheap."""
        seen = normalised(flat, self.box) * self.free
        likeness = []
        for own, weight in zip(self._own, self._own_weight, strict=True):
            together = self._cells(own * seen)
            likeness.append(float(np.clip(together, -weight, weight).sum() / (weight.sum() + 1e-6)))
        energy = self._cells(seen * seen)
        alike = self._cells(seen * self._face) / np.sqrt(energy * self._face_weight + 1e-6)
        full = self._face_weight > 0.25 * float(self._face_weight.max())
        good = (alike > GOOD_CELL) & full
        mask = cv2.resize(good.astype(np.float32), seen.shape[::-1], interpolation=cv2.INTER_NEAREST)
        off = (self._face - seen) * mask
        normal = self._curving @ good.ravel() * (off.size / good.size) + 1e-3 * np.eye(3)
        moved = np.linalg.solve(normal, (self._slopes.reshape(3, -1) @ off.ravel()).astype(np.float64))
        return Glance(
            likeness=(likeness[0], likeness[1], likeness[2]),
            alike=float(good.sum() / max(1, full.sum())),
            drift_mm=(math.hypot(moved[0], moved[1]) + abs(moved[2])) / self.scale,
        )


def visible_print(layout: BoardLayout, n: int, scale: float, half_mm: float, degrees_clockwise: float = 0.0) -> Floats:
    """Where print stays visible beside toppings: n x n, 1 there and 0 elsewhere, for a board turned by so much."""
    along = (np.arange(n) + 0.5) / scale - half_mm
    x, y = np.meshgrid(along, -along)
    homes = np.array([(s.x_mm, s.y_mm) for s in layout.spaces.values()]) @ rotation(degrees_clockwise)[:2, :2].T
    nearest = np.full((n, n), np.inf)
    for home_x, home_y in homes:  # all at once takes 100 MB
        np.minimum(nearest, np.hypot(x - home_x, y - home_y), out=nearest)
    covered = layout.topping_diameter_mm / 2 + 1.5  # a topping's side is seen too, and it is put down carelessly
    free = (nearest > covered) & (np.hypot(x, y) < layout.board_diameter_mm / 2 - 3)
    return np.asarray(free, np.float32)


def _places(art: Floats, free: Floats, scale: float, half: float) -> Points:
    """Centres of patches with corners in them, spread over what stays visible, strongest first."""
    n = 2 * int(PATCH_MM * scale / 2) + 1
    strength = cv2.cornerMinEigenVal(cv2.GaussianBlur(art, (0, 0), 1.0), n, 3) * (cv2.blur(free, (n, n)) > 0.55)
    margin = n // 2 + 1
    strength[:margin], strength[-margin:], strength[:, :margin], strength[:, -margin:] = 0, 0, 0, 0
    apart = 2 * (n // 2) + 1
    peak = (strength >= cv2.dilate(strength, np.ones((apart, apart), np.uint8))) & (
        strength > 0.03 * float(strength.max())
    )
    y, x = np.nonzero(peak)
    best = np.argsort(-strength[y, x], kind="stable")[:MAX_PATCHES]
    return np.column_stack([(x[best] + 0.5) / scale - half, half - (y[best] + 0.5) / scale])
