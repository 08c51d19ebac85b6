"""Guards that a device which can't be opened keeps nothing else from running."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from companion.errors import ButtonsError, CameraError
from hardware.base import Press
from hardware.buttons import ScriptedButtons
from hardware.missing import MissingCamera, PatientButtons


def test_a_missing_camera_says_why_at_every_read() -> None:
    camera = MissingCamera(CameraError("picamera2: not installed"))
    for t_ms in (0, 100):
        with pytest.raises(CameraError, match="not installed"):
            camera.read(t_ms)
    assert not camera.stuck
    camera.close()


def test_buttons_in_use_are_tried_less_and_less_until_they_are_free(caplog: pytest.LogCaptureFixture) -> None:
    free_at = 60_000
    tries: list[int] = []
    now = 0

    def open_them() -> Any:
        tries.append(now)
        if now < free_at:
            raise ButtonsError("buttons: GPIO busy")
        return ScriptedButtons([Press(70_000, "ok", "press")])

    buttons = PatientButtons(open_them)
    pressed: list[Press] = []
    with caplog.at_level(logging.WARNING):
        for now in range(0, 90_000, 50):
            pressed += buttons.poll(now)
    assert tries == [0, 1000, 3000, 8000, 18_000, 48_000, 78_000]
    assert pressed == [Press(70_000, "ok", "press")]
    assert [r.getMessage() for r in caplog.records] == [
        "buttons: GPIO busy; they are tried again",
        "buttons: work now",
    ]
    buttons.close()


def test_buttons_that_were_never_there_can_be_closed() -> None:
    PatientButtons(lambda: ScriptedButtons(())).close()
