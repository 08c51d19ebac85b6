"""The simulated table of the pizza game: players who know the rules, make slips, and read the display."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from companion.games.pizza.hands import PizzaStage
from companion.games.pizza.rules import RULES
from companion.games.pizza.slips import SLIPS, Moment, wrong
from companion.games.pizza.state import SEATS, Cut, Event, NeutralPass, NeutralPlace, NeutralRoll, Pass, Place, Rotate
from companion.layout import COLOURS, load_layout
from companion.screens.view import View
from companion.simulator.base import Mistake
from companion.simulator.renderer import Renderer
from companion.simulator.scene import Scene
from companion.simulator.script import PATIENCE_MS, Runner, Script, Stuck, Tap, Until, Wait
from companion.simulator.stage import HUMAN, HURRY

if TYPE_CHECKING:
    from hardware.base import ButtonName, Press

NAMES = ("Ana", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gül", "Hugo", "Íñigo", "Jana")
PATIENCE_FIRST_MS = 12_000  # then people lay the piece anew
ASKS = ("pizza.confirm_cut", "pizza.confirm_roll")


class SimulatedGame:
    """A table with two or three players (see :class:`companion.simulator.base.SimulatedGame`).

    Args:
        players: two or three.
        seed: chooses table, players, game and slips.
        size: width and height of the camera's pictures in px.
        layout: a board by its name or file.
    """

    def __init__(
        self, players: int, seed: int, *, size: tuple[int, int] = (960, 720), layout: str | Path = "hex37"
    ) -> None:
        if players not in (2, 3):
            raise ValueError(f"two or three players, not {players}")
        self._seed, self._size = seed, size
        self._rng = np.random.default_rng([seed, players, 11])
        self._layout = load_layout(layout)
        self.header: Mapping[str, Any] = self._choose_header(players, str(layout))
        self.state = RULES.start(self.header)
        self.seats = tuple(sorted(self.state.order))
        turned = 120.0 * SEATS.index(self.state.setup.first)  # side 1 faces the first player
        pace = HURRY if self._rng.random() < 0.3 else HUMAN
        self.stage = PizzaStage(self._layout, Scene(turn_deg=turned), self._rng, pace)
        self.truth: list[dict[str, Any]] = []
        self.mistakes: list[Mistake] = []
        self.disputes: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.over = False
        self.shown = View("off")
        self._now = 0
        self._plan = self._choose_slips(players)
        self._runner = Runner(self._play())

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

    def act(self, t_ms: int, shown: View) -> tuple[Press, ...]:
        """Let the players look at the display and the table and go on; returns the buttons they press now.

        Raises:
            Stuck: the players wait for something that the display never says, or the companion took over an event
                that did not happen.
        """
        self._now, self.shown = t_ms, shown
        if self._events(shown) > len(self.truth):
            raise Stuck(f"after {t_ms / 1000:.1f} s: the companion took over something that did not happen")
        presses = self._runner.advance(t_ms, shown)
        self.over = self._runner.done
        return presses

    # ---- what slips and players share ----

    def pick(self, options: Sequence[str]) -> str:
        """One of several, by chance."""
        return options[self.index(len(options))]

    def index(self, count: int) -> int:
        """A number below ``count``, by chance."""
        return int(self._rng.integers(count))

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

    def note(self, kind: str, expected: str | None) -> None:
        """A slip lies on the table."""
        self.mistakes.append(Mistake(self._now, kind, expected))

    def noted(self) -> None:
        """The last slip was answered as it should be."""
        self.mistakes[-1] = replace(self.mistakes[-1], answered=True)

    def taken_in(self, again: Callable[[], Script] | None = None) -> Script:
        """Wait until the display shows that all that happened was taken in, and answer what it asks meanwhile.

        Args:
            again: lays the last piece anew, when nothing has come for a while.
        """
        count = len(self.truth)
        what = f"event {count} ({self.truth[-1] if self.truth else 'the set-up'}) to be taken in"
        patient = again is None
        while True:
            limit = PATIENCE_MS if patient else PATIENCE_FIRST_MS
            came = yield Until(
                lambda v: self._events(v) >= count or v.facts.get("ask") in ASKS, what, limit, not patient
            )
            if self._events(self.shown) >= count:
                return
            if not came and again is not None:
                self.faults.append(f"{self.truth[-1]} was not taken in: {self.shown.code} {dict(self.shown.facts)}")
                yield from again()
                patient = True
                continue
            yield Wait(float(self._rng.integers(300, 900)))
            button = self._button(self.shown)
            if button is not None:
                yield Tap(button)
                yield Wait(350)

    @staticmethod
    def _events(view: View) -> int:
        events = view.facts.get("events", 0)
        return events if isinstance(events, int) else 0

    def _button(self, view: View) -> ButtonName | None:
        """What to press so that the numbers asked for become those that were rolled or chosen."""
        facts = view.facts
        if facts.get("ask") not in ASKS or self._events(view) >= len(self.truth):
            return None
        true = self.truth[self._events(view)]
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

    def _choose_header(self, players: int, layout: str) -> dict[str, Any]:
        rng = self._rng
        seats = sorted(str(s) for s in rng.permutation(SEATS)[:players])
        colours = [str(c) for c in rng.permutation(COLOURS)[:players]]
        names = [str(n) for n in rng.permutation(NAMES)[:players]]
        listed = [{"name": n, "seat": s, "colour": c} for n, s, c in zip(names, seats, colours, strict=True)]
        return {"game": "pizza", "layout": layout, "players": listed, "first": seats[int(rng.integers(players))]}

    def _choose_slips(self, players: int) -> list[tuple[int, str]]:
        """Four to eight kinds with the round from which each may be made; games last four rounds at least."""
        one_set_up = self.pick(["setup_missing", "setup_wrong_space"])  # a board is set up once
        kinds = [
            kind
            for kind, slip in SLIPS.items()
            if (players == 2 or not slip.two_players) and (slip.moment != "setup" or kind == one_set_up)
        ]
        chosen = [str(k) for k in self._rng.permutation(kinds)[: int(self._rng.integers(4, 9))]]
        return sorted((1 if SLIPS[kind].moment == "setup" else 1 + self.index(3), kind) for kind in chosen)

    def _slips(self, moment: Moment) -> Script:
        """Make one of the slips of this moment that are scripts of their own."""
        for first, kind in list(self._plan):
            slip = SLIPS[kind]
            if slip.moment == moment and first <= self.state.round and slip.make is not None:
                script = slip.make(self)
                if script is not None:
                    self._plan.remove((first, kind))
                    yield from script
                    return

    def _take_slip(self, *kinds: str) -> str | None:
        """One of these slips if it is due: it is made now."""
        for first, kind in self._plan:
            if kind in kinds and first <= self.state.round:
                self._plan.remove((first, kind))
                return kind
        return None

    # ---- the game ----

    def _play(self) -> Script:
        yield from self._set_up()
        while self.state.phase != "over":
            while self.state.phase == "place":
                before = len(self.truth)
                yield from self._slips("place")
                if len(self.truth) == before:
                    yield from self._add()
            if self.state.phase == "neutral_roll":
                yield from self._neutral()
            yield from self._cut()
            if self.state.phase == "rotate":
                yield from self._replace()
                yield from self._turn()
        yield Wait(2000)

    def _set_up(self) -> Script:
        start = {
            space: (seat, COLOURS[colour])
            for seat, colour in self.state.setup.colour.items()
            for space in self._layout.start_spaces[self.state.facing[seat]]
        }
        slip = self._take_slip("setup_missing", "setup_wrong_space")
        odd = self.pick(sorted(start)) if slip else ""
        lonely = [s for s in self._layout.spaces if s not in start]
        for space, (seat, colour) in start.items():
            hand = seat if seat in self.seats else self.state.setup.first
            yield from self.stage.think()
            if space == odd and slip == "setup_wrong_space":
                near = [n for n in self._layout.spaces[space].neighbours if n in lonely]
                aside = self.pick(near or lonely)
                yield from self.stage.put(hand, aside, colour)
            elif space != odd:
                yield from self.stage.put(hand, space, colour)
        if slip:
            seat, colour = start[odd]
            hand = seat if seat in self.seats else self.state.setup.first
            if slip == "setup_wrong_space":
                yield from wrong(self, slip, [odd, aside])
                yield from self.stage.move(hand, aside, odd)
            else:
                yield from wrong(self, slip, [odd])
                yield from self.stage.put(hand, odd, colour)
        yield Until(
            lambda v: v.facts.get("phase") == "place" and v.facts.get("problem") is None, "the set-up to be seen"
        )

    def _add(self) -> Script:
        seat = self.state.to_act
        assert seat is not None
        space, colour = self.pick(self.legal()), self.state.setup.player(seat).colour
        yield from self.stage.think()
        yield from self.stage.put(seat, space, colour, lambda: self.happened(Place(seat, space)))
        yield from self.taken_in(lambda: self._again(seat, space, colour))

    def _again(self, seat: str, space: str, colour: str) -> Script:
        """Lay a topping anew that was not taken in."""
        yield from self.stage.take(seat, space)
        yield from self.stage.put(seat, space, colour)

    def _neutral(self) -> Script:
        neutral = self.state.setup.neutral
        assert neutral is not None
        seat, side = self.state.order[0], self.state.facing[neutral.seat]
        number = self.pick([str(n) for n in self._layout.numbers(side)])
        value = min(int(number), 6)
        yield from self.stage.think()
        yield from self.stage.roll_die(seat, neutral.colour, value)
        self.happened(NeutralRoll(value))
        yield from self.taken_in()
        line = value
        if self.state.phase == "neutral_place" and self._take_slip("wrong_line"):
            line = value % len(self._layout.numbers(side)) + 1
        yield from self.stage.lay_stick(seat, side, line, neutral.colour)
        if line != value:
            yield from wrong(self, "wrong_line")
            yield from self.stage.lay_stick(seat, side, value, neutral.colour)
        if self.state.phase != "neutral_place":
            return
        yield from self._slips("neutral")
        space = self.pick(self.legal())
        yield from self.stage.think()
        yield from self.stage.put(seat, space, neutral.colour, lambda: self.happened(NeutralPlace(space)))
        yield from self.taken_in(lambda: self._again(seat, space, neutral.colour))

    def _cut(self) -> Script:
        facing, colour_of = self.state.facing, self.state.setup.player
        lines = {seat: 1 + self.index(min(len(self._layout.numbers(facing[seat])), 6)) for seat in self.seats}
        yield from self.stage.think()
        for seat in self.seats:
            yield from self.stage.show_die(seat, colour_of(seat).colour, lines[seat])
        slip = self._take_slip("stick_and_die_disagree")
        odd = self.pick(self.seats) if slip else ""
        for seat in self.seats:
            number = lines[seat] % len(self._layout.numbers(facing[seat])) + 1 if seat == odd else lines[seat]
            yield from self.stage.lay_stick(seat, facing[seat], number, colour_of(seat).colour)
        if slip:
            yield from wrong(self, slip)
            yield from self.stage.lay_stick(odd, facing[odd], lines[odd], colour_of(odd).colour)
        self.happened(Cut(tuple(sorted(lines.items()))))
        yield from self.taken_in()

    def _wanted(self) -> dict[str, str]:
        """What should lie on the board by the rules: id -> colour."""
        names = self.state.setup.board.names
        return {s: c for c, mask in zip(COLOURS, self.state.pieces, strict=True) for s in names(mask)}

    def _hand_for(self, colour: str) -> str:
        """Whose hand handles a colour: its player's, or the first player's for the neutral one."""
        for seat in self.seats:
            if self.state.setup.player(seat).colour == colour:
                return seat
        return self.state.order[0]

    def _replace(self) -> Script:
        """Take off and put slice by slice, by the hand of who takes the slice."""
        yield from self._slips("replace")
        ruling = self.state.ruling
        assert ruling is not None
        lying, wanted = self.stage.lying(), self._wanted()
        changed = [s for part in ruling.slices for s in part.spaces if lying.get(s) != wanted.get(s)]
        slip, odd = None, ""
        if any(s in wanted for s in changed):
            slip = self._take_slip("replace_left_out", "replace_wrong_colour")
        elif changed:
            slip = self._take_slip("replace_left_out")
        if slip:
            odd = self.pick([s for s in changed if s in wanted] or changed)
        for space in changed:
            yield from self.stage.think()
            if space != odd:
                yield from self._set_right(space)
            elif slip == "replace_wrong_colour":
                colour = self.pick([c for c in COLOURS if c not in (wanted[space], lying[space])])
                yield from self.stage.swap(self._hand_for(wanted[space]), space, colour)
        if not slip:
            yield Until(lambda v: v.facts.get("stage") == "turn", "the screen that says to turn the board")
            return
        yield from self._clear()
        yield from self.stage.turn_board(self.pick(self.seats), 120)
        yield from wrong(self, slip, [odd])
        yield from self._set_right(odd)
        self.happened(Rotate())
        yield from self.taken_in()

    def _set_right(self, space: str) -> Script:
        lies, should = self.stage.lying().get(space), self._wanted().get(space)
        if should is None:
            assert lies is not None
            yield from self.stage.take(self._hand_for(lies), space)
        elif lies is None:
            yield from self.stage.put(self._hand_for(should), space, should)
        else:
            yield from self.stage.swap(self._hand_for(should), space, should)

    def _clear(self) -> Script:
        """Take sticks and dice away."""
        for colour in [s.colour for s in self.stage.scene.sticks]:
            yield from self.stage.take_stick(self._hand_for(colour), colour)
        for colour in [d.colour for d in self.stage.scene.dice]:
            yield from self.stage.take_die(self._hand_for(colour), colour)

    def _turn(self) -> Script:
        if self.state.phase != "rotate":  # the replacing went wrong and they have turned already
            return
        yield from self.stage.think()
        yield from self._clear()
        seat = self.pick(self.seats)
        if self._take_slip("not_rotated"):
            following = RULES.apply(self.state, Rotate())
            adder = following.to_act
            assert adder is not None
            lying = self.stage.lying()
            space = self.pick([s for s in self._layout.spaces if s not in lying])
            yield from self.stage.put(adder, space, self.state.setup.player(adder).colour)
            yield from wrong(self, "not_rotated", [space])
            yield from self.stage.take(adder, space)
            yield from self.stage.turn_board(seat, 120)
        elif self._take_slip("turned_wrong_way"):
            yield from self.stage.turn_board(seat, -120)
            yield from wrong(self, "turned_wrong_way")
            yield from self.stage.turn_board(seat, 240)
        else:
            yield from self.stage.turn_board(seat, 120)
        self.happened(Rotate())
        yield from self.taken_in()
