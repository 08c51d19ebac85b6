"""The questions before a card game: how many play, their names clockwise, who deals first, and the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.arbiter.flow import Start
from companion.arbiter.forms import Choice, Form
from companion.games.wizard_cards.cards import SPECIALS
from companion.games.wizard_cards.views import card_name
from companion.screens.view import T, Text, verbatim

Option = tuple[Text, Any]
BIDS: tuple[tuple[Text, Mapping[str, str]], ...] = (
    (T("bids: free"), {}),
    (T("bids: not the total"), {"bids": "plus_minus_one"}),
    (T("bids: hidden"), {"bids_shown": "together"}),
    (T("bids: secret"), {"bids_shown": "after_round"}),
)


def setup_form(names: Sequence[str], draw: int) -> Form:
    """Ask everything that a header needs.

    Args:
        names: the names to choose from; where they don't suffice, players are called by numbers.
        draw: a random number; its remainder by the number of players says who deals first.
    """
    options = tuple((T("{number} players", number=count), _later(names, draw, count)) for count in range(3, 7))
    return Choice("cards.players", T("How many players?"), options)


def _later(names: Sequence[str], draw: int, count: int, done: tuple[str, ...] = ()) -> Callable[[], Form]:
    """The question after ``done`` players are known; made only when it is reached."""
    if len(done) == count:
        return lambda: start_form(done, draw)
    title = T("Name of the first?") if not done else T("Next, clockwise?")
    free = [name for name in names if name not in done] or [str(len(done) + 1)]
    options = tuple((verbatim(name), _later(names, draw, count, (*done, name))) for name in free)
    return lambda: Choice("cards.name", title, options)


def start_form(players: Sequence[str], draw: int, bids: int = 0, specials: frozenset[str] = frozenset()) -> Form:
    """Say who was drawn to deal first; ok starts, another can be chosen, and the settings changed.

    Args:
        players: their names.
        draw: decides who deals.
        bids: which of ``BIDS``.
        specials: the special cards in play.
    """
    drawn = draw % len(players)
    options: list[Option] = []
    settings: dict[str, Any] = {**BIDS[bids][1]}
    if specials:
        settings["specials"] = [card for card in SPECIALS if card in specials]
    for dealer in [(drawn + i) % len(players) for i in range(len(players))]:
        header = {
            "game": "wizard_cards",
            "players": [{"name": name} for name in players],
            "dealer": dealer,
            "settings": settings,
        }
        name = players[dealer]
        text = T("{name} deals", name=name) if dealer == drawn else T("or {name}", name=name)
        options.append((text, Start(header)))
    options.insert(1, (T("settings"), lambda: settings_form(players, draw, bids, specials)))
    return Choice("cards.first", T("Drawn by lot"), tuple(options), facts={"dealer": drawn})


def settings_form(
    players: Sequence[str], draw: int, bids: int = 0, specials: frozenset[str] = frozenset(), chosen: int = 0
) -> Choice:
    """The settings, each switched by ok."""

    def again(at: int, bids: int, specials: frozenset[str]) -> Callable[[], Form]:
        return lambda: settings_form(players, draw, bids, specials, at)

    options: list[Option] = [(BIDS[bids][0], again(0, (bids + 1) % len(BIDS), specials))]
    for at, card in enumerate(SPECIALS, 1):
        mark = "X" if card in specials else "-"
        text = T("{mark} {card}", mark=mark, card=card_name(card))
        options.append((text, again(at, bids, specials ^ {card})))
    options.append((T("done"), lambda: start_form(players, draw, bids, specials)))
    return Choice("cards.settings", T("Settings"), tuple(options), chosen)
