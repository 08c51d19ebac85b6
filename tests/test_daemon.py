"""Guards the loop: a missing camera, display or profile never ends the game, and is reported once."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from companion.arbiter.arbiter import Arbiter
from companion.daemon import Daemon
from companion.errors import CameraError, DisplayError, ProfileError
from companion.guides import GUIDES
from companion.journal import Journal
from hardware.base import Press
from hardware.buttons import ScriptedButtons

from .arbiter.settled import header
from .guides.scripted import CountingGuide


class Camera:
    """Gives pictures, or fails while ``broken``."""

    def __init__(self, *, broken: bool = False) -> None:
        self.broken = broken

    def read(self, t_ms: int) -> Any:
        if self.broken:
            raise CameraError("camera: unplugged")
        return np.zeros((48, 64, 3), np.uint8)

    def close(self) -> None:
        pass


class Display:
    """Keeps pictures, or fails while ``broken``."""

    size = (128, 64)
    burns_in = False

    def light(self, light: str) -> None:
        pass

    def __init__(self) -> None:
        self.broken = False
        self.shown: list[Image.Image] = []

    def show(self, image: Image.Image, t_ms: int) -> None:
        if self.broken:
            raise DisplayError("display: no answer")
        self.shown.append(image)

    def close(self) -> None:
        pass


def no_profile(kind: str, layout: str | None) -> Any:
    raise ProfileError("profile.toml: missing")


def daemon(folder: Path, camera: Camera, presses: tuple[Press, ...] = ()) -> tuple[Daemon, Display]:
    arbiter = Arbiter(Journal(folder), names=["Ana"], draw=lambda: 0)
    arbiter.begin(header())
    display = Display()
    return Daemon(arbiter, camera, display, ScriptedButtons(presses), no_profile), display


def test_without_a_profile_the_game_goes_on_by_buttons(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    presses = tuple(Press(t, "ok", "press") for t in (1000, 6000, 7000))
    it, _ = daemon(tmp_path, Camera(), presses)
    with caplog.at_level(logging.WARNING):
        for t_ms in range(0, 8000, 200):
            it.turn(t_ms)
    assert it.arbiter.game is not None and len(it.arbiter.game.events) == 1
    assert sum("profile.toml" in r.getMessage() for r in caplog.records) == 1


def test_a_camera_that_fails_is_said_once_and_when_it_is_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    camera = Camera(broken=True)
    it, _ = daemon(tmp_path, camera)
    with caplog.at_level(logging.WARNING):
        for t_ms in range(0, 1000, 200):
            it.turn(t_ms)
    assert it.arbiter.view(1000).code == "trouble"
    assert [r.getMessage() for r in caplog.records] == ["camera: camera: unplugged"]
    assert it.arbiter.view(9000).code == "pizza.place"


def test_a_display_that_fails_gets_the_picture_when_it_is_back(tmp_path: Path) -> None:
    it, display = daemon(tmp_path, Camera(broken=True))
    display.broken = True
    it.turn(0)
    assert display.shown == []
    display.broken = False
    it.turn(600)
    it.turn(800)
    assert len(display.shown) == 1, "once, as nothing has changed since"


def test_a_calibration_from_the_menu_takes_pictures_and_buttons_and_gives_them_back(tmp_path: Path) -> None:
    guide = CountingGuide()
    opened: list[tuple[str, str | None]] = []

    def eyes(kind: str, layout: str | None) -> Any:
        opened.append((kind, layout))
        raise ProfileError("profile.toml: missing")

    arbiter = Arbiter(Journal(tmp_path), names=["Ana"], draw=lambda: 0)
    arbiter.begin(header())
    it = Daemon(arbiter, Camera(), Display(), ScriptedButtons(()), eyes, lambda name: guide)
    it.turn(0)
    arbiter.guide_wanted = "board"  # chosen from the menu
    it.turn(200)
    assert guide.seen == []
    presses = [Press(t, "ok", "press") for t in (400, 600, 800)]
    it._buttons = ScriptedButtons(presses)
    for t_ms in (400, 600, 800):
        assert it.view(t_ms).code == "counting"
        it.turn(t_ms)
    assert guide.seen == [400, 600], "the third press saved it"
    assert guide.pressed == presses and arbiter.game is not None and not arbiter.game.events
    it.turn(1000)
    assert it.view(6000).code == "pizza.place"
    assert opened == [("board", "hex37")] * 2, "the eyes are opened anew, with the new profile"


def test_the_menu_offers_every_calibration(tmp_path: Path) -> None:
    arbiter = Arbiter(Journal(tmp_path), names=["Ana"], draw=lambda: 0)
    arbiter.begin(header())
    Daemon(arbiter, Camera(), Display(), ScriptedButtons(()), no_profile)
    arbiter.press(Press(0, "ok", "hold"))
    assert "camera" not in [choice.id for choice in arbiter.view(0).choices], "nobody could lead"
    Daemon(arbiter, Camera(), Display(), ScriptedButtons(()), no_profile, lambda name: CountingGuide())
    arbiter.press(Press(0, "ok", "hold"))
    menu = [choice.id for choice in arbiter.view(0).choices]
    for _ in range(menu.index("camera")):
        arbiter.press(Press(0, "down", "press"))
    arbiter.press(Press(0, "ok", "press"))
    assert arbiter.view(0).code == "camera" and len(arbiter.view(0).choices) == len(GUIDES)
    arbiter.press(Press(0, "ok", "press"))
    assert arbiter.guide_wanted == next(iter(GUIDES))


def test_without_a_camera_there_is_none_to_calibrate(tmp_path: Path) -> None:
    arbiter = Arbiter(Journal(tmp_path), names=["Ana"], draw=lambda: 0, camera=False)
    arbiter.can_guide = True
    arbiter.press(Press(0, "ok", "hold"))
    assert "camera" not in [choice.id for choice in arbiter.view(0).choices]


def test_a_calibration_that_can_not_begin_is_said(tmp_path: Path) -> None:
    def missing(name: str) -> Any:
        raise ProfileError("layout.json: missing")

    arbiter = Arbiter(Journal(tmp_path), names=["Ana"], draw=lambda: 0)
    arbiter.begin(header())
    it = Daemon(arbiter, Camera(), Display(), ScriptedButtons(()), no_profile, missing)
    it.turn(0)
    arbiter.press(Press(4900, "ok", "press"))
    arbiter.guide_wanted = "board"
    it.turn(5000)
    assert it.view(5000).code != "counting" and arbiter.guide_wanted is None
    assert it._troubles.now["calibration"] == "layout.json: missing"
