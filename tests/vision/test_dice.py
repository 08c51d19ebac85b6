"""Guards the reading of pip dice by two witnesses: in doubt certain only together, silent about what is no die."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.vision.beside import SHRINK, alike, table_of, unchanged
from companion.vision.dice import CERTAIN, _judge, apart, middle_colour, probability, read_pip_dice
from companion.vision.dice_net import NetDie
from companion.vision.dice_shapes import ShapeDie
from companion.vision.readings import DieReading

BENCH = Path(__file__).resolve().parents[3] / "shared" / "bench"
BOX = (10, 10, 40, 40)


def net(value: int, certainty: float, score: float = 0.6) -> NetDie:
    probabilities = [0.0] * 6
    probabilities[value - 1] = certainty
    return NetDie(value, BOX, tuple(probabilities), score)


def shape(value: int, evidence: float) -> ShapeDie:
    return ShapeDie(value, BOX, evidence, True, "red")


def test_two_witnesses_that_agree_are_certain() -> None:
    assert probability(5, net(5, 0.9), shape(5, 3.0)) > 0.99


def test_two_witnesses_that_differ_are_not() -> None:
    for value in (5, 4):
        assert probability(value, net(5, 0.6), shape(4, 1.0)) < CERTAIN


def test_a_doubtful_die_becomes_certain_by_the_second_witness_only() -> None:
    assert probability(5, net(5, 0.7), None) < CERTAIN < probability(5, net(5, 0.7), shape(5, 3.0))
    assert probability(5, net(5, 0.02), shape(5, 3.0)) < CERTAIN


def test_a_mere_hint_of_a_die_needs_both_witnesses() -> None:
    picture, white = np.full((80, 80, 3), 200, np.uint8), np.full(3, 220, np.float32)
    hint = replace(net(6, 0.99), hinted=True)
    for other in (None, shape(5, 3.0)):
        assert _judge(picture, white, hint, other) is None
    both = _judge(picture, white, hint, shape(6, 3.0))
    assert both is not None and both.value == 6


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-5, 8), st.floats(0.2, 1))
def test_more_evidence_for_a_value_never_makes_it_less_probable(
    a: float, b: float, evidence: float, score: float
) -> None:
    low, high = sorted((a, b))
    assert probability(3, net(3, low, score), shape(3, evidence)) <= probability(
        3, net(3, high, score), shape(3, evidence)
    )
    assert probability(3, net(3, a), shape(3, evidence)) <= probability(3, net(3, a), shape(3, evidence + 1))


def test_an_empty_table_has_no_dice() -> None:
    rng = np.random.default_rng(0)
    for level in (20, 120, 235):
        table = np.clip(rng.normal(level, 6, (300, 400, 3)), 0, 255).astype(np.uint8)
        assert read_pip_dice(table) == ()


def test_what_lay_on_the_empty_table_is_unchanged_under_another_lamp() -> None:
    rng = np.random.default_rng(1)
    cloth = cv2.resize(rng.integers(60, 200, (30, 40, 3)).astype(np.uint8), (640, 480), interpolation=cv2.INTER_NEAREST)
    lamp = np.linspace(0.7, 1.2, 640)[None, :, None]
    later = np.clip(cloth * lamp, 0, 255).astype(np.uint8)
    later[100:140, 300:340] = (40, 40, 200)
    mask = unchanged(table_of(later), table_of(cloth), 40 / SHRINK)
    assert not mask[120 // SHRINK, 320 // SHRINK]
    assert (mask > 0).mean() > 0.9


def test_a_side_in_the_shade_does_not_take_a_white_die_its_colour() -> None:
    picture = np.full((100, 100, 3), 90, np.uint8)
    picture[20:52, 20:80] = (170, 190, 200)  # the top under a warm lamp
    picture[52:80, 20:80] = (95, 110, 120)  # the front, towards the camera
    cv2.circle(picture, (50, 36), 6, (20, 20, 20), -1)
    white = np.array([200, 205, 210], np.float32)
    assert middle_colour(picture, (20, 20, 60, 60), white) == "white"
    assert middle_colour(picture, (20, 45, 60, 60), white) != "white"


@pytest.mark.parametrize(("body", "name"), [((40, 40, 190), "red"), ((60, 150, 40), "green")])
def test_white_pips_do_not_make_a_die_white(body: tuple[int, int, int], name: str) -> None:
    picture = np.full((100, 100, 3), body, np.uint8)
    for x, y in ((35, 35), (65, 35), (35, 65), (65, 65), (50, 50)):
        cv2.circle(picture, (x, y), 6, (230, 230, 230), -1)
    assert middle_colour(picture, (20, 20, 60, 60), np.full(3, 220, np.float32)) == name


def test_a_die_of_another_size_than_the_others_is_doubted() -> None:
    dice = tuple(DieReading(4, "red", (100 * i, 0, size, size), 0.99) for i, size in enumerate((50, 57, 31, 60)))
    assert [die.value for die in alike(dice)] == [4, 4, None, 4]
    assert alike(dice[1:3]) == dice[1:3], "of two dice none is the odd one"


@pytest.mark.skipif(not BENCH.is_dir(), reason="the photographs do not ship with the product")
def test_photographs_are_read_or_left_unsure() -> None:
    rows = [json.loads(line) for line in (BENCH / "photos" / "dice" / "labels.jsonl").read_text().splitlines()]
    right = wrong = dice = exact = 0
    some = [row for row in rows if all(d.get("box") for d in row["dice"])][::8]
    for row in some:
        picture = cv2.imread(str(BENCH / "photos" / "dice" / row["file"]))
        read = read_pip_dice(picture)
        left = list(row["dice"])
        for die in read:
            if die.value is None:
                continue
            true = min(left, key=lambda t: apart(tuple(t["box"]), die.box), default=None)
            if true is not None and apart(tuple(true["box"]), die.box) < 0.5 and true["value"] == die.value:
                right += 1
                left.remove(true)
            else:
                wrong += 1
        dice += len(row["dice"])
        exact += not left and all(d.value is not None for d in read)
    assert wrong <= 0.03 * dice
    assert right >= 0.7 * dice
    assert exact >= 0.5 * len(some)
