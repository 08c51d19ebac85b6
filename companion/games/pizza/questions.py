"""The questions of a pizza game: where a topping went, what a space holds, which numbers were chosen."""

from __future__ import annotations

from collections.abc import Sequence

from companion.arbiter.flow import Answer, Commit, Overrule, Scene
from companion.arbiter.forms import Choice, Form, Numbers, SpaceEditor
from companion.games.pizza import views
from companion.games.pizza.drawing import places, radius, reading_order
from companion.games.pizza.judge import EMPTY, Chosen, Difference, both_in_turn, wanted
from companion.games.pizza.state import Cut, NeutralPass, NeutralPlace, NeutralRoll, Pass, Place, Rotate, State
from companion.layout import COLOURS
from companion.screens.view import T, Text


def enter_space(state: State) -> Form:
    """Point at the space where the topping goes; spaces that are not legal are not on offer."""
    layout = state.setup.board.layout
    legal = set(state.setup.board.names(state.legal))
    bottom = state.facing["A"]
    seat = state.to_act

    def pick(space: str) -> Answer:
        return Commit(Place(seat, space) if seat is not None else NeutralPlace(space))

    return SpaceEditor(
        "pizza.enter",
        T("topping here?"),
        tuple(s for s in reading_order(layout, bottom) if s in legal) or tuple(legal),
        wanted(state),
        places(layout, bottom),
        radius(layout),
        pick=pick,
    )


def editor(scene: Scene[State]) -> SpaceEditor:
    """Point at any space and change what the camera says of it."""
    layout = scene.state.setup.board.layout
    bottom = scene.state.facing["A"]
    seen = scene.reading.spaces if scene.reading is not None and scene.reading.spaces is not None else {}
    return SpaceEditor(
        "pizza.correct",
        T("what lies here?"),
        reading_order(layout, bottom),
        {**wanted(scene.state), **seen},
        places(layout, bottom),
        radius(layout),
        values=(EMPTY, *COLOURS),
        done=lambda changed: Overrule(changed),
    )


def dispute(scene: Scene[State], diff: Difference) -> Form:
    """What the players can do about a problem: mend it, say that the camera errs, or that several are right."""
    state = scene.state
    should = wanted(state)
    options: list[tuple[Text, Form | Answer]] = [(T("we mend it"), Overrule())]
    several = both_in_turn(state, diff)
    if several:
        options.append((T("it is right"), Commit(several[0], several[1:])))
    if diff.spaces:
        options.append((T("all as before"), Overrule({s: should[s] for s in diff.spaces})))
    if scene.bottom is not None and scene.bottom != state.facing["A"]:
        options.append((T("turned rightly"), Overrule(bottom=scene.bottom)))
    options.append((T("correct the camera"), editor(scene)))
    return Choice("pizza.dispute", T("What is right?"), tuple(options))


def ask_roll(state: State, found: Chosen | None, problem: str | None) -> Form:
    """Confirm or change what the neutral die shows."""
    assert state.setup.neutral is not None
    side = state.facing[state.setup.neutral.seat]
    titles = {None: T("Roll right?"), "stick_and_die_disagree": T("Stick or die?"), "unsure": T("Which number?")}
    value = found.proposal if found is not None else None
    return Numbers(
        "pizza.confirm_roll",
        titles[problem],
        (T("neutral"),),
        (value,),
        state.setup.board.layout.numbers(side),
        lambda values: Commit(NeutralRoll(values[0])),
        facts={"problem": problem, "proposal": {"event": "neutral_roll", "value": value}},
    )


def ask_cut(state: State, numbers: Sequence[Chosen], problem: str | None) -> Form:
    """Confirm or change the players' numbers."""
    titles = {None: T("Cut here?"), "stick_and_die_disagree": T("Stick or die?"), "unsure": T("Which number?")}
    seats = tuple(n.seat for n in numbers)
    highest = min(state.setup.board.numbers[state.facing[seat]] for seat in seats)
    return Numbers(
        "pizza.confirm_cut",
        titles[problem],
        tuple(views.name_of(state, seat) for seat in seats),
        tuple(n.proposal for n in numbers),
        tuple(range(1, highest + 1)),
        lambda values: Commit(Cut(tuple(zip(seats, values, strict=True)))),
        facts={
            "problem": problem,
            "seats": seats,
            "proposal": {"event": "cut", "lines": {n.seat: n.proposal for n in numbers}},
        },
    )


def ask_turned() -> Form:
    """Let the players say that the board is turned, where the camera can't."""
    return Choice(
        "pizza.confirm_turn",
        T("Sticks off, turned?"),
        ((T("not yet"), Overrule()), (T("yes, go on"), Commit(Rotate()))),
    )


def ask_right(right: Answer) -> Form:
    """Let the players say that the table is right although it can't be seen now."""
    return Choice(
        "pizza.right",
        T("Is the table right?"),
        ((T("no, look again"), Overrule()), (T("yes, go on"), right)),
    )


def ask_pass(event: Pass | NeutralPass) -> Form:
    """Pass again after the passing was taken back."""
    return Choice("pizza.ask_pass", T("No free space"), ((T("pass"), Commit(event)), (T("not yet"), Overrule())))
