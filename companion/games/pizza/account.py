"""A readable account of a game: one English line an event, with the reason of each ruling."""

from __future__ import annotations

from companion.games.pizza.state import (
    Cut,
    Event,
    NeutralPass,
    NeutralPlace,
    NeutralRoll,
    Pass,
    Place,
    Player,
    Ruling,
    Slice,
    State,
)
from companion.games.record import printable
from companion.layout import COLOURS


def account(before: State, event: Event, after: State) -> str:
    """What a legal event did and why; "our ruling" marks what no source of the game says."""
    start = f"Round {before.round}: "
    match event:
        case Place(seat, space):
            player = before.setup.player(seat)
            return f"{start}{who(player)} puts {player.colour} on {space}."
        case Pass(seat):
            player = before.setup.player(seat)
            return f"{start}{who(player)} passes: every empty space is next to {player.colour}."
        case NeutralRoll(value):
            return f"{start}the neutral die shows {value}: its cutter goes on line {value} of side {_side(before)}."
        case NeutralPlace(space):
            first = who(before.setup.player(before.order[0]))
            return f"{start}{first} puts neutral {_neutral(before)} on {space}, which touches the cutter."
        case NeutralPass():
            return f"{start}no neutral topping is put: no empty space touches the cutter (our ruling)."
        case Cut(lines):
            cutters = [f"{who(before.setup.player(s))} line {n} of side {before.facing[s]}" for s, n in lines]
            return f"{start}cut: {', '.join(cutters)}. {_ruling(after)}{_end(after)}"
    seat = next(seat for seat, side in after.facing.items() if side == 1)
    first = who(after.setup.player(after.order[0]))
    return f"The board turns: side 1 faces {seat}; round {after.round} starts with {first}."


def who(player: Player) -> str:
    r"""A player's name, on one line whatever it holds, with the seat.

    >>> who(Player("A\nna", "A", "red"))
    'A\\nna (A)'
    """
    name = printable(player.name)
    return f"{name} ({player.seat})" if name else player.seat


def _neutral(state: State) -> str:
    return state.setup.neutral.colour if state.setup.neutral else ""


def _side(state: State) -> int:
    return state.facing[state.setup.neutral.seat] if state.setup.neutral else 0


def _ruling(after: State) -> str:
    ruling = after.ruling
    assert ruling is not None, "a cut leaves a ruling"
    text = " ".join(_slice(after, ruling, part) for part in ruling.slices if part.outcome != "empty")
    short = [
        f" {COLOURS[i]} has no toppings left for {', '.join(after.setup.board.names(mask))}: spaces are filled in order"
        " of their ids (our ruling)."
        for i, mask in enumerate(ruling.short)
        if mask
    ]
    return text + "".join(short)


def _slice(after: State, ruling: Ruling, part: Slice) -> str:
    names = after.setup.board.names
    counts = " ".join(f"{c} {n}" for c, n in zip(COLOURS, part.counts, strict=True) if n)
    lost = [
        f"{COLOURS[i]} leaves {', '.join(names(mask & part.mask))}"
        for i, mask in enumerate(ruling.removed)
        if mask & part.mask
    ]
    saved = [
        f"{COLOURS[i]} is safe (one topping a slice at most)"
        for i in ruling.safe
        if 0 < part.counts[i] < max(part.counts) and part.outcome != "three_way_tie"
    ]
    verdict = {
        "two_way_tie": "two-way tie for most",
        "three_way_tie": "three-way tie, nothing happens",
    }.get(part.outcome, f"{part.outcome} has most and takes it")
    size = f"{len(part.spaces)} space{'s' if len(part.spaces) > 1 else ''} at {part.spaces[0]}"
    return f"[{size}: {counts}: {'; '.join([verdict, *lost, *saved])}]"


def _end(after: State) -> str:
    if after.result is None:
        return ""
    total = after.setup.board.layout.toppings_per_colour
    if after.result == "both_lose":
        return f" All {total} neutral {_neutral(after)} toppings are on the board: both lose."
    names = " and ".join(who(after.setup.player(seat)) for seat in after.winners)
    return f" All {total} on the board: {names} {'wins' if after.result == 'win' else 'win together (our ruling)'}."
