"""The cards, and who takes a trick.

A card is its text: ``b1`` to ``b13``, ``r..``, ``y..``, ``g..``, ``W`` (wizard) and ``J`` (jester); the special cards
of the anniversary editions are ``bomb``, ``cloud``, ``juggler``, ``dragon`` and ``fairy``.
"""

from __future__ import annotations

from dataclasses import dataclass

COLOURS = ("blue", "red", "yellow", "green")
WIZARD, JESTER = "W", "J"
NUMBER_CARDS = {f"{colour[0]}{value}": (colour, value) for colour in COLOURS for value in range(1, 14)}
"""Number card -> (colour, value)."""

COPIES = {**dict.fromkeys(NUMBER_CARDS, 1), WIZARD: 4, JESTER: 4}
"""Card -> how many the deck holds; 60 in all."""

BOMB, CLOUD, JUGGLER, DRAGON, FAIRY = SPECIALS = ("bomb", "cloud", "juggler", "dragon", "fairy")
VALUES = {JUGGLER: 7.5, CLOUD: 9.75}
"""Special cards that belong to the colour which their player names -> their value in it."""

FREE_CARDS = (WIZARD, DRAGON)
"""Led, or the first after those of ``LIGHT_CARDS``: nobody has to follow."""

LIGHT_CARDS = (JESTER, FAIRY, BOMB)
"""Led, they leave it to the next card what has to be followed; the best of nothing but them is the first jester."""


def colour_of(card: str) -> str | None:
    """The colour of a number card; None for all others.

    >>> colour_of("y13"), colour_of("W")
    ('yellow', None)
    """
    return NUMBER_CARDS[card][0] if card in NUMBER_CARDS else None


@dataclass(frozen=True, slots=True)
class Played:
    """A card on the table, who played it, and the colour that was named for it (cloud, juggler)."""

    player: int
    card: str
    named: str | None = None

    @property
    def colour(self) -> str | None:
        """The colour it belongs to in this trick."""
        return self.named or colour_of(self.card)

    @property
    def value(self) -> float:
        """Its value in that colour."""
        return NUMBER_CARDS[self.card][1] if self.card in NUMBER_CARDS else VALUES.get(self.card, 0)


def colour_to_follow(trick: tuple[Played, ...]) -> str | None:
    """The colour led: that of the first card with a colour, unless a wizard or the dragon came before it.

    >>> colour_to_follow((Played(0, "J"), Played(1, "b3"), Played(2, "W")))
    'blue'
    >>> colour_to_follow((Played(0, "W"), Played(1, "b3")))
    """
    for played in trick:
        if played.card not in LIGHT_CARDS:
            return played.colour
    return None


def winner(trick: tuple[Played, ...], trump: str | None) -> Played:
    """The best card of a trick: the first wizard, else the highest trump, else the highest of the colour led.

    The dragon beats them all, and the fairy the dragon. Where a bomb lies, nobody gets the trick; the best card's
    player then only leads the next one.

    Args:
        trick: the cards in the order in which they were played, one at least.
        trump: the colour of trump, if there is one.

    >>> winner((Played(0, "J"), Played(1, "b3"), Played(2, "g13"), Played(3, "b7")), "red")
    Played(player=3, card='b7', named=None)
    """
    by_card = {played.card: played for played in reversed(trick)}  # the first of equals
    if DRAGON in by_card:
        return by_card.get(FAIRY, by_card[DRAGON])
    if WIZARD in by_card:
        return by_card[WIZARD]
    led = colour_to_follow(trick)
    coloured = [played for played in trick if played.colour is not None]
    if coloured:
        return max(coloured, key=lambda played: (played.colour == trump, played.colour == led, played.value))
    return min(trick, key=lambda played: LIGHT_CARDS.index(played.card))
