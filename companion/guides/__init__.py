"""Calibrations led on the display, found by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import InputError
from companion.screens.view import T, Text

if TYPE_CHECKING:
    from companion.guides.base import Guide

GUIDES: Mapping[str, tuple[Text, str]] = {
    "board": (T("board"), "companion.guides.board"),
    "dice": (T("dice"), "companion.guides.faces"),
    "cards": (T("cards"), "companion.guides.cards"),
}
"""Name -> what the menu says, and the module; its ``guide(profile, variety)`` makes one."""


def open_guide(name: str, profile: Path, variety: str | None = None) -> Guide:
    """Begin a calibration.

    Args:
        name: one of ``GUIDES``.
        profile: folder of the profile, made when there is something to save.
        variety: which layout, kind of dice or deck; None for the profile's own, or the usual one.

    Raises:
        InputError: no such guide; or what the profile or the variety names can't be read.
    """
    if name not in GUIDES:
        raise InputError(f"no calibration {name!r} is led on the display: there are {', '.join(GUIDES)}")
    guide: Guide = importlib.import_module(GUIDES[name][1]).guide(profile, variety)
    return guide
