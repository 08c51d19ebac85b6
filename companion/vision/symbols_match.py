"""Tells faces apart by laying enrolled ones over them, turned to all sides.

A face is compared as a disc around the middle of the die's top. Where that is, how much of the top counts and how
highlights are treated is a :class:`Lens`, chosen at the enrolment (:mod:`companion.vision.symbols_lens`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.symbols_find import F32, F64, U8, UNIT
from companion.vision.symbols_net import stretch, stretching
from companion.vision.symbols_scenes import Shown

EDGE = 0.76 * UNIT
"""Px of a die's edge at the working scale: a square turned to all sides has boxes 1.27 times its edge; a little more
with a side in view."""
STEP = 1.5  # px between the disc's points
RADIUS = 0.37 * UNIT
CORE = 0.26
"""In UNIT: where a disc that is not wide has lost two thirds of its weight: before the die's edges."""
TURNS = 24
NOISE = 4.0
"""Grey values of a camera's noise and of JPEG's: contrast as small as that says nothing."""
MOST = 8
"""Enrolled dice of one face that are kept; more make reading slower, hardly better."""
PULL = 0.004
"""Fit that a px of displacement, squared, costs: one pip of two in the middle of the disc must not pass for a one."""
ASTRAY = 0.5
"""Px by which a look may lie off another one; beside it a camera's noise is taken for one grey value."""
_FLATTEN = 0.6
_AT_ONCE = 30  # places compared together: 90 would take 20 MB
_AROUND_PLACES = 2.0 * UNIT  # a top is at most half a die from its place, and what it is compared by no larger


def _disc() -> F64:
    n = int(np.ceil(RADIUS / STEP))
    x, y = np.meshgrid(np.arange(-n, n + 1) * STEP, np.arange(-n, n + 1) * STEP)
    inside = np.hypot(x, y) <= RADIUS
    return np.asarray(np.stack([x[inside], y[inside]], 1), np.float64)


def _shifts(reach: float, step: float) -> F64:
    steps = np.arange(-reach, reach + 0.1, step)
    x, y = np.meshgrid(steps, steps)
    return np.asarray(np.stack([x.ravel(), y.ravel()], 1), np.float64)


DISC = _disc()
NEAR_BY = _shifts(4.5, 2.25)
"""Where around the place it was found at a top may be, px."""
BESIDE = _shifts(1.5, 1.5)


@dataclass(frozen=True, slots=True)
class Lens:
    """How tops of dice are looked at on one table.

    Args:
        x: px, at the working scale, from the middle of the box to that of the top for a die in the picture's middle.
        y: the same downwards.
        wide: whether the whole top counts alike, else mostly its middle.
        stretched: whether highlights are pulled apart, for tops that are nearly burnt out.
    """

    x: float
    y: float
    wide: bool = True
    stretched: bool = False

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

    def under(self, tops: F64, size: tuple[int, int]) -> F64:
        """The middles of the boxes that have their tops there, the reverse of :meth:`at`: n x 2 px."""
        grow = EDGE / 2 / max(size)
        return np.asarray((tops - (self.x, self.y) + grow * np.array(size) / 2) / (1 + grow), np.float64)

    def weights(self) -> F32:
        """How much each point of the disc counts: 0 to 1."""
        if self.wide:
            return np.ones(len(DISC), np.float32)
        return np.asarray(np.exp(-((np.hypot(*DISC.T) / (CORE * UNIT)) ** 4)), np.float32)

    def flattened(self, picture: U8, places: F64 | None = None) -> F32:
        """The picture with slow changes weakened: gradients of light, marbled bodies.

        Args:
            picture: BGR h x w x 3 at the working scale.
            places: n x 2 px, if only what lies around them is needed; the rest may then be black.
        """
        if places is None or not len(places):
            return self._flat(picture)
        left, top = np.maximum(0, places.min(axis=0) - _AROUND_PLACES).astype(int) // 4 * 4
        right, bottom = np.ceil(places.max(axis=0) + _AROUND_PLACES).astype(int)
        out = np.zeros(picture.shape, np.float32)
        self._flat(picture[top:bottom, left:right], out[top:bottom, left:right])
        return out

    def _flat(self, picture: U8, into: F32 | None = None) -> F32:
        shown = cv2.LUT(picture, stretch()) if self.stretched else picture
        height, width = picture.shape[:2]
        coarse = cv2.resize(shown, (max(1, width // 4), max(1, height // 4)), interpolation=cv2.INTER_AREA)
        slow = cv2.resize(cv2.GaussianBlur(coarse, (0, 0), UNIT / 24), (width, height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(cv2.addWeighted(shown, 1.0, slow, -_FLATTEN, 0.0, into, cv2.CV_32F), np.float32)

    def unsure(self, picture: U8) -> F32:
        """How far off the picture may be as it is looked at, squared: h x w x 3.

        By noise, which is pulled apart with what was stretched, and by edges that lie a little off, in all colours
        alike: in grain the edges of one colour are nothing but noise.

        Args:
            picture: BGR h x w x 3 at the working scale.
        """
        shown = stretch()[picture] if self.stretched else picture
        noise = stretching()[picture] if self.stretched else np.float32(1)
        across, down = (cv2.Sobel(shown, cv2.CV_32F, *d, scale=1 / 8) for d in ((1, 0), (0, 1)))
        edges = (across**2 + down**2).mean(axis=2, keepdims=True)
        return np.asarray(noise**2 + ASTRAY**2 * edges, np.float32)


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


def _at(picture: F32, points: F64) -> F32:
    """What a picture shows at points (n x points x 2 px): n x points x 3."""
    x, y = (points[..., k].astype(np.float32) - np.float32(0.5) for k in (0, 1))
    return np.asarray(cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def looks(picture: F32, points: F64, weights: F32) -> F32:
    """What a picture shows at points, each look made comparable: n x (3 points).

    Each colour counts from its mean, and all together have length 1, less where contrast is near the noise.

    Args:
        picture: BGR h x w x 3.
        points: n x points x 2 px.
        weights: of each point.
    """
    seen = _at(picture, points)
    mean = np.einsum("npc,p->nc", seen, weights / weights.sum())
    seen = (seen - mean[:, None]) * np.sqrt(weights)[:, None]
    flat = seen.reshape(len(seen), -1)
    length = np.sqrt(np.einsum("ij,ij->i", flat, flat) + 3 * weights.sum() * NOISE**2)
    return np.asarray(flat / length[:, None], np.float32)


def tints(seen: F32) -> F32:
    """How the colours of tops vary together, whichever way they are turned: n x 3 x 3, each of length 1.

    Args:
        seen: n x (3 points), as :func:`looks` gives them.
    """
    each = seen.reshape(len(seen), -1, 3)
    spread = np.einsum("npc,npd->ncd", each, each)
    return np.asarray(spread / np.maximum(np.sqrt((spread**2).sum(axis=(1, 2), keepdims=True)), 1e-9), np.float32)


def _around(picture: U8, points: F64, lens: Lens) -> tuple[F32, F64]:
    """How far off a picture may be around points (n x points x 2 px), and where these are in that part of it."""
    size = np.array(picture.shape[1::-1])
    x, y = np.clip(np.floor(points.min(axis=(0, 1))).astype(int) - 2, 0, size - 3)
    right, below = np.maximum(np.ceil(points.max(axis=(0, 1))).astype(int) + 2, (x + 3, y + 3))
    return lens.unsure(picture[y:below, x:right]), points - (x, y)


@dataclass(frozen=True, slots=True)
class Faces:
    """Enrolled faces, ready for comparing.

    Args:
        looks: n x (3 points), TURNS for each die.
        owner: n, the index in ``values`` of each look's face.
        die: n, which enrolled die each look is of.
        values: the faces' names.
    """

    looks: F32
    owner: npt.NDArray[np.intp]
    die: npt.NDArray[np.intp]
    values: tuple[int | str, ...]

    def alike(self, flattened: F32, middles: F64, lens: Lens, reach: F64 = NEAR_BY) -> tuple[F32, npt.NDArray[np.intp]]:
        """How well each enrolled look fits at its best (1: perfectly), and at which displacement: both places x looks.

        Args:
            flattened: BGR h x w x 3 at the working scale.
            middles: n x 2 px, where dice may lie.
            lens: of this table.
            reach: k x 2 px, displacements to try.
        """
        points = discs(middles, lens.at(middles, (flattened.shape[1], flattened.shape[0])), 1)
        pulled = (PULL * (reach**2).sum(axis=1)).astype(np.float32)[None, :, None]
        best, where = (np.empty((len(middles), len(self.looks)), t) for t in (np.float32, np.intp))
        for first in range(0, len(middles), _AT_ONCE):
            some = np.s_[first : first + _AT_ONCE]
            moved = points[some] + reach[None, :, None]
            seen = looks(flattened, moved.reshape(-1, len(DISC), 2), lens.weights())
            fits = (seen @ self.looks.T).reshape(-1, len(reach), len(self.looks))
            fits -= pulled
            fits.max(axis=1, out=best[some])
            fits.argmax(axis=1, out=where[some])
        return best, where

    def weighed(self, flattened: F32, picture: U8, middles: F64, lens: Lens) -> F32:
        """How well each enrolled look fits at its best, where what is surely seen counts more: places x looks.

        In burnt-out tops a faint print is flat and sure, while the strong edges around it are off by more than the
        print differs from the next one. Each point counts by how far off it may be, beside the usual one of its disc.

        Args:
            flattened: BGR h x w x 3 at the working scale.
            picture: the same as it is.
            middles: n x 2 px, where dice lie.
            lens: of this table.
        """
        each = lens.weights()
        known = self.looks.reshape(-1, len(DISC), 3) / np.sqrt(each)[:, None]
        known = np.ascontiguousarray(known.transpose(2, 1, 0))  # 3 x points x looks
        squared = known**2
        out = np.empty((len(middles), len(self.looks)), np.float32)
        for k, points in enumerate(discs(middles, lens.at(middles, picture.shape[1::-1]), 1)):
            moved = points + BESIDE[:, None]
            off = _at(*_around(picture, moved, lens))
            weights = each[:, None] / (off + np.median(off))
            total = weights.sum(axis=1)
            seen = _at(flattened, moved)
            seen -= (np.einsum("npc,npc->nc", seen, weights) / total)[:, None]
            pulled = weights * seen
            both = sum(pulled[..., c] @ known[c] for c in range(3))
            theirs = sum(weights[..., c] @ squared[c] for c in range(3))
            theirs -= sum((weights[..., c] @ known[c]) ** 2 / total[:, c, None] for c in range(3))
            mine = np.einsum("npc,npc->n", pulled, seen)[:, None]
            fits = both / np.sqrt(np.maximum(theirs * mine, np.finfo(np.float32).tiny))
            out[k] = (fits - PULL * (BESIDE**2).sum(axis=1)[:, None]).max(axis=0)
        return out

    def tinted(self, flattened: F32, middles: F64, lens: Lens) -> F32:
        """How much the colours of tops (1: wholly) are those of each enrolled die, without turning: places x dice.

        Args:
            flattened: BGR h x w x 3 at the working scale.
            middles: n x 2 px, where dice lie.
            lens: of this table.
        """
        points = discs(middles, lens.at(middles, (flattened.shape[1], flattened.shape[0])), 1)
        seen = looks(flattened, points.reshape(-1, len(DISC), 2), lens.weights())
        return np.asarray(np.einsum("ncd,mcd->nm", tints(seen), tints(self.looks[::TURNS])), np.float32)

    def by_die(self, fits: F32) -> F32:
        """The best turn of each enrolled die: places x dice."""
        return np.asarray(fits.reshape(len(fits), -1, TURNS).max(axis=2), np.float32)

    def by_value(self, fits: F32 | F64) -> F64:
        """The best of each face, from looks or dice: places x values."""
        owner = self.owner if fits.shape[1] == len(self.owner) else self.faces
        return np.stack([fits[:, owner == k].max(axis=1) for k in range(len(self.values))], 1).astype(np.float64)

    @property
    def faces(self) -> npt.NDArray[np.intp]:
        """Dice: the index in ``values`` of each one's face."""
        return self.owner[::TURNS]


def enrol_faces(shown: Sequence[Shown], flattened: Sequence[F32], lens: Lens) -> Faces:
    """The looks of all dice shown, MOST of each face at most.

    Args:
        shown: the pictures with their dice.
        flattened: the same pictures, through the lens.
        lens: of this table.
    """
    values = tuple(sorted({v for s in shown for v in s.values}, key=lambda v: (isinstance(v, str), v)))
    seen: list[F32] = []
    owner: list[int] = []
    for s, flat, chosen in zip(shown, flattened, kept(shown), strict=True):
        if chosen:
            middles = s.middles[chosen]
            points = discs(middles, lens.at(middles, (flat.shape[1], flat.shape[0])), TURNS)
            seen.append(looks(flat, points.reshape(-1, len(DISC), 2), lens.weights()))
            owner += [values.index(s.values[k]) for k in chosen]
    return Faces(
        np.concatenate(seen),
        np.repeat(np.array(owner, np.intp), TURNS),
        np.repeat(np.arange(len(owner)), TURNS),
        values,
    )


def kept(shown: Sequence[Shown]) -> list[list[int]]:
    """Which dice of each picture are enrolled: the first MOST of each face."""
    counts: dict[int | str, int] = {}
    out: list[list[int]] = []
    for s in shown:
        out.append([])
        for k, value in enumerate(s.values):
            counts[value] = counts.get(value, 0) + 1
            if counts[value] <= MOST:
                out[-1].append(k)
    return out
