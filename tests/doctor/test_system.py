"""Guards what is said of service, power, clock, card and libraries."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from companion.doctor import system
from companion.doctor.machine import Machine

from .machine import SERVICE, Pi


@pytest.mark.parametrize(
    ("change", "state", "says"),
    [
        ({"LoadState": "not-found"}, "note", "not installed"),
        ({}, "todo", "is stopped"),
        ({"ActiveState": "active", "StatusText": "Ana | place"}, "ok", "the display says: Ana | place"),
        ({"ActiveState": "active", "NRestarts": "3"}, "todo", "restarted: 3 times"),
        ({"ActiveState": "failed", "Result": "watchdog"}, "todo", "it hung"),
        ({"ActiveState": "failed", "Result": "start-limit-hit"}, "todo", "failed too often"),
        (
            {"ActiveState": "activating", "SubState": "auto-restart", "Result": "exit-code"},
            "todo",
            "ended with an error",
        ),
        ({"ActiveState": "activating", "SubState": "start"}, "note", "starting"),
    ],
)
def test_the_service(change: dict[str, str], state: str, says: str) -> None:
    pi = Pi()
    pi.commands["systemctl"] = SERVICE + "".join(f"{k}={v}\n" for k, v in change.items())
    found = system.service(system.service_state(pi))
    assert found.state == state and says in found.says


@pytest.mark.parametrize(
    ("bits", "says"),
    [
        ("0x1", "right now"),
        ("0x50005", "right now"),
        ("0x10000", "was too low since the start"),
        ("0x8", "slowed down by heat"),
        ("0xe0000", "was slowed down by heat"),
    ],
)
def test_too_little_power_and_too_much_heat(bits: str, says: str) -> None:
    pi = Pi()
    pi.commands["vcgencmd"] = f"throttled={bits}\n"
    found = system.power(pi)
    assert found.state == "todo" and says in found.says and "51 degrees" in found.says


def test_power_is_told_by_the_kernel_where_vcgencmd_is_not() -> None:
    pi = Pi()
    assert system.power(pi).state == "ok"
    del pi.commands["vcgencmd"]
    assert system.power(pi).state == "note"
    pi.files |= {"/sys/class/hwmon/hwmon1/in0_lcrit_alarm": "1", "/sys/class/hwmon/hwmon1/name": "rpi_volt"}
    assert system.power(pi).state == "todo"
    pi.files["/sys/class/hwmon/hwmon1/in0_lcrit_alarm"] = "0"
    assert system.power(pi).state == "ok"


def test_a_clock_that_was_not_set_or_can_not_be_true() -> None:
    pi, today = Pi(), date(2026, 12, 1)
    assert system.clock(pi, today).state == "ok"
    assert system.clock(pi, date(1970, 1, 1)).state == "todo"
    pi.commands["timedatectl"] = "no\n"
    assert system.clock(pi, today).state == "todo"
    del pi.commands["timedatectl"]
    assert system.clock(pi, today).state == "note"


def test_a_card_that_is_full_locked_or_not_ones_own(tmp_path: Path) -> None:
    pi = Pi()
    assert system.disk(pi, tmp_path).state == "ok"
    pi.groups[str(tmp_path)] = "root"
    assert "chown -R companion:" in system.disk(pi, tmp_path).do
    pi.free = 100
    assert system.disk(pi, tmp_path / "not" / "there").state == "note"
    pi.free = 3
    assert "3 MB are free" in system.disk(pi, tmp_path).says
    pi.locked = True
    assert "read-only" in system.disk(pi, tmp_path).says


def test_libraries_that_are_missing_or_in_each_others_way() -> None:
    pi = Pi()
    assert "numpy 1.0" in system.versions(pi).says and system.versions(pi).state == "ok"
    pi.packages["opencv-python-headless"] = "5.0"
    assert "overwrite each other" in system.versions(pi).says
    del pi.packages["opencv-python"]
    assert system.versions(pi).state == "ok"
    del pi.packages["luma.oled"]
    assert "not installed: luma.oled" in system.versions(pi).says


def test_no_font(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system.font().state == "ok"

    def gone(*args: object) -> None:
        raise OSError("cannot open resource")

    monkeypatch.setattr("companion.screens.render.render", gone)
    assert "cannot open resource" in system.font().says


def test_the_real_machine_answers_every_question(tmp_path: Path) -> None:
    machine = Machine()
    assert machine.user
    assert machine.text("/etc/hostname/none") == "" and "Linux" in machine.text("/proc/version")
    assert "/dev/null" in machine.paths("/dev/nul*") and machine.barred("/dev/null") == ""
    assert machine.free_mb(tmp_path / "a" / "b") > 0 and not machine.read_only(tmp_path)
    assert machine.run("true") == "" and machine.run("false") is None and machine.run("no-such-command") is None
    assert machine.version("numpy") and machine.version("no-such-package") is None
    with (tmp_path / "held").open("w"):
        assert machine.holders([str(tmp_path / "held")]) == []  # its own files are no one else's


def test_a_file_of_another_group_is_barred_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules of access, for a user who is not root."""
    machine = Machine()
    monkeypatch.setattr(machine, "user", "nobody", raising=False)
    (tmp_path / "device").touch(mode=0o600)
    barred = machine.barred(str(tmp_path / "device"))
    assert barred == machine.barred(str(tmp_path / "device")) != ""
    (tmp_path / "device").chmod(0o666)
    assert machine.barred(str(tmp_path / "device")) == ""
