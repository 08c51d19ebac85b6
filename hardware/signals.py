"""A buzzer and an LED, both optional: short patterns for what deserves a look at the display.

Wiring: an active buzzer and an LED (with 330 ohms) between their GPIO and ground.

Example:
    >>> signals = open_signals("none")
    >>> signals.play("wrong", 0)
    >>> signals.close()
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Literal, Protocol

from companion.errors import ConfigError, DeviceError
from hardware.gpio import pin_library

DRIVERS = ("gpiozero", "none")
Signal = Literal["done", "turn", "wrong", "win"]
# On and off in turn, ms: told apart by their number and length, also by who can't see the display.
PATTERNS: Mapping[Signal, tuple[int, ...]] = {
    "done": (60,),
    "turn": (60, 120, 60),
    "wrong": (350, 150, 350),
    "win": (100, 100, 100, 100, 100, 100, 500),
}


class Signals(Protocol):
    """A buzzer and an LED."""

    def play(self, signal: Signal, t_ms: int, *, sound: bool = True) -> None:
        """Begin a pattern; a pattern under way is broken off. Never raises."""
        ...

    def turn(self, t_ms: int) -> None:
        """Switch what is due; called several times a second. Never raises."""
        ...

    def close(self) -> None:
        """Switch off and let go of the pins."""
        ...


def open_signals(driver: str, settings: Mapping[str, Any] | None = None) -> Signals:
    """Make the signals of a name.

    Args:
        driver: "gpiozero" or "none".
        settings: the table [signals] of the configuration: BCM pin numbers ``buzzer`` and ``led``.

    Raises:
        ConfigError: unknown driver.
        DeviceError: a pin can't be had.
    """
    settings = settings or {}
    if driver == "none":
        return NoSignals()
    if driver == "gpiozero":
        return GpioSignals(settings.get("buzzer", 12), settings.get("led", 16))
    raise ConfigError(f"unknown signals driver {driver!r}: allowed are {', '.join(DRIVERS)}")


class NoSignals:
    """Neither buzzer nor LED."""

    def play(self, signal: Signal, t_ms: int, *, sound: bool = True) -> None:
        """Nothing to play."""

    def turn(self, t_ms: int) -> None:
        """Nothing to switch."""

    def close(self) -> None:
        """Nothing to let go of."""


class GpioSignals:
    """A buzzer and an LED on GPIO pins, switched by the loop: no thread that could be left behind with the buzzer on.

    Args:
        buzzer, led: BCM pin numbers.

    Raises:
        DeviceError: no pins on this machine, or one is in use.
    """

    def __init__(self, buzzer: int, led: int) -> None:
        self._devices: list[Any] = []
        self._until: list[int] = []  # moments at which on and off change, ascending
        self._sound = True
        self._lit = False
        try:
            with pin_library():
                from gpiozero import LED, Buzzer

                for kind, pin in ((Buzzer, buzzer), (LED, led)):
                    self._devices.append(kind(pin))
        except Exception as error:  # each pin library has its own family of errors
            self.close()
            raise DeviceError(f"buzzer and LED: {error}") from error

    def play(self, signal: Signal, t_ms: int, *, sound: bool = True) -> None:
        """Begin a pattern; without ``sound`` the LED alone shows it."""
        self._sound = sound
        self._until = [t_ms]
        for part in PATTERNS[signal]:
            self._until.append(self._until[-1] + part)
        self._switch(False)
        self.turn(t_ms)

    def turn(self, t_ms: int) -> None:
        """Switch what is due."""
        while self._until and t_ms >= self._until[0]:
            self._until.pop(0)
            self._switch(not self._lit and bool(self._until))

    def _switch(self, on: bool) -> None:
        self._lit = on
        buzzer, led = self._devices
        for device, wanted in ((buzzer, on and self._sound), (led, on)):
            with contextlib.suppress(Exception):
                device.on() if wanted else device.off()

    def close(self) -> None:
        """Switch off and let go of the pins."""
        for device in self._devices:
            with contextlib.suppress(Exception):
                device.close()
        self._until = []
