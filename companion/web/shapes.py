"""Views and drawings as plain data for the page, in the players' language."""

from __future__ import annotations

from typing import Any

from companion.games.page import Drawing, TrickPicture
from companion.screens.language import Translator
from companion.screens.view import BoardPicture, DicePicture, GridPicture, Picture, PlotPicture, QrPicture, View

Json = dict[str, Any]


def view_json(view: View, translator: Translator) -> Json:
    """A screen: its words and its drawing."""
    say = translator.translate
    return {
        "code": view.code,
        "title": None if view.title is None else say(view.title),
        "big": None if view.big is None else say(view.big),
        "lines": [say(line) for line in view.lines],
        "choices": [say(choice) for choice in view.choices],
        "chosen": view.chosen,
        "keys": {button: say(text) for button, text in view.keys},
        "tone": view.tone,
        "picture": None if view.picture is None else picture_json(view.picture),
    }


def picture_json(picture: Picture) -> Json:
    """A drawing, without ids."""
    match picture:
        case BoardPicture():
            return _board_json(Drawing(picture), picture)
        case DicePicture(values, blink):
            return {"kind": "dice", "values": list(values), "blink": sorted(blink)}
        case GridPicture(labels, rows, blink):
            return {"kind": "grid", "labels": labels, "rows": rows, "blink": sorted(blink)}
        case QrPicture(rows):
            return {"kind": "qr", "rows": rows}
        case PlotPicture(curves, bold):
            return {"kind": "plot", "curves": curves, "bold": bold}
        case _:  # the camera's picture, which the page shows itself, in colour; and what only calibrations draw
            return {"kind": "other"}


def drawing_json(drawing: Drawing, translator: Translator) -> Json:
    """A game's own drawing of the table."""
    picture = drawing.picture
    if isinstance(picture, TrickPicture):
        return _trick_json(picture, translator)
    return _board_json(drawing, picture) if isinstance(picture, BoardPicture) else picture_json(picture)


def _trick_json(trick: TrickPicture, translator: Translator) -> Json:
    say = translator.translate
    return {
        "kind": "trick",
        "cards": [
            {
                "player": say(card.player),
                "face": say(card.face),
                "colour": card.colour,
                "colour_name": None if card.colour_name is None else say(card.colour_name),
                "leads": card.leads,
            }
            for card in trick.cards
        ],
    }


def _board_json(drawing: Drawing, picture: BoardPicture) -> Json:
    ids = drawing.ids or ("",) * len(picture.marks)
    colours = drawing.colours or ("",) * len(picture.sticks)
    return {
        "kind": "board",
        "radius": round(picture.radius, 4),
        "marks": [
            {
                "id": name,
                "x": round(mark.x, 4),
                "y": round(mark.y, 4),
                "state": mark.state,
                "blink": mark.blink,
                "seen": drawing.seen.get(name),
            }
            for name, mark in zip(ids, picture.marks, strict=True)
        ],
        "sticks": [
            {"ends": [round(v, 4) for v in ends], "colour": colour}
            for ends, colour in zip(picture.sticks, colours, strict=True)
        ],
    }
