"""Guards the drivers of the buttons; the meaning of their edges is guarded in test_clicks."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.errors import ButtonsError, ConfigError
from hardware.base import Press
from hardware.buttons import PINS, GpioButtons, ScriptedButtons, open_buttons
from hardware.keyboard import KeyboardButtons, parse_keys


@pytest.fixture
def pins() -> Iterator[Any]:
    from gpiozero import Device
    from gpiozero.pins.mock import MockFactory

    before = Device.pin_factory
    Device.pin_factory = MockFactory()
    yield Device.pin_factory
    Device.pin_factory.reset()
    Device.pin_factory = before


class Clock:
    def __init__(self) -> None:
        self.ms = 5_000  # another start than the caller's time

    def __call__(self) -> int:
        return self.ms


def test_a_pin_that_is_pulled_down_and_let_go_is_a_press(pins: Any) -> None:
    clock = Clock()
    buttons = GpioButtons(clock=clock)
    pin = pins.pin(PINS["ok"])
    assert pin.pull == "up"
    pin.drive_low()
    clock.ms += 200
    pin.drive_high()
    clock.ms += 100
    assert buttons.poll(300) == (Press(200, "ok", "press"),)
    buttons.close()


def test_five_bounces_are_one_press(pins: Any) -> None:
    clock = Clock()
    buttons = GpioButtons(clock=clock)
    pin = pins.pin(PINS["up"])
    for drive in (pin.drive_low, pin.drive_high) * 5 + (pin.drive_low,):
        drive()
        clock.ms += 2
    assert buttons.poll(22) == ()
    clock.ms += 100
    pin.drive_high()
    clock.ms += 100
    assert buttons.poll(222) == (Press(122, "up", "press"),)
    buttons.close()


def test_back_held_two_seconds_is_a_hold_and_then_nothing(pins: Any) -> None:
    clock = Clock()
    buttons = GpioButtons(clock=clock)
    pin = pins.pin(PINS["back"])
    pin.drive_low()
    got = []
    for t_ms in range(0, 5000, 100):
        got += buttons.poll(t_ms)
        clock.ms += 100
    pin.drive_high()
    clock.ms += 100
    got += buttons.poll(5100)
    assert got == [Press(2000, "back", "hold")]
    buttons.close()


def test_held_at_the_start_gives_nothing(pins: Any) -> None:
    pins.pin(PINS["ok"]).drive_low()
    clock = Clock()
    buttons = GpioButtons(clock=clock)
    clock.ms += 5000
    assert buttons.poll(5000) == ()
    pins.pin(PINS["ok"]).drive_high()
    clock.ms += 100
    assert buttons.poll(5100) == ()
    buttons.close()


def test_a_lost_release_is_found_by_the_next_poll(pins: Any) -> None:
    clock = Clock()
    buttons = GpioButtons(clock=clock)
    pin = pins.pin(PINS["ok"])
    pin.drive_low()
    buttons.poll(0)
    buttons._devices["ok"].when_deactivated = None  # the edge that the pin library does not tell
    clock.ms += 100
    pin.drive_high()
    assert buttons.poll(100) == ()
    clock.ms += 100
    assert buttons.poll(200) == (Press(100, "ok", "press"),)
    buttons.close()


def test_an_exception_in_a_callback_stays_there(pins: Any) -> None:
    def broken() -> int:
        raise RuntimeError("clock broken")

    buttons = GpioButtons(clock=broken)
    pins.pin(PINS["ok"]).drive_low()  # would raise here, in the driving thread
    buttons.close()


def test_a_pin_in_use_is_a_buttons_error_and_lets_go_of_the_others(pins: Any) -> None:
    from gpiozero import LED

    with LED(PINS["back"]), pytest.raises(ButtonsError, match=str(PINS["back"])):
        GpioButtons()
    GpioButtons().close()  # the pins opened before the failure are free again


def test_no_pins_on_this_machine_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpiozero import BadPinFactory, Device

    def none() -> None:
        raise BadPinFactory("Unable to load any default pin factory!")

    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.setattr(Device, "_default_pin_factory", staticmethod(none))
    with pytest.raises(ButtonsError, match="python3-lgpio"):
        open_buttons("gpiozero")


def test_a_pin_library_that_moves_to_another_folder_leaves_the_process_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gpiozero import BadPinFactory, Device

    before = Path.cwd()

    def lgpio() -> None:
        os.chdir(os.environ["LG_WD"])
        raise BadPinFactory("Unable to load any default pin factory!")

    monkeypatch.setenv("LG_WD", str(tmp_path))
    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.setattr(Device, "_default_pin_factory", staticmethod(lgpio))
    with pytest.raises(ButtonsError):
        open_buttons("gpiozero")
    assert Path.cwd() == before


def test_scripted_buttons_give_each_press_once_in_order() -> None:
    presses = [Press(300, "ok", "press"), Press(100, "up", "press")]
    buttons = ScriptedButtons(presses)
    assert buttons.poll(50) == ()
    assert buttons.poll(1000) == (presses[1], presses[0])
    assert buttons.poll(2000) == ()


def test_unknown_driver_lists_the_known() -> None:
    with pytest.raises(ConfigError, match="gpiozero, keyboard, recording, none"):
        open_buttons("joystick")


@pytest.mark.parametrize(
    ("sent", "button", "action"),
    [
        (b"\x1b[A", "up", "press"),
        (b"\x1bOB", "down", "press"),
        (b"W", "up", "press"),
        (b"\r", "ok", "press"),
        (b"\x7f", "back", "press"),
        (b"u", "back", "hold"),
        (b"m", "ok", "hold"),
    ],
)
def test_keys(sent: bytes, button: str, action: str) -> None:
    assert parse_keys(sent) == ([(button, action)], b"")


def test_unknown_keys_and_sequences_are_swallowed_whole() -> None:
    # Page up, a function key with modifiers, a letter: none of their bytes may be taken for a key.
    assert parse_keys(b"\x1b[5~\x1b[1;5Bx\x1b[24~s") == ([("down", "press")], b"")


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    theirs, ours = pty.openpty()
    yield theirs, ours
    os.close(theirs)
    os.close(ours)


def test_the_keyboard_reads_a_terminal_and_restores_it(
    terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, ours = terminal
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())  # as in the foreground
    before = termios.tcgetattr(ours)
    keyboard = KeyboardButtons(ours)
    assert not termios.tcgetattr(ours)[3] & (termios.ICANON | termios.ECHO)
    os.write(theirs, b"\x1b[A\r")
    assert keyboard.poll(40) == (Press(40, "up", "press"), Press(40, "ok", "press"))
    assert keyboard.poll(50) == ()
    keyboard.close()
    assert termios.tcgetattr(ours) == before
    assert keyboard.poll(60) == ()


def test_escape_alone_is_back_and_a_split_arrow_is_not(
    terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, ours = terminal
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
    keyboard = KeyboardButtons(ours)
    os.write(theirs, b"\x1b")
    assert keyboard.poll(10) == ()
    assert keyboard.poll(60) == (Press(60, "back", "press"),)
    os.write(theirs, b"\x1b[")
    assert keyboard.poll(70) == ()
    os.write(theirs, b"B")
    assert keyboard.poll(80) == (Press(80, "down", "press"),)
    keyboard.close()


def test_q_interrupts_as_ctrl_c_does(terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, ours = terminal
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
    raised: list[int] = []
    monkeypatch.setattr(signal, "raise_signal", raised.append)
    keyboard = KeyboardButtons(ours)
    os.write(theirs, b"q")
    keyboard.poll(0)
    assert raised == [signal.SIGINT]
    keyboard.close()


def test_input_that_is_no_terminal_is_read_to_its_end() -> None:
    read, write = os.pipe()
    keyboard = KeyboardButtons(read)
    assert keyboard.poll(0) == ()
    os.write(write, b"wu")
    os.close(write)
    assert keyboard.poll(10) == (Press(10, "up", "press"), Press(10, "back", "hold"))
    assert keyboard.poll(20) == keyboard.poll(30) == ()
    keyboard.close()
    os.close(read)


def test_no_standard_input_at_all(tmp_path: Path) -> None:
    code = "from hardware.buttons import open_buttons; b = open_buttons('keyboard'); print(b.poll(0)); b.close()"
    done = subprocess.run(
        f"exec '{sys.executable}' -c \"{code}\" <&-", shell=True, capture_output=True, text=True, check=True
    )
    assert done.stdout == "()\n"
