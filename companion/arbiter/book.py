"""The book: the game being played and its journal, which change together or not at all."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from companion.arbiter.game import Game

if TYPE_CHECKING:
    from companion.journal import Journal, Saved

log = logging.getLogger(__name__)


class Book:
    """The game being played, as it is on the disk.

    Every change is judged by the rules and written to the journal before the game takes it. Each raises what stands
    against it, and then nothing has changed: ``games.base.Refusal`` from the rules, ``OSError`` from the disk.

    Args:
        journal: where it is written.

    Attributes:
        game: the game being played; None before the first.
    """

    def __init__(self, journal: Journal) -> None:
        self.game: Game | None = None
        self._journal = journal

    @property
    def saved(self) -> Saved | None:
        """The game that was being played when the program ended."""
        return self._journal.saved

    @property
    def damage(self) -> str | None:
        """What the journal has lost, for the log; None when nothing."""
        return self._journal.damage

    @property
    def notes(self) -> Mapping[int, str]:
        """The players' words about events: number of the event from 0 -> text."""
        return self._journal.notes

    def begin(self, header: Mapping[str, Any]) -> None:
        """Start a new game; the one before it is kept.

        Raises:
            RecordError: the header describes no possible game.
        """
        game = Game(header)
        self._journal.begin(game.header)
        self.game = game

    def resume(self) -> bool:
        """Go on with the saved game; False: there is none."""
        saved = self._journal.saved
        if saved is not None:
            self.game = Game(saved.header, saved.events)
        return saved is not None

    def append(self, event: Any, t_ms: int) -> None:
        """Add an event."""
        game = self._playing()
        row = {**game.rules.event_json(event), "t_ms": t_ms}
        before = game.state
        after = game.rules.apply(before, event)
        self._journal.append(row)
        log.info("%s", game.rules.account(before, event, after))
        game.push(event, row)

    def replace_last(self, event: Any, t_ms: int) -> None:
        """Put another event in the place of the last one, in one step."""
        game, before = self._playing().undone()
        row = {**game.rules.event_json(event), "t_ms": t_ms}
        game.push(event, row)
        self._journal.replace(game.header, game.events)
        log.info("%s instead of %s", row, before)
        self.game = game

    def edit(self, index: int, event: Any, count: int = 1) -> None:
        """Put another event in the place of past ones, and judge everything after it anew; notes keep their events.

        Args:
            index: of the first event to replace, from 0.
            event: what comes in its place.
            count: how many events it replaces.

        Raises:
            IndexError: there are no such events.
        """
        old = self._playing()
        game = old.edited(index, event, count)
        notes = {i - (count - 1 if i > index else 0): words for i, words in self.notes.items()}
        self._journal.replace(game.header, game.events, notes)
        log.info("event %d changed: %s instead of %s", index + 1, game.events[index], old.events[index])
        self.game = game

    def undo(self) -> None:
        """Take the last event back."""
        old = self._playing()
        game, _ = old.undone()
        self._journal.replace(game.header, game.events)
        log.info("undone: %s", old.events[-1])
        self.game = game

    def annotate(self, index: int, text: str) -> None:
        """Write down the players' words about an event, beside the journal; an empty text takes them away.

        Raises:
            IndexError: there is no such event.
        """
        if not 0 <= index < len(self._playing().events):
            raise IndexError("no such event")
        others = {i: words for i, words in self.notes.items() if i != index}
        self._journal.annotate({**others, index: text} if text else others)

    def _playing(self) -> Game:
        if self.game is None:
            raise IndexError("no game is being played")
        return self.game
