"""A readable account of a game: one English line an event, with the reason of each ruling."""

from __future__ import annotations

from companion.games.record import printable
from companion.games.wizard_cards.cards import JESTER, WIZARD, Played, colour_of, winner
from companion.games.wizard_cards.state import Bid, Event, Play, State, Tricks, Trump, TrumpColour


def account(before: State, event: Event, after: State) -> str:
    """What a legal event did and why."""
    start = f"Round {before.round}: "
    match event:
        case Trump(card):
            return f"{start}{who(before, before.dealer)} deals {before.round}; {_turned(before, card)}."
        case TrumpColour(colour):
            return f"{start}{who(before, before.dealer)} chooses {colour} as trump."
        case Bid(player, tricks):
            total = sum(bid for bid in after.bids if bid is not None)
            return f"{start}{who(before, player)} bids {tricks}; {total} of {before.round} so far."
        case Play(player, card):
            return f"{start}{who(before, player)} plays {card}.{_trick(before, event)}{_round_end(before, after)}"
        case Tricks(taken):
            return f"{start}tricks taken: {', '.join(map(str, taken))}.{_round_end(before, after)}"


def who(state: State, player: int) -> str:
    """A player's name and number, on one line whatever the name holds."""
    name = printable(state.setup.names[player])
    return f"{name} ({player})" if name else f"player {player}"


def _turned(before: State, card: str | None) -> str:
    if card is None:
        return "no card is left to turn, there is no trump"
    if card == WIZARD:
        return "a wizard is turned up, the dealer chooses trump"
    if card == JESTER:
        return "a jester is turned up, there is no trump"
    return f"{card} is turned up, trump is {colour_of(card)}"


def _trick(before: State, event: Play) -> str:
    text = ""
    # A round that has ended has taken its warnings along, so they are worked out again from what was not followed.
    for past in before.not_followed:
        if past.player == event.player and past.colour == colour_of(event.card):
            text = f" Revoke: {past.card} in trick {past.trick} did not follow {past.colour}."
            break
    trick = (*before.trick, Played(event.player, event.card))
    if len(trick) < len(before.setup.names):
        return text
    best, why = _best(trick, before)
    return f"{text} {who(before, best.player)} takes the trick with {why}."


def _best(trick: tuple[Played, ...], before: State) -> tuple[Played, str]:
    best = winner(trick, before.trump)
    if best.card == WIZARD:
        return best, "the first wizard"
    if best.card == JESTER:
        return best, "the first of nothing but jesters"
    colour = colour_of(best.card)
    return best, f"{best.card}, the highest {'trump' if colour == before.trump else 'of the colour led'}"


def _round_end(before: State, after: State) -> str:
    if (after.round, after.phase) == (before.round, before.phase):
        return ""
    gains = ", ".join(
        f"{who(before, i)} {new - old:+d} = {new}"
        for i, (old, new) in enumerate(zip(before.scores, after.scores, strict=True))
    )
    if after.phase != "over":
        return f" Scores: {gains}. Next deals {who(after, after.dealer)}."
    names = " and ".join(who(after, player) for player in after.winners)
    return f" Scores: {gains}. The game is over: {names} {'wins' if len(after.winners) == 1 else 'win together'}."
