"""What deserves a sound: a mistake, something taken over, a question, the end of a game. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.screens.view import View
    from hardware.signals import Signal


def signal_between(before: View, after: View, *, pressed: bool = False) -> Signal | None:
    """What to signal when one screen follows another; None for most.

    Args:
        before: the screen that was shown.
        after: the one that is shown now.
        pressed: whether a button was pressed in between: who presses looks at the display already.

    >>> from companion.screens.view import View
    >>> signal_between(View("x"), View("y", tone="wrong"))
    'wrong'
    """
    if after.code == before.code and after.tone == before.tone and after.facts == before.facts:
        return None
    if after.tone == "wrong":
        # The same mistake, drawn anew, is not said again.
        said = before.tone == "wrong" and before.code == after.code
        return None if said and before.facts.get("problem") == after.facts.get("problem") else "wrong"
    if after.tone == "win":
        return "win" if before.tone != "win" else None
    if after.facts.get("events", 0) > before.facts.get("events", 0):
        return "done"
    if pressed:
        return None
    asked = after.tone == "ask" and (before.tone != "ask" or before.code != after.code)
    return "turn" if asked and after.facts.get("ask") != before.facts.get("ask") else None
