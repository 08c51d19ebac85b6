"""The referee of the card game: legality with a named reason, and what an event does.

Nobody's hand is seen, so a card that doesn't follow is legal; what it turns out to be later is a warning.
Variants are settings of the header; what they change, and on whose word, is in docs/rules-cards.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from companion.errors import RecordError
from companion.games.base import Refusal
from companion.games.header import player_names, player_number, setting
from companion.games.record import need, shown, typed
from companion.games.wizard_cards.account import account
from companion.games.wizard_cards.cards import (
    BOMB,
    CLOUD,
    COLOURS,
    JUGGLER,
    LIGHT_CARDS,
    SPECIALS,
    VALUES,
    Played,
    colour_of,
    winner,
)
from companion.games.wizard_cards.state import (
    HIDDEN,
    Bid,
    Bids,
    BidsShown,
    ChangeBid,
    Event,
    NotFollowed,
    Phase,
    Play,
    Setup,
    State,
    Trick,
    Tricks,
    Trump,
    TrumpColour,
)

EVENTS: dict[str, type[Event]] = {
    "trump": Trump,
    "trump_colour": TrumpColour,
    "bid": Bid,
    "play": Play,
    "trick": Trick,
    "change_bid": ChangeBid,
    "tricks": Tricks,
}
NAMES: dict[type[Event], str] = {kind: name for name, kind in EVENTS.items()}
PHASES: dict[type[Event], Phase] = {
    Trump: "trump",
    TrumpColour: "trump_colour",
    Bid: "bid",
    Play: "play",
    Trick: "play",
    ChangeBid: "change_bid",
    Tricks: "play",
}


class WizardCardsRules:
    """The pure referee (see :class:`companion.games.base.Rules`).

    >>> rules = WizardCardsRules()
    >>> people = [{"name": "Ana"}, {"name": "Ben"}, {"name": "Cleo"}]
    >>> game = rules.start({"game": "wizard_cards", "players": people, "dealer": 0})
    >>> game = rules.apply(game, Trump("r7"))
    >>> game.trump, game.to_act
    ('red', 1)
    >>> rules.why_not(game, Bid(1, 2)).code
    'bid_out_of_range'
    """

    name = "wizard_cards"

    def start(self, header: Mapping[str, Any]) -> State:
        """The state after a header: the first round is dealt.

        Raises:
            RecordError: the header is malformed or describes no possible game.
        """
        names = player_names(header, 3, 6)
        dealer = player_number(header, "dealer", len(names))
        bids = cast("Bids", setting(header, "bids", ("free", "plus_minus_one")))
        shown_ = cast("BidsShown", setting(header, "bids_shown", ("open", "together", "after_round")))
        if bids == "plus_minus_one" and shown_ != "open":
            raise RecordError("settings: bids: plus_minus_one needs open bids: the dealer must know the others'")
        setup = Setup(names, dealer, bids, shown_, _specials(header))
        return _dealt(setup, 1, dealer, (0,) * len(names))

    def parse_event(self, data: Mapping[str, Any]) -> Event:
        """The event of a decoded line.

        Raises:
            RecordError: unknown event, or a field missing or of the wrong type.
        """
        name = need(data, "event", str)
        if name == "trump":
            card = data.get("card")
            return Trump(need(data, "card", type(None)) if card is None else need(data, "card", str))
        if name == "trump_colour":
            return TrumpColour(need(data, "colour", str))
        if name == "bid":
            return Bid(need(data, "player", int), need(data, "tricks", int))
        if name == "play":
            card = need(data, "card", str)
            colour = data.get("colour") if card in VALUES else None
            return Play(need(data, "player", int), card, colour and typed(colour, "colour", str))
        if name == "trick":
            bomb = typed(data.get("bomb", False), "bomb", bool)
            return Trick(need(data, "winner", int), bomb)
        if name == "change_bid":
            return ChangeBid(need(data, "player", int), need(data, "tricks", int))
        if name == "tricks":
            return Tricks(tuple(typed(count, "taken", int) for count in need(data, "taken", list)))
        raise RecordError(f"unknown event {shown(name)}: known are {', '.join(EVENTS)}")

    def event_json(self, event: Event) -> dict[str, Any]:
        """The event's line in a record."""
        data: dict[str, Any] = {"event": NAMES[type(event)]}
        match event:
            case Trump(card):
                data |= {"card": card}
            case TrumpColour(colour):
                data |= {"colour": colour}
            case Bid(player, tricks):
                data |= {"player": player, "tricks": tricks}
            case Play(player, card, named):
                data |= {"player": player, "card": card} | ({"colour": named} if named else {})
            case Trick(best, bomb):
                data |= {"winner": best} | ({"bomb": True} if bomb else {})
            case ChangeBid(player, tricks):
                data |= {"player": player, "tricks": tricks}
            case Tricks(taken):
                data |= {"taken": list(taken)}
        return data

    def why_not(self, state: State, event: Event) -> Refusal | None:
        """Why an event is not legal now: the first reason in the order of the rules page, or None if it is legal."""
        if state.phase == "over":
            return Refusal("game_over", "the game is over")
        if not _in_phase(state, event):
            now = " or ".join(name for kind, name in NAMES.items() if PHASES[kind] == state.phase)
            return Refusal("wrong_phase", f"now comes {now}, not {NAMES[type(event)]}", phase=state.phase)
        match event:
            case Trump(card):
                return _why_no_trump(state, card)
            case TrumpColour(colour):
                if colour not in COLOURS:
                    return Refusal("bad_colour", f"{shown(colour)} is none of {', '.join(COLOURS)}", colour=colour)
                return None
            case Bid():
                return _turn(state, event.player) or _why_no_bid(state, event)
            case Play(player, card, named):
                return _turn(state, player) or _card(state, card) or _seen(state, card) or _named(card, named)
            case Trick():
                return _why_no_trick(state, event)
            case ChangeBid():
                return _why_no_change(state, event)
            case Tricks(taken):
                return _why_no_tricks(state, taken)

    def apply(self, state: State, event: Event) -> State:
        """The state after an event.

        Raises:
            Refusal: the rules refuse it.
        """
        refusal = self.why_not(state, event)
        if refusal is not None:
            raise refusal
        match event:
            case Trump(card):
                turned = () if card is None else (card,)
                trump = card and colour_of(card)
                phase: Phase = "bid" if card is None or trump is not None or card in LIGHT_CARDS else "trump_colour"
                return replace(state, phase=phase, trump_card=card, trump=trump, seen=turned)
            case TrumpColour(colour):
                return replace(state, phase="bid", trump=colour)
            case Bid(player, tricks):
                bids = tuple(tricks if i == player else bid for i, bid in enumerate(state.bids))
                return replace(state, bids=bids, phase="bid" if None in bids else "play")
            case Play(player, card, named):
                return _played(state, Played(player, card, named))
            case Trick(best, bomb):
                seen = (*state.seen, BOMB) if bomb else state.seen
                return _go_on(_taken(replace(state, seen=seen), best, bomb=bomb))
            case ChangeBid(player, tricks):
                bids = tuple(tricks if i == player else bid for i, bid in enumerate(state.bids))
                seen = state.seen if CLOUD in state.seen else (*state.seen, CLOUD)
                return _go_on(replace(state, bids=bids, phase="play", seen=seen))
            case Tricks(taken):
                return _round_over(replace(state, taken=taken))

    def describe(self, state: State) -> dict[str, Any]:
        """The state in the JSON form of the rules page."""
        data: dict[str, Any] = {
            "round": state.round,
            "rounds": state.setup.rounds,
            "phase": state.phase,
            "dealer": state.dealer,
            "trump_card": state.trump_card,
            "trump": state.trump,
            "bids": list(state.shown_bids),
            "taken": list(state.taken),
            "trick": [_played_json(played) for played in state.trick],
            "scores": list(state.scores),
            "warnings": [{"code": "revoke", "player": w.player, "card": w.card} for w in state.warnings],
            "winners": list(state.winners),
        }
        if state.to_act is not None:
            data["to_act"] = state.to_act
        if BOMB in state.setup.specials:
            data["bombed"] = state.bombed
        if state.phase == "play":
            data["lead_colour"] = state.lead_colour
        return data

    def account(self, before: State, event: Event, after: State) -> str:
        """What the event did and why, in one English line."""
        return account(before, event, after)

    def is_over(self, state: State) -> bool:
        """Whether the game has ended."""
        return state.phase == "over"


RULES = WizardCardsRules()


def _specials(header: Mapping[str, Any]) -> tuple[str, ...]:
    """The special cards in play: the setting ``specials`` lists them.

    Raises:
        RecordError: it is no list of different special cards.
    """
    given = typed(typed(header.get("settings", {}), "settings", dict).get("specials", []), "settings: specials", list)
    cards = [typed(card, "settings: specials", str) for card in given]
    unknown = next((card for card in cards if card not in SPECIALS), None)
    if unknown is not None:
        raise RecordError(f"settings: specials: {shown(unknown)} is none of {', '.join(SPECIALS)}")
    if len(set(cards)) < len(cards):
        raise RecordError("settings: specials: there is one of each")
    return tuple(card for card in SPECIALS if card in cards)


def _played_json(played: Played) -> dict[str, Any]:
    return {"player": played.player, "card": played.card} | ({"colour": played.named} if played.named else {})


def _in_phase(state: State, event: Event) -> bool:
    """Whether an event of this kind can come now."""
    if isinstance(event, ChangeBid) and state.phase == "play":  # the cloud was played, and nobody looked
        return CLOUD in state.setup.specials and CLOUD not in state.seen and not state.trick
    return PHASES[type(event)] == state.phase


def _dealt(
    setup: Setup, number: int, dealer: int, scores: tuple[int, ...], past: tuple[tuple[int, ...], ...] = ()
) -> State:
    count = len(setup.names)
    leader = (dealer + 1) % count
    return State(setup, number, "trump", dealer, scores, (None,) * count, (0,) * count, leader, past=past)


def _turn(state: State, player: int) -> Refusal | None:
    if player == state.to_act:
        return None
    message = f"it is player {state.to_act}'s turn, not {shown(player)}'s"
    return Refusal("not_your_turn", message, player=player, turn=state.to_act)


def _card(state: State, card: str) -> Refusal | None:
    if card in state.setup.deck:
        return None
    known = ", ".join(("b1 to b13", "r", "y", "g", "W", "J", *state.setup.specials))
    return Refusal("unknown_card", f"{shown(card)} is no card of this game: {known}", card=card)


def _named(card: str, colour: str | None) -> Refusal | None:
    if card not in VALUES or colour in COLOURS:
        return None
    said = "no colour" if colour is None else shown(colour)
    return Refusal("bad_colour", f"for the {card} one of {', '.join(COLOURS)} is named, not {said}", colour=colour)


def _why_no_trump(state: State, card: str | None) -> Refusal | None:
    last = state.round == state.setup.rounds and not state.setup.specials  # with them some cards are left
    if card is None:
        if last:
            return None
        return Refusal("trump_card_missing", "a card is turned up in every round but the last")
    if last:
        return Refusal("no_card_left_to_turn", "all cards are dealt in the last round: there is no trump")
    return _card(state, card)


def _why_no_bid(state: State, bid: Bid) -> Refusal | None:
    if not 0 <= bid.tricks <= state.round:
        message = f"a bid is 0 to {state.round} in this round, not {shown(bid.tricks)}"
        return Refusal("bid_out_of_range", message, tricks=bid.tricks)
    total = bid.tricks + sum(other for other in state.bids if other is not None)
    if state.setup.bids == "plus_minus_one" and bid.player == state.dealer and total == state.round:
        return Refusal("total_not_allowed", f"the dealer may not make the bids total {total}", tricks=bid.tricks)
    return None


def _seen(state: State, card: str) -> Refusal | None:
    copies = state.setup.deck[card]
    if state.seen.count(card) < copies:
        return None
    times = "once" if copies == 1 else f"{copies} times"
    return Refusal("card_already_seen", f"{card} has been seen {times} in this round", card=card)


def _why_no_trick(state: State, trick: Trick) -> Refusal | None:
    if state.trick:
        return Refusal("wrong_phase", "cards of this trick were played: play it to its end", phase=state.phase)
    if not 0 <= trick.winner < len(state.taken):
        return Refusal("no_such_player", f"there is no player {shown(trick.winner)}", player=trick.winner)
    return (_card(state, BOMB) or _seen(state, BOMB)) if trick.bomb else None


def _why_no_change(state: State, change: ChangeBid) -> Refusal | None:
    if state.phase == "change_bid":
        refusal = _turn(state, change.player)
        if refusal is not None:
            return refusal
    elif not 0 <= change.player < len(state.bids):
        return Refusal("no_such_player", f"there is no player {shown(change.player)}", player=change.player)
    bid = state.bids[change.player] or 0
    if abs(change.tricks - bid) == 1 and 0 <= change.tricks <= state.round:
        return None
    was = HIDDEN if not state.bids_are_shown else str(bid)
    message = f"the cloud changes the bid ({was}) by one, within 0 to {state.round}, not to {shown(change.tricks)}"
    return Refusal("bid_out_of_range", message, tricks=change.tricks)


def _why_no_tricks(state: State, taken: tuple[int, ...]) -> Refusal | None:
    if state.trick or state.tricks_played:
        return Refusal("wrong_phase", "cards were played in this round: play it to its end", phase=state.phase)
    if len(taken) != len(state.taken) or min(taken) < 0 or sum(taken) not in state.totals:
        total = " or ".join(map(str, state.totals))
        message = f"{len(state.taken)} counts that total {total} are needed"
        return Refusal("wrong_total", message, taken=taken)
    return None


def _played(state: State, played: Played) -> State:
    player, card, led = played.player, played.card, state.lead_colour
    colour, revoke = colour_of(card), state.revoke(player, card)
    not_followed = state.not_followed
    if colour is not None and led is not None and colour != led:
        not_followed = (*not_followed, NotFollowed(player, led, 1 + state.tricks_played, card))
    state = replace(
        state,
        trick=(*state.trick, played),
        seen=(*state.seen, card),
        not_followed=not_followed,
        warnings=(*state.warnings, *([revoke] if revoke else [])),
    )
    if len(state.trick) < len(state.taken):
        return state
    cards = {played.card for played in state.trick}
    best = winner(state.trick, state.trump).player
    if JUGGLER in cards:  # everybody passes a card on: what a player did not have may have come
        state = replace(state, not_followed=())
    if CLOUD in cards and BOMB not in cards:
        return replace(_taken(state, best, bomb=False), phase="change_bid")
    return _go_on(_taken(state, best, bomb=BOMB in cards))


def _taken(state: State, best: int, *, bomb: bool) -> State:
    """The state after a trick, before anything follows from it."""
    taken = tuple(count + (i == best and not bomb) for i, count in enumerate(state.taken))
    return replace(state, trick=(), taken=taken, bombed=state.bombed + bomb, leader=best)


def _go_on(state: State) -> State:
    """The next trick, or the next round after the last one."""
    return state if state.tricks_played < state.round else _round_over(state)


def _round_over(state: State) -> State:
    scores = tuple(
        score + points(bid or 0, taken) for score, bid, taken in zip(state.scores, state.bids, state.taken, strict=True)
    )
    past = (*state.past, scores)
    if state.round < state.setup.rounds:
        return _dealt(state.setup, state.round + 1, (state.dealer + 1) % len(scores), scores, past)
    winners = tuple(i for i, score in enumerate(scores) if score == max(scores))
    return replace(state, phase="over", scores=scores, past=past, winners=winners)


def points(bid: int, taken: int) -> int:
    """What a round gives: 20 and 10 a trick for the exact bid, else -10 for each trick of difference.

    >>> points(2, 2), points(0, 0), points(3, 1)
    (40, 20, -20)
    """
    return 20 + 10 * taken if bid == taken else -10 * abs(bid - taken)
