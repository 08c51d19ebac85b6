"""One view of every screen of the pizza game, for the contact sheet and the tests of texts and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from companion.arbiter.flow import Overrule, Scene
from companion.arbiter.forms import Choice, Form
from companion.games.pizza import questions, views, why
from companion.games.pizza.judge import Chosen, Difference, Problem
from companion.games.pizza.rules import RULES
from companion.games.pizza.setup import setup_form
from companion.games.pizza.state import Cut, NeutralPass, NeutralRoll, Pass, Place, State
from companion.screens.view import View


def _game(players: int) -> State:
    seats = (("Maximilian", "A", "red"), ("Ben", "B", "green"), ("Cleo", "C", "white"))[:players]
    return RULES.start(
        {
            "game": "pizza",
            "layout": "hex37",
            "players": [{"name": n, "seat": s, "colour": c} for n, s, c in seats],
            "first": "A",
        }
    )


def _added(state: State) -> State:
    """The state after everybody has added on the first legal space."""
    while state.to_act is not None:
        legal = state.setup.board.names(state.legal)
        state = RULES.apply(state, Place(state.to_act, legal[0]) if legal else Pass(state.to_act))
    return state


def _questions() -> list[Form]:
    """The questions before a game, each with its first answer."""
    forms = [setup_form(("Maximilian", "Ben", "Cleo"), 0)]
    while True:
        following = forms[-1].press("ok")
        if following is None or not isinstance(following, Choice):
            return forms
        forms.append(following)


def _over(state: State, result: Literal["win", "shared_win", "both_lose"], winners: str) -> State:
    return replace(state, phase="over", result=result, winners=tuple(winners))


def sample_views() -> Sequence[View]:
    """Every screen, with long names and long texts where they can be long."""
    three, two = _game(3), _game(2)
    spaces = dict.fromkeys(three.setup.board.ids, "empty")
    missing = Difference({"c1": "red"}, {}, {})
    extra = Difference({}, {"d4": "white"}, {})
    cut = RULES.apply(_added(three), Cut((("A", 3), ("B", 5), ("C", 2))))
    ruling = cut.ruling
    assert ruling is not None
    rolled = RULES.apply(_added(two), NeutralRoll(4))
    unknown = [Chosen(seat, None, None, "nothing") for seat in ("A", "B", "C")]
    some = [Chosen("A", None, 4, "die_only"), *unknown[1:]]
    scene = Scene(three, None, None, 0)
    forms: list[Form] = [
        *_questions(),
        questions.ask_cut(_added(three), some, None),
        questions.ask_cut(_added(three), some, "unsure"),
        questions.ask_cut(_added(three), some, "stick_and_die_disagree"),
        questions.ask_roll(_added(two), None, None),
        questions.ask_roll(_added(two), None, "unsure"),
        questions.ask_roll(_added(two), None, "stick_and_die_disagree"),
        questions.enter_space(three),
        questions.editor(scene),
        questions.dispute(scene, extra),
        questions.ask_turned(),
        questions.ask_right(Overrule()),
        questions.ask_pass(NeutralPass()),
        questions.dispute(replace(scene, bottom=2), Difference({}, {}, {})),
    ]
    short = replace(ruling, short=(1, 0, 0))
    saving = replace(ruling, safe=(0, 1, 2), slices=(replace(ruling.slices[0], counts=(2, 1, 0)),))
    asked = [why.why_safe(saving), why.why_short(three, short), why.why_shared(_over(three, "shared_win", "AC"))]
    return [
        *(form.view() for form in forms),
        views.setting_up(three, Difference({}, {}, {}), None, start=True, turn=False),
        views.setting_up(three, missing, spaces, start=True, turn=False),
        views.setting_up(three, extra, spaces, start=False, turn=False),
        views.setting_up(three, Difference({}, {}, {}), spaces, start=True, turn=True),
        views.setting_up(three, Difference({}, {}, {}), spaces, start=False, turn=True),
        views.setting_up(three, Difference({}, {}, {}), spaces, start=True, turn=False),
        views.place(three, "A", None),
        views.place(three, "C", views.passes(three, "A")),
        views.place(replace(three, acted=1), "C", None),
        views.place(two, "A", None),
        views.score(three),
        views.score(two),
        views.cannot_add(three, "A"),
        *(views.problem(three, Problem(code, ("c3", "d4")), spaces) for code in views.PROBLEMS),
        *(views.refusal(Problem(code)) for code in views.REFUSALS),
        views.neutral_roll(_added(two)),
        views.neutral_place(rolled),
        views.cut(_added(three), unknown),
        views.cut(_added(three), some),
        *(views.replace_slice(cut, ruling, i, missing, spaces) for i in range(len(ruling.slices))),
        views.stray(cut, extra, spaces),
        views.turn_board(cut),
        views.over(_over(three, "win", "A")),
        views.over(_over(three, "shared_win", "AC")),
        views.over(_over(two, "both_lose", "")),
        *(why.why_slice(cut, ruling, i) for i in range(len(ruling.slices))),
        *(view for view in asked if view is not None),
        why.no_ruling(),
    ]
