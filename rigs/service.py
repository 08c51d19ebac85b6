"""A Debian root with the companion installed by its own installer, as the rigs of service and installer need it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from frame import ProofError, Root, debian_root, network_settings

UNIT = "companion.service"
# As on Raspberry Pi OS; python3-venv is left to the installer.
PACKAGES = ("systemd", "systemd-sysv", "dbus", "passwd", "python3", "python3-numpy", "libgl1")
NO_DEVICES = '[camera]\ndriver = "none"\n[display]\ndriver = "none"\n[buttons]\ndriver = "none"\n'


class ServiceRoot(Root):
    """A booted Debian with a copy of this repository in /home/pi/companion.

    Args:
        suite: of Debian.
    """

    def __init__(self, suite: str) -> None:
        glib = "libglib2.0-0t64" if suite == "trixie" else "libglib2.0-0"
        super().__init__(debian_root(suite, (*PACKAGES, glib)))
        self.network = network_settings(self.path)
        self.checkout = self.copy_tree("/home/pi/companion")

    def __exit__(self, *how: object) -> None:
        if how[0] is not None and self.booted:  # what was going on when it failed
            with contextlib.suppress(ProofError):
                print(self.run("systemctl", "status", "--no-pager", UNIT, check=False).stdout)
                print("\n".join(self.log().splitlines()[-40:]))
        super().__exit__(*how)

    def install(self, *arguments: str, check: bool = True) -> str:
        """Run install.sh; returns what it printed."""
        done = self.run("/home/pi/companion/install.sh", *arguments, env=self.network, check=check)
        print(done.stdout)
        return f"{done.stdout}exit code {done.returncode}"

    def show(self, *names: str) -> dict[str, str]:
        """Properties of the service."""
        lines = self.run("systemctl", "show", UNIT, "--property", ",".join(names)).stdout.splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def active(self) -> bool:
        """Whether the service runs and is ready."""
        return self.show("ActiveState", "SubState") == {"ActiveState": "active", "SubState": "running"}

    def process(self) -> int:
        """The service's main process, as the root counts."""
        return int(self.show("MainPID")["MainPID"])

    def set_config(self, text: str) -> None:
        """Write the configuration, as its owner would."""
        folder = self.path / "etc" / "companion"
        folder.mkdir(exist_ok=True)
        paths = '[folders]\nprofile = "/var/lib/companion/profile"\ndata = "/var/lib/companion"\n'
        (folder / "companion.toml").write_text(text + paths)

    def log(self) -> str:
        """All that the service has written."""
        return self.run("journalctl", "--unit", UNIT, "--no-pager", "--output", "cat").stdout

    def unit(self) -> Path:
        """The installed unit's file as this machine finds it: the root's links lead on within the root."""
        found = self.run("readlink", "--canonicalize", f"/etc/systemd/system/{UNIT}").stdout.strip()
        return self.path / found.removeprefix("/")

    def inside(self, code: str) -> Any:
        """Run Python in the service's own place: its sandbox, its user, its devices; gives what it prints as JSON.

        The code runs in the unit's settings as a service of its own, so that the filter of system calls holds, too.
        """
        unit = self.unit().read_text()
        own = ("ExecStart=", "Type=", "Restart", "Watchdog", "RuntimeDirectory=")
        lines = [line for line in unit.splitlines() if not line.startswith(own)]
        program = self.path / "opt" / "probe.py"
        program.write_text(f"import json\n{code}\n")
        at = next(n for n, line in enumerate(lines) if line == "[Service]")
        lines[at + 1 : at + 1] = [
            "Type=oneshot",
            "RuntimeDirectory=probe",
            "StandardOutput=truncate:/var/lib/companion/probe.out",
            "ExecStart=/opt/tabletop-companion/current/.venv/bin/python /opt/probe.py",
        ]
        (self.path / "etc/systemd/system/probe.service").write_text("\n".join(lines))
        self.run("systemctl", "daemon-reload")
        out = self.path / "var/lib/companion/probe.out"  # of both outputs
        done = self.run("systemctl", "start", "probe", check=False)
        if done.returncode:
            log = self.run("journalctl", "--unit", "probe", "--no-pager", "--output", "cat", check=False)
            raise ProofError(f"the probe does not run: {done.stdout}{log.stdout}{out.read_text()}")
        return json.loads(out.read_text())
