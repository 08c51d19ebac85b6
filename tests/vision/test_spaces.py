"""Spaces from their patches: what the network may and may not say. Real cardboard is guarded by no test here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.light import logarithm
from companion.vision.spaces import (
    CERTAIN,
    CLASSES,
    PATCH_PX,
    Empty,
    columns,
    cut_patches,
    features,
    load_net,
    read_patches,
    unlike,
)

Picture = npt.NDArray[np.uint8]
DRAWN, DAZZLED = 300, 160
UNSEEN_SEED = 9_000_001  # training counts up from a hundred


@pytest.fixture(scope="module")
def patches() -> Any:
    """The module that draws what the network learns from."""
    path = Path(__file__).resolve().parents[2] / "training" / "spaces" / "patches.py"
    spec = importlib.util.spec_from_file_location("drawn_patches", path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules["drawn_patches"] = module  # dataclasses look their module up
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path.parent)  # for the modules beside it
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def drawn(patches: Any) -> tuple[Picture, Picture, npt.NDArray[np.int64]]:
    drawn: tuple[Picture, Picture, npt.NDArray[np.int64]] = patches.draw_many(UNSEEN_SEED, DRAWN)
    return drawn


def test_drawn_places_of_unseen_tables(drawn: tuple[Picture, Picture, npt.NDArray[np.int64]]) -> None:
    """The drawings are harder than tables: any print, lamps of any colour, glare, half covered places."""
    before, now, labels = drawn
    told = read_patches(Empty.of(before), now)
    truth = [CLASSES[k] for k in labels]
    seen = [(r, t) for r, t in zip(told, truth, strict=True) if t != "hidden"]
    assert sum(r.state == t for r, t in seen) > 0.75 * len(seen)
    assert sum(r.state not in (None, t) for r, t in zip(told, truth, strict=True)) <= 2


def test_places_in_dazzling_light_are_read_or_left_open(patches: Any) -> None:
    """Lamps mirrored in the print, exposures too long: many places can't be told by anyone."""
    before, now, labels = patches.draw_many(UNSEEN_SEED, DAZZLED, dazzled=3)
    told = read_patches(Empty.of(before), now)
    truth = [CLASSES[k] for k in labels]
    seen = [(r, t) for r, t in zip(told, truth, strict=True) if t != "hidden"]
    assert sum(r.state == t for r, t in seen) > 0.65 * len(seen)
    assert sum(r.state not in (None, t) for r, t in seen) <= 1


def test_hidden_places_are_not_called_empty(drawn: tuple[Picture, Picture, npt.NDArray[np.int64]]) -> None:
    before, now, labels = drawn
    hidden = labels == CLASSES.index("hidden")
    told = read_patches(Empty.of(before[hidden]), now[hidden])
    assert len(told) >= 8
    assert not [r for r in told if r.state is not None]


def test_confidence_is_high_only_where_a_state_is_given(drawn: tuple[Picture, Picture, npt.NDArray[np.int64]]) -> None:
    for reading in read_patches(Empty.of(drawn[0]), drawn[1]):
        assert 0 <= reading.confidence <= 1
        if reading.state is not None:
            assert reading.confidence >= CERTAIN


@pytest.mark.parametrize("cover", [(90, 130, 190), (30, 30, 35), (240, 240, 245), (40, 160, 60)])
def test_a_place_under_a_plain_cover_is_not_read(
    drawn: tuple[Picture, Picture, npt.NDArray[np.int64]], cover: tuple[int, int, int]
) -> None:
    """A sleeve, a phone, a sheet over the whole patch; a sheet may be white and is no topping."""
    before = drawn[0][:60]
    now = np.broadcast_to(np.array(cover, np.uint8), before.shape).copy()
    assert sum(r.state is not None for r in read_patches(Empty.of(before), now)) <= 3


def test_a_blown_out_place_is_not_read() -> None:
    white = np.full((5, PATCH_PX, PATCH_PX, 3), 255, np.uint8)
    assert all(r.state is None for r in read_patches(Empty.of(white), white))


def test_a_blurred_picture_or_a_very_warm_lamp_asks_for_more_certainty() -> None:
    """White and the pale print were taken for each other there, and only there."""
    rng = np.random.default_rng(5)
    board = rng.integers(60, 160, (9, PATCH_PX, PATCH_PX, 3)).astype(np.uint8)
    empty = Empty.of(board)

    def strange(now: Picture) -> bool:
        return unlike(empty, logarithm(now.reshape(-1, PATCH_PX, 3)))

    assert not strange((board * 0.5).astype(np.uint8))
    assert not strange(np.clip(board * np.array([0.95, 1.0, 1.08]), 0, 255).astype(np.uint8))
    assert strange((board * np.array([0.55, 0.9, 1.15])).astype(np.uint8))
    assert strange(np.stack([cv2.GaussianBlur(patch, (0, 0), 3.0) for patch in board]))


def test_a_lamp_s_colour_is_told_although_the_print_is_burnt_out_by_it() -> None:
    """With red at the end of the scale a warm lamp seemed nearly white, and 21 white toppings of 54 pictures empty."""
    board = np.random.default_rng(5).integers(150, 250, (9, PATCH_PX, PATCH_PX, 3)).astype(np.uint8)
    empty = Empty.of(board)

    def strange(gain: list[float]) -> bool:
        now = np.clip(board * np.array(gain), 0, 255).astype(np.uint8)
        return unlike(empty, logarithm(now.reshape(-1, PATCH_PX, 3)))

    assert strange([0.95, 1.0, 1.5])
    assert not strange([1.2, 1.2, 1.2])


def test_features_do_not_see_a_change_of_light() -> None:
    rng = np.random.default_rng(0)
    before = rng.integers(60, 120, (3, PATCH_PX, PATCH_PX, 3)).astype(np.uint8)
    now = np.clip(before * np.array([1.6, 1.9, 2.1]), 0, 255).astype(np.uint8)
    assert np.abs(features(Empty.of(before), now)[..., 6:]).max() < 0.08


def test_columns_are_neighbourhoods() -> None:
    x = np.arange(2 * 4 * 4 * 2, dtype=np.float32).reshape(2, 4, 4, 2)
    got = columns(x).reshape(2, 2, 2, 3, 3, 2)
    assert np.array_equal(got[0, 1, 1], x[0, 1:4, 1:4])
    assert (got[0, 0, 0, 0] == 0).all()
    assert np.array_equal(got[1, 0, 0, 1:, 1:], x[1, :2, :2])


def test_patches_are_cut_around_their_centres() -> None:
    picture = np.zeros((200, 200, 3), np.uint8)
    picture[99:101, 49:51] = 255
    (patch,) = cut_patches(picture, np.array([[49.5, 99.5]]))
    assert patch.shape == (PATCH_PX, PATCH_PX, 3)
    assert [int(v) for v in np.argwhere(patch[..., 0] == 255).mean(axis=0)] == [19, 19]
    edge = cut_patches(picture, np.array([[0.0, 0.0], [300.0, 300.0]]))
    assert edge.shape == (2, PATCH_PX, PATCH_PX, 3)


def test_the_network_is_small() -> None:
    net = load_net()
    path = Path(__file__).resolve().parents[2] / "companion" / "vision" / "models" / "spaces.npz"
    assert path.stat().st_size < 1_000_000
    assert net.weights[-1].shape[1] == len(CLASSES)
