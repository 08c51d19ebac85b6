"""Who plays, how a game stands, what can happen: frozen values with a text form each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from companion.games.pizza.board import Board
from companion.layout import COLOURS

SEATS = ("A", "B", "C")
"""The seats, clockwise seen from above, from the bottom of the picture."""

CLOCKWISE_SIDES = (1, 3, 2)
"""The board's sides, clockwise seen from above: a layout numbers them counter-clockwise."""

Phase = Literal["place", "neutral_roll", "neutral_place", "cut", "rotate", "over"]
Outcome = Literal["red", "green", "white", "two_way_tie", "three_way_tie", "empty"]
Result = Literal["win", "shared_win", "both_lose"]
Masks = tuple[int, int, int]
"""A set of spaces a colour, in the order of COLOURS."""


@dataclass(frozen=True, slots=True)
class Player:
    """One player; ``colour`` is one of COLOURS."""

    name: str
    seat: str
    colour: str


@dataclass(frozen=True, slots=True)
class Setup:
    """What a header says, and what follows from it for every round.

    Args:
        board: the board and its sets of spaces.
        players: two or three, in the order of the header.
        first: the seat of the first player.
        neutral: two players: the seat and the colour that nobody plays. Else None.
        colour: seat -> index in COLOURS, the neutral seat included.
        facings: for the rounds 1, 2, 3, 1, ...: seat -> the board side before it.
        orders: for the rounds 1 to 6, then again: the players' seats in turn order.
    """

    board: Board
    players: tuple[Player, ...]
    first: str
    neutral: Player | None = field(compare=False)
    colour: Mapping[str, int] = field(compare=False)
    facings: tuple[Mapping[str, int], ...] = field(compare=False)
    orders: tuple[tuple[str, ...], ...] = field(compare=False)

    def player(self, seat: str) -> Player:
        """The player (or the neutral colour) at a seat.

        Raises:
            KeyError: there is no such seat.
        """
        for player in (*self.players, *([self.neutral] if self.neutral else [])):
            if player.seat == seat:
                return player
        raise KeyError(seat)


def setup(board: Board, players: tuple[Player, ...], first: str) -> Setup:
    """Work out what follows from a (valid) header.

    >>> from companion.games.pizza.board import board_of
    >>> three = [Player(c, s, c) for c, s in zip(COLOURS, SEATS)]
    >>> game = setup(board_of("hex37"), tuple(three), "A")
    >>> game.facings[0], game.orders[0], game.orders[1]
    ({'A': 1, 'B': 3, 'C': 2}, ('A', 'C', 'B'), ('B', 'A', 'C'))
    """
    start = SEATS.index(first)
    # At the start side 1 faces the first player; each round the board turns on to the next seat clockwise.
    facings = tuple({SEATS[(start + t + i) % 3]: side for i, side in enumerate(CLOCKWISE_SIDES)} for t in range(3))
    facings = tuple({seat: facing[seat] for seat in SEATS} for facing in facings)
    seats = tuple(player.seat for player in players)
    neutral = None
    if len(players) == 3:
        # The words 1st, 2nd and 3rd stand at the sides 1, 2 and 3.
        orders = tuple(tuple(sorted(SEATS, key=facings[t % 3].__getitem__)) for t in range(6))
    else:
        other = seats[1 - seats.index(first)]
        orders = ((first, other), (other, first)) * 3
        (seat,) = set(SEATS) - set(seats)
        (colour,) = set(COLOURS) - {player.colour for player in players}
        neutral = Player("", seat, colour)
    colours = {player.seat: COLOURS.index(player.colour) for player in (*players, *([neutral] if neutral else []))}
    return Setup(board, players, first, neutral, colours, facings, orders)


@dataclass(frozen=True, slots=True)
class Slice:
    """One slice as it was at the cut: its spaces, the toppings of each colour in it, and who takes it."""

    mask: int
    spaces: tuple[str, ...] = field(repr=False)
    counts: tuple[int, int, int]
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a cut did: the cutters' numbers on the sides 1 to 3, the slices, and what changed, by colour.

    Args:
        safe: the colours (indices) that had at most one topping in every slice.
        removed, placed: the spaces that lost a topping of a colour, and those that got one.
        short: the spaces for which a colour had no topping left.
    """

    numbers: tuple[int, int, int]
    slices: tuple[Slice, ...]
    safe: tuple[int, ...]
    removed: Masks
    placed: Masks
    short: Masks


@dataclass(frozen=True, slots=True)
class State:
    """How a game stands.

    Args:
        pieces: the toppings on the board.
        acted: how many players have added (or passed) in this round.
        neutral_line: two players: the neutral cutter's line while it lies on the board.
        ruling: the last cut, until the board turns.
        winners: seats, sorted.
    """

    setup: Setup
    round: int
    phase: Phase
    pieces: Masks
    acted: int = 0
    neutral_line: int | None = None
    ruling: Ruling | None = None
    winners: tuple[str, ...] = ()
    result: Result | None = None

    @property
    def facing(self) -> Mapping[str, int]:
        """Seat -> the board side before it, for all three seats."""
        return self.setup.facings[(self.round - 1) % 3]

    @property
    def order(self) -> tuple[str, ...]:
        """The players' seats in this round's turn order."""
        return self.setup.orders[(self.round - 1) % 6]

    @property
    def to_act(self) -> str | None:
        """The seat whose turn it is to add a topping."""
        return self.order[self.acted] if self.phase == "place" else None

    @property
    def occupied(self) -> int:
        """The mask of the spaces with a topping."""
        red, green, white = self.pieces
        return red | green | white

    @property
    def legal(self) -> int:
        """The mask of the spaces where a topping may be put now; 0 in other phases."""
        board = self.setup.board
        if self.phase == "place":
            own = self.pieces[self.setup.colour[self.order[self.acted]]]
            return board.full & ~(self.occupied | board.neighbours(own))
        if self.phase == "neutral_place" and self.setup.neutral is not None and self.neutral_line is not None:
            side = self.facing[self.setup.neutral.seat]
            return board.touching[side, self.neutral_line] & ~self.occupied
        return 0

    def supply(self, colour: int) -> int:
        """How many toppings of a colour (index) are off the board."""
        return self.setup.board.layout.toppings_per_colour - self.pieces[colour].bit_count()


@dataclass(frozen=True, slots=True)
class Place:
    """A player puts an own topping on a space."""

    seat: str
    space: str


@dataclass(frozen=True, slots=True)
class Pass:
    """A player has no space for a topping."""

    seat: str


@dataclass(frozen=True, slots=True)
class NeutralRoll:
    """Two players: the neutral die shows the line of the neutral cutter."""

    value: int


@dataclass(frozen=True, slots=True)
class NeutralPlace:
    """Two players: the first player puts a neutral topping next to the neutral cutter."""

    space: str


@dataclass(frozen=True, slots=True)
class NeutralPass:
    """Two players: no empty space touches the neutral cutter."""


@dataclass(frozen=True, slots=True)
class Cut:
    """All cutters are laid: (seat, line number) pairs of the players, sorted by seat."""

    lines: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Rotate:
    """The cutters are taken off and the board is turned by a third."""


Event = Place | Pass | NeutralRoll | NeutralPlace | NeutralPass | Cut | Rotate
