"""Which of the dice enrolled in a profile are meant: dice with numbers lie beside a board, others are a game's own."""

from __future__ import annotations

import json
from pathlib import Path

from calibration.faces import MAIN, enrolled_kinds, kind_folder
from companion.errors import ProfileError

NUMBERS = range(1, 7)


def is_numbered(profile: str | Path, kind: str) -> bool:
    """Whether an enrolled kind bears nothing but numbers from 1 to 6; False where it can't be read."""
    try:
        values = json.loads((kind_folder(profile, kind) / MAIN).read_text(encoding="utf-8"))["values"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return False
    return isinstance(values, list) and bool(values) and all(type(v) is int and v in NUMBERS for v in values)


def numbered_kind(profile: str | Path) -> str | None:
    """The kind of dice with numbers that stands in for pips; None without any: then pips are read.

    Raises:
        ProfileError: several are enrolled; names them.

    >>> numbered_kind("no such folder") is None
    True
    """
    kinds = [kind for kind in enrolled_kinds(profile) if is_numbered(profile, kind)]
    if len(kinds) > 1:
        raise ProfileError(
            f"{profile}: several kinds of dice with numbers are enrolled ({', '.join(kinds)}): "
            f"remove the folders of all but one from {Path(profile) / 'dice'}"
        )
    return kinds[0] if kinds else None
