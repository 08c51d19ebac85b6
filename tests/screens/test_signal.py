"""Guards what is given a sound: once, and not for what the players do themselves."""

from __future__ import annotations

import pytest

from companion.screens.signal import signal_between
from companion.screens.view import View


def view(code: str = "place", tone: str = "info", events: int = 3, **facts: object) -> View:
    return View(code, tone=tone, facts={"events": events, **facts})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "pressed", "signal"),
    [
        (view(), view(), False, None),
        (view(), view(tone="wrong", problem="adjacent"), False, "wrong"),
        (view(tone="wrong", problem="adjacent"), view(tone="wrong", problem="adjacent", space="a1"), False, None),
        (view(tone="wrong", problem="adjacent"), view(tone="wrong", problem="moved"), False, "wrong"),
        (view(tone="wrong", problem="adjacent"), view(), False, None),
        (view(), view(events=4), False, "done"),
        (view(), view(events=4), True, "done"),
        (view(events=4), view(events=3), True, None),
        (view(), view("cut", "ask", ask="cut"), False, "turn"),
        (view("cut", "ask", ask="cut"), view("cut", "ask", ask="cut", cursor=1), True, None),
        (view(), view("menu", "ask", ask="menu"), True, None),
        (view(), view("over", "win", events=4), False, "win"),
        (view("over", "win"), view("over", "win", page=1), True, None),
    ],
)
def test_signals(before: View, after: View, pressed: bool, signal: str | None) -> None:
    assert signal_between(before, after, pressed=pressed) == signal
