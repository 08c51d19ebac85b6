"""Guards `companion run --recording`: a recorded table gives the journal of the live one, and the same every time."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.sight import Watcher
from companion.cli import main
from companion.daemon import Daemon
from companion.games import simulated_game
from companion.journal import Journal
from companion.vision.eyes import open_eyes
from hardware.base import Press
from hardware.camera import SimulatedCamera
from hardware.display import NoDisplay
from hardware.recording import RecordingWriter

EVENTS = 2


class Presses:
    """Buttons that are pressed by the simulated players, and recorded."""

    def __init__(self, writer: RecordingWriter) -> None:
        self.writer = writer
        self.next: tuple[Press, ...] = ()

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        presses, self.next = self.next, ()
        for press in presses:
            self.writer.press(press)
        return presses

    def close(self) -> None:
        self.writer.close()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A folder with a recording, its profile and header; and the events that were committed live."""
    folder = tmp_path_factory.mktemp("recorded")
    table = simulated_game("pizza")(3, 5, size=(640, 480))
    table.calibrate(folder / "profile")
    (folder / "header.json").write_text(json.dumps(dict(table.header)))
    arbiter = Arbiter(Journal(folder / "live"), names=[], draw=lambda: 0, confirm="unsure")
    arbiter.begin(table.header)
    writer = RecordingWriter(folder / "recording", fps=5)
    buttons = Presses(writer)

    def frame(t_ms: int) -> Any:
        picture = table.frame(t_ms)
        writer.frame(t_ms, picture)
        return picture

    eyes = open_eyes("board", folder / "profile")
    daemon = Daemon(arbiter, SimulatedCamera(frame), NoDisplay(), buttons, lambda kind, layout: Watcher(eyes))
    t_ms = 0
    while arbiter.game is not None and len(arbiter.game.events) < EVENTS and t_ms < 180_000:
        buttons.next = table.act(t_ms, arbiter.view(t_ms))
        daemon.turn(t_ms)
        t_ms += 200
    daemon.close()
    assert arbiter.game is not None
    return folder, [{k: v for k, v in e.items() if k != "t_ms"} for e in arbiter.game.events]


def replay(folder: Path, out: Path) -> str:
    call = ["run", "--recording", str(folder / "recording"), "--profile", str(folder / "profile")]
    call += ["--game", str(folder / "header.json"), "--confirm", "unsure", "--out", str(out)]
    assert main(call) == 0
    return (out / "journal.jsonl").read_text()


def test_a_recording_gives_the_events_of_the_live_table_every_time(
    recorded: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    folder, events = recorded
    assert len(events) == EVENTS
    journal = replay(folder, tmp_path / "one")
    assert journal == replay(folder, tmp_path / "two")
    rows = [json.loads(line) for line in journal.splitlines()]
    assert rows[0]["game"] == "pizza"
    assert [{k: v for k, v in row.items() if k not in ("t_ms", "crc")} for row in rows[1:]] == events
    assert main(["adjudicate", str(tmp_path / "one" / "journal.jsonl")]) == 0
    pictures = sorted((tmp_path / "one" / "display").glob("*.png"))
    assert len(pictures) > EVENTS
    assert all(len(p.stem) == 8 and p.stem.isdigit() for p in pictures)
    assert all(a.read_bytes() != b.read_bytes() for a, b in pairwise(pictures))


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("", "no header"),
        ("[1]", "header.json"),
        ('{"game": "chess"}', "unknown game"),
        ('{"game": "pizza"}', "header.json"),
        ('{"game": 3}', "names no game"),
    ],
)
def test_a_bad_header_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], header: str, says: str) -> None:
    (tmp_path / "header.json").write_text(header)
    assert main(["run", "--game", str(tmp_path / "header.json")]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1


def test_a_game_of_dice_asks_for_no_board(
    recorded: tuple[Path, list[dict[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = recorded
    (tmp_path / "header.json").write_text(
        '{"game": "wizard_dice", "players": [{"name": "Ana"}, {"name": "Ben"}], "first_seer": 0}'
    )
    call = ["run", "--recording", str(folder / "recording"), "--out", str(tmp_path / "out")]
    assert main([*call, "--profile", str(tmp_path), "--game", str(tmp_path / "header.json")]) == 2
    assert "no dice are enrolled" in capsys.readouterr().err
