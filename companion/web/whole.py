"""The whole page, and opening it beside a game's loop."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.web.hub import Hub
from companion.web.server import PageServer

if TYPE_CHECKING:
    from companion.web.doors import Doors

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Files:
    """Where the page finds what the loop does not tell.

    Args:
        data: folder of the journal and of the finished games.
        profile: folder of the calibration.
        config: the file of the settings; None: what is set lasts until the end only.
    """

    data: Path
    profile: Path
    config: Path | None = None


def open_page(hub: Hub, web: Mapping[str, Any], files: Files, *, any_port: bool = False) -> PageServer | None:
    """Serve the page as the configuration says.

    Args:
        hub: where the game's loop meets it.
        web: the table [web] of the configuration.
        files: what it works with.
        any_port: take another port when this one is taken.

    Returns:
        The server; None when the page is off, or can't be served: the game goes on without.
    """
    if web["page"] == "off":
        return None
    lan = web["page"] == "network"

    def make(hub: Hub, doors: Doors, address: Callable[[], str]) -> Any:
        return whole_app(hub, doors, files, address)

    for port in (web["port"], *((0,) if any_port else ())):
        try:
            return PageServer(hub, lan=lan, port=port, folder=files.data, make_app=make)
        except OSError as error:
            reason = error.strerror or str(error)
    log.warning("the page for the phone is not served: port %d: %s", web["port"], reason)
    return None


def whole_app(hub: Hub, doors: Doors, files: Files, address: Callable[[], str]) -> Any:
    """The application with all its parts.

    Args:
        hub: where the game's loop meets it.
        doors: who is paired.
        files: what it works with.
        address: where a browser finds it.
    """
    from companion.web.acts import act_routes
    from companion.web.app import make_app
    from companion.web.calibrate import calibrate_routes
    from companion.web.history import history_routes
    from companion.web.new_game import new_game_routes
    from companion.web.settings import settings_routes

    return make_app(
        hub,
        doors,
        act_routes,
        new_game_routes,
        lambda page: history_routes(page, files.data),
        lambda page: calibrate_routes(page, files.data, files.profile),
        lambda page: settings_routes(page, files.config, files.data, address),
    )
