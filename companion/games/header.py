"""What headers of several games have in common: players in a row, numbered from 0, and settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from companion.errors import RecordError
from companion.games.record import need, shown, typed

T = TypeVar("T", int, str)


def player_names(header: Mapping[str, Any], least: int, most: int) -> tuple[str, ...]:
    """The names of the players, in the order of their seats, clockwise.

    Raises:
        RecordError: too few, too many, or one without a name.

    >>> player_names({"players": [{"name": "Ana"}, {"name": "Ben"}]}, 2, 5)
    ('Ana', 'Ben')
    """
    players = need(header, "players", list)
    if not least <= len(players) <= most:
        raise RecordError(f"players: must be {least} to {most}")
    return tuple(need(typed(entry, f"players: number {i}", dict), "name", str) for i, entry in enumerate(players))


def player_number(header: Mapping[str, Any], key: str, players: int) -> int:
    """A field that names a player.

    Raises:
        RecordError: it is missing, or there is no such player.
    """
    number = need(header, key, int)
    if not 0 <= number < players:
        raise RecordError(f"{key}: must be 0 to {players - 1}, not {shown(number)}")
    return number


def setting(header: Mapping[str, Any], key: str, allowed: tuple[T, ...]) -> T:
    """A setting, or the first of its allowed values when the header doesn't give it.

    Raises:
        RecordError: it has another value.

    >>> setting({"settings": {"target": 12}}, "target", (9, 12))
    12
    """
    settings = typed(header.get("settings", {}), "settings", dict)
    value = typed(settings.get(key, allowed[0]), f"settings: {key}", type(allowed[0]))
    if value not in allowed:
        raise RecordError(f"settings: {key}: must be {' or '.join(map(str, allowed))}, not {shown(value)}")
    return value
