"""Guards the unit and the installer's script where no root is needed; the rigs run both for real."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "systemd" / "companion.service"
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that is there."""
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", UNIT.read_text(), flags=re.MULTILINE)
    (tmp_path / UNIT.name).write_text(text)
    return tmp_path / UNIT.name


@needs_systemd
def test_systemd_has_nothing_to_say_about_the_unit(unit: Path) -> None:
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if UNIT.name in line]
    assert complaints == []


@needs_systemd
def test_the_unit_is_exposed_by_1_8_at_most(unit: Path) -> None:
    call = ["systemd-analyze", "security", "--offline=true", "--threshold=18", "--no-pager", str(unit)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if "No such file or directory" in done.stderr or "Failed to initialize" in done.stderr:
        pytest.skip(f"systemd-analyze does not work here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stdout.splitlines()[-1:]


def test_installer_and_unit_speak_of_the_same_places() -> None:
    unit, script = UNIT.read_text(), (ROOT / "install.sh").read_text()
    program = re.search(r"^ExecStart=(\S+) run --config (\S+)$", unit, re.MULTILINE)
    assert program is not None
    assert program[1] == "/opt/tabletop-companion/current/.venv/bin/companion"
    assert program[2] == "/etc/companion/companion.toml"
    for line in ("program=/opt/tabletop-companion", "etc=/etc/companion", "data=/var/lib/companion"):
        assert line in script.splitlines()
    assert "StateDirectory=companion" in unit.splitlines()
    groups = re.search(r"^SupplementaryGroups=(.*)$", unit, re.MULTILINE)
    assert groups is not None and f"for group in {groups[1]}; do" in script


def test_the_installers_example_keeps_its_data_in_var_lib() -> None:
    """The lines that install.sh changes are in the example as it expects them."""
    example = (ROOT / "companion" / "companion.toml").read_text()
    for key in ("profile", "data"):
        assert re.search(rf'^{key} = "{key}"  *#', example, re.MULTILINE)


@pytest.mark.parametrize("arguments", [["frobnicate"], ["uninstall", "--purge", "more"], ["install", "--purge"]])
def test_an_unknown_call_of_the_installer_shows_how(arguments: list[str]) -> None:
    done = subprocess.run([ROOT / "install.sh", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "sudo ./install.sh uninstall" in done.stderr
