"""A guide, a camera, a display and presses that tests drive."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from companion.errors import CameraError, DisplayError
from companion.screens.view import View, verbatim
from hardware.base import Press


class Camera:
    """Gives the same picture every turn, or fails while ``broken``."""

    def __init__(self, picture: Any = None, *, broken: bool = False) -> None:
        self.picture = np.zeros((48, 64, 3), np.uint8) if picture is None else picture
        self.broken = broken

    def read(self, t_ms: int) -> Any:
        if self.broken:
            raise CameraError("camera: unplugged")
        return self.picture

    def close(self) -> None:
        pass


class Display:
    """Keeps pictures, or fails while ``broken``."""

    size = (128, 64)
    burns_in = False

    def light(self, light: str) -> None:
        pass

    def __init__(self, *, broken: bool = False) -> None:
        self.broken = broken
        self.shown: list[Image.Image] = []

    def show(self, image: Image.Image, t_ms: int) -> None:
        if self.broken:
            raise DisplayError("display: no answer")
        self.shown.append(image)

    def close(self) -> None:
        pass


class CountingGuide:
    """Counts what it is given; the third press of ok saves, which fails while ``full``."""

    def __init__(self) -> None:
        self.done = ""
        self.full = False
        self.seen: list[int] = []
        self.pressed: list[Press] = []

    def see(self, t_ms: int, picture: Any) -> None:
        self.seen.append(t_ms)

    def press(self, press: Press) -> None:
        self.pressed.append(press)
        if sum(p.button == "ok" for p in self.pressed) >= 3:
            if self.full:
                raise OSError(28, "No space left on device")
            self.done = "saved"

    def view(self, t_ms: int) -> View:
        return View("counting", big=verbatim(str(len(self.pressed))))
