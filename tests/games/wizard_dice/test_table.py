"""Guards the simulated table of the dice game, and with it every answer at the table: whole games by perfect eyes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.flow import Confirm
from companion.arbiter.sight import SETTLED_AFTER_MS, Sight
from companion.games.wizard_dice.judge import counted
from companion.games.wizard_dice.state import DICE, FACES
from companion.games.wizard_dice.table import SimulatedGame
from companion.journal import Journal
from companion.screens.view import View
from companion.simulator.faces import SIZE, lay_faces, numeral
from companion.simulator.optics import Lamp, look_at
from companion.simulator.scene import Cup, Die
from companion.vision.eyes import open_eyes
from companion.vision.readings import BoardReading, DieReading
from hardware.base import Press

STEP_MS = 200


def seen(table: SimulatedGame) -> BoardReading:
    """The dice in the tray as eyes without fault read them."""
    edge = 40  # px; two to a mm and a half
    dice = [
        DieReading(FACES[d.value - 1], None, (round(2.5 * d.x_mm), round(-2.5 * d.y_mm), edge, edge), 0.99)
        for d in table.stage.scene.dice
    ]
    return BoardReading("ok", spaces={}, dice=tuple(sorted(dice, key=lambda die: die.box[1])))


def play(
    table: SimulatedGame, folder: Path, confirm: Confirm = "always", *, person: bool = False, cuts: int = 0
) -> Arbiter:
    """A whole game; the table is looked at whenever nothing has moved for a while and no hand is over it.

    Args:
        table: whose game.
        folder: for the journal.
        confirm: as in the configuration.
        person: the players' buttons are dead while there is something to confirm; a person presses ok.
        cuts: after so many events each time the power is cut; the game goes on from the journal.
    """
    arbiter = Arbiter(Journal(folder), names=["Ana", "Ben"], draw=lambda: 0, confirm=confirm)
    arbiter.begin(table.header)
    cut_at = cuts
    scene, since, t_ms = table.stage.scene, 0, 0
    while not table.over:
        if cuts and len(table.truth) >= cut_at and len(events(arbiter)) == len(table.truth):
            arbiter = Arbiter(Journal(folder), names=["Ana", "Ben"], draw=lambda: 0, confirm=confirm)
            arbiter.open()
            arbiter.resume()
            arbiter.tick(t_ms)
            cut_at += cuts
        presses = table.act(t_ms, arbiter.view(t_ms))
        if person and table.confirming:
            asked = table.shown.facts.get("ask") == "dice.confirm" and t_ms % 1000 == 0
            presses = (Press(t_ms, "ok", "press"),) if asked else ()
        for press in presses:
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


@pytest.mark.parametrize(
    ("players", "seed", "confirm"), [(2, 20, "always"), (3, 17, "unsure"), (4, 22, "unsure"), (5, 11, "always")]
)
def test_whole_games_are_refereed_without_a_wrong_event_and_each_mistake_is_answered(
    tmp_path: Path, players: int, seed: int, confirm: Confirm
) -> None:
    table = SimulatedGame(players, seed)
    arbiter = play(table, tmp_path, confirm)
    assert events(arbiter) == table.truth
    assert [m for m in table.mistakes if not m.answered] == []
    assert len(table.mistakes) >= 3
    assert (table.faults, table.disputes, table.entered) == ([], [], [])


def test_a_game_goes_on_after_each_power_cut(tmp_path: Path) -> None:
    table = SimulatedGame(3, 17)
    assert events(play(table, tmp_path, cuts=7)) == table.truth
    assert table.disputes == []


def test_a_person_can_confirm_the_rolls_in_the_players_place(tmp_path: Path) -> None:
    table = SimulatedGame(2, 20)
    assert events(play(table, tmp_path, person=True)) == table.truth


def test_the_same_seed_gives_the_same_table_and_another_one_another() -> None:
    first, again, other = SimulatedGame(3, 5), SimulatedGame(3, 5), SimulatedGame(3, 6)
    for table in (first, again, other):
        table.act(0, View("off"))
    assert first.header == again.header and (first.frame(0) == again.frame(0)).all()
    assert (first.frame(0) != other.frame(0)).any()


def test_the_enrolled_eyes_read_what_lies_in_the_tray(tmp_path: Path) -> None:
    table = SimulatedGame(2, 3)
    table.calibrate(tmp_path)
    eyes = open_eyes("dice", tmp_path)
    right = 0
    for k in range(4):
        dice = table.stage.places([(k * i) % 6 + 1 for i in range(1, DICE + 1)])
        table.stage.set(dice=tuple(dice), lamp=k == 3)
        faces = [die.value for die in counted(eyes.read(table.frame(40 * k)).dice)]
        known = Counter(face for face in faces if face is not None)
        assert not known - Counter(table.faces), "a wrong face is the worst"
        right += known.total()
    assert right >= 27, f"{right} of 28 dice read"
    hidden = table.stage.scene.dice[0]
    table.stage.set(dice=table.stage.scene.dice[1:], cup=Cup(hidden.x_mm, hidden.y_mm))
    assert len(counted(eyes.read(table.frame(0)).dice)) < DICE


@pytest.mark.parametrize("value", range(1, 7))
def test_faces_are_drawn_on_dice_as_they_are_and_not_mirrored(value: int) -> None:
    camera = look_at((400, 400), 500, 0, -90, 0, (0, 0), 5000, 0)  # ten px a mm, from straight above
    art = numeral(2, (255, 255, 255))
    seen = np.zeros((400, 400, 3), np.uint8)
    faces = dict.fromkeys(range(1, 7), art)
    lay_faces(seen, Die(0, 0, value, "white"), 16, faces, camera, Lamp((0, 0, 1000), (1, 1, 1), 3), (1, 1, 1))
    rows, columns = np.nonzero(seen[..., 0] > 60)
    shown = cv2.resize(seen[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1, 0], (SIZE, SIZE))

    def unlike(picture: np.ndarray[Any, Any]) -> float:
        rows, columns = np.nonzero(picture[..., 3])
        cut = cv2.resize(picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1, 3], (SIZE, SIZE))
        return min(float(cv2.absdiff(np.ascontiguousarray(np.rot90(cut, k)), shown).mean()) for k in range(4))

    assert unlike(art) < 0.5 * unlike(np.ascontiguousarray(art[:, ::-1]))
