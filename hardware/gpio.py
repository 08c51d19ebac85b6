"""gpiozero with what it loads to reach the pins."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def pin_library() -> Iterator[None]:
    """Import and first use of gpiozero belong into this.

    lgpio, which gpiozero loads, makes a pipe in the folder LG_WD, or in the working directory, which a service can't
    write; and it makes LG_WD the working directory of the whole process, where relative paths then lead astray.
    """
    os.environ.setdefault("LG_WD", os.environ.get("RUNTIME_DIRECTORY") or tempfile.gettempdir())
    before = Path.cwd()
    try:
        with warnings.catch_warnings():
            # Pin libraries that are tried and not there: only the last one's absence matters, and that is an error.
            warnings.simplefilter("ignore")
            yield
    finally:
        os.chdir(before)
