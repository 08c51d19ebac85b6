"""Guards the simulated table of the dice game, and with it every answer at the table: whole games by perfect eyes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.flow import Confirm
from companion.arbiter.sight import SETTLED_AFTER_MS, Sight
from companion.games.wizard_dice.state import FACES
from companion.games.wizard_dice.table import SimulatedGame
from companion.journal import Journal
from companion.vision.readings import BoardReading, DieReading

STEP_MS = 200


def seen(table: SimulatedGame) -> BoardReading:
    """The dice in the tray as eyes without fault read them."""
    edge = 40  # px; two to a mm and a half
    dice = [
        DieReading(FACES[d.value - 1], None, (round(2.5 * d.x_mm), round(-2.5 * d.y_mm), edge, edge), 0.99)
        for d in table.stage.scene.dice
    ]
    return BoardReading("ok", spaces={}, dice=tuple(sorted(dice, key=lambda die: die.box[1])))


def play(table: SimulatedGame, folder: Path, confirm: Confirm = "always") -> Arbiter:
    """A whole game; the table is looked at whenever nothing has moved for a while and no hand is over it."""
    arbiter = Arbiter(Journal(folder), names=["Ana", "Ben"], draw=lambda: 0, confirm=confirm)
    arbiter.begin(table.header)
    scene, since, t_ms = table.stage.scene, 0, 0
    while not table.over:
        for press in table.act(t_ms, arbiter.view(t_ms)):
            arbiter.press(press)
        if table.stage.scene != scene:
            scene, since = table.stage.scene, t_ms
        if scene.hands or t_ms - since < SETTLED_AFTER_MS:
            arbiter.see(t_ms, Sight(hand=bool(scene.hands)))
        else:
            arbiter.see(t_ms, Sight(settled=seen(table), since_ms=since))
        t_ms += STEP_MS
    return arbiter


def events(arbiter: Arbiter) -> list[dict[str, Any]]:
    assert arbiter.game is not None
    return [{k: v for k, v in event.items() if k != "t_ms"} for event in arbiter.game.events]


@pytest.mark.parametrize("confirm", ["always", "unsure"])
@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 2), (4, 3), (5, 4)])
def test_whole_games_are_refereed_without_a_wrong_event_and_each_mistake_is_answered(
    tmp_path: Path, players: int, seed: int, confirm: Confirm
) -> None:
    table = SimulatedGame(players, seed)
    arbiter = play(table, tmp_path, confirm)
    assert events(arbiter) == table.truth
    assert [m for m in table.mistakes if not m.answered] == []
    assert len(table.mistakes) >= 3
    assert (table.faults, table.disputes, table.entered) == ([], [], [])
