"""Recordings of a table: a folder of pictures, button actions and facts, read and written.

A recording is ``frames/00001234.jpg`` (milliseconds since the start, eight digits), ``buttons.jsonl`` (one
``{"t_ms": 1500, "button": "ok", "action": "press"}`` a line) and ``meta.json`` (``fps``, ``duration_ms`` and whatever
else its maker notes).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from companion.errors import DeviceError, InputError
from hardware.base import BUTTON_NAMES, ButtonName, Press

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FRAME_NAME = re.compile(r"[0-9]{8}\.jpg")
JPEG_QUALITY = 90


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording whose folder has been checked.

    Args:
        folder: where it is.
        frames_ms: the moments of its pictures, ms since the start, ascending.
        presses: its button actions, ascending.
        meta: the contents of meta.json.
        end_ms: when it is over: no picture, press or noted duration lies after it.
    """

    folder: Path
    frames_ms: tuple[int, ...]
    presses: tuple[Press, ...]
    meta: Mapping[str, Any]
    end_ms: int

    @classmethod
    def open(cls, folder: Path) -> Recording:
        """Check a recording's folder and read all but its pictures.

        Raises:
            InputError: it is no recording; names the file and what is wrong with it.
        """
        frames = _frames(folder / "frames")
        presses = _presses(folder / "buttons.jsonl")
        meta = _meta(folder / "meta.json")
        end = max([0, meta.get("duration_ms", 0), *frames[-1:], *(press.t_ms for press in presses)])
        return cls(folder, frames, presses, meta, int(end))

    def picture(self, t_ms: int) -> npt.NDArray[np.uint8]:
        """The picture of a moment in ``frames_ms`` (BGR uint8, h x w x 3).

        Raises:
            PictureError: its file is missing or no whole picture.
        """
        from companion.picture import read_picture

        return read_picture(self.folder / "frames" / f"{t_ms:08d}.jpg")


def _frames(folder: Path) -> tuple[int, ...]:
    try:
        names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from error
    for name in names:
        if not FRAME_NAME.fullmatch(name):
            raise InputError(f"{folder / name}: not a picture's name: must be eight digits and .jpg")
    return tuple(int(name[:8]) for name in names)


def _presses(path: Path) -> tuple[Press, ...]:
    text = _read(path)
    lines = text.split("\n")
    if lines[-1]:
        # The last line was being written when the power went; it is kept if it is whole.
        try:
            json.loads(lines[-1])
        except (ValueError, RecursionError):
            lines[-1] = ""
    presses = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            presses.append(_press(f"{path}: line {number}", line))
    return tuple(sorted(presses, key=lambda press: press.t_ms))


def _press(where: str, line: str) -> Press:
    data = _object(where, line)
    t_ms, button, action = (data.get(key) for key in ("t_ms", "button", "action"))
    if type(t_ms) is not int or t_ms < 0:
        raise InputError(f"{where}: t_ms must be a whole number of milliseconds from 0")
    if button not in BUTTON_NAMES:
        raise InputError(f"{where}: button must be one of {', '.join(BUTTON_NAMES)}")
    if action not in ("press", "hold"):
        raise InputError(f"{where}: action must be press or hold")
    return Press(t_ms, cast("ButtonName", button), action)


def _meta(path: Path) -> dict[str, Any]:
    meta = _object(str(path), _read(path))
    duration = meta.get("duration_ms", 0)
    if type(duration) not in (int, float) or not 0 <= duration < 1e8:
        raise InputError(f"{path}: duration_ms must be a number of milliseconds from 0 to eight digits")
    return meta


def _object(where: str, text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON: {error}") from error
    if not isinstance(data, dict):
        raise InputError(f"{where}: must be an object")
    return data


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text") from error


class RecordingWriter:
    """Writes a recording that is whole at every moment: a kill loses no more than the picture under way.

    Args:
        folder: new or empty.
        fps: pictures a second to keep; those in between are left out.
        meta: noted in meta.json beside ``fps`` and ``duration_ms``.

    Raises:
        InputError: the folder can't be made or holds something already.
    """

    def __init__(self, folder: Path, fps: float = 5.0, meta: Mapping[str, Any] | None = None) -> None:
        self._folder = folder
        self._fps = fps
        self._meta = dict(meta or {})
        self._last_frame: int | None = None
        self._last_ms = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise InputError(f"{folder}: not empty: a recording needs a folder of its own")
            (folder / "frames").mkdir()
            self._buttons = (folder / "buttons.jsonl").open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{folder}: {error.strerror or error}") from error
        self._write_meta()

    def frame(self, t_ms: int, picture: npt.NDArray[np.uint8]) -> bool:
        """Keep a picture (BGR uint8, h x w x 3) if its turn has come; returns whether it was kept.

        Raises:
            DeviceError: the disk is full or gone.
        """
        import cv2

        if self._last_frame is not None and t_ms - self._last_frame < 1000 / self._fps:
            return False
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        self._replace(self._folder / "frames" / f"{t_ms:08d}.jpg", data.tobytes())
        self._last_frame = self._last_ms = t_ms
        return True

    def press(self, press: Press) -> None:
        """Keep a button action.

        Raises:
            DeviceError: the disk is full or gone.
        """
        line = json.dumps({"t_ms": press.t_ms, "button": press.button, "action": press.action})
        try:
            self._buttons.write(line + "\n")
            self._buttons.flush()
        except OSError as error:
            raise DeviceError(f"{self._folder}: {error.strerror or error}") from error
        self._last_ms = max(self._last_ms, press.t_ms)

    def close(self) -> None:
        """Note how long it was."""
        self._buttons.close()
        self._write_meta()

    def _write_meta(self) -> None:
        meta = self._meta | {"fps": self._fps, "duration_ms": self._last_ms}
        self._replace(self._folder / "meta.json", (json.dumps(meta, indent=1) + "\n").encode())

    def _replace(self, path: Path, data: bytes) -> None:
        part = path.with_name(f".{path.name}.part")
        try:
            part.write_bytes(data)
            part.replace(path)
        except OSError as error:
            raise DeviceError(f"{path}: {error.strerror or error}") from error
