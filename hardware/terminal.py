"""The display in a terminal, true to the pixels, drawn in place."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from typing import TYPE_CHECKING, TextIO

from companion.errors import DisplayError

if TYPE_CHECKING:
    from PIL import Image

    from hardware.base import Light

ENTER = "\x1b[?1049h\x1b[?25l"  # the alternate screen, without a cursor
LEAVE = "\x1b[?25h\x1b[?1049l"
HOME = "\x1b[H"
HALVES = " ▄▀█"
HALVES_ASCII = " .':"
# Unicode numbers a braille cell's dots column by column, the lowest row last (U+2800 and the block after it).
BRAILLE_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def half_blocks(image: Image.Image, letters: str = HALVES) -> list[str]:
    """Rows of letters, each standing for two pixels one above the other.

    Args:
        image: mode "1", any size.
        letters: for none lit, the lower, the upper, both.

    >>> from PIL import Image
    >>> half_blocks(Image.frombytes("1", (4, 2), bytes([0b01010000, 0b00110000])))
    [' ▀▄█']
    """
    width, height = image.size
    lit = _pixels(image)
    return ["".join(letters[2 * lit(x, y) + lit(x, y + 1)] for x in range(width)).rstrip() for y in range(0, height, 2)]


def braille(image: Image.Image) -> list[str]:
    """Rows of braille letters, each standing for two by four pixels: 128x64 fits a terminal of 80x24.

    >>> from PIL import Image
    >>> braille(Image.frombytes("1", (2, 1), bytes([0b01000000])))
    ['⠈']
    """
    width, height = image.size
    lit = _pixels(image)
    return [
        "".join(
            chr(
                0x2800
                + sum(bit * lit(x + i, y + j) for j, bits in enumerate(BRAILLE_BITS) for i, bit in enumerate(bits))
            )
            for x in range(0, width, 2)
        )
        for y in range(0, height, 4)
    ]


class _pixels:  # noqa: N801 - used as a function
    """Pixels of a picture as 0 or 1; outside of it they are dark."""

    def __init__(self, image: Image.Image) -> None:
        self._size = image.size
        self._data = image.convert("L").tobytes()

    def __call__(self, x: int, y: int) -> int:
        width, height = self._size
        return int(x < width and y < height and self._data[y * width + x] > 0)


class TerminalDisplay:
    """Draws pictures in a terminal with half-block letters, or with braille where those do not fit.

    A stream that is no terminal, or a "dumb" one, gets each changed picture as lines of text. One that can't show
    block letters gets ASCII. The terminal is as it was after ``close``, which also happens at exit.

    Attributes:
        caption: lines to write under the picture, for example what the keys do; only where it is drawn in place.
    """

    burns_in = False

    def __init__(self, size: tuple[int, int], stream: TextIO | None = None) -> None:
        self.size = size
        self.caption: tuple[str, ...] = ()
        self._stream = stream or sys.stdout
        self._in_place = self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._entered = False
        self._shown: tuple[bytes, tuple[int, int], tuple[str, ...]] | None = None

    def show(self, image: Image.Image, t_ms: int) -> None:
        """Draw the picture if it, or the terminal's size, has changed.

        Raises:
            DisplayError: the terminal is gone.
        """
        room = self._room()
        caption = self.caption if self._in_place else ()
        now = (image.tobytes(), room, caption)
        if now == self._shown:
            return
        rows = self._rows(image, (room[0], room[1] - len(caption)))
        text = "\n".join(row[: room[0]] for row in [*rows, *caption][: room[1]])
        if self._in_place:
            start = "" if self._entered else ENTER
            if not self._entered:
                atexit.register(self.close)
            self._entered = True
            # Each row is cleared to its end, and the screen below the last one.
            text = start + HOME + text.replace("\n", "\x1b[K\n") + "\x1b[K\x1b[J"
        else:
            text += "\n\n"
        self._write(text)
        self._shown = now

    def light(self, light: Light) -> None:
        """A terminal's light is its own affair."""

    def close(self) -> None:
        """Give the terminal back as it was."""
        if self._entered:
            self._entered = False
            atexit.unregister(self.close)
            with contextlib.suppress(DisplayError):
                self._write(LEAVE)
        self._shown = None

    def _rows(self, image: Image.Image, room: tuple[int, int]) -> list[str]:
        width, height = image.size
        try:
            (HALVES + "⠿").encode(self._stream.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            return half_blocks(image, HALVES_ASCII)
        if width > room[0] or (height + 1) // 2 > room[1]:
            return braille(image)
        return half_blocks(image)

    def _room(self) -> tuple[int, int]:
        """Columns and rows; a stream that is no terminal has plenty."""
        try:
            columns, rows = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            return 10_000, 10_000
        return columns or 80, rows or 24

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            raise DisplayError(f"terminal: {error}") from error
