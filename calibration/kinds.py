"""Which of the dice enrolled in a profile are meant: dice with numbers lie beside a board, others are a game's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

from companion.errors import DiceProfileError, InputError, ProfileError

MAIN = "faces.json"
USED = "used.json"
NUMBERS = range(1, 7)
LATEST = "latest"
"""In the place of a kind's name: the one enrolled last."""


def kind_folder(profile: str | Path, kind: str) -> Path:
    """Where a kind of dice lies in a profile.

    Raises:
        InputError: the kind's name can't be one.

    >>> kind_folder("table", "wizard").as_posix()
    'table/dice/wizard'
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", kind):
        raise InputError(f"--kind {kind!r}: a name of up to 32 letters, digits, - and _")
    if kind == "pips":
        raise InputError("--kind pips: dice with pips are built in and need no enrolment")
    return Path(profile) / "dice" / kind


def enrolled_kinds(profile: str | Path) -> list[str]:
    """The kinds of dice that a profile holds, whether or not they can be loaded."""
    return sorted(path.parent.name for path in (Path(profile) / "dice").glob(f"*/{MAIN}"))


def used_kind(profile: str | Path) -> str | None:
    """The kind of dice to play with: the one enrolled last, if it is still there; None without any.

    >>> used_kind("no such folder") is None
    True
    """
    kinds = enrolled_kinds(profile)
    try:
        kind = json.loads((Path(profile) / "dice" / USED).read_text(encoding="utf-8"))["kind"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        kind = None  # nothing is lost with it: with several kinds one has to be named
    if kind in kinds:
        return str(kind)
    return kinds[0] if len(kinds) == 1 else None


def is_numbered(profile: str | Path, kind: str) -> bool:
    """Whether an enrolled kind bears nothing but numbers from 1 to 6; False where it can't be read."""
    try:
        values = json.loads((kind_folder(profile, kind) / MAIN).read_text(encoding="utf-8"))["values"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return False
    return isinstance(values, list) and bool(values) and all(type(v) is int and v in NUMBERS for v in values)


def numbered_kind(profile: str | Path, wanted: str = LATEST) -> str | None:
    """The kind of dice with numbers that stands in for pips; None without any: then pips are read.

    Args:
        profile: the folder.
        wanted: the kind that the owner plays with; counts if it bears numbers.

    Raises:
        ProfileError: several are enrolled, none of which is the wanted one; names them.

    >>> numbered_kind("no such folder") is None
    True
    """
    kinds = [kind for kind in enrolled_kinds(profile) if is_numbered(profile, kind)]
    if wanted in kinds:
        return wanted
    if len(kinds) > 1:
        raise ProfileError(
            f"{profile}: several kinds of dice with numbers are enrolled ({', '.join(kinds)}): name one as `dice` in "
            f"[game] of the configuration, or remove the folders of all but one from {Path(profile) / 'dice'}"
        )
    return kinds[0] if kinds else None


def symbol_kind(profile: str | Path, wanted: str = LATEST) -> str:
    """The kind of dice that a game of dice alone is played with.

    Args:
        profile: the folder.
        wanted: the kind that the owner names, or LATEST: the one enrolled last. Dice with numbers, which lie beside a
            board, are only meant where nothing else is enrolled.

    Raises:
        ProfileError: it isn't enrolled, or none is, or it can't be told which.
    """
    kinds = enrolled_kinds(profile)
    if wanted != LATEST:
        if wanted not in kinds:
            there = ", ".join(kinds) or "no dice"
            raise DiceProfileError(
                f"{profile}: the dice {wanted!r} that `dice` in [game] names are not enrolled: {there}"
            )
        if not is_numbered(profile, wanted):
            return wanted
    kinds = [k for k in kinds if not is_numbered(profile, k)] or kinds
    kinds = [k for k in kinds if k == used_kind(profile)] or kinds
    if len(kinds) != 1:
        found = f"several kinds of dice are enrolled ({', '.join(kinds)})" if kinds else "no dice are enrolled"
        raise DiceProfileError(f"{profile}: {found}: see `companion calibrate dice --help`")
    return kinds[0]
