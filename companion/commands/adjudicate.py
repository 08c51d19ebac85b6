"""`companion adjudicate`: judge a record, event by event."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from companion.errors import InputError
from companion.games.base import Refusal
from companion.games.record import at_line, decoded, opened, read_lines


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    command = subparsers.add_parser(
        "adjudicate",
        help="judge the events of a record",
        description="Judges a game record: a header, then one event a line, as JSON. Exit code 1: an event is "
        "illegal; 2: a line is malformed.",
        epilog="example: companion adjudicate journal.jsonl",
    )
    command.add_argument("record", metavar="RECORD.jsonl", help="the record; - reads standard input")
    command.add_argument("--json", action="store_true", help="print the state after each line, one object a line")
    command.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print the states or the account of a record.

    Args:
        args: ``record`` (a path or "-") and ``json``.

    Returns:
        0: every event is legal. 1: the last line printed is the refusal of an event.

    Raises:
        InputError: the record can't be read, or a line is malformed (what came before it is printed).
    """
    with _opened(args.record) as stream:
        for legal, line in judged(stream, as_json=args.json):
            _say(line)
            if not legal:
                return 1
    return 0


def judged(stream: BinaryIO, *, as_json: bool) -> Iterator[tuple[bool, str]]:
    """Judge a record line by line: (whether the line is legal, what to print), nothing after a refusal.

    Raises:
        RecordError: a line is malformed.
    """
    lines = decoded(read_lines(stream))
    rules, state, _ = opened(lines)
    if as_json:
        yield True, json.dumps(rules.describe(state))
    for number, data in lines:
        with at_line(number):
            event = rules.parse_event(data)
        try:
            after = rules.apply(state, event)
        except Refusal as refusal:
            answer = {"line": number, "error": {"code": refusal.code, "message": refusal.message}}
            words = f"Line {number} is refused: {refusal.message} ({refusal.code})."
            yield False, json.dumps(answer) if as_json else words
            return
        yield True, json.dumps(rules.describe(after)) if as_json else rules.account(state, event, after)
        state = after


@contextlib.contextmanager
def _opened(record: str) -> Iterator[BinaryIO]:
    if record == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed")
        yield sys.stdin.buffer
        return
    try:
        stream = Path(record).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise InputError(f"{record}: {error.strerror}") from error
    with stream:
        yield stream


def _say(line: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    # Flushed line by line: the answer to a record that is still being written is there at once.
    print(line.encode(encoding, "backslashreplace").decode(encoding), flush=True)
