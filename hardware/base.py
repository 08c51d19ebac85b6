"""The three kinds of device, as small protocols; each has real, scripted and absent drivers, chosen by name.

Time is in milliseconds since the start and is always given by the caller, so that a recorded evening replays
exactly. A driver maps its library's errors to the family in :mod:`companion.errors`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

ButtonName = Literal["up", "down", "ok", "back"]
Light = Literal["on", "dim", "off"]
BUTTON_NAMES: tuple[ButtonName, ...] = ("up", "down", "ok", "back")


@dataclass(frozen=True, slots=True)
class Press:
    """A finished button action: ``press`` (let go again) or ``hold`` (held for its time; letting go adds nothing)."""

    t_ms: int
    button: ButtonName
    action: Literal["press", "hold"]


class Camera(Protocol):
    """A camera above the table.

    Attributes:
        stuck: a call into the driver hangs and nothing but a new process can help; said only of a camera that has
            given pictures to this process, so that one which never does is no reason to start again and again.
    """

    stuck: bool

    def read(self, t_ms: int) -> npt.NDArray[np.uint8] | None:
        """The newest picture (BGR uint8, h x w x 3), or None when there is none newer than the last one given.

        Raises:
            CameraError: the camera is gone; the next call tries it again.
        """
        ...

    def close(self) -> None:
        """Let go of the camera; further calls are errors."""
        ...


class Display(Protocol):
    """A small display.

    Attributes:
        size: width and height in px.
        burns_in: pixels that are lit for long stay dark for ever: it wants to be dimmed when nothing happens.
    """

    size: tuple[int, int]
    burns_in: bool

    def show(self, image: Image.Image, t_ms: int) -> None:
        """Show a picture of mode "1" and of the display's size.

        Raises:
            DisplayError: the display does not answer; the next call tries it again.
        """
        ...

    def light(self, light: Light) -> None:
        """Light the display, dim it, or switch its pixels off; pictures shown in between keep that.

        Raises:
            DisplayError: the display does not answer.
        """
        ...

    def close(self) -> None:
        """Blank the display and let go of it."""
        ...


class Buttons(Protocol):
    """Four buttons."""

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """The actions finished since the last call, in order of time. Never blocks, never raises."""
        ...

    def close(self) -> None:
        """Let go of the buttons."""
        ...
