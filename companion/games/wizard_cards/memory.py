"""What the flow of the card game remembers between two looks, and what a look at the table tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.arbiter.flow import Scene
from companion.arbiter.forms import Form
from companion.games.wizard_cards.judge import Known, Lying, Point, misread, sort_cards
from companion.games.wizard_cards.reasons import TrickEnd, trick_end
from companion.games.wizard_cards.state import Event, Play, State
from companion.screens.view import View
from companion.vision.readings import CardReading

NOTE_MS = 7000  # how long the end of a trick or round stands where no camera sees the cards being cleared away
Moment = tuple[int, str, int, int, int]


@dataclass(frozen=True, slots=True)
class Memory:
    """What the flow remembers between two looks.

    Args:
        at: the moment of the game that ``looked`` and ``until`` belong to.
        looked: whether the table has been seen at rest since that moment began.
        until: until when the end of a trick or round stands without being seen to be cleared.
        known: what is known of the table.
        cleared: the round and the tricks in it after which the table was seen cleared last.
        ended: the last trick, with the state before its last card.
        covered: cards of the trick that lie there unseen.
        gone_since: since when a card of the trick is not seen, though nothing else has come.
        proposed: the event that was last taken over from a reading.
        habits: where each player lays cards.
        warned: how many revokes of which round the players have taken note of.
        held: the screen that stands while the table is touched again.
    """

    at: Moment | None = None
    looked: bool = False
    until: int = 0
    known: Known = field(default_factory=Known)
    cleared: tuple[int, int] = (0, 0)
    ended: tuple[State, TrickEnd] | None = None
    covered: tuple[str, ...] = ()
    gone_since: int | None = None
    proposed: Event | None = None
    habits: Mapping[int, tuple[Point, ...]] = field(default_factory=dict)
    warned: tuple[int, int] = (0, 0)
    held: tuple[View, Form | None] | None = None


def _moment(state: State) -> Moment:
    bids = sum(bid is not None for bid in state.bids)
    return state.round, state.phase, state.tricks_played, len(state.trick), bids


def last_play(scene: Scene[State]) -> tuple[State, Play] | None:
    """The last event, if it is a card, and the state before it."""
    if scene.last is not None and isinstance(scene.last[1], Play):
        return scene.last[0], scene.last[1]
    return None


def cards_seen(scene: Scene[State]) -> tuple[CardReading, ...] | None:
    """The cards as last seen; None without sight."""
    return scene.reading.cards if scene.camera and scene.reading is not None else None


def remembered(scene: Scene[State]) -> Memory:
    """The memory, with what has happened since the last look."""
    memory = scene.memory
    if not isinstance(memory, Memory):  # what was taken over before a restart is no correction of the players
        memory = Memory(proposed=None if scene.last is None else scene.last[1])
    state, now = scene.state, _moment(scene.state)
    if memory.at == now:
        return memory
    known = memory.known
    fresh_round = memory.at is None or memory.at[0] != state.round
    if fresh_round:
        known = replace(known, trump_box=None, trump_gone=False)
    ended, played = memory.ended, (state.round, state.tricks_played)
    cleared = memory.cleared if memory.cleared <= played else (0, 0)  # what was taken back may lie there again
    end = None if scene.last is None else trick_end(*scene.last)
    if end is not None and scene.last is not None:  # its cards lie there until they are seen to be gone
        ended = scene.last[0], end
        if cleared != played:
            known = replace(known, before=tuple(card.card for card in end.cards), lay=())
    if scene.last is not None and scene.last[0].round != state.round and scene.last[0].trump_card is not None:
        known = replace(known, before=(*known.before, scene.last[0].trump_card), lay=())
    known = replace(known, trick=tuple(card.card for card in state.trick))
    if not state.trick:
        known = replace(known, lain=())
    ends = scene.last is not None and not state.trick and state.phase not in ("bid", "trump_colour")
    return replace(
        memory,
        at=now,
        looked=False,
        until=scene.t_ms + NOTE_MS if ends else memory.until,
        known=known,
        ended=ended,
        cleared=cleared,
        covered=memory.covered if state.trick else (),
        held=None,
    )


def look(scene: Scene[State], memory: Memory) -> tuple[Lying, Memory] | None:
    """The cards sorted, and the memory with what they tell; None when the table is not at rest or not seen."""
    cards = cards_seen(scene)
    if cards is None or not scene.settled:
        return None
    state, known = scene.state, memory.known
    trick = list(known.trick)
    for card in memory.covered:
        if card in trick:
            trick.remove(card)
    asked = replace(known, trick=tuple(trick), trump=state.trump_card)
    lying = sort_cards(cards, asked, state.setup.deck)
    # What the players have entered against the camera, or for it, explains what is read otherwise.
    entered = not memory.looked and scene.last is not None and memory.proposed != scene.last[1]
    absent = lying.missing or lying.lost
    if entered and len(absent) == len(lying.fresh) == 1:
        known = replace(known, said=(*known.said, (_as_read(cards, lying.fresh[0]), absent[0])))
        lying = sort_cards(cards, replace(asked, said=known.said), state.setup.deck)
    while (found := misread(lying, known.lain)) is not None:
        known = replace(known, said=(*known.said, (_as_read(cards, found[0]), found[1])))
        lying = sort_cards(cards, replace(asked, said=known.said), state.setup.deck)
    if lying.trump is not None:
        known = replace(known, trump_box=lying.trump.box)
    if known.before and not lying.left:
        memory = replace(memory, cleared=(state.round, state.tricks_played))
        known = replace(known, before=(), lay=(), said=())
    elif known.before and not known.lay:
        known = replace(known, lay=lying.left)
    known = replace(known, lain=(*(card for card in known.lain if card.value in lying.missing), *lying.trick))
    return lying, replace(memory, known=known, looked=True, held=None)


def _as_read(cards: Sequence[CardReading], card: CardReading) -> CardReading:
    return next(c for c in cards if c.box == card.box)
