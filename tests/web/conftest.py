"""A game at a table seen by perfect eyes, its loop in a thread, and the page's application beside it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from starlette.testclient import TestClient

from calibration.geometry import PlaneMap
from companion.arbiter.sight import Sight
from companion.daemon import Daemon
from companion.layout import load_layout
from companion.vision.places import places_of
from companion.vision.pose import BoardPose
from companion.web.doors import Doors, Role
from companion.web.hub import Hub, share
from companion.web.whole import Files, whole_app
from hardware.buttons import ScriptedButtons
from hardware.camera import open_camera
from hardware.display import open_display

from ..arbiter.settled import Table, ready

HOST = "127.0.0.1:8037"
SIZE = (320, 240)


class Eyes:
    """Gives the table's pieces as a settled reading; in the place of a watcher."""

    bottom = 1

    def __init__(self, table: Table) -> None:
        self._table = table
        pose = BoardPose(PlaneMap((0.004, 0, 0, 0, -0.004, 0, 0, 0, 1), 0.0, SIZE), 150.0)
        self._places = places_of(pose, load_layout("hex37"))

    def see(self, t_ms: int, picture: Any, *, dice: bool = True) -> Sight:
        return Sight(settled=self._table.reading(), since_ms=max(0, t_ms - 1000))

    @property
    def latest(self) -> Any:
        return self._table.reading()

    def places(self) -> Any:
        return self._places


@dataclass
class Stage:
    """The table, its loop and its page."""

    folder: Path
    table: Table
    hub: Hub
    daemon: Daemon
    doors: Doors
    app: Any
    config: Path
    picture: list[npt.NDArray[np.uint8] | None] = field(default_factory=list)

    def client(self, role: Role | None = "player") -> Client:
        """A browser, paired as a role or not at all."""
        return Client(self, role)

    @property
    def events(self) -> list[dict[str, Any]]:
        return self.table.events


class Client:
    """A browser at the page."""

    def __init__(self, stage: Stage, role: Role | None) -> None:
        self.http = TestClient(stage.app, base_url=f"http://{HOST}", raise_server_exceptions=True)
        self.csrf = ""
        if role is not None:
            code = stage.doors.code(role, 0.0)
            token = stage.doors.pair(code, "10.0.0.7", f"a {role}", 0.0)
            assert token is not None
            self.http.cookies.set("companion", token)
            self.csrf = stage.doors.csrf(token)

    def get(self, path: str, **more: Any) -> Any:
        return self.http.get(path, **more)

    def post(self, path: str, data: Any = None, **headers: str) -> Any:
        given = {"origin": f"http://{HOST}", "x-csrf": self.csrf, "content-type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {k: v for k, v in given.items() if v}
        return self.http.post(path, content=json.dumps(data or {}).encode(), headers=sent)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    table = ready(tmp_path, players=2)
    hub = Hub()
    pictures: list[npt.NDArray[np.uint8] | None] = [np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)]
    camera = open_camera("simulated", {"frame": lambda t_ms: pictures[0]})
    devices = share(camera, open_display("none", {}), ScriptedButtons(()), hub)
    eyes: Any = Eyes(table)
    daemon = Daemon(table.arbiter, *devices, lambda kind, layout: eyes, hub=hub)
    config = tmp_path / "companion.toml"
    config.write_text('# ours\n[game]\nlanguage = "en"  # of the display\n')
    doors = Doors(None)
    files = Files(tmp_path, tmp_path / "profile", config)
    app = whole_app(hub, doors, files, lambda: f"http://{HOST}")
    stop = threading.Event()

    def turn() -> None:
        t_ms = 10_000
        while not stop.wait(0.002):
            t_ms += 100
            daemon.turn(t_ms)

    daemon.turn(10_000)
    thread = threading.Thread(target=turn)
    thread.start()
    yield Stage(tmp_path, table, hub, daemon, doors, app, config, pictures)
    stop.set()
    thread.join()
