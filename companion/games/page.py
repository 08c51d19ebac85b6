"""What the page for the phone may know of a game: its drawing, its log in the players' language, what can be edited."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from companion.games import GAMES, rules_of
from companion.screens.view import Picture, T, Text, verbatim

if TYPE_CHECKING:
    from companion.games.base import Rules
    from companion.vision.readings import BoardReading

S = TypeVar("S", contravariant=True)
E = TypeVar("E")
Thing = Literal["space", "die", "card"]
Value = str | int | None


@dataclass(frozen=True, slots=True)
class LaidCard:
    """A card on the table.

    Args:
        player: who played it.
        face: what it says: its number, or its name.
        colour: name of its colour as the style sheet knows it; None: it has none.
        colour_name: the same for people.
        leads: whether it was led.
    """

    player: Text
    face: Text
    colour: str | None
    colour_name: Text | None
    leads: bool


@dataclass(frozen=True, slots=True)
class TrickPicture:
    """The cards on the table, in the order in which they were played."""

    cards: tuple[LaidCard, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The table as the game says it should lie.

    Args:
        picture: it, what differs from the table blinking.
        ids: names of the picture's spaces, in its order.
        colours: of the picture's sticks, in its order.
        seen: what the camera sees where it differs.
    """

    picture: Picture | TrickPicture
    ids: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a past event that can be changed.

    Args:
        label: what it is.
        path: where it stands in the event's line: ``("space",)``, ``("lines", "A")``, ``("faces", 2)``.
        value: what it is now.
        options: what it may become, each with its name.
    """

    label: Text
    path: tuple[str | int, ...]
    value: str | int | None
    options: tuple[tuple[str | int | None, Text], ...]


@dataclass(frozen=True, slots=True)
class Rolls:
    """What one kind of dice showed.

    Args:
        die: which dice.
        faces: all that they can show, each with its name.
        values: what was rolled.
    """

    die: Text
    faces: tuple[tuple[str | int, Text], ...]
    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class RuleSetting:
    """One of a game's rule settings.

    Args:
        label: what it is.
        options: what can be chosen, each with its name. Of a choice of one: the settings of the header that it sets;
            the first one is what is played when nothing is said. Of a choice of several: the values to list.
        several: the setting of the header that lists what is chosen; "": one is chosen.
    """

    label: Text
    options: tuple[tuple[Any, Text], ...]
    several: str = ""


@dataclass(frozen=True, slots=True)
class NewGame:
    """What the header of a new game needs, for the form that asks it.

    Args:
        least, most: how many can play.
        first: the header's field of the player who begins.
        first_label: who that is.
        seats: where players can sit, each with its name; none: they sit in a row, clockwise.
        colours: that players can have, each with its name; none: players have no colours.
        rules: the rule settings.
    """

    least: int
    most: int
    first: str
    first_label: Text
    seats: tuple[tuple[str, Text], ...] = ()
    colours: tuple[tuple[str, Text], ...] = ()
    rules: tuple[RuleSetting, ...] = ()


class GamePage(Protocol[S, E]):
    """A game on the page: an object ``PAGE`` in the game's module ``page``."""

    new: NewGame | None
    """What to ask before a game; None: it can't be started from the page."""

    def drawing(self, state: S, reading: BoardReading | None) -> Drawing | None:
        """The game's own drawing of the table.

        Args:
            state: of the rules.
            reading: how the table lies; None: it is not compared.
        """
        ...

    def turn(self, state: S) -> Text | None:
        """Whose turn it is; None when it is nobody's alone."""
        ...

    def told(self, before: S, event: E, after: S) -> tuple[Text, ...]:
        """What an event did, then the reasons of its ruling, a line each."""
        ...

    def fields(self, before: S, event: E) -> tuple[Field, ...]:
        """What of a past event can be changed, once it is no longer :meth:`secret`."""
        ...

    def choices(self, kind: Thing) -> tuple[tuple[str | int, Text], ...]:
        """What a thing on the table can be, each with its name; none: there are no such things in the game."""
        ...

    def entered(self, state: S, space: str, value: str) -> E | None:
        """The event that the players mean who say, without a camera, what lies on a space; None: none."""
        ...

    def mended(
        self, history: Sequence[tuple[S, E]], kind: Thing, lying: Sequence[Value], was: Value, now: Value
    ) -> tuple[int, E] | None:
        """The past event that a thing on the table led to, as it should be; None: nothing came of that thing yet.

        Args:
            history: each event with the state before it.
            kind: of the thing.
            lying: how all things of this kind are read that lie there.
            was: how it was read.
            now: what it is.

        Returns:
            The number of the event, and what belongs in its place.
        """
        ...

    def rolls(self, before: S, event: E) -> Sequence[Rolls]:
        """The dice rolled by an event, for the statistics: thrown anew and by chance, not chosen or kept."""
        ...

    def secret(self, now: S, before: S, event: E) -> bool:
        """Whether what an event says may not be known to all yet.

        Args:
            now: how the game stands now.
            before: how it stood before the event.
            event: the event.
        """
        ...


def joined(texts: Sequence[Text]) -> Text:
    """Several texts, a comma between each two.

    >>> from companion.screens.language import Translator
    >>> Translator().translate(joined([verbatim("a"), verbatim("b"), verbatim("c")]))
    'a, b, c'
    """
    together = texts[0]
    for text in texts[1:]:
        together = T("{one}, {two}", one=together, two=text)
    return together


class PlainPage:
    """The page of a game that has none of its own: the log is the account of its rules."""

    new: NewGame | None = None

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules = rules

    def drawing(self, state: Any, reading: BoardReading | None) -> Drawing | None:
        """None."""
        return None

    def turn(self, state: Any) -> Text | None:
        """Nobody."""
        return None

    def told(self, before: Any, event: Any, after: Any) -> tuple[Text, ...]:
        """The line of the account, in English."""
        return (verbatim(self._rules.account(before, event, after)),)

    def fields(self, before: Any, event: Any) -> tuple[Field, ...]:
        """Nothing."""
        return ()

    def choices(self, kind: Thing) -> tuple[tuple[str | int, Text], ...]:
        """Nothing."""
        return ()

    def entered(self, state: Any, space: str, value: str) -> Any:
        """None."""
        return None

    def mended(self, history: Any, kind: Thing, lying: Any, was: Any, now: Any) -> None:
        """Nothing."""
        return None

    def rolls(self, before: Any, event: Any) -> Sequence[Rolls]:
        """Nothing."""
        return ()

    def secret(self, now: Any, before: Any, event: Any) -> bool:
        """Nothing is."""
        return False


def changeable(page: GamePage[S, E], now: S, before: S, event: E) -> tuple[Field, ...]:
    """What of a past event can be changed now; of what not everybody may know yet, nothing.

    Args:
        page: of the game.
        now: how the game stands now.
        before: how it stood before the event.
        event: the event.
    """
    return () if page.secret(now, before, event) else page.fields(before, event)


def page_of(game: str) -> GamePage[Any, Any]:
    """The page of a game.

    Raises:
        RecordError: there is no such game.

    >>> page_of("pizza").turn.__name__
    'turn'
    """
    rules = rules_of(game)
    path = f"{GAMES[game]}.page"
    try:
        page: GamePage[Any, Any] = importlib.import_module(path).PAGE
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        return PlainPage(rules)
    return page
