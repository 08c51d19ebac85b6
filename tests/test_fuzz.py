"""Guards every reader of files against anything that may be in them: it is read, or refused with one clear line."""

from __future__ import annotations

import copy
import io
import json
import math
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from calibration.geometry import fit_plane
from calibration.profile import layout_to_json, load_profile, save_board
from calibration.spaces import centres
from companion.cli import main
from companion.config import RULES, example, load_config
from companion.errors import CompanionError, InputError
from companion.layout import load_layout
from companion.picture import decode_picture
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Scene
from hardware.base import Press
from hardware.recording import Recording, RecordingWriter

HEX37 = load_layout("hex37")
quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-3, 300),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["", "\x00", "\ud800", "../../etc/passwd", "a\nb", "é" * 300, "1e400", "NaN"]),
)
VALUES = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(max_size=5), v, max_size=4), max_leaves=6
)


def refused_in_one_line(read: Callable[[], object], name: str) -> None:
    """What it reads is fine, or there is one clear line that names the file."""
    try:
        read()
    except CompanionError as error:
        assert isinstance(error, InputError), "exit code 2"
        line = " ".join(str(error).split())  # as the command line prints it: a file's name may hold anything
        assert name in line and len(line) < 600, line


def bent(data: bytes, rng: random.Random) -> bytes:
    """A file with some bytes changed, cut out, repeated or cut off."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            out = out[:at]
        elif kind == 1:
            del out[at : at + rng.randint(1, 40)]
        elif kind == 2:
            out[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 6)))
        elif kind == 3:
            out[at:at] = out[max(0, at - rng.randint(1, 60)) : at]
        elif out:
            out[at % len(out)] = rng.randrange(256)
        if not out:
            break
    return bytes(out)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where in nested lists and objects something can be replaced."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(p for key, value in items for p in places(value, (*path, key)))]


def replaced(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    out = copy.deepcopy(data)
    inner = out
    for key in path[:-1]:
        inner = inner[key]
    if value == "delete":
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return out


# ---- configuration ----


@quick
@given(st.sampled_from(sorted(RULES)), st.data())
def test_configuration_values(tmp_path: Path, section: str, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(RULES[section])) | st.text("abc_-. \"'\n", max_size=6))
    value = data.draw(VALUES)
    file = tmp_path / "companion.toml"
    file.write_bytes(f"[{section}]\n{key} = {json.dumps(value)}\n".encode(errors="surrogatepass"))
    refused_in_one_line(lambda: load_config(file), file.name)


@quick
@given(st.randoms(use_true_random=False))
def test_configuration_bytes(tmp_path: Path, rng: random.Random) -> None:
    file = tmp_path / "companion.toml"
    file.write_bytes(bent(example().encode(), rng))
    refused_in_one_line(lambda: load_config(file), file.name)


# ---- profile ----


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "profile"
    renderer = Renderer(1, HEX37, (320, 240))
    home = centres(HEX37)
    px = renderer.camera.project([(x, y, BOARD_MM) for x, y in home])
    plane = fit_plane(home, px, renderer.size, lens=None, noise_px=0.05)
    picture = renderer.draw(Scene(), 0)
    save_board(folder, HEX37, plane, picture, side_at_bottom=1, error_mm=0.1, seen=1.0, marked=True)
    return folder


@quick
@given(st.randoms(use_true_random=False), st.integers(0, 2))
def test_profile_bytes(tmp_path: Path, profile: Path, rng: random.Random, which: int) -> None:
    copied = tmp_path / "profile"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(profile, copied)
    file = sorted(copied.iterdir())[which]
    file.write_bytes(bent(file.read_bytes(), rng))
    refused_in_one_line(lambda: load_profile(copied).picture(), "profile")


@quick
@given(VALUES, st.data())
def test_profile_values(tmp_path: Path, profile: Path, value: Any, data: st.DataObject) -> None:
    copied = tmp_path / "profile"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(profile, copied)
    lines = (copied / "profile.toml").read_text().split("\n")
    at = data.draw(st.sampled_from([i for i, line in enumerate(lines) if " = " in line]))
    lines[at] = lines[at].split(" = ")[0] + " = " + json.dumps(value)
    (copied / "profile.toml").write_bytes("\n".join(lines).encode(errors="surrogatepass"))
    refused_in_one_line(lambda: load_profile(copied).picture(), "profile")


# ---- layout ----


@quick
@given(VALUES | st.just("delete"), st.data())
def test_layout_values(tmp_path: Path, value: Any, data: st.DataObject) -> None:
    whole = layout_to_json(HEX37)
    path = data.draw(st.sampled_from(places(whole)))
    file = tmp_path / "layout.json"
    file.write_text(json.dumps(replaced(whole, path, value)))
    refused_in_one_line(lambda: load_layout(str(file)), file.name)


@quick
@given(st.randoms(use_true_random=False))
def test_layout_bytes(tmp_path: Path, rng: random.Random) -> None:
    file = tmp_path / "layout.json"
    file.write_bytes(bent(json.dumps(layout_to_json(HEX37)).encode(), rng))
    refused_in_one_line(lambda: load_layout(str(file)), file.name)


# ---- record ----

PIZZA = {
    "game": "pizza",
    "layout": "hex37",
    "players": [{"name": "Ana", "seat": "A", "colour": "red"}, {"name": "Ben", "seat": "B", "colour": "green"}],
    "first": "A",
}
RECORDS: list[list[Any]] = [
    [PIZZA, {"event": "place", "seat": "A", "space": "a1"}, {"event": "place", "seat": "B", "space": "g4"}],
    [
        {"game": "wizard_dice", "players": [{"name": "Ana"}, {"name": "Ben"}], "first_seer": 0},
        {"event": "bid", "player": 1, "colour": "blue", "number": 1},
        {"event": "bid", "player": 0, "colour": "red", "number": 2},
        {"event": "roll", "faces": ["blue"] * 7},
    ],
    [
        {"game": "wizard_cards", "players": [{"name": "Ana"}, {"name": "Ben"}, {"name": "Cleo"}], "dealer": 0},
        {"event": "trump", "card": "r7"},
        {"event": "bid", "player": 1, "tricks": 0},
    ],
]


def adjudicated(file: Path, capsys: Any) -> None:
    code = main(["adjudicate", str(file), "--json"])
    out, err = capsys.readouterr()
    assert code in (0, 1, 2)
    assert all(isinstance(json.loads(line), dict) for line in out.splitlines())
    assert err.count("\n") == (1 if code == 2 else 0), err
    if code == 2:
        assert (err.startswith("companion: ") and "line" in err) or file.name in err


@quick
@given(st.sampled_from(RECORDS), VALUES | st.just("delete"), st.data())
def test_record_values(tmp_path: Path, capsys: Any, record: list[Any], value: Any, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(places(record)[1:]))
    file = tmp_path / "record.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in replaced(record, path, value)))
    adjudicated(file, capsys)


@quick
@given(st.sampled_from(RECORDS), st.randoms(use_true_random=False))
def test_record_bytes(tmp_path: Path, capsys: Any, record: list[Any], rng: random.Random) -> None:
    file = tmp_path / "record.jsonl"
    file.write_bytes(bent("".join(json.dumps(row) + "\n" for row in record).encode(), rng))
    adjudicated(file, capsys)


# ---- recording ----


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "recording"
    writer = RecordingWriter(folder, fps=5, meta={"profile": "kitchen"})
    rng = np.random.default_rng(1)
    for t_ms in (0, 200):
        writer.frame(t_ms, cv2.resize(rng.integers(0, 255, (9, 12, 3), np.uint8), (120, 90)))
    writer.press(Press(100, "ok", "press"))
    writer.press(Press(150, "back", "hold"))
    writer.close()
    return folder


@quick
@given(st.randoms(use_true_random=False), st.integers(0, 4), st.booleans())
def test_recording(tmp_path: Path, recording: Path, rng: random.Random, which: int, rename: bool) -> None:
    copied = tmp_path / "recording"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(recording, copied)
    files = sorted(p for p in copied.rglob("*") if p.is_file())
    file = files[which % len(files)]
    if rename:
        file.rename(file.with_name(rng.choice(["x.jpg", "00000001.jpeg", "12345678.jpg", "١٢٣٤٥٦٧٨.jpg", "a\nb"])))
    else:
        file.write_bytes(bent(file.read_bytes(), rng))

    def read() -> None:
        played = Recording.open(copied)
        for t_ms in played.frames_ms:
            played.picture(t_ms)

    refused_in_one_line(read, "recording")


# ---- pictures ----


def encoded(picture: Any, kind: str, **more: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(picture).save(out, kind, **more)
    return out.getvalue()


RGB = np.random.default_rng(1).integers(0, 255, (72, 96, 3), np.uint8)


@quick
@given(st.randoms(use_true_random=False), st.sampled_from(["JPEG", "PNG", "BMP", "WEBP", "TIFF"]))
def test_picture_bytes(rng: random.Random, kind: str) -> None:
    data = bent(encoded(RGB, kind), rng)

    def read() -> None:
        frame = decode_picture(data, "x.picture")
        assert frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3
        assert min(frame.shape[:2]) >= 64

    refused_in_one_line(read, "x.picture")


def huge_png() -> bytes:
    """A PNG whose header says 20,000 x 20,000, with no more than that to it."""
    data = bytearray(encoded(RGB, "PNG"))
    data[16:24] = (20_000).to_bytes(4, "big") * 2
    import zlib

    data[29:33] = zlib.crc32(bytes(data[12:29])).to_bytes(4, "big")
    return bytes(data)


def turned_jpeg() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    return encoded(RGB, "JPEG", exif=exif)


REFUSED = {
    "empty": b"",
    "text": b"not a picture",
    "1x1": encoded(RGB[:1, :1], "PNG"),
    "64x1": encoded(RGB[:1, :64], "PNG"),
    "20000x20000": huge_png(),
    "cut JPEG": encoded(RGB, "JPEG")[:-200],
    "cut PNG": encoded(RGB, "PNG")[:-200],
    "half JPEG closed properly": encoded(RGB, "JPEG", quality=95)[:3000] + b"\xff\xd9",
}
READ = {
    "grey": encoded(RGB[..., 0], "JPEG"),
    "grey PNG": encoded(RGB[..., 0], "PNG"),
    "alpha": encoded(np.dstack([RGB, RGB[..., 0]]), "PNG"),
    "16 bit": cv2.imencode(".png", RGB.astype(np.uint16) * 257)[1].tobytes(),
    "16 bit grey": cv2.imencode(".png", RGB[..., 0].astype(np.uint16) * 257)[1].tobytes(),
    "turned by EXIF": turned_jpeg(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_pictures_that_are_none_are_refused_by_every_command(
    name: str, tmp_path: Path, profile: Path, capfd: Any
) -> None:
    file = tmp_path / "picture.bin"
    file.write_bytes(REFUSED[name])
    with pytest.raises(InputError, match=r"picture\.bin"):
        decode_picture(REFUSED[name], str(file))
    assert main(["calibrate", "board", str(file), "--profile", str(tmp_path / "new")]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert main(["calibrate", "check", "--profile", str(profile), str(file)]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert main(["read", "board", str(file), "--profile", str(profile), "--json"]) == 1
    out, err = capfd.readouterr()
    assert json.loads(out)["status"] == "unreadable" and err == ""


@pytest.mark.parametrize("name", READ)
def test_unusual_pictures_are_read_as_they_lie(name: str) -> None:
    frame = decode_picture(READ[name], name)
    assert frame.shape == RGB.shape and frame.dtype == np.uint8
    if name == "alpha":
        assert np.abs(frame[..., ::-1].astype(int) - RGB).max() <= 1
    assert math.isfinite(float(frame.mean()))
