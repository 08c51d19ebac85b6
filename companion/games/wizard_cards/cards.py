"""The cards, and who takes a trick.

A card is its text: ``b1`` to ``b13``, ``r..``, ``y..``, ``g..``, ``W`` (wizard) and ``J`` (jester).
"""

from __future__ import annotations

from dataclasses import dataclass

COLOURS = ("blue", "red", "yellow", "green")
WIZARD, JESTER = "W", "J"
NUMBER_CARDS = {f"{colour[0]}{value}": (colour, value) for colour in COLOURS for value in range(1, 14)}
"""Number card -> (colour, value)."""

COPIES = {**dict.fromkeys(NUMBER_CARDS, 1), WIZARD: 4, JESTER: 4}
"""Card -> how many the deck holds; 60 in all."""


def colour_of(card: str) -> str | None:
    """The colour of a number card; None for wizards and jesters.

    >>> colour_of("y13"), colour_of("W")
    ('yellow', None)
    """
    return NUMBER_CARDS[card][0] if card in NUMBER_CARDS else None


@dataclass(frozen=True, slots=True)
class Played:
    """A card on the table and who played it."""

    player: int
    card: str


def winner(trick: tuple[Played, ...], trump: str | None) -> Played:
    """The card that takes a trick: the first wizard, else the highest trump, else the highest of the colour led.

    >>> winner((Played(0, "J"), Played(1, "b3"), Played(2, "g13"), Played(3, "b7")), "red")
    Played(player=3, card='b7')
    """
    for played in trick:
        if played.card == WIZARD:
            return played
    numbers = [played for played in trick if played.card != JESTER]
    if not numbers:
        return trick[0]
    led = colour_of(numbers[0].card)

    def rank(played: Played) -> tuple[bool, bool, int]:
        colour, value = NUMBER_CARDS[played.card]
        return colour == trump, colour == led, value

    return max(numbers, key=rank)
