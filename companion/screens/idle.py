"""When nothing happens: the display is dimmed, its picture wanders, and later it is dark. Pure: time is an argument.

The pixels of an OLED that are always lit lose half of their light within months.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from hardware.base import Buttons, Light, Press

WANDER_MS = 60_000
# A ring around the picture's place: no pixel stays the same for longer than it takes to go around.
WAY = ((0, 0), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


class Idle:
    """Knows for how long nothing has happened.

    Args:
        dim_after_s: dimmed when nothing has happened for so long, seconds; 0: never.
        off_after_s: dark when nothing has happened for so long, seconds; 0: never.

    >>> idle = Idle(60, 600)
    >>> idle.stir(0)
    >>> [idle.light(t) for t in (59_999, 60_000, 600_000)]
    ['on', 'dim', 'off']
    """

    def __init__(self, dim_after_s: int, off_after_s: int) -> None:
        self._dim_ms = dim_after_s * 1000
        self._off_ms = off_after_s * 1000
        self._stirred = 0

    def stir(self, t_ms: int) -> None:
        """Something has happened: a press, or the screen says something new."""
        self._stirred = t_ms

    def light(self, t_ms: int) -> Light:
        """How the display is to be lit now."""
        quiet = t_ms - self._stirred
        if self._off_ms and quiet >= self._off_ms:
            return "off"
        return "dim" if self._dim_ms and quiet >= self._dim_ms else "on"

    def shift(self, t_ms: int) -> tuple[int, int]:
        """By how much the picture is to be moved now, px right and down; not at all while the display is lit."""
        if self.light(t_ms) == "on":
            return WAY[0]
        return WAY[(t_ms - self._stirred) // WANDER_MS % len(WAY)]


class WakingButtons:
    """Four buttons of which the press that wakes the display does nothing else.

    Args:
        buttons: the buttons beside that display.
        idle: how long nothing has happened there.
    """

    def __init__(self, buttons: Buttons, idle: Idle) -> None:
        self._buttons = buttons
        self._idle = idle

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """See :meth:`hardware.base.Buttons.poll`."""
        presses = self._buttons.poll(t_ms)
        if not presses:
            return presses
        slept = self._idle.light(presses[0].t_ms) != "on"
        self._idle.stir(t_ms)
        return presses[1:] if slept else presses

    def close(self) -> None:
        """Let go of the buttons."""
        self._buttons.close()


def shifted(image: Image.Image, shift: tuple[int, int]) -> Image.Image:
    """The picture moved by px right and down; what leaves it at the edge is lost.

    >>> shifted(Image.new("1", (4, 4), 1), (1, 0)).getpixel((0, 0))
    0
    """
    if shift == (0, 0):
        return image
    moved = Image.new(image.mode, image.size)
    moved.paste(image, shift)
    return moved
