"""One view of every screen of the dice game, for the contact sheet and the tests of texts and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.arbiter.flow import Remember
from companion.arbiter.forms import LETTERS, Choice, Form
from companion.games.wizard_dice import questions, views
from companion.games.wizard_dice.dice_form import dice_form
from companion.games.wizard_dice.rules import RULES
from companion.games.wizard_dice.setup import DEFAULTS, settings_form, setup_form
from companion.games.wizard_dice.state import (
    COLOURS,
    Bid,
    Event,
    Roll,
    Score,
    Sheet,
    Spell,
    State,
    WizardColour,
)
from companion.screens.view import T, View

NAMES = ("Maximilian", "Ben", "Cleo", "Dan", "Evangeline")
BIDS = (("yellow", 4), ("yellow", 5), ("red", 2), ("green", 4), ("blue", 1))
FACES = ("blue", "yellow", "yellow", "yellow", "wizard", "jester", "jester")
USED = Sheet(
    {("yellow", 1): None, ("yellow", 2): -6, ("red", 5): None, ("green", 3): 0, ("blue", 4): -1, ("blue", 5): None},
    frozenset({1, 4}),
    frozenset({("red", 5)}),
)


def _game(players: int, **settings: object) -> State:
    return RULES.start(
        {
            "game": "wizard_dice",
            "players": [{"name": name} for name in NAMES[:players]],
            "first_seer": 0,
            "settings": settings,
        }
    )


def _after(state: State, *events: Event) -> State:
    for event in events:
        state = RULES.apply(state, event)
    return state


def _bids(count: int) -> list[Event]:
    return [Bid(player, *cell) for player, cell in enumerate(BIDS[:count])]


def _chain(form: Form) -> list[Form]:
    """A question with those that its first answers lead to."""
    forms = [form]
    while True:
        following = forms[-1].press("ok")
        if following is forms[-1] or not isinstance(following, Choice):
            return forms
        forms.append(following)


def sample_views() -> Sequence[View]:
    """Every screen, with long names and long texts where they can be long."""
    start = _game(5, chances=True)
    begun = replace(start, sheets=(USED,) * 5)
    bidding = _after(begun, *_bids(4))
    named = _after(begun, *_bids(5))
    ready = _after(named, WizardColour("yellow"))
    rolled = _after(ready, Roll(FACES))
    strict = _after(_game(3, drop_out="exact_only"), *_bids(3), WizardColour("blue"), Roll(FACES))
    spell = Spell("Abrakadabra echo", double=True, seer_sets=2, jesters_locked=True, erase_minus=True)
    cast = _after(replace(_game(2, spells=True), sheets=(USED,) * 2), spell)
    doubled = _after(cast, *_bids(2), WizardColour("yellow"), Roll(FACES))
    full = replace(USED, jesters=frozenset({1, 2, 3, 4, 5}))
    over = replace(begun, phase="over", sheets=(full, USED, full, USED, full), winners=(0,))
    forms: list[Form] = [
        *_chain(setup_form(NAMES, 0))[:-1],
        settings_form(NAMES, 0, DEFAULTS),
        settings_form(NAMES, 0, {**DEFAULTS, "target": 12, "drop_out": "exact_only", "spells": True, "chances": True}),
        *_chain(questions.bid_form(bidding, 4))[:2],
        questions.number_form(bidding, 4, "yellow"),
        questions.bid_form(cast, 0),
        questions.erase_form(cast, 0),
        questions.pass_form(cast, 0),
        questions.colour_form(named),
        questions.enter_form(ready, None),
        questions.mend_form(rolled, None),
        dice_form(T("Roll {number} right?", number=3), FACES, lambda faces: Remember(None)),
        dice_form(T("Was that roll {number}?", number=3), FACES, lambda faces: Remember(None)),
        replace(dice_form(T("Which face?"), (*FACES, "red"), lambda faces: Remember(None)), extra=True),
        questions.act_form(rolled, None, mend=True),
        questions.act_form(strict, None, mend=False),
        *(questions.score_form(rolled, player) for player in range(5)),
        questions.score_form(doubled, 0),
        questions.turned_form(rolled, (), Remember(None)),
        questions.spell_question(_game(2, spells=True), 0),
        questions.spell_form(Spell()),
        questions.spell_form(spell, 5),
        questions.name_form(spell),
        replace(questions.name_form(spell), at=len(LETTERS)),
    ]
    problems = (("too_few_dice", 6), ("too_many_dice", 8), ("turned_die", 1), ("jester_rerolled", 2))
    return [
        *(form.view() for form in forms),
        views.bid(start, 0, None),
        views.bid(begun, 0, views.why_seer(rolled, 1)),
        views.bid(begun, 0, views.why_seer(replace(rolled, bids=(("yellow", 4),) * 5), 0)),
        views.bid(bidding, 4, None),
        views.bid(_after(cast, Bid(0, "yellow", 4)), 1, None),
        views.passes(begun, 0),
        views.wizard_colour(named),
        views.roll(ready),
        views.roll(replace(ready, setup=_game(5).setup)),
        views.table(rolled),
        views.table(strict),
        views.table(doubled),
        views.in_hand(rolled, 3),
        *(view for state in (rolled, replace(rolled, seer=3)) if (view := views.chance(state)) is not None),
        *(views.problem(code, number) for code, number in problems),
        *(views.refusal(code) for code in views.REFUSALS),
        views.sheet(rolled, 0),
        views.sheet(start, 1),
        views.over(over),
        views.over(replace(over, winners=(0, 4))),
        views.over(replace(over, winners=(0, 1, 2))),
        views.results(over),
        views.results(strict),
        views.why_next(rolled, 1),
        views.why_next(replace(rolled, bids=tuple((c, 4) for c in (*COLOURS, "blue"))), 1),
        views.why_next(replace(rolled, bids=(("yellow", 4),) * 5), 0),
        views.why_entry(rolled, Score(0, "bid")),
        views.why_entry(rolled, Score(1, "bid")),
        views.why_entry(rolled, Score(2, "jesters")),
        views.why_entry(doubled, Score(1, "bid")),
        views.nothing_yet(),
    ]
