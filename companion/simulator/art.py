"""The printed things: a round board for any layout, and the faces of toppings. Own designs."""

from __future__ import annotations

import math

import cv2
import numpy as np

from companion.layout import BoardLayout
from companion.simulator.paint import Floats, Image, mix, noise, soft_step, tint

ARTS = 3  # pictures of each colour
FACE = {"red": (40, 48, 190), "green": (48, 134, 58), "white": (222, 226, 230)}
RIM = {"red": (176, 206, 228), "green": (170, 204, 224), "white": (196, 214, 228)}
CARDBOARD = (96, 136, 172)


def board(rng: np.random.Generator, layout: BoardLayout, px_per_mm: float) -> Image:
    """The board's picture (BGRA, square, its centre in the middle), x to the right and y up as in the layout.

    Crust, sauce and cheese differ from third to third, so that a turn can be seen; spaces are pale, start spaces
    carry an X, lines are drawn with their numbers at the side they start from.

    Args:
        rng: the source of chance for crust, sauce and cheese.
        layout: any board.
        px_per_mm: scale of the picture.
    """
    k = px_per_mm * 2  # drawn at twice the scale and brought down, which smooths the print
    n = round(layout.board_diameter_mm * k) + 8
    radius = layout.board_diameter_mm * k / 2
    y, x = np.indices((n, n), dtype=np.float32) - np.float32((n - 1) / 2)
    away = np.hypot(x, y) / np.float32(radius)
    wobble = noise(rng, (n, n), (6, 6), 2) * np.float32(0.012)

    crust = tint((74, 150, 214), noise(rng, (n, n), (9, 9), 4) * np.float32(0.13))
    crust = mix(crust, (30, 62, 104), soft_step(noise(rng, (n, n), (14, 14), 3), 0.85, 0.25) * np.float32(0.8))
    crust = mix(crust, (38, 84, 142), soft_step(np.abs(away - np.float32(0.93)), 0.055, 0.05) * np.float32(0.55))
    inside = soft_step(-(away + wobble), -0.845, 0.012)
    out = mix(crust, tint((36, 44, 186), noise(rng, (n, n), (20, 20), 3) * np.float32(0.12)), inside)
    cheese = soft_step(noise(rng, (n, n), (7, 7), 3), -0.38, 0.22) * soft_step(-(away + wobble), -0.81, 0.012)
    out = mix(out, tint((92, 190, 236), noise(rng, (n, n), (16, 16), 4) * np.float32(0.1)), cheese)

    _lines(out, layout, k)
    _spaces(out, layout, k, rng)
    _numbers(out, layout, k)
    alpha = soft_step(-away, -1.0, 2 / radius)
    bgra = np.dstack([np.clip(out, 0, 255), alpha * 255]).astype(np.uint8)
    return np.asarray(cv2.resize(bgra, (n // 2, n // 2), interpolation=cv2.INTER_AREA), np.uint8)


def _at(n: int, k: float, x_mm: float, y_mm: float) -> tuple[float, float]:
    return (n - 1) / 2 + x_mm * k, (n - 1) / 2 - y_mm * k


def _fixed(*points: tuple[float, float]) -> list[tuple[int, int]]:
    return [(round(x * 16), round(y * 16)) for x, y in points]


def _lines(out: Floats, layout: BoardLayout, k: float) -> None:
    limit = layout.board_diameter_mm * 0.435
    for line in layout.lines:
        near, far = np.asarray(line.near_mm), np.asarray(line.far_mm)
        along = (far - near) / np.linalg.norm(far - near)
        middle = near - along * (near @ along)
        reach = math.sqrt(max(limit**2 - float(middle @ middle), 0.0))
        a, b = _fixed(*(_at(len(out), k, *(middle + along * s)) for s in (-reach, reach)))
        cv2.line(out, a, b, (34, 50, 78), max(round(0.9 * k), 1), cv2.LINE_AA, 4)


def _spaces(out: Floats, layout: BoardLayout, k: float, rng: np.random.Generator) -> None:
    radius = min(layout.topping_diameter_mm * 0.54, layout.pitch_mm * 0.46) * k
    start = {s for ids in layout.start_spaces.values() for s in ids}
    blush = noise(rng, out.shape[:2], (18, 18), 3)
    for space in layout.spaces.values():
        c = _at(len(out), k, space.x_mm, space.y_mm)
        (centre,) = _fixed(c)
        x0, y0, r = round(c[0] - radius) - 2, round(c[1] - radius) - 2, 2 * round(radius) + 5
        patch = out[y0 : y0 + r, x0 : x0 + r]
        disk = np.zeros(patch.shape[:2], np.float32)
        cv2.circle(disk, (centre[0] - x0 * 16, centre[1] - y0 * 16), round(radius * 16), 1.0, -1, cv2.LINE_AA, 4)
        pale = mix(
            tint((186, 222, 238), blush[y0 : y0 + r, x0 : x0 + r] * np.float32(0.03)),
            (158, 186, 232),
            soft_step(blush[y0 : y0 + r, x0 : x0 + r], 0.55, 0.3) * np.float32(0.6),
        )
        patch[:] = mix(patch, pale, disk)
        cv2.circle(out, centre, round(radius * 16), (40, 62, 96), max(round(0.5 * k), 1), cv2.LINE_AA, 4)
        if space.id in start:
            arm = radius * 0.38
            for dx, dy in ((arm, arm), (arm, -arm)):
                a, b = _fixed((c[0] - dx, c[1] - dy), (c[0] + dx, c[1] + dy))
                cv2.line(out, a, b, (30, 34, 126), max(round(1.6 * k), 1), cv2.LINE_AA, 4)


def _numbers(out: Floats, layout: BoardLayout, k: float) -> None:
    radius = layout.board_diameter_mm / 2
    for line in layout.lines:
        near, far = np.asarray(line.near_mm), np.asarray(line.far_mm)
        along = (far - near) / np.linalg.norm(far - near)
        middle = near - along * (near @ along)
        x, y = middle - along * math.sqrt(max((radius * 0.9) ** 2 - float(middle @ middle), 0.0))
        _write(out, str(line.number), k, (x, y), layout.side_angles_deg[line.side], 6.0, (34, 40, 52))
    for side, word in zip(layout.sides, ("1st", "2nd", "3rd"), strict=True):
        angle = math.radians(layout.side_angles_deg[side])
        at = (radius * 0.93 * math.cos(angle), radius * 0.93 * math.sin(angle))
        _write(out, word, k, at, layout.side_angles_deg[side], 7.0, (40, 44, 138))
        _arrow(out, k, layout.side_angles_deg[side] + 60, radius * 0.935)


def _write(
    out: Floats,
    text: str,
    k: float,
    at_mm: tuple[float, float],
    outward_deg: float,
    height_mm: float,
    colour: tuple[int, int, int],
) -> None:
    """Write a text whose foot points outward, as somebody at that side reads it."""
    face, scale, thick = cv2.FONT_HERSHEY_DUPLEX, height_mm * k / 21, max(round(0.9 * k), 1)
    (w, h), _ = cv2.getTextSize(text, face, scale, thick)
    half = int(max(w, h)) // 2 + 2 * thick + 4
    stamp = np.zeros((2 * half, 2 * half), np.uint8)
    cv2.putText(stamp, text, (half - w // 2, half + h // 2), face, scale, 255, thick, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((half - 0.5, half - 0.5), outward_deg + 90, 1.0)
    alpha = cv2.warpAffine(stamp, turn, (2 * half, 2 * half)).astype(np.float32) / 255
    cx, cy = (round(v) for v in _at(len(out), k, *at_mm))
    patch = out[cy - half : cy + half, cx - half : cx + half]
    patch[:] = mix(patch, colour, alpha[: patch.shape[0], : patch.shape[1]])


def _arrow(out: Floats, k: float, middle_deg: float, radius_mm: float) -> None:
    """An arrow along the crust that shows the way the board turns: clockwise."""
    angles = [math.radians(middle_deg + d) for d in np.linspace(9, -5, 12)]
    shaft = [_at(len(out), k, radius_mm * math.cos(a), radius_mm * math.sin(a)) for a in angles]
    cv2.polylines(out, [np.array(_fixed(*shaft))], False, (232, 240, 244), max(round(2.6 * k), 1), cv2.LINE_AA, 4)
    head = [(radius_mm + s, math.radians(middle_deg + d)) for s, d in ((6.0, -4.0), (-6.0, -4.0), (0.0, -10.0))]
    tip = [_at(len(out), k, r * math.cos(a), r * math.sin(a)) for r, a in head]
    cv2.fillConvexPoly(out, np.array(_fixed(*tip)), (232, 240, 244), cv2.LINE_AA, 4)


def topping(rng: np.random.Generator, colour: str, art: int, diameter_mm: float, px_per_mm: float) -> Image:
    """A topping's face (BGRA, square).

    Args:
        rng: the source of chance for seeds, rings and specks.
        colour: "red" (salami, tomato, paprika), "green" (olives, pepper, herbs) or "white" (mozzarella, onion,
            mushroom).
        art: 0 to ``ARTS`` - 1, which of them.
        diameter_mm: of the topping.
        px_per_mm: scale of the picture.
    """
    k = px_per_mm * 3
    n = round(diameter_mm * k) + 6
    r = diameter_mm * k / 2
    out = tint(FACE[colour], noise(rng, (n, n), (5, 5), 3) * np.float32(0.06))
    c = (n - 1) / 2

    def dot(x: float, y: float, radius: float, paint: tuple[int, int, int], ring: float = 0.0) -> None:
        (at,) = _fixed((c + x * r, c + y * r))
        thick = -1 if ring == 0 else max(round(ring * r), 1)
        cv2.circle(out, at, round(radius * r * 16), paint, thick, cv2.LINE_AA, 4)

    def leaf(angle: float, distance: float, long: float, wide: float, paint: tuple[int, int, int]) -> None:
        at = (round(c + math.cos(angle) * distance * r), round(c + math.sin(angle) * distance * r))
        axes = (max(round(long * r), 1), max(round(wide * r), 1))
        cv2.ellipse(out, at, axes, math.degrees(angle), 0, 360, paint, -1, cv2.LINE_AA)

    def scatter(count: int, paint: tuple[int, int, int], radius: float) -> None:
        for _ in range(count):
            a, d = rng.uniform(0, 2 * math.pi), math.sqrt(rng.uniform(0, 0.66))
            dot(d * math.cos(a), d * math.sin(a), radius * rng.uniform(0.6, 1.3), paint)

    if (colour, art) == ("red", 0):  # salami
        dot(0, 0, 0.9, (34, 32, 150))
        scatter(34, (104, 118, 206), 0.05)
        scatter(10, (28, 24, 108), 0.1)
    elif (colour, art) == ("red", 1):  # tomato
        dot(0, 0, 0.86, (48, 62, 214))
        for i in range(6):
            leaf(i * math.pi / 3, 0.5, 0.24, 0.13, (60, 132, 232))
        dot(0, 0, 0.12, (70, 96, 226))
    elif colour == "red":  # paprika
        for _ in range(9):
            leaf(rng.uniform(0, 6.3), rng.uniform(0.1, 0.6), 0.26, 0.06, (66, 84, 222))
    elif (colour, art) == ("green", 0):  # olives
        for i in range(6):
            a = i * math.pi / 3
            d = 0.0 if i == 5 else 0.55
            dot(d * math.cos(a), d * math.sin(a), 0.2, (44, 118, 104))
            dot(d * math.cos(a), d * math.sin(a), 0.08, (36, 66, 40))
    elif (colour, art) == ("green", 1):  # pepper
        for i in range(4):
            leaf(i * math.pi / 2 + 0.4, 0.4, 0.44, 0.34, (62, 160, 74))
        for i in range(4):
            leaf(i * math.pi / 2 + 0.4, 0.32, 0.3, 0.2, (44, 118, 50))
        scatter(6, (118, 196, 170), 0.05)
    elif colour == "green":  # herbs
        for _ in range(14):
            leaf(rng.uniform(0, 6.3), rng.uniform(0.05, 0.7), 0.2, 0.07, (66, 158, 76))
    elif art == 0:  # mozzarella
        for a in (0.4, 2.3, 4.4):
            dot(0.42 * math.cos(a), 0.42 * math.sin(a), 0.38, (236, 240, 242))
            dot(0.42 * math.cos(a), 0.42 * math.sin(a), 0.38, (196, 206, 210), 0.04)
    elif art == 1:  # onion
        for a in (0.9, 3.0, 5.2):
            for radius in (0.4, 0.3, 0.2, 0.1):
                dot(0.4 * math.cos(a), 0.4 * math.sin(a), radius, (208, 190, 198), 0.035)
    else:  # mushroom
        for a in (0.2, 2.4, 4.3):
            leaf(a, 0.42, 0.32, 0.24, (204, 212, 218))
            leaf(a, 0.42, 0.24, 0.16, (228, 232, 234))
            leaf(a, 0.2, 0.18, 0.07, (166, 184, 198))
    y, x = np.indices((n, n), dtype=np.float32) - np.float32(c)
    away = np.hypot(x, y) / np.float32(r)
    out = mix(out, RIM[colour], soft_step(away, 0.95, 0.05))
    bgra = np.dstack([np.clip(out, 0, 255), soft_step(-away, -1.0, 2 / r) * 255]).astype(np.uint8)
    return np.asarray(cv2.resize(bgra, (n // 3, n // 3), interpolation=cv2.INTER_AREA), np.uint8)
