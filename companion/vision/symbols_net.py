"""Looks at tops of dice through a small network that has learned when two prints are the same (training/symbols).

It turns a top into a direction of many dimensions: those of one print, equally turned, lie close together, whatever the
lamp, the marbling or the blur; those of different prints lie apart. It knows no print by name. Enrolled tops are kept
turned to all sides, so the closest of them tells what a die shows.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]

MODEL = Path(__file__).parent / "models" / "symbols.onnx"
WIDTH = 96
"""Of a direction; after it the network tells how readable a top is and how far off its middle: x, y, log of size."""
TURNS = 24
"""Sides to which enrolled tops are turned."""
PATCH = 40
"""Px of a patch's side."""
BOX = 30.0
"""Px of a die's box in it: a top turned to any side fits, with a little around it."""
BURNT = 250
"""A grey value from which a channel may have lost what was there."""
SHOULDER = 10
"""Grey values beyond white at which a camera's shoulder is taken to end: in tops burnt out to 245 to 255 the curve with
this told 35 of 40 faces apart, the plain picture 10."""
TOP = 0.38
"""Half a top's edge, in sides of its die's box."""
_SMOOTH = 0.7  # patches that are smaller than the picture by more are averaged
_ROUNDS = 3  # of putting a top in the middle: from a third of a die off
_STILL = 0.04  # a step, in dice's boxes, after which a top is in the middle
_ASTRAY = 0.5  # boxes from where it was looked for, where a top is no longer the same one
_VIEWS = 4
MOVES = ((0.0, 0.0), (0.07, 0.0), (-0.07, 0.0), (0.0, 0.07), (0.0, -0.07))
"""In dice's boxes, from an enrolled top's middle to where it is looked at: as it lies, then a little beside it.

Seen from elsewhere or burnt out, a top's middle is taken to be a little off, each time elsewhere: with these 8 more of
288 marbled dice photographed by hand are read. Tops squashed or made larger besides brought no more, nor did any of it
under a fixed camera in usable light: there a print that nobody enrolled only came closer to another one."""
_GROWN = 0.3  # log of size by which a top may be another one than thought, for each look
_NOISE = 0.02  # contrast below which a print is taken for noise, as a share of white


@functools.cache
def stretch() -> F32:
    """Grey value to light, if a camera gives less and less for more light: 256 values from 0 to 255."""
    light = -np.log(255 + SHOULDER - np.arange(256, dtype=np.float64))
    return np.asarray((light - light[0]) * 255 / (light[-1] - light[0]), np.float32)


@functools.cache
def stretching() -> F32:
    """Grey value to how much more a step of one grey value is after :func:`stretch`: 256 values."""
    return np.asarray(np.gradient(stretch().astype(np.float64)), np.float32)


@functools.cache
def _middle() -> F32:
    """The weights (PATCH ** 2, sum 1) of a disc as large as a top."""
    at = np.arange(PATCH) - (PATCH - 1) / 2
    disc = (np.hypot(at[:, None], at[None]) < TOP * BOX).astype(np.float32).ravel()
    return np.asarray(disc / disc.sum(), np.float32)


def prepare(patches: U8) -> F32:
    """Patches (n x PATCH x PATCH x 3, BGR) as the network wants them: n x 10 x PATCH x PATCH.

    The picture as it is; the same by the contrast of the top, so that lamp and exposure don't count; the same with
    highlights pulled apart; and where it is burnt out.
    """
    seen = np.ascontiguousarray(patches.transpose(0, 3, 1, 2)).reshape(len(patches), 3, PATCH**2)
    out = np.empty((len(patches), 10, PATCH**2), np.float32)
    np.multiply(seen, np.float32(1 / 255), out=out[:, 3:6])
    np.multiply(out[:, 3:6], np.float32(2), out=out[:, :3])
    out[:, :3] -= np.float32(1)
    np.take(stretch() / np.float32(255), seen, out=out[:, 6:9])
    for planes in (out[:, 3:6], out[:, 6:9]):
        _by_contrast(planes)
    np.greater_equal(seen.min(axis=1), BURNT, out=out[:, 9], casting="unsafe")
    return out.reshape(len(patches), 10, PATCH, PATCH)


def _by_contrast(planes: F32) -> None:
    """Brings patches (n x 3 x PATCH ** 2) about the mean colour of their tops, in units of its contrast."""
    planes -= (planes @ _middle())[..., None]
    contrast = np.sqrt(((planes * planes) @ _middle()).sum(axis=1) / 3)
    planes /= (contrast + _NOISE)[:, None, None]
    np.clip(planes, -4, 4, out=planes)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a top is in a picture.

    Args:
        x: px, its middle, counted from the picture's corner.
        y: the same.
        side: of the die's box, in px.
    """

    x: float
    y: float
    side: float

    def apart(self, other: Spot) -> float:
        """How far another spot is, in this one's sides."""
        return math.hypot(other.x - self.x, other.y - self.y) / self.side

    def moved(self, x: float, y: float) -> Spot:
        """The spot so many of its sides to the right, and down."""
        return Spot(self.x + x * self.side, self.y + y * self.side, self.side)

    def beyond(self, width: int, height: int) -> float:
        """How far the top reaches beyond the edge of a picture, in sides; 0 or less if it is all in view.

        >>> Spot(4.0, 50.0, 20.0).beyond(100, 100)
        0.18
        """
        inside = min(self.x, self.y, width - self.x, height - self.y)
        return TOP - inside / self.side


@dataclass(frozen=True, slots=True)
class Prints:
    """Enrolled prints, as the network sees them.

    Args:
        towards: dice x moves x TURNS x WIDTH, directions of length 1, each die moved a little and turned to all sides.
        owner: dice, the index of each die's face.
    """

    towards: F32
    owner: npt.NDArray[np.intp]

    def alike(self, seen: F32) -> F32:
        """How close tops come to each enrolled die, equally turned: n x dice, 1 at most.

        Args:
            seen: n x views x WIDTH, each top seen from as many sides a full turn apart.
        """
        return np.asarray(np.max([_closest(seen, known) for known in self.towards.swapaxes(0, 1)], axis=0), np.float32)

    def unmoved(self) -> F32:
        """How close each die comes to each, both as they lie: dice x dice."""
        return _closest(self.towards[:, 0, :1], self.towards[:, 0])

    def among_themselves(self) -> F32:
        """How close each die comes to the closest other one of each face: dice x faces; -inf where there is none."""
        close = self.unmoved()
        np.fill_diagonal(close, -np.inf)
        faces = range(int(self.owner.max()) + 1)
        return np.stack([close[:, self.owner == k].max(axis=1) for k in faces], 1)


def _closest(seen: F32, known: F32) -> F32:
    """How close tops (n x views x WIDTH) come to dice (dice x TURNS x WIDTH), equally turned: n x dice."""
    views, turns = seen.shape[1], known.shape[1]
    close = np.einsum("nvw,dtw->vndt", seen, known, optimize=True)
    total = sum(np.roll(part, -v * turns // views, axis=2) for v, part in enumerate(close))
    return np.asarray(np.max(total, axis=2) / views, np.float32)


def enrol_prints(
    tops: Iterable[tuple[U8, Sequence[Spot]]], owner: npt.ArrayLike, moves: Sequence[tuple[float, float]]
) -> Prints:
    """The prints of dice.

    Args:
        tops: pictures (BGR) with the places of tops in them, as :meth:`PrintNet.settle` finds them.
        owner: the index of each top's face.
        moves: from each middle to where a top is looked at, in boxes; first none: MOVES, or only the first of them.
    """
    net = print_net()
    known = [(picture, spots) for picture, spots in tops if spots]
    seen = [
        np.concatenate([net.towards(picture, [spot.moved(*move) for spot in spots], TURNS) for picture, spots in known])
        for move in moves
    ]
    return Prints(np.stack(seen, 1), np.asarray(owner, np.intp))


def look_closer(picture: U8, places: Sequence[Sequence[Spot]], prints: Prints) -> F32:
    """How close tops come to each enrolled die, where each may be in several places: n x dice.

    Each place is first put in the middle of the top that the network sees there, and then looked at from four sides.

    Args:
        picture: BGR h x w x 3.
        places: n x k, as many for each top.
        prints: the enrolled ones.
    """
    net = print_net()
    middles = net.settle(picture, [spot for some in places for spot in some]).middles
    close = prints.alike(net.towards(picture, middles, _VIEWS))
    return np.asarray(close.reshape(len(places), -1, close.shape[1]).max(axis=1), np.float32)


@functools.cache
def print_net() -> PrintNet:
    """The network of this package."""
    return PrintNet()


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at tops shows.

    Args:
        towards: n x WIDTH, directions of length 1.
        readable: n, the logit of the chance that there is a top to be read.
        middles: where the tops' middles are.
    """

    towards: F32
    readable: F32
    middles: list[Spot]


class PrintNet:
    """The network, loaded once.

    Args:
        file: of the network.

    Raises:
        FileNotFoundError: it isn't there.
    """

    def __init__(self, file: Path = MODEL) -> None:
        if not file.is_file():
            raise FileNotFoundError(f"no network at {file}")
        self._net = cv2.dnn.readNetFromONNX(str(file))

    def look(self, picture: U8, spots: Sequence[Spot]) -> Look:
        """One look at each of some places in a picture (BGR h x w x 3)."""
        out = self._run([cut(picture, s) for s in spots])
        middles = [
            Spot(s.x + x * s.side, s.y + y * s.side, s.side * float(np.exp(np.clip(size, -_GROWN, _GROWN))))
            for s, (x, y, size) in zip(spots, out[:, WIDTH + 1 :].tolist(), strict=True)
        ]
        return Look(_unit(out), out[:, WIDTH], middles)

    def settle(self, picture: U8, spots: Sequence[Spot]) -> Look:
        """The last look at each of some places, each moved until a top is in its middle.

        A top that is not found near where it was looked for stays where it was.
        """
        look = self.look(picture, spots)
        towards, readable, middles = look.towards.copy(), look.readable.copy(), list(look.middles)
        moving = [k for k, spot in enumerate(spots) if spot.apart(middles[k]) > _STILL]
        for _ in range(_ROUNDS):
            if not moving:
                break
            look = self.look(picture, [middles[k] for k in moving])
            towards[moving], readable[moving] = look.towards, look.readable
            steps = [middles[k].apart(spot) for k, spot in zip(moving, look.middles, strict=True)]
            for k, spot in zip(moving, look.middles, strict=True):
                middles[k] = spot
            moving = [k for k, step in zip(moving, steps, strict=True) if step > _STILL]
        stays = [a if a.apart(b) > _ASTRAY else b for a, b in zip(spots, middles, strict=True)]
        return Look(towards, readable, stays)

    def towards(self, picture: U8, spots: Sequence[Spot], views: int) -> F32:
        """The directions of tops, each seen from as many sides: n x views x WIDTH."""
        patches = [cut(picture, s, 360 * v / views) for s in spots for v in range(views)]
        return _unit(self._run(patches)).reshape(len(spots), views, WIDTH)

    def _run(self, patches: Sequence[U8]) -> F32:
        self._net.setInput(prepare(np.stack(patches)))
        return np.asarray(self._net.forward(), np.float32)


def _unit(out: F32) -> F32:
    towards = out[:, :WIDTH]
    return np.asarray(towards / (np.linalg.norm(towards, axis=1, keepdims=True) + 1e-6), np.float32)


def cut(picture: U8, spot: Spot, turn: float = 0.0) -> U8:
    """A patch about a top, turned anticlockwise by degrees; beyond the edge the edge's colours."""
    scale = BOX / spot.side
    m = cv2.getRotationMatrix2D((spot.x - 0.5, spot.y - 0.5), turn, scale)
    m[:, 2] += PATCH / 2 - 0.5 - (np.array((spot.x, spot.y)) - 0.5)
    if scale >= _SMOOTH:
        return np.asarray(cv2.warpAffine(picture, m, (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    twice = m * 2
    twice[:, 2] += 0.5
    big = cv2.warpAffine(picture, twice, (2 * PATCH, 2 * PATCH), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(big, (PATCH, PATCH), interpolation=cv2.INTER_AREA), np.uint8)
