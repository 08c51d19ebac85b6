"""A new game begun on the phone: its players and rule settings, asked in one form and judged by the game's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from companion.games import GAMES, flow_of
from companion.games.page import NewGame, RuleSetting, page_of
from companion.screens.language import Translator, translator
from companion.screens.view import T, Text
from companion.web.app import Answer, Page, Refused, body_of, text_of

if TYPE_CHECKING:
    from companion.arbiter.arbiter import Arbiter
    from companion.daemon import Daemon

TWICE = {
    "name": T("Two players have the same name."),
    "seat": T("Two players sit at the same place."),
    "colour": T("Two players have the same colour."),
}


def new_game_routes(page: Page) -> list[Route]:
    """The addresses of the form."""

    async def show(request: Request) -> Response:
        words = translator(page.language(request))
        names, playing = await page.done(lambda daemon, t_ms: (daemon.arbiter.names, _playing(daemon.arbiter)))
        games = [form_json(name, new, names, words) for name in GAMES if (new := page_of(name).new) is not None]
        return Answer({"games": games, "playing": playing})

    async def start(request: Request) -> Response:
        if page.hub.past_fixed:
            raise Refused(T("The players of the demo play on."), 409)
        data = await body_of(request)
        await page.done(lambda daemon, t_ms: _start(daemon, data))
        return Answer({})

    return [Route("/api/new-game", show), Route("/api/new-game", start, methods=["POST"])]


def form_json(game: str, new: NewGame, names: Sequence[str], words: Translator) -> dict[str, Any]:
    """What the form asks before a game."""

    def named(options: Sequence[tuple[str, Text]]) -> list[dict[str, str]]:
        return [{"value": value, "name": words.translate(text)} for value, text in options]

    return {
        "game": game,
        "title": words.translate(flow_of(game).title),
        "least": new.least,
        "most": new.most,
        "names": offered(names, new.most),
        "seats": named(new.seats),
        "colours": named(new.colours),
        "first": words.translate(new.first_label),
        "rules": [
            {
                "label": words.translate(rule.label),
                "options": [words.translate(text) for _, text in rule.options],
                "several": bool(rule.several),
            }
            for rule in new.rules
        ],
    }


def offered(names: Sequence[str], most: int) -> list[str]:
    """The names to choose from; where they don't suffice, players are called by numbers, as on the display.

    >>> offered(["Ana", "Ben"], 3)
    ['Ana', 'Ben', '3']
    """
    return [*names, *(str(number) for number in range(len(names) + 1, most + 1) if str(number) not in names)]


def header_of(data: Mapping[str, Any], arbiter: Arbiter) -> dict[str, Any]:
    """The header of the game that a filled form describes.

    Args:
        data: ``game``; ``players``, each with ``name`` and, where the game has them, ``seat`` and ``colour``;
            ``first``: number of the player who begins, None: drawn by lot; ``rules``: of each rule setting the number
            of its option, or of several a list of them.
        arbiter: knows the names, and draws.

    Raises:
        Refused: it is not filled as it can be. Whether such a game can be played is for its rules to say.
    """
    game = text_of(data, "game")
    new = page_of(game).new if game in GAMES else None
    if new is None:
        raise Refused("game: there is no such game")
    players = _players(data.get("players"), new, offered(arbiter.names, new.most))
    first = data.get("first")
    if first is None:
        first = arbiter.drawn(len(players))
    elif type(first) is not int or not 0 <= first < len(players):
        raise Refused("first: there is no such player")
    header = {"game": game, "players": players, new.first: players[first]["seat"] if new.seats else first}
    settings = _settings(data.get("rules"), new.rules)
    return {**header, "settings": settings} if new.rules else header


def _players(given: Any, new: NewGame, names: Sequence[str]) -> list[dict[str, str]]:
    if not isinstance(given, list) or not new.least <= len(given) <= new.most:
        raise Refused(f"players: must be {new.least} to {new.most}")
    allowed = {"name": names, "seat": [seat for seat, _ in new.seats], "colour": [colour for colour, _ in new.colours]}
    asked = {key: values for key, values in allowed.items() if values}
    players = []
    for entry in given:
        if not isinstance(entry, dict) or any(entry.get(key) not in values for key, values in asked.items()):
            raise Refused("players: each has one of the names, seats and colours to choose from")
        players.append({key: str(entry[key]) for key in asked})
    for key in asked:
        if len({player[key] for player in players}) < len(players):
            raise Refused(TWICE[key])
    return players


def _settings(given: Any, rules: Sequence[RuleSetting]) -> dict[str, Any]:
    if not isinstance(given, list) or len(given) != len(rules):
        raise Refused("rules: each rule setting needs its choice")
    settings: dict[str, Any] = {}
    for choice, rule in zip(given, rules, strict=True):
        chosen = choice if rule.several and isinstance(choice, list) else [choice]
        if isinstance(choice, list) != bool(rule.several) or not all(
            type(at) is int and 0 <= at < len(rule.options) for at in chosen
        ):
            raise Refused("rules: there is no such choice")
        if not rule.several:
            settings |= rule.options[choice][0]
        elif chosen:
            settings[rule.several] = [value for at, (value, _) in enumerate(rule.options) if at in chosen]
    return settings


def _playing(arbiter: Arbiter) -> bool:
    return arbiter.game is not None and not arbiter.game.rules.is_over(arbiter.game.state)


def _start(daemon: Daemon, data: Mapping[str, Any]) -> None:
    """Begin the game; the one being played is left only by those who say so.

    Raises:
        RecordError: the rules know no such game.
        OSError: the journal can't be written; the game is as it was.
    """
    if daemon.guiding:
        raise Refused(T("A calibration is on"), 409)
    header = header_of(data, daemon.arbiter)
    if _playing(daemon.arbiter) and data.get("leave") is not True:
        raise Refused(T("A game is being played."), 409)
    daemon.arbiter.begin(header)
