"""The dice game at the table: what is expected now, which dice are taken for a roll, and what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.arbiter.flow import Commit, Remember, Scene, Step
from companion.arbiter.forms import Form
from companion.games.base import Refusal
from companion.games.wizard_dice import questions, views
from companion.games.wizard_dice.dice_form import dice_form
from companion.games.wizard_dice.judge import Change, Dice, change, counted, told
from companion.games.wizard_dice.rules import RULES
from companion.games.wizard_dice.setup import setup_form
from companion.games.wizard_dice.state import DICE, FACES, Event, Pass, Roll, Score, State, in_order
from companion.screens.view import T, Text, View

HIDDEN_MS = 4000  # a hand that rests over dice does not lie still for so long
NOTE_MS = 6000  # how long "Ben passes" stands on the next player's screen


@dataclass(frozen=True, slots=True)
class Memory:
    """What the flow remembers between two looks.

    Args:
        at: round and rolls that the dice below belong to.
        lay: the dice as they lay after the last roll, or when they were first seen; None before that.
        lifted: which of them were seen to be gone since.
        moved: whether the table has been touched since.
        held: the screen and the question that stand while the table is touched again.
        scores: the entries of this round, or of the last one, each with the state before it.
        note: a line for the next screen, and until when.
    """

    at: tuple[int, int] = (0, 0)
    lay: Dice | None = None
    lifted: frozenset[int] = frozenset()
    moved: bool = False
    held: tuple[View | None, Form | None] = (None, None)
    scores: tuple[tuple[State, Score], ...] = ()
    note: tuple[Text, int] | None = None


class WizardDiceFlow:
    """See :class:`companion.arbiter.flow.Flow`."""

    eyes = "dice"
    title = T("Wizard dice")

    def step(self, scene: Scene[State]) -> Step[Event]:
        """What to show and to commit, from what is seen."""
        state = scene.state
        memory = _remembered(scene)
        if state.phase == "roll":
            return _roll(scene, memory)
        if state.phase == "bid":
            return _bid(scene, memory)
        if state.phase == "wizard_colour":
            form = questions.colour_form(state)
            return Step(_page(scene, views.wizard_colour(state)), on_ok=form, memory=memory)
        if state.phase == "score":
            form = questions.score_form(state, views.still_in(state)[0])
            return Step(views.table(state), ask=form, memory=memory)
        pages = [views.over(state), views.results(state), *_sheets(state)]
        return Step(pages[scene.page % len(pages)], memory=memory)

    def needs_dice(self, state: State) -> bool:
        """Always but at the end: how the dice lie before a roll tells whether it is one."""
        return state.phase != "over"

    def setup(self, names: Sequence[str], draw: int) -> Form:
        """The questions before a game: how many, names, settings; the companion draws the first seer."""
        return setup_form(names, draw)

    def correct(self, scene: Scene[State]) -> Form | None:
        """Correct the last roll, as long as nobody has scored it."""
        return questions.mend_form(scene.state, _dice(scene)) if _is_roll(scene.last) else None

    def kept(self, memory: Any) -> Any:
        """Nothing: the table is looked at afresh."""
        return None

    def past(self, history: Sequence[tuple[State, Event]]) -> Form | None:
        """Nothing: what lies on the table follows from what was played, so it is taken back step by step."""
        return None

    def why(self, scene: Scene[State]) -> Sequence[View]:
        """Why this player is the seer, and the reason of each entry of the round."""
        scores = _remembered(scene).scores
        pages = []
        if scores and scores[-1][0].round < scene.state.round:
            pages.append(views.why_next(scores[-1][0], scene.state.seer))
        pages += [views.why_entry(before, score) for before, score in reversed(scores)]
        return pages or [views.nothing_yet()]

    def standing(self, state: State) -> Sequence[View]:
        """The points of all, and each player's sheet."""
        return [views.results(state), *_sheets(state)]

    def refused(self, refusal: Refusal) -> View:
        """Why an event that was entered is refused."""
        return views.refusal(refusal.code)

    def facts(self, state: State) -> Mapping[str, Any]:
        """Phase, round, seer and whose turn it is to bid."""
        return views.facts(state)

    def samples(self) -> Sequence[View]:
        """One view of every screen."""
        from companion.games.wizard_dice.samples import sample_views  # it shows this module's questions, too

        return sample_views()


FLOW = WizardDiceFlow()


def _dice(scene: Scene[State]) -> Dice | None:
    """The dice as last seen; None without sight."""
    return counted(scene.reading.dice) if scene.camera and scene.reading is not None else None


def _is_roll(last: tuple[State, Event] | None) -> bool:
    return last is not None and isinstance(last[1], Roll)


def _remembered(scene: Scene[State]) -> Memory:
    """The memory, with what has happened since the last look."""
    memory = scene.memory if isinstance(scene.memory, Memory) else Memory()
    if scene.last is not None and isinstance(scene.last[1], Score):
        before, score = scene.last
        earlier = memory.scores if memory.scores and memory.scores[-1][0].round == before.round else ()
        if (before, score) not in earlier:
            memory = replace(memory, scores=(*earlier, (before, score)))
    at = (scene.state.round, scene.state.rolls)
    if memory.at != at:  # a roll was taken over, or a round has begun: from here the dice lie as they do now
        lay = _dice(scene)
        if lay is not None and scene.state.rolls:
            lay = told(lay, scene.state.faces)
        memory = replace(memory, at=at, lay=lay, lifted=frozenset(), moved=not scene.settled, held=(None, None))
    elif not scene.settled:
        memory = replace(memory, moved=True)
    elif memory.lay is None or (scene.state.phase != "roll" and not scene.state.rolls):
        memory = replace(memory, lay=_dice(scene), moved=False)
    return memory


def _sheets(state: State) -> list[View]:
    return [views.sheet(state, player) for player in state.order]


def _page(scene: Scene[State], *first: View) -> View:
    """One of the pages that up and down turn: the screens of the moment, then all sheets."""
    pages = [*first, *_sheets(scene.state)]
    return pages[scene.page % len(pages)]


# ---- bids ----


def _bid(scene: Scene[State], memory: Memory) -> Step[Event]:
    state = scene.state
    player = state.to_act
    assert player is not None
    if not state.free_bids(player):
        passed = (T("{name} passes", name=views.name_of(state, player)), scene.t_ms + NOTE_MS)
        form: Form = questions.pass_form(state, player)
        return Step(views.passes(state, player), commit=Pass(player), on_ok=form, memory=replace(memory, note=passed))
    reason = None
    if memory.scores and memory.scores[-1][0].round < state.round:
        reason = views.why_seer(memory.scores[-1][0], state.seer)
    view = views.bid(state, player, reason)
    if memory.note is not None and scene.t_ms < memory.note[1]:
        view = replace(view, title=memory.note[0])
    first = state.setup.spells and state.spell is None and state.acted == 0
    form = questions.spell_question(state, player) if first else questions.bid_form(state, player)
    return Step(_page(scene, view), on_ok=form, memory=memory)


# ---- rolling ----


def _roll(scene: Scene[State], memory: Memory) -> Step[Event]:
    """Wait for a roll: commit it, ask about it, or say what is wrong."""
    state, dice = scene.state, _dice(scene)
    if state.rolls:
        enter: Form = questions.act_form(state, dice, mend=_is_roll(scene.last))
        chance = views.chance(state)
        pages = [views.table(state)] if chance is None else [views.table(state), chance]
    else:
        enter, pages = questions.enter_form(state, dice), [views.roll(state)]
    if dice is None or memory.lay is None:
        return Step(_page(scene, *pages), on_ok=enter, memory=memory)
    if not scene.settled or not memory.moved:
        view, ask = memory.held
        return Step(view or _page(scene, *pages), ask=ask, on_ok=enter, memory=memory)
    found = change(memory.lay, dice, all_seven=state.rolls == 0, lifted=memory.lifted)
    here = replace(memory, lay=dice, lifted=frozenset(), moved=False, held=(None, None))
    if found.what == "same" or (found.what == "lifted" and len(dice) >= DICE):
        return Step(_page(scene, *pages), on_ok=enter, memory=here)
    hidden = found.what == "hidden" and scene.t_ms - scene.since_ms < HIDDEN_MS
    if found.what == "lifted" or hidden:
        stay = len(dice) - len(found.fresh)
        view = views.in_hand(state, stay) if state.rolls and stay < DICE else pages[0]
        away = replace(memory, lifted=memory.lifted | found.gone, held=(None, None))
        return Step(_page(scene, view), on_ok=enter, memory=away)
    return _changed(scene, memory, found, Remember(here), enter, pages[0])


def _changed(
    scene: Scene[State], memory: Memory, found: Change, rest: Remember, enter: Form, view: View
) -> Step[Event]:
    """Dice lie otherwise than before, and none are in a hand.

    Args:
        scene: with a settled reading of the dice.
        memory: of the dice before.
        found: what has changed.
        rest: the answer "that was no roll".
        enter: what ok opens.
        view: the screen when there is nothing to say.
    """
    state, dice = scene.state, _dice(scene) or ()
    problem: View | None = None
    if found.what == "turned" and not state.force.seer_sets:
        problem, enter = views.problem("turned_die", 1), questions.turned_form(state, dice, rest)
    elif len(dice) != DICE:
        problem = views.problem("too_few_dice" if len(dice) < DICE else "too_many_dice", len(dice))
        enter = dice_form(T("The roll?"), dice, lambda faces: Commit(Roll(faces)), problem=problem.facts["problem"])
    known = all(die.value in FACES for die in dice)
    faces = in_order(str(die.value) for die in dice) if known else ()
    if problem is None and known:
        refusal = RULES.why_not(state, Roll(faces))
        if refusal is not None:
            problem = views.problem(refusal.code, refusal.details.get("lay", 0))
    if problem is not None:
        return Step(problem, on_ok=enter, memory=replace(memory, held=(problem, None)))
    certain = found.what == "roll" and known
    if certain and scene.confirm == "unsure" and scene.undone is None:
        return Step(view, commit=Roll(faces), memory=memory)
    number = state.rolls + 1  # said, because a roll that nobody confirmed is replaced by the next one
    title = (
        T("Roll {number} right?", number=number)
        if found.what == "roll"
        else T("Was that roll {number}?", number=number)
    )
    title = title if known else T("Which face?")
    doubt = None if certain else "unsure_die" if not known else "unsure_roll"
    ask = dice_form(title, dice, lambda faces: Commit(Roll(faces)), leave=rest, problem=doubt)
    return Step(view, ask=ask, on_ok=enter, memory=replace(memory, held=(None, ask)))
