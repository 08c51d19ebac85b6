"""Guards the look at the rims of spaces that the light burns out."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.light import logarithm
from companion.vision.patches import PATCH_PX, between, polar
from companion.vision.rims import RimNet, Witnesses, evidence, load_rims

RINGED = 8  # pale spaces, and print around them


def board() -> np.ndarray:
    """Pale discs in tan print."""
    patches = np.full((RINGED, PATCH_PX, PATCH_PX, 3), (90, 150, 180), np.uint8)
    patches.reshape(RINGED, -1, 3)[:, between(0, 0.5)] = (170, 200, 210)
    return patches


def witnesses() -> Witnesses:
    """All that is known is that the first four are empty."""
    beliefs = np.full((RINGED, 5), 0.2, np.float32)
    beliefs[:4] = (0.96, 0.01, 0.01, 0.01, 0.01)
    flags = np.zeros(RINGED, np.bool_)
    return Witnesses(beliefs, np.full(RINGED, np.nan), flags, False, ~flags)


def seen(before: np.ndarray, now: np.ndarray, sticks: np.ndarray | None = None) -> np.ndarray:
    logs = [logarithm(p.reshape(-1, PATCH_PX, 3)).reshape(p.shape) for p in (before, now)]
    return evidence(logs[0], now, logs[1], sticks, witnesses(), np.arange(4, RINGED))


def longer(picture: np.ndarray, times: float) -> np.ndarray:
    return np.clip(picture * times, 0, 255).astype(np.uint8)


def shadowed(picture: np.ndarray, place: int) -> np.ndarray:
    """A topping's shadow along a third of the rim of one space."""
    r, angle = polar()
    out = picture.copy()
    flat = out.reshape(RINGED, -1, 3)
    flat[place, (r > 0.5) & (r < 0.6) & (np.abs(angle) < 1)] //= 3
    return out


def test_an_empty_space_is_as_expected_however_bright() -> None:
    """What is at the end of the scale is expected there: nothing along the rim differs, nor from other empty spaces."""
    before = board()
    bright, shaded = seen(before, longer(before, 1.35)), seen(before, shadowed(longer(before, 1.35), 5))
    rims = slice(0, 18)  # logarithms of differences and a fiftieth
    assert np.exp(bright[:, rims]).max() < 0.02 + 0.015
    assert np.exp(shaded[1, rims]).max() > 0.02 + 0.15
    assert np.abs(bright[:, -24:]).max() < 0.01


def test_a_shadow_along_the_rim_speaks_for_a_topping() -> None:
    before = board()
    now = shadowed(longer(before, 1.35), 5)
    odds = load_rims().odds(seen(before, now))
    assert odds[1] > odds[[0, 2, 3]].max() + 1


def test_a_stick_is_left_out() -> None:
    before = board()
    now = shadowed(longer(before, 1.35), 5)
    sticks = np.zeros(now.shape[:3], np.uint8)
    sticks[5, :, 26:] = 255
    without, with_stick = seen(before, now), seen(before, now, sticks)
    assert with_stick[1, 6:9].max() < without[1, 6:9].max() - 1
    assert np.allclose(without[[0, 2, 3]], with_stick[[0, 2, 3]], atol=1e-5)


def test_the_network_is_two_layers() -> None:
    net = RimNet(
        np.array([1.0, 0.0], np.float32),
        np.array([2.0, 1.0], np.float32),
        (np.eye(2, dtype=np.float32), np.array([[1.0], [-1.0]], np.float32)),
        (np.zeros(2, np.float32), np.array([0.5], np.float32)),
    )
    odds = net.odds(np.array([[3.0, 0.0], [1.0, 1e6]], np.float32))
    assert odds == pytest.approx([0.5 + np.tanh(1), 0.5 - np.tanh(5)], abs=1e-6)
