"""What lies on each space: empty, a colour, or hidden.

Each space is a small square of the rectified picture, laid beside the same square of the empty board at calibration.
A small convolutional network (four layers, plain numpy) looks at both and at their ratio, freed from the light by the
ring of print around the space. It learned from drawings alone (``training/spaces``): prints, toppings, lamps,
cameras, hands of every kind, so that it owes nothing to one table.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from companion.vision import rims
from companion.vision.light import logarithm
from companion.vision.patches import PATCH_PX as PATCH_PX
from companion.vision.patches import TOPPING_PX as TOPPING_PX
from companion.vision.patches import between, burnt_shares, full_share
from companion.vision.patches import cut_patches as cut_patches
from companion.vision.roughness import Smooth, roughness

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]

CLASSES = ("empty", "red", "green", "white", "hidden")
_EMPTY, _WHITE, _HIDDEN = (CLASSES.index(name) for name in ("empty", "white", "hidden"))
CERTAIN = 0.85
CERTAIN_BESIDE = 0.9
"""Below this confidence a space is None; the second holds beside a hand or another foreign thing."""

_BURNT_SHARE, _ROOM_SHARE = 0.7, 0.1
"""Where so much of a space is white to the end of the scale, a white topping and the pale print are nearly the same."""

CERTAIN_ASKED, CERTAIN_BURNT, CERTAIN_FADED = 0.95, 0.975, 0.99
"""How sure empty must be against white, or white against empty, where the rim was asked or the picture is
:func:`unlike` the calibration, where a space is :func:`burnt_out`, and where it was so at calibration only.
"""
_TOGETHER = 4.0
"""Of the logarithms of the odds by rim and by network and roughness: that suffices, too, where the light is good."""
_WAS_FULL, _IS_FULL = 0.6, 0.2
_DOUBTFUL, _EITHER = 0.95, 0.02
_CAST, _BLURRED = 0.35, 0.5
_LEAST_CLEAR = 100  # places of the rings

_SECOND_LOOK = 0.95
_AT_ONCE = 12
_LEAST_ROUGH = 0.004
_MOST_ROUGHER, _MOST_SMOOTHER = 1.6, 1.0  # of the logarithm
_LEAST_RING = 30
_LEVEL = np.arange(256, dtype=np.float32) / 255 - np.float32(0.5)
_RING = (0.577, 0.712)  # print around the space, in topping diameters from its middle


@dataclass(frozen=True, slots=True)
class SpaceReading:
    """One space: "empty", a colour or None (hidden or unsure), how sure that is (0 to 1), and the likeliest class."""

    state: str | None
    confidence: float
    likeliest: str = "hidden"


@dataclass(frozen=True, slots=True)
class Empty:
    """The spaces of the empty board at calibration, prepared for comparing.

    Args:
        levels: n PATCH_PX x PATCH_PX x 3, what the network sees of them.
        log: the same places' logarithms.
        room: n, whether two channels of the space were below the end of the scale.
        full: n, which share of the space's values was at the end of the scale.
        sharp: how strongly neighbouring px differ.
        smooth: for :func:`companion.vision.roughness.roughness`.
        first: what the network's first layer makes of ``levels``; None: not prepared.
    """

    levels: Float
    log: Float
    room: npt.NDArray[np.bool_]
    full: Float
    sharp: float
    smooth: Smooth
    first: Float | None = None

    @classmethod
    def of(cls, patches: Picture, net: SpaceNet | None = None) -> Empty:
        """Prepare n x PATCH_PX x PATCH_PX x 3 (BGR) patches of the calibration picture, for a network if given."""
        flat = patches.reshape(-1, PATCH_PX, 3)
        log = logarithm(flat)
        room = burnt_shares(patches)[1] < _ROOM_SHARE
        smooth = Smooth.of(log.reshape(-1, PATCH_PX, PATCH_PX, 3), TOPPING_PX)
        levels = np.asarray(cv2.LUT(flat, _LEVEL), np.float32)
        first = None if net is None else net.first(levels.reshape(-1, PATCH_PX, PATCH_PX, 3))
        return cls(levels, log, room, full_share(patches), _sharpness(log), smooth, first)


def _faded(before: Empty, now: Picture) -> npt.NDArray[np.bool_]:
    """Which spaces were at the end of the scale at calibration and are not now: how pale the print is was not seen."""
    return np.asarray((before.full > _WAS_FULL) & (full_share(now) < _IS_FULL))


def burnt_out(before: Empty, now: Picture) -> npt.NDArray[np.bool_]:
    """Which spaces are so bright now that the pale print is hard to tell from a white topping.

    All channels are at the end of the scale; or two are, where the calibration had room: the exposure went up.

    Args:
        before: the empty board.
        now: n x PATCH_PX x PATCH_PX x 3, BGR, the same places now.
    """
    all_channels, two_channels = burnt_shares(now)
    return np.asarray((all_channels > _BURNT_SHARE) | ((two_channels > _BURNT_SHARE) & before.room))


def unlike(before: Empty, log: Float) -> bool:
    """Whether a picture is so much more blurred, or in a lamp of so different a colour, that white is hard to tell.

    On 54 rendered pictures the light's colours changed by 0.17 of the logarithm at most against each other, and the
    sharpness to 0.75 of the calibration's at least; a strong warm lamp has 0.64, a blur of 3 px 0.42.

    Args:
        before: the empty board.
        log: (n PATCH_PX) x PATCH_PX x 3, logarithm of the same places now.
    """
    around = between(*_RING)[::4]
    there, here = (np.take(part.reshape(-1, PATCH_PX * PATCH_PX, 3), around, axis=1) for part in (before.log, log))
    clear = (np.maximum(there, here) < rims.FULL).all(axis=2)  # at the end of the scale a lamp's colour doesn't show
    change = (here - there)[clear if clear.sum() >= _LEAST_CLEAR else np.ones_like(clear)]
    light = [float(np.median(change[:, k])) for k in range(3)]
    return max(light) - min(light) > _CAST or _sharpness(log) < _BLURRED * before.sharp


def _sharpness(log: Float) -> float:
    return float(cv2.meanStdDev(cv2.Laplacian(log, cv2.CV_32F).reshape(-1, 1))[1].item())


def features(before: Empty, now: Picture, sticks: Picture | None = None) -> Float:
    """What the network sees: n x PATCH_PX x PATCH_PX x 9, :func:`changes` with the empty board's levels in between."""
    log = logarithm(now.reshape(-1, PATCH_PX, 3))
    return _with_levels(changes(before, now, log, sticks), before.levels.reshape(-1, PATCH_PX, PATCH_PX, 3))


def _with_levels(changed: Float, levels: Float) -> Float:
    return np.concatenate([changed[..., :3], levels, changed[..., 3:]], axis=3)


def changes(before: Empty, now: Picture, log: Float, sticks: Picture | None = None) -> Float:
    """What the network sees anew in each picture.

    Args:
        before: the empty board.
        now: n x PATCH_PX x PATCH_PX x 3, BGR, the same places now.
        log: (n PATCH_PX) x PATCH_PX x 3, their logarithm.
        sticks: n x PATCH_PX x PATCH_PX, non-zero where a stick lies: no print to tell the light from.

    Returns:
        n x PATCH_PX x PATCH_PX x 6: now (about -0.5 to 0.5), and the logarithm of the ratio to before less its
        median on the ring around the space, channel by channel: on an unchanged place it is 0 under any light.
    """
    n = len(now)
    flat = now.reshape(-1, PATCH_PX, 3)
    ratio = log - before.log
    places = between(*_RING)
    ring = np.take(ratio.reshape(n, -1, 3), places, axis=1)
    if sticks is not None:
        covered = np.take(sticks.reshape(n, -1), places, axis=1) > 0
        crossed = covered.any(axis=1) & (len(places) - covered.sum(axis=1) >= _LEAST_RING)
        ring[crossed[:, None] & covered] = np.inf
    ordered = np.sort(np.ascontiguousarray(ring.transpose(0, 2, 1)), axis=2)  # np.median takes six times as long
    middle = np.isfinite(ordered[:, 0]).sum(axis=1) // 2
    light = ordered[np.arange(n), :, middle]
    of_place = ratio.reshape(n, -1)
    of_place -= np.tile(light, PATCH_PX * PATCH_PX)
    np.clip(ratio, -2, 2, out=ratio)
    merged = cv2.merge([cv2.LUT(flat, _LEVEL), ratio])
    return np.asarray(merged.reshape(n, PATCH_PX, PATCH_PX, 6), np.float32)


def columns(x: Float) -> Float:
    """3 x 3 neighbourhoods at every second place (padding 1): n x h x w x c to (n h/2 w/2) x 9c."""
    n, h, w, c = x.shape
    padded = np.zeros((n, h + 2, w + 2, c), np.float32)
    padded[:, 1:-1, 1:-1] = x
    oh, ow = (h + 1) // 2, (w + 1) // 2
    out = np.empty((n, oh, ow, 3, 3 * c), np.float32)
    steps = padded.strides
    for dy in range(3):  # three neighbours in a row lie side by side in memory: three times faster than one by one
        rows = padded[:, dy : dy + 2 * oh - 1 : 2]
        out[:, :, :, dy] = as_strided(rows, (n, oh, ow, 3 * c), (steps[0], 2 * steps[1], 2 * steps[2], steps[3]))
    return out.reshape(n * oh * ow, 9 * c)


@dataclass(frozen=True, slots=True)
class SpaceNet:
    """Weights and biases of the layers: three 3 x 3 convolutions of stride 2, two full layers."""

    weights: tuple[Float, ...]
    biases: tuple[Float, ...]

    def logits(self, x: Float) -> Float:
        """Scores (n x 5, in the order of ``CLASSES``) of :func:`features`."""
        first = columns(x) @ self.weights[0]
        first += self.biases[0]
        return self._rest(first, len(x))

    def first(self, levels: Float) -> Float:
        """What the first layer makes of the empty board's levels (n x PATCH_PX x PATCH_PX x 3), for all pictures."""
        share = columns(levels) @ self._of_channels(slice(3, 6))
        share += self.biases[0]
        return np.asarray(share, np.float32)

    def logits_prepared(self, changed: Float, first: Float) -> Float:
        """The same scores, of :func:`changes` and :meth:`first`: three quarters of the time.

        A few spaces at once, whose layers stay in the processor's cache: that takes a sixth less.
        """
        weights, first = self._of_channels([0, 1, 2, 6, 7, 8]), first.reshape(len(changed), -1, first.shape[-1])
        scores = []
        for start in range(0, len(changed), _AT_ONCE):
            some = changed[start : start + _AT_ONCE]
            x = columns(some) @ weights
            x += first[start : start + _AT_ONCE].reshape(x.shape)
            scores.append(self._rest(x, len(some)))
        return np.concatenate(scores)

    def _of_channels(self, some: slice | list[int]) -> Float:
        """The first layer's weights of some channels of :func:`features`."""
        weights = self.weights[0]
        return np.ascontiguousarray(weights.reshape(9, -1, weights.shape[1])[:, some].reshape(-1, weights.shape[1]))

    def _rest(self, x: Float, n: int) -> Float:
        """All that comes after the first layer's sums (n h w x c, changed on the way) of n patches."""
        size = (PATCH_PX + 1) // 2
        x = np.maximum(x, 0, out=x).reshape(n, size, size, -1)
        for w, b in zip(self.weights[1:3], self.biases[1:3], strict=True):
            size = (size + 1) // 2
            x = columns(x) @ w
            x += b
            x = np.maximum(x, 0, out=x).reshape(n, size, size, -1)
        hidden = np.maximum(x.reshape(n, -1) @ self.weights[3] + self.biases[3], 0)
        return np.asarray(hidden @ self.weights[4] + self.biases[4], np.float32)


@functools.cache
def load_net(path: Path | None = None) -> SpaceNet:
    """The network of a file; without one, that which ships with the package."""
    shipped = resources.files("companion.vision").joinpath("models/spaces.npz")
    with (path or shipped).open("rb") as file:
        data = np.load(file)
        return SpaceNet(
            tuple(data[f"w{k}"].astype(np.float32) for k in range(5)),
            tuple(data[f"b{k}"].astype(np.float32) for k in range(5)),
        )


def probabilities(net: SpaceNet, before: Empty, now: Picture, log: Float, sticks: Picture | None = None) -> Float:
    """Share of belief (n x 5) of each class for n pairs of patches, as :func:`changes` takes them.

    Where the first look leaves doubt, the pair is looked at in three more views, turned and mirrored, and the scores
    are averaged: on rendered tables that halves the false answers of doubtful spaces, and few are doubtful. (All eight
    views leave as many open.)
    """
    seen, levels = changes(before, now, log, sticks), before.levels.reshape(-1, PATCH_PX, PATCH_PX, 3)
    first = net.first(levels) if before.first is None else before.first
    scores = net.logits_prepared(seen, first).astype(np.float64)
    unsure = np.flatnonzero(_softmax(scores).max(axis=1) < _SECOND_LOOK)
    if len(unsure):
        pairs = _with_levels(seen[unsure], levels[unsure])
        turned = [np.rot90(pairs, k, (1, 2)) for k in (1, 2, 3)]
        views = np.concatenate([turned[0], turned[1][:, :, ::-1], turned[2]])  # one batch: half the time of three
        scores[unsure] = (scores[unsure] + net.logits(views).reshape(3, len(unsure), -1).sum(axis=0)) / 4
    return _softmax(scores)


def _softmax(scores: npt.NDArray[np.float64]) -> Float:
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True), np.float32)


def weighed(chances: Float, rough: npt.NDArray[np.float64]) -> Float:
    """The network's beliefs (n x 5) of one picture, weighed with how rough its spaces are (n, NaN: unknown).

    The spaces that are empty for certain tell how rough an empty space is in this picture's noise; of one that is twice
    as rough nothing follows. The odds of white against empty go with how much rougher a space is than that, up to a
    factor of five, and with the square of how much smoother, down to one of seven: shadows are rough, too, but nothing
    that lies on a space makes it smooth. Fewer than three such spaces tell nothing. (With the first power both
    ways 3,032 of 19,684 spaces were not read on drawn tables in changed light, now 2,706, and 2 are wrong as before.)
    """
    known = (chances[:, _EMPTY] > 0.9) & np.isfinite(rough)
    if known.sum() < 3:
        return chances
    usual = max(float(np.median(rough[known])), _LEAST_ROUGH)
    ratio = np.where(np.isfinite(rough), rough, 2 * usual) / (2 * usual)
    rougher = np.log(np.maximum(ratio, 1e-3))
    factor = np.exp(np.where(rougher > 0, np.minimum(rougher, _MOST_ROUGHER) / 2, np.maximum(rougher, -_MOST_SMOOTHER)))
    out = chances.astype(np.float64)
    out[:, _WHITE] *= factor
    out[:, _EMPTY] /= factor
    return np.asarray(out / out.sum(axis=1, keepdims=True), np.float32)


def read_patches(
    before: Empty,
    now: Picture,
    sticks: Picture | None = None,
    beside: npt.NDArray[np.bool_] | None = None,
) -> list[SpaceReading]:
    """Read n spaces from their patches.

    Args:
        before: the empty board.
        now: n x PATCH_PX x PATCH_PX x 3, BGR, the same places now.
        sticks: n x PATCH_PX x PATCH_PX, non-zero where a stick lies.
        beside: n, where something foreign lies beside the space: more certainty is asked there.
    """
    log = logarithm(now.reshape(-1, PATCH_PX, 3))
    known = witnesses(before, now, log, sticks, beside)
    chances, decided = _with_rims(before, now, log, sticks, known)
    readings = []
    for row, alone, enough in zip(chances, known.alone, decided, strict=True):
        best = int(np.argmax(row))
        confidence = float(row[best])
        certain = best != _HIDDEN and confidence >= (CERTAIN if alone else CERTAIN_BESIDE)
        if best in (_EMPTY, _WHITE):
            certain = certain and bool(enough)
        state, confidence = (CLASSES[best], confidence) if certain else (None, 1 - confidence)
        readings.append(SpaceReading(state, confidence, CLASSES[best]))
    return readings


def witnesses(
    before: Empty, now: Picture, log: Float, sticks: Picture | None, beside: npt.NDArray[np.bool_] | None
) -> rims.Witnesses:
    """What network and roughness tell of n places, and in what light; arguments as of :func:`read_patches`."""
    rough = roughness(before.smooth, log.reshape(now.shape), sticks)
    alone = np.ones(len(now), np.bool_) if beside is None else ~beside
    rough[~alone] = np.nan  # a hand's edge and shadow are rough too
    beliefs = probabilities(load_net(), before, now, log, sticks)
    return rims.Witnesses(beliefs, rough, burnt_out(before, now), unlike(before, log), alone)


def _with_rims(
    before: Empty, now: Picture, log: Float, sticks: Picture | None, known: rims.Witnesses
) -> tuple[Float, npt.NDArray[np.bool_]]:
    """Beliefs (n x 5) after a look at the rims of doubtful spaces; n, whether it is decided between empty and white.

    What the rim makes of network and roughness replaces what these two say of white against empty, unless they were
    surer of the same. A hand's edge and shadow lie along rims, too: beside one, rims are asked only in bad light, and
    where they turn the answer round, none is given.
    """
    chances = weighed(known.beliefs, known.rough)
    either = chances[:, _EMPTY] + chances[:, _WHITE]
    faded = _faded(before, now)
    bad = known.burnt | faded | known.strange
    doubtful = (bad | (known.alone & (chances.max(axis=1) < _DOUBTFUL))) & (either > _EITHER)
    needed = np.where(doubtful | known.strange, CERTAIN_ASKED, 0.0)
    needed = np.where(known.burnt, CERTAIN_BURNT, needed)
    needed = np.where(faded, CERTAIN_FADED, needed)
    white = chances[:, _WHITE] / np.maximum(either, 1e-6)
    asked, together = np.flatnonzero(doubtful), np.zeros(len(now), np.bool_)
    if len(asked):
        shape = now.shape
        seen = rims.evidence(before.log.reshape(shape), now, log.reshape(shape), sticks, known, asked)
        was, odds = white[asked], rims.load_rims().odds(seen)
        is_now = 1 / (1 + np.exp(-odds))
        same = (was > 0.5) == (is_now > 0.5)
        together[asked] = same & ~bad[asked] & (np.abs(odds) + np.abs(_log_odds(was)) >= _TOGETHER)
        white[asked] = np.where(same | known.alone[asked], is_now, 0.5)
        both = chances[asked]
        both[:, _EMPTY], both[:, _WHITE] = either[asked] * (1 - white[asked]), either[asked] * white[asked]
        surer = same & known.alone[asked] & (chances[asked].max(axis=1) > both.max(axis=1))
        chances[asked] = np.where(surer[:, None], chances[asked], both)
    return chances, together | (np.maximum(white, 1 - white) >= needed)


def _log_odds(share: Float) -> Float:
    clipped = np.clip(share, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(clipped / (1 - clipped)), np.float32)
