"""Who takes a trick and why, who leads, what can still be reached: what the screens say, worked out of the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.wizard_cards.cards import BOMB, DRAGON, FAIRY, WIZARD, Played, colour_to_follow, winner
from companion.games.wizard_cards.rules import points
from companion.games.wizard_cards.state import Event, Play, State

Why = Literal["first_wizard", "dragon", "fairy", "trump_beats", "highest_trump", "highest_led", "jesters"]


@dataclass(frozen=True, slots=True)
class TrickEnd:
    """A trick that is complete.

    Args:
        cards: in the order in which they were played.
        best: the best card.
        why: what makes it the best.
        beaten: the best card of the colour led that a trump beats.
        bomb: nobody gets the trick; the best card's player only leads the next one.
    """

    cards: tuple[Played, ...]
    best: Played
    why: Why
    beaten: Played | None = None
    bomb: bool = False


def trick_end(before: State, event: Event) -> TrickEnd | None:
    """The trick that an event completes, or None.

    Args:
        before: the state before the event.
        event: legal in it.
    """
    if not isinstance(event, Play) or len(before.trick) + 1 < len(before.taken):
        return None
    cards = (*before.trick, Played(event.player, event.card, event.colour))
    best, led = winner(cards, before.trump), colour_to_follow(cards)
    beaten = None
    if best.card == DRAGON:
        why: Why = "dragon"
    elif best.card == FAIRY and any(played.card == DRAGON for played in cards):
        why = "fairy"
    elif best.card == WIZARD:
        why = "first_wizard"
    elif best.colour is None:
        why = "jesters"
    elif best.colour != before.trump:
        why = "highest_led"
    else:
        of_led = [played for played in cards if played.colour == led and led != before.trump]
        beaten = max(of_led, key=lambda played: played.value, default=None)
        why = "trump_beats" if beaten is not None else "highest_trump"
    return TrickEnd(cards, best, why, beaten, any(played.card == BOMB for played in cards))


def still_possible(state: State) -> tuple[int, ...]:
    """The best score that each player can still have after this round, once all have bid.

    >>> from companion.games.wizard_cards.rules import RULES
    >>> from companion.games.wizard_cards.state import Bid, Trump
    >>> state = RULES.start({"game": "wizard_cards", "dealer": 0, "players": [{"name": n} for n in "ABC"]})
    >>> for event in (Trump("J"), Bid(1, 1), Bid(2, 0), Bid(0, 1)):
    ...     state = RULES.apply(state, event)
    >>> still_possible(state)
    (30, 30, 20)
    """
    left = state.round - state.tricks_played
    best = []
    for score, bid, taken in zip(state.scores, state.bids, state.taken, strict=True):
        wanted = taken if bid is None else bid
        best.append(score + points(wanted, min(max(wanted, taken), taken + left)))
    return tuple(best)
