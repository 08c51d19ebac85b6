"""The profile on disk: what was written is read, damage is named with its file, a power cut leaves old or new."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from calibration.geometry import PlaneMap
from calibration.profile import layout_name, layout_to_json, load_profile, save_board
from companion.errors import ProfileError
from companion.layout import BoardLayout, load_layout, parse_layout
from companion.vision.eyes import open_eyes

HEX37 = load_layout("hex37")
PLANE = PlaneMap((0.0021, 0.0004, 0.02, 0.0003, -0.0019, -0.01, 2e-4, -1e-4, 1.0), 0.031, (160, 120))
PICTURE = np.random.default_rng(1).integers(0, 256, (120, 160, 3), np.uint8)


def save(folder: Path, plane: PlaneMap = PLANE, picture: np.ndarray = PICTURE, layout: BoardLayout = HEX37) -> None:
    save_board(folder, layout, plane, picture, side_at_bottom=2, error_mm=0.05, seen=1.0, marked=True)


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    save(tmp_path / "new" / "table")
    profile = load_profile(tmp_path / "new" / "table")
    assert profile.plane == PLANE
    assert profile.layout == HEX37
    assert (profile.side_at_bottom, profile.error_mm, profile.seen, profile.marked) == (2, 0.05, 1.0, True)
    assert np.array_equal(profile.picture(), PICTURE)


def test_a_layout_survives_its_json_form() -> None:
    assert parse_layout(layout_to_json(HEX37)) == HEX37


def test_calibrating_again_keeps_enrolments_and_leaves_no_old_files(tmp_path: Path) -> None:
    enrolled = tmp_path / "dice" / "wizard" / "faces.json"
    enrolled.parent.mkdir(parents=True)
    enrolled.write_text("{}")
    save(tmp_path)
    save(tmp_path, picture=255 - PICTURE)
    assert enrolled.read_text() == "{}"
    assert np.array_equal(load_profile(tmp_path).picture(), 255 - PICTURE)
    assert sorted(p.suffix for p in tmp_path.iterdir() if p.is_file()) == [".json", ".png", ".toml"]


def test_games_name_the_calibrated_board_even_after_another_was_calibrated(tmp_path: Path) -> None:
    """A record is replayed on the layout that its header names, so that file must stay."""
    assert layout_name(tmp_path / "none") == "hex37"
    save(tmp_path)
    assert layout_name(tmp_path) == "hex37"
    fewer = parse_layout({**layout_to_json(HEX37), "toppings_per_colour": 9}, "fewer")
    save(tmp_path, layout=fewer)
    named = layout_name(tmp_path)
    save(tmp_path)
    assert load_layout(named) == fewer
    with pytest.raises(ProfileError, match="another game"):
        open_eyes("board", tmp_path, layout=named)


@pytest.mark.parametrize("failing", range(6))
def test_a_failure_at_any_step_leaves_the_old_calibration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """Six syncs a calibration (file and folder, three times); after the last file is renamed the new one counts."""
    save(tmp_path)
    real, calls = os.fsync, []

    def fsync(handle: int) -> None:
        calls.append(handle)
        if len(calls) > failing:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(ProfileError, match="can't be written"):
        save(tmp_path, picture=255 - PICTURE)
    monkeypatch.undo()
    expected = PICTURE if failing < 5 else 255 - PICTURE
    assert np.array_equal(load_profile(tmp_path).picture(), expected)
    assert not list(tmp_path.glob(".*.tmp"))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def _replace(old: str, new: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return change


@pytest.mark.parametrize(
    ("name", "damage", "said"),
    [
        ("profile.toml", Path.unlink, "calibrate board"),
        ("profile.toml", lambda p: p.write_text("format = ["), "not TOML"),
        ("profile.toml", lambda p: p.write_bytes(b"\xff\xfe\0"), "not TOML"),
        ("profile.toml", lambda p: p.write_text(""), "format"),
        ("profile.toml", _replace("format = 1", "format = true"), "format"),
        ("profile.toml", _replace("format = 1", "format = 99"), "newer"),
        ("profile.toml", _replace("[board]", "[other]"), "board"),
        ("profile.toml", _replace("lens = 0.031", "lens = nan"), "lens"),
        ("profile.toml", _replace("lens = 0.031", 'lens = "0"'), "lens"),
        ("profile.toml", _replace("0.0021", "true"), "matrix"),
        ("profile.toml", _replace("0.0021, 0.0004", "0.0, 0.0"), "matrix"),
        ("profile.toml", _replace("side_at_bottom = 2", "side_at_bottom = 4"), "side_at_bottom"),
        ("profile.toml", _replace("marked = true", "marked = 1"), "marked"),
        ("profile.toml", _replace('picture = "empty', 'picture = "../empty'), "file name"),
        ("layout-*.json", Path.unlink, "layout"),
        ("layout-*.json", _cut, "damaged"),
        ("empty-*.png", Path.unlink, "empty"),
        ("empty-*.png", _cut, "damaged"),
    ],
)
def test_damage_is_named_with_its_file(tmp_path: Path, name: str, damage: Callable[[Path], object], said: str) -> None:
    save(tmp_path)
    (path,) = tmp_path.glob(name)
    damage(path)
    with pytest.raises(ProfileError, match=said) as caught:
        load_profile(tmp_path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value) or "profile.toml" in str(caught.value)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfileError, match="can't be written"):
        save(tmp_path / "file")
    with pytest.raises(ProfileError):
        load_profile(tmp_path / "file")
