"""Guards when exposure, white balance and focus are held, and when they are asked again."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.settling import Settling

LIGHT = {"AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains"}
FOCUS = {"AfMode", "AfTrigger", "LensPosition"}


class Camera:
    """A camera whose automatics behave as told; keeps what is set."""

    def __init__(self, controls: set[str]) -> None:
        self.settling = Settling(controls)
        self.set: dict[str, Any] = {}
        self.times: list[tuple[int, dict[str, Any]]] = []
        self.t_ms = 0

    def run(self, ms: int, brightness: float = 90.0, **metadata: Any) -> None:
        for _ in range(0, ms, 100):
            controls = self.settling.update(self.t_ms, metadata, brightness)
            if controls:
                self.times.append((self.t_ms, controls))
            self.set |= controls
            self.t_ms += 100


def test_light_is_held_when_the_exposure_has_come_to_rest() -> None:
    camera = Camera(LIGHT)
    for exposure in range(1000, 20_000, 1000):
        camera.run(100, ExposureTime=exposure, AnalogueGain=1.0)
    assert camera.set == {}
    camera.run(1000, ExposureTime=20_000, AnalogueGain=1.0, ColourGains=(1.4, 2.0))
    assert camera.set == {
        "AeEnable": False,
        "AwbEnable": False,
        "ExposureTime": 20_000,
        "AnalogueGain": 1.0,
        "ColourGains": (1.4, 2.0),
    }
    assert [t for t, _ in camera.times] == [2400], "half a second after the last change"


def test_a_flickering_lamp_does_not_keep_it_free_for_ever() -> None:
    camera = Camera(LIGHT)
    for i in range(50):
        camera.run(100, ExposureTime=1000 + 500 * (i % 2))
    assert camera.set["AeEnable"] is False


def test_a_lamp_switched_on_for_good_is_measured_anew_and_a_sleeve_is_not() -> None:
    camera = Camera(LIGHT)
    camera.run(2000, ExposureTime=20_000)
    camera.run(60_000, brightness=62, ExposureTime=20_000)  # half a stop darker, as long as it likes
    camera.run(4000, brightness=20, ExposureTime=20_000)  # an arm across all of it, for a while
    camera.run(3000, ExposureTime=20_000)
    assert camera.set["AeEnable"] is False and len(camera.times) == 1
    camera.run(5100, brightness=220, ExposureTime=20_000)
    assert camera.set["AeEnable"] is True and camera.set["AwbEnable"] is True
    camera.run(3000, ExposureTime=5000)
    assert camera.set["AeEnable"] is False and camera.set["ExposureTime"] == 5000


def test_the_focus_is_searched_once_in_good_light_and_held() -> None:
    camera = Camera(LIGHT | FOCUS)
    camera.run(900, ExposureTime=20_000, AfState=0)
    assert "AfMode" not in camera.set
    camera.run(1000, ExposureTime=20_000, AfState=1)
    assert camera.set["AfMode"] == 1 and camera.set["AfTrigger"] == 0
    camera.run(500, ExposureTime=20_000, AfState=2, LensPosition=1.7)
    assert camera.set["AfMode"] == 0 and camera.set["LensPosition"] == 1.7
    count = len(camera.times)
    camera.run(60_000, ExposureTime=20_000, AfState=1, LensPosition=9.0)
    assert len(camera.times) == count


def test_a_focus_that_is_never_found_ends_at_the_tables_distance() -> None:
    for state in (1, 3):  # searching for ever; failing each time
        camera = Camera(LIGHT | FOCUS)
        camera.run(30_000, ExposureTime=20_000, AfState=state)
        assert camera.set["AfMode"] == 0 and camera.set["LensPosition"] == 1.5


@settings(max_examples=50)
@given(
    st.sets(st.sampled_from(sorted(LIGHT | FOCUS))),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 99_999), st.floats(0, 255)), max_size=80),
)
def test_only_controls_of_the_camera_are_ever_set(controls: set[str], frames: list[tuple[int, int, float]]) -> None:
    camera = Camera(controls)
    for state, exposure, brightness in frames:
        camera.run(700, brightness, AfState=state, ExposureTime=exposure)
    assert set(camera.set) <= controls
