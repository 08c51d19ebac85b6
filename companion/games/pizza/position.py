"""A state in one line, as a chess position has its FEN: for logs, tests and bug reports.

``round phase red/green/white cutters``, for example ``2 place:1 a1,d4/c1,e1/f5,g3 -,-,-`` in the second round when one
player has added. The cutters are the lines on the sides 1, 2 and 3. After a cut the toppings are those that were cut:
what the ruling changed follows from them. Who plays, and on which board, is in the record's header.
"""

from __future__ import annotations

from dataclasses import replace

from companion.errors import RecordError
from companion.games.base import Refusal
from companion.games.pizza.rules import RULES
from companion.games.pizza.state import Cut, NeutralRoll, Setup, State
from companion.games.record import shown


def position(state: State) -> str:
    """The state's line.

    >>> from companion.games.pizza.rules import RULES
    >>> position(RULES.start({"game": "pizza", "layout": "hex37", "first": "A", "players": [
    ...     {"name": "Ana", "seat": "A", "colour": "red"}, {"name": "Ben", "seat": "B", "colour": "green"}]}))
    '1 place:0 c1,e1/a3,b5/f5,g3 -,-,-'
    """
    pieces: tuple[int, ...] = state.pieces
    numbers: list[int | None] = [None, None, None]
    if state.ruling is not None:
        ruling = state.ruling
        pieces = tuple(
            own & ~placed | removed
            for own, removed, placed in zip(state.pieces, ruling.removed, ruling.placed, strict=True)
        )
        numbers = list(ruling.numbers)
    elif state.setup.neutral is not None:
        numbers[state.facing[state.setup.neutral.seat] - 1] = state.neutral_line
    phase = f"place:{state.acted}" if state.phase == "place" else state.phase
    toppings = "/".join(",".join(state.setup.board.names(mask)) or "-" for mask in pieces)
    return f"{state.round} {phase} {toppings} {','.join('-' if n is None else str(n) for n in numbers)}"


def parse_position(game: Setup, text: str) -> State:
    """The state of a line; ``position`` of it gives the line back.

    Args:
        game: who plays and on which board: ``RULES.start(header).setup``.
        text: the line.

    Raises:
        RecordError: the line describes no state, or not in the form that ``position`` writes.
    """
    try:
        state = _parsed(game, text)
    except (ValueError, LookupError, Refusal) as error:
        raise RecordError(f"no position: {shown(text)}") from error
    if position(state) != text:
        raise RecordError(f"no position: {shown(text)} would be {position(state)}")
    return state


def _parsed(game: Setup, text: str) -> State:
    count, phase, toppings, cutters = text.split(" ")
    phase, _, acted = phase.partition(":")
    red, green, white = (0 if part == "-" else game.board.mask(part.split(",")) for part in toppings.split("/"))
    occupied = red | green | white
    counts = [mask.bit_count() for mask in (red, green, white)]
    if occupied.bit_count() != sum(counts) or max(counts) > game.board.layout.toppings_per_colour:
        raise ValueError("a space holds two toppings, or a colour has too many")
    lines = [None if part == "-" else int(part) for part in cutters.split(",")]
    state = State(game, int(count), "place", (red, green, white), int(acted) if acted else len(game.players))
    if state.round < 1 or (phase == "place") != (0 <= state.acted < len(game.players)):
        raise ValueError("no such round or turn")
    if phase == "place":
        return state
    if game.neutral is None:
        state = replace(state, phase="cut")
    else:
        state = replace(state, phase="neutral_roll")
        if phase != "neutral_roll":
            state = RULES.apply(state, NeutralRoll(lines[state.facing[game.neutral.seat] - 1] or 0))
            if phase != "neutral_place":
                state = replace(state, phase="cut")
    if phase in ("rotate", "over"):
        state = RULES.apply(
            state, Cut(tuple((seat, lines[state.facing[seat] - 1] or 0) for seat in sorted(state.order)))
        )
    return state
