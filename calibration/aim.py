"""How well a camera is aimed at an empty board: where the board is, how sharp, and what to mend first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import cv2
import numpy as np

from calibration.geometry import Picture, PlaneMap, Points
from calibration.lattice import find_lattice
from companion.layout import BoardLayout

Hint = Literal["dark", "glare", "blurred", "outside", "small", "nothing"]
HINTS: tuple[Hint, ...] = get_args(Hint)
SEARCH_PX = 640
"""Width in which the board is searched: a third of the time of the full picture, and found in all the same ones."""
DARK = 45
"""Median brightness of the board (0 to 255) below which a camera's noise hides crosses and colours."""
GLARE = 0.02
"""Share of the board that is burnt out to white."""
BLUR_MM = 1.2
"""Blur (standard deviation) from which the calibration loses accuracy: 0.08 mm off up to 1.1 mm of blur, 0.2 mm at
1.7, 0.35 at 2.3, none is possible at 3.4 (drawn boards, Gaussian blur, camera noise)."""
SMALL_PX_PER_MM = 1.0
_RIM = 24


@dataclass(frozen=True, slots=True)
class Aim:
    """What a look at the table says about the aim.

    Args:
        plane: board mm to px of the picture, one of those that fit the lattice of spaces; None when none was found.
        rim: n x 2, the board's edge in shares of the picture's width and height; empty without a board.
        blur_px: standard deviation of the blur, px of the picture; 0 for anything below a pixel.
        hint: what to mend first; None when a calibration should succeed.
    """

    plane: PlaneMap | None
    rim: Points
    blur_px: float
    hint: Hint | None


def look_at(picture: Picture, layout: BoardLayout) -> Aim:
    """Search the board and judge how it is seen.

    Args:
        picture: BGR uint8, h x w x 3.
        layout: of the board.
    """
    plane = _search(picture, layout)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    if plane is None:
        blur = blur_px(_middle(grey))
        dark = float(np.median(grey)) < DARK
        return Aim(None, np.empty((0, 2)), blur, "dark" if dark else "blurred" if blur > 3 else "nothing")
    height, width = grey.shape
    angles = np.linspace(0, 2 * np.pi, _RIM, endpoint=False)
    rim = plane.to_px(np.column_stack([np.cos(angles), np.sin(angles)]) * layout.board_diameter_mm / 2)
    inside = np.zeros_like(grey)
    cv2.fillConvexPoly(inside, rim.round().astype(np.int32), 255)
    blur = blur_px(_middle(grey, plane.to_px((0.0, 0.0))[0]))
    return Aim(plane, rim / (width, height), blur, _hint(picture, grey, inside > 0, rim, plane, blur))


def _hint(
    picture: Picture, grey: Picture, inside: np.ndarray, rim: Points, plane: PlaneMap, blur: float
) -> Hint | None:
    height, width = grey.shape
    if not (np.all(rim >= 0) and np.all(rim < (width, height))):
        return "outside"
    if plane.px_per_mm() < SMALL_PX_PER_MM:
        return "small"
    if float(np.median(grey[inside])) < DARK:
        return "dark"
    if blur > BLUR_MM * plane.px_per_mm():
        return "blurred"
    if float((picture[inside].min(axis=1) >= 250).mean()) > GLARE:
        return "glare"
    return None


def _search(picture: Picture, layout: BoardLayout) -> PlaneMap | None:
    factor = min(1.0, SEARCH_PX / picture.shape[1])
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else picture
    maps = find_lattice(np.asarray(small, np.uint8), layout)
    return maps[0].for_size((picture.shape[1], picture.shape[0])) if maps else None


def _middle(grey: Picture, at: Points | None = None) -> Picture:
    """A square of at most 480 px around a place, or around the picture's middle."""
    height, width = grey.shape
    side = min(480, height, width)
    x, y = (width / 2, height / 2) if at is None else at
    left = int(np.clip(x - side / 2, 0, width - side))
    top = int(np.clip(y - side / 2, 0, height - side))
    return grey[top : top + side, left : left + side]


def blur_px(grey: Picture) -> float:
    """The blur of a picture's edges: the standard deviation of the Gaussian that would make them from sharp ones, px.

    An edge of blur s, smoothed by t more, has a gradient whose energy falls as 1 / sqrt(s^2 + t^2). So the ratio
    of the energies after smoothing by 1 and by 2 px tells s, whatever the contrast; smoothing keeps noise out.

    Args:
        grey: uint8, h x w.

    >>> rng = np.random.default_rng(1)
    >>> bars = np.repeat(rng.integers(0, 2, 12) * 200, 20).astype(np.uint8)[None].repeat(100, axis=0)
    >>> round(blur_px(cv2.GaussianBlur(bars, (0, 0), 3)))
    3
    """
    exact = grey.astype(np.float32)
    fine, coarse = (_energy(cv2.GaussianBlur(exact, (0, 0), t)) for t in (1.0, 2.0))
    edges = (coarse >= max(float(np.percentile(coarse, 95)), 1.0)).astype(np.uint8)
    near = cv2.dilate(edges, np.ones((13, 13), np.uint8)) > 0
    if not near.any():
        return 0.0
    ratio = float(fine[near].sum() / coarse[near].sum()) ** 2
    return float(np.sqrt(max(0.0, 4 - ratio) / max(ratio - 1, 1e-3)))


def _energy(grey: Picture) -> np.ndarray:
    x, y = (cv2.Sobel(grey, cv2.CV_32F, dx, 1 - dx, ksize=1) for dx in (1, 0))
    return np.asarray(x * x + y * y)
