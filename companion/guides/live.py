"""The camera's picture made small for the display."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.screens.view import CameraPicture

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Outline = tuple[tuple[float, float], ...]


def camera_picture(picture: npt.NDArray[np.uint8], outlines: tuple[Outline, ...] = ()) -> CameraPicture:
    """A picture for a view: grey, and stretched over the whole range, for the display knows only black and white.

    Args:
        picture: BGR uint8, h x w x 3.
        outlines: closed lines to draw over it, as points in shares of its width and height.

    >>> import numpy as np
    >>> camera_picture(np.zeros((960, 1280, 3), np.uint8)).width
    128
    """
    import cv2
    import numpy as np

    height, width = picture.shape[:2]
    scale = min(1.0, 128 / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    grey = cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY).astype(float)
    low, high = np.percentile(grey, (2, 98))
    stretched = np.clip((grey - low) * (255 / max(high - low, 1.0)), 0, 255).astype(np.uint8)
    return CameraPicture(*size, stretched.tobytes(), outlines)
