"""Writing files so that a power cut leaves the old one or the new one, whole."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file: temporary file, fsync, rename, fsync of the folder.

    Args:
        path: the file; its folder must exist.
        data: the new content.

    Raises:
        OSError: the disk is full, read-only or broken; the old file is as it was, and no temporary one stays.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


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
