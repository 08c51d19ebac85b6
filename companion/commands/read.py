"""`companion read`: what the eyes see in pictures."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import InputError, PictureError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Look = Callable[[npt.NDArray[np.uint8]], dict[str, Any]]

_WORTH_A_BAR_S = 1.0


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    command = subparsers.add_parser(
        "read",
        help="read pictures of a board, of dice or of cards",
        description="Reads pictures and says what lies on the table. What is not certain is null, never guessed. "
        "Exit code 1: a picture can't be read at all.",
        epilog="example: companion read board table.jpg --profile ~/.config/companion/profile --json",
    )
    command.add_argument("what", choices=("board", "dice", "cards"), help="what to look for")
    command.add_argument("images", metavar="IMAGE", nargs="+", help="picture files")
    command.add_argument("--profile", metavar="DIR", type=Path, help="calibration; needed but for dice with pips")
    command.add_argument("--kind", default="pips", metavar="pips|NAME", help="dice: pips, or a kind enrolled before")
    command.add_argument("--json", action="store_true", help="print one JSON object a picture")
    command.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Read each picture and print what is seen, in the order given.

    Args:
        args: ``what``, ``images``, ``profile``, ``kind`` and ``json``.

    Returns:
        0, or 1 if any picture is unreadable.

    Raises:
        InputError: the call can't be carried out, whatever the pictures show.
    """
    look = _reader(args.what, args.profile, args.kind)
    code = 0
    started = time.monotonic()
    for done, name in enumerate(args.images, 1):
        answer = read_one(name, look)
        code = max(code, int(answer["status"] == "unreadable"))
        print(json.dumps(answer) if args.json else describe(answer), flush=True)
        if sys.stderr.isatty() and time.monotonic() - started > _WORTH_A_BAR_S:
            end = "\n" if done == len(args.images) else ""
            print(f"\r{bar(done, len(args.images))}{end}", end="", file=sys.stderr, flush=True)
    return code


def read_one(name: str, look: Look) -> dict[str, Any]:
    """The JSON form of one picture's reading; never raises for a bad picture."""
    from companion.picture import read_picture

    try:
        picture = read_picture(name)
    except PictureError as error:
        return {"image": name, "status": "unreadable", "reason": str(error), "ms": None}
    started = time.perf_counter()
    answer = look(picture)
    ms = round((time.perf_counter() - started) * 1000, 2)
    return {"image": name, "status": answer.pop("status"), "ms": ms, **answer}


def describe(answer: dict[str, Any]) -> str:
    """One line for people."""
    parts = [f"{answer['image']}: {answer['status']}"]
    if answer.get("reason"):
        parts.append(answer["reason"])
    if answer.get("turn") is not None:
        parts.append(f"turned {answer['turn']} degrees")
    spaces = answer.get("spaces", {})
    for state in ("red", "green", "white", None):
        ids = [space for space, value in spaces.items() if value == state]
        if ids:
            parts.append(f"{state or 'not read'} on {' '.join(ids)}")
    for cutter in answer.get("cutters", ()):
        line = "no line" if cutter["number"] is None else f"line {cutter['number']}"
        parts.append(f"{cutter['colour'] or 'a'} stick: side {cutter['side']}, {line}")
    for die in answer.get("dice", ()):
        value = "can't be read" if die["value"] is None else f"shows {die['value']}"
        parts.append(f"{die['colour'] or 'a'} die {value}")
    if answer.get("cards"):
        parts.append("cards " + " ".join(card["value"] or "?" for card in answer["cards"]))
    return "; ".join(parts)


def bar(done: int, total: int, width: int = 30) -> str:
    """A line of progress.

    >>> bar(1, 2, width=4)
    '[##  ] 1/2'
    """
    full = width * done // total
    return f"[{'#' * full}{' ' * (width - full)}] {done}/{total}"


def _reader(what: str, profile: Path | None, kind: str) -> Look:
    if what == "cards":
        if profile is None:
            raise InputError("read cards: needs --profile DIR, made by `companion calibrate cards`")
        return _cards(profile)
    if what == "board":
        if profile is None:
            raise InputError("read board: needs --profile DIR, made by `companion calibrate board`")
        return _board(profile)
    if kind == "pips":
        return _pips
    if profile is None:
        raise InputError(f"read dice --kind {kind}: needs --profile DIR, made by `companion calibrate dice`")
    return _symbols(profile, kind)


def _board(profile: Path) -> Look:
    from companion.vision.board import BoardEyes

    eyes = BoardEyes.open(profile)
    return lambda picture: eyes.read(picture).to_json()


def _pips(picture: npt.NDArray[np.uint8]) -> dict[str, Any]:
    from companion.vision.dice import read_pip_dice

    dice = read_pip_dice(picture)
    unsure = any(die.value is None or die.colour is None for die in dice)
    return {"status": "unsure" if unsure else "ok", "dice": [die.to_json() for die in dice]}


def _cards(profile: Path) -> Look:
    from companion.vision.eyes import CardEyes

    eyes = CardEyes.open(profile)

    def look(picture: npt.NDArray[np.uint8]) -> dict[str, Any]:
        reading = eyes.read(picture)
        said = {} if reading.reason is None else {"reason": reading.reason}
        return {"status": reading.status, **said, "cards": [card.to_json() for card in reading.cards]}

    return look


def _symbols(profile: Path, kind: str) -> Look:
    from calibration.faces import load_faces
    from companion.vision.symbols import read_symbol_dice

    model = load_faces(profile, kind).model

    def look(picture: npt.NDArray[np.uint8]) -> dict[str, Any]:
        dice = read_symbol_dice(picture, model)
        unsure = any(die.value is None for die in dice)
        return {"status": "unsure" if unsure else "ok", "dice": [die.to_json() for die in dice]}

    return look
