"""Draws scenes: a table, a lamp and a camera chosen by a seed, and what lies there at a moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from companion.layout import BoardLayout
from companion.simulator import art, clutter, hands, paint, solids
from companion.simulator.optics import Array, Camera, Lamp, look_at
from companion.simulator.paint import Floats, Image
from companion.simulator.scene import Die, Hand, Point, Scene, Stick, Topping

Box = tuple[int, int, int, int]
BOARD_MM = 3.0  # thickness of the board
TOPPING_MM = 2.5  # thickness of a topping
HAND_MM = 38.0  # height at which hands are drawn
SEAT_DEG = {"A": -90.0, "B": 150.0, "C": 30.0}  # where the seats are (rules page: A below, B upper left, C upper right)
AMBIENT = 0.62  # how much of the light still reaches a shadow's middle
NOISES = 4


@dataclass(frozen=True)
class Look:
    """What a seed chooses for a table.

    Args:
        surface: of the table.
        clutter: a mug, a sheet, a coin lie about.
        die_mm: edge of the dice.
        light_pips: colours of the dice whose pips are light.
        lamps: the light at the start, and with the second lamp switched on.
        exposure: brightness of the picture.
        noise: standard deviation of the camera's noise (grey levels).
        blur: softness of the lens and the JPEG (px).
        camera: the camera.
    """

    surface: paint.Surface
    clutter: bool
    die_mm: float
    light_pips: frozenset[str]
    lamps: tuple[Lamp, Lamp]
    exposure: float
    noise: float
    blur: float
    camera: Camera


def choose_look(seed: int, layout: BoardLayout, size: tuple[int, int]) -> Look:
    """A table, lamp and camera by chance, such that board, sticks and dice near the seats are in the picture."""
    rng = np.random.default_rng([seed, 1])
    surface: paint.Surface = ("wood", "wood", "cloth", "pattern")[int(rng.integers(4))]
    warm = float(rng.uniform(-0.12, 0.16))
    colour = (1 - warm, 1.0, 1 + warm * 0.8)
    first, second = (
        Lamp(
            (float(rng.uniform(-500, 500)), float(rng.uniform(-250, 600)), float(rng.uniform(800, 1500))),
            tint,
            float(rng.uniform(2.5, 9.0)),
        )
        for tint in (colour, (colour[0] * 0.86, colour[1] * 0.97, colour[2] * 1.04))
    )
    return Look(
        surface=surface,
        clutter=bool(rng.random() < 0.7),
        die_mm=float(rng.uniform(26, 31)),
        light_pips=frozenset({"red", "green"} if rng.random() < 0.7 else {"red"} if rng.random() < 0.5 else ()),
        lamps=(first, second),
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


class Renderer:
    """Draws scenes on one table.

    The picture of all that rests is kept, so that a moment in which only hands move costs little.

    Args:
        seed: chooses table, lamp, camera and people; the same seed gives the same pictures.
        layout: the board.
        size: width and height of the pictures in px.

    >>> from companion.layout import load_layout
    >>> Renderer(3, load_layout("hex37"), (320, 240)).draw(Scene(), 0).shape
    (240, 320, 3)
    """

    def __init__(self, seed: int, layout: BoardLayout, size: tuple[int, int] = (960, 720)) -> None:
        self.layout, self.size, self.seed = layout, size, seed
        self.look = choose_look(seed, layout, size)
        self.camera = self.look.camera
        rng = np.random.default_rng([seed, 2])
        scale = self.camera.focal_px / float(np.linalg.norm(self.camera.position_mm))
        self._board = art.board(rng, layout, scale * 1.15)
        self._faces = {
            (colour, i): art.topping(rng, colour, i, layout.topping_diameter_mm, scale * 1.15)
            for colour in layout.colours
            for i in range(art.ARTS)
        }
        self._table = self._lay_table(rng)
        self._hands: dict[tuple[int, str], hands.HandPicture] = {}
        self._noise = self._make_noise(rng)
        self._lights: dict[bool, Floats] = {}
        self._kept: dict[str, tuple[object, Image]] = {}
        self._topped: tuple[object, frozenset[Topping], Image] = (None, frozenset(), self._table)
        self._faces_of: dict[Hashable, list[solids.Face]] = {}

    # -- the picture, layer by layer ---------------------------------------------------------------------------

    def draw(self, scene: Scene, t_ms: int) -> Image:
        """The camera's picture of a scene (BGR uint8, h x w x 3); the time only chooses the noise."""
        base = self._resting(replace(scene, hands=(), shadow=None))
        moving = base
        if scene.shadow is not None or scene.hands:
            key = ("moving", scene)
            kept = self._kept.get("moving")
            if kept is not None and kept[0] == key:
                moving = kept[1]
            else:
                moving = base.copy()
                if scene.shadow is not None:
                    self._cast_cloud(moving, scene.shadow)
                for hand in scene.hands:
                    self._draw_hand(moving, hand, scene.lamp)
                self._kept["moving"] = (key, moving)
        plus, minus = self._noise[(t_ms // 40 * 7919 + self.seed) % NOISES]
        return np.asarray(cv2.subtract(cv2.add(moving, plus), minus), np.uint8)

    def _resting(self, scene: Scene) -> Image:
        kept = self._kept.get("rest")
        if kept is not None and kept[0] == scene:
            return kept[1]
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
        out = np.asarray(cv2.GaussianBlur(out, (3, 3), self.look.blur), np.uint8)
        self._kept["rest"] = (scene, out)
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
        out = np.asarray(cv2.multiply(self._table, self._light(scene.lamp), dtype=cv2.CV_8U), np.uint8)
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

    def die_faces(self, die: Die, lamp: bool = False) -> list[solids.Face]:
        """What the camera sees of a die; the first face is its whole outline."""
        light = self._light_at((die.x_mm, die.y_mm), lamp)
        pale, edge = die.colour in self.look.light_pips, self.look.die_mm
        make = solids.die_faces
        return self._remember((die, lamp), lambda: make(die, edge, pale, self.camera, self._lamp(lamp), light))

    def _remember(self, key: Hashable, make: Callable[[], list[solids.Face]]) -> list[solids.Face]:
        """The faces of a thing that lies as it lay before are not worked out again."""
        if key not in self._faces_of:
            if len(self._faces_of) > 200:
                self._faces_of.clear()
            self._faces_of[key] = make()
        return self._faces_of[key]

    def _draw_hand(self, out: Image, hand: Hand, lamp: bool) -> None:
        x, y, _ = self._lamp(lamp).shadow([(hand.x_mm, hand.y_mm, 30.0)])[0]
        fallen = self.hand_layer(replace(hand, x_mm=float(x), y_mm=float(y)), 0.0)
        if fallen is not None:
            depth = cv2.blur(fallen[1][..., 3], (15, 15)).astype(np.float32) * np.float32((1 - AMBIENT) / 255)
            self._multiply(out, fallen[0], 1 - depth)
        layer = self.hand_layer(hand)
        if layer is not None:
            self._blend(out, *layer, lamp)

    def hand_layer(self, hand: Hand, z_mm: float = HAND_MM) -> tuple[Box, Image] | None:
        """Where a hand appears: the box it covers (x, y, w, h px), and its picture there (BGRA); None: nowhere."""
        picture = self._hand(hand)
        at = np.array([hand.x_mm, hand.y_mm])
        ax, bx, cx, ay, by, cy = hands.frame_of(hand.x_mm, hand.y_mm, hand.from_deg)
        a, half = math.radians(hand.from_deg), hands.WIDTH_MM / 2
        along, across = np.array([math.cos(a), math.sin(a)]), np.array([-math.sin(a), math.cos(a)])
        lengths = (-12.0, 150.0, 300.0, hands.LENGTH_MM - 14.0)
        corners = [(*(at + along * u + across * v), z_mm) for u in lengths for v in (-half, half)]
        box = self.camera.box(corners, 4)
        if box is None:
            return None
        px, py = self.camera.plane(z_mm, box)
        k = np.float32(hands.PX_PER_MM)
        mx = (px * np.float32(ax) + py * np.float32(bx) + np.float32(cx)) * k + np.float32(picture.tip_px[0])
        my = (px * np.float32(ay) + py * np.float32(by) + np.float32(cy)) * k + np.float32(picture.tip_px[1])
        return box, np.asarray(cv2.remap(picture.bgra, mx, my, cv2.INTER_LINEAR), np.uint8)

    def _hand(self, hand: Hand) -> hands.HandPicture:
        key = (hand.person, hand.pose)
        if key not in self._hands:
            self._hands[key] = hands.draw(np.random.default_rng([self.seed, 3, hand.person]), hand.pose)
        return self._hands[key]

    # -- light --------------------------------------------------------------------------------------------------

    def _lamp(self, second: bool) -> Lamp:
        return self.look.lamps[second]

    def _light(self, second: bool) -> Floats:
        """The light on the table as the picture sees it (h x w x 3 factors)."""
        if second not in self._lights:
            x, y = self.camera.plane(0.0)
            lamp = self._lamp(second)
            fall = np.float32(0.3) + np.float32(0.7) * lamp.falloff(x, y)
            strength = self.look.exposure * (1.18 if second else 1.0)
            self._lights[second] = np.asarray(
                fall[..., None] * np.float32(np.array(lamp.colour) * strength), np.float32
            )
        return self._lights[second]

    def _light_at(self, at: Point, second: bool) -> tuple[float, float, float]:
        lamp = self._lamp(second)
        fall = 0.3 + 0.7 * float(lamp.falloff(np.float32([at[0]]), np.float32([at[1]]))[0])  # type: ignore[arg-type]
        b, g, r = (c * fall * self.look.exposure * (1.18 if second else 1.0) for c in lamp.colour)
        return b, g, r

    def _cast_disk(self, out: Image, x: float, y: float, radius: float, z: float, ground: float, lamp: bool) -> None:
        fallen = self._lamp(lamp).shadow(self._rim(x, y, radius, z), ground)
        self._darken(out, self.camera.project(fallen), 0.8)

    def _darken(self, out: Image, outline: Array, depth: float) -> None:
        """Lay a soft shadow of a convex outline (px)."""
        soft = self._lamp(False).softness_mm * self.camera.focal_px / float(self.camera.position_mm[2])
        radius = max(round(soft * 0.5), 1)
        x0, y0 = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 2 * radius, 0)
        x1, y1 = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 2 * radius + 1, self.size)
        if x1 <= x0 or y1 <= y0:
            return
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        points = np.round((outline - (x0, y0)) * 16).astype(np.int32).reshape(-1, 1, 2)
        cv2.fillPoly(mask, [points], 255, cv2.LINE_AA, 4)
        mask = cv2.blur(mask, (2 * radius + 1, 2 * radius + 1))
        factor = 1 - mask.astype(np.float32) * np.float32(depth * (1 - AMBIENT) / 255)
        self._multiply(out, (int(x0), int(y0), int(x1 - x0), int(y1 - y0)), factor)

    def _cast_cloud(self, out: Image, at: Point) -> None:
        """Somebody leans over: a wide and very soft shadow."""
        x, y = self.camera.plane(0.0)
        away = np.hypot(x - np.float32(at[0]), y - np.float32(at[1]))
        self._multiply(out, (0, 0, *self.size), 1 - 0.3 * paint.soft_step(-away, -190.0, 160.0))

    # -- pixels -------------------------------------------------------------------------------------------------

    @staticmethod
    def _multiply(out: Image, box: Box, factor: Floats) -> None:
        x, y, w, h = box
        part = out[y : y + h, x : x + w]
        part[:] = cv2.multiply(part, cv2.merge([factor] * 3), dtype=cv2.CV_8U)

    def _blend(self, out: Image, box: Box, bgra: npt.NDArray[np.uint8], lamp: bool) -> None:
        """Lay a lit picture with transparency over a box of the picture."""
        x, y, w, h = box
        part = out[y : y + h, x : x + w]
        alpha = cv2.merge([bgra[..., 3]] * 3)
        lit = cv2.multiply(bgra[..., :3], self._light(lamp)[y : y + h, x : x + w], dtype=cv2.CV_8U)
        over = cv2.multiply(lit, alpha, scale=1 / 255)
        part[:] = cv2.add(over, cv2.multiply(part, cv2.bitwise_not(alpha), scale=1 / 255))

    def _rim(self, x: float, y: float, radius: float, z: float) -> Array:
        a = np.linspace(0, 2 * math.pi, 64 if radius > 50 else 24, endpoint=False)
        return np.stack([x + radius * np.cos(a), y + radius * np.sin(a), np.full_like(a, z)], axis=1)

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

    def _lay_table(self, rng: np.random.Generator) -> Image:
        top = paint.table(rng, self.look.surface)
        x, y = self.camera.plane(0.0)
        a = float(rng.uniform(0, 2 * math.pi))
        c, s = np.float32(math.cos(a)), np.float32(math.sin(a))
        mid = np.float32(paint.TABLE_MM / 2)
        across, down = x * c + y * s + mid, y * c - x * s + mid
        out = np.asarray(cv2.remap(top, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.uint8)
        if self.look.clutter:
            clutter.lay(out, rng, self.camera, self.layout.board_diameter_mm / 2)
        return out

    def _make_noise(self, rng: np.random.Generator) -> list[tuple[Image, Image]]:
        """A small bank of noise pictures, each as what to add and what to take away."""
        w, h = self.size
        bank = []
        for _ in range(NOISES):
            grain = cv2.GaussianBlur(rng.standard_normal((h, w, 3), np.float32), (3, 3), 0.5)
            grain *= np.float32(self.look.noise / float(grain[:50, :50].std()))
            plus, minus = (np.clip(np.rint(g), 0, 255).astype(np.uint8) for g in (grain, -grain))
            bank.append((plus, minus))
        return bank
