"""Runs a guide: gives it pictures and presses, shows its screen, and outlives its devices' troubles."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from companion.errors import CameraError, CompanionError
from companion.screens.panel import Panel
from companion.screens.view import T, Text, View
from companion.troubles import Troubles

if TYPE_CHECKING:
    from companion.guides.base import Guide
    from hardware.base import Buttons, Camera, Display, Press

log = logging.getLogger(__name__)
NOTICE_MS = 4000


class Guided:
    """A guide under way.

    Args:
        guide: the calibration.
        camera: gives it pictures.
        troubles: told what the camera lacks.

    Attributes:
        done: as the guide's: "" while it goes on, then "saved" or "left".
    """

    def __init__(self, guide: Guide, camera: Camera, troubles: Troubles) -> None:
        self.done = guide.done
        self._guide = guide
        self._camera = camera
        self._troubles = troubles
        self._blind: Text | None = None  # why there are no pictures
        self._notice: tuple[View, int] | None = None

    def turn(self, t_ms: int, presses: Iterable[Press]) -> None:
        """Take what has come in until now.

        Args:
            t_ms: now.
            presses: the finished button actions; without pictures, "back" leaves, and so it does when held.
        """
        for press in presses:
            if self._notice is not None and t_ms < self._notice[1]:
                self._notice = None
            elif press.button == "back" and (self._blind is not None or press.action == "hold"):
                self.done = "left"
            else:
                self._attempt(t_ms, partial(self._guide.press, press))
        try:
            picture = self._camera.read(t_ms)
        except CameraError as error:
            self._troubles.say("camera", str(error))
            self._blind = error.short
            return
        if picture is not None and not self.done:
            self._troubles.say("camera", "")
            self._blind = None
            self._attempt(t_ms, partial(self._guide.see, t_ms, picture))

    def _attempt(self, t_ms: int, act: Callable[[], None]) -> None:
        try:
            act()
        except (OSError, CompanionError) as error:
            log.error("calibration: %s", error)
            self._notice = (not_saved(error), t_ms + NOTICE_MS)
        self.done = self.done or self._guide.done

    def view(self, t_ms: int) -> View:
        """The screen to show now."""
        if self._notice is not None and t_ms < self._notice[1]:
            return self._notice[0]
        if self._blind is not None:
            return no_pictures(self._blind)
        return self._guide.view(t_ms)


def lead(
    guide: Guide, camera: Camera, display: Display, buttons: Buttons, moments: Iterable[int], language: str = "en"
) -> str:
    """Run a guide to its end.

    Args:
        guide: the calibration.
        camera, display, buttons: the devices; they are not closed.
        moments: the times of the turns, ms, ascending; waits between them when it is live, ends when told to stop.
        language: code of the players' language.

    Returns:
        "saved", "left", or "" when the moments ended before.
    """
    troubles = Troubles()
    panel = Panel(display, troubles)
    guided = Guided(guide, camera, troubles)
    for t_ms in moments:
        guided.turn(t_ms, buttons.poll(t_ms))
        panel.show(guided.view(t_ms), language, t_ms)
        if guided.done:
            break
    return guided.done


def no_pictures(short: Text) -> View:
    """The camera gives none."""
    return View(
        "guide.no_pictures",
        title=short,
        big=T("no picture"),
        lines=(T("It is tried again"),),
        keys=(("back", T("leave")),),
        tone="wrong",
    )


def not_saved(error: Exception) -> View:
    """The profile can't be written, or what was seen can't be kept."""
    short = getattr(error, "short", T("Card full?"))
    return View("guide.not_saved", title=T("Not saved!"), big=short, lines=(T("Check the SD card"),), tone="wrong")


def samples() -> Sequence[View]:
    """One view of every screen here, for the contact sheet and the tests of texts."""
    return [no_pictures(CameraError.short), not_saved(OSError())]
