"""What the page is told of how everything stands: the game, the table as the camera reads it, the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from companion.games.page import changeable, page_of
from companion.screens.language import Translator, translator
from companion.screens.view import T, Text
from companion.web.shapes import Json, drawing_json, view_json

if TYPE_CHECKING:
    from companion.vision.places import Places
    from companion.vision.readings import BoardReading, CardReading, DieReading
    from companion.web.hub import Snapshot

BESIDE = 1.14  # so far from the board's middle, in shares of the way to the starts of a side's lines
LOG_LINES = 60  # the newest events; older ones are in the history
TROUBLES = {
    "camera": T("The camera is missing: the game goes on with the buttons."),
    "profile": T("I can't read this table yet: teach me on the page Camera, or play with the buttons."),
    "display": T("The small display does not answer: this page shows what it would."),
}
"""Of the devices without which a game goes on, what the players need to know; the log has the cause."""


def game_json(snapshot: Snapshot, language: str) -> Json:
    """The screen, the game and its log.

    Args:
        snapshot: how everything stands.
        language: to say it in.
    """
    words = translator(language)
    data: Json = {
        "language": snapshot.language,
        "view": view_json(snapshot.view, words),
        "guided": snapshot.guided,
        "troubles": [words.translate(text) for device, text in TROUBLES.items() if device in snapshot.troubles],
        "game": None,
    }
    if snapshot.header is None or snapshot.scene is None:
        return data
    data["game"] = _game_json(snapshot, words)
    return data


def _game_json(snapshot: Snapshot, words: Translator) -> Json:
    from companion.games import flow_of, rules_of

    assert snapshot.header is not None and snapshot.scene is not None
    name = snapshot.header["game"]
    page, flow, rules = page_of(name), flow_of(name), rules_of(name)
    state = snapshot.scene.state
    turn = page.turn(state)
    drawing = page.drawing(state, snapshot.scene.reading)
    return {
        "name": name,
        "title": words.translate(flow.title),
        "eyes": flow.eyes,
        "players": [str(player.get("name", "")) for player in snapshot.header.get("players", ())],
        "colours": [player.get("colour") for player in snapshot.header.get("players", ())],
        "phase": flow.facts(state).get("phase"),
        "round": flow.facts(state).get("round"),
        "turn": None if turn is None else words.translate(turn),
        "over": rules.is_over(state),
        "choices": {
            kind: [{"value": value, "name": words.translate(text)} for value, text in page.choices(kind)]
            for kind in ("space", "die", "card")
        },
        "events": len(snapshot.history),
        "standing": [view_json(view, words) for view in flow.standing(state)],
        "drawing": None if drawing is None else drawing_json(drawing, words),
        "log": log_json(snapshot, words),
    }


def log_json(snapshot: Snapshot, words: Translator) -> list[Json]:
    """The newest events, the last one first, each with its reasons and the players' note."""
    assert snapshot.header is not None and snapshot.scene is not None
    page = page_of(snapshot.header["game"])
    history = snapshot.history
    afters = [*(state for state, _ in history[1:]), snapshot.scene.state]
    lines = []
    for index in range(len(history) - 1, max(-1, len(history) - 1 - LOG_LINES), -1):
        before, event = history[index]
        what, *reasons = page.told(before, event, afters[index])
        lines.append(
            {
                "index": index,
                "what": words.translate(what),
                "reasons": [words.translate(reason) for reason in reasons],
                "t_ms": snapshot.times[index],
                "note": snapshot.notes.get(index, ""),
                "editable": bool(changeable(page, snapshot.scene.state, before, event)),
            }
        )
    return lines


def table_json(snapshot: Snapshot, size: tuple[int, int] | None) -> Json:
    """The table as the camera reads it, in px of its pictures.

    Args:
        snapshot: how everything stands.
        size: width and height of the pictures; None without pictures.
    """
    scene = snapshot.scene
    reading = snapshot.reading
    if scene is not None and scene.reading is not None and (reading is None or scene.settled):
        reading = scene.reading
    data: Json = {
        "size": size,
        "guided": snapshot.guided,
        "camera": scene.camera if scene is not None else size is not None,
        "settled": bool(scene is not None and scene.settled),
        "hand": bool(scene is not None and scene.hand),
        "reason": None if reading is None else reading.reason,
        "spaces": [],
        "cutters": [],
        "sides": {},
        "dice": [],
        "cards": [],
    }
    if reading is None or size is None or snapshot.guided:  # what the game last saw is not what lies there now
        return data
    data["dice"] = [{**_piece_json(die, "die", snapshot.overruled), "colour": die.colour} for die in reading.dice]
    data["cards"] = [_piece_json(card, "card", snapshot.overruled) for card in reading.cards]
    places = snapshot.places
    if places is None or places.turn is None:
        return data
    data["spaces"] = _spaces_json(reading, places.spaces, snapshot.overruled)
    data["cutters"] = [
        {
            "side": c.side,
            "number": c.number,
            "colour": c.colour,
            "confidence": round(c.confidence, 2),
            "ends": [round(v) for v in places.lines[c.side, c.number]] if c.number is not None else None,
            "said": f"cutter {c.side}" in snapshot.overruled,
        }
        for c in reading.cutters
        if c.number is None or (c.side, c.number) in places.lines
    ]
    data["sides"] = _sides_json(places)
    return data


def _sides_json(places: Places) -> dict[int, dict[str, Any]]:
    """The board's sides: the numbers of their lines, and a place beside their middle for what is not on a line, px."""
    centre_x, centre_y = (sum(at[i] for at in places.spaces.values()) / max(1, len(places.spaces)) for i in (4, 5))
    sides: dict[int, dict[str, Any]] = {}
    for side in sorted({side for side, _ in places.lines}):
        starts = {number: ends for (of, number), ends in places.lines.items() if of == side}
        x, y = (sum(ends[i] for ends in starts.values()) / len(starts) for i in (0, 1))
        beside = [round(c + BESIDE * (v - c)) for c, v in ((centre_x, x), (centre_y, y))]
        sides[side] = {"numbers": sorted(starts), "at": beside}
    return sides


def _piece_json(piece: DieReading | CardReading, kind: str, overruled: frozenset[str]) -> dict[str, Any]:
    said = piece.confidence == 1.0 and any(thing.startswith(kind) for thing in overruled)
    return {"box": piece.box, "value": piece.value, "confidence": round(piece.confidence, 2), "said": said}


def _spaces_json(
    reading: BoardReading, places: Mapping[str, tuple[float, ...]], overruled: frozenset[str]
) -> list[dict[str, Any]]:
    spaces, confidence = reading.spaces or {}, reading.confidence or {}
    return [
        {
            "id": space,
            "at": [round(v, 1) for v in at],
            "state": spaces.get(space),
            "confidence": round(confidence.get(space, 0.0), 2),
            "said": f"space {space}" in overruled,
        }
        for space, at in places.items()
    ]


def fields_json(snapshot: Snapshot, index: int, language: str) -> list[Json]:
    """What of a past event can be changed.

    Raises:
        IndexError: there is no such event.
    """
    if snapshot.header is None or snapshot.scene is None or not 0 <= index < len(snapshot.history):
        raise IndexError("no such event")
    words = translator(language)
    before, event = snapshot.history[index]

    def option(value: object, name: Text) -> Json:
        return {"value": value, "name": words.translate(name)}

    return [
        {
            "label": words.translate(field.label),
            "path": list(field.path),
            "value": field.value,
            "options": [option(value, name) for value, name in field.options],
        }
        for field in changeable(page_of(snapshot.header["game"]), snapshot.scene.state, before, event)
    ]
