"""A USB camera by OpenCV."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from companion.errors import CameraError
from hardware.settling import Settling

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Picture = npt.NDArray[np.uint8]

log = logging.getLogger(__name__)
FRAME_MS = 100  # a table changes slowly; every picture costs the smallest Pi a tenth of a core
V4L2_MANUAL, V4L2_AUTO = 1, 3  # of the kernel's control "auto exposure"
PROVE_MS = 2000
JUMP_STOPS = 0.5


def open_capture(device: int) -> Any:
    """OpenCV's object for a camera, counted from 0."""
    import cv2

    # A camera that is not there is tried again and again: OpenCV's own ten lines each time would fill the log.
    quieten = cv2.setLogLevel if hasattr(cv2, "setLogLevel") else cv2.utils.logging.setLogLevel  # OpenCV 4, 5
    quieten(0)
    return cv2.VideoCapture(device, cv2.CAP_V4L2)


class UsbSource:
    """A USB camera.

    Exposure, white balance and focus are held after a warm-up, see :mod:`hardware.settling`. Some cameras jump to an
    exposure of their own when theirs is switched off: those keep their automatic exposure.

    Args:
        device: number of the camera, counted from 0.
        size: width and height to ask for, px; the camera may give its nearest.
        capture: opens it.
        clock: ms of any fixed start.

    Raises:
        CameraError: there is no such camera, or it is in use.
    """

    def __init__(
        self,
        device: int,
        size: tuple[int, int],
        capture: Callable[[int], Any] = open_capture,
        clock: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        import cv2

        self._clock = clock
        self._capture = capture(device)
        if not self._capture.isOpened():
            raise CameraError(f"no USB camera {device}, or it is in use")
        # Uncompressed, a USB 2 camera gives 5 pictures a second of this size and blocks the bus for others.
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        self._due = 0
        self._settling = Settling({"AeEnable"})
        self._proving: tuple[int, float] | None = None  # since when the exposure is held, at which brightness
        self._jumps = False
        self._automatic(True)  # what the program before has left

    def next_picture(self) -> Picture:
        """Take all pictures the camera sends, which keeps its queue empty, and decode one each tenth of a second.

        Raises:
            CameraError: the camera gives none.
        """
        while True:
            if not self._capture.grab():
                raise CameraError("the USB camera gives no picture")
            if self._clock() >= self._due:
                break
        self._due = self._clock() + FRAME_MS
        ok, picture = self._capture.retrieve()
        if not ok or picture is None or picture.ndim != 3:
            raise CameraError("the USB camera's picture can't be decoded")
        self._settle(float(picture[::16, ::16].mean()))
        return cast("Picture", picture)

    def _settle(self, brightness: float) -> None:
        now = self._clock()
        # What exposure an automatic has chosen, a USB camera does not tell: the brightness says when it rests.
        controls = self._settling.update(now, {"ExposureTime": brightness}, brightness)
        if "AeEnable" in controls:
            self._automatic(controls["AeEnable"])
            self._proving = None if controls["AeEnable"] else (now, brightness)
        elif self._proving is not None:
            since, held = self._proving
            if now - since > PROVE_MS:
                self._proving = None
            elif abs(math.log2((brightness + 1) / (held + 1))) > JUMP_STOPS:
                self._proving, self._jumps = None, True
                log.info("camera: its exposure can't be held")
                self._automatic_exposure(True)

    def _automatic(self, on: bool) -> None:
        """Let the camera choose exposure, white balance and focus, or hold them."""
        import cv2

        log.info("camera: exposure, white balance and focus are %s", "automatic" if on else "held")
        self._capture.set(cv2.CAP_PROP_AUTO_WB, int(on))
        self._capture.set(cv2.CAP_PROP_AUTOFOCUS, int(on))
        if on or not self._jumps:
            self._automatic_exposure(on)

    def _automatic_exposure(self, on: bool) -> None:
        import cv2

        chosen = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_AUTO if on else V4L2_MANUAL)
        if not on:
            self._capture.set(cv2.CAP_PROP_EXPOSURE, chosen)

    def close(self) -> None:
        """Let go of the camera."""
        self._capture.release()
