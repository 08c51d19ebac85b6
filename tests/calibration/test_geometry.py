"""The plane map: there and back again, fitted from points, the same in pictures of any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.geometry import PlaneMap, fit_plane, rectified_xy, rotation

SPREAD = np.array([(x, y) for x in (-120.0, -40.0, 50.0, 130.0) for y in (-110.0, 0.0, 90.0)])


@st.composite
def planes(draw: st.DrawFn) -> PlaneMap:
    """Boards seen from up to about 35 degrees off, any way round, with the distortion that webcams have."""
    turn = np.deg2rad(draw(st.floats(0, 360)))
    scale = draw(st.floats(0.0012, 0.0035))
    c, s = scale * np.cos(turn), scale * np.sin(turn)
    squeeze = draw(st.floats(0.8, 1.0))
    tilt = [draw(st.floats(-6e-4, 6e-4)) for _ in range(2)]
    shift = [draw(st.floats(-0.2, 0.2)) for _ in range(2)]
    return PlaneMap(
        (c, s, shift[0], squeeze * s, -squeeze * c, shift[1], tilt[0], tilt[1], 1.0),
        draw(st.floats(-0.06, 0.06)),
        (1280, 960),
    )


@given(planes())
@settings(max_examples=60, deadline=None)
def test_millimetres_survive_the_way_to_pixels_and_back(plane: PlaneMap) -> None:
    assert np.abs(plane.to_mm(plane.to_px(SPREAD)) - SPREAD).max() < 1e-4


@given(planes())
@settings(max_examples=40, deadline=None)
def test_a_fit_finds_the_map_that_made_the_points(plane: PlaneMap) -> None:
    fitted = fit_plane(SPREAD, plane.to_px(SPREAD), plane.size, lens=None, noise_px=0.001)
    assert np.abs(fitted.to_px(SPREAD) - plane.to_px(SPREAD)).max() < 0.02


@given(planes(), st.sampled_from([(640, 480), (2560, 1920), (320, 240)]))
@settings(max_examples=30, deadline=None)
def test_a_smaller_picture_shows_the_same_places(plane: PlaneMap, size: tuple[int, int]) -> None:
    share = size[0] / 1280
    expected = (plane.to_px(SPREAD) + 0.5) * share - 0.5  # px count from the middle of the first pixel
    assert np.abs(plane.for_size(size).to_px(SPREAD) - expected).max() < 1e-6


def leaning(towards_deg: float, lean: float = 3e-4) -> PlaneMap:
    """A board turned anyhow whose near side lies in that direction in the picture, clockwise from its bottom."""
    a, b = np.deg2rad(towards_deg), np.deg2rad(200)
    c, s = 0.002 * np.cos(b), 0.002 * np.sin(b)
    across, down = -lean * np.sin(a), lean * np.cos(a)  # w falls towards the near side, in the picture's directions
    tilt = -(across * np.array([c, s]) + down * np.array([s, -c])) / 0.002
    return PlaneMap((c, s, 0, s, -c, 0, *tilt, 1.0), 0.0, (1280, 960))  # type: ignore[arg-type]


@pytest.mark.parametrize("towards", range(0, 360, 15))
def test_the_near_side_is_turned_to_the_bottom(towards: int) -> None:
    """Upside down or on its side a picture shows dice as no network saw them; straight down any way is right."""
    if towards % 90 != 45:
        assert leaning(towards).turns_upright(150) == round(towards / 90) % 4
    assert leaning(towards, 1e-5).turns_upright(150) == 0


def test_another_shape_of_picture_is_refused() -> None:
    plane = PlaneMap((0.002, 0, 0, 0, -0.002, 0, 0, 0, 1), 0.0, (1280, 960))
    with pytest.raises(ValueError, match="shape"):
        plane.for_size((1280, 720))


@given(st.floats(-180, 180), st.floats(-30, 30), st.floats(-30, 30))
def test_after_moves_the_print_on_the_board(degrees: float, dx: float, dy: float) -> None:
    plane = PlaneMap((0.002, 0, 0, 0, -0.002, 0, 1e-4, 0, 1), 0.02, (1280, 960))
    motion = rotation(degrees, dx, dy)
    moved = SPREAD @ motion[:2, :2].T + motion[:2, 2]
    assert np.abs(plane.after(motion).to_px(SPREAD) - plane.to_px(moved)).max() < 1e-6


def test_rectifying_puts_a_place_where_rectified_xy_says() -> None:
    plane = PlaneMap((0.0021, 0.0004, 0.02, 0.0003, -0.0019, -0.01, 2e-4, -1e-4, 1), 0.03, (1280, 960))
    frame = np.zeros((960, 1280, 3), np.uint8)
    for x, y in np.rint(plane.to_px(SPREAD)).astype(int):
        frame[y - 3 : y + 4, x - 3 : x + 4] = 255
    flat = plane.rectify(frame, 2.0, 150.0)
    for x, y in np.rint(rectified_xy(SPREAD, 2.0, 150.0)).astype(int):
        assert flat[y, x, 0] > 200
    assert flat.mean() < 10


@pytest.mark.parametrize("points", [SPREAD[:3], np.column_stack([SPREAD[:, 0], SPREAD[:, 0]])])
def test_too_few_points_or_points_on_a_line_are_refused(points: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"four|line|no plane"):
        fit_plane(points, points * 2 + 300, (1280, 960))
