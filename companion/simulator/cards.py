"""A drawn table with cards on it, and what its pictures show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from companion.simulator import deck, paint
from companion.simulator.optics import Array, Camera, Lamp, look_at
from companion.simulator.paint import Image
from companion.simulator.scene import Card, Scene
from companion.simulator.solids import Face, fill
from companion.simulator.tabletop import Box, Look, Tabletop

THICK_MM = 0.35  # of a card as it lies
REACH_MM = (235.0, 170.0)  # half the width and depth of the table that the camera sees
RIM_MM = 0.25  # how far a card's cut edge shows
PITCH_MM = (66.0, 97.0)  # of a grid of cards to enrol
CUT_EDGE = (163, 167, 168)
_CORNERS = ((-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5))


@dataclass(frozen=True, slots=True)
class CardTruth:
    """What a picture shows of one card.

    Args:
        value: what is to be read ("b13", "W"); None for a card that lies face down.
        box: x, y, width, height in px around what is seen of it.
        corners: where its four corners appear (px), clockwise from its head's left.
        visible: share of its face that nothing covers and that is in the picture, 0 to 1.
    """

    value: str | None
    box: Box
    corners: tuple[tuple[float, float], ...]
    visible: float


def value_of(picture: str) -> str:
    """What is read of a card's picture: copies of wizard and jester are all the same.

    >>> value_of("W3"), value_of("b13"), value_of("bomb")
    ('W', 'b13', 'bomb')
    """
    return picture[0] if picture[0] in "WJ" else picture


@dataclass(frozen=True)
class Gloss:
    """How a lamp mirrors in the cards: grey levels added in the middle, and how wide (mm)."""

    strength: float
    width_mm: float


class CardTable(Tabletop):
    """Draws scenes on a table with cards, with a lamp and a camera up to 35 degrees off the vertical.

    Args:
        seed: chooses table, lamp, camera and people; the same seed gives the same pictures.
        size: width and height of the pictures in px.

    >>> CardTable(3, (320, 240)).draw(Scene(cards=(Card("b7", 0, 0, 20),)), 0).shape
    (240, 320, 3)
    """

    def __init__(self, seed: int, size: tuple[int, int] = (960, 720)) -> None:
        rng = np.random.default_rng([seed, 21])
        look = _choose_look(rng, size)
        self.gloss = Gloss(float(rng.uniform(30, 170)), float(rng.uniform(14, 32))) if rng.random() < 0.4 else None
        super().__init__(seed, size, look, rng, max(REACH_MM))
        self._scale = look.camera.focal_px / float(np.linalg.norm(look.camera.position_mm)) * 1.15

    def things(self, scene: Scene) -> Image:
        """A fresh picture of the lit table with its cards, without hands (BGR)."""
        out = self._lit_table(scene.lamp)
        for i, card in enumerate(scene.cards):
            self._draw_card(out, card, self._height(scene, i), scene.lamp)
        return out

    def truth(self, scene: Scene) -> tuple[CardTruth, ...]:
        """What the picture of a scene shows of each card in it, in the scene's order; carried cards are left out."""
        w, h = self.size
        owner = np.zeros((h, w), np.uint8)
        outlines = [self._outline(card, self._height(scene, i)) for i, card in enumerate(scene.cards)]
        for i, outline in enumerate(outlines, 1):
            cv2.fillPoly(owner, [np.rint(outline).astype(np.int32).reshape(-1, 1, 2)], i)
        for hand in scene.hands:
            layer = self.hand_layer(hand)
            if layer is not None:
                (x, y, bw, bh), picture = layer
                owner[y : y + bh, x : x + bw][picture[..., 3] > 127] = 0
        found = []
        for i, (card, outline) in enumerate(zip(scene.cards, outlines, strict=True), 1):
            seen = np.argwhere(owner == i)
            if card.z_mm > 0 or not len(seen):
                continue
            area = float(cv2.contourArea(outline.astype(np.float32)))
            (y0, x0), (y1, x1) = seen.min(axis=0), seen.max(axis=0)
            found.append(
                CardTruth(
                    value_of(card.picture) if card.face_up else None,
                    (int(x0), int(y0), int(x1 - x0 + 1), int(y1 - y0 + 1)),
                    tuple((float(x), float(y)) for x, y in outline),
                    min(len(seen) / area, 1.0),
                )
            )
        return tuple(found)

    def _height(self, scene: Scene, i: int) -> float:
        """Of a card's face over the table: it lies on those before it that it touches."""
        card = scene.cards[i]
        if card.z_mm > 0:
            return card.z_mm
        reach = math.hypot(deck.WIDTH_MM, deck.HEIGHT_MM)
        below = sum(
            other.z_mm == 0 and math.hypot(other.x_mm - card.x_mm, other.y_mm - card.y_mm) < reach
            for other in scene.cards[:i]
        )
        return THICK_MM * (1 + min(below, 6))

    def _place(self, card: Card, points: Array) -> Array:
        """Points of a card's frame (n x 2 mm: right, to its head) in the table frame."""
        a = math.radians(card.spin_deg)
        turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        return np.asarray(points @ turn.T + (card.x_mm, card.y_mm))

    def _outline(self, card: Card, z: float, more_mm: float = 0.0) -> Array:
        corners = np.array(_CORNERS) * (deck.WIDTH_MM + 2 * more_mm, deck.HEIGHT_MM + 2 * more_mm)
        flat = self._place(card, corners)
        return self.camera.project(np.hstack([flat, np.full((4, 1), z)]))

    def _draw_card(self, out: Image, card: Card, z: float, lamp: bool) -> None:
        flat = self._place(card, np.array(_CORNERS) * (deck.WIDTH_MM, deck.HEIGHT_MM))
        ground = 0.0 if card.z_mm > 0 else z - THICK_MM
        fallen = self._lamp(lamp).shadow(np.hstack([flat, np.full((4, 1), z)]), ground)
        self._darken(out, self.camera.project(fallen), 0.8)
        box = self.camera.box(np.hstack([flat, np.full((4, 1), z)]))
        if box is None:
            return
        light = self._light_at((card.x_mm, card.y_mm), lamp)
        b, g, r = (min(c * f, 255.0) for c, f in zip(CUT_EDGE, light, strict=True))
        fill(out, [Face(self._outline(card, z - THICK_MM / 2, RIM_MM), (b, g, r))])
        face = _picture(card.picture if card.face_up else "back", round(self._scale, 2))
        px, py = self.camera.plane(z, box)
        a = math.radians(card.spin_deg)
        c, s = np.float32(math.cos(a)), np.float32(math.sin(a))
        px -= np.float32(card.x_mm)
        py -= np.float32(card.y_mm)
        k = np.float32(face.shape[1] / deck.WIDTH_MM)
        right, up = (px * c + py * s) * k, (py * c - px * s) * k
        h, w = face.shape[:2]
        across, down = right + np.float32((w - 1) / 2), np.float32((h - 1) / 2) - up
        got = np.asarray(cv2.remap(face, across, down, cv2.INTER_LINEAR), np.uint8)  # transparent outside
        if self.gloss is not None:
            self._blend_glossy(out, box, got, z, lamp)
        else:
            self._blend(out, box, got, lamp)

    def _blend_glossy(self, out: Image, box: Box, got: Image, z: float, lamp: bool) -> None:
        """Lay a card whose varnish mirrors the lamp."""
        assert self.gloss is not None
        x, y = mirror_at(self.camera, self._lamp(lamp), z)
        px, py = self.camera.plane(z, box)
        away = ((px - np.float32(x)) ** 2 + (py - np.float32(y)) ** 2) / np.float32(2 * self.gloss.width_mm**2)
        bright = np.float32(self.gloss.strength) * np.exp(-away) * (got[..., 3] / np.float32(255))
        self._blend(out, box, got, lamp)
        bx, by, bw, bh = box
        part = out[by : by + bh, bx : bx + bw]
        part[:] = np.clip(part + bright[..., None], 0, 255).astype(np.uint8)


def lay_grid(pictures: Sequence[str], columns: int = 4) -> tuple[Card, ...]:
    """Cards laid in rows around the middle of the table, in reading order, a finger's width apart."""
    rows = math.ceil(len(pictures) / columns)
    return tuple(
        Card(name, ((i % columns) - (columns - 1) / 2) * PITCH_MM[0], ((rows - 1) / 2 - i // columns) * PITCH_MM[1])
        for i, name in enumerate(pictures)
    )


def enrol(table: CardTable, profile: Path, pages: Sequence[Sequence[str]]) -> None:
    """Enrol the deck in a profile from the table's own pictures, by the real calibration.

    Args:
        table: whose camera looks.
        profile: the folder to write.
        pages: which cards are laid at once, such as ``deck.PAGES``.

    Raises:
        CalibrationError: the cards are not all found.
    """
    from calibration.cards import Labelled, save_cards
    from calibration.cards import enrol as learn

    gloss, table.gloss = table.gloss, None  # people turn the lamp so that it does not mirror in the cards
    shown = [
        Labelled(table.draw(Scene(cards=lay_grid(page)), i * 40), tuple(map(value_of, page)), where=f"page {i + 1}")
        for i, page in enumerate(pages)
    ]
    table.gloss = gloss
    save_cards(profile, learn(shown, (deck.WIDTH_MM, deck.HEIGHT_MM)))


def mirror_at(camera: Camera, lamp: Lamp, z_mm: float) -> tuple[float, float]:
    """Where (mm) the camera sees the lamp mirrored in a level plane."""
    lx, ly, lz = lamp.position_mm
    cx, cy, cz = camera.position_mm
    share = (cz - z_mm) / ((cz - z_mm) + (lz - z_mm))
    return float(cx + (lx - cx) * share), float(cy + (ly - cy) * share)


@lru_cache(maxsize=140)
def _picture(name: str, px_per_mm: float) -> Image:
    """A card's face or the back as the simulator needs it (BGRA)."""
    picture = deck.draw_back(px_per_mm) if name == "back" else deck.draw_card(name, px_per_mm)
    return np.ascontiguousarray(cv2.cvtColor(np.asarray(picture), cv2.COLOR_RGBA2BGRA))


def _choose_look(rng: np.random.Generator, size: tuple[int, int]) -> Look:
    """A table, lamp and camera by chance: more often cloth than wood, light from warm to cold, bright or dim."""
    surface: paint.Surface = ("cloth", "cloth", "pattern", "wood")[int(rng.integers(4))]
    warm = float(rng.uniform(-0.16, 0.28))
    colour = (1 - warm, 1.0, 1 + warm * 0.6)
    first = Lamp(
        (float(rng.uniform(-600, 600)), float(rng.uniform(-400, 600)), float(rng.uniform(700, 1500))),
        colour,
        float(rng.uniform(1.5, 9.0)),
    )
    second = replace(first, colour=(colour[0] * 0.88, colour[1] * 0.97, colour[2] * 1.03))
    dim = rng.random() < 0.25
    return Look(
        surface=surface,
        clutter=bool(rng.random() < 0.5),
        lamps=(first, second),
        exposure=float(rng.uniform(0.38, 0.6) if dim else rng.uniform(0.75, 1.04)),
        noise=float(rng.uniform(2.5, 5.0) if dim else rng.uniform(1.2, 3.2)),
        blur=float(rng.uniform(0.45, 0.9)),
        camera=_choose_camera(rng, size),
    )


def _choose_camera(rng: np.random.Generator, size: tuple[int, int]) -> Camera:
    focal = float(rng.uniform(1.05, 1.35)) * size[0]
    angles = np.arange(24) * math.pi / 12
    rim = np.stack([REACH_MM[0] * np.cos(angles), REACH_MM[1] * np.sin(angles), np.zeros(24)], axis=1)
    k1 = float(rng.uniform(-0.13, 0.05))
    tilt, azimuth = float(rng.triangular(0, 12, 35)), float(rng.normal(-90, 50))
    roll, target = float(np.clip(rng.normal(0, 6), -15, 15)), (float(rng.normal(0, 10)), float(rng.normal(0, 10)))
    distance = focal * 2 * REACH_MM[0] / (float(rng.uniform(0.84, 0.92)) * size[0])
    while True:
        camera = look_at(size, distance, tilt, azimuth, roll, target, focal, k1)
        seen = camera.project(rim)
        if (seen > 4).all() and (seen < np.asarray(size) - 4).all():
            return camera
        distance *= 1.03
