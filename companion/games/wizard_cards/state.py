"""Who plays, how a game stands, what can happen: frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from companion.games.wizard_cards.cards import BOMB, COPIES, Played, colour_of, colour_to_follow

Phase = Literal["trump", "trump_colour", "bid", "play", "change_bid", "over"]
Bids = Literal["free", "plus_minus_one"]
BidsShown = Literal["open", "together", "after_round"]
HIDDEN = "hidden"


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
    """What a header says; players are numbered from 0, clockwise.

    Args:
        bids: whether the dealer may make the total of the bids equal the number of tricks.
        bids_shown: at once, together when all have bid ("hidden bids"), or only after the round ("secret bids").
        specials: the special cards that were added to the deck.
    """

    names: tuple[str, ...]
    dealer: int
    bids: Bids = "free"
    bids_shown: BidsShown = "open"
    specials: tuple[str, ...] = ()

    @property
    def rounds(self) -> int:
        """How many rounds there are: the deck of 60 is dealt out in the last. Special cards don't change it."""
        return sum(COPIES.values()) // len(self.names)

    @property
    def deck(self) -> Mapping[str, int]:
        """Card -> how many there are of it."""
        return {**COPIES, **dict.fromkeys(self.specials, 1)} if self.specials else COPIES


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
        bombed: tricks of this round that nobody got.
        past: the scores after each round so far.
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
    bombed: int = 0
    past: tuple[tuple[int, ...], ...] = ()

    @property
    def to_act(self) -> int | None:
        """Whose turn it is to bid, to play, or to change a bid."""
        count = len(self.setup.names)
        if self.phase == "bid":
            return (self.dealer + 1 + sum(bid is not None for bid in self.bids)) % count
        if self.phase in ("play", "change_bid"):
            return (self.leader + len(self.trick)) % count
        return None

    @property
    def lead_colour(self) -> str | None:
        """The colour to follow: that of the first number card, unless a wizard came before it."""
        return colour_to_follow(self.trick)

    @property
    def tricks_played(self) -> int:
        """How many tricks of this round are over."""
        return sum(self.taken) + self.bombed

    def revoke(self, player: int, card: str) -> Revoke | None:
        """What a card would show that a player plays now: an earlier trick of the round that was not followed.

        However often it was not followed: one warning a card. Special cards may be played at any time, so they
        neither revoke nor give away.
        """
        colour = colour_of(card)
        for past in self.not_followed:
            if past.player == player and past.colour == colour:
                return Revoke(player, past.trick, past.card, card)
        return None

    @property
    def totals(self) -> tuple[int, ...]:
        """What the tricks taken in this round may total."""
        return (self.round, self.round - 1) if BOMB in self.setup.specials else (self.round,)

    @property
    def bids_are_shown(self) -> bool:
        """Whether everybody may know the bids that were made."""
        shown = self.setup.bids_shown
        return shown == "open" or (shown == "together" and None not in self.bids) or self.phase == "over"

    def final_bids(self, event: Event) -> tuple[int | None, ...]:
        """The bids that the round is scored by, if this event is its last: it may change one."""
        change = event if isinstance(event, ChangeBid) else None
        return tuple(change.tricks if change and i == change.player else bid for i, bid in enumerate(self.bids))

    @property
    def shown_bids(self) -> tuple[int | str | None, ...]:
        """The bids as everybody may know them: a number, "hidden", or None before the bid."""
        return self.bids if self.bids_are_shown else tuple(None if bid is None else HIDDEN for bid in self.bids)


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
    """A player plays a card, and names its colour if it is the cloud or the juggler."""

    player: int
    card: str
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Trick:
    """Who takes a trick at whose cards nobody looked; under a bomb that player only leads the next one."""

    winner: int
    bomb: bool = False


@dataclass(frozen=True, slots=True)
class ChangeBid:
    """Who takes the trick with the cloud changes the own bid by one."""

    player: int
    tricks: int


@dataclass(frozen=True, slots=True)
class Tricks:
    """Score only: the tricks taken per player, instead of every card of the round."""

    taken: tuple[int, ...]


Event = Trump | TrumpColour | Bid | Play | Trick | ChangeBid | Tricks
