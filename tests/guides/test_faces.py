"""Enrolling dice led by the display: drawn pictures and presses in, a profile out that reads drawn throws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.faces import load_faces
from calibration.kinds import used_kind
from companion.errors import InputError
from companion.guides.faces import NUMERALS, TAKES, WIZARD, FacesGuide, guide
from companion.simulator.dice_table import DiceTable
from companion.simulator.scene import Die, Scene
from companion.vision.added import added, is_die
from companion.vision.symbols import read_symbol_dice
from hardware.base import Press

SIZE = (640, 480)


class Player:
    """Does what the display asks for."""

    def __init__(self, guide: FacesGuide, seed: int = 2) -> None:
        self.guide = guide
        self.table = DiceTable(seed, SIZE)
        self.rng = np.random.default_rng(seed)
        self.noises = [self.rng.normal(0, 0.7, (SIZE[1], SIZE[0], 3)).astype(np.float32) for _ in range(5)]
        self.t_ms = 0

    def show(self, *dice: Die, moments: int = 7) -> None:
        """Let the camera see dice lie still for a while."""
        picture = self.table.draw(Scene(dice=dice), 0)
        for k in range(moments):
            noise = self.noises[k % len(self.noises)]
            self.guide.see(self.t_ms, np.clip(picture + noise, 0, 255).astype(np.uint8))
            self.t_ms += 200

    def hand(self) -> None:
        """Something moves over the table."""
        for k in range(2):
            picture = self.table.draw(Scene(), 0)
            picture[100:380, 150 + 60 * k : 330 + 60 * k] = (120, 150, 200)
            self.guide.see(self.t_ms, picture)
            self.t_ms += 200

    def press(self, button: str) -> None:
        self.guide.press(Press(self.t_ms, button, "press"))  # type: ignore[arg-type]

    def die(self, face: int | str) -> Die:
        value = (*WIZARD, *NUMERALS).index(face) % 6 + 1
        x, y = self.rng.uniform(-15, 15, 2)
        return Die(float(x), float(y), value, self.table.body, spin_deg=float(self.rng.uniform(0, 360)))

    def begin(self) -> None:
        self.press("ok")
        self.show()
        assert self.guide.view(self.t_ms).code == "guide.dice.show"

    def take(self) -> None:
        """Lay the die that is asked for down once more, turned."""
        face = self.guide.face
        assert face is not None
        self.hand()
        self.show(self.die(face), moments=9)


def test_six_faces_are_enrolled_and_then_read(tmp_path: Path) -> None:
    guided = guide(tmp_path, "wizard")
    assert isinstance(guided, FacesGuide)
    player = Player(guided)
    player.begin()
    asked = []
    for _ in range(25):  # a die that fell nearly as it lay before is asked for again
        if guided.face is not None:
            asked.append(guided.face)
            player.take()
    assert list(dict.fromkeys(asked)) == list(WIZARD)
    assert guided.face is None
    assert player.t_ms < 120_000  # of the table's time
    player.show(moments=2)
    view = guided.view(player.t_ms)
    assert (view.code, view.facts["alike"]) == ("guide.dice.judge", ())
    player.press("ok")
    assert (guided.done, used_kind(tmp_path)) == ("saved", "wizard")
    enrolled = load_faces(tmp_path, "wizard")
    assert enrolled.counts == dict.fromkeys(enrolled.counts, TAKES)
    right = wrong = 0
    for k in range(3):
        places = player.rng.permutation(9)[:6]
        dice = [
            Die((p % 3 - 1) * 34.0, (p // 3 - 1) * 34.0, v, player.table.body, spin_deg=37.0 * v + 11 * k)
            for v, p in enumerate(places.tolist(), 1)
        ]
        picture = player.table.draw(Scene(dice=tuple(dice)), 0)
        read = read_symbol_dice(picture, enrolled.model)
        for die in dice:
            x, y, w, h = player.table.box(die)
            at = [
                r
                for r in read
                if np.hypot(r.box[0] + r.box[2] / 2 - x - w / 2, r.box[1] + r.box[3] / 2 - y - h / 2) < w / 2
            ]
            right += bool(at) and at[0].value == WIZARD[die.value - 1]
            wrong += bool(at) and at[0].value not in (None, WIZARD[die.value - 1])
    assert wrong == 0
    assert right >= 16


def test_back_takes_the_last_face_again_and_at_the_start_leaves(tmp_path: Path) -> None:
    player = Player(FacesGuide(tmp_path, "mine", ("blue", "red")))
    player.begin()
    for _ in range(2 * TAKES):
        if player.guide.face == "blue":
            player.take()
    assert player.guide.face == "red"
    player.press("back")
    assert player.guide.face == "blue"
    player.press("back")
    player.press("back")
    assert player.guide.done == "left"
    assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_is_said_and_not_taken(tmp_path: Path) -> None:
    player = Player(FacesGuide(tmp_path, "mine", ("blue", "red")))
    player.begin()
    body = player.table.body
    player.hand()
    player.show(Die(-20, 0, 1, body), Die(30, 0, 2, body), moments=9)
    assert player.guide.view(player.t_ms).facts["trouble"] == "many"
    player.hand()
    player.show(Die(0, 0, 1, body), moments=9)
    assert player.guide.view(player.t_ms).facts["taken"] == 1
    player.hand()
    player.show(Die(0, 0, 1, body), moments=9)  # put back as it was
    assert player.guide.view(player.t_ms).facts["trouble"] == "same"
    assert player.guide.view(player.t_ms).facts["taken"] == 1


def test_faces_and_kinds_that_cannot_be_are_refused(tmp_path: Path) -> None:
    for variety in ("../x", "pips", "mine:a", "mine:a,a"):
        with pytest.raises(InputError):
            guide(tmp_path, variety)
    assert guide(tmp_path, "mine:sun, moon,3").face == "sun"
    assert guide(tmp_path, "numerals").face == 1


@pytest.mark.parametrize("seed", [2, 7])
def test_what_was_laid_down_is_found_without_its_shadow(seed: int) -> None:
    table = DiceTable(seed, SIZE)
    empty = table.draw(Scene(), 0)
    assert added(empty, table.draw(Scene(), 400)) == ()
    die = Die(12, -20, 3, table.body, spin_deg=25)
    (box,) = added(empty, table.draw(Scene(dice=(die,)), 400))
    assert is_die(box, SIZE)
    assert np.abs(np.subtract(box, table.box(die))).max() <= 7
