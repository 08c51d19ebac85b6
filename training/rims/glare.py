"""What lamps and cameras make of a whole drawn picture: burnt out places for the most part, and the usual changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Float = npt.NDArray[Any]
Picture = npt.NDArray[np.uint8]
Change = Callable[[Float], Float]

GAMMA = 2.2


def _field(picture: Float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-0.75, 0.75, height))
    return x, y


def spot(rng: np.random.Generator) -> Change:
    """A lamp's mirror image."""
    x0, y0, width, level = (
        rng.uniform(-0.45, 0.45),
        rng.uniform(-0.45, 0.45),
        rng.uniform(0.1, 0.5),
        rng.uniform(60, 260),
    )

    def change(picture: Float) -> Float:
        x, y = _field(picture)
        return picture + level * np.exp(-((x - x0) ** 2 + (y - y0) ** 2) / (2 * width * width))[..., None]

    return change


def stripe(rng: np.random.Generator) -> Change:
    """A tube's."""
    turn, at, width, level = (
        rng.uniform(0, np.pi),
        rng.uniform(-0.4, 0.4),
        rng.uniform(0.04, 0.15),
        rng.uniform(60, 200),
    )

    def change(picture: Float) -> Float:
        x, y = _field(picture)
        across = x * np.cos(turn) + y * np.sin(turn) - at
        return np.asarray(picture + level * np.exp(-((across / width) ** 2))[..., None])

    return change


def ring(rng: np.random.Generator) -> Change:
    """A ring of lamps'."""
    x0, y0, radius = rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), rng.uniform(0.15, 0.4)
    width, level = rng.uniform(0.02, 0.05), rng.uniform(60, 160)

    def change(picture: Float) -> Float:
        x, y = _field(picture)
        return picture + level * np.exp(-(((np.hypot(x - x0, y - y0) - radius) / width) ** 2))[..., None]

    return change


def _with_light(picture: Float, light: npt.NDArray[np.float64]) -> Float:
    """The picture with light added to it, in shares of what burns out: not in steps of the tone curve."""
    level = (np.maximum(picture, 0) / 255.0) ** GAMMA
    return np.asarray(255 * (level + light) ** (1 / GAMMA))


def window(rng: np.random.Generator) -> Change:
    """A window's, with edges."""
    x0, y0, turn = rng.uniform(-0.5, 0.5), rng.uniform(-0.4, 0.4), rng.uniform(0, np.pi)
    wide, high, edge, level = (
        rng.uniform(0.08, 0.4),
        rng.uniform(0.08, 0.4),
        rng.uniform(0.01, 0.1),
        rng.uniform(0.05, 1),
    )

    def change(picture: Float) -> Float:
        x, y = _field(picture)
        along = np.abs((x - x0) * np.cos(turn) + (y - y0) * np.sin(turn))
        across = np.abs((y - y0) * np.cos(turn) - (x - x0) * np.sin(turn))
        inside = 1 / (1 + np.exp((along - wide) / edge)) / (1 + np.exp((across - high) / edge))
        return _with_light(picture, (level * inside)[..., None])

    return change


def veiled(rng: np.random.Generator) -> Change:
    """Light scattered by the lens, or mirrored everywhere: it takes the contrast."""
    level = rng.uniform(0.02, 0.3) * np.exp(rng.normal(0, 0.1, 3))
    return lambda picture: _with_light(picture, level)


def sunlit(rng: np.random.Generator) -> Change:
    """Sun on a part of the table, the exposure somewhere between."""
    turn, at, edge = rng.uniform(0, 2 * np.pi), rng.uniform(-0.3, 0.3), rng.uniform(0.01, 0.2)
    times, exposure = rng.uniform(1.2, 2.2), rng.uniform(0.3, 0.8)

    def change(picture: Float) -> Float:
        x, y = _field(picture)
        share = 1 / (1 + np.exp(-(x * np.cos(turn) + y * np.sin(turn) - at) / edge))
        return np.asarray(picture * (1 + (times - 1) * share)[..., None] * times**-exposure)

    return change


def longer(rng: np.random.Generator) -> Change:
    """A longer exposure in a lamp of nearly the same colour."""
    exposure = rng.uniform(-0.1, 1.0)
    cast = rng.normal(0, 0.12)
    gain = np.exp(exposure + np.array([-cast, rng.normal(0, 0.04), cast]))
    return lambda picture: picture * gain


def coloured(rng: np.random.Generator) -> Change:
    """A lamp of another colour."""
    cast = rng.choice([-1, 1]) * rng.uniform(0.1, 0.45)
    gain = np.array([-cast, rng.normal(0, 0.05), cast * rng.uniform(0.4, 1)]) + rng.uniform(-0.1, 0.25)
    return lambda picture: picture * np.exp(gain)


def curved(rng: np.random.Generator) -> Change:
    """Another tone curve."""
    gamma = rng.uniform(0.5, 1.8)
    return lambda picture: 255 * (np.clip(picture, 0, 255) / 255.0) ** gamma


def dim(rng: np.random.Generator) -> Change:
    """Less light."""
    gain = rng.uniform(0.2, 0.8)
    return lambda picture: picture * gain


def vignetted(rng: np.random.Generator) -> Change:
    """Dark corners."""
    depth = rng.uniform(0.1, 0.4)

    def change(picture: Float) -> Float:
        x, y = _field(picture)
        return picture * (1 - depth * (x * x + y * y))[..., None]

    return change


def blurred(rng: np.random.Generator) -> Change:
    """Out of focus."""
    width = rng.uniform(0.6, 2.2)
    return lambda picture: cv2.GaussianBlur(np.clip(picture, 0, 255).astype(np.float32), (0, 0), width)


def grainy(rng: np.random.Generator) -> Change:
    """More noise."""
    level, seed = rng.uniform(4, 22), int(rng.integers(1 << 30))
    return lambda picture: picture + np.random.default_rng(seed).normal(0, level, picture.shape)


def soft(rng: np.random.Generator) -> Change:
    """A camera that presses highlights together."""
    knee = rng.uniform(0.6, 0.9)

    def change(picture: Float) -> Float:
        level = np.maximum(picture, 0) / 255.0
        return 255 * np.where(level < knee, level, knee + (1 - knee) * (1 - np.exp(-(level - knee) / (1 - knee))))

    return change


BURNING = (spot, stripe, ring, window, sunlit, longer, longer, longer)
ANY = (
    *BURNING,
    *BURNING,
    veiled,
    veiled,
    veiled,
    coloured,
    coloured,
    coloured,
    curved,
    curved,
    dim,
    vignetted,
    blurred,
    grainy,
)


def one_of(some: Sequence[Callable[[np.random.Generator], Change]], rng: np.random.Generator) -> Change:
    """A change by chance."""
    return some[int(rng.integers(len(some)))](rng)


def shot(picture: Picture, changes: Sequence[Change], rng: np.random.Generator) -> Picture:
    """The picture (BGR) as the camera stores it, mostly as JPEG."""
    seen = picture.astype(np.float32)
    for change in changes:
        seen = change(seen)
    out = np.clip(seen, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        code = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(75, 96))])[1]
        out = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return out
