"""Cuts the reader's training patches out of drawn scenes: dice, what lies beside them, and what only looks like one."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from pool import Trap
from scenes import Scene, Truth

from companion.vision.dice_net import AROUND, PATCH

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
Rng = np.random.Generator

KEPT = 48  # px that a die's longer side is reduced to in a piece: a patch shows it 34 px large
REACH = 1.55  # half a piece's side in units of the die's longer side: room to turn, shift and widen the patch in
TOUCHED = 0.08  # share of the dice that a finger reaches over
SMALL = 11  # px of a die's longer side below which no one could read it


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a scene and what is to be read in its middle.

    Args:
        picture: BGR uint8, square.
        side: px of what counts as the die's longer side there.
        value: 1 to 6; 0 where there is nothing to read.
        die: whether a die lies in the middle: patches are then shifted and widened about it as poor findings are.
    """

    picture: U8
    side: float
    value: int
    die: bool


def _piece(picture: U8, centre: tuple[float, float], longer: float, value: int, die: bool) -> Piece:
    """Cuts a piece about a centre (px) whose die has that longer side (px)."""
    half = REACH * longer
    n = round(2 * REACH * min(longer, KEPT))
    x, y, r = centre[0], centre[1], int(np.ceil(half)) + 2
    h, w = picture.shape[:2]
    x0, y0, x1, y1 = int(x) - r, int(y) - r, int(x) + r + 1, int(y) + r + 1
    part = picture[max(0, y0) : min(h, y1), max(0, x0) : min(w, x1)]
    edge = (max(0, -y0), max(0, y1 - h), max(0, -x0), max(0, x1 - w))
    part = cv2.copyMakeBorder(part, *edge, cv2.BORDER_REPLICATE)
    if longer > 2 * KEPT:
        part = cv2.GaussianBlur(part, (0, 0), 0.3 * longer / KEPT)
    scale = n / (2 * half)
    m = np.array([[scale, 0, n / 2 - scale * (x - x0)], [0, scale, n / 2 - scale * (y - y0)]])
    cut = cv2.warpAffine(part, m, (n, n), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Piece(np.asarray(cut, np.uint8), min(longer, KEPT), value, die)


def _within(scene: Scene, centre: tuple[float, float], share: float) -> bool:
    """Whether a point lies in the middle of some die (``share`` of its box)."""
    return any(
        abs(t.box[0] + t.box[2] / 2 - centre[0]) < share * t.box[2]
        and abs(t.box[1] + t.box[3] / 2 - centre[1]) < share * t.box[3]
        for t in scene.dice
    )


def _of_die(rng: Rng, scene: Scene, die: Truth) -> Iterator[Piece]:
    """The pieces about a die; none where it isn't clear what a reader should say."""
    h, w = scene.picture.shape[:2]
    x, y = max(0.0, die.box[0]), max(0.0, die.box[1])
    bw, bh = min(w, die.box[0] + die.box[2]) - x, min(h, die.box[1] + die.box[3]) - y
    longer = max(bw, bh)
    if longer < SMALL or min(bw, bh) < 2:
        return
    centre = (x + bw / 2, y + bh / 2)
    if not 0.5 <= die.top < 0.8:
        value = die.value if die.top >= 0.8 else 0
        if (value or rng.random() < 0.5) and rng.random() < (longer - 4) / 16:
            yield _piece(scene.picture, centre, longer, value, True)
    if rng.random() < 0.08:  # beside it, or between it and its neighbour
        a, d = rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 0.9)
        beside = (centre[0] + float(np.cos(a) * bw * d), centre[1] + float(np.sin(a) * bh * d))
        if not _within(scene, beside, 0.3):
            yield _piece(scene.picture, beside, longer, 0, False)
    if longer > 24 and rng.random() < 0.05:  # a part of it
        off = rng.normal(0, 0.15, 2) * longer
        part = (centre[0] + float(off[0]), centre[1] + float(off[1]))
        yield _piece(scene.picture, part, longer * rng.uniform(0.25, 0.45), 0, False)
    if rng.random() < 0.05:  # something far larger than it
        yield _piece(scene.picture, centre, longer * rng.uniform(2.2, 4), 0, False)


def pieces_of(rng: Rng, scene: Scene) -> Iterator[Piece]:
    """All pieces of a scene."""
    for die in scene.dice:
        yield from _of_die(rng, scene, die)
    h, w = scene.picture.shape[:2]
    centre = (rng.uniform(0, w), rng.uniform(0, h))
    if not _within(scene, centre, 0.5):
        yield _piece(scene.picture, centre, float(np.exp(rng.uniform(np.log(9), np.log(130)))), 0, False)


def piece_of(trap: Trap) -> Piece:
    """The piece about a look-alike."""
    picture, centre, side = trap
    return _piece(picture, centre, side / AROUND, 0, False)


def recoloured(rng: Rng, cut: U8) -> U8:
    """Another exposure, white balance and gamma."""
    x = np.arange(256, dtype=np.float32)[:, None] / 255
    gamma, gain, lift = np.exp(rng.normal(0, 0.2)), np.exp(rng.normal(0.05, 0.18)), rng.normal(0, 0.03)
    lut = np.clip(x**gamma * gain * np.exp(rng.normal(0, 0.08, 3)) + lift, 0, 1) * 255
    return np.asarray(cv2.LUT(cut, lut[:, None].astype(np.uint8)), np.uint8)


def touched(rng: Rng, piece: Piece) -> Piece:
    """The piece with a fingertip or something else as thick over the die: nothing is to be read, as pips may be hidden.

    A three whose last pip a finger covers looks like a clear two; only the finger tells.
    """
    picture = piece.picture.copy()
    n, side = len(picture), piece.side
    a, thick = rng.uniform(0, 2 * np.pi), side * rng.uniform(0.3, 0.75)
    way, across = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
    reach = side * rng.uniform(0.0, 0.25) + thick / 2  # the tip lies this far from the middle, less half its width
    tip = n / 2 + way * reach + across * side * rng.uniform(-0.3, 0.3)
    end = tip + (way + across * rng.normal(0, 0.3)) * 3 * side
    mask = np.zeros((n, n), np.float32)
    ends = [tuple(np.rint(p).astype(int).tolist()) for p in (tip, end)]
    cv2.line(mask, ends[0], ends[1], 1.0, max(2, round(thick)), cv2.LINE_AA)
    skin = np.array([0.45, 0.58, 0.82]) * 255 * rng.uniform(0.25, 1.2)
    hue = skin * np.exp(rng.normal(0, 0.1, 3)) if rng.random() < 0.85 else rng.uniform(0, 255, 3)
    soft = cv2.GaussianBlur(mask, (0, 0), max(0.5, 0.2 * thick))
    shade = cv2.GaussianBlur(mask, (0, 0), max(0.5, rng.uniform(0.05, 0.25) * side))
    under = picture * (1 - rng.uniform(0, 0.5) * shade)[:, :, None]
    body = hue * (rng.uniform(0.4, 0.8) + 0.5 * soft * soft)[:, :, None]
    mask = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.3, 1))[:, :, None]
    cut = np.clip(under * (1 - mask) + body * mask, 0, 255).astype(np.uint8)
    return Piece(cut, side, 0, piece.die)


def patch_of(rng: Rng, piece: Piece) -> tuple[U8, F32]:
    """One look at a piece (PATCH x PATCH x 3 px), and how far off it is.

    Three cameras of four stand or hang as people look at a table, so that of an oblique die the upper face is its top;
    the others are turned anyhow. What it is off by are the x and y of the die's middle in units of its longer side and
    the logarithm of that side over the expected one.
    """
    poor = piece.die and rng.random() < 0.3
    shift = rng.normal(0, 0.17 if poor else 0.06, 2) if piece.die else rng.normal(0, 0.02, 2)
    shift = np.clip(shift, -0.36, 0.36)
    zoom = float(np.clip(rng.normal(0, 0.3 if poor else 0.1), -0.6, 0.45))
    side = AROUND * piece.side * float(np.exp(zoom))
    turn = rng.normal(0, 0.2) if rng.random() < 0.75 else rng.uniform(0, 2 * np.pi)
    c, s = np.cos(turn), np.sin(turn)
    m = np.array([[c, -s], [s, c]]) * (PATCH / side)
    if rng.random() < 0.5:
        m = m @ np.diag([-1, 1])
    if rng.random() < 0.4:  # cameras and files whose px aren't square
        f = float(np.exp(rng.uniform(0, 0.35)))
        stretch = np.diag([1 / f, f**0.3] if rng.random() < 0.5 else [f**0.3, 1 / f])
        if rng.random() < 0.3:
            a = rng.uniform(0, np.pi)
            r = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            stretch = r @ stretch @ r.T
        m = stretch @ m
    middle = len(piece.picture) / 2 - 0.5
    off = -m @ shift * (piece.side * AROUND / PATCH)
    m = np.hstack([m, (PATCH / 2 - 0.5 - m @ (middle + shift * piece.side))[:, None]])
    cut = np.asarray(cv2.warpAffine(piece.picture, m, (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    if rng.random() < 0.8:
        cut = recoloured(rng, cut)
    if rng.random() < 0.25:
        cut = np.asarray(cv2.GaussianBlur(cut, (0, 0), abs(rng.normal(0, 0.8)) + 0.2), np.uint8)
    if rng.random() < 0.25:
        grain = rng.standard_normal(cut.shape, np.float32) * np.float32(abs(rng.normal(0, 7)) + 0.5)
        cut = np.clip(cut + grain, 0, 255).astype(np.uint8)
    return cut, np.array([*off, -zoom], np.float32)


class Pieces:
    """The reader's pieces of all scenes and look-alikes drawn so far; a pool may be growing."""

    def __init__(self, pool: Path, rng: Rng) -> None:
        self._pool, self._rng, self._known = pool, rng, set[Path]()
        self.dice: list[list[Piece]] = [[] for _ in range(7)]
        self.traps: list[Piece] = []
        self.refresh()

    def refresh(self) -> None:
        """Takes in what is new."""
        for file in sorted(set(self._pool.glob("*.pickle")) - self._known):
            self._known.add(file)
            for scene in pickle.loads(file.read_bytes()):
                for piece in pieces_of(self._rng, scene):
                    self.dice[piece.value].append(piece)
        for file in sorted(set(self._pool.glob("*.traps")) - self._known):
            self._known.add(file)
            self.traps += [piece_of(trap) for trap in pickle.loads(file.read_bytes())]

    def sample(self) -> tuple[U8, int, F32, bool]:
        """A patch, its class (0: nothing to read), how far off it is and whether there is a die to be off."""
        chance = self._rng.random()
        value = 0 if chance < 0.32 else int(self._rng.integers(1, 7))
        kind = self.traps if self.traps and chance < 0.2 else self.dice[value]
        while True:
            piece = kind[int(self._rng.integers(len(kind)))]
            if piece.value and self._rng.random() < TOUCHED:
                piece, value = touched(self._rng, piece), 0
            patch, off = patch_of(self._rng, piece)
            if (
                not value or patch[PATCH // 4 : -PATCH // 4, PATCH // 4 : -PATCH // 4].std() > 9
            ):  # else too dark or too bright for anyone
                return patch, value, off, piece.die
