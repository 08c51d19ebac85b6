"""Guards what tells a die that lies flat from a domino's half, and that such a thing gets no value.

Doesn't guard: dice that lean a little, which look much like flat ones; docs/accuracy.md tells how many are read.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.vision.dice import CERTAIN, read_pip_dice
from companion.vision.dice_stand import WINDOW, Standing, window

TRAINING = Path(__file__).resolve().parents[2] / "training" / "dice"
HELD_OUT = 7  # a seed of pictures that training never draws


@pytest.fixture(scope="module")
def standing() -> Standing:
    return Standing()


@pytest.fixture(scope="module")
def drawing():
    """The modules that draw scenes and things for the training."""
    sys.path.insert(0, str(TRAINING))
    try:
        import scenes
        import things
    finally:
        sys.path.pop(0)
    return scenes, things


def test_halves_of_dominoes_are_told_from_dice_that_lie_flat(standing, drawing) -> None:
    scenes, things = drawing
    halves = []
    for k in range(20):
        rng = np.random.default_rng([HELD_OUT, 1000 + k])
        table = np.full((160, 160, 3), (0.15, 0.3, 0.2), np.float32) + 0.05 * things.noise(rng, (160, 160), (3, 3))
        bare = table.copy()
        things.tile(rng, table, (80, 80), 34.0, (0.0, 0.1))
        ys, xs = np.nonzero(np.abs(table - bare).sum(2) > 0.3)
        along = np.linalg.eigh(np.cov(xs, ys))[1][:, 1] * 17
        picture = (np.clip(table, 0, 1) * 255).astype(np.uint8)
        for x, y in (np.array([xs.mean(), ys.mean()]) + side * along for side in (-1, 1)):
            halves.append(standing.margin(picture, (round(x - 18), round(y - 18), 36, 36)))
    flat = []
    for k in range(12):
        scene = scenes.scene(np.random.default_rng([HELD_OUT, 500 + k]), (260, 200), 34.0, 5)
        for t in scene.dice:
            if t.value and t.visible > 0.95 and t.top > 0.95 and min(t.box[:2]) > 0:
                x, y, w, h = t.box
                flat.append(standing.margin(scene.picture, (round(x), round(y), round(w), round(h))))
    assert len(flat) > 20
    told, lost = np.mean(np.array(halves) < 0), np.mean(np.array(flat) < 0)
    assert told > 0.3 and lost < 0.05, (told, lost)


def test_what_does_not_lie_flat_gets_no_value_and_no_high_confidence(drawing, monkeypatch) -> None:
    scenes, _ = drawing
    scene = scenes.scene(np.random.default_rng([HELD_OUT, 900]), (320, 240), 40.0, 4)
    monkeypatch.setattr(Standing, "margin", lambda *_: 5.0)
    read = read_pip_dice(scene.picture)
    assert any(die.value is not None for die in read)
    monkeypatch.setattr(Standing, "margin", lambda *_: -1e-6)
    doubted = read_pip_dice(scene.picture)
    assert [die.value for die in doubted] == [None] * len(read)
    assert all(die.confidence < CERTAIN for die in doubted)
    assert [replace(die, value=None, confidence=0) for die in read] == [replace(die, confidence=0) for die in doubted]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 200), st.integers(1, 200), st.data())
def test_any_box_gives_a_window(w: int, h: int, data) -> None:
    picture = np.zeros((h, w, 3), np.uint8)
    x, y = data.draw(st.integers(0, w - 1)), data.draw(st.integers(0, h - 1))
    box = (x, y, data.draw(st.integers(1, w)), data.draw(st.integers(1, h)))
    assert window(picture, box).shape == (WINDOW, WINDOW, 3)


def test_a_window_shows_the_box_in_its_middle_at_one_size() -> None:
    for side in (20, 60, 200):
        picture = np.zeros((700, 700, 3), np.uint8)
        picture[300 : 300 + side, 300 : 300 + side] = 255
        cut = window(picture, (300, 300, side, side))[:, :, 0] > 127
        ys, xs = np.nonzero(cut)
        assert abs(np.ptp(xs) + 1 - WINDOW / 2.6) < 2 and abs(np.ptp(ys) + 1 - WINDOW / 2.6) < 2
        assert abs(xs.mean() - (WINDOW - 1) / 2) < 1.5 and abs(ys.mean() - (WINDOW - 1) / 2) < 1.5


def test_a_missing_model_is_named(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match="dice_stand"):
        Standing(tmp_path / "dice_stand.onnx")
