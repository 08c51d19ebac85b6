"""Guards the whole product: a complete game on the simulated table, every picture read by the real eyes."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli import main
from companion.games.pizza.table import SimulatedGame
from companion.simulator.script import Stuck

LAYOUTS = Path(__file__).parents[1] / "scripts" / "make_layout.py"


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


def test_a_smaller_board_is_played_from_its_own_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """19 spaces, wider apart, four lines a side: calibrated, read and judged as the built-in board is."""
    made = subprocess.run(
        [sys.executable, str(LAYOUTS), "--side", "3", "--pitch", "42", "--diameter", "250"],
        capture_output=True,
        check=True,
    )
    board = tmp_path / "board19.json"
    board.write_bytes(made.stdout)
    call = ["demo", "--layout", str(board), "--auto", "--fast", "--players", "2", "--display", "none"]
    assert main([*call, "--out", str(tmp_path)]) == 0, capsys.readouterr().out
    header, *events = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert header["layout"] == str(board)
    assert events[-1]["event"] == "cut"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (["--game", "wizard_dice", "--layout", "board19.json"], "no board"),
        (["--layout", "board19.txt"], "layout"),
        (["--players", "5"], "two or three players"),
        (["--game", "wizard_dice", "--players", "6"], "two to five players"),
        (["--seed", "-1"], "whole number from 0"),
    ],
)
def test_what_the_table_does_not_know_is_one_line(
    capsys: pytest.CaptureFixture[str], call: list[str], says: str
) -> None:
    with contextlib.suppress(SystemExit):
        assert main(["demo", "--auto", "--fast", "--display", "none", *call]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1


def test_players_who_wait_in_vain_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def act(*_: object) -> tuple[()]:
        raise Stuck("waited 60 s")

    monkeypatch.setattr(SimulatedGame, "act", act)
    assert main(["demo", "--auto", "--fast", "--display", "none"]) == 1
    err = capsys.readouterr().err
    assert err.endswith("companion: the game stands still: waited 60 s\n") and "Traceback" not in err
