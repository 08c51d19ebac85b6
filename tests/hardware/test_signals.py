"""Guards buzzer and LED: patterns on the pins, the off switch, and that nothing is left switched on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.errors import ConfigError, DeviceError
from hardware.signals import PATTERNS, GpioSignals, Signal, open_signals

BUZZER, LED = 12, 16


@pytest.fixture
def pins() -> Iterator[Any]:
    from gpiozero import Device
    from gpiozero.pins.mock import MockFactory

    before = Device.pin_factory
    Device.pin_factory = MockFactory()
    yield Device.pin_factory
    Device.pin_factory.reset()
    Device.pin_factory = before


def played(pins: Any, signals: GpioSignals, start_ms: int, ms: int) -> dict[int, list[int]]:
    """How long each pin stayed at its levels, in steps of 10 ms, from the start on."""
    seen: dict[int, list[int]] = {BUZZER: [], LED: []}
    for pin, lengths in seen.items():
        level = bool(pins.pin(pin).state)
        assert level or not lengths
    levels = dict.fromkeys(seen, True)
    lengths = {pin: 0 for pin in seen}
    for t_ms in range(start_ms, start_ms + ms, 10):
        signals.turn(t_ms)
        for pin, changes in seen.items():
            level = bool(pins.pin(pin).state)
            if level == levels[pin]:
                lengths[pin] += 10
            else:
                changes.append(lengths[pin])
                levels[pin], lengths[pin] = level, 10
    return seen


@pytest.mark.parametrize("signal", PATTERNS)
def test_each_pattern_is_on_the_pins(pins: Any, signal: Signal) -> None:
    signals = GpioSignals(BUZZER, LED)
    signals.play(signal, 1000)
    seen = played(pins, signals, 1000, 3000)
    assert seen == {BUZZER: list(PATTERNS[signal]), LED: list(PATTERNS[signal])}
    signals.close()


def test_patterns_can_be_told_apart() -> None:
    assert len(set(PATTERNS.values())) == len(PATTERNS)
    assert all(len(parts) % 2 for parts in PATTERNS.values()), "they end switched off"


def test_without_sound_the_led_alone_shows_it(pins: Any) -> None:
    signals = GpioSignals(BUZZER, LED)
    signals.play("turn", 0, sound=False)
    assert pins.pin(LED).state and not pins.pin(BUZZER).state
    signals.close()


def test_a_new_pattern_breaks_off_the_old_one_and_a_late_turn_skips_what_is_over(pins: Any) -> None:
    signals = GpioSignals(BUZZER, LED)
    signals.play("win", 0)
    signals.turn(50)
    signals.play("wrong", 60)
    assert pins.pin(BUZZER).state
    signals.turn(60_000)  # the loop was busy reading a picture
    assert not pins.pin(BUZZER).state and not pins.pin(LED).state
    signals.close()


def test_closing_amid_a_pattern_switches_off(pins: Any) -> None:
    signals = GpioSignals(BUZZER, LED)
    signals.play("wrong", 0)
    signals.close()
    assert pins.pin(BUZZER).function == "input", "let go of"


def test_a_pin_in_use_is_a_device_error(pins: Any) -> None:
    from gpiozero import OutputDevice

    with OutputDevice(LED), pytest.raises(DeviceError, match=str(LED)):
        GpioSignals(BUZZER, LED)
    GpioSignals(BUZZER, LED).close()


def test_a_broken_pin_never_ends_the_loop(pins: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("GPIO gone")

    signals = GpioSignals(BUZZER, LED)
    for device in signals._devices:
        monkeypatch.setattr(type(device), "on", broken)
    signals.play("wrong", 0)
    signals.turn(5000)
    signals.close()


def test_unknown_driver_lists_the_known() -> None:
    with pytest.raises(ConfigError, match="gpiozero, none"):
        open_signals("siren")
    open_signals("none").turn(0)
