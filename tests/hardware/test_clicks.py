"""Guards what a finger on a switch means: one press is one action, a hold acts once, bouncing contacts don't count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.base import BUTTON_NAMES, Press
from hardware.clicks import BOUNCE_MS, HOLD_MS, Clicks


def test_a_press_is_reported_when_let_go() -> None:
    clicks = Clicks()
    clicks.edge(100, "ok", True)
    assert clicks.poll(500) == ()
    clicks.edge(600, "ok", False)
    assert clicks.poll(600 + BOUNCE_MS) == (Press(600, "ok", "press"),)
    assert clicks.poll(5000) == ()


@pytest.mark.parametrize(("button", "after"), [("ok", 1000), ("back", 2000)])
def test_a_hold_acts_once_while_held_and_letting_go_adds_nothing(button: str, after: int) -> None:
    clicks = Clicks()
    clicks.edge(0, button, True)
    assert clicks.poll(after - 1) == ()
    assert clicks.poll(after) == (Press(after, button, "hold"),)
    assert clicks.poll(after * 5) == ()
    clicks.edge(after * 6, button, False)
    assert clicks.poll(after * 7) == ()


@pytest.mark.parametrize("button", ["up", "down"])
def test_up_and_down_have_no_hold(button: str) -> None:
    clicks = Clicks()
    clicks.edge(0, button, True)
    assert clicks.poll(60_000) == ()
    clicks.edge(60_000, button, False)
    assert clicks.poll(61_000) == (Press(60_000, button, "press"),)


def test_let_go_just_before_the_hold_is_a_press() -> None:
    clicks = Clicks()
    clicks.edge(0, "back", True)
    clicks.edge(1999, "back", False)
    assert clicks.poll(2010) == ()  # the bounce time is not over: nobody knows yet
    assert clicks.poll(2050) == (Press(1999, "back", "press"),)


def test_a_hold_between_two_polls_is_a_hold() -> None:
    clicks = Clicks()
    clicks.edge(0, "ok", True)
    clicks.edge(1500, "ok", False)
    assert clicks.poll(9000) == (Press(1000, "ok", "hold"),)


def test_five_bounces_at_both_ends_are_one_press() -> None:
    clicks = Clicks()
    for i in range(5):
        clicks.edge(4 * i, "up", True)
        clicks.edge(4 * i + 2, "up", False)
    clicks.edge(20, "up", True)
    for i in range(5):
        clicks.edge(300 + 4 * i, "up", False)
        clicks.edge(302 + 4 * i, "up", True)
    clicks.edge(320, "up", False)
    assert clicks.poll(1000) == (Press(320, "up", "press"),)


def test_a_dropout_while_held_does_not_end_the_hold() -> None:
    clicks = Clicks()
    clicks.edge(0, "back", True)
    clicks.edge(900, "back", False)
    clicks.edge(910, "back", True)
    assert clicks.poll(2000) == (Press(2000, "back", "hold"),)


def test_a_spike_is_no_press() -> None:
    clicks = Clicks()
    clicks.edge(0, "ok", True)
    clicks.edge(BOUNCE_MS - 1, "ok", False)
    assert clicks.poll(5000) == ()


def test_held_at_the_start_gives_nothing_until_let_go() -> None:
    clicks = Clicks(down=["ok"])
    assert clicks.poll(10_000) == ()
    clicks.edge(10_000, "ok", False)
    assert clicks.poll(11_000) == ()
    clicks.edge(11_000, "ok", True)
    clicks.edge(11_100, "ok", False)
    assert clicks.poll(12_000) == (Press(11_100, "ok", "press"),)


def test_buttons_do_not_disturb_each_other_and_come_in_order_of_time() -> None:
    clicks = Clicks()
    clicks.edge(0, "ok", True)
    clicks.edge(50, "up", True)
    clicks.edge(150, "up", False)
    clicks.edge(250, "ok", False)
    assert clicks.poll(400) == (Press(150, "up", "press"), Press(250, "ok", "press"))


edges = st.lists(st.tuples(st.integers(0, 3000), st.sampled_from(BUTTON_NAMES), st.booleans()), max_size=40)


@given(edges, st.lists(st.integers(0, 400), max_size=20))
def test_any_edges_give_at_most_one_action_for_each_closing_and_polling_changes_nothing(
    steps: list[tuple[int, str, bool]], polls: list[int]
) -> None:
    often, once = Clicks(), Clicks()
    now, closings = 0, 0
    seen: list[Press] = []
    levels = dict.fromkeys(BUTTON_NAMES, False)
    for i, (pause, button, down) in enumerate(steps):
        end = now + pause
        for step in polls[i : i + 2]:
            now = min(end, now + step)
            seen += often.poll(now)
        now = end
        closings += down and not levels[button]
        levels[button] = down
        often.edge(now, button, down)
        once.edge(now, button, down)
    end = now + 10_000
    seen += often.poll(end)
    assert sorted(seen, key=repr) == sorted(once.poll(end), key=repr)
    assert len(seen) <= closings
    assert all(press.action == "press" or press.button in HOLD_MS for press in seen)
