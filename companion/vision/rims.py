"""What is left of a white topping where the print is burnt out: a shadow along its rim, a mark that it hides.

A third witness beside the network and the roughness. From the empty board, the light and the end of the scale follows
what an empty space must look like now; what is brighter or darker than that, even if the print lay a pixel aside, is
added up along the rim, in sectors, and inside. A small network (``training/rims``) weighs it together with the other
two witnesses: on drawn tables that it had not seen, 2,511 of 15,081 spaces in changed light are not read instead of
3,451, and 18 are wrong instead of 37.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.patches import between, polar

Picture = npt.NDArray[np.uint8]
Float = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_BANDS = ((0.36, 0.46), (0.46, 0.54), (0.54, 0.64))  # in topping diameters from the middle
_INSIDE, _RIM, _RING, _OUTSIDE = (0.0, 0.36), (0.4, 0.6), (0.577, 0.712), (0.6, 0.72)
_SECTORS = 12
_END = 248  # of the scale
_TOP = np.float32(math.log(261))  # the logarithm of 255
FULL = np.float32(math.log(254))  # from 249 on a channel tells no brightness
_LEAST_RING = 40
_FLOOR = 0.02
_SURE, _MOST_SURE, _LEAST_SURE = 0.9, 6, 3
_SQUARE = np.ones((3, 3), np.uint8)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """What is known of n spaces without their rims.

    Args:
        beliefs: n x 5, the network's, in the order of ``companion.vision.spaces.CLASSES``.
        rough: n, :func:`companion.vision.roughness.roughness`, NaN: unknown.
        burnt: n, whether the space is white to the end of the scale.
        strange: whether the picture is much unlike the calibration.
        alone: n, False where something foreign lies beside the space.
    """

    beliefs: Float
    rough: npt.NDArray[np.float64]
    burnt: Flags
    strange: bool
    alone: Flags


@dataclass(frozen=True, slots=True)
class RimNet:
    """Two layers: ``tanh((x - mean) / scale @ w0 + b0) @ w1 + b1`` is the logarithm of white's odds against empty."""

    mean: Float
    scale: Float
    weights: tuple[Float, Float]
    biases: tuple[Float, Float]

    def odds(self, x: Float) -> npt.NDArray[np.float64]:
        """Of n :func:`evidence`."""
        hidden = np.tanh(np.clip((x - self.mean) / self.scale, -5, 5) @ self.weights[0] + self.biases[0])
        return np.asarray((hidden @ self.weights[1] + self.biases[1])[:, 0], np.float64)


@functools.cache
def load_rims(path: Path | None = None) -> RimNet:
    """The network of a file; without one, that which ships with the package."""
    shipped = resources.files("companion.vision").joinpath("models/rims.npz")
    with (path or shipped).open("rb") as file:
        data = {name: part.astype(np.float32) for name, part in np.load(file).items()}
    return RimNet(data["mean"], data["scale"], (data["w0"], data["w1"]), (data["b0"], data["b1"]))


def evidence(
    before: Float, now: Picture, log: Float, sticks: Picture | None, known: Witnesses, asked: npt.NDArray[np.intp]
) -> Float:
    """What speaks for a white topping or the empty space, for :meth:`RimNet.odds`.

    The spaces that are empty for certain tell how far the rims of empty spaces are off in this picture: fewer than
    three of them tell nothing.

    Args:
        before: n x size x size x 3, logarithm of the empty board's places.
        now: the same places now, BGR.
        log: their logarithm.
        sticks: n x size x size, non-zero where a stick lies: left out.
        known: the other witnesses.
        asked: m, which spaces are looked at.

    Returns:
        m x features.
    """
    beliefs = known.beliefs
    sure = np.flatnonzero((beliefs[:, 0] > _SURE) & known.alone)
    sure = sure[np.argsort(-beliefs[sure, 0], kind="stable")[:_MOST_SURE]]
    places = np.concatenate([asked, sure])
    uneven, others = _differences(before[places], now[places], log[places], None if sticks is None else sticks[places])
    m = len(asked)
    usual = np.median(uneven[m:], axis=0) if len(sure) >= _LEAST_SURE else np.full(uneven.shape[1], np.nan)
    rough = known.rough[(beliefs[:, 0] > _SURE) & np.isfinite(known.rough)]
    middle = max(float(np.median(rough)), 0.004) if len(rough) >= _LEAST_SURE else math.nan
    rougher = np.log(np.maximum(known.rough[asked] / (2 * middle), 1e-3))
    p = beliefs[asked]
    rest = [
        np.nan_to_num(np.clip(rougher, 0, 1.6)),
        np.nan_to_num(np.clip(rougher, -1, 0)),
        np.isfinite(rougher),
        known.burnt[asked],
        np.full(m, known.strange),
        np.log(p[:, 4] + 1e-3),
        np.full(m, math.log(middle if math.isfinite(middle) else _FLOOR)),
        np.clip(np.log((p[:, 3] + 1e-5) / (p[:, 0] + 1e-5)), -8, 8),
    ]
    return np.column_stack([uneven[:m], others[:m], *rest, np.nan_to_num(uneven[:m] - usual)]).astype(np.float32)


def _differences(before: Float, now: Picture, log: Float, sticks: Picture | None) -> tuple[Float, Float]:
    """How far m places are off an empty space (m x logarithms of differences), and their brightness (m x others)."""
    m, size = now.shape[:2]
    there, here = _planes(before), _planes(log)
    end = _planes(now) >= _END
    clear = np.ones((m, size * size), np.float32)
    if sticks is not None:
        clear -= cv2.dilate((sticks > 0).astype(np.uint8).reshape(-1, size), _SQUARE).reshape(m, -1)
    expected = np.minimum(there + _light(there, here, end, clear)[..., None], _TOP)
    stacked = expected.reshape(-1, size)
    most, least = (change(stacked, _SQUARE).reshape(expected.shape) for change in (cv2.dilate, cv2.erode))
    over = np.maximum(here - most, 0).max(axis=0) * clear
    under = np.maximum(least - here, 0).mean(axis=0) * clear
    off = here - expected
    distance = np.abs(off).mean(axis=0) * clear
    sectors, inside = _sectors(), between(*_INSIDE)
    amount = np.maximum(clear @ sectors, 1)
    seen = clear[:, inside]
    count = np.maximum(seen.sum(axis=1), 1)

    def within(values: npt.NDArray[Any]) -> Float:
        return np.asarray((values * seen).sum(axis=1) / count, np.float32)

    rims = [part for values in (under, over) for part in _along((values @ sectors) / amount)]
    plain = expected[..., inside]
    uneven = [
        *rims,
        within(under[:, inside]),
        within(over[:, inside]),
        distance[:, between(*_RIM)].mean(axis=1),
        distance[:, between(*_OUTSIDE)].mean(axis=1),
        within(distance[:, inside]),
        within(np.abs(plain - np.median(plain, axis=2)[..., None]).mean(axis=0)),
    ]
    burnt = end[..., inside]
    others = [
        *np.clip(_middle(np.where(seen > 0, off[..., inside], np.inf)), -0.6, 0.6),
        within((plain < _TOP - 0.03).mean(axis=0)),
        within(burnt.mean(axis=0)),
        within(np.all(burnt, axis=0)),
        within((there[..., inside] > FULL).mean(axis=0)),
        _middle(np.where(seen > 0, here[..., inside].mean(axis=0), np.inf)),
        seen.mean(axis=1),
    ]
    return np.log(np.column_stack(uneven) + _FLOOR).astype(np.float32), np.column_stack(others).astype(np.float32)


def _planes(patches: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Patches (m x size x size x 3) channel by channel: 3 x m x size size; numpy adds up along that axis far faster."""
    return np.ascontiguousarray(patches.reshape(len(patches), -1, 3).transpose(2, 0, 1))


def _light(there: Float, here: Float, end: Flags, clear: Float) -> Float:
    """The change of light (3 x m) on the ring of print around each place, where it is not at the end of the scale."""
    ring = between(*_RING)
    before = there[..., ring]
    usable = ~end[..., ring] & (clear[:, ring] > 0) & (before < FULL)
    change = np.where(usable, here[..., ring] - before, np.inf)
    everywhere = _middle(change.reshape(3, -1))
    return np.where(usable.sum(axis=2) >= _LEAST_RING, _middle(change), everywhere[:, None])


def _middle(values: Float) -> Float:
    """The median along the last axis of those values that are finite; 0 where none is."""
    ordered = np.sort(values, axis=-1)
    count = np.isfinite(ordered).sum(axis=-1)
    found = np.take_along_axis(ordered, (count // 2)[..., None].clip(max=ordered.shape[-1] - 1), axis=-1)[..., 0]
    return np.asarray(np.where(count > 0, found, 0), np.float32)


def _along(sums: Float) -> list[Float]:
    """Of each band of sectors (m x bands sectors): the mean, the largest of three together, how one-sided it is."""
    parts: list[Float] = []
    turn = np.exp(2j * np.pi * np.arange(_SECTORS) / _SECTORS).astype(np.complex64)
    for start in range(0, sums.shape[1], _SECTORS):
        band = sums[:, start : start + _SECTORS]
        three = (band + np.roll(band, 1, axis=1) + np.roll(band, -1, axis=1)) / 3
        parts += [band.mean(axis=1), three.max(axis=1), np.abs(band @ turn) / _SECTORS]
    return parts


@functools.cache
def _sectors() -> Float:
    """Which place of a flattened patch is in which sector of which band: places x (bands sectors)."""
    r, angle = polar()
    sector = np.floor((angle + np.pi) / (2 * np.pi) * _SECTORS).astype(int) % _SECTORS
    masks = [(r >= low) & (r < high) & (sector == k) for low, high in _BANDS for k in range(_SECTORS)]
    return np.stack(masks, axis=1).astype(np.float32)
