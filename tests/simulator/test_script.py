"""Scripts of simulated people run on the clock they are given, and say what they wait for when nothing comes."""

import pytest

from companion.screens.view import View
from companion.simulator.script import Runner, Script, Stuck, Tap, Until, Wait


def test_time_is_caught_up_in_any_steps() -> None:
    """The same script does the same things by the same time, however seldom it is asked."""

    def script(done: list[int]) -> Script:
        for i in range(20):
            yield Wait(50)
            done.append(i)

    for step in (10, 50, 170, 1000):
        done: list[int] = []
        runner = Runner(script(done))
        for t in range(0, 1001, step):
            runner.advance(t, View("x"))
            assert len(done) == min(t // 50, 20)
        runner.advance(1000, View("x"))
        assert runner.done


def test_a_wait_for_the_display_starts_when_it_is_reached() -> None:
    def script() -> Script:
        yield Wait(5000)
        yield Until(lambda v: v.code == "go", "the start", limit_ms=1000)
        yield Tap("ok")

    runner = Runner(script())
    assert runner.advance(5100, View("wait")) == ()
    assert runner.advance(6000, View("wait")) == ()
    (press,) = runner.advance(6050, View("go"))
    assert (press.button, press.t_ms, runner.done) == ("ok", 6050, True)


def test_a_hard_wait_ends_with_what_was_waited_for() -> None:
    def script() -> Script:
        yield Until(lambda v: False, "a miracle", limit_ms=1000)

    runner = Runner(script())
    runner.advance(0, View("idle"))
    with pytest.raises(Stuck, match=r"waited 1 s for a miracle; the display shows idle"):
        runner.advance(1000, View("idle"))


def test_a_soft_wait_goes_on_and_tells() -> None:
    heard: list[bool] = []

    def script() -> Script:
        heard.append((yield Until(lambda v: False, "nothing", limit_ms=1000, soft=True)))
        heard.append((yield Until(lambda v: True, "anything", limit_ms=1000, soft=True)))

    runner = Runner(script())
    runner.advance(0, View("idle"))
    runner.advance(1000, View("idle"))
    assert heard == [False, True] and runner.done
