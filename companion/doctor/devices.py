"""Camera, display and buttons: found or not, and why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.doctor.findings import Finding, note, ok, todo
from companion.errors import ButtonsError, CameraError, CompanionError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.config import Config
    from companion.doctor.machine import Machine

BOOT_CONFIGS = ("/boot/firmware/config.txt", "/boot/config.txt")
OLED_ADDRESSES = (0x3C, 0x3D)
DARK = 12  # mean grey level below which a picture shows nothing


@dataclass(frozen=True, slots=True)
class Situation:
    """What the checks of devices look at.

    Args:
        machine: the machine.
        config: the settings.
        file: the configuration file, as the user is to be told of it.
        running: whether the service runs now, and so holds the devices.
    """

    machine: Machine
    config: Config
    file: str
    running: bool

    def barred(self, name: str, path: str) -> Finding | None:
        """A finding when the companion's user may not use a device."""
        group = self.machine.barred(path)
        if not group:
            return None
        user = self.machine.user
        return todo(
            name,
            f"{path} is there, but the user {user} is not in the group {group}",
            f"sudo usermod -aG {group} {user}, then restart the Pi",
        )


def is_pi(machine: Machine) -> bool:
    """Whether the machine is a Raspberry Pi."""
    return "Raspberry Pi" in machine.text("/proc/device-tree/model")


def interface_on(machine: Machine, parameter: str) -> bool:
    """Whether an interface is switched on in the Pi's boot configuration."""
    lines = [line.split("#")[0].strip() for path in BOOT_CONFIGS for line in machine.text(path).splitlines()]
    return any(
        line.startswith("dtparam=") and f"{parameter}=on" in line.removeprefix("dtparam=").split(",") for line in lines
    )


def display(it: Situation) -> Finding:
    """Whether the display can be opened and answers."""
    from hardware.display import OWN_DRIVERS, open_display

    driver = it.config.display["driver"]
    try:
        open_display(driver, it.config.display)
    except CompanionError as error:
        return todo("display", str(error), f"mend [display] in {it.file}")
    if driver in OWN_DRIVERS:
        return note("display", f'none to look for: [display] driver is "{driver}"')
    if it.config.display["interface"] == "spi":
        return _spi_display(it)
    return _i2c_display(it)


def _spi_display(it: Situation) -> Finding:
    path = f"/dev/spidev{it.config.display['port']}.0"
    if not it.machine.paths(path):
        return _no_bus(it, path, "SPI", "spi", "do_spi")
    return it.barred("display", path) or note(
        "display", f"{path} is there; an SPI display says nothing back: look whether it shows something"
    )


def _no_bus(it: Situation, path: str, bus: str, parameter: str, command: str) -> Finding:
    if not is_pi(it.machine):
        return todo("display", f"no {path} on this machine", f'set driver in [display] of {it.file}, e.g. "terminal"')
    if interface_on(it.machine, parameter):
        return todo("display", f"{bus} is switched on, but there is no {path} yet", "sudo reboot")
    return todo(
        "display", f"no {path}: {bus} is switched off", f"sudo raspi-config nonint {command} 0, then sudo reboot"
    )


def _i2c_display(it: Situation) -> Finding:
    port, address = it.config.display["port"], it.config.display["address"]
    path = f"/dev/i2c-{port}"
    if not it.machine.paths(path):
        return _no_bus(it, path, "I2C", "i2c_arm", "do_i2c")
    if barred := it.barred("display", path):
        return barred
    try:
        found = it.machine.scan(port)
    except OSError as error:
        reason = error.strerror or str(error)
        if isinstance(error, PermissionError):
            return todo("display", f"you may not use {path}", "run it again with sudo")
        return todo(
            "display",
            f"I2C bus {port} hangs ({reason})",
            "unplug the Pi; check that SDA is on pin 3, SCL on pin 5, and that no wires touch",
        )
    driver = it.config.display["driver"]
    if address in found:
        return ok("display", f"something answers at 0x{address:02X} on I2C bus {port} ({driver})")
    others = [other for other in OLED_ADDRESSES if other in found]
    if others:
        return todo(
            "display",
            f"nothing answers at 0x{address:02X} on I2C bus {port}, but a display seems to be at 0x{others[0]:02X}",
            f"set address = 0x{others[0]:02X} in [display] of {it.file}",
        )
    also = f" (there is something at {', '.join(f'0x{a:02X}' for a in found)})" if found else ""
    return todo(
        "display",
        f"nothing answers at 0x{address:02X} on I2C bus {port}{also}",
        "check its four wires: VCC on pin 1, GND on 6, SDA on 3, SCL on 5",
    )


def camera(it: Situation, keep: Callable[[npt.NDArray[np.uint8]], None] | None = None) -> Finding:
    """Whether the camera is there and gives a picture.

    Args:
        it: the situation.
        keep: takes the picture.
    """
    driver = it.config.camera["driver"]
    if driver not in ("picamera2", "opencv"):
        return note("camera", f'none to look for: [camera] driver is "{driver}"')
    try:
        missing = _no_ribbon_camera(it) if driver == "picamera2" else _no_usb_camera(it)
    except CameraError as error:
        return todo("camera", str(error), "sudo apt install python3-picamera2, then sudo ./install.sh again")
    if missing:
        return missing
    if it.running:
        return ok("camera", "found; the running service has it (for a picture: sudo systemctl stop companion first)")
    try:
        picture = it.machine.picture(it.config.camera)
    except (CameraError, OSError) as error:
        return _no_picture(it, str(error))
    if keep is not None:
        keep(picture)
    height, width = picture.shape[:2]
    if picture.mean() < DARK:
        return todo("camera", f"its picture ({width}x{height}) is all but black", "take off its cap; put a lamp on")
    return ok("camera", f"gives pictures of {width}x{height}")


def _no_ribbon_camera(it: Situation) -> Finding | None:
    number = it.config.camera["device"]
    found = it.machine.ribbon_cameras()
    if number < len(found):
        return None
    if found:
        return todo(
            "camera",
            f"no camera {number}; there is {', '.join(f'{n} ({name})' for n, name in enumerate(found))}",
            f"set device = 0 in [camera] of {it.file}",
        )
    for path in it.machine.paths("/dev/media*"):
        if barred := it.barred("camera", path):
            return barred
    if it.machine.paths("/dev/video*") and not is_pi(it.machine):
        return todo("camera", "no camera on a ribbon cable", f'for a USB camera set driver = "opencv" in {it.file}')
    return todo(
        "camera",
        "no camera on the ribbon cable",
        "switch the Pi off; check both ends of the cable (contacts towards the board's pins, clips shut); "
        'a USB camera: set driver = "opencv" in [camera]',
    )


def _no_usb_camera(it: Situation) -> Finding | None:
    path = f"/dev/video{it.config.camera['device']}"
    found = it.machine.paths("/dev/video*")
    if path in found:
        return it.barred("camera", path)
    if not found:
        return todo("camera", f"no USB camera: no {path}", "plug it in; `lsusb` must show it")
    return todo("camera", f"no {path}; there is {', '.join(found)}", f"set device in [camera] of {it.file}")


def _no_picture(it: Situation, error: str) -> Finding:
    devices = it.machine.paths("/dev/video*") + it.machine.paths("/dev/media*")
    holders = it.machine.holders(devices)
    if holders:
        return todo("camera", f"found, but {holders[0]} is using it", "end that program")
    if any(word in error.lower() for word in ("busy", "in use", "acquire")):
        return todo("camera", f"found, but another program is using it ({error})", "end it, or restart the Pi")
    return todo("camera", f"found, but gives no picture: {error}", "check its cable; restart the Pi")


def buttons(it: Situation) -> Finding:
    """Whether the pins of the buttons can be read, and none is stuck."""
    driver = it.config.buttons["driver"]
    if driver != "gpiozero":
        return note("buttons", f'none to look for: [buttons] driver is "{driver}"')
    chips = it.machine.paths("/dev/gpiochip*")
    if not chips:
        return todo("buttons", "this machine has no pins", f'set driver in [buttons] of {it.file}, e.g. "keyboard"')
    if barred := it.barred("buttons", chips[0]):
        return barred
    pins = ", ".join(f"{name} {it.config.buttons[name]}" for name in ("up", "down", "ok", "back"))
    if it.running:
        return ok("buttons", f"the running service reads them (GPIO: {pins})")
    try:
        held = it.machine.held(it.config.buttons)
    except ButtonsError as error:
        if "busy" in str(error).lower():
            return todo("buttons", f"another program has one of their pins ({error})", "end it, or choose other pins")
        return todo("buttons", str(error), "sudo apt install python3-lgpio, then sudo ./install.sh again")
    if held:
        return todo(
            "buttons",
            f"reads as pressed: {', '.join(held)} (GPIO: {pins})",
            "let go of it; else check that it is between its pin and ground, and not stuck",
        )
    return ok("buttons", f"none is pressed (GPIO: {pins}); press each in a game")
