"""Our own deck: 60 cards and five special ones, drawn by code, for the simulated table and for printing.

Every colour has its own emblem, so that it is told without seeing colours: a drop (blue), a star (red), the moon
(yellow), a leaf (green). 6 and 9 are underlined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PIL import Image, ImageDraw

WIDTH_MM, HEIGHT_MM = 59.0, 91.0
CORNER_MM = 3.5
SPECIALS = ("bomb", "cloud", "juggler", "dragon", "fairy")
DECK = tuple(
    [f"{colour}{value}" for colour in "bryg" for value in range(1, 14)]
    + [f"{card}{copy}" for card in "WJ" for copy in range(1, 5)]
)
"""The 60 pictures; the copies of wizard and jester ("W1" to "W4") bear the emblems of the four colours."""
PAGES = (
    *(tuple(f"{colour}{value}" for value in range(1, 13)) for colour in "bryg"),
    ("b13", "r13", "y13", "g13", "W1", "W2", "W3", "W4", "J1", "J2", "J3", "J4"),
    SPECIALS,
)
"""What is laid under the camera at once to enrol the deck: rows of four."""

Ink = tuple[int, int, int]
Point = tuple[float, float]
INK: dict[str, Ink] = {
    "b": (28, 78, 160),
    "r": (196, 32, 44),
    "y": (214, 148, 0),
    "g": (28, 126, 62),
    "W": (84, 44, 124),
    "J": (62, 66, 74),
    "special": (24, 24, 28),
}
PAPER, BACK, BACK_LINE = (250, 249, 245), (58, 52, 112), (196, 186, 226)
_SMOOTH = 4  # times the size at which things are drawn before they are brought down


def _arc(x: float, y: float, rx: float, ry: float, start: float, end: float) -> list[Point]:
    """Points of an ellipse's arc, degrees clockwise from the right."""
    return [
        (x + rx * math.cos(math.radians(a)), y + ry * math.sin(math.radians(a)))
        for a in (start + (end - start) * i / 24 for i in range(25))
    ]


# Strokes of each sign on a field 4 wide and 6 high.
_SIGNS: dict[str, list[list[Point]]] = {
    "0": [_arc(2, 3, 1.7, 2.8, 0, 360)],
    "1": [[(0.7, 1.6), (2.3, 0.2), (2.3, 5.8)], [(0.9, 5.8), (3.6, 5.8)]],
    "2": [[*_arc(2, 1.9, 1.7, 1.7, -170, 30), (0.3, 5.8), (3.8, 5.8)]],
    "3": [[*_arc(1.8, 1.65, 1.6, 1.45, -150, 80), (1.4, 3.0)], [(1.4, 3.0), *_arc(1.9, 4.35, 1.8, 1.45, -80, 150)]],
    "4": [[(2.9, 5.8), (2.9, 0.2), (0.2, 4.2), (3.9, 4.2)]],
    "5": [[(3.5, 0.2), (0.7, 0.2), (0.5, 2.9), *_arc(1.9, 4.0, 1.8, 1.8, -130, 140)]],
    "6": [[*_arc(2.6, 2.8, 2.3, 2.6, -80, -180), *_arc(2, 4.05, 1.7, 1.75, -180, 180)], [(0.3, 6.9), (3.7, 6.9)]],
    "7": [[(0.3, 0.2), (3.7, 0.2), (1.5, 5.8)]],
    "8": [_arc(2, 1.6, 1.4, 1.4, 0, 360), _arc(2, 4.4, 1.75, 1.45, 0, 360)],
    "9": [[*_arc(1.4, 3.2, 2.3, 2.6, 100, 0), *_arc(2, 1.95, 1.7, 1.75, 0, 360)], [(0.3, 6.9), (3.7, 6.9)]],
    "W": [[(0.0, 0.2), (1.0, 5.8), (2.0, 1.8), (3.0, 5.8), (4.0, 0.2)]],
    "J": [[(1.6, 0.2), (3.6, 0.2)], [(2.9, 0.2), *_arc(1.7, 4.2, 1.2, 1.6, 0, 160)]],
    "B": [[(0.5, 0.2), *_arc(2.0, 1.6, 1.5, 1.4, -90, 90), (0.5, 3.0)], [(0.5, 0.2), (0.5, 5.8)],
          [(0.5, 3.0), *_arc(2.1, 4.4, 1.6, 1.4, -90, 90), (0.5, 5.8)]],
    "D": [[(0.5, 0.2), *_arc(1.3, 3.0, 2.4, 2.8, -90, 90), (0.5, 5.8), (0.5, 0.2)]],
    "F": [[(0.6, 5.8), (0.6, 0.2), (3.6, 0.2)], [(0.6, 2.9), (3.0, 2.9)]],
}  # fmt: skip
_FRACTIONS = {"cloud": ("9", "3", "4"), "juggler": ("7", "1", "2")}
_LETTERS = {"bomb": "B", "dragon": "D", "fairy": "F"}


def draw_card(card: str, px_per_mm: float) -> Image.Image:
    """A card's face (RGBA, its rounded corners transparent).

    Args:
        card: "b13", "W2" (a copy; "W" is the first), "J", or one of ``SPECIALS``.
        px_per_mm: scale of the picture.

    >>> draw_card("b13", 2.0).size
    (118, 182)
    """
    k = px_per_mm * _SMOOTH
    big = Image.new("RGB", (round(WIDTH_MM * k), round(HEIGHT_MM * k)), PAPER)
    pen = _Pen(ImageDraw.Draw(big), k)
    ink = INK["special"] if card in SPECIALS else INK[card[0]]
    middle = (WIDTH_MM / 2, HEIGHT_MM / 2)
    corners = [(8.2, 11.0), (WIDTH_MM - 8.2, 11.0)]
    for turned in (False, True):  # every card looks the same when it is turned by half a turn, but for its middle
        pen.turned = turned
        for corner in corners:
            _index(pen, card, corner, ink)
        pen.line([(15, 4.2), (WIDTH_MM - 15, 4.2)], 0.7, ink)
        pen.line([(3.6, 24), (3.6, HEIGHT_MM - 24)], 0.7, ink)
    pen.turned = False
    _MIDDLES.get(card, _MIDDLES.get(card[0], _colour_middle))(pen, card, middle, ink)
    return _rounded(big, px_per_mm)


def draw_back(px_per_mm: float) -> Image.Image:
    """The back of every card (RGBA): a lattice, the same when turned by half a turn."""
    k = px_per_mm * _SMOOTH
    big = Image.new("RGB", (round(WIDTH_MM * k), round(HEIGHT_MM * k)), PAPER)
    pen = _Pen(ImageDraw.Draw(big), k)
    pen.area([(4, 4), (WIDTH_MM - 4, 4), (WIDTH_MM - 4, HEIGHT_MM - 4), (4, HEIGHT_MM - 4)], BACK)
    width, height = WIDTH_MM - 8, HEIGHT_MM - 8
    for i in range(-12, 24):
        for slope in (1, -1):
            cut = _clip([(4 + x, 4 + x * slope + i * width / 6) for x in (0.0, width)], 4, 4 + height)
            if cut is not None:
                pen.line(cut, 0.8, BACK_LINE)
    return _rounded(big, px_per_mm)


def index_text(card: str) -> str:
    """What stands in a card's corners, for people.

    >>> index_text("b13"), index_text("W2"), index_text("cloud")
    ('13', 'W', '9 3/4')
    """
    if card in _FRACTIONS:
        whole, top, bottom = _FRACTIONS[card]
        return f"{whole} {top}/{bottom}"
    return _LETTERS.get(card) or (card[0] if card[0] in "WJ" else card[1:])


class _Pen:
    """Draws in mm on a big picture; ``turned`` by half a turn about the card's middle if set."""

    def __init__(self, draw: ImageDraw.ImageDraw, scale: float) -> None:
        self._draw, self._scale = draw, scale
        self.turned = False

    def _px(self, points: Sequence[Point]) -> list[Point]:
        if self.turned:
            points = [(WIDTH_MM - x, HEIGHT_MM - y) for x, y in points]
        return [(x * self._scale, y * self._scale) for x, y in points]

    def line(self, points: Sequence[Point], width_mm: float, ink: Ink) -> None:
        placed = self._px(points)
        self._draw.line(placed, fill=ink, width=max(round(width_mm * self._scale), 1), joint="curve")
        r = width_mm * self._scale / 2
        for x, y in (placed[0], placed[-1]):
            self._draw.ellipse((x - r, y - r, x + r, y + r), fill=ink)

    def area(self, points: Sequence[Point], ink: Ink) -> None:
        self._draw.polygon(self._px(points), fill=ink)

    def disk(self, at: Point, radius_mm: float, ink: Ink) -> None:
        self.area(_arc(*at, radius_mm, radius_mm, 0, 360), ink)

    def sign(self, sign: str, middle: Point, height_mm: float, width_mm: float, ink: Ink) -> None:
        """One sign, ``width_mm`` thick strokes."""
        s = height_mm / 6
        for stroke in _SIGNS[sign]:
            self.line([(middle[0] + (x - 2) * s, middle[1] + (y - 3) * s) for x, y in stroke], width_mm, ink)


def _index(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    x, y = at
    if card in _FRACTIONS:
        whole, top, bottom = _FRACTIONS[card]
        pen.sign(whole, (x - 2.2, y - 2.6), 7.4, 1.3, ink)
        pen.sign(top, (x + 2.0, y - 4.8), 3.2, 0.6, ink)
        pen.sign(bottom, (x + 3.4, y - 0.2), 3.2, 0.6, ink)
        pen.line([(x + 0.6, y - 1.0), (x + 4.6, y - 4.0)], 0.5, ink)
        return
    text = index_text(card)
    for i, sign in enumerate(text):
        away = (i - (len(text) - 1) / 2) * 5.6
        pen.sign(sign, (x + away, y - 2.6), 7.4, 1.3, ink)
    emblem = card[0] if card[0] in EMBLEMS else {"1": "b", "2": "r", "3": "y", "4": "g"}.get(card[1:2])
    if emblem is not None and card not in SPECIALS:
        EMBLEMS[emblem](pen, (x, y + 6.2), 2.7, INK[emblem])


def _drop(pen: _Pen, at: Point, r: float, ink: Ink) -> None:
    x, y = at
    round_part = _arc(x, y + r * 0.28, r * 0.72, r * 0.72, -25, 205)
    pen.area([(x, y - r), *round_part], ink)


def _star(pen: _Pen, at: Point, r: float, ink: Ink) -> None:
    tips = [(r if i % 2 == 0 else r * 0.44, math.radians(i * 36 - 90)) for i in range(10)]
    pen.area([(at[0] + d * math.cos(a), at[1] + d * math.sin(a)) for d, a in tips], ink)


def _moon(pen: _Pen, at: Point, r: float, ink: Ink) -> None:
    x, y = at
    outer = _arc(x, y, r, r, 55, 305)
    inner = _arc(x + r * 0.55, y, r * 0.85, r * 0.85, 272, 88)
    pen.area([*outer, *inner], ink)


def _leaf(pen: _Pen, at: Point, r: float, ink: Ink) -> None:
    x, y = at
    right = [(x + 0.62 * r * math.sin(math.pi * t / 20), y - r + 1.7 * r * t / 20) for t in range(21)]
    left = [(2 * x - px, py) for px, py in reversed(right)]
    pen.area([*right, *left], ink)
    pen.line([(x, y + 0.5 * r), (x, y + r * 1.02)], max(0.16 * r, 0.5), ink)
    pen.line([(x, y - 0.55 * r), (x, y + 0.4 * r)], max(0.08 * r, 0.35), PAPER)


EMBLEMS = {"b": _drop, "r": _star, "y": _moon, "g": _leaf}


def _colour_middle(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    """A big emblem, and the number on it."""
    EMBLEMS[card[0]](pen, at, 17.5, ink)
    text = index_text(card)
    x, y = at[0] - (4.2 if card[0] == "y" else 0), at[1] + (4.6 if card[0] == "b" else 1.0 if card[0] == "r" else 0)
    pen.disk((x, y), 7.4, PAPER)
    for i, sign in enumerate(text):
        pen.sign(sign, (x + (i - (len(text) - 1) / 2) * 5.2, y - 0.2), 7.0, 1.2, ink)


def _wizard(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    """A pointed hat with the copy's emblem."""
    x, y = at
    pen.area([(x - 3, y - 20), (x + 5, y - 14), (x + 11, y + 9), (x - 11, y + 9)], ink)
    pen.area(_arc(x, y + 10, 18, 4.2, 0, 360), ink)
    pen.line([(x - 10.5, y + 5.5), (x + 10.3, y + 5.5)], 1.4, PAPER)
    copy = (card[1:] or "1")[0]
    pen.disk((x, y - 3), 5.6, PAPER)
    EMBLEMS["bryg"[int(copy) - 1]](pen, (x, y - 3), 4.2, INK["bryg"[int(copy) - 1]])


def _jester(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    """A cap with three bells and the copy's emblem."""
    x, y = at
    for tip, lean in (((x - 16, y - 6), -6.0), ((x, y - 19), 0.0), ((x + 16, y - 6), 6.0)):
        pen.area([tip, (x + lean - 7, y + 6), (x + lean + 7, y + 6)], ink)
        pen.disk(tip, 2.6, ink)
        pen.disk(tip, 1.3, PAPER)
    pen.area([(x - 13, y + 6), (x + 13, y + 6), (x + 11, y + 13), (x - 11, y + 13)], ink)
    copy = (card[1:] or "1")[0]
    pen.disk((x, y + 3), 5.2, PAPER)
    EMBLEMS["bryg"[int(copy) - 1]](pen, (x, y + 3), 3.9, INK["bryg"[int(copy) - 1]])


def _bomb(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    x, y = at
    pen.disk((x - 2, y + 4), 13, ink)
    pen.disk((x - 7, y - 1), 2.4, PAPER)
    pen.line([(x + 7, y - 5), (x + 10, y - 9), *_arc(x + 13, y - 9, 3, 5, 180, 300)], 1.8, ink)
    _star(pen, (x + 16, y - 14), 5, INK["r"])


def _cloud(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    x, y = at
    for dx, dy, r in ((-10, 3, 7), (-3, -4, 9), (7, -1, 8), (12, 5, 6), (0, 5, 8)):
        pen.disk((x + dx, y + dy), r, (96, 128, 168))
    for dx in (-8, 0, 8):
        pen.line([(x + dx, y + 15), (x + dx - 2, y + 20)], 1.2, (96, 128, 168))


def _juggler(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    x, y = at
    for i, colour in enumerate("bryg"):
        a = math.radians(200 + i * 47)
        pen.disk((x + 15 * math.cos(a), y + 4 + 17 * math.sin(a)), 3.6, INK[colour])
    pen.disk((x, y + 2), 4.2, ink)
    pen.area([(x - 6, y + 18), (x + 6, y + 18), (x + 4, y + 7), (x - 4, y + 7)], ink)
    for side in (-1, 1):
        pen.line([(x + side * 4, y + 9), (x + side * 11, y + 11), (x + side * 14, y + 5)], 2.2, ink)


def _dragon(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    x, y = at
    red = (150, 20, 24)
    body = [*_arc(x - 3, y - 9, 8, 7, 190, 400), *_arc(x - 2, y + 7, 10, 9, -60, 170)]
    pen.line(body, 5.0, red)
    pen.area([(x - 16, y - 12), (x - 8, y - 16), (x - 8, y - 6)], red)
    for px, py in ((x + 4, y - 18), (x + 9, y - 8), (x + 11, y + 4), (x + 8, y + 15)):
        pen.area([(px, py - 3), (px + 6, py), (px, py + 3)], red)
    pen.disk((x - 10.5, y - 12.2), 1.1, PAPER)


def _fairy(pen: _Pen, card: str, at: Point, ink: Ink) -> None:
    x, y = at
    pink = (198, 70, 138)
    for side in (-1, 1):
        pen.area(_arc(x + side * 9, y - 5, 8, 9.5, 0, 360), pink)
        pen.area(_arc(x + side * 7, y + 9, 5.5, 6.5, 0, 360), pink)
    pen.line([(x, y - 10), (x, y + 14)], 3.0, ink)
    pen.disk((x, y - 13), 3.4, ink)
    _star(pen, (x + 17, y - 17), 4, INK["y"])


_MIDDLES = {
    "W": _wizard, "J": _jester, "bomb": _bomb, "cloud": _cloud, "juggler": _juggler, "dragon": _dragon,
    "fairy": _fairy,
}  # fmt: skip


def _clip(ends: list[Point], low: float, high: float) -> list[Point] | None:
    """The part of a line that lies between two heights."""
    (x0, y0), (x1, y1) = ends
    cuts = sorted((h - y0) / (y1 - y0) for h in (low, high))
    s, t = max(0.0, cuts[0]), min(1.0, cuts[1])
    return None if s >= t else [(x0 + (x1 - x0) * v, y0 + (y1 - y0) * v) for v in (s, t)]


def _rounded(big: Image.Image, px_per_mm: float) -> Image.Image:
    """Brought down to its size, with round corners."""
    size = (round(WIDTH_MM * px_per_mm), round(HEIGHT_MM * px_per_mm))
    mask = Image.new("L", big.size, 0)
    edge = (0, 0, big.size[0] - 1, big.size[1] - 1)
    ImageDraw.Draw(mask).rounded_rectangle(edge, CORNER_MM * px_per_mm * _SMOOTH, fill=255)
    out = big.resize(size, Image.Resampling.BOX)
    out.putalpha(mask.resize(size, Image.Resampling.BOX))
    return out


# -- printing --------------------------------------------------------------------------------------------------------

DPI = 300
A4_MM = (210.0, 297.0)
ACROSS, DOWN = 3, 3


def sheets(cards: Sequence[str]) -> list[Image.Image]:
    """A4 pages (RGB, 300 dpi) with cards of real size edge to edge, nine a page, and marks to cut along.

    Args:
        cards: their names as for :func:`draw_card`; "back" is the back.
    """
    scale = DPI / 25.4
    size = (round(A4_MM[0] * scale), round(A4_MM[1] * scale))
    left, top = ((a - n * c) / 2 for a, n, c in zip(A4_MM, (ACROSS, DOWN), (WIDTH_MM, HEIGHT_MM), strict=True))
    pages = []
    for start in range(0, len(cards), ACROSS * DOWN):
        page = Image.new("RGB", size, "white")
        draw = ImageDraw.Draw(page)
        for i, card in enumerate(cards[start : start + ACROSS * DOWN]):
            picture = draw_back(scale) if card == "back" else draw_card(card, scale)
            at = (left + i % ACROSS * WIDTH_MM, top + i // ACROSS * HEIGHT_MM)
            page.paste(picture, (round(at[0] * scale), round(at[1] * scale)), picture)
        for i in range(ACROSS + 1):
            x = round((left + i * WIDTH_MM) * scale)
            for a, b in ((top - 8, top - 2), (A4_MM[1] - top + 2, A4_MM[1] - top + 8)):
                draw.line((x, round(a * scale), x, round(b * scale)), fill="black", width=2)
        for i in range(DOWN + 1):
            y = round((top + i * HEIGHT_MM) * scale)
            for a, b in ((left - 10, left - 3), (A4_MM[0] - left + 3, A4_MM[0] - left + 10)):
                draw.line((round(a * scale), y, round(b * scale), y), fill="black", width=2)
        pages.append(page)
    return pages
