"""Loaded into the service in the rig's root alone: a camera made of grey, and ways to make the program hang.

/run/companion/hang-camera: the camera's driver no longer returns. /run/companion/hang-loop: the display's does not.
"""

import sys
import threading
import time
from pathlib import Path

RUN = Path("/run/companion")


def hang_if(name: str) -> None:
    if (RUN / name).exists():
        threading.Event().wait()


class Capture:
    """What OpenCV offers of a USB camera."""

    def __init__(self, *_):
        self.given = 0

    def isOpened(self):  # noqa: N802
        return True

    def set(self, *_):
        return True

    def get(self, *_):
        return 0.0

    def getBackendName(self):  # noqa: N802
        return "V4L2"

    def grab(self):
        hang_if("hang-camera")
        time.sleep(0.03)
        return True

    def retrieve(self, *_):
        import numpy as np

        self.given += 1
        (RUN / "pictures").write_text(str(self.given))
        return True, np.full((480, 640, 3), 90 + self.given % 2, np.uint8)

    def read(self, *_):
        self.grab()
        return self.retrieve()

    def release(self):
        pass


def install() -> None:
    import cv2

    import hardware.display

    cv2.VideoCapture = Capture
    show = hardware.display.NoDisplay.show
    hardware.display.NoDisplay.show = lambda self, *args: (hang_if("hang-loop"), show(self, *args))[1]


if RUN.exists() and sys.prefix.startswith("/opt/tabletop-companion/"):
    install()
