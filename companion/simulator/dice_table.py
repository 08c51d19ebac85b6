"""Draws a table for dice alone: a tray or a cloth, dice with symbols, a cup; chosen by a seed."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.simulator import paint, solids
from companion.simulator.faces import SYMBOLS, lay_faces, symbol
from companion.simulator.optics import Array, Camera, look_at
from companion.simulator.paint import Colour, Image
from companion.simulator.scene import Cup, Die, Scene
from companion.simulator.tabletop import Box, Look, Tabletop, choose_lamps

WALL_MM, RIM_MM = 22.0, 9.0  # height and thickness of a tray's walls
CUP_MM, CUP_HIGH_MM = 39.0, 88.0  # radius at a cup's mouth, and its height
FLOOR_PX_PER_MM = 2
_WOODS = ((44, 70, 112), (60, 104, 160), (30, 44, 70), (88, 134, 176))
_DARK = ((46, 34, 30), (48, 44, 120), (44, 92, 40), (120, 62, 36), (92, 88, 86), (66, 40, 84))
_PALE = ((170, 178, 180), (150, 170, 120), (120, 160, 206), (200, 176, 140))


@dataclass(frozen=True)
class Tray:
    """Where dice are rolled: a rectangle around the table's origin.

    Args:
        half_mm: half its inner width and height.
        cloth: colour of its floor (BGR).
        wood: colour of its walls; None: no walls, a mat on the table.
    """

    half_mm: tuple[float, float]
    cloth: Colour
    wood: Colour | None


def choose(seed: int, size: tuple[int, int]) -> tuple[Look, Tray, str, Colour | None]:
    """A table for dice by chance: its look, its tray, the dice's body colour, and their one ink (None: many)."""
    rng = np.random.default_rng([seed, 21])
    half = (float(rng.uniform(105, 135)), float(rng.uniform(85, 110)))
    wood = _WOODS[int(rng.integers(len(_WOODS)))] if rng.random() < 0.8 else None
    body = ("white", "white", "ivory", "black")[int(rng.integers(4))]
    cloths = _PALE if body == "black" else _DARK
    tray = Tray(half, cloths[int(rng.integers(len(cloths)))], wood)
    look = Look(
        surface=("wood", "wood", "cloth", "pattern")[int(rng.integers(4))],
        clutter=bool(rng.random() < 0.7),
        lamps=choose_lamps(rng),
        exposure=float(rng.uniform(0.75, 1.0)),
        noise=float(rng.uniform(1.2, 3.2)),
        blur=float(rng.uniform(0.45, 0.8)),
        camera=_choose_camera(rng, half, size),
        die_mm=16.0,
    )
    engraved = body != "black" and rng.random() < 0.15
    return look, tray, body, (40, 36, 34) if engraved else None


def _choose_camera(rng: np.random.Generator, half: tuple[float, float], size: tuple[int, int]) -> Camera:
    focal = float(rng.uniform(1.05, 1.35)) * size[0]
    corners = [(a * (half[0] + 14), b * (half[1] + 14), z) for a in (-1, 1) for b in (-1, 1) for z in (0.0, WALL_MM)]
    while True:
        tilt, azimuth = float(rng.triangular(0, 8, 32)), float(rng.normal(-90, 50))
        roll, share = float(rng.normal(0, 9)), float(rng.uniform(0.45, 0.7))
        target = (float(rng.normal(0, 8)), float(rng.normal(0, 8)))
        k1 = float(rng.uniform(-0.13, 0.05))
        distance = focal * 2 * half[1] / (share * size[1])
        camera = look_at(size, distance, tilt, azimuth, float(np.clip(roll, -25, 25)), target, focal, k1)
        seen = camera.project(corners)
        if (seen > 6).all() and (seen < np.asarray(size) - 6).all():
            return camera


class DiceTable(Tabletop):
    """Draws scenes on a table for dice; ``Scene.shift_mm`` is where the tray's middle lies.

    Args:
        seed: chooses table, tray, dice, lamp, camera and people; the same seed gives the same pictures.
        size: width and height of the pictures in px.

    >>> DiceTable(3, (320, 240)).draw(Scene(dice=(Die(0, 0, 1, "white"),)), 0).shape
    (240, 320, 3)
    """

    def __init__(self, seed: int, size: tuple[int, int] = (960, 720)) -> None:
        look, self.tray, self.body, ink = choose(seed, size)
        rng = np.random.default_rng([seed, 22])
        self._art = {value: symbol(name, ink) for value, name in enumerate(SYMBOLS, 1)}
        self._floor = self._lay_floor(rng)
        self._leather: Colour = ((34, 52, 84), (30, 30, 34), (28, 40, 110))[int(rng.integers(3))]
        super().__init__(seed, size, look, rng, max(self.tray.half_mm) + 20)

    def box(self, die: Die) -> tuple[float, float, float, float]:
        """The box (x, y, width, height in px) around a die as the camera sees it."""
        outline = self._body_of(die, False)[0].outline
        (x0, y0), (x1, y1) = outline.min(axis=0), outline.max(axis=0)
        return float(x0), float(y0), float(x1 - x0), float(y1 - y0)

    def things(self, scene: Scene) -> Image:
        """A fresh picture of the lit table with tray, dice and cup, without hands (BGR)."""
        out = self._with_dice(scene).copy()
        if scene.cup is not None:
            self._draw_cup(out, scene.cup, scene.lamp)
        return out

    def _with_dice(self, scene: Scene) -> Image:
        """The tray with its dice, kept while only the cup moves."""
        lying = ("dice", scene.dice, scene.shift_mm, scene.lamp)
        kept = self._kept.get("dice")
        if kept is not None and kept[0] == lying:
            return kept[1]
        out = self._with_tray(scene).copy()
        camera_at = self.camera.position_mm[:2]
        for die in sorted(scene.dice, key=lambda d: -float(np.hypot(d.x_mm - camera_at[0], d.y_mm - camera_at[1]))):
            corners = solids.die_corners(die, self.look.die_mm)
            fallen = self.camera.project(np.concatenate([self._lamp(scene.lamp).shadow(corners), corners * (1, 1, 0)]))
            self._darken(out, solids.hull(fallen), 1.0)
            solids.fill(out, self._body_of(die, scene.lamp))
            light = self._light_at((die.x_mm, die.y_mm), scene.lamp)
            lay_faces(out, die, self.look.die_mm, self._art, self.camera, self._lamp(scene.lamp), light)
        self._kept["dice"] = (lying, out)
        return out

    def _body_of(self, die: Die, lamp: bool) -> list[solids.Face]:
        light = self._light_at((die.x_mm, die.y_mm), lamp)
        return solids.die_faces(die, self.look.die_mm, None, self.camera, self._lamp(lamp), light)

    # ---- the tray ----

    def _with_tray(self, scene: Scene) -> Image:
        ground = ("tray", scene.shift_mm, scene.lamp)
        kept = self._kept.get("tray")
        if kept is not None and kept[0] == ground:
            return kept[1]
        out = self._lit_table(scene.lamp)
        a, b = self.tray.half_mm
        x0, y0 = scene.shift_mm
        box = self.camera.box([(x0 + i * a, y0 + j * b, 0.0) for i in (-1, 1) for j in (-1, 1)])
        assert box is not None
        self._blend(out, box, self._floor_in(box, scene.shift_mm), scene.lamp)
        if self.tray.wood is not None:
            self._draw_walls(out, scene, self.tray.wood)
        self._kept["tray"] = (ground, out)
        return out

    def _lay_floor(self, rng: np.random.Generator) -> Image:
        """The cloth in the tray (BGRA, FLOOR_PX_PER_MM)."""
        w, h = (round(2 * v * FLOOR_PX_PER_MM) for v in self.tray.half_mm)
        threads = rng.normal(0, 0.06, (h, w)).astype(np.float32)
        felt = paint.tint(self.tray.cloth, threads + paint.noise(rng, (h, w), (5, 5), 4) * np.float32(0.05))
        return np.dstack([np.clip(felt, 0, 255), np.full((h, w), 255, np.float32)]).astype(np.uint8)

    def _floor_in(self, box: Box, shift: tuple[float, float]) -> Image:
        x, y = self.camera.plane(0.0, box)
        a, b = self.tray.half_mm
        k = np.float32(FLOOR_PX_PER_MM)
        across, down = (x - np.float32(shift[0] - a)) * k - 0.5, (np.float32(shift[1] + b) - y) * k - 0.5
        flags = {"interpolation": cv2.INTER_LINEAR, "borderMode": cv2.BORDER_CONSTANT}
        return np.asarray(cv2.remap(self._floor, across, down, **flags), np.uint8)

    def _draw_walls(self, out: Image, scene: Scene, wood: Colour) -> None:
        """The tray's four walls: their shadows, then the sides that the camera sees, then their tops."""
        a, b = self.tray.half_mm
        x0, y0 = scene.shift_mm
        lamp = self._lamp(scene.lamp)
        walls = []
        for nx, ny in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            along = (a + RIM_MM) if ny else b
            normal, across = np.array([nx, ny, 0.0]), np.array([-ny, nx, 0.0])
            near, far = (a if nx else b), (a if nx else b) + RIM_MM
            walls.append((normal, across, near, far, along))
        for normal, across, near, far, along in walls:
            corners = _bar(normal, across, near, far, along) + np.array([x0, y0, 0.0])
            fallen = self.camera.project(np.concatenate([lamp.shadow(corners), corners * (1, 1, 0)]))
            self._darken(out, solids.hull(fallen), 0.9)
        light = self._light_at((x0, y0), scene.lamp)
        tops = []
        for normal, across, near, far, along in walls:
            for level, outward in ((near, -normal), (far, normal)):
                at = np.array([x0, y0, WALL_MM / 2]) + normal * level
                if outward @ (self.camera.position_mm - at) > 0:
                    colour = solids.lit(np.asarray(wood) * 0.8, outward, at, lamp, light)
                    solids.fill(out, [solids.Face(self._strip(at, across * along, WALL_MM / 2), colour)])
            at = np.array([x0, y0, WALL_MM]) + normal * (near + far) / 2
            ring = [at + across * along * i + normal * RIM_MM / 2 * j for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            colour = solids.lit(wood, np.array([0, 0, 1.0]), at, lamp, light)
            tops.append(solids.Face(self.camera.project(ring), colour))
        solids.fill(out, tops)

    def _strip(self, at: Array, along: Array, up: float) -> Array:
        z = np.array([0, 0, up])
        return self.camera.project([at - along - z, at + along - z, at + along + z, at - along + z])

    # ---- the cup ----

    def _draw_cup(self, out: Image, cup: Cup, lamp: bool) -> None:
        """A leather cup on its mouth, in slices from the table up."""
        light = self._light_at((cup.x_mm, cup.y_mm), lamp)
        rims = []
        for i in range(13):
            share = i / 12
            rims.append(self._rim(cup.x_mm, cup.y_mm, CUP_MM * (1 - 0.16 * share), cup.z_mm + CUP_HIGH_MM * share))
        fallen = self._lamp(lamp).shadow(np.concatenate([rims[0], rims[-1]]))
        self._darken(out, solids.hull(self.camera.project(fallen)), 0.9)
        for i, rim in enumerate(rims):
            shade = 0.55 + 0.25 * i / 12 if i < 12 else 1.05
            b, g, r = (min(c * shade * f, 255.0) for c, f in zip(self._leather, light, strict=True))
            solids.fill(out, [solids.Face(self.camera.project(rim), (b, g, r))])


def _bar(normal: Array, across: Array, near: float, far: float, along: float) -> Array:
    """The eight corners of a wall (8 x 3 mm)."""
    return np.array(
        [
            normal * level + across * along * i + np.array([0, 0, z])
            for level in (near, far)
            for i in (-1, 1)
            for z in (0.0, WALL_MM)
        ]
    )
