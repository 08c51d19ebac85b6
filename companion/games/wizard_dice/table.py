"""The simulated table of the dice game: players who know the rules, make slips, and read the display."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from companion.games.wizard_dice.dice_form import AWAY
from companion.games.wizard_dice.hands import DiceStage
from companion.games.wizard_dice.rounds import play
from companion.games.wizard_dice.rules import RULES
from companion.games.wizard_dice.slips import SLIPS
from companion.games.wizard_dice.state import DICE, FACES, Event, Pass, State, in_order
from companion.screens.view import View
from companion.simulator.dice_table import DiceTable
from companion.simulator.players import NAMES, Players
from companion.simulator.scene import Scene
from companion.simulator.script import PATIENCE_MS, Script, Until, Wait
from companion.simulator.stage import HUMAN, HURRY

if TYPE_CHECKING:
    from hardware.base import ButtonName

PATIENCE_FIRST_MS = 12_000  # then people enter the roll by the buttons
KIND = "wizard"
ENROLLED = 3  # pictures, each of all seven dice


class SimulatedGame(Players):
    """A table with two to five players (see :class:`companion.simulator.base.SimulatedGame`).

    Args:
        players: two to five.
        seed: chooses table, dice, players, game and slips.
        size: width and height of the camera's pictures in px.
    """

    kinds = SLIPS
    state: State

    def __init__(self, players: int, seed: int, *, size: tuple[int, int] = (960, 720)) -> None:
        if not 2 <= players <= 5:
            raise ValueError(f"two to five players, not {players}")
        rng = np.random.default_rng([seed, players, 31])
        self._seed, self._size = seed, size
        super().__init__(_header(rng, players), rng, play(self))
        self.confirming = False  # bids and entries are theirs to make
        self.state = RULES.start(self.header)
        self.stage = DiceStage(self.renderer, players, rng, HURRY if rng.random() < 0.3 else HUMAN)
        self.seats = tuple(self.stage.seats)
        kinds = [str(k) for k in rng.permutation(list(SLIPS))[: int(rng.integers(5, 10))]]
        self.plan = sorted((1 + self.index(5), kind) for kind in kinds)

    # ---- what the demo asks ----

    @cached_property
    def renderer(self) -> DiceTable:
        """Draws the table."""
        return DiceTable(self._seed, self._size)

    def calibrate(self, profile: Path) -> None:
        """Write the profile of this table: its dice, enrolled from pictures in which each face is shown twice or more.

        Raises:
            CalibrationError: the pictures show too little.
        """
        from calibration.faces import save_faces
        from companion.vision.symbols import Labelled, learn
        from companion.vision.symbols_check import judge

        stage = DiceStage(self.renderer, 2, np.random.default_rng([self._seed, 32]), HURRY)
        pictures = []
        for k in range(ENROLLED):
            dice = stage.places([(i + k) % len(FACES) + 1 for i in range(DICE)])
            picture = self.renderer.draw(Scene(dice=tuple(dice), cup=stage.scene.cup), 40 * k)
            boxes = np.array([self.renderer.box(die) for die in dice])
            pictures.append(Labelled(picture, boxes, tuple(FACES[die.value - 1] for die in dice)))
        model = learn(pictures)
        quality = judge(pictures, model)
        save_faces(profile, KIND, pictures, model, quality.die_px, quality.hints())

    def frame(self, t_ms: int) -> npt.NDArray[np.uint8]:
        """The camera's picture at a moment (BGR uint8, h x w x 3)."""
        return self.renderer.draw(self.stage.scene, t_ms)

    # ---- what rounds and slips share ----

    def happened(self, event: Event) -> None:
        """Something happened on the table; who has no free cell passes by that."""
        self.state = RULES.apply(self.state, event)
        self.truth.append(RULES.event_json(event))
        player = self.state.to_act
        if player is not None and not self.state.free_bids(player):
            self.happened(Pass(player))

    def wrong(self, kind: str, expected: str, told: Callable[[Mapping[str, Any]], bool] | None = None) -> Script:
        """Wait until the display names a mistake. A question about an unread die will do: nothing was taken."""
        return super().wrong(kind, expected, told or (lambda facts: facts.get("problem") in (expected, "unsure_die")))

    @property
    def faces(self) -> tuple[str, ...]:
        """The faces of the dice in the tray, in the order of a record."""
        return in_order(FACES[die.value - 1] for die in self.stage.scene.dice)

    def taken_in(self) -> Script:
        """Wait until the display shows that all that happened was taken in, and confirm or correct a roll meanwhile.

        A single die that comes to rest where it lay, with the same face, looks untouched: people enter that roll.
        """
        count = len(self.truth)
        self.confirming = True
        yield from self._confirmed(count)
        self.confirming = False

    def _confirmed(self, count: int) -> Script:
        what = f"event {count} ({self.truth[-1]}) to be taken in"
        patient = False
        while self.events < count:
            limit = PATIENCE_MS if patient else PATIENCE_FIRST_MS
            came = yield Until(self._answers(count), what, limit, not patient)
            if self.events >= count:
                return
            if came and self.shown.facts.get("ask") is None:  # it came to rest where it lay before
                self._enter_last()
                yield from self.tap("ok")
                yield from self.choose("a roll", lambda text: text.id == "it was a roll")
            elif came:
                yield Wait(float(self.rng.integers(300, 900)))
                button = self._button()
                if button is not None:
                    yield from self.tap(button)
                continue
            patient = True
            self._enter_last()
            yield from self.tap("ok")
            if self.shown.facts.get("ask") == "dice.act":
                yield from self.choose("entering the roll", lambda text: text.id == "enter the roll")

    def _enter_last(self) -> None:
        """What happened last has to be entered by the buttons."""
        if self.truth[-1] not in self.entered[-1:]:
            self.entered.append(self.truth[-1])

    def _answers(self, count: int) -> Callable[[View], bool]:
        """Whether a view says that so many events were taken in, or asks about a roll."""

        def said(view: View) -> bool:
            turned = view.facts.get("problem") == "turned_die" and view.facts.get("ask") is None
            return self.events >= count or turned or view.facts.get("ask") == "dice.confirm"

        return said

    def _button(self) -> ButtonName | None:
        """What to press so that the dice asked about become those that lie there."""
        facts = self.shown.facts
        if facts.get("ask") != "dice.confirm":
            return None
        true = self.truth[self.events]
        want, have = Counter(true["faces"]), Counter(face for face in facts["faces"] if face in FACES)
        proposed = facts["proposal"]["faces"]
        entry = {"proposed": list(proposed), "true": true}
        if Counter(f for f in proposed if f is not None) - want and entry not in self.disputes:
            self.disputes.append(entry)
        if have == want and None not in facts["faces"]:
            return "ok"
        marked = facts["faces"][facts["marked"]]
        if marked is None or (marked == AWAY and want - have) or have[marked] > want[marked]:
            return "up"
        return "down"

    # ---- the choices of the seed ----


def _header(rng: np.random.Generator, players: int) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for key, value, share in (("target", 12, 0.1), ("drop_out", "exact_only", 0.3), ("spells", True, 0.3)):
        if rng.random() < share:
            settings[key] = value
    if rng.random() < 0.3:
        settings["chances"] = True
    names = [str(name) for name in rng.permutation(NAMES)[:players]]
    return {
        "game": "wizard_dice",
        "players": [{"name": name} for name in names],
        "first_seer": int(rng.integers(players)),
        "settings": settings,
    }
