"""Guards the simulated table of the card game: whole games, read by perfect eyes, end as they were played."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.sight import Sight
from companion.games.wizard_cards.table import SimulatedGame
from companion.journal import Journal
from companion.simulator.cards import value_of
from companion.simulator.scene import Card, Scene
from companion.vision.readings import BoardReading, CardReading

STEP_MS = 200
SETTLED_MS = 1000
PX_PER_MM = 1.6


def seen(card: Card) -> CardReading:
    """A card as perfect eyes see it."""
    a = math.radians(card.spin_deg)
    half = (abs(29.5 * math.cos(a)) + abs(45.5 * math.sin(a)), abs(29.5 * math.sin(a)) + abs(45.5 * math.cos(a)))
    x, y, w, h = card.x_mm - half[0], card.y_mm + half[1], 2 * half[0], 2 * half[1]
    box = (round(480 + x * PX_PER_MM), round(360 - y * PX_PER_MM), round(w * PX_PER_MM), round(h * PX_PER_MM))
    return CardReading(value_of(card.picture), box, 0.99)


class PerfectEyes:
    """Sees a scene that has rested for a second, and no cards that lie face down."""

    def __init__(self) -> None:
        self.scene, self.since = Scene(), 0

    def see(self, scene: Scene, t_ms: int) -> Sight:
        if scene != self.scene:
            self.scene, self.since = scene, t_ms
        if scene.hands or scene.shadow:
            return Sight(hand=bool(scene.hands))
        if t_ms - self.since < SETTLED_MS:
            return Sight()
        cards = tuple(sorted((seen(card) for card in scene.cards if card.face_up), key=lambda card: card.box))
        return Sight(settled=BoardReading("ok", spaces={}, cards=cards, hand=False), since_ms=self.since)


def played(folder: Path, players: int, seed: int) -> SimulatedGame:
    """A whole game at this table, refereed."""
    game = SimulatedGame(players, seed)
    arbiter = Arbiter(Journal(folder), names=[], draw=lambda: 0)
    arbiter.begin(game.header)
    eyes, t_ms = PerfectEyes(), 0
    while not game.over:
        for press in game.act(t_ms, arbiter.view(t_ms)):
            arbiter.press(press)
        arbiter.see(t_ms, eyes.see(game.stage.scene, t_ms))
        t_ms += STEP_MS
        assert t_ms < 4 * 3600_000
    assert arbiter.game is not None
    assert [{k: v for k, v in e.items() if k != "t_ms"} for e in arbiter.game.events] == game.truth
    assert [m for m in game.mistakes if not m.answered] == []
    assert game.faults == [] and game.entered == [] and game.disputes == []
    return game


@pytest.mark.parametrize(("players", "seed"), [(5, 3)])
def test_a_whole_game_is_refereed_without_a_wrong_event(tmp_path: Path, players: int, seed: int) -> None:
    game = played(tmp_path, players, seed)
    assert game.state.phase == "over" and len(game.mistakes) >= 4


def test_three_to_six_players() -> None:
    for players in (2, 7):
        with pytest.raises(ValueError, match="three to six"):
            SimulatedGame(players, 1)
