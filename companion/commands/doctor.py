"""``companion doctor``: what is well with this machine, and what needs doing."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import ConfigError, InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.doctor.findings import Finding
    from companion.doctor.machine import Machine

INSTALLED = Path("/etc/companion/companion.toml")
WIDTH = 100


def register(commands: Any) -> None:
    """Add the subcommand to the command line."""
    parser = commands.add_parser(
        "doctor",
        help="say what is well with this machine and what needs doing",
        description="Looks at devices, service, power, clock, card, libraries and calibration, and says what needs "
        "doing. Ends with 1 when something does.",
        epilog="example: sudo companion doctor; for a bug report: sudo companion doctor --bundle report.zip",
    )
    parser.add_argument("--config", type=Path, help=f"the configuration (default: {INSTALLED}, where there is one)")
    parser.add_argument("--json", action="store_true", help="print the findings as one JSON object")
    parser.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE.zip",
        help="also write settings, versions, journal and log for a bug report, with other names for the players",
    )
    parser.add_argument("--picture", action="store_true", help="with --bundle: also a picture of the camera")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Examine the machine and print the page."""
    from companion.doctor.machine import Machine

    return examine(args, Machine())


def examine(args: argparse.Namespace, machine: Machine) -> int:
    """Examine a machine; returns 1 when something needs doing."""
    from datetime import date

    from companion.config import load_config
    from companion.doctor import devices, system, table
    from companion.doctor.bundle import write_bundle
    from companion.doctor.findings import ok, todo

    if args.picture and args.bundle is None:
        raise InputError("--picture belongs to --bundle")
    file: Path | None = args.config or (INSTALLED if INSTALLED.exists() else None)
    try:
        config = load_config(file)
        settings = ok("settings", str(file) if file else "the defaults (no configuration file)")
    except ConfigError as error:
        if file is not None and not file.exists():
            raise
        config = load_config()
        settings = todo("settings", str(error), "mend it; below, the defaults are taken instead")
    pictures: list[npt.NDArray[np.uint8]] = []
    state = system.service_state(machine)
    it = devices.Situation(machine, config, str(file or "your configuration"), state.get("ActiveState") == "active")
    sees = config.camera["driver"] != "none"
    findings = [
        settings,
        system.service(state),
        devices.display(it),
        devices.camera(it, pictures.append if args.picture else None),
        devices.buttons(it),
        *table.profile(config.profile, wanted=sees, dice=config.game["dice"]),
        table.game(config.data),
        system.power(machine),
        system.clock(machine, date.today()),
        system.disk(machine, config.data),
        system.font(),
        system.versions(machine),
    ]
    report = {"machine": about(machine), "findings": [finding_json(f) for f in findings], "todo": count(findings)}
    text = page(findings, about(machine))
    print(json.dumps(report) if args.json else text)
    if args.bundle is not None:
        write_bundle(args.bundle, machine, config, file, text, report, pictures[0] if pictures else None)
        if not args.json:
            print(f"\nwritten: {args.bundle} (the players' names are replaced; look through it before you send it)")
            if args.picture and not pictures:
                print("without a picture: see what is said of the camera above")
    return 1 if count(findings) else 0


def count(findings: Sequence[Finding]) -> int:
    """How many things need doing."""
    return sum(f.state == "todo" for f in findings)


def finding_json(finding: Finding) -> dict[str, str]:
    """A finding as data."""
    return {"name": finding.name, "state": finding.state, "says": finding.says, "do": finding.do}


def about(machine: Machine) -> str:
    """The machine in one line: program, computer, system."""
    version = machine.version("tabletop-companion") or "(not installed)"
    model = machine.text("/proc/device-tree/model") or "no Raspberry Pi"
    names = [line.split("=", 1)[1].strip('"') for line in machine.text("/etc/os-release").splitlines() if "=" in line]
    system = next((n for n in names if " " in n), "unknown system")
    return f"companion {version} on {model}, {system}"


def page(findings: Sequence[Finding], heading: str) -> str:
    """The findings as a page for people.

    >>> from companion.doctor.findings import ok, todo
    >>> print(page([ok("font", "draws en"), todo("display", "I2C is off", "sudo reboot")], "companion 1"))
    companion 1
    <BLANKLINE>
      ok    font      draws en
      TODO  display   I2C is off
                      -> sudo reboot
    <BLANKLINE>
    1 thing needs doing.
    """
    lines = [heading, ""]
    for finding in findings:
        mark = {"ok": "ok", "note": "-", "todo": "TODO"}[finding.state]
        start = f"  {mark:6}{finding.name:10}"
        lines += _wrapped(" ".join(finding.says.split()), start, " " * 18)
        if finding.do:
            lines += _wrapped(finding.do, " " * 18 + "-> ", " " * 21)
    number = count(findings)
    end = {0: "All is well.", 1: "1 thing needs doing."}.get(number, f"{number} things need doing.")
    return "\n".join([*lines, "", end])


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    """Lines of a text; what is to be typed or opened is not broken at its hyphens."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )
