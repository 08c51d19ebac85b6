"""Guards that each fault of a device is told apart, and what to do about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from companion.config import load_config
from companion.doctor import devices
from companion.doctor.devices import Situation
from companion.errors import ButtonsError, CameraError

from .machine import Pi

Change = Callable[[Pi], Any]
CHECKS = {"display": devices.display, "camera": devices.camera, "buttons": devices.buttons}


def look(name: str, pi: Pi, *, running: bool = False, **settings: Any) -> Any:
    config = load_config()
    config = dataclasses.replace(config, **{name: {**getattr(config, name), **settings}})
    return CHECKS[name](Situation(pi, config, "/etc/companion/companion.toml", running))


@pytest.mark.parametrize("name", CHECKS)
def test_a_pi_on_which_all_is_well_needs_nothing(name: str) -> None:
    assert look(name, Pi()).state == "ok"
    assert look(name, Pi(), running=True).state == "ok"


def no_i2c(pi: Pi) -> None:
    del pi.files["/dev/i2c-1"]


def i2c_off(pi: Pi) -> None:
    no_i2c(pi)
    pi.files["/boot/firmware/config.txt"] = "#dtparam=i2c_arm=on\ndtparam=audio=on\n"


def no_pi(pi: Pi) -> None:
    pi.files = {}


@pytest.mark.parametrize(
    ("change", "says", "do"),
    [
        (i2c_off, "I2C is switched off", "raspi-config nonint do_i2c 0"),
        (no_i2c, "switched on, but there is no /dev/i2c-1 yet", "reboot"),
        (no_pi, "no /dev/i2c-1 on this machine", "set driver"),
        (lambda pi: pi.groups.update({"/dev/i2c-1": "i2c"}), "companion is not in the group i2c", "usermod -aG i2c"),
        (lambda pi: setattr(pi, "i2c", [0x3D]), "seems to be at 0x3D", "set address = 0x3D in [display] of /etc"),
        (lambda pi: setattr(pi, "i2c", []), "nothing answers at 0x3C on I2C bus 1", "SDA on 3"),
        (lambda pi: setattr(pi, "i2c", [0x50]), "there is something at 0x50", "four wires"),
        (lambda pi: setattr(pi, "i2c", TimeoutError(110, "Connection timed out")), "hangs", "SDA is on pin 3"),
        (lambda pi: setattr(pi, "i2c", PermissionError(13, "Permission denied")), "you may not use", "sudo"),
    ],
)
def test_the_display_says_why_it_is_not_found(change: Change, says: str, do: str) -> None:
    pi = Pi()
    change(pi)
    found = look("display", pi)
    assert found.state == "todo" and says in found.says and do in found.do


def test_a_display_that_no_library_knows_is_told_before_any_wire() -> None:
    found = look("display", Pi(), driver="ssd9999")
    assert found.state == "todo" and "ssd9999" in found.says and "[display]" in found.do
    assert look("display", Pi(), driver="none").state == "note"


def test_an_spi_display_can_be_missing_but_not_heard() -> None:
    pi = Pi()
    assert "SPI is switched off" in look("display", pi, interface="spi", port=0).says
    pi.files["/dev/spidev0.0"] = ""
    assert look("display", pi, interface="spi", port=0).state == "note"
    pi.groups["/dev/spidev0.0"] = "spi"
    assert look("display", pi, interface="spi", port=0).state == "todo"


@pytest.mark.parametrize(
    ("change", "says", "do"),
    [
        (lambda pi: setattr(pi, "ribbon", []), "no camera on the ribbon cable", "both ends of the cable"),
        (lambda pi: setattr(pi, "ribbon", CameraError("No module named picamera2")), "picamera2", "apt install"),
        (lambda pi: setattr(pi, "sees", CameraError("Device or resource busy")), "another program is using", "end it"),
        (lambda pi: setattr(pi, "sees", CameraError("no picture within 12 s")), "gives no picture", "cable"),
        (lambda pi: setattr(pi, "sees", np.zeros((9, 9, 3), np.uint8)), "all but black", "cap"),
    ],
)
def test_the_ribbon_cables_camera_says_why_it_gives_no_picture(change: Change, says: str, do: str) -> None:
    pi = Pi()
    change(pi)
    found = look("camera", pi)
    assert found.state == "todo" and says in found.says and do in found.do


def test_a_busy_camera_names_the_program_that_has_it() -> None:
    pi = Pi()
    pi.sees, pi.using = CameraError("Failed to acquire camera"), ["rpicam-hello (process 812)"]
    assert "rpicam-hello (process 812) is using it" in look("camera", pi).says


def test_a_camera_of_the_running_service_is_left_to_it() -> None:
    pi = Pi()
    pi.sees = AssertionError("must not be opened")
    assert "the running service has it" in look("camera", pi, running=True).says
    pi.ribbon = []
    assert look("camera", pi, running=True).state == "todo"


def test_a_group_that_is_missing_is_why_no_ribbon_camera_is_seen() -> None:
    pi = Pi()
    pi.ribbon, pi.groups = [], {"/dev/media0": "video"}
    assert "usermod -aG video companion" in look("camera", pi).do
    assert "there is 0 (imx708)" in look("camera", Pi(), device=1).says


def test_usb_cameras_are_found_by_their_devices() -> None:
    assert look("camera", Pi(), driver="opencv").state == "ok"
    found = look("camera", Pi(), driver="opencv", device=2)
    assert "no /dev/video2; there is /dev/video0" in found.says and "device" in found.do
    pi = Pi()
    pi.groups["/dev/video0"] = "video"
    assert "group video" in look("camera", pi, driver="opencv").says
    del pi.files["/dev/video0"]
    assert "plug it in" in look("camera", pi, driver="opencv").do


@pytest.mark.parametrize(
    ("change", "says", "do"),
    [
        (no_pi, "no pins", "keyboard"),
        (lambda pi: pi.groups.update({"/dev/gpiochip0": "gpio"}), "group gpio", "usermod -aG gpio"),
        (lambda pi: setattr(pi, "down", ["ok", "back"]), "reads as pressed: ok, back", "between its pin and ground"),
        (lambda pi: setattr(pi, "down", ButtonsError("buttons: 'GPIO busy'")), "another program", "other pins"),
        (lambda pi: setattr(pi, "down", ButtonsError("unable to load any pin factory")), "pin factory", "lgpio"),
    ],
)
def test_the_buttons_say_why_they_can_not_be_read(change: Change, says: str, do: str) -> None:
    pi = Pi()
    change(pi)
    found = look("buttons", pi)
    assert found.state == "todo" and says in found.says and do in found.do
