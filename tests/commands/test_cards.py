"""Guards the commands about cards: enrol, check, read, print; bad calls are one line and exit 2."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from companion.cli import main
from companion.simulator import deck
from companion.simulator.cards import CardTable, lay_grid
from companion.simulator.scene import Card, Scene

CARDS = ("b1", "r2", "y3", "g4", "b5", "b8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cards")
    table = CardTable(2, (960, 720))
    table.gloss = None
    cv2.imwrite(str(folder / "page.jpg"), table.draw(Scene(cards=lay_grid(CARDS, 3)), 0))
    cv2.imwrite(str(folder / "two.jpg"), table.draw(Scene(cards=(Card("b8", -60, 0, 40), Card("r2", 60, 0, 130))), 0))
    (folder / "page.json").write_text(json.dumps({"cards": [{"value": v} for v in CARDS]}))
    return folder


@pytest.fixture(scope="module")
def profile(folder: Path) -> str:
    profile = str(folder / "profile")
    assert main(["calibrate", "cards", f"{folder}/page.jpg:{folder}/page.json", "--profile", profile]) == 0
    return profile


def test_enrolled_cards_are_read(folder: Path, profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["read", "cards", str(folder / "two.jpg"), "--profile", profile, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert sorted(card["value"] for card in said["cards"]) == ["b8", "r2"] and said["status"] == "ok"
    assert all(len(card["box"]) == 4 and card["confidence"] >= 0.9 for card in said["cards"])
    assert main(["read", "cards", str(folder / "two.jpg"), "--profile", profile]) == 0
    assert "b8" in capsys.readouterr().out


def test_check_reports_cards(profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["calibrate", "check", "--profile", profile, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["cards_enrolled"]["cards"] == dict.fromkeys(CARDS, 1)
    assert said["cards_enrolled"]["size_mm"] == [59, 91] and said["cards_enrolled"]["px_per_mm"] > 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["read", "cards", "x.jpg"], "--profile"),
        (["read", "cards", "x.jpg", "--profile", "/nowhere"], "missing"),
        (["calibrate", "cards", "x.jpg", "--profile", "p"], "PICTURE.jpg:LABELS.json"),
        (["calibrate", "cards", "x.jpg:y.json", "--profile", "p"], "x.jpg"),
        (["calibrate", "cards", "x.jpg:y.json", "--profile", "p", "--size", "9x9"], "--size"),
        (["calibrate", "cards", "x.jpg:y.json"], "--profile"),
    ],
)
def test_bad_calls_are_one_line(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_the_deck_is_written_as_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(deck, "DPI", 40)
    assert main(["deck", "--out", str(tmp_path / "print"), "--json"]) == 0
    files = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(file["cards"], file["pages"]) for file in files] == [(60, 7), (5, 1), (9, 1)]
    assert all(Path(file["file"]).read_bytes().startswith(b"%PDF") for file in files)
    (tmp_path / "file").write_text("")
    assert main(["deck", "--out", str(tmp_path / "file")]) == 2
