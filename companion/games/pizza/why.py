"""The pages that explain a ruling of the pizza game, slice by slice, and the rules behind it."""

from __future__ import annotations

from companion.games.pizza.drawing import board_picture
from companion.games.pizza.judge import wanted
from companion.games.pizza.state import Ruling, Slice, State
from companion.games.pizza.views import OUTCOMES, SAFE, slice_counts
from companion.layout import COLOURS
from companion.screens.view import T, View

REASONS = {
    **dict.fromkeys(COLOURS, T("most toppings")),
    "two_way_tie": T("third colour goes"),
    "three_way_tie": T("nothing happens"),
    "empty": T("no toppings"),
}


def why_slice(state: State, ruling: Ruling, index: int) -> View:
    """The reason of one slice's outcome.

    Args:
        state: as it was before the next turn of the board; says how the board lies.
        ruling: of the cut.
        index: the slice.
    """
    part = ruling.slices[index]
    return View(
        "pizza.why",
        title=T("{number}/{count} {reason}", number=index + 1, count=len(ruling.slices), reason=REASONS[part.outcome]),
        big=OUTCOMES[part.outcome],
        lines=(slice_counts(part),),
        picture=board_picture(state, _in_slice(state, part), part.spaces, _sticks(ruling)),
    )


def why_safe(ruling: Ruling) -> View | None:
    """The rule of safety, when it saved somebody in this cut."""
    saved = {i for part in ruling.slices for i in ruling.safe if 0 < part.counts[i] < max(part.counts)}
    if not saved:
        return None
    return View(
        "pizza.why_safe",
        title=T("Why? Safety"),
        big=SAFE[COLOURS[min(saved)]],
        lines=(T("at most one topping"), T("in every slice")),
    )


def why_short(state: State, ruling: Ruling) -> View | None:
    """The order of filling when the supply was short: the project's own ruling."""
    if not any(ruling.short):
        return None
    return View(
        "pizza.why_short",
        title=T("Why? Supply is short"),
        big=T("{count} only", count=state.setup.board.layout.toppings_per_colour),
        lines=(T("filled a1, a2, ..."), T("our own ruling")),
    )


def why_shared(state: State) -> View | None:
    """Two at once: the project's own ruling."""
    if state.result != "shared_win":
        return None
    return View(
        "pizza.why_shared",
        title=T("Why? Shared win"),
        big=T("Both have all"),
        lines=(T("our own ruling"),),
    )


def no_ruling() -> View:
    """There is nothing to explain yet."""
    return View("pizza.why_nothing", title=T("Why?"), big=T("No cut yet"), lines=(T("ask after a cut"),))


def _sticks(ruling: Ruling) -> list[tuple[int, int]]:
    return [(side, number) for side, number in zip((1, 2, 3), ruling.numbers, strict=True)]


def _in_slice(state: State, part: Slice) -> dict[str, str | None]:
    return {s: c for s, c in wanted(state).items() if s in part.spaces}
