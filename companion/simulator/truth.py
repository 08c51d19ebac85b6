"""What a drawn picture shows: worked out from the scene, for scoring readers of pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.simulator.paint import Image
from companion.simulator.renderer import BOARD_MM, TOPPING_MM, Renderer
from companion.simulator.scene import Scene
from companion.simulator.solids import STICK_HEIGHT_MM, hull, stick_corners

ON_SPACE_MM = 12.0  # a topping whose centre is this near to a space's centre lies on that space


@dataclass(frozen=True, slots=True)
class Truth:
    """What is on the table in one picture.

    Args:
        spaces: id -> "empty" or a colour.
        visible: id -> share of the space that nothing covers, 0 to 1.
        places: id -> where its centre appears (px).
        cutters: (side, line number, colour) of the sticks that lie on lines.
        dice: (value, colour, box in px) of each die that rests; it may reach over the edge.
        hand: a hand or an arm is in the picture.
        turn: degrees the board is turned clockwise seen from above.
    """

    spaces: dict[str, str]
    visible: dict[str, float]
    places: dict[str, tuple[float, float]]
    cutters: tuple[tuple[int, int, str], ...]
    dice: tuple[tuple[int, str, tuple[int, int, int, int]], ...]
    hand: bool
    turn: float

    def to_json(self) -> dict[str, Any]:
        """A form that a file beside the picture holds."""
        return {
            "spaces": {
                s: {"state": self.spaces[s], "visible": round(self.visible[s], 3), "px": list(self.places[s])}
                for s in self.spaces
            },
            "cutters": [{"side": s, "number": n, "colour": c} for s, n, c in self.cutters],
            "dice": [{"value": v, "colour": c, "box": list(b)} for v, c, b in self.dice],
            "hand": self.hand,
            "turn": self.turn,
        }


def truth(renderer: Renderer, scene: Scene) -> Truth:
    """The truth of the picture that the renderer draws of a scene.

    >>> from companion.layout import load_layout
    >>> empty = truth(Renderer(1, load_layout("hex37"), (320, 240)), Scene())
    >>> set(empty.spaces.values()), set(empty.visible.values()), empty.hand
    ({'empty'}, {1.0}, False)
    """
    layout, camera = renderer.layout, renderer.camera
    cover = _cover(renderer, scene)
    radius = layout.topping_diameter_mm * 0.4
    spaces, visible, places = {}, {}, {}
    for space in layout.spaces.values():
        near = [t for t in scene.toppings if math.hypot(t.x_mm - space.x_mm, t.y_mm - space.y_mm) <= ON_SPACE_MM]
        spaces[space.id] = near[-1].colour if near else "empty"
        z = BOARD_MM + (TOPPING_MM if near else 0)
        samples = [(0.0, 0.0)] + [
            (radius * r * math.cos(i * math.pi / n), radius * r * math.sin(i * math.pi / n))
            for r, n in ((0.5, 3), (1.0, 6))
            for i in range(2 * n)
        ]
        spots = [(*scene.to_table(space.x_mm + dx, space.y_mm + dy), z) for dx, dy in samples]
        seen = camera.project(spots)
        places[space.id] = (round(float(seen[0, 0]), 2), round(float(seen[0, 1]), 2))
        x, y = np.rint(seen).astype(int).T
        inside = (x >= 0) & (y >= 0) & (x < camera.size[0]) & (y < camera.size[1])
        free = [bool(ok and cover[b, a] == 0) for a, b, ok in zip(x, y, inside, strict=True)]
        visible[space.id] = sum(free) / len(free)
    dice = []
    for die in scene.dice:
        if die.z_mm == 0 and die.tumble_deg == 0:
            outline = renderer.die_faces(die, scene.lamp)[0].outline
            (x0, y0), (x1, y1) = np.floor(outline.min(axis=0)), np.ceil(outline.max(axis=0))
            dice.append((die.value, die.colour, (int(x0), int(y0), int(x1 - x0), int(y1 - y0))))
    return Truth(
        spaces=spaces,
        visible=visible,
        places=places,
        cutters=tuple((*s.line, s.colour) for s in scene.sticks if s.line is not None and s.z_mm == 0),
        dice=tuple(dice),
        hand=any((layer := renderer.hand_layer(h)) is not None and bool(layer[1][..., 3].any()) for h in scene.hands),
        turn=scene.turn_deg,
    )


def _cover(renderer: Renderer, scene: Scene) -> Image:
    """Which pixels sticks, dice and hands cover (uint8, 0: free)."""
    cover = np.zeros(renderer.size[::-1], np.uint8)
    outlines = [renderer.die_faces(die, scene.lamp)[0].outline for die in scene.dice]
    sticks = [(scene.to_table(*s.near), scene.to_table(*s.far), BOARD_MM + s.z_mm) for s in scene.sticks]
    sticks += [(s.near, s.far, s.z_mm) for s in scene.loose_sticks]
    for near, far, z in sticks:
        left, right, _ = stick_corners(near, far, z)
        edges = np.concatenate([left, right, left - (0, 0, STICK_HEIGHT_MM), right - (0, 0, STICK_HEIGHT_MM)])
        outlines.append(hull(renderer.camera.project(edges)))
    for outline in outlines:
        cv2.fillPoly(cover, [np.rint(outline).astype(np.int32).reshape(-1, 1, 2)], 255)
    for hand in scene.hands:
        layer = renderer.hand_layer(hand)
        if layer is not None:
            (x, y, w, h), picture = layer
            part = cover[y : y + h, x : x + w]
            part[:] = np.maximum(part, picture[..., 3])
    return np.asarray(cover > 127, np.uint8)
