"""View models: what a screen says, before language, font and display size.

The arbiter and the games make them, the OLED renderer draws them, and the simulated players read them.
A text is a message id (the English text, with named fields) and its values; it is translated when it is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal

Button = Literal["up", "down", "ok", "back"]
Tone = Literal["info", "ask", "wrong", "win"]
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Text:
    """A message to translate: its English text with ``{named}`` fields, and the values of the fields.

    Values may be texts themselves (they are translated too); names of players are plain strings.
    """

    id: str
    values: tuple[tuple[str, Any], ...] = ()


def T(message: str, /, **values: Any) -> Text:  # noqa: N802 - the marker that the catalogues are extracted by
    """Mark a message for translation.

    >>> T("{name} wins", name="Ana").id
    '{name} wins'
    """
    return Text(message, tuple(sorted(values.items())))


def verbatim(words: str) -> Text:
    """A text that is the same in every language: a name, a number, an id of a space."""
    return Text("{words}", (("words", words),))


@dataclass(frozen=True, slots=True)
class BoardMark:
    """One space in a small drawing of the board.

    Args:
        x, y: place on the unit disk as the table lies before the camera (x right, y down), -1 to 1.
        state: "empty", a colour, or None when unknown.
        blink: this space is what the screen is about.
    """

    x: float
    y: float
    state: str | None
    blink: bool = False


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A small drawing of the board: its spaces and the sticks to show (end points on the unit disk)."""

    marks: tuple[BoardMark, ...]
    sticks: tuple[tuple[float, float, float, float], ...] = ()
    radius: float = 0.1  # of a space, in units of the disk


@dataclass(frozen=True, slots=True)
class DicePicture:
    """A row of dice faces: a number is drawn as pips, a text as a word, None as a question mark."""

    values: tuple[int | str | None, ...]
    blink: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class GridPicture:
    """A small table of short entries: a label in front of each row, "" for an empty place.

    A label is the name of a die's face, drawn as on the die, or any other short word.
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    blink: frozenset[tuple[int, int]] = frozenset()  # (row, column)


@dataclass(frozen=True, slots=True)
class CameraPicture:
    """What the camera sees, small and grey; it is brought to black and white in the size in which it is drawn.

    Args:
        width, height: px, each from 1 to ``LARGEST``: no display shows more.
        grey: height x width bytes, row by row.
        outlines: closed lines to draw over it, as points in shares of its width and height (0 to 1).
    """

    LARGEST: ClassVar[int] = 160
    width: int
    height: int
    grey: bytes
    outlines: tuple[tuple[tuple[float, float], ...], ...] = ()

    def __post_init__(self) -> None:
        if not (1 <= self.width <= self.LARGEST and 1 <= self.height <= self.LARGEST):
            raise ValueError(f"a picture of {self.width}x{self.height} px, at most {self.LARGEST} a side")
        if len(self.grey) != self.width * self.height:
            raise ValueError(f"{len(self.grey)} bytes for a picture of {self.width}x{self.height} px")


@dataclass(frozen=True, slots=True)
class QrPicture:
    """A square code that phones read: rows of "1" (dark) and "0" (light)."""

    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlotPicture:
    """Curves over the rounds of a game, one of them bold: a tuple of scores for each player, the start included."""

    curves: tuple[tuple[int, ...], ...]
    bold: int = 0


Picture = BoardPicture | DicePicture | GridPicture | CameraPicture | QrPicture | PlotPicture


@dataclass(frozen=True, slots=True)
class View:
    """One screen.

    Args:
        code: stable name such as "pizza.place", for tests, the web page and simulated players.
        title: the small first line: where in the game we are.
        big: the one thing to read from a metre away.
        lines: a few small lines under it.
        picture: a drawing, given the room that is left.
        choices: a list to choose from; ``chosen`` is the marked one.
        barred: the choices that are shown, with the reason in their text, but can't be taken; drawn thin.
        keys: what the buttons do here, shown as a footer: (button, text) pairs.
        tone: "wrong" screens are inverted at the title, "win" framed.
        facts: what the screen is about in machine form (refusal code, space, event proposed), never drawn.
    """

    code: str
    title: Text | None = None
    big: Text | None = None
    lines: tuple[Text, ...] = ()
    picture: Picture | None = None
    choices: tuple[Text, ...] = ()
    chosen: int = 0
    barred: frozenset[int] = frozenset()
    keys: tuple[tuple[Button, Text], ...] = ()
    tone: Tone = "info"
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
