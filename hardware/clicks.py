"""From switch edges to presses and holds. Pure: time is an argument."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hardware.base import BUTTON_NAMES, ButtonName, Press

BOUNCE_MS = 25  # contacts of push buttons settle within 10 ms; a finger's shortest tap lasts 50 ms
HOLD_MS: Mapping[ButtonName, int] = MappingProxyType({"ok": 1000, "back": 2000})


@dataclass(slots=True)
class _Switch:
    raw_down: bool
    raw_since: int
    down: bool  # once the bounce is over
    pressed_at: int | None = None  # None: up, or nothing more may come of it until it is let go


class Clicks:
    """Tells what each button does from the edges of its switch.

    A press counts when the button is let go; ``ok`` held for a second and ``back`` held for two are holds, reported
    while still held, after which letting go adds nothing. Changes shorter than the bounce time are none. A button
    that is down at the start does nothing before it is let go.

    Args:
        down: buttons that are down at the start.
        bounce_ms: how long a level must last to count, ms.
        hold_ms: after how long a button is held, ms; others have no hold.

    >>> clicks = Clicks()
    >>> clicks.edge(0, "ok", True)
    >>> clicks.edge(200, "ok", False)
    >>> clicks.poll(300)
    (Press(t_ms=200, button='ok', action='press'),)
    """

    def __init__(
        self,
        down: Iterable[ButtonName] = (),
        *,
        bounce_ms: int = BOUNCE_MS,
        hold_ms: Mapping[ButtonName, int] = HOLD_MS,
    ) -> None:
        held = set(down)
        self._switches = {name: _Switch(name in held, 0, name in held) for name in BUTTON_NAMES}
        self._bounce_ms = bounce_ms
        self._hold_ms = hold_ms
        self._done: list[Press] = []

    def edge(self, t_ms: int, button: ButtonName, down: bool) -> None:
        """A switch has closed or opened; edges are given in order of time."""
        switch = self._switches[button]
        if down == switch.raw_down:
            return
        self._settle(button, t_ms)
        switch.raw_down = down
        switch.raw_since = t_ms

    def is_down(self, button: ButtonName) -> bool:
        """The level of the last edge."""
        return self._switches[button].raw_down

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """The actions finished up to a moment, in order of time."""
        for button in BUTTON_NAMES:
            self._settle(button, t_ms)
        done, self._done = self._done, []
        return tuple(sorted(done, key=lambda press: press.t_ms))

    def _settle(self, button: ButtonName, t_ms: int) -> None:
        """Take in what is certain by now: a level that has outlasted the bounce, a hold that is long enough."""
        switch = self._switches[button]
        changed = switch.raw_down != switch.down and t_ms - switch.raw_since >= self._bounce_ms
        # A button that has just opened is held until its bounce is over, but only counts as held up to then.
        held_until = switch.raw_since if switch.down and not switch.raw_down else t_ms
        if changed and not switch.down:
            switch.down = True
            switch.pressed_at = switch.raw_since
        hold = self._hold_ms.get(button)
        if switch.pressed_at is not None and hold is not None and held_until - switch.pressed_at >= hold:
            self._done.append(Press(switch.pressed_at + hold, button, "hold"))
            switch.pressed_at = None
        if changed and not switch.raw_down:
            if switch.pressed_at is not None:
                self._done.append(Press(switch.raw_since, button, "press"))
            switch.down = False
            switch.pressed_at = None
