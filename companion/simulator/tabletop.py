"""A table top with its lamp and camera, and the people around it; what lies on it is drawn by those who know it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from companion.simulator import clutter, hands, paint
from companion.simulator.optics import Array, Camera, Lamp
from companion.simulator.paint import Floats, Image
from companion.simulator.scene import Hand, Point, Scene

Box = tuple[int, int, int, int]
HAND_MM = 38.0  # height at which hands are drawn
AMBIENT = 0.62  # how much of the light still reaches a shadow's middle
NOISES = 4


@dataclass(frozen=True)
class Look:
    """What a seed chooses for a table.

    Args:
        surface: of the table.
        clutter: a mug, a sheet, a coin lie about.
        lamps: the light at the start, and with the second lamp switched on.
        exposure: brightness of the picture.
        noise: standard deviation of the camera's noise (grey levels).
        blur: softness of the lens and the JPEG (px).
        camera: the camera.
        die_mm: edge of the dice.
        light_pips: colours of the dice whose pips are light.
    """

    surface: paint.Surface
    clutter: bool
    lamps: tuple[Lamp, Lamp]
    exposure: float
    noise: float
    blur: float
    camera: Camera
    die_mm: float = 16.0
    light_pips: frozenset[str] = frozenset()


def choose_lamps(rng: np.random.Generator) -> tuple[Lamp, Lamp]:
    """The lamp over a table, and the same table with a second one switched on, by chance."""
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
    return first, second


class Tabletop:
    """Draws scenes on one table: a kind of table adds what lies there in :meth:`things`.

    The picture of all that rests is kept, so that a moment in which only hands move costs little.

    Args:
        seed: chooses the people, and the grain of the pictures.
        size: width and height of the pictures in px.
        look: of the table.
        rng: the source of chance for the table's surface, its clutter and the noise.
        free_mm: radius around the middle in which no clutter lies.
    """

    def __init__(self, seed: int, size: tuple[int, int], look: Look, rng: np.random.Generator, free_mm: float) -> None:
        self.seed, self.size = seed, size
        self.look = look
        self.camera = look.camera
        self._table = self._lay_table(rng, free_mm)
        self._hands: dict[tuple[int, str], hands.HandPicture] = {}
        self._noise = self._make_noise(rng)
        self._lights: dict[bool, Floats] = {}
        self._kept: dict[str, tuple[object, Image]] = {}

    def things(self, scene: Scene) -> Image:
        """A fresh picture of the lit table with all that rests or is carried, without hands (BGR)."""
        raise NotImplementedError

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
        out = np.asarray(cv2.GaussianBlur(self.things(scene), (3, 3), self.look.blur), np.uint8)
        self._kept["rest"] = (scene, out)
        return out

    def _lit_table(self, lamp: bool) -> Image:
        """The bare table in the light of one lamp or two."""
        return np.asarray(cv2.multiply(self._table, self._light(lamp), dtype=cv2.CV_8U), np.uint8)

    # -- people --------------------------------------------------------------------------------------------------

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

    def _lay_table(self, rng: np.random.Generator, free_mm: float) -> Image:
        top = paint.table(rng, self.look.surface)
        x, y = self.camera.plane(0.0)
        a = float(rng.uniform(0, 2 * math.pi))
        c, s = np.float32(math.cos(a)), np.float32(math.sin(a))
        mid = np.float32(paint.TABLE_MM / 2)
        across, down = x * c + y * s + mid, y * c - x * s + mid
        out = np.asarray(cv2.remap(top, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.uint8)
        if self.look.clutter:
            clutter.lay(out, rng, self.camera, free_mm)
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
