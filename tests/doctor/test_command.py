"""Guards the page, the exit code, and that a bundle holds no player's name."""

from __future__ import annotations

import argparse
import json
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from companion.cli import main
from companion.commands.doctor import examine
from companion.doctor.names import Names
from companion.errors import InputError
from companion.journal import Journal

from ..arbiter.settled import header
from .machine import Pi

ALL_WELL = '[camera]\ndriver = "none"\n'


def call(folder: Path, text: str = ALL_WELL, *, pi: Pi | None = None, **options: Any) -> int:
    (folder / "companion.toml").write_text(text)
    args = {"config": folder / "companion.toml", "json": False, "bundle": None, "picture": False, **options}
    pi = pi or Pi()
    if pi.commands["systemctl"].count("ActiveState=inactive"):
        pi.commands["systemctl"] += "LoadState=not-found\n"
    return examine(argparse.Namespace(**args), pi)


def test_all_is_well_and_one_thing_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path) == 0
    page = capsys.readouterr().out
    assert page.endswith("All is well.\n") and "Raspberry Pi 4 Model B Rev 1.4" in page
    lines = page.replace(str(tmp_path), "/etc/companion").splitlines()
    assert len(lines) < 40 and max(map(len, lines)) <= 100
    pi = Pi()
    pi.i2c = [0x3D]
    assert call(tmp_path, pi=pi) == 1
    page = capsys.readouterr().out
    assert "TODO  display" in page and "-> set address = 0x3D" in page and "1 thing needs doing." in page


def test_json_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pi = Pi()
    pi.commands["vcgencmd"] = "throttled=0x50005"
    assert call(tmp_path, pi=pi, json=True) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["todo"] == 1
    assert {f["name"]: f["state"] for f in report["findings"]}["power"] == "todo"


def test_a_table_without_calibration_and_a_bad_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "") == 1
    assert "not calibrated yet" in capsys.readouterr().out
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "profile.toml").write_text("format = 99")
    assert call(tmp_path, "") == 1
    assert "profile.toml" in capsys.readouterr().out


def test_a_mistake_in_the_settings_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "[camera]\ndriver = 5\n") == 1
    assert "camera.driver is 5" in capsys.readouterr().out
    assert main(["doctor", "--config", str(tmp_path / "none.toml")]) == 2
    with pytest.raises(InputError, match="belongs to --bundle"):
        call(tmp_path, picture=True)


def names_in(folder: Path, *names: str) -> dict[str, bytes]:
    """A bundle of a table with these players, and its files."""
    journal = Journal(folder / "data")
    people = [{**p, "name": name} for p, name in zip(header()["players"], names, strict=False)]
    journal.begin({**header(), "players": people})
    journal.append({"event": "place", "seat": "A", "space": "d4", "t_ms": 1})
    pi = Pi()
    pi.commands["journalctl"] = "INFO Früher and FRÜHER0 play\n" + "".join(
        f"INFO {name} places | it is {name}'s turn, {name.upper()}? {json.dumps(name)} /home/{name.lower()}/x\n"
        f"WARNING {unicodedata.normalize('NFD', name)}s Zug\n"
        for name in names
    )
    pi.commands["systemctl"] = (
        f"LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=0\nStatusText={names[0]} | place\n"
    )
    text = f"# {names[0]}'s table\n[game]\nnames = {json.dumps(names)}\n"
    assert call(folder, text, pi=pi, bundle=folder / "b.zip") in (0, 1)
    with zipfile.ZipFile(folder / "b.zip") as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_holds_no_name_and_its_journal_can_be_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("Zoë", "Jean-Luc van Dyck", "Åsa")
    files = names_in(tmp_path, *names)
    assert set(files) == {
        "README.txt", "doctor.txt", "doctor.json", "config.json", "versions.txt", "journal.jsonl", "log.txt"
    }  # fmt: skip
    for file, data in files.items():
        text = unicodedata.normalize("NFC", data.decode()).casefold()
        for name in names:
            assert name.casefold() not in text, file
            assert json.dumps(name)[1:-1].casefold() not in text, file
    assert files["log.txt"].count(b"Player 1") == 5 + 1 == files["log.txt"].count(b"Player 2")
    assert json.loads(files["config.json"])["game"]["names"] == ["Player 1", "Player 2", "Player 3"]
    (tmp_path / "j.jsonl").write_bytes(files["journal.jsonl"])
    assert main(["adjudicate", str(tmp_path / "j.jsonl")]) == 0


def test_names_that_are_words_of_the_rules_do_not_spoil_the_journal(tmp_path: Path) -> None:
    files = names_in(tmp_path, "place", "red", "A")
    (tmp_path / "j.jsonl").write_bytes(files["journal.jsonl"])
    assert main(["adjudicate", str(tmp_path / "j.jsonl")]) == 0


def test_names_of_earlier_games_are_hidden_too(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "data")
    journal.begin({**header(), "players": [{**p, "name": f"Früher{i}"} for i, p in enumerate(header()["players"])]})
    files = names_in(tmp_path, "Ana", "Früher1", "Cleo")
    assert "Früher0".encode() not in b"".join(files.values())


LETTERS = st.text(st.characters(categories=("Lu", "Ll", "Lo")) | st.sampled_from(" -'ßİŉ"), min_size=1, max_size=9)


@given(LETTERS.filter(lambda name: name.strip()), st.sampled_from((str, str.lower, str.upper, json.dumps)))
@example("Strauß", str.upper)
def test_no_spelling_of_a_name_stays(name: str, spell: Callable[[str], str]) -> None:
    said = spell(" ".join(name.split())).strip('"')
    assert Names([name]).text(f"seat 1: {said}, {said}: 22") == "seat 1: Player 1, Player 1: 22"


def test_names_in_a_damaged_game_are_hidden_too(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "damaged-0001.jsonl").write_text('{"game": "pizza", "players": [{"name": "Früher"}, {"na')
    files = names_in(tmp_path, "Ana", "Ben", "Cleo")
    assert "Früher".encode() not in b"".join(files.values())


def test_no_bundle_where_the_names_can_not_be_known(tmp_path: Path) -> None:
    (tmp_path / "data" / "journal.jsonl").mkdir(parents=True)  # as good as one that may not be read, for root, too
    with pytest.raises(InputError, match="names can't be hidden"):
        call(tmp_path, bundle=tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def test_secrets_are_left_out_and_keys_stay() -> None:
    hide = Names(["Ana", "", "  "])
    assert hide.data({"Ana": ["ana", 1, None], "Web-Password": "x"}) == {
        "Ana": ["Player 1", 1, None],
        "Web-Password": "(left out)",
    }
    assert Names([]).text("Ana") == "Ana"


def test_a_picture_is_in_the_bundle_only_when_asked_for(tmp_path: Path) -> None:
    for asked in (False, True):
        call(tmp_path, "", bundle=tmp_path / "b.zip", picture=asked)
        with zipfile.ZipFile(tmp_path / "b.zip") as archive:
            assert ("picture.png" in archive.namelist()) is asked


def test_a_bundle_that_can_not_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        call(tmp_path, bundle=tmp_path / "no" / "b.zip")
