"""Guards `companion screens`: pictures and sheets of every screen, and an answer about what does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from companion.cli import main
from companion.screens import samples
from companion.screens.samples import sample_views
from companion.screens.view import Text, View


def test_every_screen_and_a_sheet_for_each_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--size", "128x64", "--size", "128x128"]
    assert main(["screens", "--out", str(tmp_path), "--language", "de", "--language", "fr", *sizes]) == 0
    for folder, size in (("de-128x64", (128, 64)), ("fr-128x128", (128, 128))):
        names = {path.stem for path in (tmp_path / folder).iterdir()}
        assert names == set(sample_views())
        with Image.open(tmp_path / folder / "starting.png") as picture:
            assert picture.size == size and picture.getbbox() is not None
    sheets = sorted(tmp_path.glob("sheet-128x64-*.png"))
    assert sheets and sheets[0].name == "sheet-128x64-01.png"
    for sheet in sheets:
        with Image.open(sheet) as picture:
            assert max(picture.size) <= 2200
    assert "0 pictures with a text that does not fit" in capsys.readouterr().out


def test_json_is_one_object_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--language", "en", "--size", "128x64", "--no-sheet", "--json"]
    assert main(["screens", "--out", str(tmp_path), *options]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["screen"] for row in rows] == list(sample_views())
    assert all(Path(row["file"]).exists() and row["problems"] == [] for row in rows)
    assert not list(tmp_path.glob("sheet*"))


def test_a_text_that_does_not_fit_is_named_and_makes_the_answer_no(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "sample_views", lambda: {"long": View("long", title=Text("far too long " * 3))})
    assert main(["screens", "--out", str(tmp_path), "--language", "en", "--size", "128x64"]) == 1
    assert "long en 128x64: cut" in capsys.readouterr().out


def test_bad_calls_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["screens", "--out", str(tmp_path / "file")]) == 2
    assert main(["screens", "--out", str(tmp_path), "--language", "xx"]) == 2
    with pytest.raises(SystemExit) as caught:
        main(["screens", "--out", str(tmp_path), "--size", "big"])
    assert caught.value.code == 2
    lines = capsys.readouterr().err.strip().split("\n")
    assert len(lines) == 3 and "de, es, fr" in lines[1] and "128x64" in lines[2]
