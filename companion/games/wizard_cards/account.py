"""A readable account of a game: one English line an event, with the reason of each ruling."""

from __future__ import annotations

from companion.games.record import printable
from companion.games.wizard_cards.cards import (
    BOMB,
    DRAGON,
    FAIRY,
    JESTER,
    JUGGLER,
    LIGHT_CARDS,
    WIZARD,
    Played,
    colour_of,
    winner,
)
from companion.games.wizard_cards.state import Bid, ChangeBid, Event, Play, State, Trick, Tricks, Trump, TrumpColour


def account(before: State, event: Event, after: State) -> str:
    """What a legal event did and why."""
    start = f"Round {before.round}: "
    match event:
        case Trump(card):
            return f"{start}{who(before, before.dealer)} deals {before.round}; {_turned(card)}."
        case TrumpColour(colour):
            return f"{start}{who(before, before.dealer)} chooses {colour} as trump."
        case Bid(player, tricks):
            if not after.bids_are_shown:
                return f"{start}{who(before, player)} bids hidden."
            total = sum(bid for bid in after.bids if bid is not None)
            if before.bids_are_shown:
                return f"{start}{who(before, player)} bids {tricks}; {total} of {before.round} so far."
            return (
                f"{start}{who(before, player)} bids; the bids: {_bids(after, after.bids)}; {total} of {before.round}."
            )
        case Play(player, card, named):
            what = f"{card} as {named}" if named else card
            end = _round_end(before, event, after)
            return f"{start}{who(before, player)} plays {what}.{_trick(before, event)}{end}"
        case Trick(best, bomb):
            what = "leads after the bomb" if bomb else "takes the trick"
            return f"{start}{who(before, best)} {what}.{_round_end(before, event, after)}"
        case ChangeBid(player, tricks):
            to = f"to {tricks}" if before.bids_are_shown else "hidden"
            return f"{start}{who(before, player)} changes the bid {to}.{_round_end(before, event, after)}"
        case Tricks(taken):
            return f"{start}tricks taken: {', '.join(map(str, taken))}.{_round_end(before, event, after)}"


def who(state: State, player: int) -> str:
    """A player's name and number, on one line whatever the name holds."""
    name = printable(state.setup.names[player])
    return f"{name} ({player})" if name else f"player {player}"


NAMES = {WIZARD: "a wizard", JESTER: "a jester"}


def _bids(state: State, bids: tuple[int | None, ...]) -> str:
    return ", ".join(f"{who(state, i)} {bid}" for i, bid in enumerate(bids))


def _turned(card: str | None) -> str:
    if card is None:
        return "no card is left to turn, there is no trump"
    if colour_of(card) is not None:
        return f"{card} is turned up, trump is {colour_of(card)}"
    what = NAMES.get(card, f"the {card}")
    return f"{what} is turned up, {'there is no trump' if card in LIGHT_CARDS else 'the dealer chooses trump'}"


def _trick(before: State, event: Play) -> str:
    text = ""
    revoke = before.revoke(event.player, event.card)
    if revoke is not None:
        text = f" Revoke: {revoke.instead} in trick {revoke.trick} did not follow {colour_of(event.card)}."
    trick = (*before.trick, Played(event.player, event.card, event.colour))
    if len(trick) < len(before.setup.names):
        return text
    best, why = _best(trick, before)
    cards = {played.card for played in trick}
    if BOMB in cards:
        text += f" The bomb: nobody gets the trick; {who(before, best.player)} leads with {why}."
    else:
        text += f" {who(before, best.player)} takes the trick with {why}."
    return text + (" Everybody passes a card to the left." if JUGGLER in cards else "")


def _best(trick: tuple[Played, ...], before: State) -> tuple[Played, str]:
    best = winner(trick, before.trump)
    if best.card == WIZARD:
        return best, "the first wizard"
    if best.card == DRAGON:
        return best, "the dragon"
    if best.card == FAIRY and any(played.card == DRAGON for played in trick):
        return best, "the fairy, who beats the dragon"
    if best.colour is None:
        return best, "the first of nothing but jesters"
    return best, f"{best.card}, the highest {'trump' if best.colour == before.trump else 'of the colour led'}"


def _round_end(before: State, event: Event, after: State) -> str:
    if after.round == before.round and after.phase != "over":
        return ""
    gains = ", ".join(
        f"{who(before, i)} {new - old:+d} = {new}"
        for i, (old, new) in enumerate(zip(before.scores, after.scores, strict=True))
    )
    bids = ""
    if not before.bids_are_shown:
        bids = f" The bids: {_bids(before, before.final_bids(event))}."
    if after.phase != "over":
        return f"{bids} Scores: {gains}. Next deals {who(after, after.dealer)}."
    names = " and ".join(who(after, player) for player in after.winners)
    return f"{bids} Scores: {gains}. The game is over: {names} {'wins' if len(after.winners) == 1 else 'win together'}."
