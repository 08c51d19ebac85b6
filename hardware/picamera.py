"""The Pi's own camera by picamera2, and its pixel formats."""

from __future__ import annotations

import logging
import threading
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
FRAME_US = 100_000
CAPTURE_S = 4  # the slowest start of a camera takes 2 s; LiveCamera reports a hanging driver after 5


def load_picamera2() -> Any:
    """The library's camera class.

    Raises:
        CameraError: it is not installed; says how to.
    """
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        raise CameraError(
            f"camera driver picamera2: {error}: install python3-picamera2 with apt, and make the Python environment "
            "with --system-site-packages"
        ) from error
    return Picamera2


class PiSource:
    """A camera on the Pi's ribbon cable.

    Exposure and white balance are held after a warm-up, the focus after one search; see :mod:`hardware.settling`.

    Args:
        library: the class Picamera2.
        device: number of the camera, counted from 0.
        size: width and height to ask for, px; libcamera may give its nearest.
        buffers: how many pictures libcamera may hold, each with its own memory.
        clock: ms of any fixed start.

    Raises:
        CameraError: there is no such camera, or it is in use.
    """

    def __init__(
        self,
        library: Any,
        device: int,
        size: tuple[int, int],
        buffers: int = 3,
        clock: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        if device >= len(library.global_camera_info()):
            raise CameraError(f"no camera {device} on the ribbon cable")
        self._clock = clock
        self._due = 0
        try:
            self._camera = library(device)
        except RuntimeError as error:  # "sequence did not complete": why is told by what it comes from
            cause = error.__cause__ or error
            raise CameraError(f"can't be opened; does another program use it? ({cause})") from error
        try:
            # "RGB888" is libcamera's name for bytes in the order B, G, R: what OpenCV wants. Pipelines without that
            # format change the request to what they have. Without raw pictures, each buffer is a third smaller.
            main = {"size": size, "format": "RGB888"}
            wanted = self._camera.create_preview_configuration(main=main, raw=None, buffer_count=buffers)
            self._camera.configure(wanted)
            actual = self._camera.camera_configuration()
            self._format = str(actual["main"]["format"])
            self._size: tuple[int, int] = tuple(actual["main"]["size"])
            self._colour_space = space_name(actual.get("colour_space"))
            self._settling = Settling(self._camera.camera_controls)
            if "FrameDurationLimits" in self._camera.camera_controls:
                # Up to ten pictures a second, and in a dark room as few as the exposure needs.
                self._camera.set_controls({"FrameDurationLimits": (FRAME_US, 5 * FRAME_US)})
            self._camera.start()
        except Exception:
            self._camera.close()
            raise

    def next_picture(self) -> Picture:
        """Wait for the next picture (BGR uint8, h x w x 3).

        Raises:
            CameraError: none came in time, or its pixel format is not known here.
        """
        # Cameras that can't be told their rate give 30 pictures a second or more; the newest waits for us.
        time.sleep(max(0, self._due - self._clock()) / 1000)
        self._due = self._clock() + FRAME_US // 1000
        request = self._request()
        try:
            array, metadata = request.make_array("main"), request.get_metadata()
        finally:
            request.release()
        picture = to_bgr(array, self._format, self._size, self._colour_space)
        controls = self._settling.update(self._clock(), metadata, float(picture[::16, ::16].mean()))
        if controls:
            log.info("camera: %s", ", ".join(f"{name} {value}" for name, value in controls.items()))
            self._camera.set_controls(controls)
        return picture

    def _request(self) -> Any:
        """The next finished request. The library waits for ever on its own; two are never under way."""
        done = threading.Event()
        job = self._camera.capture_request(signal_function=lambda job: done.set())
        if not done.wait(CAPTURE_S):
            # Without this, closing would wait behind the job that never ends.
            self._camera.cancel_all_and_flush()
            raise CameraError(f"no picture for {CAPTURE_S} s")
        return self._camera.wait(job)

    def close(self) -> None:
        """Let go of the camera."""
        self._camera.close()


def space_name(space: object) -> str:
    """libcamera's name of a colour space; its objects print themselves with more around it.

    >>> space_name("<libcamera.ColorSpace 'sYCC'>")
    'sYCC'
    """
    text = str(space)
    return text.split("'")[1] if text.count("'") == 2 else text


def to_bgr(array: npt.NDArray[np.uint8], pixel_format: str, size: tuple[int, int], colour_space: str) -> Picture:
    """A camera's array as a picture (BGR uint8, h x w x 3).

    Args:
        array: as picamera2's ``capture_array`` gives it; NV12 has 3/2 h rows of bytes, perhaps with padding.
        pixel_format: libcamera's name: "RGB888", "BGR888", "XRGB8888", "XBGR8888" or "NV12".
        size: width and height of the picture, px.
        colour_space: libcamera's name, for NV12: "sYCC" is full range with the matrix of BT.601, "Rec709" limited
            range with that of BT.709, others limited range with that of BT.601; or its four parts.

    Raises:
        CameraError: another pixel format.
    """
    import numpy as np

    width, height = size
    if pixel_format in ("RGB888", "XRGB8888"):
        return np.ascontiguousarray(array[:height, :width, :3])
    if pixel_format in ("BGR888", "XBGR8888"):
        return np.ascontiguousarray(array[:height, :width, 2::-1])
    if pixel_format != "NV12":
        raise CameraError(f"the camera's pixel format {pixel_format} is not known")
    return _nv12_to_bgr(array, width, height, colour_space)


def _nv12_to_bgr(array: npt.NDArray[np.uint8], width: int, height: int, colour_space: str) -> Picture:
    # OpenCV's own NV12 conversion takes all for limited range: 28 dB against 44 dB on libcamera's full-range default.
    import cv2
    import numpy as np

    rows = array.reshape(height * 3 // 2, -1)[:, :width]
    luma = rows[:height]
    half = np.ascontiguousarray(rows[height:]).reshape(height // 2, width // 2, 2)
    # Between the samples: chroma sits amid four pixels.
    chroma = cv2.resize(half, (width, height), interpolation=cv2.INTER_LINEAR)
    # A space without a name reads "primaries/transfer/matrix/range".
    parts = colour_space.lower().split("/")
    red, blue = (0.2126, 0.0722) if "709" in parts[-2 if len(parts) == 4 else 0] else (0.299, 0.114)
    full = parts[-1] in ("sycc", "jpeg", "full")
    scale_luma, scale_chroma, black = (1.0, 1.0, 0.0) if full else (255 / 219, 255 / 224, 16.0)
    green = 1 - red - blue
    # BT.601 and BT.709: R = Y + 2 (1 - Kr) Cr, B = Y + 2 (1 - Kb) Cb, and G from Y = Kr R + Kg G + Kb B.
    from_cb = np.array([2 * (1 - blue), -2 * blue * (1 - blue) / green, 0.0]) * scale_chroma
    from_cr = np.array([0.0, -2 * red * (1 - red) / green, 2 * (1 - red)]) * scale_chroma
    matrix = np.zeros((3, 4), np.float32)
    matrix[:, 0] = scale_luma
    matrix[:, 1] = from_cb
    matrix[:, 2] = from_cr
    matrix[:, 3] = -black * scale_luma - 128 * (from_cb + from_cr)
    planes = np.dstack([luma, chroma]).astype(np.float32)
    return cast("Picture", np.clip(np.rint(cv2.transform(planes, matrix)), 0, 255).astype(np.uint8))
