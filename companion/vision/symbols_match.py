"""Tells faces apart by laying enrolled ones over them, turned to all sides.

A face is compared as a disc around the middle of the die's top. Where that is, and how the top is foreshortened,
follows from how far the camera looks from straight above; that lean is measured at the enrolment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.symbols_find import F32, F64, U8, UNIT
from companion.vision.symbols_scenes import Shown

EDGE = 0.76 * UNIT
"""Px of a die's edge at the working scale: a square turned to all sides has boxes 1.27 times its edge; a little more
with a side in view."""
STEP = 1.5  # px between the disc's points
RADIUS = 0.36 * UNIT
TURNS = 24
NOISE = 2.0
"""Grey values of a camera's noise and of JPEG's: contrast as small as that says nothing."""
MOST = 8
"""Enrolled dice of one face that are kept; more make reading slower, hardly better."""

_OWN = 0.85  # two dice of one face fit by 0.75 to 0.95


def _disc() -> F64:
    n = int(np.ceil(RADIUS / STEP))
    x, y = np.meshgrid(np.arange(-n, n + 1) * STEP, np.arange(-n, n + 1) * STEP)
    inside = np.hypot(x, y) <= RADIUS
    return np.asarray(np.stack([x[inside], y[inside]], 1), np.float64)


def _shifts(reach: float) -> F64:
    steps = np.arange(-reach, reach + 0.1, STEP)
    x, y = np.meshgrid(steps, steps)
    return np.asarray(np.stack([x.ravel(), y.ravel()], 1), np.float64)


DISC = _disc()
NEAR_BY = _shifts(4.5)
"""Where around the place it was found at a top may be, px."""
_BESIDE = _shifts(1.5)
PULL = 0.004
"""Fit that a px of displacement, squared, costs: one pip of two in the middle of the disc must not pass for a one."""
_FLATTEN = 0.6


@dataclass(frozen=True, slots=True)
class Lean:
    """Where the tops of dice lie in their boxes.

    Args:
        x: px, at the working scale, from the middle of the box to that of the top for a die in the picture's middle.
        y: the same downwards.
    """

    x: float
    y: float

    def at(self, middles: F64, size: tuple[int, int]) -> F64:
        """From the middles (n x 2 px) of boxes to those of the tops: n x 2 px.

        A die at the picture's edge is seen from the side of the middle: its top is displaced outwards, by its height
        in the picture times the tangent of the angle. The picture is taken for as wide as it is far away, which
        common cameras are near enough.

        Args:
            middles: in px at the working scale.
            size: the picture's width and height in the same px.
        """
        return np.asarray((self.x, self.y) + EDGE / 2 / max(size) * (middles - np.array(size) / 2), np.float64)


def discs(middles: F64, leans: F64, turns: int) -> F64:
    """Points of the discs of tops, foreshortened, in px: n x turns x points x 2.

    Args:
        middles: n x 2, of the dice's boxes.
        leans: n x 2, from there to the tops.
        turns: to how many sides each disc is turned.
    """
    angles = np.arange(turns) * 2 * np.pi / turns
    cos, sin = np.cos(angles), np.sin(angles)
    around = DISC @ np.array([[cos, sin], [-sin, cos]]).transpose(2, 0, 1)  # turns x points x 2
    far = np.hypot(leans[:, 0], leans[:, 1])
    along = leans / np.maximum(far, 1e-9)[:, None]
    flat = 1 - np.sqrt(1 - np.minimum(2 * far / EDGE, 0.85) ** 2)  # the lean is half the edge times the sine
    cut = np.einsum("tpk,nk->ntp", around, along) * flat[:, None, None]
    points = around[None] - cut[..., None] * along[:, None, None]
    return np.asarray(points + (middles + leans)[:, None, None], np.float64)


def looks(picture: F32, points: F64) -> F32:
    """What a picture shows at points, each look made comparable: n x (3 points).

    Each colour counts from its mean, and all together have length 1, less where contrast is near the noise.

    Args:
        picture: BGR h x w x 3.
        points: n x points x 2 px.
    """
    x, y = (points[..., k].astype(np.float32) - np.float32(0.5) for k in (0, 1))
    seen = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = seen - seen.mean(axis=1, keepdims=True)
    flat = seen.reshape(len(seen), -1)
    length = np.sqrt((flat * flat).sum(axis=1, keepdims=True) + flat.shape[1] * NOISE**2)
    return np.asarray(flat / length, np.float32)


def flattened(picture: U8) -> F32:
    """The picture with slow changes weakened: gradients of light, marbled bodies.

    Args:
        picture: BGR h x w x 3 at the working scale.
    """
    height, width = picture.shape[:2]
    coarse = cv2.resize(picture, (max(1, width // 4), max(1, height // 4)), interpolation=cv2.INTER_AREA)
    slow = cv2.resize(cv2.GaussianBlur(coarse, (0, 0), UNIT / 24), (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.addWeighted(picture, 1.0, slow, -_FLATTEN, 0.0, dtype=cv2.CV_32F), np.float32)


@dataclass(frozen=True, slots=True)
class Faces:
    """Enrolled faces, ready for comparing.

    Args:
        looks: n x (3 points).
        owner: n, the index in ``values`` of each look's face.
        die: n, which enrolled die each look is of.
        values: the faces' names.
    """

    looks: F32
    owner: npt.NDArray[np.intp]
    die: npt.NDArray[np.intp]
    values: tuple[int | str, ...]

    def alike(self, picture: U8, middles: F64, lean: Lean, reach: F64 = NEAR_BY) -> tuple[F32, F64]:
        """How well each enrolled look fits at its best (1: perfectly), places x looks, and n x 2 where the best does.

        Args:
            picture: BGR h x w x 3 at the working scale.
            middles: n x 2 px, where dice may lie.
            lean: of this camera.
            reach: k x 2 px, displacements to try.
        """
        size = (picture.shape[1], picture.shape[0])
        points = discs(middles, lean.at(middles, size), 1)
        moved = points + reach[None, :, None]
        seen = looks(flattened(picture), moved.reshape(-1, len(DISC), 2))
        fits = (seen @ self.looks.T).reshape(len(middles), len(reach), -1)
        fits -= (PULL * (reach**2).sum(axis=1)).astype(np.float32)[None, :, None]
        return np.asarray(fits.max(axis=1), np.float32), middles + reach[fits.max(axis=2).argmax(axis=1)]

    def by_value(self, fits: F32) -> F32:
        """The best of each face: places x values."""
        return np.stack([fits[:, self.owner == k].max(axis=1) for k in range(len(self.values))], 1)


def enrol_faces(shown: Sequence[Shown], lean: Lean) -> Faces:
    """The looks of all dice shown, MOST of each face at most."""
    values = tuple(sorted({v for s in shown for v in s.values}, key=lambda v: (isinstance(v, str), v)))
    seen: list[F32] = []
    owner: list[int] = []
    kept = [0] * len(values)
    for s in shown:
        faces = [values.index(v) for v in s.values]
        chosen = []
        for k, face in enumerate(faces):
            if kept[face] < MOST:
                kept[face] += 1
                chosen.append(k)
        if chosen:
            middles = s.middles[chosen]
            points = discs(middles, lean.at(middles, (s.picture.shape[1], s.picture.shape[0])), TURNS)
            seen.append(looks(flattened(s.picture), points.reshape(-1, len(DISC), 2)))
            owner += [faces[k] for k in chosen]
    return Faces(
        np.concatenate(seen),
        np.repeat(np.array(owner, np.intp), TURNS),
        np.repeat(np.arange(len(owner)), TURNS),
        values,
    )


def own_and_other(shown: Sequence[Shown], faces: Faces, lean: Lean) -> F64:
    """How alike each enrolled die is to others: dice x values, the best fit of each face, without the die itself.

    NaN where no other die shows the face. Dice beyond MOST of a face are left out.
    """
    fits = []
    kept: dict[int | str, int] = {}
    for s in shown:
        chosen = []
        for k, v in enumerate(s.values):
            kept[v] = kept.get(v, 0) + 1
            if kept[v] <= MOST:
                chosen.append(k)
        if chosen:
            fits.append(faces.alike(s.picture, s.middles[chosen], lean, _BESIDE)[0])
    fit = np.concatenate(fits).astype(np.float64)
    fit[np.arange(len(fit))[:, None] == faces.die[None]] = -np.inf
    best = np.stack([fit[:, faces.owner == k].max(axis=1) for k in range(len(faces.values))], 1)
    return np.where(np.isfinite(best), best, np.nan)


def measure_leads(shown: Sequence[Shown], faces: Faces, lean: Lean) -> F64:
    """By how much each face looks more like itself than like each other: values x values, the middle of its dice.

    What only one die shows is taken to look as like itself as dice of one face mostly do.
    """
    fits = own_and_other(shown, faces, lean)
    owner = faces.owner[::TURNS]
    own = fits[np.arange(len(fits)), owner]
    own = np.where(np.isfinite(own), own, _OWN)
    out = np.zeros((len(faces.values),) * 2)
    for k in range(len(out)):
        out[k] = np.median(own[owner == k, None] - fits[owner == k], axis=0)
        out[k, k] = np.inf
    return out


def measure_lean(shown: Sequence[Shown]) -> Lean:
    """The lean by which enrolled dice of one face look most alike, and of different faces least.

    Straight down if no face is shown twice.
    """
    best, found = -np.inf, Lean(0.0, 0.0)
    for x in np.arange(-6, 6.1, STEP):
        for y in np.arange(-6, 6.1, STEP):
            if np.hypot(x, y) > 6.5:
                continue
            lean = Lean(float(x), float(y))
            faces = enrol_faces(shown, lean)
            fit = own_and_other(shown, faces, lean)
            rows = np.arange(len(fit))
            true = faces.owner[::TURNS]
            own = fit[rows, true]
            fit[rows, true] = -1.0
            good = np.isfinite(own)
            if good.any():
                other = np.nanmax(fit, axis=1)
                score = float((2 * own[good] - other[good]).mean())
                if score > best:
                    best, found = score, lean
    return found
