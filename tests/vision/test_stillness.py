"""Still or not, and since when: light and noise are no movement, a topping is. Guards nothing about hands at rest."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.vision.stillness import Stillness

Picture = npt.NDArray[np.uint8]
STEP_MS = 200


def _table(seed: int = 0, size: tuple[int, int] = (640, 480)) -> npt.NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(40, 200, (24, 32, 3)).astype(np.float32)
    return cv2.resize(coarse, size, interpolation=cv2.INTER_CUBIC)


def _shot(scene: npt.NDArray[np.float32], seed: int, noise: float = 3.0, gain: float = 1.0) -> Picture:
    grain = np.random.default_rng(seed).normal(0, noise, scene.shape)
    return np.clip(scene * gain + grain, 0, 255).astype(np.uint8)


def _watch(pictures: list[Picture]) -> list[int | None]:
    still = Stillness()
    return [still.update(k * STEP_MS, picture).since_ms for k, picture in enumerate(pictures)]


def test_noise_is_still_from_the_first_picture() -> None:
    assert _watch([_shot(_table(), k, noise=8) for k in range(10)]) == [None] + [0] * 9


def test_quiet_counts_from_the_first_picture_of_the_new_scene() -> None:
    before, after = _table(), _table()
    cv2.circle(after, (300, 200), 60, (60, 90, 150), -1)
    pictures = [_shot(before, k) for k in range(3)] + [_shot(after, 10 + k) for k in range(3)]
    assert _watch(pictures) == [None, 0, 0, None, 3 * STEP_MS, 3 * STEP_MS]


def test_a_topping_laid_down_or_pushed_is_movement() -> None:
    """A disk of 26 mm is 50 px wide in a picture of 1280 px: 25 here."""
    empty, laid, pushed = _table(), _table(), _table()
    cv2.circle(laid, (320, 240), 12, (225, 225, 225), -1)
    cv2.circle(pushed, (328, 240), 12, (225, 225, 225), -1)
    told = _watch([_shot(s, k) for k, s in enumerate((empty, empty, laid, laid, pushed, pushed))])
    assert told == [None, 0, None, 2 * STEP_MS, None, 4 * STEP_MS]


def test_a_hand_that_moves_is_never_still() -> None:
    pictures = []
    for k in range(12):
        scene = _table()
        cv2.ellipse(scene, (80 + 40 * k, 240), (60, 120), 20, 0, 360, (120, 150, 200), -1)
        pictures.append(_shot(scene, k))
    assert _watch(pictures) == [None] * 12


def test_a_slow_hand_is_movement_although_two_pictures_hardly_differ() -> None:
    still = Stillness()
    moved = []
    for k in range(30):
        scene = _table()
        cv2.ellipse(scene, (200 + k, 240), (50, 110), 0, 0, 360, (30, 40, 60), -1)
        moved.append(still.update(k * 100, _shot(scene, k, noise=1)).since_ms is None)
    assert sum(moved[8:]) >= 2


@pytest.mark.parametrize("kind", ["exposure", "white balance", "flicker", "sun"])
def test_light_that_changes_smoothly_is_still(kind: str) -> None:
    pictures = []
    across = np.linspace(0, 1, 640, dtype=np.float32)[None, :, None]
    down = np.arange(480, dtype=np.float32)[:, None, None]
    for k in range(14):
        gain: Any = 1.0
        if kind == "exposure":
            gain = 1 + 0.04 * k
        elif kind == "white balance":
            gain = np.array([1 - 0.02 * k, 1, 1 + 0.02 * k], np.float32)
        elif kind == "flicker":
            gain = 1 + 0.06 * np.sin(down / 60 + 1.7 * k)
        else:
            gain = 1 + 0.05 * k * across
        pictures.append(_shot(_table() * 0.55, k, gain=gain))
    assert _watch(pictures) == [None] + [0] * 13


def test_a_lamp_switched_on_costs_one_picture_at_most() -> None:
    dark = _table() * 0.5
    across = np.linspace(0.9, 1.9, 640, dtype=np.float32)[None, :, None]
    told = _watch([_shot(dark, k) for k in range(3)] + [_shot(dark * across, 9 + k) for k in range(3)])
    assert told[:3] == [None, 0, 0]
    assert told[4] is not None
    assert told[5] == told[4]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=8), st.integers(1, 5000))
def test_since_is_the_start_of_the_last_run_of_equal_pictures(scenes: list[int], step: int) -> None:
    shots = [_table(s, (160, 120)).clip(0, 255).astype(np.uint8) for s in range(3)]
    still = Stillness()
    for k, scene in enumerate(scenes):
        told = still.update(k * step, shots[scene]).since_ms
        first = k
        while first and scenes[first - 1] == scene:
            first -= 1
        assert told == (None if first == k else first * step)


@pytest.mark.parametrize("shape", [(480, 640), (480, 640, 3), (960, 1280, 3), (120, 160), (300, 400, 3)])
def test_any_size_grey_or_colour(shape: tuple[int, ...]) -> None:
    still = Stillness()
    for t in (0, 10, 20):
        told = still.update(t, np.full(shape, 77, np.uint8))
    assert told.since_ms == 0
    assert told.moving_share == 0
