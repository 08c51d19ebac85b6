"""`companion calibrate`: exit codes, one clear line, JSON alone on standard output."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import main
from companion.layout import load_layout
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Scene

HEX37 = load_layout("hex37")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictures") / "empty.jpg"
    cv2.imwrite(str(path), Renderer(1, HEX37, (960, 720)).draw(Scene(), 0), [cv2.IMWRITE_JPEG_QUALITY, 92])
    return path


def points(*names: str) -> list[str]:
    renderer = Renderer(1, HEX37, (960, 720))
    spaces = [HEX37.spaces[n] for n in names]
    px = renderer.camera.project([(s.x_mm, s.y_mm, BOARD_MM) for s in spaces])
    return [a for n, (x, y) in zip(names, px, strict=True) for a in ("--point", f"{n}={x:.0f},{y:.0f}")]


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    capsys.readouterr()
    try:
        code = main(["calibrate", *map(str, args)])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_a_board_is_calibrated_and_checked(empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "board", empty, *points("a1", "a4", "g4", "g1"), "--profile", tmp_path, "--json")
    assert code == 0
    assert json.loads(out)["side_at_bottom"] == 1
    assert "burnt out" not in out
    code, out, _ = run(capsys, "check", "--profile", tmp_path, empty, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["error_mm"] < 0.5
    assert report["now"]["turn"] == 0
    assert not report["now"]["moved"]


def test_a_burnt_out_board_is_named(empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The print that is not seen at calibration can't be told from white toppings afterwards."""
    dazzled = tmp_path / "dazzled.png"
    cv2.imwrite(str(dazzled), np.clip(cv2.imread(str(empty)) * 1.8, 0, 255).astype(np.uint8))
    code, out, _ = run(capsys, "board", dazzled, *points("a1", "a4", "g4", "g1"), "--profile", tmp_path, "--json")
    assert code == 0
    said = [hint for hint in json.loads(out)["hints"] if "burnt out" in hint]
    assert len(said) == 1
    assert int(said[0].split()[0]) > 10


def test_the_board_is_found_without_points(empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "board", empty, "--side-at-bottom", 3, "--profile", tmp_path)
    assert (code, out) == (0, "")
    assert "side 3 at the bottom" in err


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--point", "a1"], 2),
        (["--point", "a1=3"], 2),
        (["--point", "a1=x,y"], 2),
        (["--point", "a1=1,2", "--point", "a1=3,4"], 2),
        (["--point", "nowhere=1,2"], 2),
        (["--side-at-bottom", "4"], 2),
        (["--layout", "hex99"], 2),
        (["--layout", "missing.json"], 2),
        (points("a1", "a4", "g4"), 2),
        ([*points("a1", "a4", "g4", "g1")[:7], "g1=9999,9"], 2),
        ([a.replace("a1", "XX").replace("a4", "a1").replace("XX", "a4") for a in points("a1", "a4", "g4", "g1")], 1),
    ],
)
def test_malformed_calls_are_answered_in_one_line(
    empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], expected: int
) -> None:
    code, out, err = run(capsys, "board", empty, *args, "--profile", tmp_path / "new")
    assert (code, out) == (expected, "")
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("kind", ["missing", "folder", "text", "empty", "cut", "tiny", "huge", "no-board"])
def test_pictures_that_are_none(empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    path = tmp_path / "picture.jpg"
    whole = empty.read_bytes()
    if kind == "folder":
        path.mkdir()
    elif kind == "text":
        path.write_text("hello")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif kind == "tiny":
        cv2.imwrite(str(path), np.zeros((4, 4, 3), np.uint8))
    elif kind == "huge":  # the header promises 60000 x 60000
        at = whole.index(b"\xff\xc0") + 5
        path.write_bytes(whole[:at] + b"\xea\x60\xea\x60" + whole[at + 4 :])
    elif kind == "no-board":
        cv2.imwrite(str(path), np.full((480, 640, 3), 90, np.uint8))
    code, out, err = run(capsys, "board", path, "--profile", tmp_path / "new")
    assert (code, out) == (1 if kind == "no-board" else 2, "")
    assert len(err.strip().splitlines()) == 1


def test_a_profile_that_is_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "check", "--profile", tmp_path / "nothing")
    assert code == 2
    assert "profile.toml" in err
