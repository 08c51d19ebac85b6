"""Guards recordings: what is written reads back, and a folder that is none is refused with one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from companion.errors import InputError, PictureError
from hardware.base import Press
from hardware.buttons import open_buttons
from hardware.camera import RecordedCamera, open_camera
from hardware.recording import Recording, RecordingWriter


def picture(shade: int) -> np.ndarray:
    return np.full((64, 80, 3), shade, np.uint8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = RecordingWriter(tmp_path / "rec", fps=5, meta={"profile": "kitchen"})
    for t_ms in range(0, 1000, 50):
        writer.frame(t_ms, picture(t_ms // 10))
    writer.press(Press(1500, "ok", "press"))
    writer.press(Press(1700, "back", "hold"))
    writer.close()
    return tmp_path / "rec"


def test_a_recording_reads_back_as_written(folder: Path) -> None:
    recording = Recording.open(folder)
    assert recording.frames_ms == (0, 200, 400, 600, 800)
    assert recording.presses == (Press(1500, "ok", "press"), Press(1700, "back", "hold"))
    assert recording.meta == {"profile": "kitchen", "fps": 5, "duration_ms": 1700}
    assert recording.end_ms == 1700
    assert abs(int(recording.picture(400).mean()) - 40) <= 1
    assert sorted(path.name for path in folder.iterdir()) == ["buttons.jsonl", "frames", "meta.json"]


def test_the_camera_gives_the_newest_picture_once(folder: Path) -> None:
    camera = open_camera("recording", {"folder": folder})
    shades = [None if p is None else round(float(p.mean())) for p in map(camera.read, (0, 100, 450, 500, 5000, 6000))]
    assert shades == [0, None, 40, None, 80, None]
    camera.close()


def test_the_buttons_come_from_the_same_folder(folder: Path) -> None:
    assert open_buttons("recording", {"folder": folder}).poll(1600) == (Press(1500, "ok", "press"),)


def test_a_torn_last_line_is_left_out_and_a_whole_one_kept(folder: Path) -> None:
    path = folder / "buttons.jsonl"
    text = path.read_text()
    path.write_text(text + '{"t_ms": 18')
    assert len(Recording.open(folder).presses) == 2
    path.write_text(text.rstrip("\n"))
    assert len(Recording.open(folder).presses) == 2


def test_unfinished_files_of_a_killed_writer_do_not_count(folder: Path) -> None:
    (folder / "frames" / ".00001000.jpg.part").write_bytes(b"half")
    assert len(Recording.open(folder).frames_ms) == 5


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("meta.json", None, "meta.json"),
        ("meta.json", "[]", "meta.json: must be an object"),
        ("meta.json", "{", "meta.json: not JSON"),
        ("meta.json", '{"duration_ms": "long"}', "duration_ms"),
        ("meta.json", '{"duration_ms": NaN}', "duration_ms"),
        ("meta.json", '{"duration_ms": true}', "duration_ms"),
        ("buttons.jsonl", None, "buttons.jsonl"),
        ("buttons.jsonl", "nonsense\n", "buttons.jsonl: line 1: not JSON"),
        ("buttons.jsonl", "\n3\n", "line 2: must be an object"),
        ("buttons.jsonl", '{"t_ms": 1.0, "button": "ok", "action": "press"}\n', "t_ms"),
        ("buttons.jsonl", '{"t_ms": true, "button": "ok", "action": "press"}\n', "t_ms"),
        ("buttons.jsonl", '{"t_ms": -1, "button": "ok", "action": "press"}\n', "t_ms"),
        ("buttons.jsonl", '{"t_ms": 1, "button": "left", "action": "press"}\n', "up, down, ok, back"),
        ("buttons.jsonl", '{"t_ms": 1, "button": [], "action": "press"}\n', "up, down, ok, back"),
        ("buttons.jsonl", '{"t_ms": 1, "button": "ok", "action": "kick"}\n', "press or hold"),
        ("frames/1.jpg", "x", "1.jpg"),
        ("frames/notes.txt", "x", "notes.txt"),
        ("frames/١٢٣٤٥٦٧٨.jpg", "x", "eight digits"),
    ],
)
def test_a_damaged_recording_is_refused_in_one_line(folder: Path, file: str, content: str | None, says: str) -> None:
    path = folder / file
    path.write_text(content) if content is not None else path.unlink()
    with pytest.raises(InputError, match=says.replace(".", r"\.")) as caught:
        Recording.open(folder)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused(folder: Path) -> None:
    (folder / "buttons.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        Recording.open(folder)


def test_no_folder_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError, match="frames"):
            Recording.open(folder)


@pytest.mark.parametrize("content", [b"", b"no picture"])
def test_a_picture_that_cannot_be_decoded_is_told_by_name(folder: Path, content: bytes) -> None:
    (folder / "frames" / "00000000.jpg").write_bytes(content)
    with pytest.raises(PictureError, match=r"00000000\.jpg"):
        RecordedCamera(Recording.open(folder)).read(0)


def test_a_recording_needs_a_folder_of_its_own(folder: Path) -> None:
    with pytest.raises(InputError, match="not empty"):
        RecordingWriter(folder)


def test_a_killed_writer_leaves_a_recording(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np, pathlib\n"
        "from hardware.recording import RecordingWriter\n"
        "from hardware.base import Press\n"
        "writer = RecordingWriter(pathlib.Path(sys.argv[1]), fps=1000)\n"
        "picture = np.zeros((480, 640, 3), np.uint8)\n"
        "for t_ms in range(1_000_000):\n"
        "    writer.frame(t_ms, picture)\n"
        "    writer.press(Press(t_ms, 'ok', 'press'))\n"
        "    if t_ms == 20: print('on', flush=True)\n"
    )
    folder = tmp_path / "rec"
    with subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    recording = Recording.open(folder)
    assert len(recording.frames_ms) >= 20 and len(recording.presses) >= 20
    assert recording.picture(recording.frames_ms[-1]).shape == (480, 640, 3)
    assert json.loads((folder / "meta.json").read_text())["fps"] == 1000
    assert recording.end_ms >= recording.frames_ms[-1]
