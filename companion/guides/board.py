"""Calibrating the board with display and buttons alone: aim, say which side is in front, take, judge, save."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from companion.errors import CalibrationError, ProfileError
from companion.guides.live import camera_picture
from companion.layout import BoardLayout, load_layout
from companion.screens.view import Button, CameraPicture, T, Text, View

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from calibration.aim import Aim
    from calibration.board import BoardCalibration
    from hardware.base import Press

    Picture = npt.NDArray[np.uint8]

log = logging.getLogger(__name__)
SHOW_MS = 200  # a display takes up to 93 ms for a picture
STILL_MS = 800  # from the press to the picture: the stand swings, and the hand leaves the picture
SIDES = (1, 2, 3)
HINTS: dict[str | None, Text] = {
    "dark": T("Too dark: more light"),
    "glare": T("Glare: turn the lamp"),
    "blurred": T("Blurred: turn lens"),
    "outside": T("Board partly outside"),
    "small": T("Too small: go nearer"),
    "nothing": T("Show the empty board"),
    None: T("Good: press ok"),
}


@dataclass(frozen=True, slots=True)
class Taken:
    """A calibration that waits for the owner's word."""

    frame: Picture
    found: BoardCalibration


class BoardGuide:
    """Leads through the calibration of the board.

    Args:
        profile: folder of the profile, made when it is saved.
        layout: of the board.
        side: the board side at the picture's bottom edge to begin with.
    """

    def __init__(self, profile: Path, layout: BoardLayout, side: int = 1) -> None:
        self.done = ""
        self._profile = profile
        self._layout = layout
        self._side = side
        self._aim: Aim | None = None
        self._picture: CameraPicture | None = None
        self._shown_at = 0
        self._searched_at: int | None = None
        self._search_again_at = 0
        self._stage: Literal["aim", "still", "failed", "judge"] = "aim"
        self._take_at: int | None = None
        self._taken: Taken | None = None
        self._failure: Text | None = None

    def see(self, t_ms: int, picture: Picture) -> None:
        """Take a picture (BGR uint8, h x w x 3)."""
        if self._stage == "still":
            self._take_at = t_ms + STILL_MS if self._take_at is None else self._take_at
            if t_ms >= self._take_at:
                self._take(picture)
        elif self._stage == "aim" and (self._picture is None or t_ms - self._shown_at >= SHOW_MS):
            self._look(t_ms, picture)

    def _look(self, t_ms: int, picture: Picture) -> None:
        from calibration.aim import look_at

        if self._searched_at is not None:
            # A small computer needs seconds for a search: the display gets twice that time in between.
            self._search_again_at = self._searched_at + max(600, 3 * (t_ms - self._searched_at))
            self._searched_at = None
        elif t_ms >= self._search_again_at:
            self._aim = look_at(picture, self._layout)
            self._searched_at = t_ms
        rim = () if self._aim is None else tuple((float(x), float(y)) for x, y in self._aim.rim)
        self._picture = camera_picture(picture, (rim,) if rim else ())
        self._shown_at = t_ms

    def _take(self, picture: Picture) -> None:
        from calibration.board import calibrate_alone

        self._take_at = None
        try:
            self._taken = Taken(picture.copy(), calibrate_alone(picture, self._layout, self._side))
        except CalibrationError as error:
            log.info("calibration: %s", error)
            self._failure, self._stage = error.short, "failed"
        else:
            self._stage = "judge"

    def press(self, press: Press) -> None:
        """Take a finished button action.

        Raises:
            OSError: the profile can't be written.
        """
        if press.action != "press":
            return
        if self._stage in ("aim", "failed"):
            if press.button == "ok":
                self._stage = "still" if self._stage == "aim" else "aim"
            elif press.button == "back":
                self.done = "left" if self._stage == "aim" else ""
                self._stage = "aim"
            elif self._stage == "aim":
                step = 1 if press.button == "up" else -1
                self._side = SIDES[(SIDES.index(self._side) + step) % len(SIDES)]
        elif self._stage == "judge":
            if press.button == "ok":
                self._save()
            elif press.button == "back":
                self._stage, self._taken = "aim", None

    def _save(self) -> None:
        from calibration.profile import save_board

        assert self._taken is not None
        found = self._taken.found
        save_board(
            self._profile,
            self._layout,
            found.plane,
            self._taken.frame,
            side_at_bottom=found.side_at_bottom,
            error_mm=found.error_mm,
            seen=found.seen,
            marked=found.marked,
        )
        log.info("calibrated: %.2f mm off, %.0f %% of the spaces seen", found.error_mm, 100 * found.seen)
        self.done = "saved"

    def view(self, t_ms: int) -> View:
        """The screen to show now."""
        if self._stage == "still":
            return measuring()
        if self._stage == "failed" and self._failure is not None:
            return failed(self._failure)
        if self._stage == "judge" and self._taken is not None:
            found = self._taken.found
            return judgement(found.error_mm, round((1 - found.seen) * len(self._layout.spaces)))
        return aiming(self._picture, self._aim.hint if self._aim else "nothing", self._sharpness(), self._side)

    def _sharpness(self) -> int | None:
        """0 to 100; 50 is where the accuracy of a usual picture begins to suffer."""
        if self._aim is None:
            return None
        return round(100 / (1 + (self._aim.blur_px / 2) ** 2))


def aiming(picture: CameraPicture | None, hint: str | None, sharpness: int | None, side: int) -> View:
    """The live picture, and what to mend first."""
    lines = [T("side {number}", number=side)]
    if sharpness is not None:
        lines.insert(0, T("sharp {number}", number=sharpness))
    keys: tuple[tuple[Button, Text], ...] = (("up", T("side")), ("down", T("side")), ("ok", T("take")))
    facts = {"hint": hint, "side": side}
    return View("guide.board.aim", HINTS[hint], lines=tuple(lines), picture=picture, keys=keys, tone="ask", facts=facts)


def measuring() -> View:
    """While the table is to be left alone, and while the calibration is computed."""
    return View("guide.board.measure", T("Hands off the board"), big=T("measuring"), lines=(T("a few seconds"),))


def failed(why: Text) -> View:
    """No calibration came of the picture."""
    keys: tuple[tuple[Button, Text], ...] = (("ok", T("again")),)
    return View("guide.board.failed", T("Not calibrated"), big=why, keys=keys, tone="wrong")


def judgement(error_mm: float, unseen: int) -> View:
    """How good the calibration is, in millimetres and in words."""
    # The reader looks at disks of 14 mm and more, and was measured with calibrations up to half a millimetre off.
    words = T("very good") if error_mm < 0.2 else T("good") if error_mm < 0.5 else T("poor")
    lines = (T("{number} spaces unclear", number=unseen),) if unseen else ()
    return View(
        "guide.board.judge",
        T("{mm} mm off", mm=f"{error_mm:.2f}"),
        big=words,
        lines=lines,
        keys=(("ok", T("save")), ("back", T("again"))),
        tone="ask",
        facts={"error_mm": error_mm, "unseen": unseen},
    )


def guide(profile: Path, variety: str | None) -> BoardGuide:
    """Begin to calibrate the board.

    Args:
        profile: folder of the profile.
        variety: name or file of the layout; None for the one of the profile, or the built-in one.

    Raises:
        InputError: the layout can't be read.
    """
    from calibration.profile import load_profile

    if variety is not None:
        return BoardGuide(profile, load_layout(variety))
    try:
        known = load_profile(profile)
    except ProfileError:  # none yet, or a broken one: this is how to mend it
        return BoardGuide(profile, load_layout("hex37"))
    return BoardGuide(profile, known.layout, known.side_at_bottom)


def samples() -> Sequence[View]:
    """One view of every screen here, for the contact sheet and the tests of texts."""
    grey = bytes(60 + 3 * ((x // 8 + y // 8) % 2) * 20 + x for y in range(48) for x in range(64))
    rim = ((0.3, 0.2), (0.7, 0.2), (0.85, 0.5), (0.7, 0.85), (0.3, 0.85), (0.15, 0.5))
    picture = CameraPicture(64, 48, grey, (rim,))
    blind = CameraPicture(64, 48, grey)
    return [
        *(aiming(blind if hint == "nothing" else picture, hint, 64, 1) for hint in HINTS),
        aiming(None, "nothing", None, 2),
        measuring(),
        failed(CalibrationError.short),
        judgement(0.08, 0),
        judgement(0.31, 3),
        judgement(0.62, 9),
    ]
