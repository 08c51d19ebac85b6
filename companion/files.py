"""Writing files so that a power cut leaves the old one or the new one, whole."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file: temporary file, fsync, rename, fsync of the folder.

    Args:
        path: the file; its folder must exist.
        data: the new content.

    Raises:
        OSError: the disk is full, read-only or broken. The old file is as it was, or, when the disk broke at the very
            end, the new one is there: what a power cut would leave is not known.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, so that they survive a power cut; one that is there is left alone.

    Raises:
        OSError: the disk refuses.
    """
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make what was renamed, made or deleted in a folder survive a power cut.

    Raises:
        OSError: the disk refuses.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
