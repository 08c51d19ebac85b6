"""Changing single values of a configuration file; everything else in it, comments included, stays as it is."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from companion.config import load_config
from companion.errors import ConfigError
from companion.files import write_atomically

_SECTION = re.compile(r"\s*\[\s*([A-Za-z0-9_-]+)\s*\]\s*(#.*)?$")


def with_value(text: str, section: str, key: str, value: Any) -> str:
    """The text of a TOML file with another value of one key.

    Args:
        text: valid TOML.
        section: name of the table; added at the end when there is none.
        key: its key; added at the end of the table when there is none.
        value: a text, a number, a truth value, or a list of these.

    >>> print(with_value('[game]\\nlanguage = "en"  # of the display\\n', "game", "language", "de"), end="")
    [game]
    language = "de"  # of the display
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    start = _section(lines, section)
    if start is None:
        lines += [*([""] if lines and lines[-1].strip() else []), f"[{section}]", f"{key} = {_toml(value)}"]
        return "\n".join(lines) + "\n"
    end = next((i for i in range(start, len(lines)) if lines[i].lstrip().startswith("[") and _starts(lines, i)), None)
    end = len(lines) if end is None else end
    at = next((i for i in range(start, end) if re.match(rf"\s*{re.escape(key)}\s*=", lines[i])), None)
    if at is None:
        while end > start and not lines[end - 1].strip():
            end -= 1
        lines.insert(end, f"{key} = {_toml(value)}")
    else:
        last, rest = _extent(lines, at)
        new = f"{lines[at].partition('=')[0].rstrip()} = {_toml(value)}"
        if last == at and rest:  # the comment stays in its column where there is room
            new = new.ljust(len(lines[at]) - len(rest.lstrip()) - 1) + " "
        lines[at : last + 1] = [new + (rest.lstrip() if last == at else rest)]
    return "\n".join(lines) + "\n"


def save_value(path: Path, section: str, key: str, value: Any) -> None:
    """Change one value in a configuration file, made if missing, written in one step.

    Raises:
        ConfigError: the file would no longer be a configuration; it is as it was.
        OSError: it can't be read or written; it is as it was.
    """
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        changed = with_value(text, section, key, value)
        data = changed.encode()
    except UnicodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    handle, name = tempfile.mkstemp(suffix=".toml", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        load_config(Path(name))
    finally:
        Path(name).unlink()
    if tomllib.loads(changed)[section][key] != value:
        raise ConfigError(f"{path}: {section}.{key} is written in a way that can't be changed from here")
    write_atomically(path, data)


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # Of texts, numbers and truth values JSON's form is TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _section(lines: list[str], section: str) -> int | None:
    for i, line in enumerate(lines):
        found = _SECTION.match(line)
        if found is not None and found[1] == section and _starts(lines, i):
            return i + 1
    return None


def _starts(lines: list[str], at: int) -> bool:
    """Whether a line stands at the top level, and not within a list or a text of several lines."""
    try:
        tomllib.loads("\n".join(lines[:at]))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _extent(lines: list[str], at: int) -> tuple[int, str]:
    """The last line of the value that begins in a line, and what stands behind the value: blanks and a comment."""
    value = lines[at].partition("=")[2]
    for last in range(at, len(lines)):
        if last > at:
            value += "\n" + lines[last]
        for end in range(len(value), 0, -1):
            rest = value[end:]
            if rest.strip() and not rest.lstrip().startswith("#"):
                continue
            if _complete(value[:end]) and (not rest.strip() or "\n" not in rest):
                return last, rest.rstrip()
    return at, ""


def _complete(value: str) -> bool:
    if not value.strip() or value != value.rstrip() or ("#" in value and _comment_outside(value)):
        return False
    try:
        tomllib.loads(f"x = {value.strip()}")
    except tomllib.TOMLDecodeError:
        return False
    return True


def _comment_outside(value: str) -> bool:
    """Whether a value holds a comment of its own behind it, so that it ends earlier."""
    for i, letter in enumerate(value):
        if letter == "#":
            try:
                tomllib.loads(f"x = {value[:i].strip()}")
            except tomllib.TOMLDecodeError:
                continue
            return True
    return False
