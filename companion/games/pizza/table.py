"""The simulated table of the pizza game: players who know the rules, make slips, and read the display."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from companion.games.pizza.hands import PizzaStage
from companion.games.pizza.rounds import play
from companion.games.pizza.rules import RULES
from companion.games.pizza.slips import SLIPS
from companion.games.pizza.state import SEATS, Event, NeutralPass, Pass, State
from companion.layout import COLOURS, load_layout
from companion.screens.view import View
from companion.simulator.players import NAMES, Players
from companion.simulator.renderer import Renderer
from companion.simulator.scene import Scene
from companion.simulator.script import PATIENCE_MS, Script, Until, Wait
from companion.simulator.stage import HUMAN, HURRY

if TYPE_CHECKING:
    from hardware.base import ButtonName

PATIENCE_FIRST_MS = 12_000  # then people lay the piece anew
ENTER = ("pizza.neutral_roll", "pizza.cut")  # where ok opens the form to enter numbers
ASKS = ("pizza.confirm_cut", "pizza.confirm_roll")


class SimulatedGame(Players):
    """A table with two or three players (see :class:`companion.simulator.base.SimulatedGame`).

    Args:
        players: two or three.
        seed: chooses table, players, game and slips.
        size: width and height of the camera's pictures in px.
        layout: a board by its name or file.
    """

    kinds = SLIPS
    state: State

    def __init__(
        self, players: int, seed: int, *, size: tuple[int, int] = (960, 720), layout: str | Path = "hex37"
    ) -> None:
        if players not in (2, 3):
            raise ValueError(f"two or three players, not {players}")
        self._seed, self._size = seed, size
        rng = np.random.default_rng([seed, players, 11])
        self._layout = load_layout(layout)
        super().__init__(_choose_header(rng, players, str(layout)), rng, play(self))
        self.state = RULES.start(self.header)
        self.seats = tuple(sorted(self.state.order))
        turned = 120.0 * SEATS.index(self.state.setup.first)  # side 1 faces the first player
        pace = HURRY if rng.random() < 0.3 else HUMAN
        self.stage = PizzaStage(self._layout, Scene(turn_deg=turned), rng, pace)
        self.plan = self._choose_slips(players)

    # ---- what the demo asks ----

    @cached_property
    def renderer(self) -> Renderer:
        """Draws the table."""
        return Renderer(self._seed, self._layout, self._size)

    def calibrate(self, profile: Path) -> None:
        """Write the profile of this table from a picture of the empty board, with six points as a person clicks them.

        Raises:
            CalibrationError: the picture does not fit.
        """
        from calibration.board import calibrate_from_points
        from calibration.profile import save_board

        frame = self.renderer.draw(Scene(), 0)
        rng = np.random.default_rng([self._seed, 12])
        spaces = sorted(self._layout.spaces.values(), key=lambda s: s.x_mm**2 + s.y_mm**2)[-6:]
        seen = self.renderer.camera.project([(s.x_mm, s.y_mm, 3.0) for s in spaces]) + rng.normal(0, 1, (6, 2))
        points = {s.id: (float(x), float(y)) for s, (x, y) in zip(spaces, seen, strict=True)}
        found = calibrate_from_points(frame, self._layout, points, 1)
        save_board(
            profile,
            self._layout,
            found.plane,
            frame,
            side_at_bottom=found.side_at_bottom,
            error_mm=found.error_mm,
            seen=found.seen,
            marked=found.marked,
        )

    def frame(self, t_ms: int) -> npt.NDArray[np.uint8]:
        """The camera's picture at a moment (BGR uint8, h x w x 3)."""
        return self.renderer.draw(self.stage.scene, t_ms)

    # ---- what rounds and slips share ----

    def legal(self) -> list[str]:
        """The spaces where a topping may be put now."""
        return self.state.setup.board.names(self.state.legal)

    def happened(self, event: Event) -> None:
        """Something happened on the table; passes that follow from it happen by themselves."""
        self.state = RULES.apply(self.state, event)
        self.truth.append(RULES.event_json(event))
        if self.state.phase == "place" and not self.state.legal:
            assert self.state.to_act is not None
            self.happened(Pass(self.state.to_act))
        elif self.state.phase == "neutral_place" and not self.state.legal:
            self.happened(NeutralPass())

    def taken_in(self, again: Callable[[], Script] | None = None) -> Script:
        """Wait until the display shows that all that happened was taken in, and answer what it asks meanwhile.

        Args:
            again: lays the last piece anew, when nothing has come for a while. Without it a number is awaited: then
                people enter it by the buttons.
        """
        count = len(self.truth)
        what = f"event {count} ({self.truth[-1] if self.truth else 'the set-up'}) to be taken in"
        patient = False
        while True:
            limit = PATIENCE_MS if patient else PATIENCE_FIRST_MS
            came = yield Until(lambda v: self.events >= count or v.facts.get("ask") in ASKS, what, limit, not patient)
            if self.events >= count:
                return
            if came:
                yield Wait(float(self.rng.integers(300, 900)))
                button = self._button(self.shown)
                if button is not None:
                    yield from self.tap(button)
                continue
            patient = True
            if again is not None:
                self.faults.append(f"{self.truth[-1]} was not taken in: {self.shown.code} {dict(self.shown.facts)}")
                yield from again()
            elif self.shown.code in ENTER and self.events < count:
                self.entered.append(self.truth[self.events])
                yield from self.tap("ok")

    def _button(self, view: View) -> ButtonName | None:
        """What to press so that the numbers asked for become those that were rolled or chosen."""
        facts = view.facts
        if facts.get("ask") not in ASKS or self.events >= len(self.truth):
            return None
        true = self.truth[self.events]
        want = (true["value"],) if "value" in true else tuple(true["lines"][s] for s in facts["seats"])
        values, cursor = facts["values"], facts["cursor"]
        proposal = facts["proposal"]
        proposed = tuple(proposal["lines"].values()) if "lines" in proposal else (proposal["value"],)
        wrongly = any(p is not None and p != w for p, w in zip(proposed, want, strict=True))
        entry = {"proposed": dict(proposal), "true": true}
        if wrongly and entry not in self.disputes:
            self.disputes.append(entry)
        if cursor < 0:
            return "ok" if values == want else "up"
        return "ok" if values[cursor] == want[cursor] else "up"

    # ---- the choices of the seed ----

    def _choose_slips(self, players: int) -> list[tuple[int, str]]:
        """Four to eight kinds with the round from which each may be made; games last four rounds at least."""
        one_set_up = self.pick(["setup_missing", "setup_wrong_space"])  # a board is set up once
        kinds = [
            kind
            for kind, slip in SLIPS.items()
            if (players == 2 or not slip.two_players) and (slip.moment != "setup" or kind == one_set_up)
        ]
        chosen = [str(k) for k in self.rng.permutation(kinds)[: int(self.rng.integers(4, 9))]]
        return sorted((1 if SLIPS[kind].moment == "setup" else 1 + self.index(3), kind) for kind in chosen)


def _choose_header(rng: np.random.Generator, players: int, layout: str) -> dict[str, Any]:
    seats = sorted(str(s) for s in rng.permutation(SEATS)[:players])
    colours = [str(c) for c in rng.permutation(COLOURS)[:players]]
    names = [str(n) for n in rng.permutation(NAMES)[:players]]
    listed = [{"name": n, "seat": s, "colour": c} for n, s, c in zip(names, seats, colours, strict=True)]
    return {"game": "pizza", "layout": layout, "players": listed, "first": seats[int(rng.integers(players))]}
