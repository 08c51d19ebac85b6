"""The games: one package each, found by name through this registry.

A game's package holds modules of fixed names, imported only when they are needed:

- ``rules``   the pure referee: a ``RULES`` object (:class:`companion.games.base.Rules`),
- ``flow``    what the arbiter expects to see and asks: a ``FLOW`` object (:class:`companion.arbiter.flow.Flow`),
- ``table``   the simulated table for the demo: ``SimulatedGame`` (:class:`companion.simulator.base.SimulatedGame`).

A new game adds a package and one line here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from companion.errors import RecordError

if TYPE_CHECKING:
    from companion.arbiter.flow import Flow
    from companion.games.base import Rules
    from companion.simulator.base import SimulatedGame

GAMES: dict[str, str] = {
    "pizza": "companion.games.pizza",
    "wizard_dice": "companion.games.wizard_dice",
    "wizard_cards": "companion.games.wizard_cards",
}


def _part(game: str, module: str, name: str) -> Any:
    if game not in GAMES:
        raise RecordError(f"unknown game {game[:40]!a}: known are {', '.join(GAMES)}")
    path = f"{GAMES[game]}.{module}"
    try:
        return getattr(importlib.import_module(path), name)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        raise RecordError(f"{game} can be adjudicated, but not played yet: it has no {module}") from error


def rules_of(game: str) -> Rules[Any, Any]:
    """The referee of a game.

    Raises:
        RecordError: there is no such game.
    """
    return cast("Rules[Any, Any]", _part(game, "rules", "RULES"))


def flow_of(game: str) -> Flow[Any, Any]:
    """What the arbiter needs to lead a game at the table.

    Raises:
        RecordError: there is no such game.
    """
    return cast("Flow[Any, Any]", _part(game, "flow", "FLOW"))


def simulated_game(game: str) -> type[SimulatedGame]:
    """The class that draws and plays a game on the simulated table.

    Raises:
        RecordError: there is no such game.
    """
    return cast("type[SimulatedGame]", _part(game, "table", "SimulatedGame"))
