"""Sends a monochrome OLED only what has changed: luma's drivers send all of each picture.

A full picture of 128x64 takes 93 ms at the Pi's default I2C speed, in which the loop can't answer a button; a blinking
space or another line of text a tenth of that. Two ways of addressing are understood, SSD1306's window (also SSD1305,
SSD1309) and SH1106's pages; what other chips are sent passes unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

COLUMNS, PAGES = 0x21, 0x22  # SSD1306: first and last column, first and last page
PAGE, LAST_PAGE = 0xB0, 0xBF  # SH1106: page, then the column's low and high half byte
COMMAND_BYTES = 8  # a window's cost on the bus: address, control byte, six bytes


class Thrift:
    """Stands between a driver and its bus.

    Args:
        command, data: send a command's bytes, or pixels.

    >>> sent = []
    >>> thrift = Thrift(lambda *c: sent.append(c), lambda d: sent.append(bytes(d)))
    >>> for picture in (b"aaaa", b"aaba"):
    ...     thrift.command(0x21, 0, 3, 0x22, 0, 0)
    ...     thrift.data(picture)
    >>> sent
    [(33, 0, 3, 34, 0, 0), b'aaaa', (33, 2, 2, 34, 0, 0), b'b']
    """

    def __init__(self, command: Callable[..., None], data: Callable[[Sequence[int]], None]) -> None:
        self._command = command
        self._data = data
        self._window: tuple[int, ...] | None = None  # told by the driver, not yet sent
        self._glass: dict[tuple[int, ...], bytes] = {}  # window -> what was sent into it

    def forget(self) -> None:
        """What the chip holds is not known: the next picture is sent in full."""
        self._glass.clear()
        self._window = None

    def command(self, *code: int) -> None:
        """Send a command, or keep a window until its pixels come."""
        if self._window is not None:  # no pixels followed: it was no window
            self._command(*self._window)
        self._window = code if _is_window(code) or _is_page(code) else None
        if self._window is None:
            self._command(*code)

    def data(self, pixels: Sequence[int]) -> None:
        """Send what differs from the pixels sent into the same window before."""
        window, self._window = self._window, None
        if window is None:
            self._data(pixels)
            return
        new = bytes(pixels)
        old = self._glass.pop(window, b"")  # an error on the bus leaves the window unknown
        if len(old) != len(new):
            self._command(*window)
            self._data(pixels)
        elif len(window) == 3:
            self._page(window, old, new)
        else:
            self._pages(window, old, new)
        self._glass[window] = new

    def _page(self, window: tuple[int, ...], old: bytes, new: bytes) -> None:
        span = _span(old, new)
        if span is not None:
            column = (window[1] & 0x0F | (window[2] & 0x0F) << 4) + span[0]
            self._command(window[0], column & 0x0F, 0x10 | column >> 4)
            self._data(list(new[span[0] : span[1]]))

    def _pages(self, window: tuple[int, ...], old: bytes, new: bytes) -> None:
        left, right, first = window[1], window[2], window[4]
        width = right - left + 1
        spans = {
            page: span
            for page in range(len(new) // width)
            if (span := _span(*(v[page * width : (page + 1) * width] for v in (old, new)))) is not None
        }
        if not spans:
            return
        whole = (min(s[0] for s in spans.values()), max(s[1] for s in spans.values()))
        pages = range(min(spans), max(spans) + 1)
        # One window around all changes, or one for each page that has any: what takes less.
        one = COMMAND_BYTES + len(pages) * (whole[1] - whole[0])
        each = sum(COMMAND_BYTES + span[1] - span[0] for span in spans.values())
        windows = [(pages, whole)] if one <= each else [(range(p, p + 1), span) for p, span in spans.items()]
        for rows, (start, end) in windows:
            self._command(COLUMNS, left + start, left + end - 1, PAGES, first + rows[0], first + rows[-1])
            self._data([byte for p in rows for byte in new[p * width + start : p * width + end]])


def _is_window(code: tuple[int, ...]) -> bool:
    return len(code) == 6 and code[0] == COLUMNS and code[3] == PAGES


def _is_page(code: tuple[int, ...]) -> bool:
    # Other chips have commands of three bytes that begin alike: SSD1322's display enhancement is B4 A0 FD.
    return len(code) == 3 and PAGE <= code[0] <= LAST_PAGE and code[1] < 0x10 <= code[2] < 0x20


def _span(old: bytes, new: bytes) -> tuple[int, int] | None:
    """From the first to after the last byte that differs; None when all are equal."""
    differ = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    return (differ[0], differ[-1] + 1) if differ else None
