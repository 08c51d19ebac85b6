"""Writes the layout of a hexagonal board: other sizes of the one that is built in, for trying and for measuring.

python scripts/make_layout.py --side 3 --pitch 42 --diameter 250 > board19.json
companion demo --layout board19.json --players 2 --auto --fast
"""

from __future__ import annotations

import argparse
import json
import math
import string
from typing import Any

_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
_TOPPING = 0.76  # of the pitch, as on the built-in board


def hexagon(side: int, pitch_mm: float, diameter_mm: float) -> dict[str, Any]:
    """A layout's JSON form: columns a, b, ... from the left, rows 1, 2, ... from below, lines between the columns.

    Args:
        side: spaces along a side of the hexagon, 2 to 13: 7, 19, 37, 61, ... 469 spaces.
        pitch_mm: distance of neighbouring spaces.
        diameter_mm: of the round board.

    >>> layout = hexagon(4, 34.0, 300.0)
    >>> len(layout["spaces"]), len(layout["lines"]), layout["start_spaces"]["1"]
    (37, 18, ['c1', 'e1'])
    """
    step = pitch_mm * math.sqrt(3) / 2
    cells = [(q, r) for q in range(1 - side, side) for r in range(1 - side, side) if abs(q + r) < side]
    lowest = {q: min(r for p, r in cells if p == q) for q, _ in cells}
    name = {(q, r): f"{string.ascii_lowercase[q + side - 1]}{r - lowest[q] + 1}" for q, r in cells}
    place = {name[q, r]: (q * step, (r + q / 2) * pitch_mm) for q, r in cells}
    lines = []
    for board_side, degrees in ((1, 0.0), (2, 120.0), (3, 240.0)):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        for number in range(1, 2 * side - 1):
            across = (number - side + 0.5) * step
            near, far = (
                [across * c - along * s, across * s + along * c] for along in (-diameter_mm / 2, diameter_mm / 2)
            )
            touching = [space for space, (x, y) in place.items() if abs(x * c + y * s - across) < 0.6 * step]
            lines.append({"side": board_side, "number": number, "near_mm": near, "far_mm": far, "touching": touching})
    angles = {1: -90.0, 2: 30.0, 3: 150.0}
    start = {}
    for board_side, degrees in angles.items():
        x, y = (math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))
        outer = sorted(place, key=lambda space: round(place[space][0] * x + place[space][1] * y, 6), reverse=True)
        start[str(board_side)] = sorted(outer[1:3])  # beside the corner that is nearest to the side's player
    return {
        "name": f"hex{len(cells)}",
        "pitch_mm": pitch_mm,
        "board_diameter_mm": diameter_mm,
        "topping_diameter_mm": _TOPPING * pitch_mm,
        "toppings_per_colour": max(6, round(0.43 * len(cells))),
        "colours": ["red", "green", "white"],
        "spaces": {
            name[q, r]: {
                "x_mm": place[name[q, r]][0],
                "y_mm": place[name[q, r]][1],
                "neighbours": [name[q + a, r + b] for a, b in _AROUND if (q + a, r + b) in name],
            }
            for q, r in cells
        },
        "lines": lines,
        "sides": {str(k): {"angle_deg": degrees} for k, degrees in angles.items()},
        "start_spaces": start,
    }


def main() -> None:
    """Print one layout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, choices=range(2, 14), required=True, help="spaces along a side")
    parser.add_argument("--pitch", type=float, required=True, help="mm between neighbouring spaces")
    parser.add_argument("--diameter", type=float, required=True, help="of the board, mm")
    args = parser.parse_args()
    print(json.dumps(hexagon(args.side, args.pitch, args.diameter), indent=1))


if __name__ == "__main__":
    main()
