"""Guards the card game as it is played: drawn pictures, the enrolled deck, the real eyes, the arbiter, the players."""

from __future__ import annotations

from pathlib import Path

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.sight import Watcher
from companion.daemon import Daemon
from companion.games.wizard_cards.table import SimulatedGame
from companion.journal import Journal
from companion.vision.eyes import open_eyes
from hardware.base import Press
from hardware.camera import open_camera
from hardware.display import open_display

ROUNDS = 2
STEP_MS = 200


class Fingers:
    """The players' fingers on the buttons."""

    def __init__(self) -> None:
        self.pressed: tuple[Press, ...] = ()

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        presses, self.pressed = self.pressed, ()
        return presses

    def close(self) -> None:
        """There is nothing to close."""


def test_the_first_rounds_are_read_without_a_wrong_event(tmp_path: Path) -> None:
    game = SimulatedGame(3, 2)
    profile = tmp_path / "profile"
    game.calibrate(profile)
    arbiter, fingers = Arbiter(Journal(tmp_path), names=[], draw=lambda: 0), Fingers()
    arbiter.begin(game.header)
    camera, display = open_camera("simulated", {"frame": game.frame}), open_display("none", {})
    daemon = Daemon(arbiter, camera, display, fingers, lambda kind, layout: Watcher(open_eyes(kind, profile)))
    t_ms = 0
    while game.state.round <= ROUNDS:
        fingers.pressed = game.act(t_ms, arbiter.view(t_ms))
        daemon.turn(t_ms)
        t_ms += STEP_MS
    assert arbiter.game is not None
    events = [{k: v for k, v in event.items() if k != "t_ms"} for event in arbiter.game.events]
    assert events == game.truth[: len(events)] and len(game.truth) - len(events) <= 1
    assert (game.faults, game.entered, game.disputes) == ([], [], [])
