"""Guards the cameras: the newest picture without waiting, faults reported and healed, colours in OpenCV's order."""

from __future__ import annotations

import contextlib
import sys
import threading
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from companion.errors import CameraError, ConfigError
from hardware import picamera
from hardware.camera import LiveCamera, open_camera
from hardware.picamera import PiSource, to_bgr


class Hand:
    """A source whose pictures and faults are given by the test; ``next_picture`` waits for one."""

    def __init__(self) -> None:
        self._next = threading.Semaphore(0)
        self._taken = threading.Semaphore(0)
        self._item: Any = None
        self.opened = 0
        self.closed = 0
        self.open_fault: Exception | None = None

    def open(self) -> Hand:
        self.opened += 1
        if self.open_fault is not None:
            raise self.open_fault
        return self

    def give(self, item: Any) -> None:
        """Returns when the camera thread has taken in the item before and asks for more."""
        self._item = item
        self._next.release()

    def settled(self) -> None:
        assert self._taken.acquire(timeout=5)

    def next_picture(self) -> Any:
        self._taken.release()
        assert self._next.acquire(timeout=5)
        if isinstance(self._item, Exception):
            raise self._item
        return self._item

    def close(self) -> None:
        self.closed += 1


def shade(value: int) -> np.ndarray:
    return np.full((4, 6, 3), value, np.uint8)


def dead(camera: LiveCamera) -> None:
    assert camera._thread is not None
    camera._thread.join(5)
    assert not camera._thread.is_alive()


def test_the_newest_picture_is_given_once() -> None:
    hand = Hand()
    camera = LiveCamera(hand.open)
    assert camera.read(0) is None  # opens it
    hand.settled()
    for value in (1, 2):
        hand.give(shade(value))
        hand.settled()
    picture = camera.read(100)
    assert picture is not None and picture[0, 0, 0] == 2
    assert camera.read(200) is None
    hand.give(RuntimeError("end"))
    dead(camera)
    camera.close()
    assert (hand.opened, hand.closed) == (1, 1)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_camera_mounted_otherwise_is_turned_clockwise(rotation: int) -> None:
    hand = Hand()
    camera = LiveCamera(hand.open, rotation)
    camera.read(0)
    hand.settled()
    picture = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    hand.give(picture)
    hand.settled()
    turned = camera.read(10)
    assert turned is not None and (turned == np.rot90(picture, -rotation // 90)).all()
    assert turned.flags["C_CONTIGUOUS"]
    hand.give(RuntimeError("end"))
    dead(camera)


def test_a_camera_that_fails_is_reported_and_opened_again_a_second_later() -> None:
    hand = Hand()
    hand.open_fault = RuntimeError("no such\ndevice")
    camera = LiveCamera(hand.open)
    camera.read(0)
    dead(camera)
    for t_ms in (100, 900):
        with pytest.raises(CameraError, match="camera: no such device"):
            camera.read(t_ms)
    assert hand.opened == 1
    hand.open_fault = None
    with pytest.raises(CameraError):  # still without a picture
        camera.read(1000)
    hand.settled()
    hand.give(shade(7))
    hand.settled()
    picture = camera.read(1100)
    assert picture is not None and picture[0, 0, 0] == 7
    assert camera.read(1200) is None
    hand.give(OSError("unplugged"))
    dead(camera)
    with pytest.raises(CameraError, match="unplugged"):
        camera.read(1300)
    assert hand.closed == 1


def test_a_camera_that_fails_for_long_is_tried_less_and_less() -> None:
    hand = Hand()
    hand.open_fault = RuntimeError("busy")
    camera = LiveCamera(hand.open)
    tries = []
    for t_ms in range(0, 120_000, 500):
        before = hand.opened
        with contextlib.suppress(CameraError):
            camera.read(t_ms)
        dead(camera)
        tries += [t_ms] * (hand.opened - before)
    assert tries == [0, 1000, 3000, 7000, 15_000, 30_000, 60_000, 90_000]
    hand.open_fault = None
    with pytest.raises(CameraError):
        camera.read(120_000)
    hand.settled()
    hand.give(shade(1))
    hand.settled()
    assert camera.read(120_100) is not None
    hand.give(RuntimeError("unplugged"))
    dead(camera)
    hand.open_fault = RuntimeError("busy")
    with pytest.raises(CameraError):
        camera.read(121_000)
    assert hand.opened == 10, "after a picture it is tried at once"


def test_a_camera_that_hangs_is_reported_and_may_come_back() -> None:
    hand = Hand()
    camera = LiveCamera(hand.open)
    camera.read(0)
    hand.settled()
    assert camera.read(4900) is None
    with pytest.raises(CameraError, match="no picture for 5 s"):
        camera.read(5100)
    hand.give(shade(9))
    hand.settled()
    assert camera.read(5200) is not None
    assert hand.opened == 1
    hand.give(RuntimeError("end"))
    dead(camera)


def test_a_camera_that_hangs_for_good_is_stuck_only_if_it_ever_gave_a_picture() -> None:
    hand = Hand()
    camera = LiveCamera(hand.open)
    camera.read(0)
    hand.settled()
    with pytest.raises(CameraError):
        camera.read(100_000)
    assert not camera.stuck  # a new process would not help either: the game goes on by buttons
    hand.give(shade(9))
    hand.settled()
    assert camera.read(100_100) is not None
    for t_ms, stuck in ((130_100, False), (130_101, True)):
        with pytest.raises(CameraError):
            camera.read(t_ms)
        assert camera.stuck is stuck
    hand.give(shade(9))
    hand.settled()
    assert camera.read(130_200) is not None and not camera.stuck
    hand.give(RuntimeError("end"))
    dead(camera)


def test_a_usb_camera_that_is_not_there_is_a_camera_error() -> None:
    camera = open_camera("opencv", {"device": 63})
    camera.read(0)
    dead(camera)  # type: ignore[arg-type]
    with pytest.raises(CameraError, match="USB camera 63"):
        camera.read(500)


def test_picamera2_that_is_not_installed_says_how_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraError, match="apt"):
        open_camera("picamera2")


def test_the_other_drivers_do_not_need_picamera2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    assert open_camera("none").read(0) is None


def test_simulated_looks_at_most_ten_times_a_second() -> None:
    camera = open_camera("simulated", {"frame": lambda t_ms: shade(t_ms // 10)})
    shades = [None if p is None else int(p[0, 0, 0]) for p in map(camera.read, (0, 50, 100, 199, 250))]
    assert shades == [0, None, 10, None, 25]


def test_unknown_driver_lists_the_known() -> None:
    with pytest.raises(ConfigError, match="picamera2, opencv, recording, simulated, none"):
        open_camera("webcam")
    with pytest.raises(ConfigError, match="demo"):
        open_camera("simulated")


class FakePicamera2:
    """The part of Picamera2 that is used, on a pipeline that has only NV12 where ``only`` says so."""

    cameras = 1
    controls: tuple[str, ...] = ()
    only: str | None = None
    array: Any = None
    metadata: Mapping[str, Any] = {}
    silent = False  # requests are never finished
    log: list[Any]

    def __init__(self, number: int) -> None:
        type(self).log = [number]
        self.under_way = 0

    @classmethod
    def global_camera_info(cls) -> list[dict[str, Any]]:
        return [{}] * cls.cameras

    @property
    def camera_controls(self) -> dict[str, Any]:
        return dict.fromkeys(self.controls)

    def create_preview_configuration(self, main: dict[str, Any], raw: None, buffer_count: int) -> dict[str, Any]:
        return {"main": main, "colour_space": "sYCC", "buffer_count": buffer_count}

    def configure(self, configuration: dict[str, Any]) -> None:
        self._configuration = configuration
        if self.only:
            configuration["main"]["format"] = self.only

    def camera_configuration(self) -> dict[str, Any]:
        return self._configuration

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.log.append(controls)

    def start(self) -> None:
        self.log.append("start")

    def capture_request(self, signal_function: Callable[[Any], None]) -> str:
        assert self.under_way == 0, "two captures in flight"
        self.under_way += 1
        if not self.silent:
            signal_function("job")
        return "job"

    def wait(self, job: str) -> Any:
        assert job == "job"
        return self

    def make_array(self, stream: str) -> Any:
        assert stream == "main" and self.under_way == 1
        return self.array

    def get_metadata(self) -> Mapping[str, Any]:
        return self.metadata

    def release(self) -> None:
        self.under_way -= 1

    def cancel_all_and_flush(self) -> None:
        self.log.append("cancel")

    def close(self) -> None:
        self.log.append("close")


def fake(**attributes: Any) -> type[FakePicamera2]:
    return type("Fake", (FakePicamera2,), attributes)


class Ticks:
    """A clock that goes on by a tenth of a second for each picture that is due."""

    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> int:
        self.ms += 100
        return self.ms


def test_picamera2_pictures_are_bgr_and_only_controls_it_has_are_set() -> None:
    rgb888 = np.zeros((4, 8, 3), np.uint8)  # 6 wide with padding; bytes lie as B, G, R
    rgb888[..., 2] = 200
    library = fake(array=rgb888, controls=("FrameDurationLimits", "ExposureTime"))
    source = PiSource(library, 0, (6, 4), clock=Ticks())
    picture = source.next_picture()
    assert picture.shape == (4, 6, 3) and tuple(picture[0, 0]) == (0, 0, 200)
    source.close()
    assert library.log == [0, {"FrameDurationLimits": (100_000, 500_000)}, "start", "close"]


def test_picamera2_holds_exposure_balance_and_focus_once_they_are_found() -> None:
    metadata = {
        "ExposureTime": 20_000,
        "AnalogueGain": 2.0,
        "ColourGains": (1.5, 1.9),
        "AfState": 2,
        "LensPosition": 1.8,
    }
    controls = (
        "AeEnable",
        "AwbEnable",
        "ExposureTime",
        "AnalogueGain",
        "ColourGains",
        "AfMode",
        "AfTrigger",
        "LensPosition",
    )
    library = fake(array=np.full((4, 6, 3), 90, np.uint8), controls=controls, metadata=metadata)
    source = PiSource(library, 0, (6, 4), clock=Ticks())
    for _ in range(40):
        source.next_picture()
    held: dict[str, Any] = {}
    for entry in library.log[2:]:
        held |= entry
    assert held == {
        "AeEnable": False,
        "AwbEnable": False,
        "ExposureTime": 20_000,
        "AnalogueGain": 2.0,
        "ColourGains": (1.5, 1.9),
        "AfMode": 0,
        "AfTrigger": 0,
        "LensPosition": 1.8,
    }


def test_a_capture_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picamera, "CAPTURE_S", 0.01)
    library = fake(silent=True)
    camera = LiveCamera(lambda: PiSource(library, 0, (6, 4)))
    camera.read(0)
    dead(camera)
    with pytest.raises(CameraError, match="no picture for"):
        camera.read(100)
    assert library.log[-2:] == ["cancel", "close"], "closed, so that it can be opened again"


def test_picamera2_without_a_camera_says_so() -> None:
    with pytest.raises(CameraError, match="no camera 0"):
        PiSource(fake(cameras=0), 0, (6, 4))


def test_picamera2_in_use_by_another_program_says_so() -> None:
    def busy(self: Any, number: int) -> None:
        raise RuntimeError("Camera __init__ sequence did not complete.") from RuntimeError("Device or resource busy")

    with pytest.raises(CameraError, match=r"another program.*busy"):
        PiSource(fake(__init__=busy), 0, (6, 4))


def test_picamera2_that_fails_to_start_is_closed() -> None:
    def busy(self: Any) -> None:
        raise RuntimeError("busy")

    library = fake(start=busy)
    with pytest.raises(RuntimeError):
        PiSource(library, 0, (6, 4))
    assert library.log[-1] == "close"


def test_picamera2_through_the_factory(monkeypatch: pytest.MonkeyPatch) -> None:
    second = threading.Event()

    def make(self: Any, stream: str) -> Any:
        self.log.append("picture")
        if self.log.count("picture") == 2:  # the first one has been taken in
            second.set()
        return np.full((960, 1280, 3), 5, np.uint8)

    module = types.ModuleType("picamera2")
    module.Picamera2 = fake(make_array=make)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "picamera2", module)
    camera = open_camera("picamera2", {"size": [1280, 960], "rotation": 90})
    assert camera.read(0) is None
    assert second.wait(10)
    picture = camera.read(200)
    assert picture is not None and picture.shape == (1280, 960, 3)
    camera.close()


def nv12(picture: np.ndarray, matrix: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Encode BGR whose colours are even over 2 x 2 px, so that nothing is lost but rounding."""
    ycc = matrix(picture[..., ::-1].astype(float))
    height, width = picture.shape[:2]
    coded = np.zeros((height * 3 // 2, width + 10), np.uint8)  # rows are padded, as the Pi's are
    coded[:height, :width] = np.rint(ycc[..., 0])
    coded[height:, :width] = np.rint(ycc[::2, ::2, 1:]).reshape(height // 2, width)
    return coded


def ycc(kr: float, kb: float, full: bool) -> Callable[[np.ndarray], np.ndarray]:
    def convert(rgb: np.ndarray) -> np.ndarray:
        r, g, b = np.moveaxis(rgb, -1, 0)
        y = kr * r + (1 - kr - kb) * g + kb * b
        cb, cr = (b - y) / (2 - 2 * kb), (r - y) / (2 - 2 * kr)
        if full:
            return np.stack([y, cb + 128, cr + 128], -1)
        return np.stack([y * 219 / 255 + 16, cb * 224 / 255 + 128, cr * 224 / 255 + 128], -1)

    return convert


@pytest.mark.parametrize(
    ("space", "matrix"),
    [
        ("sYCC", ycc(0.299, 0.114, full=True)),
        ("SMPTE170M", ycc(0.299, 0.114, full=False)),
        ("Rec709", ycc(0.2126, 0.0722, full=False)),
        ("SMPTE170M/Rec709/Rec601/Full", ycc(0.299, 0.114, full=True)),
        ("Rec709/Rec709/Rec709/Limited", ycc(0.2126, 0.0722, full=False)),
    ],
)
def test_nv12_is_decoded_with_the_range_and_matrix_of_its_colour_space(
    space: str, matrix: Callable[[np.ndarray], np.ndarray]
) -> None:
    for colour in ((255, 255, 255), (0, 0, 0), (200, 30, 20), (20, 180, 40), (30, 60, 220), (128, 128, 128)):
        picture = np.full((8, 12, 3), colour, np.uint8)
        got = to_bgr(nv12(picture, matrix), "NV12", (12, 8), space)
        assert got.shape == picture.shape and got.dtype == np.uint8
        assert np.abs(got.astype(int) - picture).max() <= 3, (space, colour, got[0, 0])


def test_an_unknown_pixel_format_is_a_camera_error() -> None:
    with pytest.raises(CameraError, match="MJPEG"):
        to_bgr(np.zeros((4, 4, 3), np.uint8), "MJPEG", (4, 4), "sYCC")
