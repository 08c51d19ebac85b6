"""Enrolled prints as the network sees them: turned to all sides, and a little beside their middle."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.symbols_net import MOVES, TURNS, WIDTH, Prints, Spot, enrol_prints, print_net


def two_pips() -> np.ndarray:
    """A blue die with two pips on a grey table, BGR; its middle is at 40, 40."""
    picture = np.full((80, 80, 3), 150, np.uint8)
    cv2.rectangle(picture, (26, 26), (53, 53), (170, 90, 40), -1)
    for at in ((33, 33), (46, 46)):
        cv2.circle(picture, at, 3, (240, 240, 240), -1)
    return cv2.GaussianBlur(picture, (0, 0), 0.8)


def test_the_closest_of_all_places_that_an_enrolled_top_was_looked_at_counts() -> None:
    rng = np.random.default_rng(1)
    towards = rng.normal(size=(3, len(MOVES), TURNS, WIDTH)).astype(np.float32)
    towards /= np.linalg.norm(towards, axis=3, keepdims=True)
    prints = Prints(towards, np.array([0, 0, 1], np.intp))
    for move in range(len(MOVES)):
        alike = prints.alike(towards[1:2, move, 5:6])
        assert alike.argmax() == 1
        assert alike.max() > 0.999
    assert np.allclose(np.diag(prints.unmoved()), 1, atol=1e-5)


def test_a_top_whose_middle_was_missed_by_a_little_is_the_enrolled_one() -> None:
    picture, spot = two_pips(), Spot(40.0, 40.0, 36.0)
    prints = enrol_prints([(picture, [spot]), (picture, [])], [0], MOVES)
    assert prints.towards.shape == (1, len(MOVES), TURNS, WIDTH)
    as_it_lies = Prints(prints.towards[:, :1], prints.owner)
    gains = []
    for x, y in ((0.07, 0.0), (0.05, 0.05), (-0.08, 0.02)):
        seen = print_net().towards(picture, [spot.moved(x, y)], 4)
        gains.append(float(prints.alike(seen)[0, 0] - as_it_lies.alike(seen)[0, 0]))
    assert min(gains) > 0
    assert float(prints.alike(print_net().towards(picture, [spot], 4))[0, 0]) > 0.99
