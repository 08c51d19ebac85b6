"""Guards the USB camera: its automatics are held after a warm-up, unless it jumps; a silent one is a camera error."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from companion.errors import CameraError
from hardware.usb import UsbSource


class Capture:
    """OpenCV's capture of a camera; ``jumps``: without its automatic it takes an exposure of its own."""

    def __init__(self, number: int = 0, *, jumps: bool = False) -> None:
        self.properties: dict[int, float] = {cv2.CAP_PROP_EXPOSURE: 157.0}
        self.jumps = jumps
        self.room = 100
        self.silent = self.broken = False
        self.released = False

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def set(self, name: int, value: float) -> bool:
        self.properties[name] = value
        return True

    def get(self, name: int) -> float:
        return self.properties.get(name, 0.0)

    def grab(self) -> bool:
        return not self.silent

    def retrieve(self) -> tuple[bool, Any]:
        held = self.properties[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
        shade = 20 if held and self.jumps else self.room
        return not self.broken, np.full((48, 64, 3), shade, np.uint8)

    def release(self) -> None:
        self.released = True


class Clock:
    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> int:
        self.ms += 40
        return self.ms


def source(capture: Capture) -> UsbSource:
    return UsbSource(0, (1280, 960), lambda number: capture, Clock())


def pictures(camera: UsbSource, count: int = 60) -> None:
    for _ in range(count):
        camera.next_picture()


def test_the_automatics_are_held_after_the_warm_up() -> None:
    capture = Capture()
    camera = source(capture)
    assert capture.properties[cv2.CAP_PROP_AUTO_EXPOSURE] == 3 and capture.properties[cv2.CAP_PROP_AUTO_WB] == 1
    pictures(camera)
    assert capture.properties[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert capture.properties[cv2.CAP_PROP_EXPOSURE] == 157
    assert capture.properties[cv2.CAP_PROP_AUTO_WB] == capture.properties[cv2.CAP_PROP_AUTOFOCUS] == 0
    camera.close()
    assert capture.released


def test_a_camera_that_jumps_keeps_its_automatic_exposure_for_good() -> None:
    capture = Capture(jumps=True)
    camera = source(capture)
    pictures(camera)
    assert capture.properties[cv2.CAP_PROP_AUTO_EXPOSURE] == 3
    assert capture.properties[cv2.CAP_PROP_AUTO_WB] == 0
    capture.room = 250  # another lamp: all is measured anew
    pictures(camera, 150)
    assert capture.properties[cv2.CAP_PROP_AUTO_EXPOSURE] == 3 and capture.properties[cv2.CAP_PROP_AUTO_WB] == 0


def test_size_and_compression_are_asked_for() -> None:
    capture = Capture()
    source(capture)
    assert (capture.properties[cv2.CAP_PROP_FRAME_WIDTH], capture.properties[cv2.CAP_PROP_FRAME_HEIGHT]) == (1280, 960)
    assert capture.properties[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*"MJPG")


@pytest.mark.parametrize("fault", ["silent", "broken"])
def test_a_camera_without_pictures_is_a_camera_error(fault: str) -> None:
    capture = Capture()
    camera = source(capture)
    setattr(capture, fault, True)
    with pytest.raises(CameraError):
        camera.next_picture()
