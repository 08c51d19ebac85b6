"""How well printed round spaces lie where a plane map says, and by how much each is off.

The spaces of a board look alike and are round, whatever its colours. So the picture brings its own template: the
median of all patches, averaged around its centre. Averaging makes it point-symmetric, therefore its best match is
centred on the print even when every patch was cut out a little off in the same direction.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.geometry import Picture, PlaneMap, Points, fit_plane, rectified_xy
from companion.layout import BoardLayout

Floats = npt.NDArray[np.float32]

BURNT = 250  # of 255: white to the end of the scale
SCALE = 2.0
"""Rectified px per mm: near the scale of a 300 mm board that fills half of a 1280 px picture."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the picture shows at places where a space may be.

    Args:
        offsets_mm: n x 2, where the best match lies relative to the place.
        scores: n, correlation (-1 to 1) with the picture's own template of a space; 0 out of the picture.
        ink: n, darkness of fine print on the place (a cross, say), in units of the typical grey spread.
    """

    offsets_mm: Points
    scores: Points
    ink: Points


def centres(layout: BoardLayout) -> Points:
    """Centres of the spaces (n x 2, mm) in the order of ``layout.spaces``."""
    return np.array([(s.x_mm, s.y_mm) for s in layout.spaces.values()])


def shrink(frame: Picture, plane: PlaneMap) -> Picture:
    """The frame reduced so that a millimetre covers about ``SCALE`` px at most: finer detail only costs time."""
    factor = SCALE * 1.2 / plane.px_per_mm()
    if factor >= 0.8:
        return frame
    size = (round(frame.shape[1] * factor), round(frame.shape[0] * factor))
    reduced: Picture = cv2.resize(frame, size, interpolation=cv2.INTER_AREA)
    return reduced


def look(frame: Picture, plane: PlaneMap, layout: BoardLayout, reach_mm: float, places: Points | None = None) -> Look:
    """Compare places of the board with the template that the layout's spaces give together.

    Args:
        frame: BGR h x w x 3.
        plane: where the board is thought to lie.
        reach_mm: how far from its place a space is looked for.
        places: n x 2, mm; the layout's spaces if None.
    """
    home = centres(layout)
    places = home if places is None else places
    radius = 0.46 * layout.pitch_mm
    half = float(np.abs(np.vstack([home, places])).max()) + radius + reach_mm + 2
    flat = plane.rectify(frame, SCALE, half)
    inside = _inside(plane, places, (frame.shape[1], frame.shape[0]), radius)
    template = _template([_cut(flat, p, radius, half) for p in home])
    found = [
        _match(flat, p, radius, reach_mm, half, template) if ok else None for p, ok in zip(places, inside, strict=True)
    ]
    offsets = np.array([f[0] if f else (0.0, 0.0) for f in found]).reshape(-1, 2)
    scores = np.array([f[1] if f else 0.0 for f in found])
    grey = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32)
    ink = np.array([_ink(_cut(grey, p, 0.26 * layout.pitch_mm, half)) for p in places])
    return Look(offsets, scores, ink)


def refine(frame: Picture, plane: PlaneMap, layout: BoardLayout, reaches_mm: tuple[float, ...]) -> PlaneMap:
    """Pull a plane map onto the printed spaces, measured to a fraction of a pixel.

    Args:
        frame: BGR h x w x 3 of the empty board.
        plane: the map to start from, off by less than the first reach.
        reaches_mm: one round of measuring and fitting each; the last ones also fit the lens.

    Raises:
        ValueError: too few spaces are to be seen to fit a plane.
    """
    home = centres(layout)
    for i, reach in enumerate(reaches_mm):
        seen = look(frame, plane, layout, reach)
        target = plane.to_px(home + seen.offsets_mm)
        weights = np.clip(seen.scores - 0.3, 0, None) ** 2
        fitted = plane
        for _ in range(4):  # reweighted: a space under glare or a blotch must not pull
            fitted = fit_plane(
                home, target, plane.size, weights=weights, lens=None if i >= 2 else plane.lens, noise_px=0.3
            )
            miss = np.hypot(*(fitted.to_px(home) - target).T)
            spread = max(float(np.median(miss[weights > 0])), 0.05)
            weights = np.clip(seen.scores - 0.3, 0, None) ** 2 / (1 + (miss / (2 * spread)) ** 2)
        plane = fitted
    return plane


def burnt_out(frame: Picture, plane: PlaneMap, layout: BoardLayout) -> npt.NDArray[np.bool_]:
    """Which spaces (n) are white to the end of the scale for the most part: what is printed on them can't be known.

    Args:
        frame: BGR h x w x 3 of the empty board.
        plane: where the board lies in it.
    """
    turn = np.arange(12) * np.pi / 6
    around = 0.3 * layout.topping_diameter_mm * np.column_stack([np.cos(turn), np.sin(turn)])
    spots = np.concatenate([[(0.0, 0.0)], around / 2, around])
    px = plane.to_px((centres(layout)[:, None] + spots).reshape(-1, 2))
    x, y = np.clip(np.rint(px).astype(np.intp), 0, (frame.shape[1] - 1, frame.shape[0] - 1)).T
    full = (frame[y, x] >= BURNT).reshape(len(layout.spaces), -1)
    return np.asarray(full.mean(axis=1) > 0.6)


def _inside(plane: PlaneMap, places: Points, size: tuple[int, int], radius: float) -> npt.NDArray[np.bool_]:
    px = plane.for_size(size).to_px(
        np.vstack([places + d for d in ((radius, 0), (-radius, 0), (0, radius), (0, -radius))])
    )
    fits = np.all((px >= 0) & (px <= np.array(size) - 1), axis=1).reshape(4, -1)
    return np.asarray(fits.all(axis=0))


def _cut(flat: Picture | Floats, place: Points, radius: float, half: float) -> Floats:
    n = 2 * round(radius * SCALE) + 1
    x, y = rectified_xy(place, SCALE, half)[0]
    patch: Floats = cv2.getRectSubPix(flat.astype(np.float32), (n, n), (float(x), float(y)))
    return patch


def _template(patches: list[Floats]) -> Floats:
    """Median patch, averaged around its centre: n x n x 3, float32."""
    stack = np.stack([(p - p.mean((0, 1))) / (p.std() + 4) for p in patches])
    middle = np.median(stack, axis=0)
    lower, share = _rings(middle.shape[0])
    count = np.bincount(lower.ravel()) + 1e-9
    profile = np.stack([np.bincount(lower.ravel(), middle[:, :, c].ravel()) / count for c in range(3)], 1)
    upper = np.minimum(lower + 1, len(profile) - 1)
    return np.asarray(profile[lower] * (1 - share[..., None]) + profile[upper] * share[..., None], np.float32)


@functools.lru_cache(maxsize=4)
def _rings(n: int) -> tuple[npt.NDArray[np.int64], Points]:
    """Ring number of each pixel of an n x n patch, and zeros or shares towards the next ring."""
    y, x = np.mgrid[:n, :n] - (n - 1) / 2
    r = np.hypot(x, y)
    ring = np.rint(r).astype(np.int64)
    return ring, np.clip(r - ring, 0, 0.5)


def _match(
    flat: Picture, place: Points, radius: float, reach: float, half: float, template: Floats
) -> tuple[tuple[float, float], float]:
    area = _cut(flat, place, (template.shape[0] // 2) / SCALE + reach, half)
    if float(area.std(axis=(0, 1)).max()) < 2:
        return (0.0, 0.0), 0.0
    scores = np.nan_to_num(cv2.matchTemplate(area, template, cv2.TM_CCOEFF_NORMED), posinf=0, neginf=0)
    _, best, _, (x, y) = cv2.minMaxLoc(np.clip(scores, -1, 1))
    middle = (scores.shape[0] - 1) / 2
    dx, dy = x - middle, y - middle
    if 0 < x < scores.shape[1] - 1:
        dx += vertex(*(float(v) for v in scores[y, x - 1 : x + 2]))
    if 0 < y < scores.shape[0] - 1:
        dy += vertex(*(float(v) for v in scores[y - 1 : y + 2, x]))
    return (dx / SCALE, -dy / SCALE), float(best)


def vertex(before: float, at: float, after: float) -> float:
    """Where between -0.5 and 0.5 the parabola through three values has its top.

    >>> abs(vertex(0.5, 1.0, 0.5))
    0.0
    """
    bend = before - 2 * at + after
    return 0.0 if bend >= 0 else max(-0.5, min(0.5, 0.5 * (before - after) / bend))


def _ink(patch: Floats) -> float:
    """How much darker than its middle grey the fine dark print of a patch is, on average."""
    level = cv2.GaussianBlur(patch, (0, 0), patch.shape[0] / 4)
    dark = np.clip(level - patch, 0, None)
    return float(np.sqrt((dark * dark).mean()) / (level.mean() + 8))
