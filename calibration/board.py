"""From one picture of the empty board to its plane map, checked against the print: right, or refused with a hint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.geometry import Picture, PlaneMap, Points, fit_plane, rotation
from calibration.lattice import FLATTEST, find_lattice
from calibration.spaces import Look, centres, look, refine, shrink
from companion.errors import CalibrationError, InputError
from companion.layout import BoardLayout
from companion.screens.view import T

COARSE_MM = (0.24, 0.15, 0.09, 0.09, 0.09)
"""Rounds of refining, as shares of the pitch: clicked points are off by up to a quarter of it at the far spaces."""
FINE_MM = (0.15, 0.09, 0.09, 0.09)
SEEN_SCORE = 0.45
"""A place whose correlation with the template of a space reaches this shows a space: on pictures of ten tables the
spaces reach 0.51 at least, crosses and glare included."""
LEAST_SEEN = 0.75
"""Share of spaces to be seen in place: a lamp's glare hid 6 of 37 in the worst picture."""


CROSSED = 0.45
"""Share of start spaces on which crosses must be seen, with none elsewhere: glare hid two of six in the worst picture;
a cross has 3 to 10 times the ink of a bare space, also in the dark."""


@dataclass(frozen=True, slots=True)
class BoardCalibration:
    """A board found in its calibration picture.

    Args:
        plane: board mm to px of the picture.
        side_at_bottom: the board side nearest the picture's bottom edge.
        error_mm: root mean square distance of the printed spaces from where the map puts them.
        seen: share of the spaces that were clearly seen.
        marked: the crosses on the start spaces were seen, and on no others.
    """

    plane: PlaneMap
    side_at_bottom: int
    error_mm: float
    seen: float
    marked: bool


def calibrate_from_points(
    frame: Picture, layout: BoardLayout, points: Mapping[str, tuple[float, float]], side_at_bottom: int | None = None
) -> BoardCalibration:
    """Calibrate from clicked space centres, refined against the picture.

    Args:
        frame: BGR h x w x 3 of the empty board.
        points: space id -> px, four or more, a few px off.
        side_at_bottom: if given, it must agree.

    Raises:
        InputError: an unknown space, fewer than four points, points outside the picture or on one line.
        CalibrationError: the points do not fit the print; says how.
    """
    height, width = frame.shape[:2]
    for space, (x, y) in points.items():
        if space not in layout.spaces:
            raise InputError(f"point {space}: the layout {layout.name} has no such space")
        if not (0 <= x < width and 0 <= y < height):
            raise InputError(f"point {space}={x:g},{y:g} lies outside the picture of {width}x{height}")
    if len(points) < 4:
        raise InputError(f"{len(points)} points are too few: give four or more, spread over the board")
    mm = np.array([(layout.spaces[s].x_mm, layout.spaces[s].y_mm) for s in points])
    px = np.array(list(points.values()), np.float64)
    for name, cloud, least in (("spaces", mm, 0.2 * layout.pitch_mm), ("points", px, 3.0)):
        if _thickness(cloud) < least:
            raise InputError(f"the {name} given lie on one line or too near each other: spread them over the board")
    try:
        plane = fit_plane(mm, px, (width, height))
    except ValueError as error:
        raise InputError(f"the points fit no board: {error}") from error
    _require_view(plane, layout)
    miss = np.hypot(*(plane.to_px(mm) - px).T)
    limit = 0.3 * layout.pitch_mm * plane.px_per_mm()
    if miss.max() > limit:
        worst = list(points)[int(miss.argmax())]
        raise CalibrationError(
            f"the points contradict each other by up to {miss.max():.0f} px (most at {worst}): "
            "are two names swapped, or one clicked in the wrong place?"
        )
    plane = _refined(frame, plane, layout, COARSE_MM)
    if np.hypot(*(plane.to_px(mm) - px).T).max() > 2 * limit:
        raise CalibrationError("the points lie between the spaces of the print: click the centres of the spaces")
    result = _checked(frame, plane, layout)
    if side_at_bottom not in (None, result.side_at_bottom):
        raise CalibrationError(
            f"by the points side {result.side_at_bottom} lies at the bottom, not side {side_at_bottom}"
        )
    return result


def calibrate_alone(frame: Picture, layout: BoardLayout, side_at_bottom: int = 1) -> BoardCalibration:
    """Calibrate without points, from the lattice of spaces, the crosses on the start spaces and one word of the owner.

    Args:
        frame: BGR h x w x 3 of the empty board, all of its spaces in view.
        side_at_bottom: the board side nearest the picture's bottom edge.

    Raises:
        CalibrationError: no board, or its orientation is not certain; says what to do.
    """
    maps = find_lattice(frame, layout)
    if not maps:
        raise CalibrationError(
            f"found no lattice of {len(layout.spaces)} round spaces: show the whole empty board without glare, "
            "fill more of the picture with it, or give four points (--point a1=412,233)",
            T("Show the whole board"),
        )
    fitting = [m for m in maps if _side_at_bottom(m, layout) == side_at_bottom]
    good: list[BoardCalibration] = []
    problem: CalibrationError | None = None
    for plane in fitting:
        try:
            found = _checked(frame, _refined(frame, plane, layout, FINE_MM), layout)
        except CalibrationError as error:
            problem = problem or error
            continue
        if found.marked:
            good.append(found)
    hint = "give four points (--point a1=412,233)"
    if not good:
        raise problem or CalibrationError(
            f"the crosses on the start spaces can't be told: {hint}", T("Crosses not seen")
        )
    if any(np.abs(g.plane.to_px(centres(layout)) - good[0].plane.to_px(centres(layout))).max() > 3 for g in good):
        raise CalibrationError(f"the board could lie in two ways: {hint}")
    if _side_margin_deg(good[0].plane, layout) < 8:
        raise CalibrationError(
            "two sides lie equally near the bottom edge: turn the board so that "
            f"side {side_at_bottom} faces it, or {hint}",
            T("Turn a side to the front"),
        )
    return good[0]


def check(frame: Picture, plane: PlaneMap, layout: BoardLayout) -> BoardCalibration:
    """Judge a plane map against a picture of the empty board without changing it.

    Raises:
        CalibrationError: the print is not where the map puts it.
    """
    return _checked(frame, plane, layout)


def _refined(frame: Picture, plane: PlaneMap, layout: BoardLayout, rounds: tuple[float, ...]) -> PlaneMap:
    small = _reduced(frame, plane)
    size = plane.size
    try:
        plane = refine(
            small, plane.for_size((small.shape[1], small.shape[0])), layout, tuple(r * layout.pitch_mm for r in rounds)
        )
    except ValueError as error:
        raise CalibrationError("too few round spaces are to be seen where the board should be") from error
    return plane.for_size(size)


def _checked(frame: Picture, plane: PlaneMap, layout: BoardLayout) -> BoardCalibration:
    """All checks that a plane map must pass.

    Raises:
        CalibrationError: says which failed and what to do.
    """
    _require_view(plane, layout)
    small = _reduced(frame, plane)
    plane_small = plane.for_size((small.shape[1], small.shape[0]))
    home = centres(layout)
    outside = ~np.all((plane.to_px(home) >= 0) & (plane.to_px(home) < np.array(plane.size)), axis=1)
    if outside.any():
        names = ", ".join(np.array(list(layout.spaces))[outside][:4])
        raise CalibrationError(
            f"the board is not wholly in the picture: {names} would lie outside", T("Board partly outside")
        )
    reach = 0.09 * layout.pitch_mm
    around, moves = _neighbourhood(layout)
    seen = look(small, plane_small, layout, reach, np.vstack([home, around]))
    scores = {_key(p): float(s) for p, s in zip(np.vstack([home, around]), seen.scores, strict=True)}
    here = _sum_at(home, scores)
    for move in moves:
        if _sum_at(home + move, scores) > here - 0.6:
            raise CalibrationError("the grid of spaces is shifted against the print: check the points' names")
    n = len(home)
    close = np.hypot(*seen.offsets_mm[:n].T) < 0.06 * layout.pitch_mm
    clear = (seen.scores[:n] > SEEN_SCORE) & close
    if clear.mean() < LEAST_SEEN:
        raise CalibrationError(
            f"only {clear.sum()} of {n} spaces look like spaces where the board should be: "
            "take a sharp picture of the empty board without glare, or check the points",
            T("Glare, or things on it"),
        )
    marked = _marks(Look(seen.offsets_mm[:n], seen.scores[:n], seen.ink[:n]), layout)
    error = math.sqrt(float(np.mean(np.sum(seen.offsets_mm[:n][clear] ** 2, axis=1))))
    return BoardCalibration(plane, _side_at_bottom(plane, layout), error, float(clear.mean()), marked)


def _marks(seen: Look, layout: BoardLayout) -> bool:
    """Whether the crosses are seen on the start spaces; False when there are none to be seen.

    Raises:
        CalibrationError: they are seen on the spaces of another turn of the board.
    """
    ids = list(layout.spaces)
    start = np.isin(ids, [s for group in layout.start_spaces.values() for s in group])
    right = _separation(seen.ink, start)
    home = centres(layout)
    middle = (home.max(0) + home.min(0)) / 2
    for degrees in range(30, 360, 30):
        moved = (home[start] - middle) @ rotation(degrees)[:2, :2].T + middle
        distance = np.hypot(*(moved[:, None] - home[None]).transpose(2, 0, 1))
        if distance.min(axis=1).max() > 0.1 * layout.pitch_mm:
            continue
        turned = np.isin(np.arange(len(home)), distance.argmin(axis=1))
        if not np.array_equal(turned, start) and _separation(seen.ink, turned) > max(right, CROSSED):
            raise CalibrationError(
                f"the crosses are printed on other spaces, as if the board were turned by {degrees} degrees: "
                "check the points' names",
                T("Crosses not seen"),
            )
    return right > CROSSED


def _separation(ink: Points, chosen: npt.NDArray[np.bool_]) -> float:
    """How clearly the chosen spaces bear crosses and the others none: 1 when all do, a half when glare hides half."""
    crossed = ink > 2 * np.median(ink)
    return float(crossed[chosen].mean() - 3 * crossed[~chosen].mean())


def _neighbourhood(layout: BoardLayout) -> tuple[Points, Points]:
    """Places one step beyond the layout's spaces (n x 2, mm), and the steps (m x 2)."""
    home = centres(layout)
    steps = {
        _key(np.array([layout.spaces[n].x_mm - s.x_mm, layout.spaces[n].y_mm - s.y_mm])): (
            layout.spaces[n].x_mm - s.x_mm,
            layout.spaces[n].y_mm - s.y_mm,
        )
        for s in layout.spaces.values()
        for n in s.neighbours
    }
    moves = np.array(list(steps.values())).reshape(-1, 2)
    known = {_key(p) for p in home}
    beyond = {_key(p): p for move in moves for p in home + move if _key(p) not in known}
    return np.array(list(beyond.values())).reshape(-1, 2), moves


def _key(place: Points) -> tuple[int, int]:
    return round(float(place[0]) / 2), round(float(place[1]) / 2)


def _sum_at(places: Points, scores: Mapping[tuple[int, int], float]) -> float:
    return sum(max(scores.get(_key(p), 0.0), 0.0) for p in places)


def _require_view(plane: PlaneMap, layout: BoardLayout) -> None:
    """Raise a CalibrationError when no camera could see the board so: mirrored, or flat."""
    for place in (np.zeros(2), *centres(layout)):
        j = plane.jacobian(place)
        if not np.isfinite(j).all() or np.linalg.det(j) >= 0:
            raise CalibrationError("the points show the board mirrored or folded: check their names")
    scales = np.linalg.svd(plane.jacobian(), compute_uv=False)
    if scales[1] < FLATTEST * scales[0]:
        raise CalibrationError(
            "the board would be seen more than 45 degrees off the vertical: check the points' names",
            T("Camera too slanted"),
        )
    if plane.px_per_mm() * layout.pitch_mm < 10:
        raise CalibrationError(
            "the board is too small in the picture: move the camera nearer", T("Too small: go nearer")
        )


def _side_at_bottom(plane: PlaneMap, layout: BoardLayout) -> int:
    heights = _side_heights(plane, layout)
    return max(heights, key=lambda side: heights[side])


def _side_heights(plane: PlaneMap, layout: BoardLayout) -> dict[int, float]:
    radius = layout.board_diameter_mm / 2
    angles = {s: math.radians(a) for s, a in layout.side_angles_deg.items()}
    return {
        s: float(plane.to_px((radius * math.cos(a), radius * math.sin(a)))[0, 1]) for s, a in sorted(angles.items())
    }


def _side_margin_deg(plane: PlaneMap, layout: BoardLayout) -> float:
    """By how many degrees the board could be turned before another side lies nearest the bottom edge, about."""
    low, middle, _ = sorted(_side_heights(plane, layout).values(), reverse=True)
    diameter = layout.board_diameter_mm * plane.px_per_mm()
    return math.degrees(math.asin(min(1.0, (low - middle) / (diameter * math.sqrt(3) / 2))))


def _thickness(cloud: Points) -> float:
    """The lesser standard deviation of a cloud of points."""
    return float(np.linalg.svd(cloud - cloud.mean(0), compute_uv=False)[1]) / math.sqrt(len(cloud))


def _reduced(frame: Picture, plane: PlaneMap) -> Picture:
    small = shrink(frame, plane)
    return small if small.ndim == 3 else cv2.cvtColor(small, cv2.COLOR_GRAY2BGR)
