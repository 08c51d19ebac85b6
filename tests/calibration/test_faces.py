"""Enrolled dice on disk: what was written is read, damage is named with its file, a power cut leaves old or new."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.faces import load_faces, parse_labels, save_faces
from calibration.kinds import MAIN, enrolled_kinds, kind_folder
from companion.cli import main
from companion.errors import InputError, ProfileError
from companion.vision.symbols import Labelled, SymbolModel
from companion.vision.symbols_find import CHANNELS, SHADES, WINDOW, Finder
from companion.vision.symbols_match import DISC, TURNS, Faces, Lens
from companion.vision.symbols_net import MOVES, WIDTH, Prints
from companion.vision.symbols_net import TURNS as VIEWS
from companion.vision.symbols_trust import measure_trust

RNG = np.random.default_rng(1)
PICTURE = Labelled(
    RNG.integers(0, 256, (80, 100, 3), np.uint8), np.array([[10.0, 10, 20, 22], [50, 40, 21, 20]]), ("blue", 3)
)


def make_model(seed: int = 0) -> SymbolModel:
    rng = np.random.default_rng(seed)
    finder = Finder(
        rng.normal(size=SHADES**3).astype(np.float32),
        rng.normal(size=(CHANNELS, WINDOW, WINDOW)).astype(np.float32),
        0.25,
        -0.125,
    )
    looks = rng.normal(size=(2 * TURNS, 3 * len(DISC))).astype(np.float32)
    owner, die = (np.repeat([0, 1], TURNS).astype(np.intp) for _ in range(2))
    faces = Faces(looks, owner, die, (3, "blue"))
    towards = rng.normal(size=(2, len(MOVES), VIEWS, WIDTH)).astype(np.float16).astype(np.float32)  # as they are kept
    prints = Prints(towards, np.array([0, 1], np.intp))
    leads = np.array([[np.inf, 0.2], [0.3, np.inf]])
    lens, trust = Lens(1.5, -3.0, False, True), measure_trust(faces, prints)
    return SymbolModel(finder, faces, prints, lens, (0.03, 0.04), leads, trust)


def save(folder: Path, seed: int = 0, hints: tuple[str, ...] = ()) -> None:
    save_faces(folder, "mine", [PICTURE], make_model(seed), 20.7, hints)


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    save(tmp_path / "new" / "table", hints=("dim the lamp",))
    found = load_faces(tmp_path / "new" / "table", "mine")
    model = make_model()
    assert (found.kind, found.counts, found.die_px, found.hints) == ("mine", {3: 1, "blue": 1}, 20.7, ("dim the lamp",))
    assert np.array_equal(found.model.finder.table, model.finder.table)
    assert np.array_equal(found.model.finder.filters, model.finder.filters)
    assert np.array_equal(found.model.faces.looks, model.faces.looks)
    assert found.model.faces.values == (3, "blue")  # a number stays a number
    assert (found.model.lens, found.model.sizes) == (model.lens, model.sizes)
    assert np.array_equal(found.model.leads, model.leads)
    assert np.array_equal(found.model.prints.towards, model.prints.towards)
    assert found.model.prints.owner.tolist() == [0, 1]
    assert (found.model.finder.bias, found.model.finder.least) == (0.25, -0.125)
    assert enrolled_kinds(tmp_path / "new" / "table") == ["mine"]


def test_enrolling_again_replaces_and_leaves_no_old_files(tmp_path: Path) -> None:
    save(tmp_path)
    save(tmp_path, seed=5)
    assert np.array_equal(load_faces(tmp_path, "mine").model.faces.looks, make_model(5).faces.looks)
    assert sorted(p.suffix for p in kind_folder(tmp_path, "mine").iterdir()) == [".json", ".npz", ".png"]


@pytest.mark.parametrize("failing", range(3))
def test_a_power_cut_leaves_the_old_enrolment_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    save(tmp_path)
    done = 0
    replace = Path.replace

    def cut(self: Path, target: Any) -> Path:
        nonlocal done
        done += 1
        if done > failing:
            raise OSError(5, "power cut", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", cut)
    with pytest.raises(ProfileError, match="can't be written"):
        save(tmp_path, seed=5)
    monkeypatch.undo()
    assert np.array_equal(load_faces(tmp_path, "mine").model.faces.looks, make_model().faces.looks)


def edit(key: str, value: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = json.loads((folder / MAIN).read_text())
        data[key] = value
        (folder / MAIN).write_text(json.dumps(data))

    return change


def learned(folder: Path) -> Path:
    return next(folder.glob("learned-*.npz"))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda f: (f / MAIN).unlink(), "missing"),
        (lambda f: (f / MAIN).write_text("{"), "not JSON"),
        (lambda f: (f / MAIN).write_bytes(b"\xff\xfe"), "not JSON"),
        (lambda f: (f / MAIN).write_text("[]"), "format"),
        (edit("format", 0), "format 0"),
        (edit("values", ["blue"]), "broken"),
        (edit("pictures", 4), "broken"),
        (edit("learned", {"file": "../x", "sha256": ""}), "broken"),
        (lambda f: learned(f).unlink(), "learned-"),
        (lambda f: learned(f).write_bytes(learned(f).read_bytes()[:-9]), "damaged"),
    ],
)
def test_damage_is_named_with_its_file(tmp_path: Path, damage: Callable[[Path], Any], says: str) -> None:
    save(tmp_path)
    damage(kind_folder(tmp_path, "mine"))
    with pytest.raises(ProfileError, match=says) as error:
        load_faces(tmp_path, "mine")
    assert str(kind_folder(tmp_path, "mine")) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["", "../x", "a/b", "pips", ".hidden", "x" * 33])
def test_impossible_kinds_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match="--kind"):
        kind_folder("table", kind)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "must be"),
        ({"dice": []}, "must be"),
        ({"dice": [{"value": "a", "box": [0, 0, 9, 9]}, 7]}, "die 2: value"),
        ({"dice": [{"value": True, "box": [0, 0, 9, 9]}]}, "die 1: value"),
        ({"dice": [{"value": 1.5, "box": [0, 0, 9, 9]}]}, "value"),
        ({"dice": [{"value": "", "box": [0, 0, 9, 9]}]}, "value"),
        ({"dice": [{"value": 1, "box": [0, 0, 9]}]}, "box"),
        ({"dice": [{"value": 1, "box": [0, 0, "9", 9]}]}, "box"),
        ({"dice": [{"value": 1, "box": [0, 0, 0, 9]}]}, "not in the picture"),
        ({"dice": [{"value": 1, "box": [99, 0, 9, 9]}]}, "not in the picture"),
        ({"dice": [{"value": 1, "box": [0, 0, float("nan"), 9]}]}, "not in the picture"),
    ],
)
def test_bad_labels_are_named(data: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as error:
        parse_labels(data, "labels.json", (100, 80))
    assert str(error.value).startswith("labels.json: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda x: st.lists(x) | st.dictionaries(st.sampled_from(["dice", "value", "box", "x"]), x),
)


@given(JSON)
def test_any_labels_are_taken_or_refused(data: Any) -> None:
    try:
        boxes, values = parse_labels(data, "labels.json", (100, 80))
    except InputError:
        return
    assert boxes.shape == (len(values), 4)
    assert np.isfinite(boxes).all()


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    capsys.readouterr()
    try:
        code = main([*map(str, args)])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def write_table(folder: Path, name: str, seed: int, turn: float) -> str:
    """A picture of four dice, two of each face, and its labels, as one argument of the command line."""
    rng = np.random.default_rng(seed)
    picture = rng.integers(60, 90, (160, 240, 3)).astype(np.uint8)
    dice = []
    for k, (x, y) in enumerate(((40, 40), (110, 100), (180, 50), (60, 115))):
        box = cv2.boxPoints(((x, y), (28, 28), turn + 25 * k))
        cv2.fillConvexPoly(picture, np.rint(box).astype(np.int32), (230, 230, 230), cv2.LINE_AA)
        if k % 2:
            cv2.circle(picture, (x, y), 7, (30, 30, 200), -1, cv2.LINE_AA)
        else:
            bar = cv2.boxPoints(((x, y), (6, 18), turn + 25 * k))
            cv2.fillConvexPoly(picture, np.rint(bar).astype(np.int32), (200, 90, 30), cv2.LINE_AA)
        (left, top), (right, bottom) = box.min(axis=0), box.max(axis=0)
        dice.append({"value": k % 2 + 1, "box": [float(left), float(top), float(right - left), float(bottom - top)]})
    cv2.imwrite(str(folder / f"{name}.png"), picture)
    (folder / f"{name}.json").write_text(json.dumps({"dice": dice, "tags": ["more keys"]}))
    return f"{folder / name}.png:{folder / name}.json"


def test_dice_are_enrolled_checked_and_read_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [write_table(tmp_path, name, k, 40 * k) for k, name in enumerate(("one", "two"))]
    profile = tmp_path / "profile"
    code, out, _ = run(capsys, "calibrate", "dice", "--kind", "numerals", *pairs, "--profile", profile, "--json")
    assert code == 0
    report = json.loads(out)
    assert report["dice_enrolled"]["numerals"]["faces"] == {"1": 4, "2": 4}
    assert 28 < report["dice_enrolled"]["numerals"]["die_px"] < 40
    code, out, err = run(capsys, "calibrate", "check", "--profile", profile)
    assert (code, out) == (0, "")
    assert "2 faces enrolled (1 4, 2 4)" in err
    write_table(tmp_path, "three", 7, 13)
    code, out, _ = run(
        capsys, "read", "dice", tmp_path / "three.png", "--kind", "numerals", "--profile", profile, "--json"
    )
    assert code == 0
    answer = json.loads(out)
    assert sorted(d["value"] for d in answer["dice"]) == [1, 1, 2, 2]
    assert answer["status"] == "ok"


def test_bad_calls_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = write_table(tmp_path, "one", 1, 0)
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "single.json").write_text(json.dumps({"dice": [{"value": "a", "box": [20, 20, 40, 40]}]}))
    small = [{"value": v, "box": [20, 20, 8, 8]} for v in "ab"]
    (tmp_path / "small.json").write_text(json.dumps({"dice": small}))
    picture = pair.split(":")[0]
    for code, args in (
        (2, ["--kind", "pips", pair]),
        (2, ["--kind", "x", picture]),
        (2, ["--kind", "x", f"{picture}:{tmp_path / 'bad.json'}"]),
        (2, ["--kind", "x", f"{picture}:{tmp_path / 'missing.json'}"]),
        (2, ["--kind", "x", f"{tmp_path / 'missing.jpg'}:{tmp_path / 'one.json'}"]),
        (1, ["--kind", "x", f"{picture}:{tmp_path / 'single.json'}"]),
        (1, ["--kind", "x", f"{picture}:{tmp_path / 'small.json'}"]),
    ):
        got, out, err = run(capsys, "calibrate", "dice", *args, "--profile", tmp_path / "profile")
        assert (got, out, err.count("\n")) == (code, "", 1), err
    assert not (tmp_path / "profile").exists()
    for args in (["--kind", "x"], ["--kind", "x", "--profile", os.fspath(tmp_path / "profile")]):
        got, out, err = run(capsys, "read", "dice", picture, *args)
        assert (got, out, err.count("\n")) == (2, "", 1), err
