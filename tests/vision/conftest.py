"""Drawn tables with their truth, for every test of the board's eyes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from calibration.geometry import fit_plane
from companion.layout import BoardLayout, load_layout, parse_layout
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Scene, Stick, Topping
from companion.vision.board import Reference, Surface, make_reference, read_surface, rectified, whole_spaces
from companion.vision.pose import BoardPose

HEX37 = load_layout("hex37")


@dataclass
class DrawnTable:
    """One drawn table whose board's pose is known from the drawing."""

    renderer: Renderer
    reference: Reference

    @property
    def layout(self) -> BoardLayout:
        return self.renderer.layout

    def pose(self, scene: Scene | None = None, off_mm: tuple[float, float] = (0.0, 0.0)) -> BoardPose:
        return _pose(self.renderer, scene or Scene(), off_mm)

    def picture(self, scene: Scene) -> npt.NDArray[np.uint8]:
        return self.renderer.draw(scene, 80)

    def look(self, scene: Scene, off_mm: tuple[float, float] = (0.0, 0.0)) -> Surface:
        picture, pose = self.picture(scene), self.pose(scene, off_mm)
        flat = rectified(picture, pose, self.reference.px_per_mm, self.reference.half_mm)
        return read_surface(flat, self.reference, whole_spaces(pose, self.layout, picture))

    def full(self, seed: int, share: float = 0.7) -> tuple[Topping, ...]:
        """Toppings of all colours on a share of the spaces, a little off their middles."""
        rng = np.random.default_rng(seed)
        return tuple(
            Topping(
                s.x_mm + rng.normal(0, 1),
                s.y_mm + rng.normal(0, 1),
                str(rng.choice(self.layout.colours)),
                int(rng.integers(3)),
                float(rng.uniform(0, 360)),
            )
            for s in self.layout.spaces.values()
            if rng.random() < share
        )

    def stick(
        self, side: int, number: int, colour: str, off_mm: float = 0.0, lean_deg: float = 0.0, beyond_mm: float = 18.0
    ) -> Stick:
        """A stick along a line, ``off_mm`` beside it, turned by ``lean_deg`` about the line's middle."""
        line = self.layout.line(side, number)
        near, far = np.array(line.near_mm), np.array(line.far_mm)
        along = (far - near) / np.linalg.norm(far - near)
        middle = (near + far) / 2 + off_mm * np.array([along[1], -along[0]])
        a = math.radians(lean_deg)
        along = np.array(
            [along[0] * math.cos(a) - along[1] * math.sin(a), along[0] * math.sin(a) + along[1] * math.cos(a)]
        )
        half = float(np.linalg.norm(far - near)) / 2 + beyond_mm
        ends = (middle - half * along, middle + half * along)
        return Stick(colour, *((float(x), float(y)) for x, y in ends), (side, number))


def _pose(renderer: Renderer, scene: Scene, off_mm: tuple[float, float]) -> BoardPose:
    layout = renderer.layout
    angles = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    rim = np.column_stack([np.cos(angles), np.sin(angles)]) * layout.board_diameter_mm / 2
    points = np.concatenate([[(s.x_mm, s.y_mm) for s in layout.spaces.values()], rim])
    px = renderer.camera.project([(*scene.to_table(x, y), BOARD_MM) for x, y in points])
    plane = fit_plane(points + np.array(off_mm), px, renderer.size, lens=None, noise_px=0.05)
    return BoardPose(plane, layout.board_diameter_mm / 2, turn=round(scene.turn_deg) % 360)


@pytest.fixture(scope="session")
def draw_table() -> Callable[..., DrawnTable]:
    """A function (seed, layout) that sets a table."""

    def make(seed: int, layout: BoardLayout = HEX37, size: tuple[int, int] = (960, 720)) -> DrawnTable:
        renderer = Renderer(seed, layout, size)
        calibrated = _pose(renderer, Scene(), (0.0, 0.0))
        return DrawnTable(renderer, make_reference(renderer.draw(Scene(), 0), calibrated, renderer.layout))

    builtin = functools.lru_cache(maxsize=16)(make)
    return lambda seed, layout=HEX37: builtin(seed) if layout is HEX37 else make(seed, layout)


@pytest.fixture(scope="session")
def hexagon() -> Callable[[int, float, float], BoardLayout]:
    """A function (spaces a side, pitch, diameter) that makes a board of another size."""

    def make(side: int, pitch: float, diameter: float) -> BoardLayout:
        step = pitch * math.sqrt(3) / 2
        cells = [(q, r) for q in range(1 - side, side) for r in range(1 - side, side) if abs(q + r) < side]
        name = {c: f"s{i:03}" for i, c in enumerate(cells)}
        around = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
        lines = []
        for board_side, angle in ((1, 0.0), (2, 120.0), (3, 240.0)):
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            for number in range(1, 2 * side - 1):
                x, y = (number - side + 0.5) * step, diameter / 2
                ends = [[x * c - v * s, x * s + v * c] for v in (-y, y)]
                lines.append(
                    {"side": board_side, "number": number, "near_mm": ends[0], "far_mm": ends[1], "touching": ["s000"]}
                )
        names = list(name.values())
        return parse_layout(
            {
                "name": f"hexagon{len(cells)}",
                "pitch_mm": pitch,
                "board_diameter_mm": diameter,
                "topping_diameter_mm": pitch * 0.76,
                "toppings_per_colour": 30,
                "colours": ["red", "green", "white"],
                "spaces": {
                    name[q, r]: {
                        "x_mm": q * step,
                        "y_mm": (r + q / 2) * pitch,
                        "neighbours": [name[q + a, r + b] for a, b in around if (q + a, r + b) in name],
                    }
                    for q, r in cells
                },
                "lines": lines,
                "sides": {"1": {"angle_deg": -90}, "2": {"angle_deg": 30}, "3": {"angle_deg": 150}},
                "start_spaces": {"1": names[:2], "2": names[2:4], "3": names[4:6]},
            }
        )

    return make
