"""Cameras: the Pi's own, a USB one, a recording, a simulated table, or none."""

from __future__ import annotations

import contextlib
import threading
from bisect import bisect_right
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from companion.errors import CameraError, ConfigError
from hardware.recording import Recording
from hardware.usb import FRAME_MS, UsbSource

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hardware.base import Camera

    Picture = npt.NDArray[np.uint8]

DRIVERS = ("picamera2", "opencv", "recording", "simulated", "none")
SILENCE_MS = 5000  # the slowest start of a Pi's camera takes 2 s
STUCK_MS = 30_000  # what hangs so long hangs for good
RETRY_MS = (1000, 2000, 4000, 8000, 15_000, 30_000)  # a camera that fails again and again is tried less and less


def open_camera(driver: str, settings: Mapping[str, Any] | None = None) -> Camera:
    """Make the camera of a name.

    A real camera is opened by its first reads, so that a missing one does not keep the companion from starting.

    Args:
        driver: "picamera2", "opencv", "recording", "simulated" or "none".
        settings: the table [camera] of the configuration: ``size`` (px), ``device`` (counted from 0), ``rotation``
            (degrees clockwise: 0, 90, 180 or 270), ``buffers``; for "recording" the ``folder``; for "simulated"
            ``frame``, a function from ms to a picture.

    Raises:
        ConfigError: unknown driver, or a simulated camera without its function.
        CameraError: the camera's library is not installed.
        InputError: the recording is none.

    >>> open_camera("none").read(0) is None
    True
    """
    settings = settings or {}
    size = cast("tuple[int, int]", tuple(settings.get("size", (1280, 960))))
    device = settings.get("device", 0)
    rotation = settings.get("rotation", 0)
    buffers = settings.get("buffers", 3)
    if driver == "picamera2":
        from hardware.picamera import PiSource, load_picamera2

        library = load_picamera2()
        return LiveCamera(lambda: PiSource(library, device, size, buffers), rotation)
    if driver == "opencv":
        return LiveCamera(lambda: UsbSource(device, size), rotation)
    if driver == "recording":
        return RecordedCamera(Recording.open(Path(settings.get("folder", "recording"))))
    if driver == "simulated":
        if not callable(settings.get("frame")):
            raise ConfigError("the camera driver 'simulated' serves `companion demo` only")
        return SimulatedCamera(settings["frame"])
    if driver == "none":
        return NoCamera()
    raise ConfigError(f"unknown camera driver {driver!r}: allowed are {', '.join(DRIVERS)}")


class NoCamera:
    """No camera: the game is played by buttons alone."""

    stuck = False

    def read(self, t_ms: int) -> Picture | None:
        """Nothing."""
        return None

    def close(self) -> None:
        """Nothing to let go of."""


class SimulatedCamera:
    """Looks at a table drawn in software, ten times a second at most.

    Args:
        frame: gives the picture of a moment (ms): BGR uint8, h x w x 3.
    """

    stuck = False

    def __init__(self, frame: Callable[[int], Picture]) -> None:
        self._frame = frame
        self._last: int | None = None

    def read(self, t_ms: int) -> Picture | None:
        """The table now, or None when the last picture is younger than a tenth of a second."""
        if self._last is not None and t_ms - self._last < FRAME_MS:
            return None
        self._last = t_ms
        return self._frame(t_ms)

    def close(self) -> None:
        """Nothing to let go of."""


class RecordedCamera:
    """Shows a recording's pictures at their times."""

    stuck = False

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._given = 0  # pictures given or skipped so far

    def read(self, t_ms: int) -> Picture | None:
        """The newest picture not later than now, if it was not given yet.

        Raises:
            PictureError: its file can't be decoded.
        """
        due = bisect_right(self.recording.frames_ms, t_ms)
        if due <= self._given:
            return None
        self._given = due
        return self.recording.picture(self.recording.frames_ms[due - 1])

    def close(self) -> None:
        """Nothing to let go of."""


class Source(Protocol):
    """An opened camera whose calls may block."""

    def next_picture(self) -> Picture:
        """Wait for the next picture (BGR uint8, h x w x 3); any exception means that the camera is gone."""
        ...

    def close(self) -> None:
        """Let go of the camera."""
        ...


class LiveCamera:
    """Keeps the newest picture of a camera that is read in a thread of its own, so that a read never waits.

    A camera that fails is opened again after a second, then after ever longer pauses up to half a minute. One that
    hangs is reported after five seconds and left to its thread: nothing can end a call that hangs in the driver, but
    it may come back.

    Args:
        open_source: opens the camera; may block and raise.
        rotation: degrees by which its pictures are turned clockwise: 0, 90, 180 or 270.
    """

    def __init__(self, open_source: Callable[[], Source], rotation: int = 0) -> None:
        self._open_source = open_source
        self._quarters = rotation // 90
        self._lock = threading.Lock()
        self._picture: Picture | None = None
        self._problem: str | None = None
        self._closed = False
        self._thread: threading.Thread | None = None
        self._heard_ms: int | None = None
        self._retry_ms = 0
        self._failures = 0  # since the last picture
        self._seen = False  # any picture yet
        self.stuck = False

    def read(self, t_ms: int) -> Picture | None:
        """The newest picture if it was not given yet.

        Raises:
            CameraError: the camera is gone or hangs; it is tried again.
        """
        with self._lock:
            picture, self._picture = self._picture, None
            problem = self._problem
            if picture is not None:
                self._problem = None
        if picture is not None:
            self._heard_ms = self._retry_ms = t_ms
            self._seen, self.stuck, self._failures = True, False, 0
            return self._turned(picture)
        if self._thread is None or not self._thread.is_alive():
            if t_ms >= self._retry_ms:
                self._start(t_ms)
        elif self._heard_ms is not None and t_ms - self._heard_ms > SILENCE_MS:
            problem = problem or f"no picture for {SILENCE_MS // 1000} s"
            self.stuck = self._seen and t_ms - self._heard_ms > STUCK_MS
        if problem is not None:
            raise CameraError(f"camera: {problem}")
        return None

    def close(self) -> None:
        """Let go of the camera. Waits for its thread, but not for one that hangs."""
        self._closed = True
        if self._thread is not None:
            self._thread.join(timeout=2.0)

    def _turned(self, picture: Picture) -> Picture:
        if not self._quarters:
            return picture
        import cv2

        codes = (cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE)
        return cast("Picture", cv2.rotate(picture, codes[self._quarters - 1]))

    def _start(self, t_ms: int) -> None:
        self._retry_ms = t_ms + RETRY_MS[min(self._failures, len(RETRY_MS) - 1)]
        self._failures += 1
        self._heard_ms = t_ms
        self.stuck = False
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        source: Source | None = None
        try:
            source = self._open_source()
            while not self._closed:
                picture = source.next_picture()
                with self._lock:
                    self._picture = picture
        except Exception as error:  # drivers raise anything; the reader gets it as the camera's problem
            with self._lock:
                self._problem = " ".join(str(error).split()) or type(error).__name__
        finally:
            if source is not None:
                with contextlib.suppress(Exception):
                    source.close()
