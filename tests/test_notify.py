"""Guards what systemd is told: ready once, the display's words when they change, life only while there is some."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.cli import main
from companion.commands import run
from companion.notify import LONGEST, Supervisor, status_line
from companion.screens.view import T, View, verbatim
from hardware.buttons import ScriptedButtons
from hardware.camera import NoCamera
from hardware.display import NoDisplay


class Manager:
    """The other end of the socket."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.setblocking(False)

    def told(self) -> list[str]:
        messages = []
        while True:
            try:
                messages += self.socket.recv(4096).decode().split("\n")
            except BlockingIOError:
                return messages


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[tuple[Manager, dict[str, str]]]:
    address = str(tmp_path / "notify")
    it = Manager(address)
    yield it, {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "20000000"}
    it.socket.close()


def test_the_first_turn_makes_it_ready_and_the_rest_tells_what_changed(
    manager: tuple[Manager, dict[str, str]],
) -> None:
    systemd, environment = manager
    supervisor = Supervisor(environment)
    assert systemd.told() == []
    supervisor.turned(0, "Ana | place", alive=True)
    assert systemd.told() == ["READY=1", "STATUS=Ana | place", "WATCHDOG=1"]
    supervisor.turned(50, "Ana | place", alive=True)
    assert systemd.told() == []
    supervisor.turned(100, "Bén | place", alive=True)
    assert systemd.told() == ["STATUS=Bén | place"]
    supervisor.stopping()
    assert systemd.told() == ["STOPPING=1"]


def test_the_watchdog_is_fed_four_times_in_its_time_and_never_while_it_is_not_alive(
    manager: tuple[Manager, dict[str, str]],
) -> None:
    systemd, environment = manager
    supervisor = Supervisor(environment)
    fed = []
    for t_ms in range(0, 40_000, 50):
        supervisor.turned(t_ms, "", alive=not 10_000 <= t_ms < 25_000)
        fed += [t_ms] * systemd.told().count("WATCHDOG=1")
    assert fed == [0, 5000, 25_000, 30_000, 35_000]


def test_a_service_without_watchdog_feeds_none(manager: tuple[Manager, dict[str, str]]) -> None:
    systemd, environment = manager
    del environment["WATCHDOG_USEC"]
    Supervisor(environment).turned(0, "", alive=True)
    assert systemd.told() == ["READY=1"]


def test_a_socket_of_the_abstract_kind_is_found() -> None:
    systemd = Manager("\0companion-test-notify")
    Supervisor({"NOTIFY_SOCKET": "@companion-test-notify"}).turned(0, "", alive=True)
    assert systemd.told() == ["READY=1"]
    systemd.socket.close()


def test_a_manager_that_has_gone_ends_nothing(tmp_path: Path) -> None:
    Supervisor({"NOTIFY_SOCKET": str(tmp_path / "none")}).turned(0, "x", alive=True)


def test_the_status_is_one_line_in_the_players_language() -> None:
    names = View("x", title=verbatim("A\nB"), choices=(T("yes"), T("no")), chosen=1)
    assert status_line(names, "en") == "A B | no"
    assert status_line(names, "de") == "A B | nein"
    assert len(status_line(View("x", big=verbatim("y" * 5000)), "en")) == LONGEST


def test_the_live_loop_is_alive_while_its_camera_is_not_stuck(
    manager: tuple[Manager, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    systemd, environment = manager
    camera = NoCamera()
    told = []

    def moments() -> Iterator[int]:
        for t_ms in range(0, 40_000, 1000):
            camera.stuck = 10_000 <= t_ms < 25_000
            yield t_ms
            told.extend((t_ms, line.partition("=")[0]) for line in systemd.told())

    (tmp_path / "companion.toml").write_text('[game]\nlanguage = "de"\n')
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(run, "live_moments", moments)
    monkeypatch.setattr(run, "open_devices", lambda config: (camera, NoDisplay(), ScriptedButtons(())))
    assert main(["run", "--config", str(tmp_path / "companion.toml")]) == 0
    assert [t for t, what in told if what == "WATCHDOG"] == [0, 5000, 25_000, 30_000, 35_000]
    assert [what for t, what in told if t == 0] == ["READY", "STATUS", "WATCHDOG"]
    assert systemd.told() == ["STOPPING=1"]
