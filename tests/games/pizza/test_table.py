"""The simulated pizza players: whole games against the real arbiter and rules, with eyes that never err.

What the eyes say comes from the scene instead of from pictures, so that the players are tested and not the vision.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration.profile import load_profile
from companion.arbiter.arbiter import Arbiter
from companion.arbiter.sight import Sight
from companion.games.pizza.rules import RULES
from companion.games.pizza.slips import SLIPS
from companion.games.pizza.table import SimulatedGame
from companion.screens.view import View
from companion.simulator.scene import Scene
from companion.simulator.script import Stuck
from companion.simulator.truth import ON_SPACE_MM
from companion.vision.readings import BoardReading, CutterReading, DieReading

TICK_MS = 200
SETTLED_MS = 1000
HOUR_MS = 3_600_000


class Notebook:
    """A journal in memory."""

    saved = None

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def begin(self, header: dict[str, Any]) -> None:
        self.rows = []

    def append(self, row: dict[str, Any]) -> None:
        self.rows.append(row)


def seen(game: SimulatedGame, scene: Scene) -> BoardReading:
    """What perfect eyes read."""
    spaces = {}
    for space in game.stage.layout.spaces.values():
        here = [
            t.colour for t in scene.toppings if (t.x_mm - space.x_mm) ** 2 + (t.y_mm - space.y_mm) ** 2 < ON_SPACE_MM**2
        ]
        spaces[space.id] = here[0] if here else "empty"
    return BoardReading(
        "ok",
        turn=round(scene.turn_deg) % 360,
        spaces=spaces,
        confidence=dict.fromkeys(spaces, 1.0),
        cutters=tuple(CutterReading(*s.line, s.colour, 1.0) for s in scene.sticks if s.line),
        dice=tuple(
            DieReading(d.value, d.colour, (int(d.x_mm) + 300, int(d.y_mm) + 300, 30, 30), 1.0) for d in scene.dice
        ),
        hand=False,
    )


Eyes = Callable[[SimulatedGame, Scene], BoardReading]


def play(
    game: SimulatedGame, confirm: str = "always", eyes: Eyes = seen, stop: Callable[[int], bool] = lambda t_ms: False
) -> tuple[list[dict[str, Any]], Arbiter]:
    """Let the arbiter and the players play; returns what the journal holds."""
    notes = Notebook()
    arbiter = Arbiter(notes, names=(), draw=lambda: 0, confirm=confirm)  # type: ignore[arg-type]
    arbiter.begin(game.header)
    still, since = game.stage.scene, 0
    for t in range(0, HOUR_MS, TICK_MS):
        scene = game.stage.scene
        if scene != still:
            still, since = scene, t
        settled = not scene.hands and scene.shadow is None and t - since >= SETTLED_MS
        arbiter.see(t, Sight(settled=eyes(game, scene) if settled else None, hand=bool(scene.hands)))
        for press in game.act(t, arbiter.view(t)):
            arbiter.press(press)
        if game.over or (len(notes.rows) == len(game.truth) and stop(t)):
            break
    return [{k: v for k, v in row.items() if k != "t_ms"} for row in notes.rows], arbiter


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("players", [2, 3])
def test_a_whole_game_is_played_and_the_journal_holds_what_happened(players: int, seed: int) -> None:
    game = SimulatedGame(players, seed)
    journal, arbiter = play(game)
    assert game.over
    assert journal == game.truth
    assert game.faults == [] and game.disputes == []
    assert len(game.mistakes) >= 4 and game.plan == [] and all(m.answered for m in game.mistakes)
    assert arbiter.game is not None and arbiter.game.rules.is_over(arbiter.game.state)
    left = game.stage.scene
    assert (left.loose, left.loose_sticks, left.hands) == ((), (), ())  # nothing is left hanging in the air


def test_players_need_not_be_asked() -> None:
    """With ``confirm = "unsure"`` certain cuts and rolls are taken over without a press."""
    game = SimulatedGame(2, 5)
    journal, _ = play(game, "unsure")
    assert game.over and journal == game.truth and game.faults == []


def test_the_same_seed_plays_the_same_game() -> None:
    first, again = (SimulatedGame(3, 9) for _ in range(2))
    play(first)
    play(again)
    assert first.truth == again.truth and first.mistakes == again.mistakes
    assert first.stage.scene == again.stage.scene
    other = SimulatedGame(3, 10)
    assert other.header != first.header or other.plan != SimulatedGame(3, 9).plan


def test_every_slip_is_planned_within_forty_seeds_and_each_game_has_some() -> None:
    planned: set[str] = set()
    for seed in range(40):
        plan = SimulatedGame(2 + seed % 2, seed).plan
        assert 4 <= len(plan) <= 8
        planned |= {kind for _, kind in plan}
    assert planned == set(SLIPS)


@pytest.mark.parametrize("kind", sorted(SLIPS))
def test_every_slip_can_be_made_is_noticed_and_mended(kind: str) -> None:
    """Each kind alone: it is made, a screen answers it, and the journal is not touched by it."""
    game = SimulatedGame(2, 3)
    game.plan = [(1, kind)]

    def mended(t_ms: int) -> bool:
        return bool(game.mistakes) and game.mistakes[0].answered and t_ms > game.mistakes[0].t_ms + 20_000

    journal, _ = play(game, stop=mended)
    assert [m.kind for m in game.mistakes] == [kind]
    assert game.mistakes[0].answered and game.mistakes[0].expected == SLIPS[kind].expected
    assert journal and journal == game.truth and game.faults == []


@pytest.mark.parametrize("seed", range(2))
def test_the_drawn_table_can_be_calibrated(seed: int, tmp_path: Path) -> None:
    """The real calibration finds the drawn board, as well as a printed one."""
    game = SimulatedGame(3, seed, size=(640, 480))
    game.calibrate(tmp_path)
    profile = load_profile(tmp_path)
    assert profile.error_mm < 0.5 and profile.side_at_bottom == 1 and profile.marked
    assert game.frame(0).shape == (480, 640, 3)


def test_players_who_are_never_answered_say_what_they_wait_for() -> None:
    game = SimulatedGame(3, 1)
    with pytest.raises(Stuck, match="waited 60 s for the"):
        for t in range(0, 600_000, TICK_MS):
            game.act(t, View("blank"))


def test_players_notice_an_event_that_never_happened() -> None:
    game = SimulatedGame(3, 1)
    with pytest.raises(Stuck, match="did not happen"):
        game.act(0, View("pizza.place", facts={"events": 1, "phase": "place", "problem": None}))


def test_players_correct_a_wrong_number_by_the_buttons() -> None:
    """Eyes that read every red die and stick one too high: players dispute the proposal and enter the truth."""
    game = SimulatedGame(3, 4)
    game.plan = []

    def crooked(game: SimulatedGame, scene: Scene) -> BoardReading:
        reading = seen(game, scene)
        cutters = tuple(
            CutterReading(c.side, c.number % 6 + 1 if c.colour == "red" and c.number else c.number, c.colour, 1.0)
            for c in reading.cutters
        )
        return replace(reading, cutters=cutters, dice=tuple(d for d in reading.dice if d.colour != "red"))

    journal, _ = play(game, eyes=crooked)
    assert game.over and journal == game.truth
    cuts = [e for e in game.truth if e["event"] == "cut"]
    assert len(game.disputes) == len(cuts)
    assert all(d["true"] in cuts and d["proposed"] != d["true"] for d in game.disputes)


def test_players_enter_what_the_eyes_do_not_see() -> None:
    """Eyes that see no dice and no white stick: rolls and cuts are entered by the buttons, and the journal is right."""
    game = SimulatedGame(2, 6)
    game.plan = []

    def blind(game: SimulatedGame, scene: Scene) -> BoardReading:
        reading = seen(game, scene)
        return replace(reading, cutters=tuple(c for c in reading.cutters if c.colour != "white"), dice=())

    journal, _ = play(game, eyes=blind)
    assert game.over and journal == game.truth and game.faults == [] and game.disputes == []
    assert {e["event"] for e in game.entered} == {"neutral_roll", "cut"}


def test_a_slip_that_no_screen_answers_is_mended_and_stays_unanswered() -> None:
    """Eyes that see every space but the slip's: people notice it themselves, and the game goes on."""
    game = SimulatedGame(3, 4)
    game.plan = [(1, "missing_topping")]

    def trusting(game: SimulatedGame, scene: Scene) -> BoardReading:
        reading = seen(game, scene)
        if not game.mistakes or reading.spaces is None or len(game.truth) > 2:
            return reading
        return replace(reading, spaces={s: None if v == "empty" else v for s, v in reading.spaces.items()})

    journal, _ = play(game, eyes=trusting, stop=lambda t_ms: len(game.truth) > 0)
    assert [m.answered for m in game.mistakes] == [False]
    assert journal == game.truth


def test_players_notice_a_refusal_for_nothing() -> None:
    """Eyes that take one empty space for white now and then: the journal stays right, and the fault is told."""
    game = SimulatedGame(3, 4)
    game.plan = []

    def dreaming(game: SimulatedGame, scene: Scene) -> BoardReading:
        reading = seen(game, scene)
        assert reading.spaces is not None
        dream = len(game.truth) == 2 and reading.spaces["d4"] == "empty" and not game.faults
        return replace(reading, spaces={**reading.spaces, "d4": "white"}) if dream else reading

    play(game, eyes=dreaming, stop=lambda t_ms: len(game.truth) > 4)
    assert any("is shown for nothing" in fault for fault in game.faults)


def test_the_truth_is_a_legal_record() -> None:
    game = SimulatedGame(3, 2)
    play(game)
    state = RULES.start(game.header)
    for event in game.truth:
        state = RULES.apply(state, RULES.parse_event(event))
    assert RULES.is_over(state)
