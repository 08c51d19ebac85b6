"""The card game at the table: what is awaited now, which card is taken for whose, and what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.arbiter.flow import Remember, Scene, Step
from companion.arbiter.forms import Form
from companion.games.base import Refusal
from companion.games.wizard_cards import questions, views
from companion.games.wizard_cards.cards import VALUES
from companion.games.wizard_cards.judge import ELSEWHERE, Lying, at_own_place, centre, covers, someone_elses
from companion.games.wizard_cards.memory import NOTE_MS, Memory, cards_seen, last_play, look, remembered
from companion.games.wizard_cards.past import past_form
from companion.games.wizard_cards.reasons import trick_end
from companion.games.wizard_cards.rules import RULES
from companion.games.wizard_cards.setup import setup_form
from companion.games.wizard_cards.state import Event, Play, State, Trump
from companion.screens.view import T, View

GONE_MS = 4000  # an arm may rest on the trick; only then a card is missed
HABITS = 8  # cards of each player that are remembered by their place


class WizardCardsFlow:
    """See :class:`companion.arbiter.flow.Flow`."""

    eyes = "cards"
    title = T("Wizard cards")

    def step(self, scene: Scene[State]) -> Step[Event]:
        """What to show and to commit, from what is seen."""
        memory = remembered(scene)
        warning = _warning(scene, memory)
        step = _PHASES[scene.state.phase](scene, memory)
        if warning is not None and step.ask is None:
            return replace(step, ask=warning)
        return step

    def needs_dice(self, state: State) -> bool:
        """Whether cards matter now: always but at the end."""
        return state.phase != "over"

    def setup(self, names: Sequence[str], draw: int) -> Form:
        """The questions before a game: how many, names, settings; the companion draws the first dealer."""
        return setup_form(names, draw)

    def correct(self, scene: Scene[State]) -> Form | None:
        """Correct the card that was taken over last."""
        last = last_play(scene)
        return None if last is None else questions.mend_form(*last)

    def kept(self, memory: Any) -> Any:
        """Where the turned card lies, what is none of the game's, and where everybody lays their cards."""
        if not isinstance(memory, Memory) or memory.at is None:
            return None
        known = replace(memory.known, trick=(), lain=(), before=(), lay=())
        again = (memory.at[0], "", 0, 0, 0)
        return replace(Memory(again), known=known, habits=memory.habits, cleared=memory.cleared)

    def past(self, history: Sequence[tuple[State, Event]]) -> Form | None:
        """Change a bid, a card or the tricks of any round."""
        return past_form(history)

    def why(self, scene: Scene[State]) -> Sequence[View]:
        """Why the last trick was whose, and the revokes of the round."""
        state, memory = scene.state, remembered(scene)
        pages = []
        if memory.ended is not None:
            pages.append(views.trick(*memory.ended, last=False, clear=False))
        pages += [views.revoke_page(state, found) for found in reversed(state.warnings)]
        return pages or [views.nothing_yet()]

    def standing(self, state: State) -> Sequence[View]:
        """The scores, this round, what is still possible, and the curve of each player."""
        pages = [views.scores(state)]
        if state.phase in ("bid", "play", "change_bid"):
            pages.append(views.this_round(state))
        if None not in state.bids and state.phase != "over":
            pages += [views.play_tallies(state), *([views.possible(state)] if state.bids_are_shown else [])]
        if state.past:
            pages += [views.curve(state, player) for player in range(len(state.scores))]
        return pages

    def refused(self, refusal: Refusal) -> View:
        """Why an event that was entered, or a change of the past, is refused."""
        return views.refusal(refusal.code, later="index" in refusal.details)

    def facts(self, state: State) -> Mapping[str, Any]:
        """Phase, round, dealer, trump and whose turn it is."""
        return views.facts(state)

    def samples(self) -> Sequence[View]:
        """One view of every screen."""
        from companion.games.wizard_cards.samples import sample_views  # it shows this module's questions, too

        return sample_views()


FLOW = WizardCardsFlow()


# ---- what stands on every screen ----


def _warning(scene: Scene[State], memory: Memory) -> Form | None:
    """The revoke that the players have not taken note of yet."""
    state = scene.state
    found = state.warnings[-1] if state.warnings else None
    note = (state.round, len(state.warnings))
    last = last_play(scene)
    if last is not None and last[0].round != state.round:  # the last card of a round: the state has forgotten it
        found = last[0].revoke(last[1].player, last[1].card)
        note = (last[0].round, 1 + len(last[0].warnings))
    if found is None or memory.warned == note:
        return None
    return questions.revoke_form(state, found, Remember(replace(memory, warned=note)))


def _page(scene: Scene[State], *first: View) -> View:
    """One of the pages that up and down turn: the screens of the moment, then how everybody stands."""
    pages = [*first, *FLOW.standing(scene.state)]
    return pages[scene.page % len(pages)]


def _untouched(scene: Scene[State], memory: Memory, view: View, enter: Form | None) -> Step[Event]:
    """Nothing new is seen: the screen of the moment, or the one that was there before the table was touched."""
    if memory.held is not None and cards_seen(scene) is not None:
        return Step(memory.held[0], on_ok=memory.held[1], memory=memory)
    return Step(_page(scene, view), on_ok=enter, memory=memory)


def _wrong(memory: Memory, view: View, enter: Form | None) -> Step[Event]:
    """Something is wrong: it is said until the table is at rest and right again."""
    return Step(view, on_ok=enter, memory=replace(memory, held=(view, enter)))


# ---- trump and bids ----


def _turn_up(scene: Scene[State], memory: Memory) -> Step[Event]:
    """The round before is shown, then who deals; the card that is turned up is taken over or asked about."""
    state = scene.state
    enter = questions.trump_form(state)
    looked = look(scene, memory)
    if looked is not None:
        lying, memory = looked
    shown = memory.known.before if cards_seen(scene) is not None else scene.t_ms < memory.until
    view = views.deal(state)
    if scene.last is not None and (shown or scene.t_ms < memory.until):
        view = views.result(*scene.last, state)
        if trick_end(*scene.last) is not None and memory.ended and scene.t_ms < memory.until - NOTE_MS // 2:
            view = views.trick(*memory.ended, last=True, clear=bool(memory.known.before))
    elif state.round == state.setup.rounds and not state.setup.specials and scene.undone != Trump(None):
        return Step(view, commit=Trump(None), memory=memory)
    if looked is None:
        return _untouched(scene, memory, view, enter)
    values = tuple(str(card.value) for card in lying.fresh)
    if not values:
        return Step(_page(scene, view), on_ok=enter, memory=memory)
    if lying.left:
        return _wrong(memory, views.problem("not_cleared", state, values), enter)
    refusal = RULES.why_not(state, Trump(values[0]))
    if len(values) > 1 or refusal is not None:
        code = "unknown_card" if refusal is not None and refusal.code == "unknown_card" else "which_card"
        return _wrong(memory, views.problem(code, state, values), enter)
    memory = replace(memory, known=replace(memory.known, trump_box=lying.fresh[0].box))
    if scene.confirm == "unsure" and scene.undone != Trump(values[0]):
        return Step(view, commit=Trump(values[0]), memory=replace(memory, proposed=Trump(values[0])))
    return Step(view, ask=questions.confirm_trump(state, values[0]), on_ok=enter, memory=memory)


def _choose_trump(scene: Scene[State], memory: Memory) -> Step[Event]:
    return _before_tricks(scene, memory, questions.colour_form(scene.state), "choice_first")


def _bid(scene: Scene[State], memory: Memory) -> Step[Event]:
    return _before_tricks(scene, memory, questions.bid_form(scene.state), "bids_first")


def _before_tricks(scene: Scene[State], memory: Memory, ask: Form, too_early: str) -> Step[Event]:
    """Ask; meanwhile only the turned card may lie there, and what can't be read is none of the game's."""
    looked = look(scene, memory)
    if looked is None:
        if memory.held is not None and cards_seen(scene) is not None:
            return Step(memory.held[0], on_ok=memory.held[1], memory=memory)
        return Step(views.deal(scene.state), ask=ask, memory=memory)
    lying, memory = looked
    turned = lying.trump
    if turned is None:  # it may have been moved, or seen for the first time
        turned = next((card for card in lying.fresh if card.value == scene.state.trump_card), None)
    values = tuple(str(card.value) for card in lying.fresh if card is not turned)
    if values:
        return _wrong(memory, views.problem(too_early, scene.state, values), ask)
    box = memory.known.trump_box if turned is None else turned.box
    aside = tuple(card for card in cards_seen(scene) or () if card.value is None)
    known = replace(memory.known, aside=aside, trump_box=box, trump_gone=turned is None)
    memory = replace(memory, known=known)
    return Step(views.deal(scene.state), ask=ask, memory=memory)


# ---- the tricks ----


def _play(scene: Scene[State], memory: Memory) -> Step[Event]:
    """Await the next card: take it over, or say what is wrong."""
    state = scene.state
    last = last_play(scene)
    enter: Form = questions.act_form(state, *((last[1], last[0]) if last is not None else (None, None)))
    looked = look(scene, memory)
    if looked is None:
        return _untouched(scene, memory, _now(scene, memory), enter)
    lying, memory = looked
    view = _now(scene, memory)
    values = tuple(str(card.value) for card in lying.fresh)
    if lying.left:
        if values:
            return _wrong(memory, views.problem("not_cleared", state, values), enter)
        return Step(_page(scene, view), on_ok=enter, memory=memory)
    news = len(lying.fresh) + len(lying.unread)
    covered_ms = scene.t_ms - (scene.t_ms if memory.gone_since is None else memory.gone_since)
    memory = replace(memory, gone_since=scene.t_ms - covered_ms if lying.missing and not news else None)
    if lying.missing and not news and covered_ms < GONE_MS:
        return Step(_page(scene, view), on_ok=enter, memory=memory)
    if _just_covered(state, memory, lying):
        memory = replace(memory, covered=(*memory.covered, *lying.missing))
    elif lying.missing and last is not None:
        gone = (*memory.covered, *lying.missing)
        covered = Remember(replace(memory, covered=gone))
        fresh = values[0] if news == 1 and values else None
        form = questions.gone_form(state, last[0], last[1], fresh, covered)
        return _wrong(memory, views.problem("card_gone", state, lying.missing), form)
    if news > 1:
        return _wrong(memory, views.problem("two_at_once", state, values), questions.two_form(state, lying.fresh))
    if lying.unread:
        return _wrong(memory, views.problem("unread_card", state), questions.play_form(state))
    if not values:
        return Step(_page(scene, view), on_ok=enter, memory=memory)
    return _one_card(scene, memory, lying, view)


def _just_covered(state: State, memory: Memory, lying: Lying) -> bool:
    """Whether the one card that is missing lies under the one that came, laid elsewhere or at the next player's place.

    Were it exchanged for that one, the new card would lie in its place.
    """
    if len(lying.missing) != 1 or len(lying.fresh) != 1 or lying.unread or state.to_act is None:
        return False
    box = lying.fresh[0].box
    old = next((card.box for card in memory.known.lain if card.value == lying.missing[0]), None)
    own = at_own_place(memory.habits, state.to_act, box)
    return old is not None and (covers(box, old, ELSEWHERE) or (own and covers(box, old)))


def _now(scene: Scene[State], memory: Memory) -> View:
    """The end of the last trick while its cards lie or it is news, else whose card is awaited."""
    state = scene.state
    if memory.ended is not None and memory.ended[0].round == state.round and not state.trick:
        clear = bool(memory.known.before) and cards_seen(scene) is not None
        if clear or (scene.t_ms < memory.until and memory.ended[0].tricks_played + 1 == state.tricks_played):
            return views.trick(*memory.ended, last=False, clear=clear)
    return views.play(state)


def _one_card(scene: Scene[State], memory: Memory, lying: Lying, view: View) -> Step[Event]:
    """One more card lies there, and can be read."""
    state, card = scene.state, lying.fresh[0]
    player, value = state.to_act, str(card.value)
    assert player is not None
    form = questions.whose_form(state, card)
    event = Play(player, value)
    refusal = RULES.why_not(state, event)
    if refusal is not None and refusal.code != "bad_colour":
        return _wrong(memory, views.problem(refusal.code, state, (value,)), questions.play_form(state))
    if isinstance(scene.undone, Play) and (scene.undone.player, scene.undone.card) == (player, value):
        return _wrong(memory, views.problem("undone", state, (value,)), form)
    other = someone_elses(memory.habits, player, card.box)
    if other is not None or lying.doubtful:
        code = "which_card" if other is None else "out_of_turn"
        return _wrong(memory, views.problem(code, state, (value,), other), form)
    if value in VALUES:
        return Step(view, ask=questions.named_form(state, value), memory=memory)
    habit = (*memory.habits.get(player, ()), centre(card.box))[-HABITS:]
    known = replace(memory.known, lain=(*memory.known.lain, card))
    memory = replace(memory, known=known, proposed=event, habits={**memory.habits, player: habit})
    return Step(view, commit=event, memory=memory)


def _change_bid(scene: Scene[State], memory: Memory) -> Step[Event]:
    """Ask who took the trick with the cloud for the new bid."""
    assert scene.state.to_act is not None
    looked = look(scene, memory)
    memory = memory if looked is None else looked[1]
    form = questions.cloud_form(scene.state, scene.state.to_act)
    return Step(views.cloud(scene.state), ask=form, memory=memory)


def _over(scene: Scene[State], memory: Memory) -> Step[Event]:
    """Who has won, the last round, and how it went."""
    state = scene.state
    first = [views.over(state)]
    if scene.last is not None:
        first.append(views.result(*scene.last, state))
    return Step(_page(scene, *first), memory=memory)


_PHASES = {
    "trump": _turn_up,
    "trump_colour": _choose_trump,
    "bid": _bid,
    "play": _play,
    "change_bid": _change_bid,
    "over": _over,
}
