"""What lies on the table as the arbiter believes it: the last settled reading and the players' words against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.arbiter.overruled import Overruled
from companion.arbiter.sight import Sight

if TYPE_CHECKING:
    from companion.arbiter.flow import Overrule
    from companion.vision.readings import BoardReading

HAND_MS = 3000  # a hand that stays longer is why nothing happens: the display says so
SIDES, TURN_DEG = 3, 120


class Believed:
    """The table between two settled readings stays as it was read.

    Attributes:
        sight: what the watcher says now.
        words: the players' words against readings.

    >>> table = Believed()
    >>> table.take(0, Sight(hand=True), bottom=1)
    >>> table.hand_stays(2000), table.hand_stays(3001)
    (False, True)
    """

    def __init__(self) -> None:
        self.sight = Sight()
        self.words = Overruled()
        self._reading: BoardReading | None = None
        self._hand_since: int | None = None
        self._calibrated_bottom = 1
        self._wrong_bottom: int | None = None  # a turn of the board that the players say is misread

    def take(self, t_ms: int, sight: Sight, bottom: int) -> None:
        """Take what the camera sees now.

        Args:
            t_ms: now.
            sight: from the watcher.
            bottom: the board side at the picture's bottom edge in the calibration picture.
        """
        self.sight = sight
        if not sight.hand:
            self._hand_since = None
        elif self._hand_since is None:
            self._hand_since = t_ms
        self._calibrated_bottom = bottom
        if sight.problem is not None:
            self._reading = None
        elif sight.settled is not None:
            self._reading = sight.settled
            self.words.forget(sight.settled)
        if sight.settled is None:
            self.words.touched()

    def lose(self, problem: str) -> None:
        """The camera gives no pictures; nothing is known of the table any more.

        Args:
            problem: why, one English line.
        """
        self.sight = Sight(problem=problem)
        self._reading = None

    def doubt(self) -> None:
        """Players enter something while the table is not settled: what was seen before is no judge of it."""
        if self.sight.settled is None:
            self._reading = None

    def overrule(self, words: Overrule) -> None:
        """Take words of the players against what is read."""
        self.words.say(words, self.sight.settled or self._reading)
        self._wrong_bottom = words.bottom

    def trust_turn(self) -> None:
        """The game has gone on: the board's turn is believed again."""
        self._wrong_bottom = None

    def hand_stays(self, t_ms: int) -> bool:
        """Whether a hand has been over the table for so long that it is why nothing happens."""
        return self._hand_since is not None and t_ms - self._hand_since > HAND_MS

    @property
    def reading(self) -> BoardReading | None:
        """The last settled reading with the players' words in it."""
        return None if self._reading is None else self.words.applied(self._reading)

    @property
    def bottom(self) -> int | None:
        """The board side at the picture's bottom edge now; None where it is not known, or the players deny it."""
        if self._reading is None or self._reading.turn is None:
            return None
        # a third clockwise brings the next side of the layout to the bottom
        bottom = (self._calibrated_bottom - 1 + self._reading.turn // TURN_DEG) % SIDES + 1
        return None if bottom == self._wrong_bottom else bottom
