"""One view of every screen of the card game, for the contact sheet and the tests of texts and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.arbiter.flow import Remember
from companion.arbiter.forms import Choice, Form
from companion.games.wizard_cards import questions, views
from companion.games.wizard_cards.cards import SPECIALS, Played
from companion.games.wizard_cards.past import past_form
from companion.games.wizard_cards.reasons import TrickEnd, Why
from companion.games.wizard_cards.rules import RULES
from companion.games.wizard_cards.setup import BIDS, settings_form, setup_form
from companion.games.wizard_cards.state import (
    Bid,
    Event,
    Play,
    Revoke,
    State,
    Trick,
    Tricks,
    Trump,
)
from companion.screens.view import View
from companion.vision.readings import CardReading

NAMES = ("Maximilian", "Ben", "Cleo", "Dan", "Evangeline", "Finn")
GAINS = (20, 30, -10, 40, -20, 10, 30, 20, -30)


def _game(players: int, **settings: object) -> State:
    people = [{"name": name} for name in NAMES[:players]]
    return RULES.start({"game": "wizard_cards", "players": people, "dealer": 0, "settings": settings})


def _at_round(state: State, number: int) -> State:
    """The start of a later round, with scores as they may be."""
    count = len(state.scores)
    past = [(0,) * count]
    for i in range(number - 1):
        past.append(tuple(score + GAINS[(i * 5 + k * 4) % len(GAINS)] for k, score in enumerate(past[-1])))
    return replace(state, round=number, scores=past[-1], past=tuple(past[1:]))


def _after(state: State, *events: Event) -> State:
    for event in events:
        state = RULES.apply(state, event)
    return state


def _bids(state: State, count: int) -> list[Event]:
    return [Bid(player, (2, 0, 1, 3, 0, 2)[i]) for i, player in enumerate(views.in_order(state)[:count])]


def _chain(form: object) -> list[Form]:
    """A question with those that its first answers lead to."""
    forms: list[Form] = []
    while isinstance(form, Choice):
        forms.append(form)
        following = form.press("ok")
        form = None if following is form else following
    return forms


def _played(*cards: str) -> tuple[Played, ...]:
    return tuple(Played(i, card, "yellow" if card in ("cloud", "juggler") else None) for i, card in enumerate(cards))


def _ends() -> list[TrickEnd]:
    """A trick for every reason."""
    found: dict[Why, tuple[str, ...]] = {
        "first_wizard": ("b3", "W", "b12"),
        "trump_beats": ("b13", "y3", "b12"),
        "highest_trump": ("y3", "y12", "b12"),
        "highest_led": ("y3", "y12", "b12"),
        "jesters": ("J", "J", "J"),
        "dragon": ("W", "dragon", "b1"),
        "fairy": ("dragon", "fairy", "b1"),
    }
    ends = []
    for why, cards in found.items():
        trick = _played(*cards)
        ends.append(TrickEnd(trick, trick[1] if why != "jesters" else trick[0], why, trick[0]))
    bomb, juggler = _played("b3", "b12", "bomb"), _played("y3", "juggler", "b1")
    return [*ends, TrickEnd(bomb, bomb[1], "highest_led", bomb=True), TrickEnd(juggler, juggler[1], "highest_led")]


def sample_views() -> Sequence[View]:
    """Every screen, with long names and long texts where they can be long."""
    three = _at_round(_game(3), 11)
    six = _at_round(_game(6, bids="plus_minus_one"), 7)
    special = _at_round(_game(4, specials=list(SPECIALS)), 9)
    hidden = _at_round(_game(5, bids_shown="together"), 5)
    turned = [_after(game, Trump("y7")) for game in (three, six, special, hidden)]
    ready = [_after(game, *_bids(game, len(game.bids))) for game in turned]
    dealer = _after(turned[1], *_bids(six, 5))
    follow = _after(ready[0], Play(1, "b13"), Play(2, "y3"))
    follow4 = _after(ready[2], Play(1, "b13"), Play(2, "y3"))
    late = replace(ready[1], taken=(2, 0, 1, 0, 2, 1))
    scored = _after(ready[1], Tricks((2, 0, 1, 3, 0, 1)))
    scored3 = _after(ready[0], Tricks((4, 3, 4)))
    secret = replace(ready[1].setup, bids_shown="after_round")
    over = replace(_at_round(_game(6), 11), round=10, phase="over", winners=(4,))
    cloudy = replace(ready[2], phase="change_bid", leader=0, bids=(2, 0, 1, 3))
    cards = tuple(CardReading(value, (100 * i, 0, 60, 90), 1.0) for i, value in enumerate(("y10", "g12", "r11")))
    remember = Remember(None)
    history: list[tuple[State, Event]] = [(three, Trump("y7")), (turned[0], Bid(1, 2)), (ready[0], Play(1, "b13"))]
    history.append((ready[0], Trick(1)))
    forms: list[Form | None] = [
        *_chain(setup_form(NAMES, 0)),
        *(settings_form(NAMES[:3], 0, bids, frozenset(SPECIALS), bids) for bids in range(len(BIDS))),
        *_chain(questions.trump_form(special)),
        questions.trump_form(replace(three, round=20)),
        questions.confirm_trump(three, "y10"),
        questions.colour_form(_after(three, Trump("W"))),
        questions.bid_form(turned[0]),
        questions.bid_form(dealer),
        questions.bid_form(dealer).press("up"),  # type: ignore[list-item]
        questions.bid_form(turned[3]),
        questions.bid_form(turned[3]).press("ok"),  # type: ignore[list-item]
        questions.cloud_form(cloudy, 0),
        questions.cloud_form(replace(cloudy, setup=replace(cloudy.setup, bids_shown="after_round")), 0),
        questions.act_form(ready[2], Play(0, "y10"), follow),
        *_chain(questions.play_form(follow)),
        questions.named_form(follow4, "cloud"),
        questions.mend_form(ready[0], Play(1, "y10")),
        questions.trick_form(ready[2]),
        questions.tricks_form(ready[0]),
        replace(questions.tricks_form(late), checked=True),
        questions.two_form(ready[0], cards[:2]),
        questions.two_form(ready[0], cards),
        questions.whose_form(ready[0], cards[0]),
        questions.gone_form(follow, ready[0], Play(1, "y10"), "g12", remember),
        questions.revoke_form(follow, Revoke(0, 12, "y10", "g13"), remember),
        *_chain(past_form(history)),
        *_chain(past_form(history[:3])),
    ]
    problems = (
        ("two_at_once", ("y10", "g12")), ("two_at_once", ("y10", "g12", "b1")), ("card_already_seen", ("y10",)),
        ("not_cleared", ("y10",)), ("bids_first", ("y10",)), ("choice_first", ("y10",)), ("card_gone", ("y10",)),
        ("unread_card", ()), ("out_of_turn", ("y10",)), ("which_card", ("y10",)), ("unknown_card", ("juggler",)),
        ("undone", ("y10",)),
    )  # fmt: skip
    return [
        *(form.view() for form in forms if form is not None),
        views.deal(three),
        views.deal(replace(three, round=20)),
        views.this_round(ready[0]),
        views.this_round(ready[1]),
        views.this_round(_after(three, Trump("J"))),
        views.this_round(turned[3]),
        views.play(ready[0]),
        views.play(ready[1]),
        views.play(ready[2]),
        views.play(follow),
        views.play(follow4),
        views.play(late),
        views.play(replace(ready[3], trump=None, setup=replace(hidden.setup, bids_shown="after_round"))),
        *(views.trick(follow, end, last=False, clear=True) for end in _ends()),
        views.cloud(cloudy),
        *(views.problem(code, follow, cards) for code, cards in problems),
        *(views.refusal(code, later=False) for code in views.REFUSALS),
        views.refusal("total_not_allowed", later=True),
        views.result(ready[0], Tricks((4, 3, 4)), scored3),
        views.result(ready[1], Tricks((2, 0, 1, 3, 0, 1)), scored),
        views.result(replace(ready[1], setup=secret), Tricks((2, 0, 1, 3, 0, 1)), scored),
        views.scores(scored3),
        views.scores(scored),
        views.play_tallies(late),
        views.possible(ready[0]),
        views.possible(late),
        views.curve(three, 0),
        views.curve(scored, 4),
        views.over(over),
        views.over(replace(over, winners=(0, 4))),
        views.over(replace(over, winners=(0, 1, 2))),
        views.nothing_yet(),
        views.revoke_page(follow, Revoke(0, 12, "y10", "g13")),
    ]
