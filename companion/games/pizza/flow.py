"""The pizza game at the table: what is expected now, what is taken over by itself, and what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.arbiter.flow import Remember, Scene, Step
from companion.arbiter.forms import Form
from companion.games.base import Refusal
from companion.games.pizza import views, why
from companion.games.pizza.judge import (
    EMPTY,
    Chosen,
    Difference,
    Problem,
    added,
    chosen,
    die_of,
    difference,
    refused,
    wanted,
)
from companion.games.pizza.questions import (
    ask_cut,
    ask_pass,
    ask_right,
    ask_roll,
    ask_turned,
    dispute,
    editor,
    enter_space,
)
from companion.games.pizza.setup import setup_form
from companion.games.pizza.state import Cut, Event, NeutralPass, NeutralPlace, NeutralRoll, Pass, Place, Rotate, State
from companion.layout import COLOURS
from companion.screens.view import T, Text, View
from companion.vision.readings import BoardReading

UNSEEN_MS = 5000  # a stick that is not seen so long after the others is asked for: it may lie unseen
NOTE_MS = 6000  # how long "Ben can't add" stands on the next player's screen


@dataclass(frozen=True, slots=True)
class Memory:
    """What the flow remembers between two looks.

    Args:
        checked: the table has been seen to equal the state since the start, a resume or an undo.
        resting_die: the neutral die as it lay before it was rolled: value and box; None when there was none.
        rest_known: whether that was seen; until then no die on the table is taken for a roll.
        asked_ms: since when the roll is waited for.
        ruled: the last state with a ruling, for "why?".
        note: a line for the next screen, and until when.
        waiting: the numbers seen at the cut, and since when they have not changed.
    """

    checked: bool = False
    resting_die: tuple[Any, tuple[int, int, int, int]] | None = None
    rest_known: bool = False
    asked_ms: int | None = None
    ruled: State | None = None
    note: tuple[Text, int] | None = None
    waiting: tuple[tuple[Chosen, ...], int] | None = None


class PizzaFlow:
    """See :class:`companion.arbiter.flow.Flow`."""

    eyes = "board"
    title = T("Pizza")

    def step(self, scene: Scene[State]) -> Step[Event]:
        """What to show and to commit, from what is seen."""
        memory = scene.memory if isinstance(scene.memory, Memory) else Memory()
        if scene.state.ruling is not None:
            memory = replace(memory, ruled=scene.state)
        if scene.state.phase != "neutral_roll":
            memory = replace(memory, asked_ms=None)
        return replace(_step(scene, memory), shows_undone=_shows_undone(scene))

    def needs_dice(self, state: State) -> bool:
        """For the cut, for the neutral roll, and just before it, to know how the neutral die lies."""
        before_roll = state.setup.neutral is not None and state.acted == 1
        return state.phase in ("neutral_roll", "cut") or (state.phase == "place" and before_roll)

    def setup(self, names: Sequence[str], draw: int) -> Form:
        """The questions before a game: how many, where, names and colours; the companion draws who begins."""
        return setup_form(names, draw)

    def correct(self, scene: Scene[State]) -> Form | None:
        """Point at a space and say what it holds."""
        return editor(scene)

    def kept(self, memory: Any) -> Any:
        """Nothing: the table is looked at afresh."""
        return None

    def past(self, history: Sequence[tuple[State, Event]]) -> Form | None:
        """Nothing: what lies on the table follows from what was played, so it is taken back step by step."""
        return None

    def why(self, scene: Scene[State]) -> Sequence[View]:
        """The last ruling, slice by slice, and the rules behind it."""
        memory = scene.memory if isinstance(scene.memory, Memory) else Memory()
        state = scene.state if scene.state.ruling is not None else memory.ruled
        if state is None and scene.last is not None and scene.last[0].ruling is not None:
            state = scene.last[0]
        if state is None or state.ruling is None:
            return [why.no_ruling()]
        ruling = state.ruling
        pages = [why.why_slice(state, ruling, i) for i, s in enumerate(ruling.slices) if s.outcome != "empty"]
        extra = (why.why_safe(ruling), why.why_short(state, ruling), why.why_shared(state))
        return [*pages, *(page for page in extra if page is not None)]

    def standing(self, state: State) -> Sequence[View]:
        """Who has how many toppings on the board."""
        return [views.score(state)]

    def refused(self, refusal: Refusal) -> View:
        """Why an event that was entered is refused."""
        return views.refusal(refused(refusal))

    def facts(self, state: State) -> Mapping[str, Any]:
        """Phase, round and whose turn it is."""
        return {"phase": state.phase, "round": state.round, "to_act": state.to_act}

    def samples(self) -> Sequence[View]:
        """One view of every screen."""
        from companion.games.pizza.samples import sample_views  # it shows this module's questions, too

        return sample_views()


FLOW = PizzaFlow()


def _step(scene: Scene[State], memory: Memory) -> Step[Event]:
    state = scene.state
    if not memory.checked and state.phase not in ("rotate", "over"):
        step = _check(scene, memory)
        if step is not None:
            return step
        memory = replace(memory, checked=scene.camera)
    if state.phase == "place":
        return _place(scene, memory)
    if state.phase == "neutral_roll":
        return _neutral_roll(scene, memory)
    if state.phase == "neutral_place":
        return _neutral_place(scene, memory)
    if state.phase == "cut":
        return _cut(scene, memory)
    if state.phase == "rotate":
        return _rotate(scene, replace(memory, checked=True))
    return _over(scene, memory)


def _shows_undone(scene: Scene[State]) -> bool:
    """Whether the table may still show the event that was taken back: only what is seen to be gone is gone."""
    reading = scene.reading
    if reading is None or reading.spaces is None:
        return True
    match scene.undone:
        case Place(_, space) | NeutralPlace(space):
            return reading.spaces.get(space) != EMPTY
        case Cut():
            return bool(reading.cutters)
        case Rotate():
            return scene.bottom != scene.state.facing["A"]
    return scene.undone is not None


# ---- before anything is taken over: does the table lie as the state says? ----


def _check(scene: Scene[State], memory: Memory) -> Step[Event] | None:
    """The screen that leads to the right table, or None once it is right (or one legal topping further)."""
    state = scene.state
    if not scene.camera:
        return None
    start = state.round == 1 and state.phase == "place" and state.acted == 0 and scene.undone is None
    spaces = scene.reading.spaces if scene.reading is not None else None
    if spaces is None:
        view = views.setting_up(state, Difference({}, {}, {}), None, start=start, turn=False)
        right = Remember(replace(memory, checked=True))
        return Step(view, on_ok=ask_right(right), memory=memory)
    diff = difference(state, spaces)
    turn = _turned(scene)
    further = added(state, diff) if state.phase in ("place", "neutral_place") else None
    adding = isinstance(further, Place | NeutralPlace) and further != scene.undone
    if scene.settled and not turn and (not diff or adding):
        return None
    view = views.setting_up(state, diff, spaces, start=start, turn=turn)
    return Step(view, on_ok=dispute(scene, diff), memory=memory)


def _turned(scene: Scene[State]) -> bool:
    """Whether the board is certainly turned otherwise than the state says."""
    return scene.bottom is not None and scene.bottom != scene.state.facing["A"]


# ---- adding toppings ----


def _place(scene: Scene[State], memory: Memory) -> Step[Event]:
    state = scene.state
    seat = state.to_act
    assert seat is not None
    if not state.legal and scene.undone == Pass(seat):
        return Step(views.cannot_add(state, seat), on_ok=ask_pass(Pass(seat)), memory=memory)
    if not state.legal:
        passed = (views.passes(state, seat), scene.t_ms + NOTE_MS)
        return Step(views.cannot_add(state, seat), commit=Pass(seat), memory=replace(memory, note=passed))
    memory = _resting_die(scene, memory)
    note = memory.note[0] if memory.note is not None and scene.t_ms < memory.note[1] else None
    view = views.score(state) if scene.page % 2 else views.place(state, seat, note)
    return _topping(scene, memory, view)


def _topping(scene: Scene[State], memory: Memory, view: View) -> Step[Event]:
    """Wait for one new topping: commit it, or say what is wrong."""
    state = scene.state
    enter = enter_space(state)
    if scene.reading is None or scene.reading.spaces is None:
        return Step(view, on_ok=enter, memory=memory)
    diff = difference(state, scene.reading.spaces)
    found = added(state, diff)
    if isinstance(found, Problem):
        view = views.problem(state, found, scene.reading.spaces)
        return Step(view, on_ok=dispute(scene, diff), memory=memory)
    if found is not None:
        return Step(view, commit=found if scene.settled else None, on_ok=enter, memory=memory)
    if _turned(scene):
        view = views.problem(state, Problem("board_turned"), scene.reading.spaces)
        return Step(view, on_ok=dispute(scene, diff), memory=memory)
    return Step(view, on_ok=enter, memory=memory)


# ---- the neutral colour ----


def _resting_die(scene: Scene[State], memory: Memory) -> Memory:
    """Remember how the neutral die lies before the roll, so that a die left from before is not taken for one."""
    state = scene.state
    if state.setup.neutral is None or scene.reading is None or not scene.settled or not scene.reading.dice_sought:
        return memory
    die = die_of(scene.reading, state.setup.neutral.colour)
    if die is not None:
        return replace(memory, resting_die=(die.value, die.box), rest_known=True)
    if memory.resting_die is not None and (memory.asked_ms is None or scene.since_ms < memory.asked_ms):
        return memory  # it can be overlooked once; gone after the roll was asked for, it has been picked up
    return replace(memory, resting_die=None, rest_known=True)


def _rolled(memory: Memory, reading: BoardReading, colour: str) -> bool:
    """Whether the die lies otherwise than before: another value, or half its size away."""
    die = die_of(reading, colour)
    if die is None or memory.resting_die is None:
        return die is not None
    value, (x, y, w, h) = memory.resting_die
    moved = max(abs(die.box[0] - x) / max(w, 1), abs(die.box[1] - y) / max(h, 1))
    return moved > 0.5 or (value is not None and die.value is not None and die.value != value)


def _neutral_roll(scene: Scene[State], memory: Memory) -> Step[Event]:
    state = scene.state
    assert state.setup.neutral is not None
    seat = state.setup.neutral.seat
    view = views.neutral_roll(state)
    if memory.asked_ms is None:
        memory = replace(memory, asked_ms=scene.t_ms)
    enter = ask_roll(state, None, None)
    if scene.reading is None or not scene.settled:
        return Step(view, on_ok=enter, memory=memory)
    found = chosen(state, scene.reading, seat)
    # A roll is a die that came to lie otherwise after it was asked for; how it lay before must have been seen.
    moved_since = memory.asked_ms is not None and scene.since_ms >= memory.asked_ms
    fresh = memory.rest_known and moved_since and _rolled(memory, scene.reading, state.setup.neutral.colour)
    if not fresh:
        memory = _resting_die(scene, memory)
    if found.agreement == "disagree":
        return Step(view, ask=ask_roll(state, found, "stick_and_die_disagree"), memory=memory)
    if found.agreement == "wrong_stick":
        problem = Problem("wrong_stick")
        shown = views.problem(state, problem, scene.reading.spaces)
        return Step(shown, on_ok=enter, memory=memory)
    certain = found.agreement == "sure" or (found.agreement == "die_only" and fresh)
    if certain and found.proposal is not None:
        if scene.confirm == "always" or scene.undone is not None:
            return Step(view, ask=ask_roll(state, found, None), memory=memory)
        return Step(view, commit=NeutralRoll(found.proposal), memory=memory)
    die = die_of(scene.reading, state.setup.neutral.colour)
    if found.agreement == "unsure" or (fresh and die is not None and found.die is None):
        return Step(view, ask=ask_roll(state, found, "unsure"), memory=memory)
    return Step(view, on_ok=enter, memory=memory)


def _neutral_place(scene: Scene[State], memory: Memory) -> Step[Event]:
    state = scene.state
    assert state.setup.neutral is not None
    if not state.legal and scene.undone == NeutralPass():
        return Step(views.neutral_place(state), on_ok=ask_pass(NeutralPass()), memory=memory)
    if not state.legal:
        note = (T("no free space at the stick"), scene.t_ms + NOTE_MS)
        return Step(views.neutral_place(state), commit=NeutralPass(), memory=replace(memory, note=note))
    view = views.neutral_place(state)
    if scene.reading is not None and scene.settled:
        found = chosen(state, scene.reading, state.setup.neutral.seat)
        wrong_line = found.stick is not None and found.stick != state.neutral_line
        if found.agreement == "wrong_stick" or wrong_line:
            problem = Problem("wrong_line" if wrong_line else "wrong_stick")
            shown = views.problem(state, problem, scene.reading.spaces)
            return Step(shown, on_ok=enter_space(state), memory=memory)
    return _topping(scene, memory, view)


# ---- the cut ----


def _cut(scene: Scene[State], memory: Memory) -> Step[Event]:
    state = scene.state
    seats = tuple(sorted(state.order))
    if scene.reading is None:
        nothing = [Chosen(seat, None, None, "nothing") for seat in seats]
        return Step(views.cut(state, nothing), on_ok=ask_cut(state, nothing, None), memory=memory)
    numbers = [chosen(state, scene.reading, seat) for seat in seats]
    found = {n.agreement for n in numbers}
    view, enter = views.cut(state, numbers), ask_cut(state, numbers, None)
    if not scene.settled:
        return Step(view, on_ok=enter, memory=memory)
    if "wrong_stick" in found:
        shown = views.problem(state, Problem("wrong_stick"), scene.reading.spaces)
        return Step(shown, on_ok=enter, memory=memory)
    if "disagree" in found:
        return Step(view, ask=ask_cut(state, numbers, "stick_and_die_disagree"), memory=memory)
    if found & {"nothing", "die_only"}:
        if memory.waiting is None or memory.waiting[0] != tuple(numbers):
            memory = replace(memory, waiting=(tuple(numbers), scene.t_ms))
        elif "sure" in found and "nothing" not in found and scene.t_ms - memory.waiting[1] > UNSEEN_MS:
            return Step(view, ask=ask_cut(state, numbers, "unsure"), memory=memory)
        return Step(view, on_ok=enter, memory=memory)
    if found == {"sure"} and scene.confirm == "unsure" and scene.undone is None:
        lines = tuple((n.seat, n.proposal) for n in numbers if n.proposal is not None)
        return Step(view, commit=Cut(lines), memory=memory)
    return Step(view, ask=ask_cut(state, numbers, None if found == {"sure"} else "unsure"), memory=memory)


# ---- replacing, turning, the end ----


def _rotate(scene: Scene[State], memory: Memory) -> Step[Event]:
    state = scene.state
    assert state.ruling is not None
    spaces = scene.reading.spaces if scene.reading is not None else None
    turned = ask_turned()
    if scene.reading is None or spaces is None:
        left = Difference({}, {}, {}) if not scene.camera else _changes(state)
        if not left:
            return Step(views.turn_board(state), on_ok=turned, memory=memory)
        return Step(_replacing(scene, left, None), on_ok=turned, memory=memory)
    diff = difference(state, spaces)
    now = scene.bottom
    after = state.setup.facings[state.round % 3]["A"]
    if now == after and scene.undone is not None:
        view = views.problem(state, Problem("board_turned"), spaces)
        return Step(view, on_ok=turned, memory=memory)
    if now == after:
        if diff:
            view = views.problem(state, Problem("not_replaced", diff.spaces), spaces)
            return Step(view, on_ok=dispute(scene, diff), memory=memory)
        if scene.reading.cutters:
            view = views.problem(state, Problem("cutters_left"), spaces)
            return Step(view, on_ok=turned, memory=memory)
        return Step(views.turn_board(state), commit=Rotate() if scene.settled else None, on_ok=turned, memory=memory)
    if now is not None and now != state.facing["A"]:
        view = views.problem(state, Problem("turned_wrong_way"), spaces)
        return Step(view, on_ok=turned, memory=memory)
    if diff:
        return Step(_replacing(scene, diff, spaces), on_ok=dispute(scene, diff), memory=memory)
    return Step(views.turn_board(state), on_ok=turned, memory=memory)


def _changes(state: State) -> Difference:
    """What a cut asks to change, when the table can't be seen."""
    assert state.ruling is not None
    names = state.setup.board.names
    should = wanted(state)
    gone = {s: c for c, mask in zip(COLOURS, state.ruling.removed, strict=True) for s in names(mask)}
    return Difference({}, gone, {s: (should[s], c) for s, c in gone.items() if should[s] != EMPTY})


def _replacing(scene: Scene[State], left: Difference, spaces: Mapping[str, str | None] | None) -> View:
    """The first slice with something left to change; up and down show the others."""
    state = scene.state
    assert state.ruling is not None
    slices = state.ruling.slices
    todo = [i for i, s in enumerate(slices) if set(s.spaces) & set(left.spaces)]
    if not todo:
        return views.stray(state, left, spaces)
    return views.replace_slice(state, state.ruling, (todo[0] + scene.page) % len(slices), left, spaces)


def _over(scene: Scene[State], memory: Memory) -> Step[Event]:
    state = scene.state
    if scene.page % 2 and state.ruling is not None:
        spaces = scene.reading.spaces if scene.reading is not None else None
        return Step(_replacing(scene, _changes(state), spaces), memory=memory)
    return Step(views.over(state), memory=memory)
