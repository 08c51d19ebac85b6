"""Draws scenes with a board: a table, a lamp and a camera chosen by a seed, and what lies there at a moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import replace

import cv2
import numpy as np

from companion.layout import BoardLayout
from companion.simulator import art, paint, solids
from companion.simulator.faces import lay_faces, numeral
from companion.simulator.optics import Camera, look_at
from companion.simulator.paint import Image
from companion.simulator.scene import Die, Scene, Stick, Topping
from companion.simulator.tabletop import Look, Tabletop, choose_lamps

BOARD_MM = 3.0  # thickness of the board
TOPPING_MM = 2.5  # thickness of a topping
SEAT_DEG = {"A": -90.0, "B": 150.0, "C": 30.0}  # where the seats are (rules page: A below, B upper left, C upper right)


def choose_look(seed: int, layout: BoardLayout, size: tuple[int, int]) -> Look:
    """A table, lamp and camera by chance, such that board, sticks and dice near the seats are in the picture."""
    rng = np.random.default_rng([seed, 1])
    surface: paint.Surface = ("wood", "wood", "cloth", "pattern")[int(rng.integers(4))]
    lamps = choose_lamps(rng)
    return Look(
        surface=surface,
        clutter=bool(rng.random() < 0.7),
        die_mm=float(rng.uniform(26, 31)),
        light_pips=frozenset({"red", "green"} if rng.random() < 0.7 else {"red"} if rng.random() < 0.5 else ()),
        lamps=lamps,
        exposure=float(rng.uniform(0.82, 1.06)),
        noise=float(rng.uniform(1.2, 3.2)),
        blur=float(rng.uniform(0.45, 0.8)),
        camera=_choose_camera(rng, layout, size),
    )


def _choose_camera(rng: np.random.Generator, layout: BoardLayout, size: tuple[int, int]) -> Camera:
    focal = float(rng.uniform(1.05, 1.35)) * size[0]
    reach = layout.board_diameter_mm / 2 + 70  # dice lie 44 mm off the board and reach 22 mm further
    around = [(reach * math.cos(a), reach * math.sin(a), z) for a in np.arange(24) * math.pi / 12 for z in (0.0, 30.0)]
    while True:
        tilt, azimuth = float(rng.triangular(0, 8, 35)), float(rng.normal(-90, 50))
        roll, share = float(rng.normal(0, 9)), float(rng.uniform(0.5, 0.7))
        target = (float(rng.normal(0, 10)), float(rng.normal(0, 10)))
        k1 = float(rng.uniform(-0.13, 0.05))
        distance = focal * layout.board_diameter_mm / (share * size[1])
        camera = look_at(size, distance, tilt, azimuth, float(np.clip(roll, -25, 25)), target, focal, k1)
        seen = camera.project(around)
        if (seen > 6).all() and (seen < np.asarray(size) - 6).all():
            return camera


def _ground(scene: Scene) -> tuple[object, ...]:
    """What the picture of the board without toppings depends on."""
    return scene.board, scene.turn_deg, scene.shift_mm, scene.lamp


class Renderer(Tabletop):
    """Draws scenes on a table with a board.

    Args:
        seed: chooses table, lamp, camera and people; the same seed gives the same pictures.
        layout: the board.
        size: width and height of the pictures in px.
        numerals: the dice bear numerals instead of pips.

    >>> from companion.layout import load_layout
    >>> Renderer(3, load_layout("hex37"), (320, 240)).draw(Scene(), 0).shape
    (240, 320, 3)
    """

    def __init__(
        self, seed: int, layout: BoardLayout, size: tuple[int, int] = (960, 720), *, numerals: bool = False
    ) -> None:
        self.layout = layout
        self._numerals = numerals
        look = choose_look(seed, layout, size)
        rng = np.random.default_rng([seed, 2])
        scale = look.camera.focal_px / float(np.linalg.norm(look.camera.position_mm))
        self._board = art.board(rng, layout, scale * 1.15)
        self._faces = {
            (colour, i): art.topping(rng, colour, i, layout.topping_diameter_mm, scale * 1.15)
            for colour in layout.colours
            for i in range(art.ARTS)
        }
        super().__init__(seed, size, look, rng, layout.board_diameter_mm / 2)
        self._topped: tuple[object, frozenset[Topping], Image] = (None, frozenset(), self._table)
        self._faces_of: dict[Hashable, list[solids.Face]] = {}

    def things(self, scene: Scene) -> Image:
        """A fresh picture of the lit table with all that rests or is carried, without hands (BGR)."""
        out = self._with_toppings(scene).copy()
        for i, stick in enumerate(scene.sticks):
            moved = replace(stick, near=scene.to_table(*stick.near), far=scene.to_table(*stick.far))
            self._draw_stick(out, moved, BOARD_MM + stick.z_mm + i * 1.5, scene.lamp)
        for stick in scene.loose_sticks:
            self._draw_stick(out, stick, stick.z_mm, scene.lamp)
        for die in scene.dice:
            self._draw_die(out, die, scene.lamp)
        for topping in scene.loose:
            self._draw_topping(out, topping, topping.x_mm, topping.y_mm, topping.spin_deg, topping.z_mm, scene.lamp)
        return out

    def _with_toppings(self, scene: Scene) -> Image:
        """The board with its toppings; a topping more than last time is added, anything else is drawn afresh."""
        ground, drawn, out = self._topped
        if ground != _ground(scene) or not drawn <= frozenset(scene.toppings):
            drawn, out = frozenset(), self._with_board(scene)
        out = out.copy()
        for topping in scene.toppings:
            if topping not in drawn:
                x, y = scene.to_table(topping.x_mm, topping.y_mm)
                spin = topping.spin_deg - scene.turn_deg
                self._draw_topping(out, topping, x, y, spin, BOARD_MM + topping.z_mm, scene.lamp)
        self._topped = (_ground(scene), frozenset(scene.toppings), out)
        return out

    def _with_board(self, scene: Scene) -> Image:
        ground = _ground(scene)
        kept = self._kept.get("board")
        if kept is not None and kept[0] == ground:
            return kept[1]
        out = self._lit_table(scene.lamp)
        if scene.board:
            radius = self.layout.board_diameter_mm / 2
            self._cast_disk(out, *scene.shift_mm, radius, BOARD_MM, 0.0, scene.lamp)
            self._fill_disk(out, *scene.shift_mm, radius, 0.0, (58, 92, 132), scene.lamp)
            self._lay(out, self._board, *scene.shift_mm, -scene.turn_deg, BOARD_MM, radius, scene.lamp)
        self._kept["board"] = (ground, out)
        return out

    # -- things -------------------------------------------------------------------------------------------------

    def _draw_topping(self, out: Image, t: Topping, x: float, y: float, spin: float, z: float, lamp: bool) -> None:
        radius = self.layout.topping_diameter_mm / 2
        self._cast_disk(out, x, y, radius, z + TOPPING_MM, BOARD_MM if z <= BOARD_MM else 0.0, lamp)
        self._fill_disk(out, x, y, radius, z, art.CARDBOARD, lamp)
        self._lay(out, self._faces[t.colour, t.art % art.ARTS], x, y, spin, z + TOPPING_MM, radius, lamp)

    def _draw_stick(self, out: Image, stick: Stick, z: float, lamp: bool) -> None:
        left, right, _ = solids.stick_corners(stick.near, stick.far, z)
        ground = BOARD_MM if z >= BOARD_MM else 0.0
        fallen = self._lamp(lamp).shadow(np.concatenate([left, right[::-1]]), ground)
        self._darken(out, self.camera.project(fallen), 0.6)
        ends = [self._light_at(p, lamp) for p in (stick.near, stick.far)]
        key = (stick, z, lamp)
        solids.fill(out, self._remember(key, lambda: solids.stick_faces(stick, z, self.camera, ends)))

    def _draw_die(self, out: Image, die: Die, lamp: bool) -> None:
        corners = solids.die_corners(die, self.look.die_mm)
        fallen = self.camera.project(np.concatenate([self._lamp(lamp).shadow(corners), corners * (1, 1, 0)]))
        self._darken(out, solids.hull(fallen), 1.0)
        solids.fill(out, self.die_faces(die, lamp))
        if self._numerals:
            light = self._light_at((die.x_mm, die.y_mm), lamp)
            ink = solids.LIGHT_PIPS if die.colour in self.look.light_pips else solids.DARK_PIPS
            art = {value: numeral(value, ink) for value in solids.FACES}
            lay_faces(out, die, self.look.die_mm, art, self.camera, self._lamp(lamp), light)

    def die_faces(self, die: Die, lamp: bool = False) -> list[solids.Face]:
        """What the camera sees of a die; the first face is its whole outline."""
        light = self._light_at((die.x_mm, die.y_mm), lamp)
        pale, edge = None if self._numerals else die.colour in self.look.light_pips, self.look.die_mm
        make = solids.die_faces
        return self._remember((die, lamp), lambda: make(die, edge, pale, self.camera, self._lamp(lamp), light))

    def _remember(self, key: Hashable, make: Callable[[], list[solids.Face]]) -> list[solids.Face]:
        """The faces of a thing that lies as it lay before are not worked out again."""
        if key not in self._faces_of:
            if len(self._faces_of) > 200:
                self._faces_of.clear()
            self._faces_of[key] = make()
        return self._faces_of[key]

    def _cast_disk(self, out: Image, x: float, y: float, radius: float, z: float, ground: float, lamp: bool) -> None:
        fallen = self._lamp(lamp).shadow(self._rim(x, y, radius, z), ground)
        self._darken(out, self.camera.project(fallen), 0.8)

    def _fill_disk(
        self, out: Image, x: float, y: float, radius: float, z: float, colour: paint.Colour, lamp: bool
    ) -> None:
        """The edge of a flat disk: its underside's outline, over which the face is laid."""
        b, g, r = (min(c * f * 0.7, 255.0) for c, f in zip(colour, self._light_at((x, y), lamp), strict=True))
        solids.fill(out, [solids.Face(self.camera.project(self._rim(x, y, radius, z)), (b, g, r))])

    def _lay(
        self, out: Image, face: Image, x: float, y: float, spin_deg: float, z: float, radius: float, lamp: bool
    ) -> None:
        """Lay a round picture flat at a place and height (mm), turned counter-clockwise."""
        box = self.camera.box(self._rim(x, y, radius, z))
        if box is None:
            return
        px, py = self.camera.plane(z, box)
        n = len(face)
        a = math.radians(spin_deg)
        k = (n - 2) / (2 * radius)
        c, s = np.float32(math.cos(a) * k), np.float32(math.sin(a) * k)
        px -= np.float32(x)
        py -= np.float32(y)
        middle = np.float32((n - 1) / 2)
        got = cv2.remap(face, px * c + py * s + middle, px * s - py * c + middle, cv2.INTER_LINEAR)
        self._blend(out, box, got, lamp)
