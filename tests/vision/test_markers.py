"""Printed markers: after a bump that the print alone can't be followed through, two to four of them show the way."""

from __future__ import annotations

import functools

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.geometry import Picture, PlaneMap, fit_plane
from calibration.spaces import centres
from companion.layout import load_layout
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Scene, Topping
from companion.vision.markers import Markers, detected
from companion.vision.pose import BoardNotFound, PoseFinder

HEX37 = load_layout("hex37")
HOME = centres(HEX37)
SHEET = {0: (-150.0, 160.0), 1: (150.0, 150.0), 2: (160.0, -160.0), 3: (-140.0, -170.0)}
EDGE_MM = 30.0
FAR = np.array([[0.75, -0.3, 330.0], [0.26, 0.74, 0.0], [4e-5, -5e-5, 1.0]])  # a camera knocked askew, px to px


@functools.cache
def table() -> tuple[Renderer, PlaneMap]:
    renderer = Renderer(3, HEX37, (960, 720))
    return renderer, fit_plane(HOME, spaces_px(renderer, Scene()), renderer.size, lens=None, noise_px=0.05)


def spaces_px(renderer: Renderer, scene: Scene) -> npt.NDArray[np.float64]:
    return np.asarray(renderer.camera.project([(*scene.to_table(x, y), BOARD_MM) for x, y in HOME]), np.float64)


def on_a_sheet(scene: Scene, shown: tuple[int, ...], t_ms: int = 0) -> Picture:
    """The table with markers lying around the board, whatever the board does."""
    renderer, _ = table()
    picture = np.array(renderer.draw(scene, t_ms))
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number in shown:
        white = np.full((80, 80), 235, np.uint8)
        white[10:70, 10:70] = np.minimum(cv2.aruco.generateImageMarker(family, number, 60), 235)
        x, y = SHEET[number]
        h = EDGE_MM * 80 / 60 / 2
        corners = renderer.camera.project([(x - h, y + h, 0), (x + h, y + h, 0), (x + h, y - h, 0), (x - h, y - h, 0)])
        there = cv2.getPerspectiveTransform(
            np.array([(-0.5, -0.5), (79.5, -0.5), (79.5, 79.5), (-0.5, 79.5)], np.float32),
            np.asarray(corners, np.float32),
        )
        flags = {"flags": cv2.INTER_AREA}
        drawn = cv2.warpPerspective(white, there, renderer.size, **flags)
        mask = cv2.warpPerspective(np.full_like(white, 255), there, renderer.size, **flags)
        picture[mask > 127] = drawn[mask > 127, None]
    return cv2.GaussianBlur(picture, (0, 0), 0.6)


@functools.cache
def finder() -> PoseFinder:
    return PoseFinder(on_a_sheet(Scene(), (0, 1, 2, 3)), table()[1], HEX37)


def game(turn: float = 0.0) -> Scene:
    rng = np.random.default_rng(4)
    laid = (
        Topping(s.x_mm, s.y_mm, str(rng.choice(HEX37.colours))) for s in HEX37.spaces.values() if rng.random() < 0.6
    )
    return Scene(turn_deg=turn, toppings=tuple(laid))


def knocked(picture: Picture) -> Picture:
    return np.asarray(cv2.warpPerspective(picture, FAR, table()[0].size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize("turn", [0, 120])
@pytest.mark.parametrize("shown", [(0, 1, 2, 3), (0, 2), (1, 2)])
def test_a_camera_knocked_far_askew_is_followed_by_two_markers_left(shown: tuple[int, ...], turn: int) -> None:
    renderer, _ = table()
    scene = game(turn)
    pose = finder().find(knocked(on_a_sheet(scene, shown)))
    px = cv2.perspectiveTransform(spaces_px(renderer, scene)[None], FAR)[0]
    assert (pose.turn, pose.moved) == (turn, True)
    assert np.hypot(*(pose.to_mm(px) - HOME).T).mean() < 0.5


def test_without_markers_so_far_a_bump_is_said_and_not_guessed() -> None:
    with pytest.raises(BoardNotFound):
        finder().find(knocked(np.asarray(table()[0].draw(game(), 0))))


def test_markers_do_not_outvote_the_print() -> None:
    """The sheet lies where it lay, but the board was taken away: its markers are no board."""
    with pytest.raises(BoardNotFound):
        finder().find(on_a_sheet(Scene(board=False), (0, 1, 2, 3)))


def test_a_number_that_is_seen_twice_tells_nothing() -> None:
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    page = np.full((200, 500), 255, np.uint8)
    for left, number in ((30, 5), (190, 5), (350, 6)):
        page[50:150, left : left + 100] = cv2.aruco.generateImageMarker(family, number, 100)
    assert set(detected(page, cv2.aruco.DICT_4X4_1000)[0]) == {6}


def test_a_table_without_markers_gives_no_guess() -> None:
    renderer, plane = table()
    grey = np.asarray(cv2.cvtColor(np.asarray(renderer.draw(Scene(), 0)), cv2.COLOR_BGR2GRAY), np.uint8)
    assert Markers(grey, plane).planes(grey) == []
