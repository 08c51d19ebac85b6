"""What a cut does: slices, safety, who takes what, short supply, and the end of the game."""

from __future__ import annotations

from companion.games.pizza.state import SEATS, Masks, Outcome, Result, Ruling, Setup, Slice, State


def rule(numbers: tuple[int, int, int], state: State) -> Ruling:
    """Judge a cut: who takes which slice, what is removed and what is put.

    Slices don't influence each other (counts are those at the cut); everything is removed before anything is put.

    Args:
        numbers: the cutters' lines on the sides 1, 2 and 3.
        state: the position before.
    """
    pieces = state.pieces
    red, green, white = pieces
    slices = []
    exposed = [False, False, False]
    for mask, spaces in state.setup.board.slices(*numbers):
        counts = ((red & mask).bit_count(), (green & mask).bit_count(), (white & mask).bit_count())
        for colour in (0, 1, 2):
            if counts[colour] > 1:
                exposed[colour] = True
        slices.append(Slice(mask, spaces, counts, _outcome(counts)))
    removed, wanted = [0, 0, 0], [0, 0, 0]
    for part in slices:
        most = max(part.counts)
        if part.outcome == "three_way_tie" or part.outcome == "empty":
            continue
        for colour in (0, 1, 2):
            if part.counts[colour] < most and exposed[colour]:
                lost = pieces[colour] & part.mask
                removed[colour] |= lost
                if part.outcome != "two_way_tie":
                    wanted[part.counts.index(most)] |= lost
    total = state.setup.board.layout.toppings_per_colour
    placed, short = [], []
    for colour in (0, 1, 2):
        left = total - pieces[colour].bit_count() + removed[colour].bit_count()
        put, over = _lowest(wanted[colour], left)
        placed.append(put)
        short.append(over)
    return Ruling(
        numbers,
        tuple(slices),
        tuple(colour for colour in (0, 1, 2) if not exposed[colour]),
        (removed[0], removed[1], removed[2]),
        (placed[0], placed[1], placed[2]),
        (short[0], short[1], short[2]),
    )


def _outcome(counts: tuple[int, int, int]) -> Outcome:
    most = max(counts)
    if most == 0:
        return "empty"
    leaders = counts.count(most)
    if leaders == 3:
        return "three_way_tie"
    if leaders == 2:
        return "two_way_tie"
    return ("red", "green", "white")[counts.index(most)]


def _lowest(mask: int, count: int) -> tuple[int, int]:
    """Split a mask into its lowest ``count`` bits and the others."""
    rest = mask
    if mask.bit_count() <= count:
        return mask, 0
    for _ in range(count):
        rest &= rest - 1
    return mask ^ rest, rest


def end(game: Setup, pieces: Masks) -> tuple[tuple[str, ...], Result | None]:
    """Who has won, if anybody: (the winners' seats, the result).

    A colour that is complete on the board wins, also together with another; the neutral colour beats all.
    """
    total = game.board.layout.toppings_per_colour
    complete = [seat for seat in SEATS if pieces[game.colour[seat]].bit_count() == total]
    if not complete:
        return (), None
    if game.neutral is not None and game.neutral.seat in complete:
        return (), "both_lose"
    return tuple(complete), "win" if len(complete) == 1 else "shared_win"
