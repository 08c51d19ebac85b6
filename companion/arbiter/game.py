"""A game in progress: what the header and the events so far make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.arbiter.flow import Flow
from companion.errors import RecordError
from companion.games import flow_of, rules_of
from companion.games.base import Rules
from companion.games.record import Record


class Game:
    """One game in progress: header, state and events, replayed from a record."""

    def __init__(self, header: Mapping[str, Any], events: Sequence[Mapping[str, Any]] = ()) -> None:
        """Replay a record.

        Raises:
            RecordError: the header or an event is malformed.
            Refusal: the rules refuse one of the events.
        """
        name = header.get("game")
        if not isinstance(name, str):
            raise RecordError("the header names no game")
        self.header = dict(header)
        self.rules: Rules[Any, Any] = rules_of(name)
        self.flow: Flow[Any, Any] = flow_of(name)
        self.state = self.rules.start(header)
        self.events: list[dict[str, Any]] = []
        self.history: list[tuple[Any, Any]] = []  # each event with the state before it
        for event in events:
            self.push(self.rules.parse_event(event), event)

    def push(self, event: Any, row: Mapping[str, Any]) -> None:
        """Apply an event whose line is ``row``.

        Raises:
            Refusal: the rules refuse it; nothing has changed.
        """
        after = self.rules.apply(self.state, event)
        self.history.append((self.state, event))
        self.state = after
        self.events.append(dict(row))

    @property
    def last(self) -> tuple[Any, Any] | None:
        """The last event and the state before it; None at the start."""
        return self.history[-1] if self.history else None

    def edited(self, index: int, event: Any, count: int = 1) -> Game:
        """The game with another event in the place of past ones (see :meth:`companion.games.record.Record.edited`).

        Raises:
            Refusal: of the first event that no longer fits.
            IndexError: there are no such events.
        """
        record: Record[Any, Any] = Record(self.header, tuple(event for _, event in self.history))
        record.edited(index, event, count)
        row = {**self.rules.event_json(event), **{k: v for k, v in self.events[index].items() if k == "t_ms"}}
        return Game(self.header, (*self.events[:index], row, *self.events[index + count :]))

    def undone(self) -> tuple[Game, Any]:
        """The game without its last event, and that event."""
        return Game(self.header, self.events[:-1]), self.rules.parse_event(self.events[-1])
