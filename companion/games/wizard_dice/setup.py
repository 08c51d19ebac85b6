"""The questions before a dice game: how many play, their names clockwise, who is the first seer, and the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.arbiter.flow import Start
from companion.arbiter.forms import Choice, Form
from companion.screens.view import T, Text, verbatim

Option = tuple[Text, Any]
DEFAULTS: Mapping[str, Any] = {"target": 9, "drop_out": "any", "spells": False, "chances": False}


def setup_form(names: Sequence[str], draw: int) -> Form:
    """Ask everything that a header needs.

    Args:
        names: the names to choose from; where they don't suffice, players are called by numbers.
        draw: a random number; its remainder by the number of players says who is the first seer.
    """
    options = tuple((T("{number} players", number=count), _later(names, draw, count)) for count in range(2, 6))
    return Choice("dice.players", T("How many players?"), options)


def _later(names: Sequence[str], draw: int, count: int, done: tuple[str, ...] = ()) -> Callable[[], Form]:
    """The question after ``done`` players are known; made only when it is reached."""
    if len(done) == count:
        return lambda: start_form(done, draw, DEFAULTS)
    title = T("Name of the first?") if not done else T("Next, clockwise?")
    free = [name for name in names if name not in done] or [str(len(done) + 1)]
    options = tuple((verbatim(name), _later(names, draw, count, (*done, name))) for name in free)
    return lambda: Choice("dice.name", title, options)


def start_form(players: Sequence[str], draw: int, settings: Mapping[str, Any]) -> Form:
    """Say who was drawn to be the first seer; ok starts, another can be chosen, and the settings changed."""
    drawn = draw % len(players)
    order = [(drawn + i) % len(players) for i in range(len(players))]
    options: list[Option] = []
    for seer in order:
        header = {
            "game": "wizard_dice",
            "players": [{"name": name} for name in players],
            "first_seer": seer,
            "settings": {key: value for key, value in settings.items() if value is not False},
        }
        name = players[seer]
        text = T("{name} is the seer", name=name) if seer == drawn else T("or {name}", name=name)
        options.append((text, Start(header)))
    options.insert(1, (T("settings"), lambda: settings_form(players, draw, settings)))
    return Choice("dice.first", T("Drawn by lot"), tuple(options), facts={"first": drawn})


def settings_form(players: Sequence[str], draw: int, settings: Mapping[str, Any], chosen: int = 0) -> Choice:
    """The settings, each switched by ok."""

    def switch(text: Text, at: int, key: str, value: object) -> Option:
        return text, lambda: settings_form(players, draw, {**settings, key: value}, at)

    long, any_ = settings["target"] == 12, settings["drop_out"] == "any"
    spells, chances = bool(settings["spells"]), bool(settings["chances"])
    options = (
        switch(T("ends with {number} X", number=settings["target"]), 0, "target", 9 if long else 12),
        switch(T("leave at any count") if any_ else T("leave with X only"), 1, "drop_out", _other(any_)),
        switch(T("spells: yes") if spells else T("spells: no"), 2, "spells", not spells),
        switch(T("chances: yes") if chances else T("chances: no"), 3, "chances", not chances),
        (T("done"), lambda: start_form(players, draw, settings)),
    )
    return Choice("dice.settings", T("Settings"), options, chosen)


def _other(any_: bool) -> str:
    return "exact_only" if any_ else "any"
