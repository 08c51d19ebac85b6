"""What the command line, the journal and the arbiter may know of a game's rules, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar


class Refusal(Exception):  # noqa: N818 - a refused event is an answer, not a fault
    """The rules refuse an event; the game is as it was.

    Args:
        code: the name of the reason, as the rules page of the game gives it.
        message: one English line for the log and the command line.
        details: what the reason is about (a space, a seat, ...), for the display.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


S = TypeVar("S")
E = TypeVar("E")


class Rules(Protocol[S, E]):
    """A pure referee: states and events are frozen values, and nothing here has a clock, a file or a device.

    ``S`` is the game's state, ``E`` its events.
    """

    name: str

    def start(self, header: Mapping[str, Any]) -> S:
        """The state after a record's header.

        Raises:
            RecordError: the header is malformed or describes no possible game.
        """
        ...

    def parse_event(self, data: Mapping[str, Any]) -> E:
        """The event that a decoded line describes; keys the rules don't know (such as ``t_ms``) are ignored.

        Raises:
            RecordError: unknown event, or a field missing or of the wrong type.
        """
        ...

    def event_json(self, event: E) -> dict[str, Any]:
        """The event's line in a record; ``parse_event`` of it gives the event back."""
        ...

    def apply(self, state: S, event: E) -> S:
        """The state after an event.

        Raises:
            Refusal: the rules refuse it, with the first code that applies in the order of the rules page.
        """
        ...

    def describe(self, state: S) -> dict[str, Any]:
        """The state in the JSON form of the rules page."""
        ...

    def account(self, before: S, event: E, after: S) -> str:
        """What the event did and why, in one English line."""
        ...

    def is_over(self, state: S) -> bool:
        """Whether the game has ended."""
        ...
