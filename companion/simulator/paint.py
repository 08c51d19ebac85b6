"""Paints: noise, wood and cloth, and the surfaces of a table as pictures to be laid under the camera."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Colour = tuple[int, int, int]
Surface = Literal["wood", "cloth", "pattern"]
TABLE_MM = 1500  # a table's picture is this wide and mirrored beyond; one px is one mm


def noise(rng: np.random.Generator, shape: tuple[int, int], cells: tuple[int, int], octaves: int = 4) -> Floats:
    """Smooth noise, about -1 to 1.

    Args:
        rng: the source of chance.
        shape: height and width in px.
        cells: how many bumps fit down and across at the coarsest octave.
        octaves: each next one is twice as fine and half as strong.
    """
    out = np.zeros(shape, np.float32)
    for i in range(octaves):
        h, w = (min(c << i, s) for c, s in zip(cells, shape, strict=True))
        grid = rng.uniform(-1, 1, (max(h, 1), max(w, 1))).astype(np.float32)
        out += cv2.resize(grid, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC) * np.float32(0.5**i)
    return out


def tint(colour: Colour, change: Floats) -> Floats:
    """A picture (h x w x 3) of one BGR colour, made lighter or darker by a share per pixel."""
    return np.asarray(np.asarray(colour, np.float32) * (1 + change[..., None]), np.float32)


def mix(under: Floats, over: Floats | Colour, alpha: Floats) -> Floats:
    """Lay a picture or a colour over another by a share (0 to 1) per pixel."""
    return np.asarray(under + (np.asarray(over, np.float32) - under) * alpha[..., None], np.float32)


def soft_step(x: Floats, edge: float, width: float) -> Floats:
    """0 below the edge, 1 above it, with a ramp of the width."""
    ramp = (x - np.float32(edge)) / np.float32(width) + np.float32(0.5)
    return np.asarray(np.clip(ramp, 0, 1), np.float32)


def table(rng: np.random.Generator, surface: Surface) -> Image:
    """The picture of a table top, square, 1 px a mm.

    Args:
        rng: the source of chance: colour, grain, pattern.
        surface: boards of wood, a plain cloth, or a cloth with checks, stripes or dots.
    """
    n = TABLE_MM
    if surface == "wood":
        return _wood(rng, n)
    weave = np.indices((n, n)).sum(axis=0)
    threads = rng.normal(0, 0.035, (n, n)).astype(np.float32) + np.where(weave % 2 == 0, 0.02, -0.02)
    hue = int(rng.integers(0, 180))
    saturation, value = int(rng.integers(10, 110)), int(rng.integers(70, 225))
    ground = _hsv(hue, saturation, value)
    out = tint(ground, (threads + noise(rng, (n, n), (5, 5), 3) * 0.04).astype(np.float32))
    if surface == "pattern":
        other = _hsv(int(rng.integers(0, 180)), int(rng.integers(20, 130)), int(rng.integers(60, 235)))
        pitch = int(rng.choice([40, 50, 100]))
        y, x = np.indices((n, n)) % pitch
        half = pitch // 2
        kind = str(rng.choice(["checks", "stripes", "dots"]))
        if kind == "checks":
            share = ((x < half).astype(np.float32) + (y < half)) * 0.45
        elif kind == "stripes":
            share = (x < half) * 0.8
        else:
            share = ((x - half) ** 2 + (y - half) ** 2 < (pitch * 0.2) ** 2) * 0.9
        out = mix(out, tint(other, threads), np.asarray(share, np.float32))
    return np.clip(out, 0, 255).astype(np.uint8)


def _wood(rng: np.random.Generator, n: int) -> Image:
    base = [(60, 102, 152), (52, 88, 128), (96, 148, 186), (34, 56, 88), (120, 170, 205)][int(rng.integers(5))]
    out = np.zeros((n, n, 3), np.float32)
    top = 0
    while top < n:
        height = min(int(rng.integers(80, 150)), n - top)
        if n - top - height < 60:
            height = n - top
        grain = noise(rng, (height, n), (max(height // 3, 1), 4), 3) * 0.07 + noise(rng, (height, n), (4, 2), 3) * 0.08
        plank = tint(base, grain + np.float32(rng.uniform(-0.08, 0.08)))
        plank[:2] *= 0.45
        out[top : top + height] = plank
        top += height
    return np.clip(out, 0, 255).astype(np.uint8)


def _hsv(hue: int, saturation: int, value: int) -> Colour:
    b, g, r = cv2.cvtColor(np.uint8([[[hue, saturation, value]]]), cv2.COLOR_HSV2BGR).reshape(3)  # type: ignore[arg-type]
    return int(b), int(g), int(r)
