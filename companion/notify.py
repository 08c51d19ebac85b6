"""What systemd is told of the running companion: that it is ready, what the display says, that it is alive.

The protocol is a datagram of lines to a socket named in the environment (sd_notify(3)); without it, nothing is told.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING

from companion.screens.language import translator

if TYPE_CHECKING:
    from companion.screens.view import View

LONGEST = 300  # characters of a status: one line of `systemctl status`


class Supervisor:
    """The service manager that has started this process, if one has.

    Args:
        environment: names its socket (``NOTIFY_SOCKET``) and the watchdog's time (``WATCHDOG_USEC``).

    >>> Supervisor({}).turned(0, "", alive=True)
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        # Told four times in its time, so that one turn that takes three quarters of it does no harm.
        self._period_ms = int(environment.get("WATCHDOG_USEC", "0")) // 4000
        self._ready = False
        self._status = ""
        self._fed_ms: int | None = None

    def turned(self, t_ms: int, status: str, *, alive: bool) -> None:
        """Tell what is new after a turn of the loop; the first one makes the service ready.

        Args:
            t_ms: now.
            status: what the display says, one line.
            alive: whether the watchdog is to be content; when it is not for its time, the process is restarted.
        """
        lines = []
        if not self._ready:
            self._ready = True
            lines.append("READY=1")
        if status != self._status:
            self._status = status
            lines.append(f"STATUS={status}")
        if self._period_ms and alive and (self._fed_ms is None or t_ms - self._fed_ms >= self._period_ms):
            self._fed_ms = t_ms
            lines.append("WATCHDOG=1")
        if lines:
            self._tell("\n".join(lines))

    def stopping(self) -> None:
        """Tell that the end has begun."""
        self._tell("STOPPING=1")

    def _tell(self, message: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        # A manager that is restarted itself is no reason to end the game; it is told again soon.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(message.encode(errors="replace"), address)


def status_line(view: View, language: str) -> str:
    """What a screen says, in one line.

    >>> from companion.screens.view import T, View
    >>> status_line(View("x", title=T("Ana"), big=T("place")), "en")
    'Ana | place'
    """
    texts = [view.title, view.big, *view.lines, *view.choices[view.chosen : view.chosen + 1]]
    words = (" ".join(translator(language).translate(text).split()) for text in texts if text is not None)
    return " | ".join(word for word in words if word)[:LONGEST]
