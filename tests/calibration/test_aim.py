"""Guards the hints of aiming: each fault of a drawn picture is named, and a good picture has none."""

from __future__ import annotations

import functools

import cv2
import numpy as np
import pytest

from calibration.aim import blur_px, look_at
from calibration.geometry import Picture
from companion.layout import load_layout
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Scene

HEX37 = load_layout("hex37")


@functools.cache
def drawn() -> tuple[Renderer, Picture]:
    renderer = Renderer(1, HEX37, (1280, 960))
    return renderer, renderer.draw(Scene(), 0)


def test_a_good_picture_has_no_hint_and_its_rim_is_the_boards() -> None:
    renderer, picture = drawn()
    aim = look_at(picture, HEX37)
    assert aim.hint is None and aim.plane is not None
    angles = np.linspace(0, 2 * np.pi, len(aim.rim), endpoint=False)
    radius = HEX37.board_diameter_mm / 2
    true = renderer.camera.project([(radius * np.cos(a), radius * np.sin(a), BOARD_MM) for a in angles])
    rim = aim.rim * (1280, 960)  # the lattice may be taken for turned by some sixths: any point of the rim serves
    assert np.hypot(*(true[:, None] - rim[None]).transpose(2, 0, 1)).min(axis=1).max() < 10


def blurred(picture: Picture) -> Picture:
    return cv2.GaussianBlur(picture, (0, 0), 4)


def dark(picture: Picture) -> Picture:
    return (picture * 0.2).astype(np.uint8)


def glare(picture: Picture) -> Picture:
    lit = picture.astype(np.float32)
    y, x = np.mgrid[:960, :1280]
    lit += 300 * np.exp(-((x - 640) ** 2 + (y - 560) ** 2) / 8000)[..., None]
    return np.clip(lit, 0, 255).astype(np.uint8)


def small(picture: Picture) -> Picture:
    table = np.full_like(picture, picture[5, 5])
    table[200:680, 300:940] = cv2.resize(picture, (640, 480), interpolation=cv2.INTER_AREA)
    return table


@pytest.mark.parametrize("fault", [blurred, dark, glare, small])
def test_each_fault_is_named(fault: object) -> None:
    assert callable(fault)
    _, picture = drawn()
    assert look_at(fault(picture), HEX37).hint == fault.__name__


def test_a_board_cut_by_the_pictures_edge_is_named() -> None:
    _, picture = drawn()
    left = int(look_at(picture, HEX37).rim[:, 0].min() * 1280) + 12
    assert look_at(np.ascontiguousarray(picture[:, left:]), HEX37).hint == "outside"


def test_without_a_board_there_is_nothing() -> None:
    rng = np.random.default_rng(1)
    noise = cv2.resize(rng.integers(60, 200, (96, 128, 3), np.uint8), (1280, 960))
    aim = look_at(noise, HEX37)
    assert aim.plane is None and aim.hint in ("nothing", "blurred") and len(aim.rim) == 0
    assert look_at(np.zeros((480, 640, 3), np.uint8), HEX37).hint == "dark"


@pytest.mark.parametrize("contrast", [30, 200])
@pytest.mark.parametrize("noise", [0, 4])
@pytest.mark.parametrize("sigma", [1.5, 2.0, 3.0])
def test_the_blur_is_measured_whatever_contrast_and_noise(contrast: int, noise: int, sigma: float) -> None:
    rng = np.random.default_rng(3)
    bars = 40 + np.repeat(rng.integers(0, 2, 24) * contrast, 20)[None].repeat(240, axis=0).astype(np.float32)
    seen = cv2.GaussianBlur(bars, (0, 0), sigma) + rng.normal(0, noise if contrast > 100 else noise / 4, bars.shape)
    assert blur_px(np.clip(seen, 0, 255).astype(np.uint8)) == pytest.approx(sigma, abs=0.35)
