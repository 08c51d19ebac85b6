"""Dice and sticks as solids in space: which faces the camera sees, where they appear, how they are lit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.simulator.optics import Array, Camera, Lamp
from companion.simulator.paint import Image
from companion.simulator.scene import Die, Stick

BODY = {
    "red": (38, 34, 196),
    "green": (52, 138, 40),
    "white": (222, 230, 234),
    "ivory": (190, 220, 232),
    "black": (36, 34, 34),
}
DARK_PIPS, LIGHT_PIPS = (24, 24, 26), (232, 236, 238)
STICK = {"red": (36, 32, 190), "green": (44, 122, 34), "white": (214, 224, 230)}
STICK_WIDTH_MM, STICK_HEIGHT_MM = 5.0, 4.0
Light = tuple[float, float, float]

# The faces of a right-handed die: value -> outward axis; opposite faces add up to seven.
FACES = {1: (0, 0, 1), 6: (0, 0, -1), 2: (0, -1, 0), 5: (0, 1, 0), 3: (1, 0, 0), 4: (-1, 0, 0)}
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


@dataclass(frozen=True)
class Face:
    """A flat piece to fill: its outline on the picture (n x 2 px) and its colour (BGR)."""

    outline: Array
    colour: tuple[float, float, float]


def fill(image: Image, faces: Sequence[Face]) -> None:
    """Draw convex faces with smooth edges, in order."""
    for face in faces:
        points = np.round(face.outline * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.fillConvexPoly(image, points, face.colour, cv2.LINE_AA, 4)


def hull(points: Array) -> Array:
    """The convex outline of points (n x 2)."""
    return np.asarray(cv2.convexHull(points.astype(np.float32)).reshape(-1, 2), float)


def _turn(axis: npt.ArrayLike, angle: float) -> Array:
    matrix, _ = cv2.Rodrigues(np.asarray(axis, float) * angle)
    return np.asarray(matrix, float)


def die_rotation(die: Die) -> Array:
    """The 3 x 3 rotation of a die that shows its value on top, turned and tumbled."""
    up = np.asarray(FACES[die.value], float)
    axis = np.cross(up, (0, 0, 1.0))
    if np.linalg.norm(axis) > 0:
        base = _turn(axis, math.pi / 2)
    else:
        base = np.eye(3) if up[2] > 0 else _turn((1, 0, 0), math.pi)
    return _turn((1, 0.4, 0), math.radians(die.tumble_deg)) @ _turn((0, 0, 1), math.radians(die.spin_deg)) @ base


def die_centre(die: Die, edge_mm: float) -> Array:
    """A die's centre in space (mm): it stands on its lowest corner."""
    lowest = np.abs(die_rotation(die)[2]).sum() * edge_mm / 2
    return np.array([die.x_mm, die.y_mm, lowest + die.z_mm])


def die_corners(die: Die, edge_mm: float) -> Array:
    """The eight corners of a die (8 x 3 mm)."""
    signs = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], float)
    return np.asarray(signs * edge_mm / 2 @ die_rotation(die).T + die_centre(die, edge_mm))


_QUARTERS = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)], float).repeat(4, axis=0)
_ARCS = np.concatenate([q * math.pi / 2 + np.linspace(0, math.pi / 2, 4) for q in range(4)])
_ROUND = np.stack([np.cos(_ARCS), np.sin(_ARCS)], axis=1)


def _rounded(u: Array, v: Array, half: float, corner: float) -> Array:
    """A square's outline in its plane with rounded corners."""
    points = _QUARTERS * (half - corner) + corner * _ROUND
    return np.asarray(points[:, :1] * u + points[:, 1:] * v)


@dataclass(frozen=True)
class Side:
    """A side of a die that the camera sees: its face, the way it looks, its middle and its two axes (unit vectors)."""

    value: int
    normal: Array
    middle_mm: Array
    across: Array
    over: Array


def die_sides(die: Die, edge_mm: float, camera: Camera) -> list[Side]:
    """The sides of a die that the camera sees."""
    rotation, centre = die_rotation(die), die_centre(die, edge_mm)
    out = []
    for value, axis in FACES.items():
        normal = rotation @ axis
        middle = centre + normal * edge_mm / 2
        if normal @ (camera.position_mm - middle) > 0:
            across = rotation @ np.roll(np.abs(axis), 1)
            out.append(Side(value, normal, middle, across, np.cross(normal, across)))
    return out


def lit(colour: npt.ArrayLike, normal: Array, at_mm: Array, lamp: Lamp, light: Light) -> tuple[float, float, float]:
    """A colour (BGR) as a lamp and what falls on the place make it look, on a surface that looks along ``normal``."""
    to_lamp = np.asarray(lamp.position_mm) - at_mm
    share = 0.5 + 0.52 * max(float(normal @ to_lamp) / float(np.linalg.norm(to_lamp)), 0.0)
    b, g, r = np.clip(np.asarray(colour, float) * share * light, 0, 255)
    return float(b), float(g), float(r)


def die_faces(
    die: Die, edge_mm: float, light_pips: bool | None, camera: Camera, lamp: Lamp, light: Light
) -> list[Face]:
    """What the camera sees of a die, ready to fill; the first face is its whole outline.

    Args:
        die: the die.
        edge_mm: its edge.
        light_pips: pips are light on the body (a dark body), else dark; None: no pips.
        camera: the camera.
        lamp: where the light comes from.
        light: b, g, r factors of the light that falls on the place.
    """
    centre, half = die_centre(die, edge_mm), edge_mm / 2
    body = np.asarray(BODY[die.colour], float)
    rim: list[Array] = []
    out: list[Face] = []
    for side in die_sides(die, edge_mm, camera):
        outline = _rounded(side.across, side.over, half * 0.94, half * 0.24) + side.middle_mm
        rim.append(
            camera.project(
                _rounded(side.across, side.over, half, half * 0.3) + side.middle_mm - side.normal * half * 0.03
            )
        )
        out.append(Face(camera.project(outline), lit(body, side.normal, centre, lamp, light)))
        if light_pips is None:
            continue
        flip = side.value in (2, 3) and die.value % 2 == 0  # which way a face's pips run differs from maker to maker
        for a, b in PIPS[side.value]:
            at = (
                side.middle_mm
                + side.normal * half * 0.001
                + (side.across * (-a if flip else a) + side.over * b) * half * 0.5
            )
            ring = [
                at + (side.across * math.cos(t) + side.over * math.sin(t)) * half * 0.19
                for t in np.linspace(0, 2 * math.pi, 13)
            ]
            paint = lit(LIGHT_PIPS if light_pips else DARK_PIPS, side.normal, centre, lamp, light)
            out.append(Face(camera.project(ring), paint))
    top = die_rotation(die) @ FACES[die.value]
    out.insert(0, Face(hull(np.concatenate(rim)), lit(body * 0.8, top, centre, lamp, light)))
    return out


def stick_corners(near: tuple[float, float], far: tuple[float, float], z_mm: float) -> tuple[Array, Array, Array]:
    """The left edge, the right edge of a stick's top (each n x 3 mm, cut fine enough for a bent lens), its axis."""
    a, b = np.asarray(near, float), np.asarray(far, float)
    along = (b - a) / np.linalg.norm(b - a)
    across = np.array([-along[1], along[0]]) * STICK_WIDTH_MM / 2
    middle = a + (b - a) * np.linspace(0, 1, 13)[:, None]
    top = np.full((13, 1), z_mm + STICK_HEIGHT_MM)
    return np.hstack([middle + across, top]), np.hstack([middle - across, top]), across


def stick_faces(stick: Stick, z_mm: float, camera: Camera, lights: Sequence[Light]) -> list[Face]:
    """What the camera sees of a stick, ready to fill.

    Args:
        stick: where it lies (table frame).
        z_mm: the height of its underside.
        camera: the camera.
        lights: the light at its two ends (b, g, r factors).
    """
    left, right, _ = stick_corners(stick.near, stick.far, z_mm)
    colour = np.asarray(STICK[stick.colour], float)
    down = np.array([0, 0, STICK_HEIGHT_MM])
    edges = [camera.project(p) for p in (left, right, left - down, right - down)]
    sides, tops = [], []
    for i in range(len(left) - 1):
        s = i / (len(left) - 2)
        b, g, r = np.clip(colour * (np.asarray(lights[0]) * (1 - s) + np.asarray(lights[1]) * s), 0, 255)
        sides.append(Face(hull(np.concatenate([p[i : i + 3] for p in edges])), (b * 0.62, g * 0.62, r * 0.62)))
        j = min(i + 2, len(left) - 1)  # each piece runs under the next, else smooth edges leave seams
        tops.append(Face(np.array([edges[0][i], edges[0][j], edges[1][j], edges[1][i]]), (b, g, r)))
    return sides + tops
