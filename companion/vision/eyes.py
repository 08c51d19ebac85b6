"""One reader for each kind of table, opened by name; what the daemon knows of the vision code."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.vision.cards import CardModel
    from companion.vision.readings import BoardReading
    from companion.vision.symbols import SymbolModel


class Eyes(Protocol):
    """Reads pictures of one table.

    Attributes:
        bottom: the board side nearest the picture's bottom edge in the calibration picture (1 where there is none).

    Eyes that take long may say ``seldom = True``: they are asked twice a rest of the table, and now and then later.
    """

    bottom: int

    def read(self, picture: npt.NDArray[np.uint8], *, dice: bool = True) -> BoardReading:
        """The reading of a picture; never raises for a bad picture, says "unreadable".

        Args:
            picture: BGR uint8, h x w x 3.
            dice: whether dice beside the board matter now; they take most of the time.
        """
        ...


def open_eyes(
    kind: Literal["board", "dice", "cards"], profile: Path, dice: str = "latest", layout: str | None = None
) -> Eyes:
    """The reader of a kind of table, with the profile of this one.

    Args:
        kind: of the table.
        profile: its folder.
        dice: the enrolled kind of dice that is played with, or "latest".
        layout: name or file of the layout that is played on; None: the calibrated one.

    Raises:
        ProfileError: the profile is missing, broken, of an older form or of a board with another layout, or there are
            no such eyes or dice.
    """
    if kind == "board":
        from companion.vision.board import BoardEyes

        return BoardEyes.open(profile, dice, layout)
    if kind == "dice":
        return DiceEyes.open(profile, dice)
    return CardEyes.open(profile)


FIXED = 2.5
"""Ratio of the sizes that a model searches up to which one camera saw its dice. In pictures of seven dice each, from up
to 32 degrees off the vertical, it is up to 1.2; where the camera was moved at least 2.9 is searched."""


def of_fixed_camera(model: SymbolModel) -> SymbolModel:
    """Enrolled dice for the camera that stays where it is: of one size, the middle of those that were enrolled.

    A few dice a picture, near and far from a tilted camera, look like pictures from several distances; searching all
    of those takes six times as long and finds other things as well. Where the pictures were taken from really different
    distances, nothing is changed.
    """
    if max(model.sizes) > FIXED * min(model.sizes):
        return model
    middle = math.exp(sum(math.log(size) for size in model.sizes) / len(model.sizes))
    return replace(model, sizes=(middle,))


class DiceEyes:
    """Reads pictures of a table with nothing but enrolled dice on it: a reading without spaces.

    Args:
        model: the kind of dice.
    """

    bottom = 1

    def __init__(self, model: SymbolModel) -> None:
        self._model = model

    @classmethod
    def open(cls, folder: str | Path, kind: str = "latest") -> DiceEyes:
        """The reader of a kind of dice enrolled in a profile folder; see :func:`calibration.kinds.symbol_kind`.

        Raises:
            ProfileError: it is not enrolled, or none or several without a name, or the enrolment is broken.
        """
        from calibration.faces import load_faces
        from calibration.kinds import symbol_kind

        return cls(of_fixed_camera(load_faces(folder, symbol_kind(folder, kind)).model))

    def read(self, picture: npt.NDArray[np.uint8], *, dice: bool = True) -> BoardReading:
        """The dice in a picture; never raises for a bad picture.

        Args:
            picture: BGR uint8, h x w x 3.
            dice: whether dice matter now; without, nothing is read.
        """
        from companion.vision.readings import BoardReading
        from companion.vision.symbols import read_symbol_dice

        found = read_symbol_dice(picture, self._model) if dice else ()
        unread = sum(die.value is None for die in found)
        if unread:
            return BoardReading("unsure", f"{unread} of {len(found)} dice can't be read", spaces={}, dice=found)
        return BoardReading("ok", spaces={}, dice=found)


class CardEyes:
    """Reads pictures of a table with nothing but cards on it: a reading without spaces.

    Args:
        model: the deck and the table.
    """

    bottom = 1
    seldom = True

    def __init__(self, model: CardModel) -> None:
        self._model = model

    @classmethod
    def open(cls, folder: str | Path) -> CardEyes:
        """The reader of the deck enrolled in a profile folder.

        Raises:
            ProfileError: none is enrolled, or the enrolment is broken.
        """
        from calibration.cards import load_cards

        return cls(load_cards(folder).model)

    def read(self, picture: npt.NDArray[np.uint8], *, dice: bool = True) -> BoardReading:
        """The cards in a picture; never raises for a bad picture.

        Args:
            picture: BGR uint8, h x w x 3.
            dice: has no meaning here.
        """
        from companion.vision.cards import read_cards
        from companion.vision.readings import BoardReading

        try:
            found = read_cards(picture, self._model)
        except ValueError as error:
            return BoardReading("unreadable", f"the cards were enrolled with another camera: {error}")
        unread = sum(card.value is None for card in found)
        if unread:
            return BoardReading("unsure", f"{unread} of {len(found)} cards can't be read", spaces={}, cards=found)
        return BoardReading("ok", spaces={}, cards=found)
