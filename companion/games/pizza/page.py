"""The pizza game on the page for the phone."""

from __future__ import annotations

from collections.abc import Sequence

from companion.arbiter.forms import STATE_NAMES
from companion.games.page import Drawing, Field, NewGame, Rolls, Thing, Value, joined
from companion.games.pizza import views
from companion.games.pizza.drawing import board_picture
from companion.games.pizza.judge import EMPTY, difference, wanted
from companion.games.pizza.setup import SEAT_NAMES
from companion.games.pizza.state import (
    Cut,
    Event,
    NeutralPass,
    NeutralPlace,
    NeutralRoll,
    Pass,
    Place,
    Rotate,
    Ruling,
    Slice,
    State,
)
from companion.layout import COLOURS
from companion.screens.view import T, Text, verbatim
from companion.vision.readings import BoardReading

OUTCOMES: dict[str, Text] = {
    "red": T("red has most and takes the slice"),
    "green": T("green has most and takes the slice"),
    "white": T("white has most and takes the slice"),
    "two_way_tie": T("two colours share the most: the third one leaves"),
    "three_way_tie": T("all three have the same: nothing happens"),
}
SAFE = {
    "red": T("red is safe: at most one topping in every slice"),
    "green": T("green is safe: at most one topping in every slice"),
    "white": T("white is safe: at most one topping in every slice"),
}
DICE = {"red": T("red die"), "green": T("green die"), "white": T("white die")}


class PizzaPage:
    """See :class:`companion.games.page.GamePage`."""

    new: NewGame | None = NewGame(
        2,
        3,
        "first",
        T("Who begins?"),
        seats=tuple(SEAT_NAMES.items()),
        colours=tuple((colour, STATE_NAMES[colour]) for colour in COLOURS),
    )

    def drawing(self, state: State, reading: BoardReading | None) -> Drawing | None:
        """The board as it should lie; what lies otherwise blinks."""
        should = wanted(state)
        seen: dict[str, str] = {}
        if reading is not None and reading.spaces is not None:
            spaces = difference(state, reading.spaces).spaces
            seen = {s: v for s in spaces if (v := reading.spaces.get(s)) is not None}
        sticks: list[tuple[int, int]] = []
        if state.ruling is not None:
            sticks = [(side, number) for side, number in zip((1, 2, 3), state.ruling.numbers, strict=True)]
        elif state.neutral_line is not None and state.setup.neutral is not None:
            sticks = [(state.facing[state.setup.neutral.seat], state.neutral_line)]
        seats = {side: seat for seat, side in state.facing.items()}
        colours = tuple(COLOURS[state.setup.colour[seats[side]]] for side, _ in sticks)
        return Drawing(board_picture(state, should, seen, sticks), state.setup.board.ids, colours, seen)

    def turn(self, state: State) -> Text | None:
        """Who adds a topping now."""
        return None if state.to_act is None else views.name_of(state, state.to_act)

    def told(self, before: State, event: Event, after: State) -> tuple[Text, ...]:
        """What happened; after a cut also what became of each slice and why."""
        first = views.name_of(before, before.order[0])
        match event:
            case Place(seat, space):
                colour = STATE_NAMES[before.setup.player(seat).colour]
                name = views.name_of(before, seat)
                return (T("{name} puts {colour} on {space}", name=name, colour=colour, space=space),)
            case Pass(seat):
                return (
                    T("{name} passes", name=views.name_of(before, seat)),
                    T("every free space is next to the own colour"),
                )
            case NeutralRoll(value):
                return (T("The neutral die shows {number}", number=value),)
            case NeutralPlace(space):
                return (T("{name} puts the neutral colour on {space}", name=first, space=space),)
            case NeutralPass():
                return (T("No neutral topping"), T("no free space touches the stick"))
            case Cut(lines):
                numbers = [
                    T("{name} {number}", name=views.name_of(before, seat), number=number) for seat, number in lines
                ]
                return (T("Cut: {numbers}", numbers=joined(numbers)), *_reasons(after), *_end(after))
            case Rotate():
                return (T("The board turns: round {round}", round=after.round),)

    def fields(self, before: State, event: Event) -> tuple[Field, ...]:
        """The space of a topping, the number of a die or of each stick."""
        match event:
            case Place(_, space) | NeutralPlace(space):
                options = sorted({*before.setup.board.names(before.legal), space})
                return (Field(T("Space"), ("space",), space, tuple((s, verbatim(s)) for s in options)),)
            case NeutralRoll(value):
                assert before.setup.neutral is not None
                return (_number(before, before.setup.neutral.seat, T("neutral"), ("value",), value),)
            case Cut(lines):
                return tuple(
                    _number(before, seat, views.name_of(before, seat), ("lines", seat), number)
                    for seat, number in lines
                )
        return ()

    def choices(self, kind: Thing) -> tuple[tuple[str | int, Text], ...]:
        """The colours of a space, the pips of a die."""
        if kind == "space":
            return tuple((state, STATE_NAMES[state]) for state in (EMPTY, *COLOURS))
        return tuple((n, verbatim(str(n))) for n in range(1, 7)) if kind == "die" else ()

    def entered(self, state: State, space: str, value: str) -> Event | None:
        """A topping of the colour whose turn it is; the rules judge it."""
        if state.phase == "place" and state.to_act is not None:
            return Place(state.to_act, space) if value != EMPTY else None
        return NeutralPlace(space) if state.phase == "neutral_place" and value != EMPTY else None

    def mended(
        self, history: Sequence[tuple[State, Event]], kind: Thing, lying: Sequence[Value], was: Value, now: Value
    ) -> tuple[int, Event] | None:
        """Nothing: what lies on the board follows from what was played."""
        return None

    def rolls(self, before: State, event: Event) -> Sequence[Rolls]:
        """The neutral die: the players' dice only show what they chose."""
        if not isinstance(event, NeutralRoll) or before.setup.neutral is None:
            return ()
        faces = tuple((n, verbatim(str(n))) for n in range(1, 7))
        return (Rolls(DICE[before.setup.neutral.colour], faces, (event.value,)),)

    def secret(self, now: State, before: State, event: Event) -> bool:
        """Everybody sees everything."""
        return False


PAGE = PizzaPage()


def _number(before: State, seat: str, label: Text, path: tuple[str | int, ...], value: int) -> Field:
    numbers = before.setup.board.layout.numbers(before.facing[seat])
    return Field(label, path, value, tuple((n, verbatim(str(n))) for n in numbers))


def _reasons(after: State) -> list[Text]:
    ruling = after.ruling
    assert ruling is not None, "a cut leaves a ruling"
    reasons = [_slice(after, ruling, part) for part in ruling.slices if part.outcome != "empty"]
    saved = {i for part in ruling.slices for i in ruling.safe if 0 < part.counts[i] < max(part.counts)}
    reasons += [SAFE[COLOURS[i]] for i in sorted(saved)]
    if any(ruling.short):
        reasons.append(T("not enough toppings: spaces are filled in the order of their names (our own ruling)"))
    return reasons


def _slice(after: State, ruling: Ruling, part: Slice) -> Text:
    lost = [
        T("{colour} leaves {spaces}", colour=STATE_NAMES[COLOURS[i]], spaces=", ".join(names))
        for i, mask in enumerate(ruling.removed)
        if (names := after.setup.board.names(mask & part.mask))
    ]
    text = T(
        "Slice at {space} ({counts}): {outcome}",
        space=part.spaces[0],
        counts=views.slice_counts(part),
        outcome=OUTCOMES[part.outcome],
    )
    return T("{one}; {two}", one=text, two=joined(lost)) if lost else text


def _end(after: State) -> tuple[Text, ...]:
    if after.result is None:
        return ()
    total = after.setup.board.layout.toppings_per_colour
    if after.result == "both_lose":
        return (T("All {total} neutral toppings are on the board: both lose", total=total),)
    names = joined([views.name_of(after, seat) for seat in after.winners])
    if after.result == "shared_win":
        return (T("{names} have all {total} on the board: they win together", names=names, total=total),)
    return (T("{names} has all {total} on the board and wins", names=names, total=total),)
