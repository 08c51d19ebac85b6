"""The text form of every game: a header, then one event a line, as JSON.

Decoding is strict, because a record is also what a stranger mails with a bug report: a line is one JSON object of
UTF-8 text, no key twice, no NaN, at most ``LONGEST_LINE`` bytes. Undo is replay without the last event.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Generic, TypeVar, cast

from companion.errors import InputError, RecordError
from companion.games import rules_of
from companion.games.base import Refusal, Rules

LONGEST_LINE = 1 << 20
"""Bytes a line may have: a thousand times the longest real one, and decoded within a tenth of a second."""

_BEYOND_ANY_RULE = 10**30
_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}

S = TypeVar("S")
E = TypeVar("E")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record(Generic[S, E]):
    """A game so far: its header and its events, all of them legal in turn.

    >>> header = {"game": "pizza", "layout": "hex37", "first": "A", "players": [
    ...     {"name": "Ana", "seat": "A", "colour": "red"}, {"name": "Ben", "seat": "B", "colour": "green"}]}
    >>> record = Record.started(header)
    >>> record = record.push(record.rules.parse_event({"event": "place", "seat": "A", "space": "d4"}))
    >>> print(record.lines()[1])
    {"event": "place", "seat": "A", "space": "d4"}
    >>> record.undone() == Record.started(header)
    True
    """

    header: Mapping[str, Any]
    events: tuple[E, ...] = ()

    @classmethod
    def started(cls, header: Mapping[str, Any]) -> Record[S, E]:
        """A record without events.

        Raises:
            RecordError: the header is malformed.
        """
        record: Record[S, E] = cls(header)
        record.replay()
        return record

    @classmethod
    def parsed(cls, lines: Iterable[str | bytes]) -> Record[S, E]:
        """The record in these lines, all of it legal.

        Raises:
            RecordError: a line is malformed (names the line).
            Refusal: the rules refuse an event.
        """
        numbered = decoded(lines)
        rules, state, header = opened(numbered)
        events = []
        for number, data in numbered:
            with at_line(number):
                event = rules.parse_event(data)
            state = rules.apply(state, event)
            events.append(event)
        return cls(header, tuple(events))

    @property
    def rules(self) -> Rules[S, E]:
        """The referee of the game in the header."""
        return cast("Rules[S, E]", rules_of(need(self.header, "game", str)))

    def replay(self) -> S:
        """The state after all events."""
        rules = self.rules
        state = rules.start(self.header)
        for event in self.events:
            state = rules.apply(state, event)
        return state

    def push(self, event: E) -> Record[S, E]:
        """The record with one more event.

        Raises:
            Refusal: the rules refuse the event.
        """
        self.rules.apply(self.replay(), event)
        return Record(self.header, (*self.events, event))

    def undone(self) -> Record[S, E]:
        """The record without its last event; one without events stays as it is."""
        return Record(self.header, self.events[:-1])

    def edited(self, index: int, event: E, count: int = 1) -> Record[S, E]:
        """The record with another event in the place of a past one; everything after it is judged anew.

        Args:
            index: of the first event to replace, from 0.
            event: what comes in its place.
            count: how many events it replaces; the tricks of a round replace all its cards.

        Raises:
            Refusal: of the first event that no longer fits; ``details["index"]`` is its place in the new record.
            IndexError: there are no such events.
        """
        if not 0 <= index < len(self.events) or not 1 <= count <= len(self.events) - index:
            raise IndexError(f"no {count} events from {index} on: there are {len(self.events)}")
        events = (*self.events[:index], event, *self.events[index + count :])
        rules = self.rules
        state = rules.start(self.header)
        for place, each in enumerate(events):
            try:
                state = rules.apply(state, each)
            except Refusal as refusal:
                refusal.details["index"] = place
                raise
        return Record(self.header, events)

    def lines(self) -> list[str]:
        """The record's lines, without line ends; :meth:`parsed` of them gives the record back."""
        rules = self.rules
        return [json.dumps(self.header), *(json.dumps(rules.event_json(event)) for event in self.events)]


def opened(numbered: Iterator[tuple[int, dict[str, Any]]]) -> tuple[Rules[Any, Any], Any, dict[str, Any]]:
    """Take the header from numbered lines: (the referee, the first state, the header).

    Raises:
        RecordError: there is no header, or it is malformed.
    """
    number, header = next(numbered, (1, None))
    with at_line(number):
        if header is None:
            raise RecordError("the record is empty: a header is missing")
        if "game" not in header and "event" in header:
            raise RecordError("a header is missing: this is an event")
        rules = rules_of(need(header, "game", str))
        return rules, rules.start(header), header


@contextlib.contextmanager
def at_line(number: int) -> Iterator[None]:
    """Within this context a malformed input is reported with the number of its line.

    Raises:
        RecordError: instead of any error of the input.
    """
    try:
        yield
    except InputError as error:
        raise RecordError(f"line {number}: {error}") from error


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream; one that is too long is cut where it is known to be, so that memory stays small.

    Raises:
        RecordError: the device under the stream fails.
    """
    try:
        while line := stream.readline(LONGEST_LINE + 1):
            yield line
    except OSError as error:
        raise RecordError(f"the record can't be read: {error.strerror}") from error


def decoded(lines: Iterable[str | bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Decode lines, numbered from 1.

    Raises:
        RecordError: a line is no JSON object (names the line).
    """
    for number, line in enumerate(lines, 1):
        with at_line(number):
            data = decode(line)
        yield number, data


def decode(line: str | bytes) -> dict[str, Any]:
    """Decode one line.

    Raises:
        RecordError: it is too long, not UTF-8, not JSON, gives a key twice, or is no object.

    >>> decode('{"event": "rotate"}')
    {'event': 'rotate'}
    """
    if len(line) > LONGEST_LINE:
        raise RecordError(f"longer than {LONGEST_LINE} bytes")
    if isinstance(line, bytes):
        try:
            line = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise RecordError(f"not UTF-8 at byte {error.start + 1}") from error
    if not line.strip():
        raise RecordError("a blank line")
    try:
        data = _DECODER.decode(line)
    except RecordError:
        raise
    except RecursionError as error:
        raise RecordError("nested too deeply") from error
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg} at column {error.colno}") from error
    if not isinstance(data, dict):
        raise RecordError(f"must be an object, not {_NAMES[type(data)]}")
    return data


def need(data: Mapping[str, Any], key: str, kind: type[T]) -> T:
    """A field that must be there and of exactly this type (true is no number, 3.0 is no whole number).

    Raises:
        RecordError: it is missing or of another type.

    >>> need({"value": 4}, "value", int)
    4
    >>> need({"value": True}, "value", int)
    Traceback (most recent call last):
    companion.errors.RecordError: value: must be a whole number, not true or false
    """
    if key not in data:
        raise RecordError(f"{key}: missing")
    return typed(data[key], key, kind)


def typed(value: Any, where: str, kind: type[T]) -> T:
    """The value, if it is of exactly this type.

    Raises:
        RecordError: it is of another.
    """
    if type(value) is not kind:
        raise RecordError(f"{where}: must be {_NAMES[kind]}, not {_NAMES.get(type(value), type(value).__name__)}")
    return value


def shown(value: str | int) -> str:
    r"""A value for a message: on one line, printable everywhere and short.

    >>> shown("a\nb"), shown("x" * 100) == "'" + "x" * 40 + "...'"
    ("'a\\nb'", True)
    """
    if isinstance(value, int):
        return str(value)
    return ascii(value if len(value) <= 40 else value[:40] + "...")


def printable(text: str) -> str:
    r"""A name as it was given, but on one line and without what no terminal shows.

    >>> printable("Zo\xeb\n")
    'Zo\xeb\\n'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RecordError(f"the key {shown(twice)} is given twice")
    return data


def _constant(name: str) -> Any:
    raise RecordError(f"not JSON: {name}")


def _whole(digits: str) -> int:
    # Python refuses to convert thousands of digits, yet the number is one of the right type: out of any range.
    if len(digits) <= 30:
        return int(digits)
    return -_BEYOND_ANY_RULE if digits[0] == "-" else _BEYOND_ANY_RULE


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_whole)
