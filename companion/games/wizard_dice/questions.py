"""What is entered with the buttons: bids, the wizard colour, entries, spells, and rolls that the camera did not see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.arbiter.flow import Answer, Commit, Overrule, Remember
from companion.arbiter.forms import Choice, Form, Letters
from companion.games.wizard_dice import views
from companion.games.wizard_dice.dice_form import DiceForm, dice_form
from companion.games.wizard_dice.judge import Dice
from companion.games.wizard_dice.rules import RULES
from companion.games.wizard_dice.state import (
    COLOURS,
    NUMBERS,
    Bid,
    Entry,
    Erase,
    Pass,
    Roll,
    Score,
    Spell,
    State,
    WizardColour,
)
from companion.screens.view import DicePicture, T, Text, verbatim

Option = tuple[Text, Any]  # as in Choice: a text and what it leads to
MOST_SET = 3  # dice that the seer sets by a spell; two is the known one


def bid_form(state: State, player: int) -> Form:
    """Ask for a player's bid, colour first; what can't be bid is shown with the reason."""
    free = set(state.free_bids(player))
    options: list[Option] = []
    for colour in COLOURS:
        numbers = " ".join(str(n) if (colour, n) in free else "-" for n in NUMBERS)
        text = T("{colour}  {numbers}", colour=views.COLOUR_NAMES[colour], numbers=numbers)
        open_ = any(c == colour for c, _ in free)
        options.append((text, number_form(state, player, colour) if open_ else None))
    minus = state.sheets[player].minus
    if state.force.erase_minus and player not in state.erased and minus:
        options.append((T("erase a minus"), erase_form(state, player)))
    form = Choice("dice.colour", T("{name}: colour?", name=views.name_of(state, player)), tuple(options))
    return replace(form, options=tuple((text, _back_to(form, target)) for text, target in options))


def _back_to(form: Choice, target: Choice | None) -> Choice | None:
    return None if target is None else replace(target, back=form)


def number_form(state: State, player: int, colour: str) -> Choice:
    """Ask for the number of a bid in a colour; what can't be bid says why."""
    options: list[Option] = []
    for number in NUMBERS:
        cell = (colour, number)
        if cell in state.bids:
            holder = views.name_of(state, state.bids.index(cell))
            options.append((T("{number} is {name}'s", number=number, name=holder), None))
        elif cell in state.sheets[player].cells:
            options.append((T("{number} is used", number=number), None))
        else:
            options.append((verbatim(str(number)), Commit(Bid(player, colour, number))))
    title = T("{name}: {colour}?", name=views.name_of(state, player), colour=views.COLOUR_NAMES[colour])
    first = next((i for i, (_, target) in enumerate(options) if target is not None), 0)
    return Choice("dice.number", title, tuple(options), first, facts={"colour": colour})


def pass_form(state: State, player: int) -> Choice:
    """Let a player pass again whose passing was taken back."""
    return Choice("dice.passes", views.name_of(state, player), ((T("passes"), Commit(Pass(player))),))


def erase_form(state: State, player: int) -> Choice:
    """Which difference a spell turns into 0."""
    cells = state.sheets[player].cells
    options = tuple(
        (T("{bid}: {points}", bid=views.cell(cell), points=cells[cell]), Commit(Erase(player, *cell)))
        for cell in state.sheets[player].minus
    )
    return Choice("dice.erase", T("{name}: which minus?", name=views.name_of(state, player)), options)


def colour_form(state: State) -> Choice:
    """Which colour wizards count as; the seer's own is marked."""
    seers = state.bids[state.seer]
    options = tuple((views.COLOUR_NAMES[colour], Commit(WizardColour(colour))) for colour in COLOURS)
    chosen = COLOURS.index(seers[0]) if seers is not None else 0
    return Choice("dice.wizard_colour", T("Wizards count as"), options, chosen)


# ---- entries ----


def score_form(state: State, player: int) -> Choice:
    """How a player can score the dice on the table: each legal entry, and points and X after it."""
    options: list[Option] = []
    entries: tuple[Entry, ...] = ("bid", "jesters")
    for entry in entries:
        score = Score(player, entry)
        if RULES.why_not(state, score) is None:
            own = RULES.apply(state, score).sheets[player]
            text = T(
                "{entry} = {points}, {crosses} X",
                entry=views.entry_name(state, score),
                points=own.points(state.setup.target),
                crosses=own.crosses,
            )
            options.append((text, Commit(score)))
    title = T(
        "{name} {bid}: {count}",
        name=views.name_of(state, player),
        bid=views.cell(views.bid_of(state, player)),
        count=views.count(state, player),
    )
    facts = {"player": player, "options": len(options)}
    return Choice("dice.score", title, tuple(options), picture=DicePicture(state.faces), facts=facts)


def act_form(state: State, dice: Dice | None, *, mend: bool) -> Choice:
    """What can be done between the rolls: leave with an X, enter the roll, stop, leave, mend a die.

    Args:
        state: after the first roll of a round, the bids made.
        dice: as the camera sees them; None where it doesn't.
        mend: whether the last event is a roll that can be replaced.
    """
    proud: list[Option] = []
    others: list[Option] = []
    for player in views.still_in(state):
        name = views.name_of(state, player)
        if views.exact(state, player):
            text = T("{name} stops: X!", name=name) if player == state.seer else T("{name} leaves: X!", name=name)
            proud.append((text, score_form(state, player)))
        elif player == state.seer:
            others.insert(0, (T("{name} stops", name=name), score_form(state, player)))
        elif RULES.why_not(state, Score(player, "bid")) is None:
            others.append((T("{name} leaves", name=name), score_form(state, player)))
        else:
            others.append((T("{name}: X only", name=name), None))
    enter = (T("enter the roll"), enter_form(state, dice))
    wrong = [(T("a die is wrong"), mend_form(state, dice))] if mend else []
    title = T("Roll {number} of 3", number=state.rolls)
    return Choice("dice.act", title, (*proud, enter, *others, *wrong), facts={"exact": len(proud)})


# ---- rolls ----


def enter_form(state: State, dice: Dice | None) -> DiceForm:
    """Enter a roll: from what the camera sees, else from the dice of the roll before."""
    known = dice if dice is not None else state.faces
    return dice_form(T("The roll?"), known, lambda faces: Commit(Roll(faces)))


def mend_form(state: State, dice: Dice | None) -> DiceForm:
    """Correct the roll that was taken over; the camera's doubts say which die is marked first."""
    seen = dice if dice is not None and sorted(str(d.value) for d in dice) == sorted(state.faces) else state.faces
    return dice_form(T("Which is wrong?"), seen, lambda faces: Commit(Roll(faces), instead=True))


def turned_form(state: State, dice: Dice, rest: Remember) -> Choice:
    """A die shows another face in its place: what is right?

    Args:
        state: while rolling.
        dice: as they lie now.
        rest: the memory in which they count as lying so.
    """
    options: tuple[Option, ...] = (
        (T("we turn it back"), Overrule()),
        (T("it was a roll"), enter_form(state, dice)),
        (T("leave it so"), rest),
    )
    return Choice("dice.turned", T("What is right?"), options)


# ---- spells ----


def spell_question(state: State, player: int) -> Choice:
    """At the start of a round: is a spell turned up?"""
    form = bid_form(state, player)
    return Choice("dice.spell", T("Spell card?"), ((T("no spell"), form), (T("a spell"), spell_form(Spell()))))


def spell_form(spell: Spell, chosen: int = 0) -> Choice:
    """Switch on what a spell changes, and name it."""

    def switch(text: Text, at: int, **changed: Any) -> Option:
        return text, lambda: spell_form(replace(spell, **changed), at)

    def on(flag: bool) -> str:
        return "X" if flag else "-"

    options: tuple[Option, ...] = (
        switch(T("{mark} bids double", mark=on(spell.double)), 0, double=not spell.double),
        switch(T("{mark} roll, then bid", mark=on(spell.late_bids)), 1, late_bids=not spell.late_bids),
        switch(
            T("{number} dice set by seer", number=spell.seer_sets or "-"),
            2,
            seer_sets=(spell.seer_sets + 1) % (MOST_SET + 1),
        ),
        switch(T("{mark} jesters stay", mark=on(spell.jesters_locked)), 3, jesters_locked=not spell.jesters_locked),
        switch(T("{mark} erase a minus", mark=on(spell.erase_minus)), 4, erase_minus=not spell.erase_minus),
        (T("name: {name}", name=spell.name or "-"), lambda: name_form(spell)),
        (T("done"), Commit(spell)),
    )
    return Choice("dice.spell_effects", T("What does it do?"), options, chosen)


def name_form(spell: Spell) -> Letters:
    """Name a spell as the table calls it."""

    def named(word: str) -> Form | Answer:
        return spell_form(replace(spell, name=word), 5)

    return Letters("dice.spell_name", T("Name of the spell"), named, spell_form(spell, 5), spell.name)
