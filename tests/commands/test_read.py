"""`companion read`: one object a picture, also for what can't be read; exit codes; one line for a malformed call."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.commands import read
from companion.errors import InputError, ProfileError


def _run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, list[dict[str, Any]]]:
    parser = argparse.ArgumentParser()
    read.register(parser.add_subparsers())
    parsed = parser.parse_args(["read", *args, "--json"])
    code = parsed.func(parsed)
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_one_object_a_picture_in_order_also_for_bad_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, text = tmp_path / "a good one.png", tmp_path / "text.jpg"
    cv2.imwrite(str(good), np.full((200, 200, 3), 90, np.uint8))
    text.write_text("no picture")
    code, answers = _run(capsys, "dice", str(text), str(good), str(tmp_path / "missing.jpg"), str(good))
    assert code == 1
    assert [a["image"] for a in answers] == [str(text), str(good), str(tmp_path / "missing.jpg"), str(good)]
    assert [a["status"] for a in answers] == ["unreadable", "ok", "unreadable", "ok"]
    assert all(a["reason"] for a in answers if a["status"] == "unreadable")
    assert answers[1]["dice"] == []
    assert answers[1]["ms"] > 0


def test_exit_code_0_when_all_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = tmp_path / "good.png"
    cv2.imwrite(str(good), np.full((200, 200, 3), 90, np.uint8))
    assert _run(capsys, "dice", str(good))[0] == 0


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["cards", "x.jpg"], "cards"),
        (["board", "x.jpg"], "--profile"),
        (["dice", "x.jpg", "--kind", "numerals"], "numerals"),
    ],
)
def test_a_call_that_cannot_be_carried_out(capsys: pytest.CaptureFixture[str], args: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        _run(capsys, *args)
    assert capsys.readouterr().out == ""


def test_a_missing_profile_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ProfileError, match="nowhere"):
        _run(capsys, "board", "x.jpg", "--profile", str(tmp_path / "nowhere"))


def test_words_for_people() -> None:
    line = read.describe(
        {
            "image": "t.jpg",
            "status": "unsure",
            "reason": "hidden or unsure: a2",
            "turn": 120,
            "spaces": {"a1": "red", "a2": None, "a3": "empty"},
            "cutters": [{"side": 1, "number": None, "colour": "red", "confidence": 0.5}],
            "dice": [{"value": 4, "colour": None, "box": [0, 0, 9, 9], "confidence": 0.9}],
        }
    )
    for part in ("t.jpg: unsure", "120", "red on a1", "not read on a2", "red stick: side 1, no line", "a die shows 4"):
        assert part in line
    assert "a3" not in line
