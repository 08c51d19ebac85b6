"""Guards the rest of an OLED: dimmed, wandering, dark when nothing happens; woken by a press that does nothing else."""

from __future__ import annotations

from typing import Any

from PIL import Image

from companion.errors import DisplayError
from companion.screens.idle import Idle, WakingButtons
from companion.screens.panel import Panel
from companion.screens.view import View, verbatim
from companion.troubles import Troubles
from hardware.base import Press
from hardware.buttons import ScriptedButtons


class Oled:
    """A display that burns in; fails while ``broken``."""

    size = (128, 64)

    def __init__(self, *, burns_in: bool = True) -> None:
        self.burns_in = burns_in
        self.broken = False
        self.lights: list[str] = []
        self.shown: list[Image.Image] = []
        self.tries = 0

    def show(self, image: Image.Image, t_ms: int) -> None:
        self.tries += 1
        if self.broken:
            raise DisplayError("display: no answer")
        self.shown.append(image)

    def light(self, light: str) -> None:
        if self.broken:
            raise DisplayError("display: no answer")
        self.lights.append(light)

    def close(self) -> None:
        pass


A, B = (View("x", big=verbatim(letter)) for letter in "AB")


def run(panel: Panel, view: View, start_ms: int, end_ms: int) -> None:
    for t_ms in range(start_ms, end_ms, 1000):
        panel.show(view, "en", t_ms)


def pixels(image: Image.Image, shift: tuple[int, int]) -> bytes:
    moved = Image.new("1", (132, 68))
    moved.paste(image, (2 - shift[0], 2 - shift[1]))
    return moved.tobytes()


def test_it_is_dimmed_wanders_and_goes_dark_and_a_new_screen_wakes_it() -> None:
    oled = Oled()
    panel = Panel(oled, Troubles(), Idle(60, 1800))
    run(panel, A, 0, 60_000)
    assert oled.lights == [] and len({i.tobytes() for i in oled.shown}) == 1
    run(panel, A, 60_000, 1_800_000)
    assert oled.lights == ["dim"]
    places = {i.tobytes() for i in oled.shown}
    assert len(places) == 9, "every place of the ring"
    before = len(oled.shown)
    run(panel, A, 1_800_000, 2_400_000)
    assert oled.lights == ["dim", "off"] and len(oled.shown) == before
    panel.show(B, "en", 2_400_000)
    assert oled.lights == ["dim", "off", "on"]
    assert oled.shown[-1].tobytes() not in places


def test_a_display_that_does_not_burn_in_never_rests() -> None:
    oled = Oled(burns_in=False)
    run(Panel(oled, Troubles(), Idle(60, 1800)), A, 0, 3_000_000)
    assert oled.lights == [] and len({i.tobytes() for i in oled.shown}) == 1


def test_never_means_never() -> None:
    oled = Oled()
    run(Panel(oled, Troubles(), Idle(0, 0)), A, 0, 3_000_000)
    assert oled.lights == []


def test_the_press_that_wakes_does_nothing_else() -> None:
    idle = Idle(60, 1800)
    presses = [Press(t, "ok", "press") for t in (1000, 59_000, 130_000, 130_500, 131_000)]
    buttons = WakingButtons(ScriptedButtons(presses), idle)
    oled = Oled()
    panel = Panel(oled, Troubles(), idle)
    taken: list[Press] = []
    for t_ms in range(0, 140_000, 200):
        taken += buttons.poll(t_ms)
        panel.show(A, "en", t_ms)
    assert [p.t_ms for p in taken] == [1000, 59_000, 130_500, 131_000]
    assert oled.lights == ["dim", "on"]


def test_a_missing_display_is_tried_less_and_less_and_said_once(caplog: Any) -> None:
    oled = Oled()
    oled.broken = True
    panel = Panel(oled, Troubles())
    for t_ms in range(0, 60_000, 50):
        panel.show(A, "en", t_ms)
    assert oled.tries < 12
    assert [r.getMessage() for r in caplog.records] == ["display: display: no answer"]
    oled.broken = False
    for t_ms in range(60_000, 71_000, 50):
        panel.show(A, "en", t_ms)
    assert len(oled.shown) >= 1
    assert [r.getMessage() for r in caplog.records][1:] == ["display: works again"]


def test_a_display_that_fails_while_it_rests_comes_back_with_the_right_light() -> None:
    oled = Oled()
    idle = Idle(60, 0)
    panel = Panel(oled, Troubles(), idle)
    run(panel, A, 0, 59_000)
    oled.broken = True
    run(panel, A, 59_000, 90_000)
    oled.broken = False
    run(panel, A, 90_000, 120_000)
    assert oled.shown[-1].tobytes() != b"" and idle.light(119_000) == "dim"
