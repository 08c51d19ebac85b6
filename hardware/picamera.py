"""The Pi's own camera by picamera2, and its pixel formats."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

from companion.errors import CameraError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Picture = npt.NDArray[np.uint8]

AF_CONTINUOUS = 2  # libcamera.controls.AfModeEnum.Continuous
FRAME_US = 100_000


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

    Args:
        library: the class Picamera2.
        device: number of the camera, counted from 0.
        size: width and height to ask for, px; libcamera may give its nearest.

    Raises:
        CameraError: there is no such camera.
    """

    def __init__(self, library: Any, device: int, size: tuple[int, int]) -> None:
        if device >= len(library.global_camera_info()):
            raise CameraError(f"no camera {device} on the ribbon cable")
        self._due = 0.0
        self._camera = library(device)
        try:
            # "RGB888" is libcamera's name for bytes in the order B, G, R: what OpenCV wants. Pipelines without that
            # format change the request to what they have.
            wanted = self._camera.create_preview_configuration(main={"size": size, "format": "RGB888"})
            self._camera.configure(wanted)
            actual = self._camera.camera_configuration()
            self._format = str(actual["main"]["format"])
            self._size: tuple[int, int] = tuple(actual["main"]["size"])
            self._colour_space = str(actual.get("colour_space"))
            self._camera.set_controls(self._controls())
            self._camera.start()
        except Exception:
            self._camera.close()
            raise

    def _controls(self) -> dict[str, Any]:
        """What this camera has of: continuous focus (Camera Module 3 else stays at infinity), ten pictures a second."""
        wanted = {"AfMode": AF_CONTINUOUS, "FrameDurationLimits": (FRAME_US, FRAME_US)}
        return {name: value for name, value in wanted.items() if name in self._camera.camera_controls}

    def next_picture(self) -> Picture:
        """Wait for the next picture (BGR uint8, h x w x 3).

        Raises:
            CameraError: the camera's pixel format is not known here.
        """
        # Cameras that can't be told their rate give 30 pictures a second or more; the newest waits for us.
        time.sleep(max(0.0, self._due - time.monotonic()))
        self._due = time.monotonic() + FRAME_US / 1e6
        return to_bgr(self._camera.capture_array("main"), self._format, self._size, self._colour_space)

    def close(self) -> None:
        """Let go of the camera."""
        self._camera.close()


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
