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
    """What a legal event did and why."""
    match event:
        case Place(seat, space):
            player = before.setup.player(seat)
            return f"Round {before.round}: {who(player)} puts {player.colour} on {space}."
        case Pass(seat):
            player = before.setup.player(seat)
            return f"Round {before.round}: {who(player)} passes: every empty space is next to {player.colour}."
        case NeutralRoll(value):
            where = f"line {value} of side {_side(before)}"
            return f"Round {before.round}: the neutral die shows {value}: its cutter goes on {where}."
        case NeutralPlace(space):
            return f"Round {before.round}: neutral {_neutral(before)} goes on {space}, which touches the cutter."
        case NeutralPass():
            return f"Round {before.round}: no neutral topping: no empty space touches the cutter."
        case Cut(lines):
            cutters = [f"{who(before.setup.player(s))} line {n} of side {before.facing[s]}" for s, n in lines]
            return f"Round {before.round}: cut: {', '.join(cutters)}. {_ruling(after)}{_end(after)}"
    facing = f"side 1 faces {_seat_facing(after, 1)}"
    return f"The board turns: {facing}; round {after.round} starts with {who(after.setup.player(after.order[0]))}."


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


def _seat_facing(state: State, side: int) -> str:
    return next(seat for seat, faced in state.facing.items() if faced == side)


def _ruling(after: State) -> str:
    ruling = after.ruling
    assert ruling is not None, "a cut leaves a ruling"
    text = " ".join(_slice(after, ruling, part) for part in ruling.slices if part.outcome != "empty")
    short = [
        f" {COLOURS[i]} has no toppings left for {', '.join(after.setup.board.names(mask))}."
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
    size = f"{part.spaces[0]}..{part.spaces[-1]}" if len(part.spaces) > 1 else part.spaces[0]
    return f"[{size}: {counts}: {'; '.join([verdict, *lost, *saved])}]"


def _end(after: State) -> str:
    if after.result is None:
        return ""
    total = after.setup.board.layout.toppings_per_colour
    if after.result == "both_lose":
        return f" All {total} neutral {_neutral(after)} toppings are on the board: both lose."
    names = " and ".join(who(after.setup.player(seat)) for seat in after.winners)
    return f" All {total} on the board: {names} win{'s' if after.result == 'win' else ' together'}."
