"""The journal: what must survive a power cut. One line an event, appended and fsynced before it is shown.

A line is the record's line with ``t_ms`` and, last, ``crc``: the CRC-32 of the line without it, chained with the
line before, so that a torn, changed or missing line is noticed. Undo replaces the file (temporary file, fsync,
rename, fsync of the folder). Appending with a checksum and fdatasync, and replacing by rename, are the two ways
that stayed clean in simulated power cuts.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import InputError
from companion.files import make_folder, sync_folder, write_atomically

NAME = "journal.jsonl"
LONGEST_NOTE = 500

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """What a journal held when it was opened.

    Args:
        header: the record's header.
        events: the events, each with ``t_ms``, without ``crc``.
    """

    header: Mapping[str, Any]
    events: tuple[Mapping[str, Any], ...]


def _line(data: Mapping[str, Any], crc: int) -> tuple[bytes, int]:
    text = json.dumps(data, ensure_ascii=False, separators=(", ", ": "))
    if any("\ud800" <= c <= "\udfff" for c in text):  # half a character in a name: JSON knows it, UTF-8 does not
        text = json.dumps(data, separators=(", ", ": "))
    crc = zlib.crc32(text.encode(), crc)
    return f'{text[:-1]}, "crc": "{crc:08x}"}}\n'.encode(), crc


def _lines(rows: Iterable[Mapping[str, Any]]) -> tuple[bytes, int]:
    lines, crc = [], 0
    for row in rows:
        line, crc = _line(row, crc)
        lines.append(line)
    return b"".join(lines), crc


def journal_lines(header: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> bytes:
    """A journal's content, with its checksums.

    >>> journal_lines({"game": "pizza"}, [])
    b'{"game": "pizza", "crc": "956eefa2"}\\n'
    """
    return _lines((header, *events))[0]


def _checked(raw: bytes, crc: int) -> tuple[dict[str, Any], int] | None:
    """The line's data and the running checksum, or None when the line is not whole."""
    if not raw.endswith(b'"}\n'):
        return None
    body, mark, tail = raw.rpartition(b', "crc": "')
    if not mark:
        return None
    text = body + b"}"
    found = zlib.crc32(text, crc)
    if tail != f'{found:08x}"}}\n'.encode():
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return (data, found) if isinstance(data, dict) else None


def read_journal(path: Path) -> tuple[Saved | None, bytes]:
    """The whole lines of a journal and the bytes after them.

    Args:
        path: the journal file; it may be missing.

    Returns:
        What it holds (None when there is not even a header), and the damaged rest (empty when whole).
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None, b""
    rows: list[dict[str, Any]] = []
    crc, good = 0, 0
    for line in raw.splitlines(keepends=True):
        checked = _checked(line, crc)
        if checked is None:
            break
        data, crc = checked
        rows.append(data)
        good += len(line)
    rest = raw[good:]
    if not rows:
        return None, rest
    return Saved(rows[0], tuple(rows[1:])), rest


def notes_of(path: Path) -> Path:
    """Where the notes about a journal or a finished game lie.

    >>> notes_of(Path("games/game-0001.jsonl")).as_posix()
    'games/game-0001.notes.json'
    """
    return path.with_suffix(".notes.json")


def read_notes(path: Path) -> dict[int, str]:
    """The notes in a file; none where it is missing or broken: they are no part of the game."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {int(k): v for k, v in data.items() if k.isdecimal() and isinstance(v, str)}


def _notes_json(notes: Mapping[int, str]) -> bytes:
    return json.dumps({str(k): v[:LONGEST_NOTE] for k, v in sorted(notes.items())}).encode()


class Journal:
    """The game being played, on disk.

    Args:
        folder: where ``journal.jsonl`` lives; finished and replaced games go to ``games/`` beside it.

    Attributes:
        saved: the game that was there when it was opened; None when there was none.
        damage: one line about what was set aside then; None when the file was whole.
        notes: the players' words about events, beside the journal: number of the event from 0 -> text.

    Raises:
        InputError: the folder can't be used.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = Journal(Path(folder))
    ...     journal.begin({"game": "pizza"})
    ...     journal.append({"event": "rotate", "t_ms": 5})
    ...     Journal(Path(folder)).saved.events
    ({'event': 'rotate', 't_ms': 5},)
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.damage: str | None = None
        try:
            make_folder(folder)
            self.saved, rest = read_journal(self.path)
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror or error}") from error
        self._whole, self._crc = b"", 0  # what is to be on the disk
        if self.saved is not None:
            self._whole, self._crc = _lines((self.saved.header, *self.saved.events))
        self._sure = not rest  # whether that is what is on the disk
        if rest:
            line = 1 if self.saved is None else len(self.saved.events) + 2
            self.damage = (
                f"{self.path}: line {line} is damaged: {len(rest)} bytes from there on {self._set_aside(rest)}"
            )
        self.notes: Mapping[int, str] = read_notes(notes_of(self.path))
        for left in folder.glob(f".{NAME}.*.tmp"):  # by a power cut in the middle of writing
            with contextlib.suppress(OSError):
                left.unlink()

    def begin(self, header: Mapping[str, Any]) -> None:
        """Start a new game; the one before is kept in ``games/``.

        Raises:
            OSError: the disk refused; the game before is as it was.
        """
        if self.path.exists():
            games = self.path.parent / "games"
            make_folder(games)
            kept = self._free(games, "game")
            write_atomically(kept, self.path.read_bytes())
            if self.notes:
                write_atomically(notes_of(kept), _notes_json(self.notes))
        self.annotate({})
        self._rewrite(header, ())

    def append(self, event: Mapping[str, Any]) -> None:
        """Add an event; it is on the disk when this returns.

        Raises:
            OSError: the disk refused; the event does not count, and the next one is written after those that do.
        """
        line, crc = _line(event, self._crc)
        if self._sure:
            self._sure = False
            with self.path.open("r+b", buffering=0) as file:
                file.seek(0, os.SEEK_END)
                try:
                    if file.write(line) != len(line):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    os.fsync(file.fileno())
                except OSError:
                    with contextlib.suppress(OSError):
                        file.truncate(len(self._whole))
                    raise
            self._sure = True
        else:
            # Something went wrong before: whatever the file holds, it is replaced by what counts.
            write_atomically(self.path, self._whole + line)
            self._sure = True
        self._whole, self._crc = self._whole + line, crc

    def annotate(self, notes: Mapping[int, str]) -> None:
        """Keep other notes than until now.

        Args:
            notes: number of the event from 0 -> text.

        Raises:
            OSError: the disk refused; the notes are as they were.
        """
        path = notes_of(self.path)
        if notes:
            write_atomically(path, _notes_json(notes))
        elif path.exists():
            path.unlink()
        self.notes = dict(notes)

    def replace(
        self,
        header: Mapping[str, Any],
        events: Sequence[Mapping[str, Any]],
        notes: Mapping[int, str] | None = None,
    ) -> None:
        """Write the game anew, for example without its last event; notes about events that are no more go with them.

        Args:
            header: of the game.
            events: all that count.
            notes: where the notes belong now; None: where they are.

        Raises:
            OSError: the disk refused; the game goes on as it was.
        """
        self._rewrite(header, events)
        left = {i: words for i, words in (self.notes if notes is None else notes).items() if i < len(events)}
        if left != self.notes:
            try:
                self.annotate(left)
            except OSError as error:  # the game is written: it counts, whatever becomes of the words about it
                log.warning("the notes can't be written: %s", error)
                self.notes = left

    def _rewrite(self, header: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> None:
        whole, crc = _lines((header, *events))
        self._sure = False
        write_atomically(self.path, whole)
        self._whole, self._crc, self._sure = whole, crc, True

    def _set_aside(self, rest: bytes) -> str:
        """Keep damaged bytes in a file of their own, then write the journal without them; says how that went."""
        try:
            write_atomically(self._free(self.path.parent, "damaged"), rest)
            if self._whole:
                write_atomically(self.path, self._whole)
            else:
                self.path.unlink()
                sync_folder(self.path.parent)
        except OSError as error:  # a card that can't be written can be read: the game can be looked at
            return f"can't be set aside: {error.strerror or error}"
        self._sure = bool(self._whole)
        return "were set aside"

    @staticmethod
    def _free(folder: Path, stem: str) -> Path:
        taken = {p.name for p in folder.glob(f"{stem}-*.jsonl")}
        number = 1
        while f"{stem}-{number:04}.jsonl" in taken:
            number += 1
        return folder / f"{stem}-{number:04}.jsonl"
