"""Guards the journal: nothing committed is lost, damage is noticed and set aside, a full disk changes nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import InputError
from companion.journal import Journal, read_journal

HEADER = {"game": "pizza", "players": [{"name": 'Zoë "Z"\n\u2028'}]}
EVENTS = [{"event": "place", "seat": "A", "space": "c3", "t_ms": 10 * i} for i in range(4)]


def filled(folder: Path) -> Journal:
    journal = Journal(folder)
    journal.begin(HEADER)
    for event in EVENTS:
        journal.append(event)
    return journal


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    filled(tmp_path)
    journal = Journal(tmp_path)
    assert journal.saved is not None and journal.damage is None
    assert journal.saved.header == HEADER and list(journal.saved.events) == EVENTS


def test_half_a_character_in_a_name_is_kept(tmp_path: Path) -> None:
    header = {"game": "pizza", "players": [{"name": "\ud83c"}]}  # "\\ud83c" in a header file is JSON
    Journal(tmp_path).begin(header)
    journal = Journal(tmp_path)
    assert journal.saved is not None and journal.saved.header == header and journal.damage is None


def test_the_lines_are_a_record_with_the_checksum_last(tmp_path: Path) -> None:
    filled(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().split("\n")[:-1]]
    assert [list(row)[-1] for row in rows] == ["crc"] * 5
    assert [{k: v for k, v in row.items() if k != "crc"} for row in rows] == [HEADER, *EVENTS]


def test_appending_goes_on_after_a_restart(tmp_path: Path) -> None:
    filled(tmp_path)
    Journal(tmp_path).append({"event": "rotate"})
    saved = Journal(tmp_path).saved
    assert saved is not None and list(saved.events) == [*EVENTS, {"event": "rotate"}]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_torn_or_changed_byte_costs_nothing_before_its_line(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    filled(folder)
    path = folder / "journal.jsonl"
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        path.write_bytes(whole[:at])
    else:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :])
    untouched = whole[:at].count(b"\n")
    damaged = path.read_bytes()
    again = Journal(folder)
    rows: list[dict[str, Any]] = (
        [] if again.saved is None else [dict(again.saved.header), *map(dict, again.saved.events)]
    )
    assert rows == [HEADER, *EVENTS][:untouched]
    kept = path.read_bytes() if path.exists() else b""
    aside = b"".join(p.read_bytes() for p in folder.glob("damaged-*.jsonl"))
    assert kept + aside == damaged, "not a byte is dropped"
    assert (again.damage is not None) == bool(aside)


def test_a_line_that_is_missing_in_the_middle_is_noticed(tmp_path: Path) -> None:
    filled(tmp_path)
    path = tmp_path / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    journal = Journal(tmp_path)
    assert journal.saved is not None and list(journal.saved.events) == EVENTS[:1]
    assert journal.damage is not None and "line 3 is damaged" in journal.damage


def test_a_new_game_keeps_the_one_before(tmp_path: Path) -> None:
    filled(tmp_path).begin({"game": "other"})
    kept, rest = read_journal(tmp_path / "games" / "game-0001.jsonl")
    assert kept is not None and list(kept.events) == EVENTS and rest == b""


def test_undo_replaces_the_file(tmp_path: Path) -> None:
    journal = filled(tmp_path)
    journal.replace(HEADER, EVENTS[:-1])
    journal.append({"event": "rotate"})
    saved = Journal(tmp_path).saved
    assert saved is not None and list(saved.events) == [*EVENTS[:-1], {"event": "rotate"}]


def test_a_disk_that_refuses_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = filled(tmp_path)
    before = (tmp_path / "journal.jsonl").read_bytes()

    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        with pytest.raises(OSError, match="No space"):
            journal.append({"event": "rotate"})
        with pytest.raises(OSError, match="No space"):
            journal.replace(HEADER, [])
    assert (tmp_path / "journal.jsonl").read_bytes() == before
    journal.append({"event": "rotate"})
    saved = Journal(tmp_path).saved
    assert saved is not None and list(saved.events) == [*EVENTS, {"event": "rotate"}]


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"journal\.jsonl"):
        Journal(tmp_path / "file")


def test_kill_9_loses_no_event(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "benchmarks" / "power.py"
    done = subprocess.run([sys.executable, script, "--kills", "6"], capture_output=True, text=True, check=True)
    assert "6 kills" in done.stdout and ", 0 lost" in done.stdout


def test_a_change_of_the_past_counts_though_its_notes_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.begin({"game": "pizza"})
    for n in range(3):
        journal.append({"event": "rotate", "t_ms": n})
    journal.annotate({2: "what a move"})

    def full(*_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(journal, "annotate", full)
    journal.replace({"game": "pizza"}, [{"event": "rotate", "t_ms": 1}])
    assert journal.notes == {}
    saved = Journal(tmp_path).saved
    assert saved is not None and [event["t_ms"] for event in saved.events] == [1]
