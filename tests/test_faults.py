"""Guards the journal against its disk: at every write, fsync, rename and unlink in turn it fails, or the power goes.

What was acknowledged is there afterwards; of what was under way, all or nothing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.geometry import PlaneMap
from calibration.profile import load_profile, save_board
from companion.journal import Journal, read_journal
from companion.layout import load_layout
from tests.faulty_disk import FaultyDisk, PowerCut

Game = tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]
FIRST, SECOND = {"game": "pizza", "n": 1}, {"game": "pizza", "n": 2}
E = [{"event": "place", "space": f"a{i}", "t_ms": i} for i in range(5)]
# What is done with a journal, and the game after each step.
STEPS: list[tuple[Callable[[Journal], None], Game]] = [
    (lambda j: j.begin(FIRST), (FIRST, [])),
    (lambda j: j.append(E[0]), (FIRST, E[:1])),
    (lambda j: j.append(E[1]), (FIRST, E[:2])),
    (lambda j: j.annotate({1: "a bold move"}), (FIRST, E[:2])),
    (lambda j: j.replace(FIRST, E[:1]), (FIRST, E[:1])),
    (lambda j: j.append(E[2]), (FIRST, [E[0], E[2]])),
    (lambda j: j.begin(SECOND), (SECOND, [])),
    (lambda j: j.append(E[3]), (SECOND, E[3:4])),
]
OLD = STEPS[5][1]


def game_in(path: Path) -> Game | None:
    saved, _ = read_journal(path)
    return None if saved is None else (dict(saved.header), [dict(e) for e in saved.events])


def calls_needed(tmp_path: Path) -> int:
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path / "whole"
        root.mkdir()
        disk = FaultyDisk(root, patch)
        journal = Journal(root / "data")
        for step, _ in STEPS:
            step(journal)
    return disk.calls


def test_a_power_cut_at_any_call_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    cuts = images = 0
    for cut_at in range(1, calls_needed(tmp_path) + 1):
        for torn in (0, 7, 10_000):
            here = tmp_path / f"{cut_at}-{torn}"
            root = here / "disk"
            root.mkdir(parents=True)
            done = 0
            with pytest.MonkeyPatch.context() as patch:
                disk = FaultyDisk(root, patch)
                disk.cut_at, disk.torn = cut_at, torn
                try:
                    journal = Journal(root / "data")
                    for step, _ in STEPS:
                        step(journal)
                        done += 1
                except PowerCut:
                    cuts += 1
            found = list(disk.images(here / "after"))
            allowed = [game for _, game in STEPS[max(0, done - 1) : done + 1]]
            for image in found:
                images += 1
                game = game_in(image / "data" / "journal.jsonl")
                assert game in allowed or (game is None and done == 0), (cut_at, torn, image.name)
                again = Journal(image / "data")  # starts, and goes on from there
                if again.saved is not None:
                    again.append(E[4])
                    assert game_in(image / "data" / "journal.jsonl") == (game[0], [*game[1], E[4]])  # type: ignore[index]
                if done >= 7:
                    assert game_in(image / "data" / "games" / "game-0001.jsonl") == OLD
    assert cuts > 100 and images == 4 * cuts


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS], ids=lambda e: errno.errorcode[e])
@pytest.mark.parametrize("length", [1, 3, 40], ids=["one call", "three calls", "for long"])
def test_an_error_at_any_call_costs_no_event_that_was_acknowledged(tmp_path: Path, error: int, length: int) -> None:
    refused = 0
    for first in range(1, calls_needed(tmp_path) + 1):
        root = tmp_path / str(first)
        root.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            disk = FaultyDisk(root, patch)
            (root / "data").mkdir()
            disk.error, disk.failing = error, range(first + 1, first + 1 + length)
            journal = Journal(root / "data")
            held: Game | None = None
            for step, after in STEPS:
                for _ in range(60):  # as the arbiter: said to the players, tried again with the next picture
                    try:
                        step(journal)
                    except OSError as fault:
                        assert fault.errno == error
                        refused += 1
                        assert game_in(journal.path) in (held, after)
                    else:
                        break
                held = after
                assert game_in(journal.path) == held
        assert Journal(root / "data").damage is None
        assert not list((root / "data").glob(".*.tmp")) or length > 1
    assert refused > 20


def test_a_full_card_in_the_middle_of_a_line_leaves_no_half_of_it(tmp_path: Path, monkeypatch: Any) -> None:
    journal = Journal(tmp_path)
    journal.begin(FIRST)
    journal.append(E[0])
    disk = FaultyDisk(tmp_path, monkeypatch)
    disk.error, disk.failing = errno.EIO, range(3, 5)  # written, but the sync fails, and so does taking it back
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        journal.append(E[1])
    disk.failing = range(0)
    journal.append(E[2])
    monkeypatch.undo()
    assert game_in(tmp_path / "journal.jsonl") == (FIRST, [E[0], E[2]])


def test_a_power_cut_while_a_calibration_is_saved_leaves_the_old_one_or_the_new(tmp_path: Path) -> None:
    layout = load_layout("hex37")
    plane = PlaneMap((0.002, 0.0, 0.0, 0.0, -0.002, 0.0, 0.0, 0.0, 1.0), 0.0, (64, 48))

    def save(folder: Path, error_mm: float) -> None:
        picture = np.full((48, 64, 3), round(100 * error_mm), np.uint8)
        save_board(folder, layout, plane, picture, side_at_bottom=1, error_mm=error_mm, seen=1.0, marked=True)

    cut_at, told = 0, set[float]()
    while True:
        cut_at += 1
        root = tmp_path / str(cut_at) / "disk"
        root.mkdir(parents=True)
        save(root / "profile", 0.1)
        with pytest.MonkeyPatch.context() as patch:
            disk = FaultyDisk(root, patch)
            disk.cut_at, disk.torn = cut_at, 100
            try:
                save(root / "profile", 0.2)
            except PowerCut:
                pass
            else:
                break
        for image in disk.images(root.parent / "after"):
            profile = load_profile(image / "profile")
            assert profile.picture().mean() == round(100 * profile.error_mm), "never a mixture"
            told.add(profile.error_mm)
    assert cut_at > 10 and told == {0.1, 0.2}


def test_a_damaged_journal_on_a_read_only_card_can_be_looked_at(tmp_path: Path, monkeypatch: Any) -> None:
    journal = Journal(tmp_path)
    journal.begin(FIRST)
    journal.append(E[0])
    with journal.path.open("ab") as file:
        file.write(b'{"half')
    disk = FaultyDisk(tmp_path, monkeypatch)
    disk.error, disk.failing = errno.EROFS, range(1, 1000)
    again = Journal(tmp_path)
    assert again.saved is not None and list(again.saved.events) == E[:1]
    assert again.damage is not None and "Read-only" in again.damage
    with pytest.raises(OSError, match="Read-only"):
        again.append(E[1])
    disk.failing = range(0)  # mounted for writing again
    again.append(E[2])
    monkeypatch.undo()
    assert game_in(tmp_path / "journal.jsonl") == (FIRST, [E[0], E[2]])


def test_what_a_power_cut_left_half_written_is_cleared_away(tmp_path: Path) -> None:
    Journal(tmp_path).begin(FIRST)
    (tmp_path / ".journal.jsonl.4711.tmp").write_bytes(b"half")
    Journal(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["journal.jsonl"]


def test_a_clock_that_jumps_back_matters_to_nobody(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.begin(FIRST)
    for t_ms in (5000, 200, 7000, 0):
        journal.append({"event": "rotate", "t_ms": t_ms})
    os.utime(journal.path, (0, 0))  # 1970: a Pi without a battery after a power cut
    again = Journal(tmp_path)
    assert again.damage is None and again.saved is not None
    assert [e["t_ms"] for e in again.saved.events] == [5000, 200, 7000, 0]
