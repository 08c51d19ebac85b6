"""Guards the command line: every command has help with an example, a malformed call is one line and exit 2."""

from __future__ import annotations

import subprocess
import sys

import pytest

from companion.cli import COMMANDS, main


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main([command, "--help"])
    assert done.value.code == 0
    assert "example" in capsys.readouterr().out


@pytest.mark.parametrize(
    "call",
    [
        [],
        ["dance"],
        ["demo", "--players", "x"],
        ["demo", "--game", "chess"],
        ["run", "--confirm", "never"],
        ["run", "--recording", "/nowhere"],
        ["run", "--config", "/nowhere.toml"],
        ["run", "--recording", "/nowhere", "--out", "/nowhere/out", "--profile", "/nowhere"],
        ["run", "--game", "/nowhere.json"],
        ["record", "--out", "/proc/nowhere", "--fps", "0"],
        ["read", "board", "/nowhere.jpg"],
        ["adjudicate", "/nowhere.jsonl"],
    ],
)
def test_a_malformed_call_is_one_line_and_exit_2(call: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(call)
    except SystemExit as done:
        code = int(done.code or 0)
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.startswith("companion") and err.count("\n") == 1


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    done = subprocess.run(
        f"{sys.executable} -m companion.cli --help | head -c 1", shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
