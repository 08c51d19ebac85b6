"""What a check has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "todo"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's page.

    Args:
        name: what was looked at, such as "display".
        state: "ok", "note" (worth knowing, nothing to do) or "todo".
        says: what was found.
        do: what to do about it, as commands or steps; "" when there is nothing to do.
    """

    name: str
    state: State
    says: str
    do: str = ""


def ok(name: str, says: str) -> Finding:
    """All is well."""
    return Finding(name, "ok", says)


def note(name: str, says: str) -> Finding:
    """Worth knowing."""
    return Finding(name, "note", says)


def todo(name: str, says: str, do: str) -> Finding:
    """Something needs doing."""
    return Finding(name, "todo", says, do)
