"""Guards the whole product: a complete game on the simulated table, every picture read by the real eyes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli import main


def test_a_whole_game_is_refereed_without_a_wrong_event(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(
        ["demo", "--auto", "--fast", "--players", "2", "--seed", "4", "--display", "png", "--out", str(tmp_path)]
    )
    said = capsys.readouterr().out
    assert code == 0, said
    rows = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert rows[-1]["event"] == "cut", "a game ends with a cut"
    assert len(list((tmp_path / "display").glob("*.png"))) > len(rows)
    assert main(["adjudicate", str(tmp_path / "journal.jsonl")]) == 0
