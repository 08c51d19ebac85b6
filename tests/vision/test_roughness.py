"""Roughness: art on a topping shows in it; light, noise, printed marks and a slightly wrong pose hardly do."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.light import logarithm
from companion.vision.roughness import Smooth, roughness
from companion.vision.spaces import CLASSES, PATCH_PX, TOPPING_PX, weighed

Picture = npt.NDArray[np.uint8]


def _empty(seed: int = 0, mark: bool = False) -> npt.NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    image = np.full((PATCH_PX, PATCH_PX, 3), (150, 190, 215), np.float32)
    image += cv2.GaussianBlur(rng.normal(0, 30, image.shape).astype(np.float32), (0, 0), 6)
    if mark:
        cv2.line(image, (14, 14), (25, 25), (40, 40, 120), 2)
        cv2.line(image, (25, 14), (14, 25), (40, 40, 120), 2)
    return image


def _shot(image: npt.NDArray[np.float32], seed: int = 1) -> Picture:
    grain = np.random.default_rng(seed).normal(0, 1.5, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8)[None]


def _rough(before: Picture, now: Picture) -> float:
    return float(roughness(Smooth.of(logarithm(before), TOPPING_PX), logarithm(now))[0])


def test_light_noise_and_a_mark_seen_half_a_pixel_off_are_smooth() -> None:
    slope = np.linspace(0.7, 1.1, PATCH_PX, dtype=np.float32)[None, :, None]
    off = np.array([[1, 0, 0.5], [0, 1, 0.3]], np.float32)
    moved = cv2.warpAffine(_empty(mark=True), off, (PATCH_PX, PATCH_PX), borderMode=cv2.BORDER_REPLICATE)
    assert _rough(_shot(_empty(mark=True)), _shot(moved * slope, 2)) < 0.02


@pytest.mark.parametrize("depth", [6.0, 12.0, 25.0])
def test_art_is_rough(depth: float) -> None:
    """Circles on a disk of the print's own colour, three to ten percent darker: hardly seen by the eye."""
    art = _empty()
    for x, y in ((14, 15), (25, 16), (19, 25)):
        cv2.circle(art, (x, y), 4, tuple(float(v) for v in art[y, x] - depth), -1)
    smooth, rough = (_rough(_shot(_empty()), _shot(scene, 3)) for scene in (_empty(), art))
    assert rough > 1.7 * smooth


def test_too_many_marks_are_not_judged() -> None:
    busy = np.random.default_rng(0).integers(0, 255, (1, PATCH_PX, PATCH_PX, 3)).astype(np.uint8)
    assert np.isnan(_rough(busy, busy))


def _beliefs(empty: float, count: int) -> npt.NDArray[np.float32]:
    rows = np.full((count, len(CLASSES)), 0.001, np.float32)
    rows[:, 0], rows[:, 3] = empty, 1 - empty - 0.003
    return rows


def test_rough_spaces_become_less_empty_only_against_known_empty_ones() -> None:
    beliefs = np.concatenate([_beliefs(0.99, 5), _beliefs(0.9, 3)])
    rough = np.array([0.01] * 5 + [0.01, 0.08, np.nan])
    after = weighed(beliefs, rough)
    assert np.allclose(after.sum(axis=1), 1, atol=1e-5)
    assert after[5, 0] > beliefs[5, 0]
    assert after[6, 0] < 0.7
    assert after[7, 0] == pytest.approx(beliefs[7, 0], abs=1e-6)
    assert np.array_equal(weighed(beliefs[4:], rough[4:]), beliefs[4:])


def test_a_smooth_space_is_rather_empty_than_white() -> None:
    beliefs = np.concatenate([_beliefs(0.99, 5), _beliefs(0.5, 2)])
    after = weighed(beliefs, np.array([0.01] * 5 + [0.006, 0.02]))
    assert after[5, 0] > 0.85
    assert after[6, 0] == pytest.approx(beliefs[6, 0], abs=1e-6)
