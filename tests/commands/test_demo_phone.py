"""Guards ``demo --phone``: the display's own pixels hold a code that leads a phone in, until one has come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

from companion.commands.demo import let_in
from companion.web.hub import Hub
from companion.web.phone import PhoneForm
from companion.web.server import PageServer
from hardware.base import Display, Press
from hardware.buttons import ScriptedButtons

CODES = {"player": "482913", "viewer": "111222"}


class Page(PageServer):
    """Only its screen."""

    def __init__(self) -> None:
        pass

    def phone(self) -> PhoneForm:
        return PhoneForm("http://192.168.178.123:8037", lambda role: CODES[role])


class Shown(Display):
    """A display that keeps what it shows."""

    size = (128, 64)

    def __init__(self) -> None:
        self.pictures: list[Any] = []

    def show(self, image: Any, t_ms: int) -> None:
        self.pictures.append(np.asarray(image.convert("L")))


def read(picture: Any) -> str:
    """What a phone's camera makes of a display."""
    large = cv2.resize(picture, None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
    around = cv2.copyMakeBorder(large, 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=0)
    return str(cv2.QRCodeDetector().detectAndDecode(around)[0])


def test_the_code_is_shown_until_a_phone_looks() -> None:
    hub, display = Hub(), Shown()  # type: ignore[abstract]

    def moments() -> Iterator[int]:
        yield 0
        yield 200
        hub.ring = lambda: None
        yield 400
        raise AssertionError("somebody looks, and it still waits")

    let_in(Page(), hub, display, ScriptedButtons([Press(150, "down", "press")]), "de", moments())
    assert [read(picture) for picture in display.pictures] == [
        f"HTTP://192.168.178.123:8037/P/{CODES[role]}" for role in ("player", "player", "viewer")
    ]


def test_without_a_phone_ok_begins() -> None:
    display = Shown()  # type: ignore[abstract]
    let_in(Page(), Hub(), display, ScriptedButtons([Press(150, "ok", "press")]), "en", iter((0, 200)))
    assert len(display.pictures) == 2
