"""Cutters: the right line, side and colour; no stick from print, toppings, hands or sticks that lie elsewhere.

Does not guard real wood's grain or bent sticks: drawn sticks are straight and of one colour.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from companion.simulator.scene import Hand, Scene
from companion.vision.cutters import Stick, read_cutters


def _told(surface: Any) -> set[tuple[int, int | None, str | None]]:
    return {(c.side, c.number, c.colour) for c in surface.cutters}


@pytest.mark.parametrize("seed", [1, 4, 9])
def test_three_sticks_over_toppings_are_told(draw_table: Callable[..., Any], seed: int) -> None:
    table = draw_table(seed)
    colours = itertools.cycle(("red", "green", "white"))
    for numbers in ((1, 4, 6), (3, 2, 5)):
        sticks = [table.stick(side, n, next(colours)) for side, n in zip((1, 2, 3), numbers, strict=True)]
        next(colours)
        seen = table.look(Scene(toppings=table.full(seed), sticks=tuple(sticks)), off_mm=(0.4, -0.3))
        assert _told(seen) == {(*s.line, s.colour) for s in sticks}


@pytest.mark.parametrize(("off", "lean"), [(3.5, 0.0), (-3.5, 1.5), (0.0, -2.5)])
def test_a_stick_a_little_off_its_line_is_still_on_it(draw_table: Callable[..., Any], off: float, lean: float) -> None:
    table = draw_table(2)
    seen = table.look(Scene(toppings=table.full(3), sticks=(table.stick(2, 3, "red", off, lean),)))
    assert _told(seen) == {(2, 3, "red")}


def test_a_stick_between_two_lines_is_seen_but_not_named(draw_table: Callable[..., Any]) -> None:
    table = draw_table(2)
    seen = table.look(Scene(sticks=(table.stick(1, 3, "green", off_mm=14.7),)))
    assert _told(seen) == {(1, None, "green")}


@pytest.mark.parametrize("seed", range(4))
def test_no_stick_from_print_toppings_hands_and_loose_sticks(draw_table: Callable[..., Any], seed: int) -> None:
    """Among them sticks across the board in a direction that no line has, and one beside the board."""
    table = draw_table(seed)
    odd = table.stick(1, 3, "red", lean_deg=20.0 + seed)
    beside = table.stick(2, 1, "white", off_mm=-95.0)
    scene = Scene(toppings=table.full(seed), hands=(Hand(20, -30, -90, seed),), sticks=(odd,), loose_sticks=(beside,))
    assert not [c for c in table.look(scene).cutters if c.number is not None]


@pytest.mark.parametrize(("side", "pitch", "diameter"), [(3, 40.0, 240.0), (5, 30.0, 330.0)])
def test_another_layout(
    draw_table: Callable[..., Any], hexagon: Callable[..., Any], side: int, pitch: float, diameter: float
) -> None:
    table = draw_table(3, hexagon(side, pitch, diameter))
    sticks = (table.stick(1, 1, "red"), table.stick(2, 2 * side - 2, "green"), table.stick(3, 2, "white"))
    seen = table.look(Scene(toppings=table.full(5), sticks=sticks))
    assert _told(seen) == {(*s.line, s.colour) for s in sticks}


def test_an_unknown_colour_gives_no_number(draw_table: Callable[..., Any]) -> None:
    layout = draw_table(1).layout
    (told,) = read_cutters([Stick(1, None, 0.5, 0.0, 0.9)], layout)
    assert told.number is None
    assert told.colour is None


def test_a_faint_stick_gives_no_number(draw_table: Callable[..., Any]) -> None:
    layout = draw_table(1).layout
    faint, clear = (read_cutters([Stick(1, "red", -44.2, 0.0, s)], layout)[0] for s in (0.45, 0.7))
    assert (faint.number, clear.number) == (None, 2)
    assert faint.confidence < clear.confidence
