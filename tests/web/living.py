"""A simulated table that lies still, kept by the real loop, with the real page beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from calibration.profile import layout_name
from companion.arbiter.arbiter import Arbiter
from companion.arbiter.flow import Commit
from companion.arbiter.sight import Watcher
from companion.daemon import Daemon
from companion.games import rules_of, simulated_game
from companion.games.pizza.judge import EMPTY, wanted
from companion.guides import open_guide
from companion.journal import Journal
from companion.simulator.scene import Scene, Topping
from companion.vision.eyes import open_eyes
from companion.web.hub import Hub, share
from companion.web.whole import Files, open_page
from hardware.buttons import ScriptedButtons
from hardware.camera import open_camera
from hardware.display import open_display

TURN_S = 0.04


class Living:
    """A table set up for two players, its loop in a thread.

    Args:
        folder: for journal and profile.
        seed: of the table.
        config: file of the settings.
        size: of the camera's pictures, px.
        game: which one; of another than pizza the table is empty at first, see :meth:`lay`.
        events: of its record, that have happened already.
    """

    def __init__(
        self,
        folder: Path,
        seed: int = 3,
        config: Path | None = None,
        size: tuple[int, int] = (960, 720),
        game: str = "pizza",
        events: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.folder = folder
        self.table: Any = simulated_game(game)(3 if game == "wizard_cards" else 2, seed, size=size)
        self.profile = folder / "profile"
        self.table.calibrate(self.profile)
        self.hub = Hub()
        self.picture = self.draw() if game == "pizza" else self.drawn(Scene())
        camera = open_camera("simulated", {"frame": lambda t_ms: self.picture})
        devices = share(camera, open_display("none", {}), ScriptedButtons(()), self.hub)
        arbiter = Arbiter(
            Journal(folder), names=["Ana", "Ben"], draw=lambda: 0, board=partial(layout_name, self.profile)
        )
        arbiter.begin(self.header)
        for event in events:
            arbiter.answer(Commit(rules_of(game).parse_event(event)), 0)
        self.daemon = Daemon(
            arbiter,
            *devices,
            lambda kind, layout: Watcher(open_eyes(kind, self.profile, layout=layout)),
            lambda name: open_guide(name, self.profile),
            hub=self.hub,
        )
        page = open_page(self.hub, {"page": "here", "port": 18037}, Files(folder, self.profile, config), any_port=True)
        assert page is not None
        self.page = page
        arbiter.phone = page.phone
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def header(self) -> Mapping[str, Any]:
        return dict(self.table.header)

    def draw(self, *, empty: bool = False) -> npt.NDArray[np.uint8]:
        """The table with the toppings of the start on it, or the empty board as at the calibration."""
        if empty:
            return np.asarray(self.table.renderer.draw(Scene(), 0))
        toppings = tuple(
            Topping(space.x_mm, space.y_mm, colour, spin_deg=30.0 * i)
            for i, (name, colour) in enumerate(wanted(self.table.state).items())
            if colour != EMPTY
            for space in [self.table.state.setup.board.layout.spaces[name]]
        )
        return np.asarray(
            self.table.renderer.draw(Scene(turn_deg=self.table.stage.scene.turn_deg, toppings=toppings), 0)
        )

    def drawn(self, scene: Scene) -> npt.NDArray[np.uint8]:
        """The table with something else on it."""
        return np.asarray(self.table.renderer.draw(scene, 0))

    @property
    def link(self) -> str:
        """The address that pairs a browser."""
        return f"{self.page.address}/p/{self.page.code()}"

    def __enter__(self) -> Living:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(5)
        self.page.close()
        self.daemon.close()

    def _run(self) -> None:
        start = time.monotonic()
        while not self._stop.wait(TURN_S):
            self.daemon.turn(round((time.monotonic() - start) * 1000))
