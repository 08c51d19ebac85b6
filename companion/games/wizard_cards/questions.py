"""What is asked and entered with the buttons: trump, bids, cards, who took a trick, and what to change of the past."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.arbiter.flow import Answer, Command, Commit, Overrule, Remember
from companion.arbiter.forms import Choice, Form
from companion.games.wizard_cards import views
from companion.games.wizard_cards.cards import BOMB, CLOUD, COLOURS, JESTER, VALUES, WIZARD
from companion.games.wizard_cards.count_forms import BidForm, TricksForm
from companion.games.wizard_cards.judge import Cards
from companion.games.wizard_cards.state import Bid, ChangeBid, Play, Revoke, State, Trick, Tricks, Trump, TrumpColour
from companion.screens.view import T, Text, verbatim
from companion.vision.readings import CardReading

Option = tuple[Text, Any]  # as in Choice: a text and what it leads to


# ---- a card, in two levels ----


def card_form(state: State, title: Text, answer: Callable[[str], Form | Answer], *, free: str | None = None) -> Choice:
    """Ask for a card: its colour, then its number; what was played in this round is shown, but barred.

    Args:
        state: the state; its deck and what was seen of it.
        title: the question.
        answer: from the card to what follows.
        free: a card that is not barred although it was seen: the one to be corrected.
    """
    seen = list(state.seen)
    if free in seen:
        seen.remove(free)
    deck = state.setup.deck

    def gone(card: str) -> bool:
        return seen.count(card) >= deck[card]

    options: list[Option] = [
        (views.COLOUR_NAMES[colour], lambda colour=colour: number_form(colour)) for colour in COLOURS
    ]
    for card in (WIZARD, JESTER, *state.setup.specials):
        options.append((views.card_name(card), None if gone(card) else lambda card=card: answer(card)))
    form = Choice("cards.card", title, tuple(options))

    def number_form(colour: str) -> Form:
        numbers = []
        for value in range(1, 14):
            card = f"{colour[0]}{value}"
            text = T("{number} was played", number=value) if gone(card) else verbatim(str(value))
            numbers.append((text, None if gone(card) else answer(card)))
        first = next((i for i, (_, target) in enumerate(numbers) if target is not None), 0)
        return Choice("cards.number", views.COLOUR_NAMES[colour], tuple(numbers), first, back=form)

    return form


def entered(state: State, card: str, **how: Any) -> Form | Answer:
    """A card that the player whose turn it is has played: taken, or asked for its colour first."""
    if card in VALUES:
        return named_form(state, card, **how)
    assert state.to_act is not None
    return Commit(Play(state.to_act, card), **how)


def named_form(state: State, card: str, **how: Any) -> Choice:
    """Ask for the colour of a cloud or a juggler."""
    player = state.to_act
    assert player is not None
    options = tuple((views.COLOUR_NAMES[colour], Commit(Play(player, card, colour), **how)) for colour in COLOURS)
    title = T("{card}: colour?", card=views.card_name(card))
    return Choice("cards.named", title, options, facts={"card": card})


def play_form(state: State) -> Choice:
    """Enter the card of the player whose turn it is."""
    assert state.to_act is not None
    title = T("{name}: which card?", name=views.name_of(state, state.to_act))
    return card_form(state, title, lambda card: entered(state, card))


def mend_form(before: State, play: Play) -> Choice:
    """Correct the card that was taken over last."""
    title = T("Not {card} but?", card=views.card_name(play.card))
    return card_form(before, title, lambda card: entered(before, card, instead=True))


# ---- trump and bids ----


def trump_form(state: State) -> Choice:
    """Enter the turned card, or that none is left."""
    if state.round == state.setup.rounds and not state.setup.specials:
        return Choice("cards.no_trump", T("No card is left"), ((T("there is no trump"), Commit(Trump(None))),))
    return card_form(state, T("The turned card?"), lambda card: Commit(Trump(card)))


def confirm_trump(state: State, card: str) -> Choice:
    """Ask whether the card that is seen was turned up."""
    title = T("Trump: {card}?", card=views.card_name(card))
    options: tuple[Option, ...] = ((T("yes"), Commit(Trump(card))), (T("another card"), trump_form(state)))
    return Choice("cards.confirm_trump", title, options, facts={"card": card})


def colour_form(state: State) -> Choice:
    """Ask the dealer for the colour of trump."""
    options = tuple((views.COLOUR_NAMES[colour], Commit(TrumpColour(colour))) for colour in COLOURS)
    title = T("{name}: trump?", name=views.name_of(state, state.dealer))
    return Choice("cards.trump_colour", title, options, facts={"card": state.trump_card})


def bid_form(state: State) -> Form:
    """Ask for the next bid, with the sum so far; the number that the dealer may not say is barred with its reason."""
    player = state.to_act
    assert player is not None
    barred = None
    if state.setup.bids == "plus_minus_one" and player == state.dealer:
        rest = state.round - sum(bid for bid in state.bids if bid is not None)
        barred = rest if rest >= 0 else None
    hidden = state.setup.bids_shown != "open"
    title = T("{name} bids", name=views.name_of(state, player))
    if barred is not None:
        title = T("{name}: not {number}", name=views.name_of(state, player), number=barred)
    form = BidForm(
        "cards.bid",
        title,
        state.round,
        lambda tricks: Commit(Bid(player, tricks)),
        (views.bids_so_far(state), views.bids_made(state)),
        barred,
        T("it would total {round}", round=state.round),
        facts={"player": player},
    )
    if not hidden:
        return form
    # Each one's turn at the display begins with a screen that gives nothing away.
    options = ((T("I look alone"), form),)
    title = T("{name} in secret", name=views.name_of(state, player))
    return Choice(
        "cards.secret", title, options, facts={"player": player, "made": sum(b is not None for b in state.bids)}
    )


def cloud_form(state: State, player: int) -> Choice:
    """Ask how the cloud changes a player's bid."""
    bid = state.bids[player] or 0
    options: list[Option] = []
    for tricks, hidden in ((bid - 1, T("one less")), (bid + 1, T("one more"))):
        if 0 <= tricks <= state.round:
            text = T("{old} becomes {new}", old=bid, new=tricks) if state.bids_are_shown else hidden
            options.append((text, Commit(ChangeBid(player, tricks))))
    title = T("{name}: new bid?", name=views.name_of(state, player))
    return Choice("cards.cloud", title, tuple(options), facts={"player": player})


# ---- tricks ----


def act_form(state: State, last: Play | None, before: State | None) -> Choice:
    """What can be entered while the tricks are played.

    Args:
        state: while playing.
        last: the last event, if it is a card that can be corrected.
        before: the state before it.
    """
    options: list[Option] = [(T("enter a card"), play_form(state))]
    if not state.trick:
        options.append((T("who took a trick"), trick_form(state)))
        if not state.tricks_played:
            options.append((T("tricks of the round"), tricks_form(state)))
        if CLOUD in state.setup.specials and CLOUD not in state.seen:
            options.append((T("the cloud's bid"), _of_player(state, "cards.whose", lambda p: cloud_form(state, p))))
    if last is not None and before is not None:
        options.append((T("last card is wrong"), mend_form(before, last)))
    return Choice("cards.act", views.trump_name(state), tuple(options))


def _of_player(state: State, code: str, lead: Callable[[int], Form | Answer]) -> Choice:
    options = tuple((views.name_of(state, player), lead(player)) for player in range(len(state.bids)))
    return Choice(code, T("Who?"), options)


def trick_form(state: State) -> Choice:
    """Who took a trick whose cards nobody looked at; with the bomb in play, whether it was in it."""
    title = T("Trick {number}: who?", number=state.tricks_played + 1)
    form = _of_player(state, "cards.who", lambda player: Commit(Trick(player)))
    options: tuple[Option, ...] = form.options
    if BOMB in state.setup.specials and BOMB not in state.seen:
        leads = _of_player(state, "cards.who_leads", lambda player: Commit(Trick(player, bomb=True)))
        options = (*options, (T("the bomb"), replace(leads, title=T("The bomb: who leads?"))))
    return replace(form, title=title, options=options)


def tricks_form(state: State) -> TricksForm:
    """The tricks that each took, at the end of a round whose cards nobody looked at."""
    names = views.plain_names(state)
    return TricksForm(names, state.totals, lambda taken: Commit(Tricks(taken)), state.taken)


# ---- what lies on the table and is not taken over ----


def two_form(state: State, cards: Cards) -> Choice:
    """Several cards came down at once: who played which.

    Args:
        state: while playing.
        cards: the fresh ones that can be read.
    """
    player = state.to_act
    assert player is not None
    name = views.name_of(state, player)
    options: list[Option] = []
    values = [card.value for card in cards if card.value is not None]
    room = len(state.bids) - len(state.trick)
    for value in dict.fromkeys(values):
        rest = list(values)
        rest.remove(value)
        text = T("{name}: {card}", name=name, card=views.card_name(value))
        if len(rest) == 1 and room > 1 and value not in VALUES and rest[0] not in VALUES:
            following = Play((player + 1) % len(state.bids), rest[0])
            options.append((text, Commit(Play(player, value), (following,))))
        else:
            options.append((text, entered(state, value)))
    options.append((T("another card"), play_form(state)))
    options.append((T("not of the trick"), _none_of(cards)))
    return Choice("cards.two", T("Who played which?"), tuple(options), facts={"cards": tuple(values)})


def _none_of(cards: Cards) -> Overrule:
    return Overrule(cards={card.box: None for card in cards})


def whose_form(state: State, card: CardReading) -> Choice:
    """Is it really the card of the player whose turn it is?"""
    assert state.to_act is not None
    value = str(card.value)
    text = T("{name}: {card}", name=views.name_of(state, state.to_act), card=views.card_name(value))
    options: tuple[Option, ...] = (
        (text, entered(state, value)),
        (T("another card"), play_form(state)),
        (T("not of the trick"), _none_of((card,))),
    )
    return Choice("cards.whose_card", T("Is it this?"), options, facts={"card": value})


def gone_form(state: State, before: State, last: Play, fresh: str | None, covered: Remember) -> Choice:
    """A card of the trick is not seen: covered, or exchanged.

    Args:
        state: while playing.
        before: the state before the last event.
        last: the last card played.
        fresh: the card that lies there instead, if one does.
        covered: the answer that it lies there, unseen.
    """
    options: list[Option] = [(T("it is covered"), covered)]
    if fresh is not None:
        options[:0] = [
            (T("next is {card}", card=views.card_name(fresh)), entered(state, fresh)),
            (T("last was {card}", card=views.card_name(fresh)), entered(before, fresh, instead=True)),
        ]
    options.append((T("last card is wrong"), mend_form(before, last)))
    return Choice("cards.gone", T("What is right?"), tuple(options), facts={"card": fresh})


def revoke_form(state: State, found: Revoke, seen: Remember) -> Choice:
    """Say that a card has given away a revoke; the table decides."""
    title, lines = views.revoke(state, found)
    options: tuple[Option, ...] = ((T("we play on"), seen), (T("take it back"), Command("undo")))
    facts = {"problem": "revoke", "player": found.player, "card": found.card, "instead": found.instead}
    return Choice("cards.revoke", title, (*((line, None) for line in lines), *options), 1, tone="wrong", facts=facts)
