"""The part of rig_gpio that runs inside of the User Mode Linux kernel: real gpiozero and lgpio on a simulated chip."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hardware.base import ButtonName, Press
from hardware.buttons import PINS, GpioButtons
from hardware.missing import PatientButtons
from hardware.signals import GpioSignals

LABEL = sys.argv[1]
BUZZER, LED = 12, 16
START = time.monotonic()


def now_ms() -> int:
    """The loop's time."""
    return round((time.monotonic() - START) * 1000)


def expect(holds: object, what: str) -> None:
    """Print what was checked, or end."""
    print(("ok: " if holds else "does not hold: ") + what, flush=True)
    if not holds:
        sys.exit(1)


def chip() -> Path:
    """Where the simulated chip's lines can be pulled from."""
    for label in Path("/sys/kernel/config/gpio-sim").glob("*/bank0/label"):
        if label.read_text().strip() == LABEL:
            bank = label.parent
            return (
                Path("/sys/devices/platform")
                / (bank.parent / "dev_name").read_text().strip()
                / (bank / "chip_name").read_text().strip()
            )
    raise SystemExit(f"no chip {LABEL}")


CHIP = chip()


def pull(pin: int, down: bool) -> None:
    """A finger, or its end: the switch joins the pin with ground."""
    (CHIP / f"sim_gpio{pin}" / "pull").write_text("pull-down" if down else "pull-up")


def level(pin: int) -> int:
    """An output's level."""
    return int((CHIP / f"sim_gpio{pin}" / "value").read_text())


def press(button: ButtonName, ms: int = 80) -> None:
    """A finger's tap."""
    pull(PINS[button], True)
    time.sleep(ms / 1000)
    pull(PINS[button], False)


def bounce(button: ButtonName, down: bool) -> None:
    """Five bounces of a contact within ten milliseconds, then its rest."""
    for i in range(10):
        pull(PINS[button], down == bool(i % 2 == 0))
        time.sleep(0.001)
    pull(PINS[button], down)


def polled(buttons: Any, ms: int = 200) -> list[Press]:
    """What the loop gets in a time, polling as it does."""
    got: list[Press] = []
    end = time.monotonic() + ms / 1000
    while time.monotonic() < end:
        got += buttons.poll(now_ms())
        time.sleep(0.01)
    return got


def awaited(buttons: Any, count: int = 1) -> list[Press]:
    """So many presses, however busy the machine is, and what else comes right after them."""
    got: list[Press] = []
    end = time.monotonic() + 5
    while len(got) < count and time.monotonic() < end:
        got += polled(buttons, 50)
    return got + polled(buttons, 150)


def said(presses: list[Press]) -> list[tuple[str, str]]:
    """Without the times."""
    return [(p.button, p.action) for p in presses]


def main() -> None:
    """Check all."""
    import gpiozero

    buttons = GpioButtons()
    factory = gpiozero.Device.pin_factory
    expect(type(factory).__name__ == "LGPIOFactory", f"gpiozero takes lgpio by itself, chip {factory.chip}")
    expect(Path(f"/dev/gpiochip{factory.chip}").exists(), "on the chip of this board")
    for button in PINS:
        press(button)
        expect(said(awaited(buttons)) == [(button, "press")], f"{button}: a tap is one press")
    bounce("ok", True)
    time.sleep(0.1)
    bounce("ok", False)
    expect(said(awaited(buttons)) == [("ok", "press")], "bouncing contacts at both ends: one press")
    pull(PINS["back"], True)
    held = awaited(buttons)
    pull(PINS["back"], False)
    expect(said(held) == [("back", "hold")] and polled(buttons) == [], "held two seconds: a hold, and then nothing")
    pull(PINS["up"], True)
    pull(PINS["ok"], True)
    time.sleep(0.1)
    pull(PINS["ok"], False)
    pull(PINS["up"], False)
    expect(sorted(said(awaited(buttons, 2))) == [("ok", "press"), ("up", "press")], "two at once: both")
    pull(PINS["down"], True)  # and stays: a stuck key
    polled(buttons, 300)
    press("ok")
    expect(said(awaited(buttons)) == [("ok", "press")], "a stuck key does not keep the others from working")
    pull(PINS["down"], False)
    expect(said(awaited(buttons)) == [("down", "press")], "and works again when it is loose")

    late = []
    for _ in range(20):
        edges = len(buttons._edges)
        start = time.monotonic()
        pull(PINS["up"], True)
        while len(buttons._edges) == edges and time.monotonic() - start < 1:
            time.sleep(0.0005)
        late.append((time.monotonic() - start) * 1000)
        pull(PINS["up"], False)
        polled(buttons, 60)
    expect(
        sorted(late)[-2] < 50, f"an edge is told within {sorted(late)[len(late) // 2]:.1f} ms (worst {max(late):.1f})"
    )

    class Broken(list):  # type: ignore[type-arg]
        def append(self, item: object) -> None:
            raise RuntimeError("broken")

        def popleft(self) -> Any:
            raise AssertionError

    whole, buttons._edges = buttons._edges, Broken()  # type: ignore[assignment]
    press("ok")
    buttons._edges = whole
    alive = [t.name for t in threading.enumerate()]
    press("down")
    got = said(awaited(buttons))
    expect(("down", "press") in got, f"a callback that raises kills nobody ({len(alive)} threads)")

    buttons.close()
    press("ok")  # an edge after the end
    again = GpioButtons()
    press("up")
    expect(said(awaited(again)) == [("up", "press")], "closed and opened again in one process")
    again.close()

    hold = (
        f"import lgpio, time\nchip = lgpio.gpiochip_open({factory.chip})\nlgpio.gpio_claim_input(chip, 21)\n"
        "print(1, flush=True)\ntime.sleep(30)\n"
    )
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, cwd="/tmp") as other:
        assert other.stdout is not None
        other.stdout.readline()
        patient = PatientButtons(lambda: GpioButtons({**PINS, "up": 21}))
        expect(polled(patient, 300) == [], "pins in use by another program: the loop goes on")
        expect(patient._said, f"and says so: {patient._said}")
        other.kill()
        other.wait()
    polled(patient, 1500)
    press("ok")
    expect(said(awaited(patient)) == [("ok", "press")], "free again: the buttons work")
    patient.close()

    signals = GpioSignals(BUZZER, LED)
    signals.play("turn", now_ms())
    expect((level(BUZZER), level(LED)) == (1, 1), "buzzer and LED are on")
    time.sleep(0.09)
    signals.turn(now_ms())
    expect((level(BUZZER), level(LED)) == (0, 0), "and off")
    signals.play("wrong", now_ms(), sound=False)
    expect((level(BUZZER), level(LED)) == (0, 1), "without sound the LED alone")
    signals.close()
    expect(Path.cwd() == Path("/"), "lgpio does not move the process to another folder")
    expect(not list(Path.cwd().glob(".lgd-nfy*")), "lgpio's pipes are not in the working directory")
    expect(list(Path(tempfile.gettempdir()).glob(".lgd-nfy*")), "but in the folder for such things")
    print(f"real gpiozero {version('gpiozero')} and lgpio on a simulated {LABEL}, chip {factory.chip}")


if __name__ == "__main__":
    os.chdir("/")
    main()
