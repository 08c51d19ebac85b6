"""The board's pose in a game's pictures: followed when nudged, turned or covered; never a wrong one."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import calibrate_from_points
from calibration.geometry import Picture, Points, fit_plane
from calibration.spaces import centres
from companion.layout import load_layout
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Hand, Scene, Topping
from companion.vision.pose import BoardNotFound, BoardPose, PoseFinder

HEX37 = load_layout("hex37")
IDS = list(HEX37.spaces)
HOME = centres(HEX37)
RENDERS = Path(__file__).resolve().parents[3] / "shared" / "bench" / "renders"


@functools.cache
def table(seed: int) -> tuple[Renderer, PoseFinder]:
    renderer = Renderer(seed, HEX37, (960, 720))
    plane = fit_plane(HOME, true_px(renderer, Scene()), renderer.size, lens=None, noise_px=0.05)
    return renderer, PoseFinder(renderer.draw(Scene(), 0), plane, HEX37)


def true_px(renderer: Renderer, scene: Scene) -> Points:
    return np.asarray(renderer.camera.project([(*scene.to_table(x, y), BOARD_MM) for x, y in HOME]), np.float64)


def toppings(seed: int, share: float) -> tuple[Topping, ...]:
    rng = np.random.default_rng(seed)
    return tuple(
        Topping(s.x_mm + rng.normal(0, 1), s.y_mm + rng.normal(0, 1), str(rng.choice(HEX37.colours)))
        for s in HEX37.spaces.values()
        if rng.random() < share
    )


def off(pose: BoardPose, px: Points) -> float:
    """Mean distance in mm between where spaces are and where the pose says."""
    return float(np.hypot(*(pose.to_mm(px) - HOME).T).mean())


@pytest.mark.parametrize("turn", [0, 120, 240])
@pytest.mark.parametrize("seed", [1, 3])
def test_a_turned_board_full_of_toppings_is_known_by_its_print(seed: int, turn: int) -> None:
    renderer, finder = table(seed)
    scene = Scene(turn_deg=turn, toppings=toppings(seed, 0.8))
    pose = finder.find(renderer.draw(scene, 0))
    assert pose.turn == turn
    assert not pose.moved
    assert off(pose, true_px(renderer, scene)) < 0.1


@pytest.mark.parametrize(
    ("turn", "shift"),
    [(4.0, (3.0, -2.0)), (113.0, (-6.0, 9.0)), (247.0, (20.0, 14.0)), (-9.0, (-25.0, 5.0)), (0.0, (1.5, 0.0))],
)
def test_a_nudged_board_is_followed(turn: float, shift: tuple[float, float]) -> None:
    renderer, finder = table(3)
    scene = Scene(turn_deg=turn, shift_mm=shift, toppings=toppings(4, 0.5))
    pose = finder.find(renderer.draw(scene, 0))
    assert pose.turn == round(turn / 120) % 3 * 120
    assert pose.moved
    assert off(pose, true_px(renderer, scene)) < 0.25


def test_a_bumped_camera_is_followed() -> None:
    renderer, finder = table(1)
    scene = Scene(toppings=toppings(2, 0.5))
    bump = cv2.getRotationMatrix2D((480, 360), 4.0, 1.015)
    bump[:, 2] += (25, -18)
    bump = np.vstack([bump, [2e-5, -1e-5, 1.0]])
    frame = cv2.warpPerspective(renderer.draw(scene, 0), bump, renderer.size, borderMode=cv2.BORDER_REFLECT)
    px = cv2.perspectiveTransform(true_px(renderer, scene)[None], bump)[0]
    pose = finder.find(frame)
    assert (pose.turn, pose.moved) == (0, True)
    assert off(pose, px) < 0.4


@pytest.mark.parametrize("seed", range(4))
def test_under_a_hand_the_pose_is_right_or_none(seed: int) -> None:
    renderer, finder = table(1)
    rng = np.random.default_rng(seed)
    turn = 120 * int(rng.integers(3))
    hand = Hand(float(rng.uniform(-60, 60)), float(rng.uniform(-40, 90)), -90.0)
    scene = Scene(turn_deg=turn, toppings=toppings(seed, 0.6), hands=(hand,), lamp=bool(seed % 2))
    pose = finder.find(renderer.draw(scene, 0))
    assert pose.turn in (turn, None)
    assert off(pose, true_px(renderer, scene)) < 0.5


def test_a_still_board_keeps_its_pose_exactly() -> None:
    renderer, finder = table(1)
    scene = Scene(turn_deg=5.0, shift_mm=(4.0, 3.0))
    first = finder.find(renderer.draw(scene, 0))
    later = renderer.draw(Scene(turn_deg=5.0, shift_mm=(4.0, 3.0), toppings=toppings(3, 0.7)), 400)
    assert finder.find(later, first).plane == first.plane


@pytest.mark.parametrize("turn", [120.0, 1.0, 8.0])
def test_a_board_that_moved_between_two_pictures_is_not_taken_for_still(turn: float) -> None:
    renderer, finder = table(3)
    first = finder.find(renderer.draw(Scene(), 0))
    scene = Scene(turn_deg=turn, toppings=toppings(5, 0.5))
    pose = finder.find(renderer.draw(scene, 200), first)
    assert pose.turn == (120 if turn == 120.0 else 0)
    assert off(pose, true_px(renderer, scene)) < 0.25


def test_half_the_size_shows_the_same_board() -> None:
    renderer, finder = table(3)
    frame = cv2.resize(renderer.draw(Scene(turn_deg=120.0), 0), (480, 360), interpolation=cv2.INTER_AREA)
    pose = finder.find(frame)
    assert pose.turn == 120
    assert off(pose, (true_px(renderer, Scene(turn_deg=120.0)) + 0.5) / 2 - 0.5) < 0.3


def _board_away() -> Picture:
    return np.asarray(table(1)[0].draw(Scene(board=False), 0))


def _far_turned() -> Picture:
    """Between two turns, as somebody's hand holds it: no turn of the game."""
    return np.asarray(table(1)[0].draw(Scene(turn_deg=60.0, toppings=toppings(1, 0.4)), 0))


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((720, 960, 3), np.uint8),
        np.full((720, 960, 3), 255, np.uint8),
        np.random.default_rng(0).integers(0, 256, (720, 960, 3), np.uint8),
        np.zeros((720, 1280, 3), np.uint8),
        _board_away(),
    ],
    ids=["black", "white", "noise", "other-shape", "board-away"],
)
def test_where_no_board_is_none_is_found(picture: Picture) -> None:
    finder = table(1)[1]
    with pytest.raises(BoardNotFound) as caught:
        finder.find(picture)
    assert str(caught.value)
    with pytest.raises(BoardNotFound):
        finder.find(picture, finder.find(table(1)[0].draw(Scene(), 0)))


def test_between_two_turns_no_turn_is_told() -> None:
    try:
        pose = table(1)[1].find(_far_turned())
    except BoardNotFound:
        return
    assert pose.turn is None


def test_a_blurred_picture_gives_no_wrong_pose() -> None:
    renderer, finder = table(3)
    scene = Scene(turn_deg=120.0, toppings=toppings(1, 0.4))
    for sigma in (2.0, 5.0, 12.0):
        try:
            pose = finder.find(cv2.GaussianBlur(renderer.draw(scene, 0), (0, 0), sigma))
        except BoardNotFound:
            continue
        assert pose.turn in (120, None)
        assert off(pose, true_px(renderer, scene)) < 1.0


def test_the_rectified_picture_shows_places_where_it_says() -> None:
    renderer, finder = table(1)
    scene = Scene(turn_deg=240.0, toppings=(Topping(88.335, 17.0, "red"),))  # on g3
    frame = renderer.draw(scene, 0)
    pose = finder.find(frame)
    flat = pose.rectify(frame, 1.5)
    empty = table(1)[1].find(renderer.draw(Scene(), 0)).rectify(renderer.draw(Scene(), 0), 1.5)
    change = cv2.absdiff(flat, empty).sum(axis=2)
    x, y = np.rint(pose.rectified_xy([(88.335, 17.0)], 1.5)[0]).astype(int)
    assert change[y - 8 : y + 9, x - 8 : x + 9].mean() > 4 * np.median(change)


@pytest.mark.skipif(not RENDERS.exists(), reason="the rendered sessions are not beside the project")
@pytest.mark.parametrize("session", ["pizza/p03", "pizza/p09", "pizza/p21", "games/game3"])
def test_rendered_frames_give_the_true_pose_and_turn(session: str) -> None:
    """Glare, a nudge on a checked cloth, turned boards, hands: every picture, cold and warm."""
    folder = RENDERS / session
    data = json.loads((folder / "calibration.json").read_text())
    picture = cv2.imread(str(folder / data["image"]))
    found = calibrate_from_points(picture, HEX37, {k: (x, y) for k, (x, y) in data["points"].items()})
    finder = PoseFinder(picture, found.plane, HEX37)
    warm: BoardPose | None = None
    for path in sorted(folder.glob("frame_*.json"))[:: 1 if "pizza" in session else 5]:
        truth = json.loads(path.read_text())
        frame = cv2.imread(str(folder / truth["image"]))
        px = np.array([truth["spaces"][i]["px"] for i in IDS])
        for pose in (finder.find(frame), warm := finder.find(frame, warm)):
            assert pose.turn == truth["turn"], path.name
            assert off(pose, px) < 0.2, path.name
