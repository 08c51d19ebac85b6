"""What a reading of the table means for a pizza game: what differs from the state, and which numbers were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from companion.games.base import Refusal
from companion.games.pizza.rules import RULES
from companion.games.pizza.state import Event, NeutralPlace, Place, State
from companion.layout import COLOURS
from companion.vision.readings import BoardReading, DieReading

EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the table is not as the state says; spaces that can't be read never count.

    Args:
        missing: space -> the colour that should lie there, where nothing lies.
        extra: space -> the colour that lies where nothing should.
        swapped: space -> (the colour that should lie there, the colour that does).
    """

    missing: Mapping[str, str]
    extra: Mapping[str, str]
    swapped: Mapping[str, tuple[str, str]]

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.missing or self.extra or self.swapped)

    @property
    def spaces(self) -> tuple[str, ...]:
        """All spaces that differ, sorted."""
        return tuple(sorted((*self.missing, *self.extra, *self.swapped)))


@dataclass(frozen=True, slots=True)
class Problem:
    """Why what lies on the table can't be taken over.

    Args:
        code: a refusal code of the rules, or the name of what was done ("two_at_once", "moved_topping", ...).
        spaces: the spaces that it is about.
        beside: for a topping next to an own one: the own ones.
    """

    code: str
    spaces: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def wanted(state: State) -> dict[str, str]:
    """What should lie on every space: a colour or "empty"."""
    names = state.setup.board.names
    held = {s: c for c, mask in zip(COLOURS, state.pieces, strict=True) for s in names(mask)}
    return {s: held.get(s, EMPTY) for s in state.setup.board.ids}


def difference(state: State, spaces: Mapping[str, str | None]) -> Difference:
    """Compare a reading's spaces with the state."""
    missing, extra, swapped = {}, {}, {}
    for space, should in wanted(state).items():
        lies = spaces.get(space)
        if lies is None or lies == should:
            continue
        if lies == EMPTY:
            missing[space] = should
        elif should == EMPTY:
            extra[space] = lies
        else:
            swapped[space] = (should, lies)
    return Difference(missing, extra, swapped)


def disturbed(diff: Difference) -> Problem | None:
    """What is wrong with toppings that should have stayed where they were."""
    if diff.missing and diff.extra:
        return Problem("moved_topping", diff.spaces)
    if diff.missing:
        return Problem("missing_topping", diff.spaces)
    if diff.swapped:
        return Problem("swapped_topping", diff.spaces)
    return None


def added(state: State, diff: Difference) -> Event | Problem | None:
    """The event that one new topping is while toppings are added, or why it is none.

    Args:
        state: in a phase in which a topping is added ("place" or "neutral_place").
        diff: the table against the state.
    """
    problem = disturbed(diff)
    if problem is not None:
        return problem
    if not diff.extra:
        return None
    if len(diff.extra) > 1:
        return Problem("two_at_once", diff.spaces)
    ((space, colour),) = diff.extra.items()
    seat = state.to_act or (state.setup.neutral.seat if state.setup.neutral else "")
    if colour != COLOURS[state.setup.colour[seat]]:
        return Problem("wrong_colour", (space,))
    event: Event = Place(seat, space) if state.to_act else NeutralPlace(space)
    refusal = RULES.why_not(state, event)
    return event if refusal is None else refused(refusal)


def refused(refusal: Refusal) -> Problem:
    """A refusal of the rules as a problem on the table."""
    space = refusal.details.get("space")
    return Problem(refusal.code, (space,) if space else (), tuple(refusal.details.get("beside", ())))


def both_in_turn(state: State, diff: Difference) -> tuple[Event, ...]:
    """The events that several new toppings are when the players added one after the other; empty if they can't be."""
    if disturbed(diff) is not None:
        return ()
    left, events = dict(diff.extra), []
    while left and state.to_act is not None:
        colour = state.setup.player(state.to_act).colour
        spaces = [s for s, c in left.items() if c == colour]
        if len(spaces) != 1:
            return ()
        event = Place(state.to_act, spaces[0])
        if RULES.why_not(state, event) is not None:
            return ()
        state = RULES.apply(state, event)
        events.append(event)
        del left[spaces[0]]
    return () if left else tuple(events)


Agreement = Literal["nothing", "die_only", "sure", "unsure", "disagree", "wrong_stick"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What die and stick say of one colour's number.

    Args:
        seat: whose number it is (the neutral seat included).
        stick: the line its stick lies on; None when there is none or it can't be told.
        die: what its die shows; None when there is none or it can't be told.
        agreement: "sure" (a certain stick, and no die that says otherwise), "disagree" (die and stick differ),
            "unsure" (a stick lies there, but its line can't be told), "wrong_stick" (another colour's stick on its
            side, or its own on another side), "die_only", "nothing".
    """

    seat: str
    stick: int | None
    die: int | None
    agreement: Agreement

    @property
    def proposal(self) -> int | None:
        """The number to propose; where die and stick differ there is none to prefer: the stick can be seen by all."""
        return self.stick if self.stick is not None else self.die


def chosen(state: State, reading: BoardReading, seat: str) -> Chosen:
    """Read one colour's number from its die and its stick."""
    side = state.facing[seat]
    colour = COLOURS[state.setup.colour[seat]]
    highest = state.setup.board.numbers[side]
    die = die_of(reading, colour)
    value = die.value if die is not None and isinstance(die.value, int) and 1 <= die.value <= highest else None
    on_side = [c for c in reading.cutters if c.side == side]
    elsewhere = [c for c in reading.cutters if c.side != side and c.colour == colour]
    if elsewhere or any(c.colour not in (colour, None) for c in on_side) or len(on_side) > 1:
        return Chosen(seat, None, value, "wrong_stick")
    if not on_side:
        return Chosen(seat, None, value, "nothing" if value is None else "die_only")
    number = on_side[0].number
    if number is None or on_side[0].colour is None:
        return Chosen(seat, number, value, "unsure" if number is None or value != number else "sure")
    return Chosen(seat, number, value, "sure" if value in (None, number) else "disagree")


def die_of(reading: BoardReading, colour: str) -> DieReading | None:
    """The only die of a colour; None when there is none, or more than one."""
    dice = [d for d in reading.dice if d.colour == colour]
    return dice[0] if len(dice) == 1 else None
