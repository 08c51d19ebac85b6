"""Changing the past: choose a round, then a bid, the turned card, a card or the tricks; all after it is judged anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from companion.arbiter.flow import Edit
from companion.arbiter.forms import Choice, Form
from companion.games.wizard_cards import views
from companion.games.wizard_cards.cards import COLOURS, VALUES
from companion.games.wizard_cards.count_forms import BidForm, TricksForm
from companion.games.wizard_cards.questions import card_form
from companion.games.wizard_cards.reasons import trick_end
from companion.games.wizard_cards.state import Bid, ChangeBid, Event, Play, State, Trick, Tricks, Trump, TrumpColour
from companion.screens.view import T, Text

Option = tuple[Text, Any]
Entry = tuple[int, State, Event]
"""An event's place in the record, the state before it, and the event."""


def past_form(history: Sequence[tuple[State, Event]]) -> Choice | None:
    """Ask for the round to change, the latest first; None before the first event.

    Args:
        history: every event with the state before it.
    """
    rounds: dict[int, list[Entry]] = {}
    for index, (state, event) in enumerate(history):
        rounds.setdefault(state.round, []).append((index, state, event))
    if not rounds:
        return None
    options = tuple(
        (T("Round {round}", round=number), _later(_round_form, rounds[number], number + 1 in rounds))
        for number in sorted(rounds, reverse=True)
    )
    return Choice("cards.past", T("Which round?"), options)


def _later(make: Callable[..., Form], *args: Any) -> Callable[[], Form]:
    return lambda: make(*args)


def _round_form(entries: Sequence[Entry], finished: bool) -> Choice:
    """What of a round can be changed."""
    first = entries[0][1]
    finished = finished or _ends(entries[-1])
    options: list[Option] = []
    cards: list[Entry] = []
    for index, state, event in entries:
        match event:
            case Trump(card) if card is not None:
                options.append(
                    (T("turned: {card}", card=views.card_name(card)), _later(_trump_form, index, state, card))
                )
            case TrumpColour(colour):
                text = T("trump {colour}", colour=views.COLOUR_NAMES[colour])
                options.append((text, _later(_colour_form, index)))
            case Bid(player, tricks) if finished or state.setup.bids_shown == "open":
                text = T("{name} bid {number}", name=views.name_of(state, player), number=tricks)
                options.append((text, _later(_bid_form, index, state, player)))
            case Play() | Trick():
                cards.append((index, state, event))
            case Tricks(taken):
                options.append((T("the tricks"), _later(_tricks_form, index, 1, state, taken)))
    if cards and finished and not any(isinstance(event, ChangeBid) for _, _, event in entries):
        taken = _taken(*entries[-1][1:])
        span = entries[-1][0] - cards[0][0] + 1
        options.append((T("the tricks"), _later(_tricks_form, cards[0][0], span, first, taken)))
    if cards:
        options.append((T("a card"), _later(_trick_choice, cards)))
    return Choice("cards.past_round", T("Round {round}", round=first.round), tuple(options))


def _ends(entry: Entry) -> bool:
    """Whether an event ends its round."""
    _, state, event = entry
    if isinstance(event, Tricks):
        return True
    over = isinstance(event, Trick) or trick_end(state, event) is not None
    return over and state.tricks_played + 1 == state.round


def _taken(before: State, event: Event) -> tuple[int, ...]:
    """The tricks that each has taken after a round's last event."""
    end = trick_end(before, event)
    best = None
    if end is not None and not end.bomb:
        best = end.best.player
    elif isinstance(event, Trick) and not event.bomb:
        best = event.winner
    return tuple(count + (player == best) for player, count in enumerate(before.taken))


def _trump_form(index: int, state: State, card: str) -> Choice:
    title = T("Not {card} but?", card=views.card_name(card))
    return card_form(state, title, lambda other: Edit(index, Trump(other)))


def _colour_form(index: int) -> Choice:
    options = tuple((views.COLOUR_NAMES[colour], Edit(index, TrumpColour(colour))) for colour in COLOURS)
    return Choice("cards.past_colour", T("Trump?"), options)


def _bid_form(index: int, state: State, player: int) -> BidForm:
    title = T("{name} bid", name=views.name_of(state, player))
    return BidForm("cards.past_bid", title, state.round, lambda tricks: Edit(index, Bid(player, tricks)))


def _tricks_form(index: int, count: int, state: State, taken: tuple[int, ...]) -> TricksForm:
    names = views.plain_names(state)
    return TricksForm(names, state.totals, lambda other: Edit(index, Tricks(other), count), taken)


def _trick_choice(cards: Sequence[Entry]) -> Choice:
    """Ask for the trick, then for the card in it."""
    tricks: dict[int, list[Entry]] = {}
    for entry in cards:
        tricks.setdefault(entry[1].tricks_played + 1, []).append(entry)
    options = tuple((T("Trick {number}", number=n), _later(_in_trick, tricks[n])) for n in sorted(tricks, reverse=True))
    return Choice("cards.past_trick", T("Which trick?"), options)


def _in_trick(cards: Sequence[Entry]) -> Choice:
    options: list[Option] = []
    for index, state, event in cards:
        if isinstance(event, Trick):
            text = T("{name} took it", name=views.name_of(state, event.winner))
            options.append((text, _later(_who_form, index, state)))
        elif isinstance(event, Play):
            name = views.name_of(state, event.player)
            text = T("{name}: {card}", name=name, card=views.card_name(event.card))
            options.append((text, _later(_play_form, index, state, event)))
    return Choice("cards.past_card", T("Which card?"), tuple(options))


def _who_form(index: int, state: State) -> Choice:
    options = tuple((views.name_of(state, player), Edit(index, Trick(player))) for player in range(len(state.taken)))
    return Choice("cards.past_who", T("Who?"), options)


def _play_form(index: int, state: State, play: Play) -> Choice:
    def answer(card: str) -> Form | Edit:
        if card not in VALUES:
            return Edit(index, Play(play.player, card))
        options = tuple((views.COLOUR_NAMES[c], Edit(index, Play(play.player, card, c))) for c in COLOURS)
        return Choice("cards.past_named", T("{card}: colour?", card=views.card_name(card)), options)

    return card_form(state, T("Not {card} but?", card=views.card_name(play.card)), answer)
