"""A hand over the board is noticed; light, shadows, toppings and sticks are not taken for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.simulator.scene import Hand, Scene
from companion.vision.hand import HAND_CM2


@pytest.mark.parametrize("person", range(6))
def test_any_hand_over_the_board_is_noticed(draw_table: Callable[..., Any], person: int) -> None:
    """Skins and sleeves differ by person; the hand comes from each seat and rests on a full or an empty board."""
    table = draw_table(person)
    hand = Hand(15.0 * (person % 3) - 15, 20.0, (-90.0, 150.0, 30.0)[person % 3], person, "flat")
    seen = table.look(Scene(toppings=table.full(person, (person % 2) * 0.8), hands=(hand,)))
    assert seen.covered_cm2 > 2 * HAND_CM2


@pytest.mark.parametrize("seed", range(6))
def test_light_shadows_toppings_and_sticks_are_no_hand(draw_table: Callable[..., Any], seed: int) -> None:
    table = draw_table(seed)
    scene = Scene(
        toppings=table.full(seed, 0.9),
        sticks=(table.stick(1, 2, "red"), table.stick(3, 5, "white", 3.0)),
        lamp=seed % 2 == 0,
        shadow=(40.0 * (seed % 3) - 40, 30.0),
        turn_deg=120.0 * (seed % 3),
    )
    assert table.look(scene, off_mm=(0.5, 0.4)).covered_cm2 < HAND_CM2 * 0.75
