"""Who plays, how a game stands, what can happen: frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.wizard_cards.cards import COPIES, JESTER, Played, colour_of

Phase = Literal["trump", "trump_colour", "bid", "play", "over"]
Bids = Literal["free", "plus_minus_one"]


@dataclass(frozen=True, slots=True)
class Revoke:
    """A player has not followed a colour, as a later card shows.

    Args:
        trick: the trick of the round, from 1, in which the player did not follow.
        instead: what the player played there.
        card: the later card, which gave it away.
    """

    player: int
    trick: int
    instead: str
    card: str


@dataclass(frozen=True, slots=True)
class NotFollowed:
    """A player played a number card of another colour than the one led."""

    player: int
    colour: str
    trick: int
    card: str


@dataclass(frozen=True, slots=True)
class Setup:
    """What a header says; players are numbered from 0, clockwise."""

    names: tuple[str, ...]
    dealer: int
    bids: Bids = "free"

    @property
    def rounds(self) -> int:
        """How many rounds there are: the deck is dealt out in the last."""
        return sum(COPIES.values()) // len(self.names)


@dataclass(frozen=True, slots=True)
class State:
    """How a game stands.

    Args:
        round: counts from 1; as many cards are dealt a player.
        trump_card: the card turned up.
        bids: per player; None before the bid.
        taken: tricks per player in this round.
        leader: who leads the trick on the table.
        trick: the cards on the table.
        seen: all cards played in this round, the turned card included.
        not_followed: what may turn out as a revoke in this round.
        warnings: the revokes of this round.
        winners: player numbers, sorted.
    """

    setup: Setup
    round: int
    phase: Phase
    dealer: int
    scores: tuple[int, ...]
    bids: tuple[int | None, ...]
    taken: tuple[int, ...]
    leader: int
    trump_card: str | None = None
    trump: str | None = None
    trick: tuple[Played, ...] = ()
    seen: tuple[str, ...] = ()
    not_followed: tuple[NotFollowed, ...] = ()
    warnings: tuple[Revoke, ...] = ()
    winners: tuple[int, ...] = ()

    @property
    def to_act(self) -> int | None:
        """Whose turn it is to bid or to play."""
        count = len(self.setup.names)
        if self.phase == "bid":
            return (self.dealer + 1 + sum(bid is not None for bid in self.bids)) % count
        if self.phase == "play":
            return (self.leader + len(self.trick)) % count
        return None

    @property
    def lead_colour(self) -> str | None:
        """The colour to follow: that of the first number card, unless a wizard came before it."""
        for played in self.trick:
            if played.card != JESTER:
                return colour_of(played.card)
        return None


@dataclass(frozen=True, slots=True)
class Trump:
    """The card turned up; None in the last round, when no card is left."""

    card: str | None


@dataclass(frozen=True, slots=True)
class TrumpColour:
    """The dealer's choice after a wizard was turned up."""

    colour: str


@dataclass(frozen=True, slots=True)
class Bid:
    """A player says how many tricks it will be."""

    player: int
    tricks: int


@dataclass(frozen=True, slots=True)
class Play:
    """A player plays a card."""

    player: int
    card: str


@dataclass(frozen=True, slots=True)
class Tricks:
    """Score only: the tricks taken per player, instead of every card of the round."""

    taken: tuple[int, ...]


Event = Trump | TrumpColour | Bid | Play | Tricks
