"""What a guided calibration is: shown pictures and presses, it says what to do next and writes the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.screens.view import View
    from hardware.base import Press


class Guide(Protocol):
    """One calibration, led by the display. It has no clock and opens no device; whoever runs it passes both in.

    Attributes:
        done: "" while it goes on, "saved" when the profile has been written, "left" when the players left it.
    """

    done: str

    def see(self, t_ms: int, picture: npt.NDArray[np.uint8]) -> None:
        """Take a picture of the table.

        Args:
            t_ms: now, in ms.
            picture: BGR uint8, h x w x 3.

        Raises:
            OSError: the profile can't be written.
        """
        ...

    def press(self, press: Press) -> None:
        """Take a finished button action.

        Raises:
            OSError: the profile can't be written.
        """
        ...

    def view(self, t_ms: int) -> View:
        """The screen to show now."""
        ...
