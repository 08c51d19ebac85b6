"""Guards how often the eyes are asked while the table rests, and how much less often those that take long."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from companion.arbiter.sight import Watcher
from companion.vision.readings import BoardReading, CardReading


class Eyes:
    """Reads whatever it is told to, and counts."""

    bottom = 1

    def __init__(self, seldom: bool, status: str = "ok") -> None:
        self.seldom, self.status = seldom, status
        self.asked = 0

    def read(self, picture: npt.NDArray[np.uint8], *, dice: bool = True) -> BoardReading:
        self.asked += 1
        return BoardReading(self.status, None if self.status == "ok" else "a card", spaces={})  # type: ignore[arg-type]


def watched(eyes: Eyes, until_ms: int) -> int | None:
    """When a still table, seen five times a second with some noise, is first settled."""
    rng, watcher, first = np.random.default_rng(1), Watcher(eyes), None
    still = rng.integers(60, 200, (120, 160, 3))
    for t_ms in range(0, until_ms, 200):
        noisy = np.clip(still + rng.normal(0, 1, still.shape), 0, 255).astype(np.uint8)
        if watcher.see(t_ms, noisy).settled is not None and first is None:
            first = t_ms
    return first


@pytest.mark.parametrize(("seldom", "readings"), [(False, 4), (True, 2)])
def test_a_still_table_is_settled_within_twelve_tenths_of_a_second(seldom: bool, readings: int) -> None:
    eyes = Eyes(seldom)
    settled = watched(eyes, 1200)
    assert settled is not None and settled <= 1200 and eyes.asked == readings


@pytest.mark.parametrize(("seldom", "readings"), [(False, (7, 14)), (True, (4, 5))])
def test_later_it_is_looked_at_now_and_then(seldom: bool, readings: tuple[int, int]) -> None:
    eyes = Eyes(seldom)
    watched(eyes, 10_000)
    assert readings[0] <= eyes.asked <= readings[1]


def test_one_more_look_where_two_differ() -> None:
    class Flickering(Eyes):
        def read(self, picture: npt.NDArray[np.uint8], *, dice: bool = True) -> BoardReading:
            super().read(picture)
            cards = ("b1", "b2") if self.asked == 1 else ("b1", "b2", "b3")
            return BoardReading("ok", spaces={}, cards=tuple(CardReading(c, (0, 0, 9, 9), 1.0) for c in cards))

    eyes = Flickering(True)
    assert watched(eyes, 1400) == 1200 and eyes.asked == 3


def test_what_is_unsure_is_looked_at_again_soon_by_slow_eyes_too() -> None:
    eyes = Eyes(True, "unsure")
    watched(eyes, 10_000)
    assert eyes.asked > 8
