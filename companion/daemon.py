"""One loop, one writer of the game: buttons and pictures in, pictures for the display out.

The loop has no clock of its own: every turn is told the time, so that an evening can be played again from a recording
on a virtual clock, as fast as it can be read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from companion.errors import CameraError, DisplayError, ProfileError
from companion.screens.language import Translator
from companion.screens.render import render

if TYPE_CHECKING:
    from companion.arbiter.arbiter import Arbiter
    from companion.arbiter.sight import Watcher
    from companion.screens.view import View
    from hardware.base import Buttons, Camera, Display

log = logging.getLogger(__name__)
BLINK_MS = 500


class Daemon:
    """The devices and the arbiter, joined.

    Args:
        arbiter: keeps the game.
        camera, display, buttons: the devices.
        watcher_for: opens the eyes for a kind of table; may raise ProfileError, then the game goes on by buttons.
    """

    def __init__(
        self,
        arbiter: Arbiter,
        camera: Camera,
        display: Display,
        buttons: Buttons,
        watcher_for: Callable[[Literal["board", "dice", "cards"]], Watcher],
    ) -> None:
        self.arbiter = arbiter
        self._camera = camera
        self._display = display
        self._buttons = buttons
        self._watcher_for = watcher_for
        self._watchers: dict[str, Watcher | None] = {}
        self._troubles: dict[str, str] = {}
        self._shown: tuple[View, str, int] | None = None

    def turn(self, t_ms: int) -> None:
        """Take what has come in until now, and show what follows from it.

        Args:
            t_ms: now, in ms since the start; never less than the time before.
        """
        for press in self._buttons.poll(t_ms):
            self.arbiter.press(press)
        self._look(t_ms)
        self.show(t_ms)

    def _look(self, t_ms: int) -> None:
        try:
            picture = self._camera.read(t_ms)
        except CameraError as error:
            self._report("camera", str(error))
            self.arbiter.lose_sight(t_ms, str(error), error.short)
            return
        watcher = self._watcher(t_ms) if picture is not None else None
        if picture is None or watcher is None:
            self.arbiter.tick(t_ms)
            return
        self._report("camera", "")
        game = self.arbiter.game
        dice = game is not None and game.flow.needs_dice(game.state)
        self.arbiter.see(t_ms, watcher.see(t_ms, picture, dice=dice), watcher.bottom)

    def _watcher(self, t_ms: int) -> Watcher | None:
        """The eyes for the game being played; None when there is none, or no profile of this table."""
        if self.arbiter.game is None:
            return None
        kind = self.arbiter.game.flow.eyes
        if kind not in self._watchers:
            try:
                self._watchers[kind] = self._watcher_for(kind)
            except ProfileError as error:
                self._report("profile", str(error))
                self.arbiter.lose_sight(t_ms, str(error), error.short)
                self._watchers[kind] = None
        return self._watchers[kind]

    def show(self, t_ms: int) -> None:
        """Draw the screen of this moment, when it differs from the last one."""
        view = self.arbiter.view(t_ms)
        key = (view, self.arbiter.language, t_ms // BLINK_MS % 2)
        if key == self._shown:
            return
        image = render(view, self._display.size, Translator(self.arbiter.language), t_ms)
        try:
            self._display.show(image, t_ms)
        except DisplayError as error:
            self._report("display", str(error))
            return
        self._report("display", "")
        self._shown = key

    def _report(self, device: str, trouble: str) -> None:
        """Log a device's trouble once, and once that it is over."""
        if self._troubles.get(device, "") != trouble:
            log.warning("%s: %s", device, trouble or "works again")
            self._troubles[device] = trouble

    def close(self) -> None:
        """Let go of the devices."""
        for device in (self._buttons, self._camera, self._display):
            device.close()
