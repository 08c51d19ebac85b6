"""The machine around the devices: service, power, clock, card, versions, font."""

from __future__ import annotations

import platform
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from companion.doctor.devices import is_pi
from companion.doctor.findings import Finding, note, ok, todo
from companion.doctor.machine import SERVICE

if TYPE_CHECKING:
    from companion.doctor.machine import Machine

OLDEST = date(2026, 1, 1)
"""The program is younger: a clock before that is wrong."""
TIGHT_MB, LOW_MB = 30, 300
"""An evening's journal takes well under 1 MB; an update needs 900 MB for a while."""
HOT_C = 80
PACKAGES = ("numpy", "opencv-python", "pillow", "gpiozero", "luma.oled", "lgpio", "picamera2")
RIVALS = ("opencv-python", "opencv-python-headless", "opencv-contrib-python", "opencv-contrib-python-headless")
LOG_HINT = f"sudo journalctl -u {SERVICE} -n 30 tells more"


def service_state(machine: Machine) -> dict[str, str]:
    """What systemd knows of the service; empty when it is not installed."""
    wanted = "LoadState,ActiveState,SubState,Result,NRestarts,StatusText"
    lines = (machine.run("systemctl", "show", SERVICE, "--property", wanted) or "").splitlines()
    state = dict(line.split("=", 1) for line in lines if "=" in line)
    return state if state.get("LoadState") == "loaded" else {}


def service(state: dict[str, str]) -> Finding:
    """Whether the service runs."""
    if not state:
        return note("service", "not installed (sudo ./install.sh makes it start with the Pi)")
    active = state.get("ActiveState", "")
    if active == "active":
        restarts = state.get("NRestarts", "0")
        if restarts != "0":
            return todo("service", f"runs, but had to be restarted: {restarts} times", LOG_HINT)
        return ok("service", f"runs; the display says: {state.get('StatusText') or '(nothing yet)'}")
    if active == "inactive":
        return todo("service", "is stopped", f"sudo systemctl start {SERVICE}")
    if state.get("SubState") == "start":
        return note("service", "is starting")
    why = {
        "watchdog": "it hung",
        "exit-code": "it ended with an error",
        "start-limit-hit": "it failed too often",
        "timeout": "it did not get ready",
        "oom-kill": "the memory was full",
    }.get(state.get("Result", ""), state.get("Result", "") or "unknown")
    return todo("service", f"does not run: {why}", f"{LOG_HINT}; then sudo systemctl restart {SERVICE}")


def power(machine: Machine) -> Finding:
    """Under-voltage and heat, now and since the start."""
    if not is_pi(machine):
        return note("power", "told on a Raspberry Pi only")
    degrees = machine.text("/sys/class/thermal/thermal_zone0/temp")
    warm = f", {int(degrees) // 1000} degrees" if degrees.isdigit() else ""
    bits = throttled(machine)
    if bits is None:
        return note("power", f"this Pi does not tell (no vcgencmd){warm}")
    if bits & 0x1:
        return todo("power", f"too low a voltage right now{warm}", "use the Pi's own power supply and a short cable")
    if bits & 0x10000:
        return todo(
            "power",
            f"the voltage was too low since the start{warm}",
            "use the Pi's own power supply and a short cable; then restart the Pi",
        )
    if bits & 0xE:
        return todo("power", f"slowed down by heat{warm}", "give the Pi air, or a heat sink")
    if bits & 0xE0000:
        return todo("power", f"was slowed down by heat since the start{warm}", "give the Pi air; then restart it")
    return ok("power", f"enough, never too little since the start{warm}")


def throttled(machine: Machine) -> int | None:
    """The firmware's bits: 0 under-voltage, 1 capped, 2 throttled, 3 hot; 16 to 19 the same since the start.

    Source: the Raspberry Pi's documentation of ``vcgencmd get_throttled``.
    """
    told = machine.run("vcgencmd", "get_throttled") or ""
    if found := re.search(r"throttled=0x([0-9a-fA-F]+)", told):
        return int(found[1], 16)
    for path in machine.paths("/sys/devices/platform/soc/*/get_throttled"):
        if re.fullmatch(r"(0x)?[0-9a-fA-F]+", text := machine.text(path)):
            return int(text, 16)
    for path in machine.paths("/sys/class/hwmon/hwmon*/in0_lcrit_alarm"):
        if machine.text(str(Path(path).with_name("name"))) == "rpi_volt":
            return 0x10000 if machine.text(path) == "1" else 0
    return None


def clock(machine: Machine, today: date) -> Finding:
    """Whether the clock can be believed."""
    advice = "connect the Pi to the network and: sudo timedatectl set-ntp true (games are dated by it, rules are not)"
    if today < OLDEST:
        return todo("clock", f"says {today}, which can't be", advice)
    told = (machine.run("timedatectl", "show", "--property", "NTPSynchronized", "--value") or "").strip()
    if told == "yes" or machine.paths("/run/systemd/timesync/synchronized"):
        return ok("clock", "set by the network")
    if told == "no":
        return todo("clock", f"says {today}, but was not set by the network since the start", advice)
    return note("clock", f"says {today}; whether that is true is not known here")


def disk(machine: Machine, data: Path) -> Finding:
    """Whether the games can be saved."""
    shown = data.absolute()
    if machine.read_only(data):
        return todo(
            "card",
            f"{shown} can't be written: its file system is read-only",
            "restart the Pi; if it stays so, the card is worn out or locked: copy it to a new one",
        )
    free = machine.free_mb(data)
    if free < TIGHT_MB:
        return todo("card", f"{free} MB are free for {shown}", "delete something, such as old recordings")
    if data.exists() and machine.barred(str(data)):
        return todo(
            "card",
            f"the user {machine.user} may not write {shown}",
            f"sudo chown -R {machine.user}: {shown}",
        )
    if free < LOW_MB:
        return note("card", f"{free} MB are free for {shown}: enough to play, not to update")
    return ok("card", f"{free} MB are free for {shown}")


def versions(machine: Machine) -> Finding:
    """Python and the libraries, and whether two kinds of OpenCV are in each other's way."""
    found = {name: version for name in PACKAGES if (version := machine.version(name)) is not None}
    text = ", ".join([f"Python {platform.python_version()}", *(f"{name} {v}" for name, v in found.items())])
    rivals = [name for name in RIVALS if machine.version(name) is not None]
    if len(rivals) > 1:
        return todo(
            "versions",
            f"{' and '.join(rivals)} are both installed and overwrite each other",
            f"pip uninstall {' '.join(rivals)}; pip install opencv-python",
        )
    missing = [name for name in PACKAGES[:5] if name not in found and not (name == "opencv-python" and rivals)]
    if missing:
        return todo("versions", f"not installed: {', '.join(missing)}", "sudo ./install.sh again")
    return ok("versions", text)


def font() -> Finding:
    """Whether a screen can be drawn in every language: font and catalogues are there."""
    from companion.screens.language import LANGUAGES, LOCALES, Translator
    from companion.screens.render import render
    from companion.screens.view import T, View, verbatim

    reinstall = "sudo ./install.sh again (or pip install --force-reinstall)"
    try:
        for language in LANGUAGES:
            render(View("doctor", title=verbatim("ñüéêºß"), big=T("yes")), (128, 64), Translator(language), 0)
            if language != "en" and not (LOCALES / language / "LC_MESSAGES" / "companion.mo").exists():
                return todo("font", f"the display's words for {language} are missing", reinstall)
    except OSError as error:
        return todo("font", f"the display's font can't be read: {error}", reinstall)
    return ok("font", f"draws {', '.join(LANGUAGES)}")
