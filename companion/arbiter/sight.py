"""From pictures to one settled reading: the table is still, no hand is over it, and several pictures agree."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.vision.merge import merge_readings
from companion.vision.places import HasPlaces
from companion.vision.stillness import Stillness

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.vision.eyes import Eyes
    from companion.vision.places import Places
    from companion.vision.readings import BoardReading

# A change must be committed when it has lain still for 1200 ms at 5 pictures a second: the first still picture may be
# 200 ms late, so 900 ms of stillness leave one picture of reserve. Reading starts earlier, so that several agree.
READ_AFTER_MS = 300
SETTLED_AFTER_MS = 900
WINDOW = 3
READ_AGAIN_MS = 1000
# Eyes that take long (a deck of cards: seconds on a small Pi) read twice a rest instead of at each picture, and look
# again only now and then: else every card that is played would wait for readings that say the same.
SELDOM_MS = 4000
DIFFERING_MS = 3000  # so long one more reading is made where their two differ


@dataclass(frozen=True, slots=True)
class Sight:
    """What is known of the table after a picture.

    Args:
        settled: the reading of the table as it lies now; None while it moves, a hand is over it, or readings differ.
        hand: whether a hand or arm is over the table.
        problem: why nothing can be read, one English line; None when something can.
        since_ms: since when the table has been still.
    """

    settled: BoardReading | None = None
    hand: bool = False
    problem: str | None = None
    since_ms: int = 0


class Watcher:
    """Feeds pictures to the eyes when it is worth it.

    Args:
        eyes: the reader of this table.

    Attributes:
        bottom: the board side at the picture's bottom edge in the calibration picture.
    """

    def __init__(self, eyes: Eyes) -> None:
        self.bottom = eyes.bottom
        self._eyes = eyes
        self._stillness = Stillness()
        self._seldom = getattr(eyes, "seldom", False)
        self._readings: deque[BoardReading] = deque(maxlen=2 if self._seldom else WINDOW)
        self._since: int | None = None
        self._read_at = 0
        self._dice = False
        self._picture: npt.NDArray[np.uint8] | None = None
        self._sight = Sight()

    @property
    def latest(self) -> BoardReading | None:
        """The last reading of the table as it lies now, settled or not; None while it moves."""
        return self._readings[-1] if self._readings else None

    def places(self) -> Places | None:
        """Where a board's spaces and lines lay in the last picture read; None without a board."""
        return self._eyes.places() if isinstance(self._eyes, HasPlaces) else None

    def see(self, t_ms: int, picture: npt.NDArray[np.uint8], *, dice: bool = True) -> Sight:
        """Look at the next picture.

        Args:
            t_ms: its moment.
            picture: BGR uint8, h x w x 3.
            dice: whether dice matter now.
        """
        since = self._stillness.update(t_ms, picture).since_ms
        if since is None or since != self._since or (dice and not self._dice):
            self._readings.clear()
            self._since = since
            self._sight = Sight(hand=self._sight.hand)
        self._dice = dice
        if since is None or t_ms - since < READ_AFTER_MS:
            return self._sight
        full, settled = len(self._readings) == self._readings.maxlen, self._sight.settled
        again_ms = SELDOM_MS if self._seldom and settled and settled.status == "ok" else READ_AGAIN_MS
        if full and settled and t_ms - self._read_at < again_ms:
            return self._sight
        if self._seldom and len(self._readings) == 1 and t_ms - since < SETTLED_AFTER_MS:
            return self._sight
        reading = self._read(picture)
        self._read_at = t_ms
        self._readings.append(reading)
        if reading.status == "unreadable":
            self._sight = Sight(problem=reading.reason)
        elif reading.hand:
            self._sight = Sight(hand=True)
        elif self._seldom and t_ms - since < DIFFERING_MS and _differ(self._readings):
            self._sight = Sight()
        elif t_ms - since >= SETTLED_AFTER_MS and sum(r.status != "unreadable" for r in self._readings) >= 2:
            self._sight = Sight(settled=merge_readings(tuple(self._readings)), since_ms=since)
        else:
            self._sight = Sight()
        return self._sight

    def _read(self, picture: npt.NDArray[np.uint8]) -> BoardReading:
        # A recording repeats pictures bit by bit; a camera never does.
        last = self._picture
        if self._readings and last is not None and last.shape == picture.shape and bool((last == picture).all()):
            return self._readings[-1]
        self._picture = picture
        return self._eyes.read(picture, dice=self._dice)


def _differ(readings: Sequence[BoardReading]) -> bool:
    """Whether readings of one table see different cards."""
    return len({tuple(sorted(str(card.value) for card in reading.cards)) for reading in readings}) > 1
