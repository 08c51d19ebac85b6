"""Guards the guide of the board: led by screens and four buttons, drawn pictures become a profile that reads right."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from calibration.geometry import Picture
from calibration.profile import load_profile
from companion.guides import open_guide
from companion.guides.board import BoardGuide
from companion.layout import load_layout
from companion.screens.view import CameraPicture
from companion.simulator.renderer import Renderer
from companion.simulator.scene import Scene, Topping
from companion.vision.board import BoardEyes
from hardware.base import ButtonName, Press

HEX37 = load_layout("hex37")


@functools.cache
def renderer() -> Renderer:
    return Renderer(3, HEX37, (800, 600))


@functools.cache
def empty() -> Picture:
    return renderer().draw(Scene(), 0)


class Owner:
    """Looks at the display and presses buttons; the camera gives ten pictures a second."""

    def __init__(self, guide: BoardGuide) -> None:
        self.guide = guide
        self.t_ms = 0

    def show(self, picture: Picture, ms: int = 1000) -> str:
        for _ in range(0, ms, 100):
            self.t_ms += 100
            self.guide.see(self.t_ms, picture)
        return self.guide.view(self.t_ms).code

    def press(self, *buttons: ButtonName) -> str:
        for button in buttons:
            self.guide.press(Press(self.t_ms, button, "press"))
        return self.guide.view(self.t_ms).code


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    guide = open_guide("board", tmp_path / "profile")
    assert isinstance(guide, BoardGuide)
    return Owner(guide)


def test_an_empty_board_becomes_a_profile_that_reads_right(owner: Owner, tmp_path: Path) -> None:
    owner.show(empty())
    shown = owner.guide.view(owner.t_ms)
    assert shown.facts["hint"] is None
    assert isinstance(shown.picture, CameraPicture) and len(shown.picture.outlines) == 1
    assert owner.press("ok") == "guide.board.measure"
    assert owner.show(empty(), 500) == "guide.board.measure", "the hand is given time to leave"
    assert owner.show(empty()) == "guide.board.judge"
    assert owner.guide.view(owner.t_ms).facts["error_mm"] < 0.2
    owner.press("ok")
    assert owner.guide.done == "saved"
    chosen = {"a1": "red", "d4": "white", "g4": "green"}
    toppings = tuple(
        Topping(HEX37.spaces[s].x_mm, HEX37.spaces[s].y_mm, colour, 0, 10.0) for s, colour in chosen.items()
    )
    reading = BoardEyes(load_profile(tmp_path / "profile")).read(
        renderer().draw(Scene(toppings=toppings), 5), dice=False
    )
    assert reading.spaces == {s: chosen.get(s, "empty") for s in HEX37.spaces}


def test_up_and_down_choose_the_side_at_the_bottom(owner: Owner, tmp_path: Path) -> None:
    owner.show(empty(), 100)
    owner.press("down", "down", "up", "up", "up")
    assert owner.guide.view(owner.t_ms).facts["side"] == 2
    owner.press("ok")
    owner.show(empty())
    owner.press("ok")
    assert load_profile(tmp_path / "profile").side_at_bottom == 2
    again = open_guide("board", tmp_path / "profile")
    assert again.view(0).facts["side"] == 2, "another calibration begins as the last one ended"


def test_what_is_no_board_is_refused_with_a_hint_and_can_be_tried_again(owner: Owner, tmp_path: Path) -> None:
    table = np.full((600, 800, 3), (60, 90, 120), np.uint8)
    owner.show(table)
    assert owner.guide.view(owner.t_ms).facts["hint"] == "nothing"
    owner.press("ok")
    assert owner.show(table) == "guide.board.failed"
    assert owner.guide.view(owner.t_ms).big is not None
    assert owner.press("ok") == "guide.board.aim"
    assert not owner.guide.done and not (tmp_path / "profile").exists()


def test_toppings_left_on_the_board_are_counted_before_it_is_saved(owner: Owner, tmp_path: Path) -> None:
    left = tuple(
        Topping(HEX37.spaces[s].x_mm, HEX37.spaces[s].y_mm, "red", 0, 10.0) for s in ("b2", "c3", "e4", "f2", "d6")
    )
    picture = renderer().draw(Scene(toppings=left), 0)
    owner.show(picture, 100)
    owner.press("ok")
    assert owner.show(picture) == "guide.board.judge"
    assert owner.guide.view(owner.t_ms).facts["unseen"] == len(left)
    assert owner.press("back") == "guide.board.aim", "it need not be kept"
    owner.press("back")
    assert owner.guide.done == "left" and not (tmp_path / "profile").exists()


def test_holds_do_nothing_and_every_stage_takes_every_button(owner: Owner) -> None:
    owner.guide.press(Press(0, "ok", "hold"))
    assert owner.guide.view(0).code == "guide.board.aim"
    owner.press("up", "down", "ok", "up", "down", "ok", "back")
    assert owner.guide.view(0).code == "guide.board.measure"
