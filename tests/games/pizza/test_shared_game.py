"""Guards turn order, facing, slices and replacing against a game played elsewhere, with the truth of each picture."""

import json
from pathlib import Path

import pytest

from companion.games.pizza.rules import RULES
from companion.games.record import decoded, opened

GAMES = Path(__file__).parents[4] / "shared" / "bench" / "renders" / "games"
FOLDERS = sorted(path.parent for path in GAMES.glob("*/record.jsonl"))


@pytest.mark.skipif(not FOLDERS, reason="the shared games are not here")
def test_the_boards_of_the_pictures() -> None:
    for folder in FOLDERS:
        lines = decoded((folder / "record.jsonl").read_bytes().splitlines())
        _, state, _ = opened(lines)
        states = [state]
        for _, data in lines:
            states.append(RULES.apply(states[-1], RULES.parse_event(data)))
        last_of: dict[int, dict[str, str]] = {}
        for line in (folder / "timeline.jsonl").read_text().splitlines():
            frame = json.loads(line)
            truth = json.loads((folder / f"{frame['frame']}.json").read_text())
            assert truth["turn"] == 120 * ((states[frame["state"]].round - 1) % 3)
            # While pieces are replaced the table lags behind; the last picture of a state shows it.
            last_of[frame["state"]] = {s: v["state"] for s, v in truth["spaces"].items() if v["state"] != "empty"}
        assert len(last_of) > 10
        for index, board in last_of.items():
            assert RULES.describe(states[index])["board"] == board, (folder.name, index)
