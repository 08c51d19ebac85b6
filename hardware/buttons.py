"""Four buttons: on GPIO pins, on a keyboard, from a recording, or none."""

from __future__ import annotations

import contextlib
import functools
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import ButtonsError, ConfigError
from hardware.base import BUTTON_NAMES, ButtonName, Press
from hardware.clicks import Clicks
from hardware.gpio import pin_library
from hardware.keyboard import KeyboardButtons
from hardware.recording import Recording

if TYPE_CHECKING:
    from hardware.base import Buttons

DRIVERS = ("gpiozero", "keyboard", "recording", "none")
PINS: Mapping[ButtonName, int] = {"up": 5, "down": 6, "ok": 13, "back": 19}


def open_buttons(driver: str, settings: Mapping[str, Any] | None = None) -> Buttons:
    """Make the buttons of a name.

    Args:
        driver: "gpiozero", "keyboard", "recording" or "none".
        settings: the table [buttons] of the configuration: BCM pin numbers ``up``, ``down``, ``ok``, ``back``; for
            "recording" the ``folder``.

    Raises:
        ConfigError: unknown driver.
        ButtonsError: the buttons can't be opened.
        InputError: the recording is none.

    >>> open_buttons("none").poll(1000)
    ()
    """
    settings = settings or {}
    if driver == "gpiozero":
        return GpioButtons({name: settings.get(name, PINS[name]) for name in BUTTON_NAMES})
    if driver == "keyboard":
        return KeyboardButtons()
    if driver == "recording":
        return ScriptedButtons(Recording.open(Path(settings.get("folder", "recording"))).presses)
    if driver == "none":
        return ScriptedButtons(())
    raise ConfigError(f"unknown buttons driver {driver!r}: allowed are {', '.join(DRIVERS)}")


class ScriptedButtons:
    """Presses known in advance: of a recording, of a test, or none at all.

    >>> buttons = ScriptedButtons([Press(500, "ok", "press")])
    >>> buttons.poll(400), buttons.poll(600)
    ((), (Press(t_ms=500, button='ok', action='press'),))
    """

    def __init__(self, presses: Iterable[Press]) -> None:
        self._waiting = deque(sorted(presses, key=lambda press: press.t_ms))

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """The presses that are due and were not given yet."""
        due = []
        while self._waiting and self._waiting[0].t_ms <= t_ms:
            due.append(self._waiting.popleft())
        return tuple(due)

    def close(self) -> None:
        """Nothing to let go of."""


class GpioButtons:
    """Four push buttons between a GPIO pin and ground, with the Pi's own pull-ups.

    gpiozero gives the edges only: its ``bounce_time`` and ``when_held`` differ between pin libraries, and one
    exception in a callback ends the only thread that lgpio tells edges by, for all buttons, until the next start.

    Args:
        pins: BCM number of each button.
        clock: ms of any fixed start; ``poll`` relates it to the caller's time.

    Raises:
        ButtonsError: no pins on this machine, or one is in use.
    """

    def __init__(
        self,
        pins: Mapping[ButtonName, int] = PINS,
        clock: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        self._clock = clock
        self._edges: deque[tuple[int, ButtonName, bool]] = deque()
        self._devices: dict[ButtonName, Any] = {}
        try:
            self._open(pins)
        except Exception as error:  # each pin library has its own family of errors, lgpio's is a bare Exception
            self.close()
            hint = " (install python3-lgpio with apt)" if "pin factory" in str(error) else ""
            raise ButtonsError(f"buttons: {error}{hint}") from error
        self._clicks = Clicks(name for name, device in self._devices.items() if device.is_active)

    def _open(self, pins: Mapping[ButtonName, int]) -> None:
        with pin_library():
            from gpiozero import DigitalInputDevice

            for name in BUTTON_NAMES:
                device = DigitalInputDevice(pins[name], pull_up=True)
                self._devices[name] = device
                device.when_activated = functools.partial(self._edge, name, True)
                device.when_deactivated = functools.partial(self._edge, name, False)

    def _edge(self, button: ButtonName, down: bool) -> None:
        with contextlib.suppress(Exception):  # see the class: nothing may leave a callback
            self._edges.append((self._clock(), button, down))

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """The actions finished since the last call, in order of time."""
        now = self._clock()
        while self._edges:
            at, button, down = self._edges.popleft()
            self._clicks.edge(min(t_ms, t_ms - now + at), button, down)
        for name, device in self._devices.items():
            # Pin libraries lose edges at times; without this a lost release would be a button held for ever.
            with contextlib.suppress(Exception):
                self._clicks.edge(t_ms, name, bool(device.is_active))
        return self._clicks.poll(t_ms)

    def close(self) -> None:
        """Let go of the pins. The pin library stays: an edge after its end would be an exception in its thread."""
        for device in self._devices.values():
            with contextlib.suppress(Exception):
                device.close()
        self._devices.clear()
