"""Guards the registry: every game has rules of its name; what is not there is one clear error."""

import pytest

from companion.errors import RecordError
from companion.games import GAMES, flow_of, rules_of, simulated_game


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_rules_of_its_name(game: str) -> None:
    assert rules_of(game).name == game


def test_unknown_games() -> None:
    for part in (rules_of, flow_of, simulated_game):
        with pytest.raises(RecordError, match="unknown game 'chess'"):
            part("chess")


def test_a_game_without_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "rules_only", "companion.games.nowhere")
    monkeypatch.setitem(GAMES, "no_table", "companion.screens")
    with pytest.raises(RecordError, match="no_table can be adjudicated, but not played yet: it has no table"):
        simulated_game("no_table")
    with pytest.raises(ModuleNotFoundError):
        rules_of("rules_only")
