"""One view of every screen there is, for the contact sheet, the golden pictures and the tests of texts."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec

from companion.screens.view import View


def sample_views() -> dict[str, View]:
    """Every screen of the arbiter, the guides, the page for the phone and the games.

    Returns:
        The views by a name for files: the view's code, with a number where several share it.
    """
    from companion.arbiter import menus
    from companion.games import GAMES, flow_of
    from companion.guides import GUIDES, loop
    from companion.web import phone

    # A game may have its referee before it has screens.
    guides = [importlib.import_module(module) for _, module in GUIDES.values()]
    shown = [game for game, package in GAMES.items() if find_spec(f"{package}.flow")]
    return named(
        [
            *menus.samples(),
            *loop.samples(),
            *phone.samples(),
            *(view for guide in guides for view in guide.samples()),
            *(view for game in shown for view in flow_of(game).samples()),
        ]
    )


def named(views: Sequence[View]) -> dict[str, View]:
    """Give each view a name of its own.

    >>> list(named([View("menu"), View("menu")]))
    ['menu', 'menu-2']
    """
    found: dict[str, View] = {}
    for view in views:
        count = sum(other.code == view.code for other in found.values())
        found[f"{view.code}-{count + 1}" if count else view.code] = view
    return found
