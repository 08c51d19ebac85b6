"""The part of rig_camera that runs inside of the root."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import camera_seams  # noqa: F401 - must come first
import cv2
import numpy as np
from picamera2 import Picamera2

from companion.cli import main
from companion.errors import CameraError
from companion.layout import load_layout
from companion.simulator.renderer import Renderer
from companion.simulator.scene import Scene, Stick, Topping
from hardware.camera import LiveCamera, open_camera
from hardware.picamera import PiSource

PICTURE = Path("/pictures/now.jpg")
HEX37 = load_layout("hex37")


def scenes() -> list[Scene]:
    """Tables with toppings of every colour and sticks."""
    found = []
    for seed in (1, 2, 3):
        rng = np.random.default_rng(seed)
        toppings = tuple(
            Topping(s.x_mm, s.y_mm, str(rng.choice(HEX37.colours)), int(rng.integers(3)), float(rng.uniform(0, 360)))
            for s in HEX37.spaces.values()
            if rng.random() < 0.5
        )
        line = HEX37.line(seed, 2 + seed)
        along = np.subtract(line.far_mm, line.near_mm) / np.linalg.norm(np.subtract(line.far_mm, line.near_mm))
        ends = tuple(tuple(map(float, p)) for p in (line.near_mm - 18 * along, line.far_mm + 18 * along))
        found.append(Scene(toppings=toppings, sticks=(Stick("red", *ends, (seed, 2 + seed)),)))
    return found


def save(picture: np.ndarray) -> None:
    """Make this the camera's picture."""
    assert cv2.imwrite(str(PICTURE), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])


def captured(count: int = 3) -> np.ndarray:
    """A picture of the driver, opened anew."""
    source = PiSource(Picamera2, 0, (1280, 960))
    try:
        for _ in range(count):
            picture = source.next_picture()
    finally:
        source.close()
    return picture


def reading(path: Path, profile: Path) -> Any:
    """What `companion read board` says of a picture file, but for names, times and confidences."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["read", "board", str(path), "--profile", str(profile), "--json"]) == 0
    row = json.loads(out.getvalue())
    return {key: row[key] for key in ("status", "turn", "spaces", "dice")} | {
        "cutters": [{k: v for k, v in c.items() if k != "confidence"} for c in row["cutters"]]
    }


def psnr(a: np.ndarray, b: np.ndarray) -> float:
    """Likeness of two pictures, dB."""
    return float(10 * np.log10(255**2 / np.mean((a.astype(float) - b) ** 2)))


def expect(holds: object, what: str) -> None:
    """Print what was checked, or end."""
    print(("ok: " if holds else "does not hold: ") + what, flush=True)
    if not holds:
        sys.exit(1)


def waits(camera: LiveCamera, seconds: float = 30) -> np.ndarray:
    """The next picture of a live camera."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        with contextlib.suppress(CameraError):
            picture = camera.read(round((time.monotonic() - start) * 1000))
            if picture is not None:
                return picture
        time.sleep(0.05)
    expect(False, f"a picture within {seconds:.0f} s")
    raise AssertionError


def trouble_of(camera: LiveCamera, seconds: float = 10) -> str:
    """What a camera that gives no pictures says."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        try:
            expect(camera.read(round((time.monotonic() - start) * 1000)) is None, "no picture of a camera in use")
        except CameraError as error:
            return str(error)
        time.sleep(0.05)
    return ""


def run() -> None:
    """Check all."""
    profile = Path("/profile")
    renderer = Renderer(3, HEX37, (1280, 960))
    save(renderer.draw(Scene(), 0))
    empty = Path("/pictures/empty.png")
    cv2.imwrite(str(empty), captured())
    expect(main(["calibrate", "board", str(empty), "--profile", str(profile)]) == 0, "the driver's picture calibrates")
    likeness = []
    for number, scene in enumerate(scenes()):
        save(renderer.draw(scene, number + 1))
        through = Path(f"/pictures/through-{number}.png")
        picture = captured()
        cv2.imwrite(str(through), picture)
        likeness.append(psnr(picture, cv2.imread(str(PICTURE))))
        direct = reading(PICTURE, profile)
        expect(reading(through, profile) == direct, f"scene {number}: the same reading through the camera")
        truth = {f"{t.x_mm:.1f},{t.y_mm:.1f}": t.colour for t in scene.toppings}
        expected = {s.id: truth.get(f"{s.x_mm:.1f},{s.y_mm:.1f}", "empty") for s in HEX37.spaces.values()}
        wrong = {s: v for s, v in direct["spaces"].items() if v not in (None, expected[s])}
        expect(not wrong, f"scene {number}: no space is read wrongly")
    expect(min(likeness) > 38, f"colours as in the files: {min(likeness):.1f} dB at least")

    camera = open_camera("picamera2", {"size": [1280, 960], "rotation": 180})
    assert isinstance(camera, LiveCamera)
    turned = waits(camera)
    expect(psnr(turned[::-1, ::-1], cv2.imread(str(PICTURE))) > 38, "the live camera turns its pictures")
    second = LiveCamera(lambda: PiSource(Picamera2, 0, (1280, 960)))
    said = trouble_of(second)
    second.close()
    expect("camera: " in said, f"a camera in use is told of: {said}")
    expect(waits(camera) is not None, "the first goes on")
    camera.close()
    camera = open_camera("picamera2", {"size": [640, 480]})
    assert isinstance(camera, LiveCamera)
    expect(waits(camera).shape[2] == 3, "closed and opened again")
    camera.close()
    print(f"picture file -> libcamera -> Picamera2 -> driver reads as the file itself ({min(likeness):.1f} dB)")


if __name__ == "__main__":
    run()
