"""What the arbiter and a game say to each other.

The arbiter shows a game's flow the :class:`Scene` (the state, and what the table looks like) and gets a
:class:`Step` back: what to show, and at most one event to commit. A flow is pure: the same scene gives the same step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from companion.screens.view import NOTHING

if TYPE_CHECKING:
    from companion.arbiter.forms import Form
    from companion.games.base import Refusal
    from companion.screens.view import Text, View
    from companion.vision.readings import BoardReading, Box

Confirm = Literal["always", "unsure"]
S = TypeVar("S")
E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Scene(Generic[S]):
    """What a flow judges.

    Args:
        state: the state of the rules.
        reading: the last settled reading of the table, corrections of the players applied; None before the first.
        settled: whether that reading is how the table lies now; False while something moves or a hand is over it.
            Only a settled reading may lead to a commit.
        memory: what the flow put into its last step; None at the start of a game and after a resume. After an undo or
            a change of the past: what ``Flow.kept`` left of it.
        t_ms: now.
        hand: whether a hand is over the table.
        camera: whether there is a camera that gives pictures.
        confirm: whether cuts, bids and rolls are always confirmed by a button, or only where unsure.
        page: how often "down" less "up" was pressed on this screen.
        bottom: the board side that lies nearest the picture's bottom edge, as read; None when unsure.
        since_ms: since when the table has lain as it does now.
        last: the last event committed and the state before it; None at the start.
        undone: the event that was just taken back, as long as the table still shows it: it must not be committed
            again by itself.
    """

    state: S
    reading: BoardReading | None
    memory: Any
    t_ms: int
    settled: bool = False
    hand: bool = False
    camera: bool = True
    confirm: Confirm = "always"
    page: int = 0
    bottom: int | None = None
    since_ms: int = 0
    last: tuple[S, Any] | None = None
    undone: Any = None


@dataclass(frozen=True, slots=True)
class Step(Generic[E]):
    """What a flow wants.

    Args:
        view: the screen.
        commit: an event that is legal and certain; the arbiter applies it at once.
        ask: a question that takes the buttons; kept, with the players' edits, as long as its ``key`` stays the same.
        on_ok: the form that pressing ok opens when there is no question.
        memory: given back in the next scene.
        shows_undone: the table may still show the event that was taken back (``Scene.undone``): only what is seen to be
            gone may be committed by itself again.
    """

    view: View
    commit: E | None = None
    ask: Form | None = None
    on_ok: Form | None = None
    memory: Any = None
    shows_undone: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """A form's answer: this event, entered or confirmed by the players, and those that follow it.

    Args:
        event: what to commit.
        following: what to commit after it.
        instead: whether it replaces the last event: that one is taken back first.
    """

    event: Any
    following: tuple[Any, ...] = ()
    instead: bool = False


@dataclass(frozen=True, slots=True)
class Overrule:
    """A form's answer: things lie as the players say, until the reading of that thing changes.

    Args:
        spaces: id -> what it holds.
        bottom: the board side that was read at the bottom although it isn't there.
        cutters: board side -> line number and colour of the stick that lies there; None: there is none.
        dice: box of a die, seen or not -> its value; None: that is no die.
        cards: box of a card, seen or not -> its value; None: that is no card.
    """

    spaces: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    bottom: int | None = None
    cutters: Mapping[int, tuple[int, str] | None] = field(default_factory=dict)
    dice: Mapping[Box, int | str | None] = field(default_factory=dict)
    cards: Mapping[Box, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remember:
    """A form's answer: nothing to commit, but something for the flow to know, in the place of its memory."""

    memory: Any


@dataclass(frozen=True, slots=True)
class Start:
    """A form's answer: begin the game of this header."""

    header: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Command:
    """A form's answer for the arbiter itself."""

    name: Literal["undo", "why", "standing", "resume", "new_game", "look_again", "language", "calibrate", "sound"]
    value: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A form's answer: another event in the place of past ones; everything after them is judged anew.

    Args:
        index: of the first event to replace, from 0.
        event: what comes in its place.
        count: how many events it replaces.
    """

    index: int
    event: Any
    count: int = 1


Answer = Commit | Overrule | Remember | Start | Command | Edit


class Flow(Protocol[S, E]):
    """A game at the table. ``eyes`` names the reader it needs."""

    eyes: Literal["board", "dice", "cards"]
    title: Text

    def step(self, scene: Scene[S]) -> Step[E]:
        """What to show and to commit, from what is seen."""
        ...

    def needs_dice(self, state: S) -> bool:
        """Whether dice on the table matter in this state; looking for them takes most of the time."""
        ...

    def setup(self, names: Sequence[str], draw: int) -> Form:
        """The questions before a game; the last one answers with :class:`Start`.

        Args:
            names: the names to choose from.
            draw: a random number that decides what the companion draws (the first player).
        """
        ...

    def correct(self, scene: Scene[S]) -> Form | None:
        """The form by which players overrule what the camera reads; None when there is nothing to correct."""
        ...

    def kept(self, memory: Any) -> Any:
        """What of the memory still holds after events were taken back or changed; None: nothing."""
        ...

    def past(self, history: Sequence[tuple[S, E]]) -> Form | None:
        """The form by which players change what was taken over long ago; its answer is :class:`Edit`.

        Args:
            history: every event with the state before it.

        Returns:
            The form, or None when there is nothing that can be changed so.
        """
        ...

    def why(self, scene: Scene[S]) -> Sequence[View]:
        """The pages that explain the last ruling."""
        ...

    def standing(self, state: S) -> Sequence[View]:
        """The pages that say how everybody stands; from the menu they can be read at any time."""
        ...

    def refused(self, refusal: Refusal) -> View:
        """The screen that says why the rules refuse an event that was entered by the buttons."""
        ...

    def facts(self, state: S) -> Mapping[str, Any]:
        """What every screen of the game carries in ``View.facts``: at least ``phase``."""
        ...

    def samples(self) -> Sequence[View]:
        """One view of every screen of the game, for the contact sheet and the tests of texts."""
        ...
