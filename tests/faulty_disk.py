"""A disk that fails or loses its power at a chosen call; what a power cut may leave of it can be looked at."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class PowerCut(BaseException):
    """Nothing is written any more."""


class Handle:
    """A file opened for writing."""

    def __init__(self, disk: FaultyDisk, file: Any) -> None:
        self._disk = disk
        self._file = file

    def write(self, data: bytes) -> int:
        torn = self._disk.call("write", data)
        written: int = self._file.write(data if torn is None else data[:torn])
        if torn is not None:
            self._file.flush()
            self._disk.cut()
        return written

    def truncate(self, size: int) -> int:
        self._disk.call("truncate")
        size = int(self._file.truncate(size))
        return size

    def flush(self) -> None:
        self._file.flush()

    def seek(self, *where: int) -> int:
        return int(self._file.seek(*where))

    def fileno(self) -> int:
        return int(self._file.fileno())

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class FaultyDisk:
    """Stands between the program and a folder, where writing is concerned.

    Args:
        root: the folder; what it holds now is safe.

    Attributes:
        calls: how many calls that change the disk were made.
        error: what the calls in ``failing`` raise.
        cut_at: the call at which the power goes; a write is torn after ``torn`` bytes.
    """

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.calls = 0
        self.error = errno.EIO
        self.failing: range = range(0)
        self.cut_at = -1
        self.torn = 0
        self._off = False
        there = [root, *root.rglob("*")]
        self._safe_data = {p.stat().st_ino: p.read_bytes() for p in there if p.is_file()}
        self._safe_names = {p: {q.name: q.stat().st_ino for q in p.iterdir()} for p in there if p.is_dir()}
        self._open, self._fsync = Path.open, os.fsync
        patch.setattr(Path, "open", lambda path, *a, **k: self._opened(path, *a, **k))
        patch.setattr(os, "fsync", self._synced)
        for name in ("replace", "unlink", "mkdir"):
            patch.setattr(os, name, self._guarded(name, getattr(os, name)))

    def call(self, name: str, data: bytes = b"") -> int | None:
        """Count a call; raises what it is to raise, or says after how many bytes it is torn."""
        if self._off:
            raise PowerCut
        self.calls += 1
        if self.calls == self.cut_at:
            if name == "write":
                return self.torn % (len(data) + 1)
            self.cut()
        if self.calls in self.failing:
            raise OSError(self.error, os.strerror(self.error))
        return None

    def cut(self) -> None:
        """The power goes."""
        self._off = True
        raise PowerCut

    def _guarded(self, name: str, real: Any) -> Any:
        def guarded(*arguments: Any, **more: Any) -> Any:
            if name != "unlink" or Path(arguments[0]).exists():
                self.call(name)
            return real(*arguments, **more)

        return guarded

    def _opened(self, path: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
        if mode in ("r", "rb"):
            return self._open(path, mode, *more, **named)
        self.call("open")
        file = self._open(path, mode, *more, **named)
        if mode.startswith("w"):
            self._safe_data[os.fstat(file.fileno()).st_ino] = b""
        return Handle(self, file)

    def _synced(self, handle: int) -> None:
        self.call("fsync")
        path = Path(f"/proc/self/fd/{handle}").readlink()
        if path.is_dir():
            self._safe_names[path] = {p.name: p.stat().st_ino for p in path.iterdir()}
        else:
            with self._open(path, "rb") as file:
                self._safe_data[path.stat().st_ino] = file.read()

    def images(self, target: Path) -> Iterator[Path]:
        """Folders as they may be after the cut: names and contents each as written, or as they were made safe."""
        for number, (names, data) in enumerate(itertools.product(("written", "safe"), repeat=2)):
            image = target / f"image{number}"
            self._copy(self.root, image, names, data)
            yield image

    def _copy(self, folder: Path, image: Path, names: str, data: str) -> None:
        image.mkdir(parents=True)
        there = {p.name: p for p in folder.iterdir()}
        by_number = {p.stat().st_ino: p for p in self.root.rglob("*")}
        entries = {n: p.stat().st_ino for n, p in there.items()}
        if names == "safe":
            entries = self._safe_names.get(folder, {})
        for name, number in entries.items():
            path = by_number.get(number)
            if path is not None and path.is_dir():
                self._copy(path, image / name, names, data)
                continue
            content = self._safe_data.get(number, b"")
            if data == "written" and path is not None:
                with self._open(path, "rb") as file:
                    content = file.read()
            with self._open(image / name, "wb") as file:
                file.write(content)
