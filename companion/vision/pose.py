"""Where the board lies in a picture: nudged, turned by a third, under another light, partly covered."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.geometry import Picture, PlaneMap, Points, fit_plane, rectified_xy, rotation
from companion.errors import CompanionError
from companion.layout import BoardLayout
from companion.screens.view import T
from companion.vision.markers import Markers
from companion.vision.pose_print import TURNS, Print, Sight
from companion.vision.pose_search import Search

FOUND_SCORE = 0.6
"""A patch of the print counts as found from this correlation. In the right place 52 to 96 % of the patches reach it,
with hands, sticks and all spaces covered; in a place 10 mm off 4 %."""
LEAST_FOUND = 0.2
LEAST_PATCHES = 14
AGREEING = 0.75
"""Share of the found patches that must lie within a millimetre: 86 % or more do at a right pose."""
SURE_LIKENESS = 0.22
SURE_MARGIN = 0.30
"""The print's likeness decides the turn. On frames of ten tables the right turn has 0.48 at least and leads by 0.71
at least; on a board laid 3 mm off all three lie within 0.25 of each other."""
MOVED_MM = 1.0
STILL_MM = 0.25


class BoardNotFound(CompanionError):  # noqa: N818 - an answer about the picture, not a fault
    """The board can't be found in the picture; the text says why."""

    short = T("Board not found")


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


class PoseFinder:
    """Finds one calibrated board in pictures of its camera.

    Args:
        picture: the calibration picture, BGR h x w x 3.
        plane: its plane map.
        layout: the board's layout.

    Examples:
        >>> # finder = PoseFinder(profile.picture(), profile.plane, profile.layout)
        >>> # pose = finder.find(frame, previous=pose)
    """

    def __init__(self, picture: Picture, plane: PlaneMap, layout: BoardLayout) -> None:
        self._plane = plane
        self._radius = layout.board_diameter_mm / 2
        self._empty = picture
        self._markers: Markers | None = None
        grey = self._grey(picture)
        self._print = Print(grey, plane, layout)
        self._search = Search(grey, plane, layout)
        ring = np.linspace(0, 2 * math.pi, 12, endpoint=False)
        self._ring = self._radius * np.column_stack([np.cos(ring), np.sin(ring)])

    def find(
        self, frame: Picture, previous: BoardPose | None = None, smaller: Callable[[int], Picture] | None = None
    ) -> BoardPose:
        """Where the board lies in a picture.

        Args:
            frame: BGR h x w x 3 from the calibrated camera, of any size of its shape.
            previous: the pose in the picture before: verified first, and kept as it is while nothing moved.
            smaller: gives :func:`reduced` of the frame, where others need it, too.

        Raises:
            BoardNotFound: says why; never a pose that the print does not bear out.
        """
        size = (frame.shape[1], frame.shape[0])
        try:
            self._plane.for_size(size)
        except ValueError as error:
            raise BoardNotFound(f"not a picture of the calibrated camera: {error}") from error
        grey = self._grey(frame, smaller)
        if previous is not None and previous.turn is not None:
            kept = self._verified(grey, previous)
            if kept is not None:
                return replace(kept, plane=kept.plane.for_size(size))
        turn = _decided(self._print.glance(self._print.top_down(grey, self._plane)).likeness)
        if turn is not None:
            plane = self._plane.after(rotation(turn))
            kept = self._verified(grey, BoardPose(plane, self._radius, turn))
            if kept is not None:
                return replace(kept, plane=kept.plane.for_size(size))
            starts = iter([plane])
        else:
            starts = self._starts(frame, grey)
        reason = "the print is hidden, or the board is out of view"
        for plane in starts:
            try:
                pose = self._followed(grey, plane)
            except BoardNotFound as error:
                reason = str(error)
                continue
            return replace(pose, plane=pose.plane.for_size(size))
        raise BoardNotFound(reason)

    def _starts(self, frame: Picture, grey: Picture) -> Iterator[PlaneMap]:
        """Where the board may lie now, likeliest first; each is looked for only when those before were wrong."""
        if self._markers is None:  # most tables never need them
            self._markers = Markers(_in_grey(self._empty), self._plane)
        yield from (plane.for_size((grey.shape[1], grey.shape[0])) for plane in self._markers.planes(_in_grey(frame)))
        yield from (self._plane.after(motion) for motion in self._search.motions(grey))

    def _verified(self, grey: Picture, pose: BoardPose) -> BoardPose | None:
        """The pose, if the picture still bears it out; None if anything moved or can't be told."""
        glance = self._print.glance(self._print.top_down(grey, pose.plane))
        if _decided(glance.likeness) != 0 or glance.alike < LEAST_FOUND or glance.drift_mm > STILL_MM:
            return None
        return replace(pose, residual_mm=glance.drift_mm, quality=glance.alike)

    def _followed(self, grey: Picture, plane: PlaneMap) -> BoardPose:
        """Pull a plane map onto the print and judge it.

        Raises:
            BoardNotFound: the print is not there.
        """
        for reach in (9.0, 6.0):
            plane = plane.after(_similarity(self._print.sight(self._print.top_down(grey, plane), reach, every=2)))
        turn = _decided(self._print.glance(self._print.top_down(grey, plane)).likeness)
        if turn:  # the search took the lines and arrows, which look alike after a third of a turn
            plane = plane.after(rotation(turn))
            plane = plane.after(_similarity(self._print.sight(self._print.top_down(grey, plane), 4.0)))
        for _ in range(3):
            plane = self._adjusted(grey, plane)
        return self._judged(grey, plane)

    def _adjusted(self, grey: Picture, plane: PlaneMap) -> PlaneMap:
        """The plane map fitted freely to the print: a bumped camera sees the board's plane in another perspective.

        Where nothing of the board is to be seen, weak points on its rim keep the map that a rigid motion gave.
        """
        sight = self._print.sight(self._print.top_down(grey, plane), 4.0)
        miss = np.hypot(*sight.offsets.T)
        found = (sight.scores > FOUND_SCORE) & (miss < 3.0)
        weights = found / (1 + (miss / 0.5) ** 2)
        here = np.vstack([sight.places, self._ring])
        there = np.vstack([sight.places + sight.offsets, self._ring])
        try:
            return fit_plane(
                here,
                plane.to_px(there),
                plane.size,
                weights=np.append(weights, np.full(len(self._ring), 0.1)),
                lens=plane.lens,
            )
        except ValueError:
            return plane

    def _judged(self, grey: Picture, plane: PlaneMap) -> BoardPose:
        """The pose of a followed plane map, if the print bears it out.

        Raises:
            BoardNotFound: says what is missing.
        """
        flat = self._print.top_down(grey, plane)
        sight = self._print.sight(flat, 4.0)
        miss = np.hypot(*sight.offsets.T)
        found = sight.scores > FOUND_SCORE
        close = found & (miss < 1.0)
        if close.mean() < LEAST_FOUND or close.sum() < LEAST_PATCHES:
            raise BoardNotFound(f"too little of the print is to be seen: {close.sum()} of {len(close)} places")
        if close.sum() < AGREEING * found.sum():
            raise BoardNotFound("the print is distorted: the board is bent, moving, or not the calibrated one")
        octants = np.floor(np.arctan2(sight.places[close, 1], sight.places[close, 0]) / (math.pi / 4))
        if len(np.unique(octants)) < 4:
            raise BoardNotFound("only one edge of the board is to be seen")
        calibrated = self._plane.for_size(plane.size)
        up = np.diff(calibrated.to_mm(plane.to_px([(0.0, -1.0), (0.0, 1.0)])), axis=0)[0]
        turned = math.degrees(math.atan2(up[0], up[1]))
        nearest = TURNS[round(turned / 120) % 3]
        sure = _decided(self._print.glance(flat).likeness) == 0 and abs((turned - nearest + 180) % 360 - 180) < 30
        unmoved = calibrated.after(rotation(nearest))
        moved = float(np.mean(np.hypot(*(unmoved.to_mm(plane.to_px(self._ring)) - self._ring).T)))
        if sure and moved < STILL_MM:
            plane = unmoved  # the empty board showed more of its print than this picture does
        return BoardPose(
            plane=plane,
            half_mm=self._radius,
            turn=nearest if sure else None,
            residual_mm=float(np.median(miss[close])),
            quality=float(close.mean()),
            moved=moved > MOVED_MM,
        )

    def _grey(self, frame: Picture, smaller: Callable[[int], Picture] | None = None) -> Picture:
        """The frame in grey, reduced to about a pixel a millimetre of the board."""
        factor = max(1, int(self._plane.for_size((frame.shape[1], frame.shape[0])).px_per_mm() / 0.8))
        return _in_grey(reduced(frame, factor) if smaller is None else smaller(factor))


def reduced(picture: Picture, factor: int) -> Picture:
    """A picture (h x w, or h x w x 3) of a whole part of its width and height, averaged against aliasing."""
    size = (picture.shape[1] // factor, picture.shape[0] // factor)
    return picture if factor == 1 else np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _in_grey(frame: Picture) -> Picture:
    return frame if frame.ndim == 2 else np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)


def _decided(likeness: tuple[float, float, float]) -> int | None:
    """The turn (0, 120, 240) that the print's likeness shows, or None when it can't tell."""
    second, first = sorted(likeness)[1:]
    return TURNS[likeness.index(first)] if first > SURE_LIKENESS and first - second > SURE_MARGIN else None


def _similarity(sight: Sight) -> Points:
    """The turn, scale and shift (3 x 3, mm) that most found patches agree on; none at all when too few are found."""
    found = sight.scores > FOUND_SCORE
    here = sight.places[found] @ np.array([1, 1j])
    there = (sight.places + sight.offsets)[found] @ np.array([1, 1j])
    if len(here) < 6:
        return np.eye(3)
    drawn = random.Random(0)  # numpy's own generators take 3 MB
    pairs = np.array(drawn.choices(range(len(here)), k=800)).reshape(400, 2)
    pairs = pairs[np.abs(here[pairs[:, 0]] - here[pairs[:, 1]]) > 60]
    a, b = pairs.T
    factor = (there[a] - there[b]) / (here[a] - here[b])
    plausible = np.abs(factor - 1) < 0.15
    factor, a = factor[plausible], a[plausible]
    if not len(factor):
        return np.eye(3)
    miss = np.abs(factor[:, None] * here[None] + (there[a] - factor * here[a])[:, None] - there[None])
    close = miss[int((miss < 1.5).sum(axis=1).argmax())] < 1.5
    here, there = here[close], there[close]
    z, w = here - here.mean(), there - there.mean()
    turn = complex(np.vdot(z, w) / np.vdot(z, z).real)
    shift = there.mean() - turn * here.mean()
    return np.array([[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag], [0.0, 0.0, 1.0]])
