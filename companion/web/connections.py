"""Connections to the page, of strangers too: none may be held for nothing, and no machine may hold them all.

Without this, whoever is in the same network could keep the page from everybody by opening connections and saying
nothing. The game would go on; its page would not.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0  # seconds in which a request's head must have come
MOST_EACH = 24  # connections of one address: a browser opens six
LOST_MS = 20_000  # a phone that has left the Wi-Fi without a word is given up after so long


class Connection(H11Protocol):
    """One connection of a browser, given up when it asks for nothing."""

    _held: ClassVar[Counter[str]] = Counter()
    """How many connections each address holds."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or refuse the next one of an address that holds many."""
        super().connection_made(transport)
        peer: Any = transport.get_extra_info("peername")
        self._address = str(peer[0]) if peer else "?"
        self._late: asyncio.TimerHandle | None = None
        self._held[self._address] += 1
        if self._held[self._address] > MOST_EACH:
            transport.abort()
            return
        line = transport.get_extra_info("socket")
        with contextlib.suppress(AttributeError, OSError):  # not all systems can
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, LOST_MS)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._calm()
        self._held[self._address] -= 1
        if self._held[self._address] <= 0:
            del self._held[self._address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what the browser says."""
        super().data_received(data)
        self._watch()

    def _watch(self) -> None:
        """While a request's head is not whole, its time runs."""
        if self.conn.their_state is not h11.IDLE:
            self._calm()
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_S, self._give_up)

    def _calm(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.abort()
