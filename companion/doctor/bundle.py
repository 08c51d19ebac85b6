"""The zip file for a bug report: what is needed to understand the fault, and nothing that says who plays."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import re
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.doctor.machine import SERVICE
from companion.doctor.names import Names
from companion.errors import InputError
from companion.files import write_atomically
from companion.journal import NAME, journal_lines, read_journal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.config import Config
    from companion.doctor.machine import Machine

LOG_LINES = 3000
NAME_FIELD = re.compile(rb'"name"\s*:\s*("(?:[^"\\]|\\.)*")')
README = """\
Made by `companion doctor --bundle`. The players' names were replaced. Look through it before you send it.

doctor.txt, doctor.json   what the doctor found
config.json               the settings
versions.txt              Python packages
journal.jsonl             the game in progress, event by event
log.txt                   the last lines of the service's log
picture.png               what the camera sees (only when asked for)
"""


def players(config: Config) -> Iterator[str]:
    """The names of all players that the configuration or a saved game knows, damaged ones, too.

    Raises:
        InputError: the games can't be read, so that their names can't be known.
    """
    yield from config.game["names"]
    try:
        for folder in (config.data, config.data / "games"):
            for path in sorted(folder.iterdir() if folder.is_dir() else ()):
                if path.suffix == ".jsonl":
                    yield from names_in(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"{error.filename}: {error.strerror or error}: without the games, players' names can't be hidden (try sudo)"
        ) from error


def names_in(journal: bytes) -> Iterator[str]:
    r"""The names in a journal, whether it is whole or not.

    >>> list(names_in(b'{"players": [{"name": "Zo\\u00eb"}, {"name": "B'))
    ['Zoë']
    """
    for text in NAME_FIELD.findall(journal):
        with contextlib.suppress(ValueError):
            yield json.loads(text)


def write_bundle(
    path: Path,
    machine: Machine,
    config: Config,
    config_file: Path | None,
    page: str,
    report: Any,
    picture: npt.NDArray[np.uint8] | None,
) -> None:
    """Write the zip file.

    Args:
        path: of the zip file; an older one is replaced.
        machine: asked for the log.
        config: the settings, for the names of players and the folder of the games.
        config_file: the file that they came from, if any.
        page, report: the doctor's findings as text and as data.
        picture: of the camera, BGR uint8; None for none.

    Raises:
        InputError: it can't be written.
    """
    hide = Names(players(config))
    files: dict[str, bytes] = {
        "README.txt": README.encode(),
        "doctor.txt": hide.text(page).encode(errors="replace"),
        "doctor.json": _json(hide.data(report)),
        "config.json": _json(hide.data(_settings(config_file))),
        "versions.txt": "".join(
            sorted(f"{d.name}=={d.version}\n" for d in importlib.metadata.distributions())
        ).encode(),
        "journal.jsonl": _journal(config.data / NAME, hide),
        "log.txt": hide.text(_log(machine)).encode(errors="replace"),
    }
    if picture is not None:
        import cv2

        files["picture.png"] = cv2.imencode(".png", picture)[1].tobytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    try:
        write_atomically(path, out.getvalue())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def _json(data: Any) -> bytes:
    return (json.dumps(data, indent=1, ensure_ascii=False, default=str) + "\n").encode(errors="replace")


def _settings(path: Path | None) -> Any:
    """The settings of the file, without its comments, which may say anything."""
    if path is None:
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return {"unreadable": str(error)}


def _journal(path: Path, hide: Names) -> bytes:
    """The journal with other names, and checksums that fit; only names are changed, so that it can be played again."""
    try:
        saved, _ = read_journal(path)
    except OSError:
        return b""
    if saved is None:
        return b""
    header = dict(saved.header)
    if isinstance(people := header.get("players"), list):
        header["players"] = [
            {**person, "name": hide.data(person["name"])} if isinstance(person, dict) and "name" in person else person
            for person in people
        ]
    return journal_lines(header, saved.events)


def _log(machine: Machine) -> str:
    log = machine.run(
        "journalctl",
        "--unit",
        SERVICE,
        "--lines",
        str(LOG_LINES),
        "--no-pager",
        "--no-hostname",
        "--output",
        "short-iso",
    )
    return log or "(no log: journalctl gives none, or only to root: try sudo companion doctor)\n"
