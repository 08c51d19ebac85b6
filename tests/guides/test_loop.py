"""Guards the running of guides: whatever the devices do, a calibration goes on and can always be left."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from companion.errors import InputError
from companion.guides import GUIDES, open_guide
from companion.guides.loop import Guided, lead
from companion.troubles import Troubles
from hardware.base import Press
from hardware.buttons import ScriptedButtons
from tests.guides.scripted import Camera, CountingGuide, Display


def oks(*times: int) -> ScriptedButtons:
    return ScriptedButtons([Press(t, "ok", "press") for t in times])


def test_pictures_and_presses_reach_the_guide_until_it_is_done() -> None:
    guide, display = CountingGuide(), Display()
    assert lead(guide, Camera(), display, oks(100, 300, 500), range(0, 2000, 100)) == "saved"
    assert guide.seen == [0, 100, 200, 300, 400]
    assert [p.t_ms for p in guide.pressed] == [100, 300, 500]
    assert display.shown, "the last screen says that it is saved"


def test_stopping_it_is_neither_saved_nor_left() -> None:
    assert lead(CountingGuide(), Camera(), Display(), oks(), range(0, 500, 100)) == ""


def test_a_camera_that_fails_is_shown_and_the_guide_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    guide, camera = CountingGuide(), Camera(broken=True)
    guided = Guided(guide, camera, Troubles())
    with caplog.at_level(logging.WARNING):
        for t_ms in (0, 100, 200):
            guided.turn(t_ms, ())
    assert guided.view(200).code == "guide.no_pictures"
    assert [r.getMessage() for r in caplog.records] == ["camera: camera: unplugged"]
    camera.broken = False
    guided.turn(300, ())
    assert guided.view(300).code == "counting" and guide.seen == [300]


@pytest.mark.parametrize(
    ("broken", "press"), [(True, Press(100, "back", "press")), (False, Press(100, "back", "hold"))]
)
def test_it_can_be_left_without_pictures_and_from_everywhere(broken: bool, press: Press) -> None:
    guide = CountingGuide()
    assert lead(guide, Camera(broken=broken), Display(), ScriptedButtons([press]), range(0, 2000, 100)) == "left"
    assert guide.pressed == []


def test_a_full_card_is_said_and_the_press_can_be_tried_again() -> None:
    guide = CountingGuide()
    guide.full = True
    guided = Guided(guide, Camera(), Troubles())
    for t_ms in (0, 100, 200):
        guided.turn(t_ms, [Press(t_ms, "ok", "press")])
    assert guided.view(200).code == "guide.not_saved" and not guided.done
    guide.full = False
    guided.turn(300, [Press(300, "ok", "press")])  # takes the notice away
    assert guided.view(300).code == "counting"
    guided.turn(400, [Press(400, "ok", "press")])
    assert guided.done == "saved"


def test_a_display_that_fails_does_not_end_it() -> None:
    assert lead(CountingGuide(), Camera(), Display(broken=True), oks(0, 100, 200), range(0, 900, 100)) == "saved"


def test_an_unknown_guide_names_the_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=", ".join(GUIDES)):
        open_guide("chess", tmp_path)
