"""Guards when a reading is believed: a still table, no hand, and at least two readings that agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from companion.arbiter.sight import READ_AFTER_MS, SETTLED_AFTER_MS, Sight, Watcher
from companion.vision.readings import BoardReading

RNG = np.random.default_rng(1)
NOISE = [RNG.integers(90, 94, (48, 64, 3), np.uint8) for _ in range(40)]  # a camera never gives the same bits twice


class Eyes:
    """Gives the readings it is told, in turn, the last one for ever; counts how often it looks."""

    bottom = 2

    def __init__(self, *readings: BoardReading) -> None:
        self.readings = list(readings)
        self.looks: list[int] = []

    def read(self, picture: Any, *, dice: bool = True) -> BoardReading:
        self.looks.append(len(self.looks))
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


def board(state: str | None, **more: Any) -> BoardReading:
    return BoardReading("ok", turn=0, spaces={"a1": state}, confidence={"a1": 0.9}, **more)


RED, EMPTY = board("red"), board("empty")
HAND = BoardReading("unsure", "a hand", spaces={"a1": None}, confidence={"a1": 0.0}, hand=True)
BLIND = BoardReading("unreadable", "no board found")


def watch(eyes: Eyes, count: int, picture: Callable[[int], Any] = lambda i: NOISE[i]) -> list[Sight]:
    """Five pictures a second of a still table."""
    watcher = Watcher(eyes)
    assert watcher.bottom == 2
    return [watcher.see(200 * i, picture(i)) for i in range(count)]


def test_one_reading_is_never_believed() -> None:
    watcher = Watcher(Eyes(RED))
    assert watcher.see(0, NOISE[0]).settled is None
    assert watcher.see(100, NOISE[1]).settled is None
    late = watcher.see(5000, NOISE[2])  # still for long, but this is the first reading
    assert late.settled is None
    second = watcher.see(5200, NOISE[3])
    assert second.settled is not None and second.settled.spaces == {"a1": "red"}


def test_a_change_is_settled_within_1200_ms_at_five_pictures_a_second_and_not_before_its_time() -> None:
    sights = watch(Eyes(RED), 8)
    first = next(i for i, sight in enumerate(sights) if sight.settled)
    assert SETTLED_AFTER_MS <= 200 * first <= 1200
    assert all(sight.settled for sight in sights[first:])


def test_nothing_is_read_before_the_table_is_still() -> None:
    eyes = Eyes(RED)
    watch(eyes, 1 + READ_AFTER_MS // 200)
    assert eyes.looks == []
    restless = Eyes(RED)
    watch(restless, 20, lambda i: np.roll(np.kron(np.eye(8), np.full((6, 8), 255)).astype(np.uint8), 7 * i, axis=1))
    assert restless.looks == []


def test_two_readings_that_differ_give_no_value() -> None:
    sights = watch(Eyes(RED, EMPTY, RED, EMPTY, RED, EMPTY, RED, EMPTY), 8)
    settled = [sight.settled for sight in sights if sight.settled is not None]
    assert settled and all(reading.spaces == {"a1": None} for reading in settled[:1])


@pytest.mark.parametrize("other", [HAND, BLIND], ids=["a hand", "no board"])
def test_a_hand_or_no_board_takes_the_settled_reading_away(other: BoardReading) -> None:
    watcher = Watcher(Eyes(RED, RED, RED, RED, other))
    sights = [watcher.see(200 * i, NOISE[i]) for i in range(7)]
    assert sights[-1].settled is not None
    later = [watcher.see(200 * i, NOISE[i]) for i in range(7, 20)]
    assert any(sight.settled is None and (sight.hand or sight.problem) for sight in later)


def test_unreadable_pictures_do_not_count_as_readings() -> None:
    sights = watch(Eyes(BLIND, BLIND, BLIND, RED, BLIND, RED), 9)
    assert sights[4].problem == "no board found"
    assert not any(sight.settled for sight in sights[:6])


def test_a_settled_table_is_looked_at_less_often() -> None:
    eyes = Eyes(RED)
    watch(eyes, 6)
    before = len(eyes.looks)
    watcher_looks = Eyes(RED)
    watch(watcher_looks, 36)
    assert len(watcher_looks.looks) - before <= 30 * 200 // 1000 + 2


def test_the_same_picture_twice_is_read_once() -> None:
    eyes = Eyes(RED)
    watch(eyes, 8, lambda i: NOISE[0])
    assert len(eyes.looks) == 1


def test_dice_that_begin_to_matter_are_looked_for_at_once() -> None:
    eyes = Eyes(RED)
    watcher = Watcher(eyes)
    for i in range(8):
        watcher.see(200 * i, NOISE[i], dice=False)
    before = len(eyes.looks)
    assert watcher.see(1600, NOISE[8], dice=True).settled is None, "what was read without dice says nothing of them"
    assert len(eyes.looks) == before + 1
