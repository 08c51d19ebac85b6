"""Serves the page in a thread of its own, beside the loop that keeps the game."""

from __future__ import annotations

import asyncio
import importlib
import logging
import math
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.web.doors import CODE_S, Doors
from companion.web.phone import PhoneForm

if TYPE_CHECKING:
    from companion.web.doors import Role
    from companion.web.hub import Hub

MakeApp = Callable[["Hub", Doors, Callable[[], str]], Any]
log = logging.getLogger(__name__)
STOP_S = 3.0
MOST_CONNECTIONS = 60


class PageServer:
    """The page, being served.

    Args:
        hub: where the game's loop meets it.
        lan: whether other machines may come; otherwise only this one.
        port: to listen on; 0: any that is free.
        folder: where paired devices are kept; None: they are forgotten at the end.
        make_app: makes the application, in the server's thread, so that nothing waits for its imports.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, hub: Hub, *, lan: bool, port: int, folder: Path | None, make_app: MakeApp) -> None:
        self.doors = Doors(folder, code_s=CODE_S if lan else math.inf)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind(("0.0.0.0" if lan else "127.0.0.1", port))
            self._socket.listen(64)
        except OSError:
            self._socket.close()
            raise
        self._lan = lan
        self._port = int(self._socket.getsockname()[1])
        self._make_app: Callable[[], Any] = lambda: make_app(hub, self.doors, lambda: self.address)
        self._server: Any = None
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where a browser finds the page; asked anew each time, since a router may give this machine another one."""
        return f"http://{lan_address() if self._lan else '127.0.0.1'}:{self._port}"

    def code(self, role: Role = "player") -> str:
        """The pairing code to show now."""
        return self.doors.code(role, time.monotonic())

    def phone(self) -> PhoneForm:
        """The screen that lets a phone in."""
        return PhoneForm(self.address, self.code)

    def close(self) -> None:
        """Stop serving; streams to phones are cut."""
        if self._server is not None:
            self._server.should_exit = self._server.force_exit = True
        self._thread.join(STOP_S)
        self._socket.close()

    def _run(self) -> None:
        try:
            uvicorn: Any = importlib.import_module("uvicorn")
            logging.getLogger("uvicorn.error").addFilter(_no_cut)
            connections: Any = importlib.import_module("companion.web.connections")
            config = uvicorn.Config(
                self._make_app(),
                http=connections.Connection,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_keep_alive=15,
            )
            self._server = uvicorn.Server(config)
            self._server.run(sockets=[self._socket])
        except Exception:  # the page may fail, the game may not
            log.exception("the page for the phone has stopped; the game goes on")


def _no_cut(record: logging.LogRecord) -> bool:
    """Whether a line belongs in the log: that streams to phones are cut at the end is no error."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def lan_address() -> str:
    """This machine's address in its network; the loopback address when it is in none.

    Nothing is sent: connecting a datagram socket only asks the routing table.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
