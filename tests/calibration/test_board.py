"""Calibrating from one picture: right to a fraction of a millimetre, or refused; on drawn and on rendered tables."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import calibrate_alone, calibrate_from_points, check
from calibration.geometry import Picture, PlaneMap, Points, fit_plane, rotation
from calibration.spaces import centres
from companion.errors import CalibrationError, InputError
from companion.layout import load_layout
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Scene, Topping

HEX37 = load_layout("hex37")
IDS = list(HEX37.spaces)
HOME = centres(HEX37)
RENDERS = Path(__file__).resolve().parents[3] / "shared" / "bench" / "renders"
CORNERS = ("d7", "g4", "g1", "d1", "a1", "a4")


@functools.cache
def table(seed: int) -> tuple[Picture, PlaneMap]:
    """An empty drawn board and its true plane map."""
    renderer = Renderer(seed, HEX37, (960, 720))
    px = renderer.camera.project([(*Scene().to_table(x, y), BOARD_MM) for x, y in HOME])
    return renderer.draw(Scene(), 0), fit_plane(HOME, px, renderer.size, lens=None, noise_px=0.05)


def clicked(true: PlaneMap, names: dict[str, str], seed: int = 0) -> dict[str, tuple[float, float]]:
    """Points as a person clicks them; ``names`` says which space each point is called by and where it really is."""
    rng = np.random.default_rng(seed)
    places = {n: true.to_px(HOME[IDS.index(at)])[0] + rng.normal(0, 1.5, 2) for n, at in names.items()}
    return {n: (float(x), float(y)) for n, (x, y) in places.items()}


def off(found: PlaneMap, true_px: Points) -> float:
    """Mean distance in mm between where spaces are and where the map says."""
    return float(np.hypot(*(found.to_mm(true_px) - HOME).T).mean())


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_clicked_points_are_refined(seed: int) -> None:
    frame, true = table(seed)
    found = calibrate_from_points(frame, HEX37, clicked(true, {c: c for c in CORNERS}, seed))
    assert off(found.plane, true.to_px(HOME)) < 0.5
    assert found.seen > 0.95
    assert found.marked


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_the_board_is_found_alone(seed: int) -> None:
    frame, true = table(seed)
    found = calibrate_alone(frame, HEX37, side_at_bottom=1)
    assert off(found.plane, true.to_px(HOME)) < 0.5


def test_the_word_about_the_side_at_the_bottom_turns_the_names() -> None:
    frame, true = table(1)
    found = calibrate_alone(frame, HEX37, side_at_bottom=2)
    assert found.side_at_bottom == 2
    assert off(found.plane.after(rotation(-120)), true.to_px(HOME)) < 0.5


def test_four_points_around_the_middle_are_enough() -> None:
    frame, true = table(3)
    found = calibrate_from_points(frame, HEX37, clicked(true, {n: n for n in ("d4", "d5", "e4", "c4")}))
    assert off(found.plane, true.to_px(HOME)) < 0.5


def _turned(by: int) -> dict[str, str]:
    return {name: CORNERS[(i + by) % 6] for i, name in enumerate(CORNERS)}


@pytest.mark.parametrize(
    "names",
    [
        {"a1": "a4", "a4": "a1", "g4": "g4", "g1": "g1", "d7": "d7", "d1": "d1"},
        {"a1": "g4", "a4": "a4", "g4": "a1", "g1": "g1"},
        {"a1": "g1", "a4": "g4", "g4": "a4", "g1": "a1"},
        _turned(1),
        _turned(3),
        {"a1": "b2", "a4": "b5", "f4": "g4", "f1": "g1"},
        {"b2": "b1", "b5": "b4", "f5": "f4", "f2": "f1", "d7": "d6"},
        {"a1": "a1", "a4": "a4", "g4": "g4", "g1": "f1", "d7": "d7", "d1": "d1"},
    ],
    ids=["swapped", "four-swapped", "mirrored", "turned-60", "turned-180", "shifted", "shifted-along", "one-beside"],
)
def test_points_with_wrong_names_are_refused(names: dict[str, str]) -> None:
    frame, true = table(1)
    with pytest.raises(CalibrationError):
        calibrate_from_points(frame, HEX37, clicked(true, names))


@pytest.mark.parametrize(
    "points",
    [
        {"a1": (100.0, 100.0), "a4": (100.0, 200.0), "g4": (300.0, 200.0)},
        {"d1": (480.0, 600.0), "d2": (480.0, 540.0), "d4": (480.0, 400.0), "d7": (480.0, 200.0)},
        dict.fromkeys(("a1", "a4", "g4", "g1"), (400.0, 300.0)),
        {"zz": (1.0, 1.0), "a4": (100.0, 200.0), "g4": (300.0, 200.0), "g1": (300.0, 100.0)},
        {"a1": (-3.0, 1.0), "a4": (100.0, 200.0), "g4": (300.0, 200.0), "g1": (300.0, 100.0)},
        {"a1": (float("nan"), 1.0), "a4": (100.0, 200.0), "g4": (300.0, 200.0), "g1": (300.0, 100.0)},
    ],
    ids=["three", "collinear", "one-place", "unknown-space", "outside", "nan"],
)
def test_malformed_points_are_an_input_error(points: dict[str, tuple[float, float]]) -> None:
    with pytest.raises(InputError):
        calibrate_from_points(table(1)[0], HEX37, points)


def _noise() -> Picture:
    return np.random.default_rng(0).integers(0, 256, (480, 640, 3), np.uint8)


def _checked_cloth() -> Picture:
    """Round dots in rows and columns: a lattice, but of squares and without an end."""
    cloth = np.full((720, 960, 3), 90, np.uint8)
    for y in range(20, 720, 44):
        for x in range(20, 960, 44):
            cv2.circle(cloth, (x, y), 15, (190, 220, 235), -1, cv2.LINE_AA)
    return cloth


def _dotted_cloth() -> Picture:
    """Round dots in a lattice of triangles all over the picture, as the board's spaces stand."""
    cloth = np.full((720, 960, 3), 90, np.uint8)
    for row in range(20):
        for x in range(20 + 22 * (row % 2), 960, 44):
            cv2.circle(cloth, (x, 20 + row * 38), 15, (190, 220, 235), -1, cv2.LINE_AA)
    return cloth


@pytest.mark.parametrize(
    "picture", [_noise(), np.full((480, 640, 3), 128, np.uint8), _checked_cloth(), _dotted_cloth()]
)
def test_no_board_is_found_where_there_is_none(picture: Picture) -> None:
    with pytest.raises(CalibrationError):
        calibrate_alone(picture, HEX37)


def test_a_board_cut_off_by_the_picture_is_refused() -> None:
    frame, true = table(1)
    left = int(true.to_px((-80.0, 0.0))[0, 0])
    with pytest.raises(CalibrationError):
        calibrate_alone(frame[:, left:], HEX37)


def test_a_board_with_toppings_is_not_an_empty_board() -> None:
    renderer = Renderer(1, HEX37, (960, 720))
    toppings = tuple(Topping(s.x_mm, s.y_mm, ("red", "green")[i % 2]) for i, s in enumerate(HEX37.spaces.values()))
    frame = renderer.draw(Scene(toppings=toppings[::2]), 0)
    with pytest.raises(CalibrationError):
        calibrate_from_points(frame, HEX37, clicked(table(1)[1], {c: c for c in CORNERS}))


def test_check_notices_a_grid_that_slipped() -> None:
    frame, true = table(1)
    assert check(frame, true, HEX37).error_mm < 1.0
    for motion in (rotation(0, 34, 0), rotation(0, 4, 0), rotation(60), rotation(4)):
        with pytest.raises(CalibrationError):
            check(frame, true.after(motion), HEX37)


def _sessions() -> list[Path]:
    return sorted([*(RENDERS / "pizza").glob("*/calibration.json"), *(RENDERS / "games").glob("*/calibration.json")])


@pytest.mark.skipif(not _sessions(), reason="the rendered sessions are not beside the project")
@pytest.mark.parametrize("truth", _sessions(), ids=lambda p: p.parent.name)
def test_rendered_sessions_calibrate_from_points(truth: Path) -> None:
    data = json.loads(truth.read_text())
    frame = cv2.imread(str(truth.with_name(data["image"])))
    px = np.array([data["spaces"][i]["px"] for i in IDS])
    found = calibrate_from_points(frame, HEX37, {k: (x, y) for k, (x, y) in data["points"].items()})
    assert off(found.plane, px) < 0.15
    assert found.side_at_bottom == data["side_at_bottom"]


@pytest.mark.skipif(not _sessions(), reason="the rendered sessions are not beside the project")
@pytest.mark.parametrize("truth", _sessions()[1:8:3], ids=lambda p: p.parent.name)
def test_rendered_sessions_calibrate_alone(truth: Path) -> None:
    data = json.loads(truth.read_text())
    frame = cv2.imread(str(truth.with_name(data["image"])))
    px = np.array([data["spaces"][i]["px"] for i in IDS])
    assert off(calibrate_alone(frame, HEX37, data["side_at_bottom"]).plane, px) < 0.15
