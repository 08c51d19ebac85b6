import json
import math
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def hexagon(side: int, pitch_mm: float = 34.0, toppings: int = 16) -> dict[str, Any]:
    """The JSON form of a hexagonal board with ``side`` spaces an edge, numbered as hex37 is."""
    columns = range(1 - side, side)
    width = pitch_mm * math.sqrt(3) / 2
    points = {}
    for column in columns:
        height = 2 * side - 1 - abs(column)
        for row in range(height):
            name = f"{'abcdefghijklmnopqrst'[column + side - 1]}{row + 1}"
            points[name] = (column * width, (row - (height - 1) / 2) * pitch_mm)

    def near(x: float, y: float, name: str, reach: float) -> bool:
        return 1 < math.dist((x, y), points[name]) < reach

    def turned(x: float, y: float, times: int) -> tuple[float, float]:
        angle = math.radians(120 * times)
        return x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)

    def closest(x: float, y: float) -> str:
        return min(points, key=lambda name: math.dist((x, y), points[name]))

    length = pitch_mm * (side + 0.5)
    lines = []
    for turn in range(3):
        for number in range(1, 2 * side - 1):
            x = (number - side + 0.5) * width
            (x0, y0), (x1, y1) = turned(x, -length, turn), turned(x, length, turn)
            touching = [
                name
                for name, (px, py) in points.items()
                if abs((x1 - x0) * (py - y0) - (y1 - y0) * (px - x0)) / (2 * length) < width * 0.51
            ]
            ends = {"near_mm": [round(x0, 3), round(y0, 3)], "far_mm": [round(x1, 3), round(y1, 3)]}
            lines.append({"side": turn + 1, "number": number, **ends, "touching": sorted(touching)})
    starts = [(-width, -(side - 1.5) * pitch_mm), (width, -(side - 1.5) * pitch_mm)]
    return {
        "name": f"hex{len(points)}",
        "unit": "mm",
        "pitch_mm": pitch_mm,
        "board_diameter_mm": pitch_mm * 2.2 * side,
        "topping_diameter_mm": pitch_mm * 0.76,
        "toppings_per_colour": toppings,
        "colours": ["red", "green", "white"],
        "spaces": {
            name: {
                "x_mm": round(x, 3),
                "y_mm": round(y, 3),
                "neighbours": sorted(other for other in points if near(x, y, other, pitch_mm * 1.1)),
            }
            for name, (x, y) in points.items()
        },
        "sides": {str(n): {"angle_deg": -90.0 + 120 * (n - 1)} for n in (1, 2, 3)},
        "start_spaces": {str(t + 1): [closest(*turned(x, y, t)) for x, y in starts] for t in range(3)},
        "lines": lines,
    }


@pytest.fixture(scope="session")
def naive_pizza() -> Any:
    """The naive engine of the benchmark: a second opinion that shares no code with the referee."""
    return runpy.run_path(str(ROOT / "benchmarks" / "naive_pizza.py"))["NaivePizza"]


@pytest.fixture(scope="session")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What a header may name as its layout -> that layout's JSON: 37, 61, and 19 spaces with fewer toppings."""
    folder = tmp_path_factory.mktemp("layouts")
    boards = {"hex37": json.loads((ROOT / "companion" / "layouts" / "hex37.json").read_text())}
    for layout in (hexagon(5, 28.0), hexagon(3, 50.0, toppings=8)):
        path = folder / f"{layout['name']}.json"
        path.write_text(json.dumps(layout))
        boards[str(path)] = layout
    return boards


@pytest.fixture(scope="session")
def make_hexagon() -> Any:
    """The maker of hexagonal layouts."""
    return hexagon
