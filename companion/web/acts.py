"""What can be done from the phone while a game is on: buttons, words against the camera, undo, edits, notes.

All of it is done by the game's loop, through the same arbiter as the buttons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from companion.arbiter.flow import Command, Commit, Overrule
from companion.arbiter.overruled import same_place
from companion.games import rules_of
from companion.games.page import changeable, page_of
from companion.layout import COLOURS
from companion.screens.language import translator
from companion.screens.view import T
from companion.web.app import Answer, Page, Refused, body_of, text_of, whole_of
from companion.web.shapes import view_json
from companion.web.state import fields_json
from hardware.base import BUTTON_NAMES

if TYPE_CHECKING:
    from companion.daemon import Daemon
    from companion.games.page import Thing
    from companion.screens.view import View
    from companion.vision.places import Places
    from companion.vision.readings import Box, CardReading, DieReading

LONGEST_NOTE = 500
NO_GAME = T("No game is being played.")
MOST_CHANGES = 20


def act_routes(page: Page) -> list[Route]:
    """The addresses of what players do."""

    async def press(request: Request) -> Response:
        data = await body_of(request)
        button, action = text_of(data, "button"), text_of(data, "action")
        if button not in BUTTON_NAMES or action not in ("press", "hold"):
            raise Refused("button: must be up, down, ok or back; action: press or hold")
        page.hub.press(button, cast("Any", action))
        return Answer({}, 202)

    def refused(request: Request, why: tuple[View, int] | None) -> Response:
        if why is None:
            return Answer({})
        return Answer({"refused": view_json(why[0], translator(page.language(request))), "index": why[1]}, 409)

    async def overrule(request: Request) -> Response:
        data = await body_of(request)
        places = page.hub.snapshot.places if page.hub.snapshot is not None else None
        past = not page.hub.past_fixed
        return refused(request, await page.done(lambda daemon, t_ms: _overrule(daemon, t_ms, data, places, past)))

    def may_change_the_past() -> None:
        if page.hub.past_fixed:
            raise Refused(T("The players of the demo can't take a move back."), 409)

    async def undo(request: Request) -> Response:
        may_change_the_past()
        await page.done(_undo)
        return Answer({})

    async def fields(request: Request) -> Response:
        snapshot = page.hub.snapshot
        if snapshot is None:
            raise Refused(NO_GAME, 404)
        try:
            return Answer(fields_json(snapshot, request.path_params["index"], page.language(request)))
        except IndexError as error:
            raise Refused(str(error), 404) from error

    async def edit(request: Request) -> Response:
        may_change_the_past()
        data = await body_of(request)
        index, changes = whole_of(data, "index"), data.get("changes")
        if not isinstance(changes, list) or len(changes) > MOST_CHANGES:
            raise Refused("changes: must be a short list")
        return refused(request, await page.done(lambda daemon, t_ms: _edit(daemon, t_ms, index, changes)))

    async def note(request: Request) -> Response:
        data = await body_of(request)
        index, text = whole_of(data, "index"), " ".join(text_of(data, "text", LONGEST_NOTE).split())
        await page.done(lambda daemon, t_ms: daemon.arbiter.annotate(index, text))
        return Answer({})

    return [
        Route("/api/press", press, methods=["POST"]),
        Route("/api/overrule", overrule, methods=["POST"]),
        Route("/api/undo", undo, methods=["POST"]),
        Route("/api/event/{index:int}", fields),
        Route("/api/edit", edit, methods=["POST"]),
        Route("/api/note", note, methods=["POST"]),
    ]


def _undo(daemon: Daemon, t_ms: int) -> None:
    """Take back the last move; not unseen, behind a calibration."""
    if daemon.guiding:
        raise Refused(T("A calibration is on"), 409)
    daemon.arbiter.answer(Command("undo"), t_ms)


def _overrule(
    daemon: Daemon, t_ms: int, data: Mapping[str, Any], places: Places | None, past: bool
) -> tuple[View, int] | None:
    """Take a word against the camera: ``{"kind": "space", "id": "a1", "value": "red"}`` and its like.

    Args:
        daemon: it is said to.
        t_ms: now.
        data: the word.
        places: where the board's lines lie.
        past: whether what the thing has led to already is changed, too.

    Returns:
        Why the rules refuse such a past, and at which event: then nothing was changed. None: it is done.
    """
    arbiter = daemon.arbiter
    if arbiter.game is None:
        raise Refused(NO_GAME)
    page = page_of(arbiter.game.header["game"])
    kind, value = text_of(data, "kind"), data.get("value")
    if kind == "cutter":
        arbiter.answer(Overrule(cutters={whole_of(data, "side"): _stick(data, places)}), t_ms)
        return None
    if kind not in ("space", "die", "card"):
        raise Refused("kind: must be space, cutter, die or card")
    known = [choice for choice, _ in page.choices(cast("Thing", kind))]
    if not any(type(value) is type(choice) and value == choice for choice in known) and (value or kind == "space"):
        raise Refused("value: there is no such thing in this game")
    said: Any = value
    if kind == "space":
        space = text_of(data, "id")
        reading = arbiter.scene(t_ms).reading
        if reading is None or reading.spaces is None:
            event = page.entered(arbiter.game.state, space, said)
            if event is None:
                raise Refused(T("This can't be entered now."), 409)
            arbiter.answer(Commit(event), t_ms)
        elif space in reading.spaces:
            arbiter.answer(Overrule({space: said}), t_ms)
        else:
            raise Refused("there is no such space")
        return None
    box = _box(data)
    refusal = _mend(daemon, t_ms, kind, box, said) if past and said else None
    if refusal is None:
        arbiter.answer(Overrule(dice={box: said}) if kind == "die" else Overrule(cards={box: said}), t_ms)
    return refusal


def _mend(daemon: Daemon, t_ms: int, kind: str, box: Box, said: str | int) -> tuple[View, int] | None:
    """What was taken over of a die or card that was misread is changed; the refusal when it no longer fits.

    While the players are asked about a roll, it is not taken over yet, even if it shows what the one before showed.
    """
    arbiter = daemon.arbiter
    game, reading = arbiter.game, arbiter.scene(t_ms).reading
    if game is None or reading is None or (kind == "die" and arbiter.asking):
        return None
    pieces: Sequence[DieReading | CardReading] = reading.dice if kind == "die" else reading.cards
    was = next((piece.value for piece in pieces if same_place(box, piece.box)), None)
    if was in (None, said):
        return None
    lying = [piece.value for piece in pieces]
    found = page_of(game.header["game"]).mended(game.history, cast("Thing", kind), lying, was, said)
    return None if found is None else _changed(daemon, *found, t_ms)


def _stick(data: Mapping[str, Any], places: Places | None) -> tuple[int, str] | None:
    if data.get("value") is None:
        return None
    number, colour = whole_of(data, "value"), text_of(data, "colour")
    if places is None or (data["side"], number) not in places.lines or colour not in COLOURS:
        raise Refused("there is no such line or colour")
    return number, colour


def _box(data: Mapping[str, Any]) -> Box:
    box = data.get("box")
    if not isinstance(box, list) or len(box) != 4 or not all(type(v) is int and abs(v) < 10**5 for v in box):
        raise Refused("box: must be four whole numbers")
    x, y, width, height = box
    return x, y, width, height


def _edit(daemon: Daemon, t_ms: int, index: int, changes: Sequence[Any]) -> tuple[View, int] | None:
    """Change fields of a past event; the refusal's screen and place when it no longer fits."""
    game = daemon.arbiter.game
    if game is None or not 0 <= index < len(game.history):
        raise Refused(T("There is no such move."), 404)
    before, event = game.history[index]
    fields = changeable(page_of(game.header["game"]), game.state, before, event)
    known = {field.path: field for field in fields}
    line: Any = game.rules.event_json(event)
    for change in changes:
        path = change.get("path") if isinstance(change, dict) else None
        field = known.get(tuple(path)) if isinstance(path, list) and all(type(k) in (str, int) for k in path) else None
        options = [value for value, _ in field.options] if field is not None else []
        value = change.get("value") if isinstance(change, dict) else None
        if field is None or not any(type(value) is type(o) and value == o for o in options):
            raise Refused("there is no such thing to change")
        place = line
        for key in field.path[:-1]:
            place = place[key]
        place[field.path[-1]] = value
    return _changed(daemon, index, rules_of(game.header["game"]).parse_event(line), t_ms)


def _changed(daemon: Daemon, index: int, event: Any, t_ms: int) -> tuple[View, int] | None:
    """Put another event in the place of a past one; the refusal's screen and place when it no longer fits."""
    game = daemon.arbiter.game
    assert game is not None
    refusal = daemon.arbiter.edit(index, event, t_ms)
    return None if refusal is None else (game.flow.refused(refusal), refusal.details.get("index", index))
