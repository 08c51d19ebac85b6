"""One loop, one writer of the game: buttons and pictures in, pictures for the display out.

The loop has no clock of its own: every turn is told the time, so that an evening can be played again from a recording
on a virtual clock, as fast as it can be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from companion.arbiter.sight import Sight
from companion.errors import CameraError, CompanionError, ProfileError
from companion.guides.loop import Guided
from companion.screens.panel import Panel
from companion.screens.signal import signal_between
from companion.troubles import Troubles
from companion.web.hub import Snapshot

if TYPE_CHECKING:
    from companion.arbiter.arbiter import Arbiter
    from companion.arbiter.game import Game
    from companion.arbiter.sight import Watcher
    from companion.guides.base import Guide
    from companion.screens.idle import Idle
    from companion.screens.view import View
    from companion.web.hub import Hub
    from hardware.base import Buttons, Camera, Display
    from hardware.signals import Signals


class Daemon:
    """The devices and the arbiter, joined.

    Args:
        arbiter: keeps the game.
        camera, display, buttons: the devices.
        watcher_for: opens the eyes for a kind of table and the layout in the game's header (None: it has none); may
            raise ProfileError, then the game goes on by buttons.
        guide_for: begins the calibration of a name that the players chose from the menu; may raise CompanionError.
        hub: where the page for the phone asks and looks; None: there is no page.
        idle: dims a display that burns in; None: it never rests.
        signals: a buzzer and an LED.
    """

    def __init__(
        self,
        arbiter: Arbiter,
        camera: Camera,
        display: Display,
        buttons: Buttons,
        watcher_for: Callable[[Literal["board", "dice", "cards"], str | None], Watcher],
        guide_for: Callable[[str], Guide] | None = None,
        hub: Hub | None = None,
        idle: Idle | None = None,
        signals: Signals | None = None,
    ) -> None:
        self.arbiter = arbiter
        self._camera = camera
        self._display = display
        self._buttons = buttons
        self._watcher_for = watcher_for
        self._guide_for = guide_for
        arbiter.can_guide = guide_for is not None
        self._hub = hub
        self._watchers: dict[tuple[str, str | None], Watcher | None] = {}
        self._troubles = Troubles()
        self._panel = Panel(display, self._troubles, idle)
        self._signals = signals
        self._seen: View | None = None  # the screen of the turn before
        self._guided: Guided | None = None

    def turn(self, t_ms: int) -> None:
        """Take what has come in until now, and show what follows from it.

        Args:
            t_ms: now, in ms since the start; never less than the time before.
        """
        if self._hub is not None:
            self._hub.obey(self, t_ms)
        presses = self._buttons.poll(t_ms)
        if self._guided is not None:
            self._guided.turn(t_ms, presses)
            if self._guided.done:
                self._end_guide(t_ms)
        else:
            for press in presses:
                self.arbiter.press(press)
            self._look(t_ms)
            self._begin_guide(t_ms)
        self.show(t_ms)
        if self._signals is not None:
            self._signal(self._signals, t_ms, pressed=bool(presses))
        if self._hub is not None:
            self._hub.publish(self._snapshot(t_ms))

    def _signal(self, signals: Signals, t_ms: int, *, pressed: bool) -> None:
        """Let buzzer and LED say what deserves a look at the display."""
        before, self._seen = self._seen, self.view(t_ms)
        signal = signal_between(before, self._seen, pressed=pressed) if before is not None else None
        if signal is not None:
            signals.play(signal, t_ms, sound=bool(self.arbiter.sound))
        signals.turn(t_ms)

    def _snapshot(self, t_ms: int) -> Snapshot:
        """How everything stands now, for the page."""
        game = self.arbiter.game
        unread = game is not None and self._watchers.get(_table(game), self) is None  # not another game's table
        snapshot = Snapshot(
            t_ms,
            self.arbiter.language,
            self.view(t_ms),
            guided=self.guiding,
            troubles=tuple(device for device in self._troubles.now if device != "profile" or unread),
        )
        if game is None:
            return snapshot
        watcher = self._watchers.get(_table(game))
        return replace(
            snapshot,
            header=game.header,
            scene=self.arbiter.scene(t_ms),
            history=tuple(game.history),
            times=tuple(event.get("t_ms") for event in game.events),
            notes=self.arbiter.notes,
            reading=watcher.latest if watcher is not None else None,
            places=watcher.places() if watcher is not None else None,
            overruled=self.arbiter.overruled,
        )

    @property
    def guiding(self) -> bool:
        """Whether a calibration is led on the display."""
        return self._guided is not None

    def look_anew(self, t_ms: int) -> None:
        """Look at the table with what the profile says now."""
        self._watchers.clear()
        self._troubles.say("profile", "")
        self.arbiter.see(t_ms, Sight())

    def _begin_guide(self, t_ms: int) -> None:
        """Hand pictures and buttons over to the calibration that the players chose, if they did."""
        wanted, self.arbiter.guide_wanted = self.arbiter.guide_wanted, None
        if wanted is None or self._guide_for is None:
            return
        try:
            self._guided = Guided(self._guide_for(wanted), self._camera, self._troubles)
        except CompanionError as error:
            self._troubles.say("calibration", str(error))
            self.arbiter.lose_sight(t_ms, str(error), error.short)

    def _end_guide(self, t_ms: int) -> None:
        """Give them back to the game, which looks at the table anew: with another profile, or after a while."""
        self._guided = None
        self.look_anew(t_ms)

    def _look(self, t_ms: int) -> None:
        try:
            picture = self._camera.read(t_ms)
        except CameraError as error:
            self._troubles.say("camera", str(error))
            self.arbiter.lose_sight(t_ms, str(error), error.short)
            return
        if picture is not None:
            self._troubles.say("camera", "")
        watcher = self._watcher(t_ms) if picture is not None else None
        if picture is None or watcher is None:
            self.arbiter.tick(t_ms)
            return
        game = self.arbiter.game
        dice = game is not None and game.flow.needs_dice(game.state)
        self.arbiter.see(t_ms, watcher.see(t_ms, picture, dice=dice), watcher.bottom)

    def _watcher(self, t_ms: int) -> Watcher | None:
        """The eyes for the game being played; None when there is none, or no profile of this table."""
        if self.arbiter.game is None:
            return None
        table = _table(self.arbiter.game)
        if table not in self._watchers:
            try:
                self._watchers[table] = self._watcher_for(*table)
            except ProfileError as error:
                self._troubles.say("profile", str(error))
                self.arbiter.lose_sight(t_ms, str(error), error.short)
                self._watchers[table] = None
        return self._watchers[table]

    def view(self, t_ms: int) -> View:
        """The screen of this moment."""
        return self.arbiter.view(t_ms) if self._guided is None else self._guided.view(t_ms)

    def show(self, t_ms: int) -> None:
        """Draw the screen of this moment, when it differs from the last one."""
        self._panel.show(self.view(t_ms), self.arbiter.language, t_ms)

    def close(self) -> None:
        """Let go of the devices."""
        for device in (self._buttons, self._camera, self._display, self._signals):
            if device is not None:
                device.close()


def _table(game: Game) -> tuple[Literal["board", "dice", "cards"], str | None]:
    """What the eyes must know of a game: its kind of table, and the layout of its board."""
    return game.flow.eyes, game.header.get("layout")
