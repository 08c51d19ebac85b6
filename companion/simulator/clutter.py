"""Things that lie about on a table and have nothing to do with the game: a mug, a score sheet, coins."""

from __future__ import annotations

import math

import cv2
import numpy as np

from companion.simulator.optics import Camera
from companion.simulator.paint import Image


def lay(out: Image, rng: np.random.Generator, camera: Camera, board_radius_mm: float) -> None:
    """Draw some clutter into a picture of the table (BGR), away from the board and the dice."""
    corners = [math.radians(a + float(rng.uniform(-14, 14))) for a in (40, 140, 215, 325)]
    rng.shuffle(corners)
    far = board_radius_mm + 150

    def at(angle: float, distance: float) -> tuple[float, float]:
        return distance * math.cos(angle), distance * math.sin(angle)

    if rng.random() < 0.7:
        _sheet(out, rng, camera, at(corners[0], far + 30))
    if rng.random() < 0.6:
        _mug(out, rng, camera, at(corners[1], far + 20))
    for corner in corners[2 : 2 + int(rng.integers(0, 3))]:
        x, y = at(corner, far + float(rng.uniform(-10, 60)))
        metal = ((96, 148, 190), (150, 156, 160), (60, 100, 150))[int(rng.integers(3))]
        _disk(out, camera, x, y, 11.5, 0, tuple(int(c * 0.7) for c in metal))
        _disk(out, camera, x, y, 9.8, 1, metal)


def _ring(x: float, y: float, radius: float, z: float) -> list[tuple[float, float, float]]:
    return [(x + radius * math.cos(a), y + radius * math.sin(a), z) for a in np.linspace(0, 2 * math.pi, 40)]


def _fill(out: Image, camera: Camera, points: list[tuple[float, float, float]], colour: tuple[int, ...]) -> None:
    outline = np.round(camera.project(points) * 16).astype(np.int32)
    cv2.fillPoly(out, [outline.reshape(-1, 1, 2)], colour, cv2.LINE_AA, 4)


def _disk(out: Image, camera: Camera, x: float, y: float, radius: float, z: float, colour: tuple[int, ...]) -> None:
    _fill(out, camera, _ring(x, y, radius, z), colour)


def _mug(out: Image, rng: np.random.Generator, camera: Camera, at: tuple[float, float]) -> None:
    colour = tuple(int(c) for c in rng.integers(60, 235, 3))
    steps = 12
    for i in range(steps + 1):  # slices from the foot to the brim: the camera sees the side that leans outwards
        shade = 0.55 + 0.35 * i / steps
        _disk(out, camera, *at, 40, 92 * i / steps, tuple(int(c * shade) for c in colour))
    _disk(out, camera, *at, 36, 92, tuple(int(c * 0.75) for c in colour))
    _disk(out, camera, at[0] + 1, at[1] - 1, 35, 80, (28, 44, 72))


def _sheet(out: Image, rng: np.random.Generator, camera: Camera, at: tuple[float, float]) -> None:
    a = float(rng.uniform(0, math.pi))
    u, v = np.array([math.cos(a), math.sin(a)]), np.array([-math.sin(a), math.cos(a)])

    def place(s: float, t: float) -> tuple[float, float, float]:
        x, y = np.asarray(at) + u * s + v * t
        return float(x), float(y), 0.2

    _fill(out, camera, [place(s, t) for s, t in ((-52, -74), (52, -74), (52, 74), (-52, 74))], (226, 232, 234))
    for t in range(-60, 70, 13):
        (x0, y0), (x1, y1) = np.round(camera.project([place(-46, t), place(46, t)])).astype(int)
        cv2.line(out, (int(x0), int(y0)), (int(x1), int(y1)), (120, 110, 96), 1, cv2.LINE_AA)
        for s in range(-40, 44, 20):
            if rng.random() < 0.5:
                ((x0, y0),) = np.round(camera.project([place(s, t + 3)])).astype(int)
                number = str(int(rng.integers(1, 60)))
                cv2.putText(out, number, (int(x0), int(y0)), cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 0.35, (90, 50, 40), 1, 16)
