"""Who plays, how a game stands, what can happen: frozen values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

COLOURS = ("blue", "red", "yellow", "green")
FACES = (*COLOURS, "wizard", "jester")
NUMBERS = range(1, 6)
DICE = 7
ROLLS = 3
BONUS = 3

Phase = Literal["bid", "wizard_colour", "roll", "score", "over"]
DropOut = Literal["any", "exact_only"]
Entry = Literal["bid", "jesters"]
Cell = tuple[str, int]
"""A colour and a number: a bid, and its place on the sheet."""


def in_order(faces: Iterable[str]) -> tuple[str, ...]:
    """Faces in the order that records and screens give them.

    >>> in_order(["jester", "red", "blue"])
    ('blue', 'red', 'jester')
    """
    return tuple(sorted(faces, key=FACES.index))


@dataclass(frozen=True, slots=True)
class Setup:
    """What a header says; players are numbered from 0, clockwise.

    Args:
        target: how many X end the game.
        drop_out: who may leave before the seer stops.
        spells: whether a spell may be turned up before a round.
        chances: whether the display shows the seer's chance before the first roll, too.
    """

    names: tuple[str, ...]
    first_seer: int
    target: int = 9
    drop_out: DropOut = "any"
    spells: bool = False
    chances: bool = False


@dataclass(frozen=True, slots=True)
class Spell:
    """A spell card is turned up: what it changes in this round. As an event it is that turning.

    No public text lists the cards, so a spell is what the table says it does, under any name.

    Args:
        name: what the table calls it.
        double: an exact bid gives two X, worth the number twice; a difference counts twice.
        late_bids: bids and the wizard colour come after the first roll.
        seer_sets: so many dice the seer may turn to any face instead of rolling them.
        jesters_locked: jesters on the table stay.
        erase_minus: at their turn to bid, each may turn one of their differences into 0.
    """

    name: str = ""
    double: bool = False
    late_bids: bool = False
    seer_sets: int = 0
    jesters_locked: bool = False
    erase_minus: bool = False


NO_SPELL = Spell()


@dataclass(frozen=True, slots=True)
class Sheet:
    """One player's sheet.

    Args:
        cells: used cell -> None for an X, else the minus points (a difference, or 0 beside a jester entry).
        jesters: the crossed jester cells.
        doubled: the cells whose X counts twice.
    """

    cells: Mapping[Cell, int | None] = field(default_factory=dict, hash=False)
    jesters: frozenset[int] = frozenset()
    doubled: frozenset[Cell] = frozenset()

    @property
    def crosses(self) -> int:
        """How many X there are, jester cells included."""
        return sum(value is None for value in self.cells.values()) + len(self.doubled) + len(self.jesters)

    @property
    def minus(self) -> list[Cell]:
        """The cells that hold a difference."""
        return [cell for cell, value in self.cells.items() if value]

    @property
    def is_full(self) -> bool:
        """Whether all bid cells are used."""
        return len(self.cells) == len(COLOURS) * len(NUMBERS)

    def points(self, target: int) -> int:
        """The points as of now: numbers of the crossed cells, minus points, and the bonus from ``target`` X on."""
        gained = sum(number if value is None else value for (_, number), value in self.cells.items())
        gained += sum(number for _, number in self.doubled)
        return gained + (BONUS if self.crosses >= target else 0)


@dataclass(frozen=True, slots=True)
class State:
    """How a game stands.

    Args:
        bids: per player; None before the bid and for those who passed.
        acted: how many players have bid or passed, the seer first.
        rolls: how many rolls there were in this round.
        faces: the dice on the table, as the last roll gave them.
        scored: who has scored in this round or passed.
        winners: player numbers, sorted.
        spell: the spell of this round.
        erased: who has erased a difference in this round.
    """

    setup: Setup
    round: int
    phase: Phase
    seer: int
    sheets: tuple[Sheet, ...]
    bids: tuple[Cell | None, ...]
    acted: int = 0
    wizard_colour: str | None = None
    rolls: int = 0
    faces: tuple[str, ...] = ()
    scored: frozenset[int] = frozenset()
    winners: tuple[int, ...] = ()
    spell: Spell | None = None
    erased: frozenset[int] = frozenset()

    @property
    def force(self) -> Spell:
        """The spell in force; one that changes nothing where there is none."""
        return self.spell or NO_SPELL

    @property
    def order(self) -> tuple[int, ...]:
        """The players in the order of bidding."""
        count = len(self.setup.names)
        return tuple((self.seer + i) % count for i in range(count))

    @property
    def to_act(self) -> int | None:
        """Whose turn it is to bid."""
        return self.order[self.acted] if self.phase == "bid" else None

    def free_bids(self, player: int) -> list[Cell]:
        """The bids a player could still make in this round."""
        cells = self.sheets[player].cells
        return [(c, n) for c in COLOURS for n in NUMBERS if (c, n) not in cells and (c, n) not in self.bids]

    def count(self, colour: str) -> int:
        """How many dice on the table count for a bid on a colour."""
        wizards = self.faces.count("wizard") if self.wizard_colour == colour else 0
        return self.faces.count(colour) + wizards


@dataclass(frozen=True, slots=True)
class Bid:
    """A player bids to get exactly so many dice of a colour."""

    player: int
    colour: str
    number: int


@dataclass(frozen=True, slots=True)
class Pass:
    """A player has no free cell to bid."""

    player: int


@dataclass(frozen=True, slots=True)
class WizardColour:
    """The seer names the colour that wizards count as."""

    colour: str


@dataclass(frozen=True, slots=True)
class Roll:
    """The faces on the table after a roll, kept dice included."""

    faces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A player scores the dice on the table, as the bid or as jesters."""

    player: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Erase:
    """By a spell a player turns a difference on their sheet into 0."""

    player: int
    colour: str
    number: int


Event = Bid | Pass | WizardColour | Roll | Score | Spell | Erase
