"""Is the table still, and since when? A small state machine fed with pictures and their times.

Cheap on purpose (about a millisecond a picture): it only decides when it is worth reading. A hand that rests
motionless on the board is still; whether one is there is for the board reader to say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Float = npt.NDArray[np.float32]

WIDTH, HEIGHT = 160, 120
_LEAST_CHANGE = 0.10  # of the logarithm: a tenth brighter or darker than its surroundings became
_NOISE_FACTOR = 6.0
_MOST_NOISE = 0.3  # more is no noise: the whole picture moved, as when the camera is bumped
_MOVING_SHARE = 0.0006  # a dozen of the 160 x 120 places: half a topping as a camera sees it from 60 cm
_SURROUNDINGS = 31
_FORGET_MS = 2000.0


@dataclass(frozen=True, slots=True)
class Still:
    """What stillness says of a picture.

    Args:
        since_ms: time of the first picture of the present quiet; None while something moves.
        moving_share: share of the picture (0 to 1) that changed.
    """

    since_ms: int | None
    moving_share: float


class Stillness:
    """Compares each picture with the one before and with the recent past.

    A change counts where it differs from the change of its surroundings: exposure, white balance and a lamp that is
    turned up change large areas alike and smoothly. The recent past (two seconds, fading) catches what creeps.

    >>> import numpy as np
    >>> still, grey = Stillness(), np.full((480, 640, 3), 90, np.uint8)
    >>> [still.update(t, grey).since_ms for t in (0, 200, 400)]
    [None, 0, 0]
    """

    def __init__(self) -> None:
        self._last: Float | None = None
        self._past: Float | None = None
        self._last_ms = 0
        self._since: int | None = None

    def update(self, t_ms: int, picture: npt.NDArray[np.uint8]) -> Still:
        """Take the next picture.

        Args:
            t_ms: its time, never less than the one before.
            picture: BGR h x w x 3 or grey h x w uint8, always from the same camera.
        """
        now = _logarithm(picture)
        if self._last is None or self._past is None:
            share = 1.0
        else:
            share = max(_changed(self._last, now), _changed(self._past, now))
        if self._past is None or share > _MOVING_SHARE:
            # The quiet may begin with this picture; the next one tells.
            self._since, self._past = None, now
        else:
            if self._since is None:
                self._since = self._last_ms
            weight = np.float32(min(1.0, (t_ms - self._last_ms) / _FORGET_MS))
            self._past = self._past + weight * (now - self._past)
        self._last, self._last_ms = now, t_ms
        return Still(self._since, share)


def _logarithm(picture: npt.NDArray[np.uint8]) -> Float:
    import cv2

    small = cv2.resize(picture, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    if small.ndim == 3:
        small = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.asarray(np.log(small.astype(np.float32) + 10))


def _changed(before: Float, now: Float) -> float:
    """Share of places whose change differs from that of their surroundings."""
    import cv2

    change = now - before
    around = np.clip(change - np.median(change[::4, ::4]), -0.5, 0.5)
    local = np.abs(around - cv2.blur(around, (_SURROUNDINGS, _SURROUNDINGS)))
    noise = 1.48 * float(np.median(local[::2, ::2]))
    return int(np.count_nonzero(local > max(_LEAST_CHANGE, min(_NOISE_FACTOR * noise, _MOST_NOISE)))) / int(local.size)
