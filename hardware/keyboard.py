"""The four buttons on a terminal's keyboard."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import sys
from typing import Any, Literal

from hardware.base import ButtonName, Press

Action = Literal["press", "hold"]
KEYS: dict[bytes, tuple[ButtonName, Action]] = {
    b"\x1b[A": ("up", "press"),
    b"\x1bOA": ("up", "press"),
    b"w": ("up", "press"),
    b"\x1b[B": ("down", "press"),
    b"\x1bOB": ("down", "press"),
    b"s": ("down", "press"),
    b"\r": ("ok", "press"),
    b"\n": ("ok", "press"),
    b"\x7f": ("back", "press"),
    b"\x08": ("back", "press"),
    b"b": ("back", "press"),
    b"\x1b": ("back", "press"),
    b"u": ("back", "hold"),
    b"m": ("ok", "hold"),
}
QUIT = b"q"


def parse_keys(data: bytes) -> tuple[list[tuple[ButtonName, Action] | None], bytes]:
    """Tell the keys in what a terminal sent.

    Args:
        data: bytes as read.

    Returns:
        The buttons they stand for, None for the quit key, unknown keys left out; and the rest, which may be the
        start of an arrow key.

    >>> parse_keys(b"\\x1b[Ax\\rq\\x1b")
    ([('up', 'press'), ('ok', 'press'), None], b'\\x1b')
    """
    found: list[tuple[ButtonName, Action] | None] = []
    while data:
        if data[:1] == b"\x1b":
            if data in (b"\x1b", b"\x1b[", b"\x1bO"):
                break
            if data[1:2] in (b"[", b"O"):
                # A sequence ends with its first letter or "~".
                end = next((i + 1 for i in range(2, len(data)) if 0x40 <= data[i] <= 0x7E), len(data))
            else:
                end = 1  # the escape key itself, and another key after it
        else:
            end = 1
        key, data = data[:end], data[end:]
        if key.lower() == QUIT:
            found.append(None)
        elif action := KEYS.get(key if key.startswith(b"\x1b") else key.lower()):
            found.append(action)
    return found, data


class KeyboardButtons:
    """Reads keys from a terminal: arrows or w and s, Enter for ok, Backspace, Esc or b for back.

    ``u`` is back held (undo), ``m`` is ok held (menu), ``q`` ends the program as Ctrl-C does. Input that is no
    terminal is read as keys as well until it ends. In the background the terminal is left alone.

    Args:
        fd: file descriptor to read, standard input if not given.
    """

    def __init__(self, fd: int | None = None) -> None:
        self._fd: int | None = _standard_input() if fd is None else fd
        self._before: list[Any] | None = None
        self._rest = b""
        self._rest_since = 0
        if self._fd is not None and os.isatty(self._fd):
            self._take_terminal(self._fd)

    def _take_terminal(self, fd: int) -> None:
        import termios
        import tty

        try:
            if os.tcgetpgrp(fd) != os.getpgrp():  # touching the terminal from the background would stop us
                self._fd = None
                return
            self._before = termios.tcgetattr(fd)
            tty.setcbreak(fd)
        except (OSError, termios.error):
            self._fd = None
            return
        atexit.register(self.close)

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """The keys struck since the last call."""
        keys, rest = parse_keys(self._rest + self._read())
        if rest != self._rest:
            self._rest_since = t_ms
        elif rest and t_ms > self._rest_since:
            # Nothing followed: it was the escape key.
            keys, rest = [*keys, KEYS[b"\x1b"]], b""
        self._rest = rest
        if None in keys:
            signal.raise_signal(signal.SIGINT)
        return tuple(Press(t_ms, *key) for key in keys if key is not None)

    def _read(self) -> bytes:
        if self._fd is None:
            return b""
        try:
            if not select.select([self._fd], [], [], 0)[0]:
                return b""
            data = os.read(self._fd, 1024)
        except (OSError, ValueError):
            data = b""
        if not data:  # the end of input, or the terminal is gone
            self._fd = None
        return data

    def close(self) -> None:
        """Give the terminal back as it was."""
        fd, before = self._fd, self._before
        self._fd = self._before = None
        if before is not None and fd is not None:
            import termios

            atexit.unregister(self.close)
            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _standard_input() -> int | None:
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # there is none
        return None
