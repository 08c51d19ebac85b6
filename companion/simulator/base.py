"""What the demo may know of a game on the simulated table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from companion.screens.view import View
    from hardware.base import Press


@dataclass(frozen=True, slots=True)
class Mistake:
    """A deliberate mistake of a simulated player and the answer the companion owes to it.

    Harmless things are among them (a hand that rests, a lamp switched on): the companion owes them silence.

    Args:
        t_ms: when it lay on the table.
        kind: what was done, such as "adjacent_own_topping" or "moved_topping".
        expected: the value of ``facts["problem"]`` that a screen must show before the mistake is mended; None for a
            harmless thing, that must neither be taken over nor refused.
        answered: whether a screen did; for a harmless thing, whether nothing came of it.
    """

    t_ms: int
    kind: str
    expected: str | None
    answered: bool = False


class SimulatedGame(Protocol):
    """A table with players who act on it at a human pace, and who know the truth.

    The players read the display as people do: they start, mend mistakes and press buttons by what it shows.
    The same seed gives the same table, players and game.
    """

    header: Mapping[str, Any]
    truth: list[dict[str, Any]]  # the events as the players know them, in the form of a record, so far
    mistakes: list[Mistake]
    disputes: list[dict[str, Any]]  # events that the companion proposed and that were not what happened
    entered: list[dict[str, Any]]  # events that the companion did not see, and that they had to enter by the buttons
    faults: list[str]  # what else the companion did amiss, one English line each
    over: bool
    confirming: (
        bool  # what is pressed now only confirms what was read: in the demo the person at the keyboard may do it
    )

    def __init__(self, players: int, seed: int, *, size: tuple[int, int] = (960, 720)) -> None: ...

    def calibrate(self, profile: Path) -> None:
        """Write the profile of this table, by the real calibration, from a picture of the empty table."""
        ...

    def frame(self, t_ms: int) -> npt.NDArray[np.uint8]:
        """The camera's picture at a moment (BGR uint8, h x w x 3)."""
        ...

    def act(self, t_ms: int, shown: View) -> tuple[Press, ...]:
        """Let the players look at the display and the table and go on; returns the buttons they press now.

        Raises:
            Stuck: the players wait for something that the display never says.
        """
        ...
