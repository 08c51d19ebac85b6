"""The questions before a pizza game: how many players, where they sit, their names and colours, who begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from companion.arbiter.flow import Start
from companion.arbiter.forms import STATE_NAMES, Choice, Form
from companion.games.pizza.state import SEATS
from companion.layout import COLOURS
from companion.screens.view import T, Text, verbatim

# As the camera sees the table: seat A is at the bottom of the picture, the others follow clockwise.
SEAT_NAMES = {"A": T("front"), "B": T("left"), "C": T("right")}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A player as far as asked: the seat, the name, the colour."""

    seat: str
    name: str
    colour: str


def setup_form(names: Sequence[str], draw: int) -> Form:
    """Ask everything that a header needs.

    Args:
        names: the names to choose from.
        draw: a random number; its remainder by the number of players says who begins.
    """
    names = (*names, *(str(n) for n in range(len(names) + 1, len(SEATS) + 1)))  # three can always be told apart
    pairs = Choice(
        "pizza.seats",
        T("Who sits where?"),
        tuple(
            (T("{one} and {two}", one=SEAT_NAMES[a], two=SEAT_NAMES[b]), _later(names, draw, (a, b)))
            for a, b in combinations(SEATS, 2)
        ),
    )
    return Choice(
        "pizza.players",
        T("How many players?"),
        ((T("2 players"), pairs), (T("3 players"), _later(names, draw, SEATS))),
    )


def _later(names: Sequence[str], draw: int, seats: Sequence[str], done: tuple[Chosen, ...] = ()) -> Callable[[], Form]:
    """The question after ``done`` players are known; made only when it is reached."""
    if len(done) == len(seats):
        return lambda: _first(done, draw)
    seat = seats[len(done)]
    return lambda: Choice(
        "pizza.name",
        T("Name, {seat}?", seat=SEAT_NAMES[seat]),
        tuple(
            (verbatim(name), _colour(names, draw, seats, done, seat, name))
            for name in names
            if name not in {p.name for p in done}
        ),
    )


def _colour(
    names: Sequence[str], draw: int, seats: Sequence[str], done: tuple[Chosen, ...], seat: str, name: str
) -> Callable[[], Form]:
    free = [c for c in COLOURS if c not in {p.colour for p in done}]
    nexts = [(STATE_NAMES[c], _later(names, draw, seats, (*done, Chosen(seat, name, c)))) for c in free]
    if len(nexts) == 1:
        return nexts[0][1]
    return lambda: Choice("pizza.colour", T("{name}: colour?", name=name), tuple(nexts))


def _first(players: Sequence[Chosen], draw: int) -> Form:
    """Say who was drawn to begin; ok starts, another can be chosen."""
    drawn = draw % len(players)
    order = [*players[drawn:], *players[:drawn]]
    options: list[tuple[Text, Start]] = []
    for player in order:
        header = {
            "game": "pizza",
            "players": [{"name": p.name, "seat": p.seat, "colour": p.colour} for p in players],
            "first": player.seat,
        }
        text = T("{name} begins", name=player.name) if player is order[0] else T("or {name}", name=player.name)
        options.append((text, Start(header)))
    return Choice("pizza.first", T("Drawn by lot"), tuple(options), facts={"first": order[0].seat})
