"""One reader for each kind of table, opened by name; what the daemon knows of the vision code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from companion.errors import ProfileError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.vision.readings import BoardReading


class Eyes(Protocol):
    """Reads pictures of one table.

    Attributes:
        bottom: the board side nearest the picture's bottom edge in the calibration picture (1 where there is none).
    """

    bottom: int

    def read(self, picture: npt.NDArray[np.uint8], *, dice: bool = True) -> BoardReading:
        """The reading of a picture; never raises for a bad picture, says "unreadable".

        Args:
            picture: BGR uint8, h x w x 3.
            dice: whether dice beside the board matter now; they take most of the time.
        """
        ...


def open_eyes(kind: Literal["board", "dice", "cards"], profile: Path) -> Eyes:
    """The reader of a kind of table, with the profile of this one.

    Raises:
        ProfileError: the profile is missing, broken or of an older form, or there are no such eyes.
    """
    from companion.vision.board import BoardEyes

    if kind != "board":
        raise ProfileError(f"there are no eyes for {kind} yet: the game goes on by buttons")
    return BoardEyes.open(profile)
