"""Small drawings of a board and of dice, told apart by shape alone: the display has one colour."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from PIL import Image, ImageDraw

from companion.screens.glyphs import CELL_WIDTH, draw_rows, draw_text, printable, text_width
from companion.screens.language import Translator
from companion.screens.view import (
    BoardPicture,
    CameraPicture,
    DicePicture,
    GridPicture,
    PlotPicture,
    QrPicture,
    T,
    Text,
)

BLINK_MS = 500
LEAST_DISK = 5  # px: in 4 a ring with a dot is a disk
DIE = 32  # the largest edge of a die, px

# Two letters, so that seven dice in a row of 128 px are legible from a metre; different in every language.
FACES: dict[str, Text] = {"blue": T("Bl"), "red": T("Re"), "yellow": T("Ye"), "green": T("Gr")}
# Faces that are no colour are shapes: a pointed hat, and a cap with three bells (polygons on the unit square).
SHAPES: dict[str, tuple[tuple[float, float], ...]] = {
    "wizard": ((0.62, 0.02), (0.74, 0.7), (1, 0.78), (0.85, 0.95), (0.15, 0.95), (0, 0.78), (0.26, 0.7)),
    "jester": (
        (0, 0.4), (0.32, 0.55), (0.5, 0.12), (0.68, 0.55), (1, 0.4), (0.82, 0.95), (0.18, 0.95),
    ),
}  # fmt: skip
BELLS = ((0.02, 0.38), (0.5, 0.1), (0.98, 0.38))
GRID_LETTER = 6  # px
GRID_GAP = 3
GRID_LABEL = 15
QUESTION_SMALL = ("##.", "..#", ".#.", "...", ".#.")
QUESTION = (".###.", "#...#", "...#.", "..#..", ".....", "..#..")
_PIPS = {1: "4", 2: "26", 3: "246", 4: "0268", 5: "02468", 6: "023568"}  # places in a 3 x 3 grid, row by row


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of the display, px."""

    x: int
    y: int
    width: int
    height: int

    def split_left(self, width: int, gap: int = 0) -> tuple[Area, Area]:
        """The left part of a width, and what remains right of a gap."""
        width = max(0, min(width, self.width))
        rest = max(0, self.width - width - gap)
        return Area(self.x, self.y, width, self.height), Area(self.x + self.width - rest, self.y, rest, self.height)

    def split_top(self, height: int, gap: int = 0) -> tuple[Area, Area]:
        """The upper part of a height, and what remains below a gap."""
        height = max(0, min(height, self.height))
        rest = max(0, self.height - height - gap)
        return Area(self.x, self.y, self.width, height), Area(self.x, self.y + self.height - rest, self.width, rest)

    def split_bottom(self, height: int) -> tuple[Area, Area]:
        """The lower part of a height, and what remains above it."""
        rest, lower = self.split_top(self.height - height)
        return lower, rest


def lit(t_ms: int) -> bool:
    """Whether blinking things are highlighted at a moment: half a second on, half a second off."""
    return t_ms // BLINK_MS % 2 == 0


def draw_board(image: Image.Image, area: Area, picture: BoardPicture, t_ms: int) -> list[str]:
    """Draw the board as large as the area allows, its spaces' middle in the area's middle.

    Red is a filled disk, green a ring with a dot, white a ring, an empty space a dot, an unknown one a question
    mark; a blinking space stands in a lit square. Sticks are lines, cut off at the area's edge.

    Returns:
        Problems: spaces too small to tell their shapes apart.
    """
    if not picture.marks:
        return []
    if min(area.width, area.height) < LEAST_DISK:
        return ["no room for the board"]
    left, right = (f(m.x for m in picture.marks) for f in (min, max))
    top, bottom = (f(m.y for m in picture.marks) for f in (min, max))
    pitch = _pitch(picture)
    reach = max(2 * picture.radius, pitch)
    scale = min(area.width / (right - left + reach), area.height / (bottom - top + reach))
    diameter = max(3, int(scale * pitch - 0.3))  # the largest that leaves a gap: shapes must differ from afar
    panel = Image.new("1", (area.width, area.height))

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            area.width / 2 + scale * (x - (left + right) / 2),
            area.height / 2 + scale * (y - (top + bottom) / 2),
        )

    draw = ImageDraw.Draw(panel)
    corners = [tuple(round(v - diameter / 2) for v in place(mark.x, mark.y)) for mark in picture.marks]
    highlighted = [mark.blink and lit(t_ms) for mark in picture.marks]
    for (x, y), on in zip(corners, highlighted, strict=True):
        if on:
            draw.rectangle((x - 1, y - 1, x + diameter, y + diameter), fill=1)
    for mark, (x, y), on in zip(picture.marks, corners, highlighted, strict=True):
        _draw_mark(panel, x, y, diameter, mark.state, int(not on))
    for x1, y1, x2, y2 in picture.sticks:
        draw.line([place(x1, y1), place(x2, y2)], fill=1, width=1 if diameter < 12 else 2)
    image.paste(panel, (area.x, area.y))
    return [f"spaces of {diameter} px are too small to tell apart"] if diameter < LEAST_DISK else []


def _pitch(picture: BoardPicture) -> float:
    """The smallest distance between two spaces' centres, units of the disk."""
    marks = picture.marks
    return min(
        (math.hypot(a.x - b.x, a.y - b.y) for i, a in enumerate(marks) for b in marks[:i]),
        default=2 * picture.radius,
    )


def _draw_mark(image: Image.Image, x: int, y: int, size: int, state: str | None, ink: int) -> None:
    draw = ImageDraw.Draw(image)
    disk = (x, y, x + size - 1, y + size - 1)
    dot = max(1, size // 4)
    dot += (size - dot) % 2  # in the true middle
    at = (size - dot) // 2
    centre = (x + at, y + at, x + at + dot - 1, y + at + dot - 1)
    if state == "red":
        draw.ellipse(disk, fill=ink)
    elif state == "white":
        draw.ellipse(disk, outline=ink)
    elif state == "green":
        draw.ellipse(disk, outline=ink)
        draw.rectangle(centre, fill=ink)
    elif state == "empty":
        middle_x, middle_y, more = x + size // 2, y + size // 2, size // 9
        draw.rectangle((middle_x, middle_y, middle_x + more, middle_y + more), fill=ink)
    else:
        rows = QUESTION_SMALL if size < 7 else QUESTION
        draw_rows(image, (x + (size - len(rows[0])) // 2, y + (size - len(rows)) // 2), rows, ink)


def draw_dice(image: Image.Image, area: Area, picture: DicePicture, translator: Translator, t_ms: int) -> list[str]:
    """Draw dice in as few rows as let them be largest; numbers as pips, known faces as two letters or a shape.

    Any other word is written out, None is "?".

    Returns:
        Problems: words that are cut, or no room at all.
    """
    count = len(picture.values)
    if not count:
        return []
    if area.height < 9 or area.width < 9 * count // 2:
        return ["no room for the dice"]
    words = ["" if value in SHAPES else _face(value, translator) for value in picture.values]
    known = all(isinstance(v, int) or v is None or v in FACES or v in SHAPES for v in picture.values)
    shape = 1.0 if known else 2.0
    rows = max(range(1, count + 1), key=lambda r: (_die_height(area, r, count, shape), -r))
    columns = math.ceil(count / rows)
    height = max(8, _die_height(area, rows, count, shape))
    wider = any(isinstance(v, str) for v in picture.values)
    width = min(area.width // columns - 1, round(height * shape) + 8 if wider else height)
    longest = max(len(word) for word in words)
    room = width - 3 if known else width  # a letter cell's last column is blank, and may lie on the border
    sizes = [s for s in (24, 20, 16, 14, 12) if s <= height + 2 and longest * CELL_WIDTH[s] <= room]
    problems = []
    for index, (value, word) in enumerate(zip(picture.values, words, strict=True)):
        row, column = divmod(index, columns)
        in_row = min(columns, count - row * columns)
        x = area.x + (area.width - in_row * (width + 1) + 1) // 2 + column * (width + 1)
        y = area.y + (area.height - rows * (height + 1) + 1) // 2 + row * (height + 1)
        on = index in picture.blink and lit(t_ms)
        die = Area(x, y, width, height)
        ImageDraw.Draw(image).rounded_rectangle(
            (x, y, x + width - 1, y + height - 1), radius=min(3, height // 5), outline=1, fill=int(on)
        )
        if isinstance(value, int) and value in _PIPS:
            _draw_pips(image, die, value, int(not on))
        elif value in SHAPES:
            draw_shape(image, die, str(value), int(not on))
        else:
            problems += _draw_word(image, die, word, sizes[0] if sizes else 12, int(not on))
    return problems


def draw_shape(image: Image.Image, area: Area, face: str, ink: int) -> None:
    """Draw a face that is no colour in the middle of an area."""
    size = min(area.width, area.height) - 4
    x, y = area.x + (area.width - size) // 2, area.y + (area.height - size) // 2
    draw = ImageDraw.Draw(image)
    draw.polygon([(x + round(px * (size - 1)), y + round(py * (size - 1))) for px, py in SHAPES[face]], fill=ink)
    bell = max(1, size // 10)
    for px, py in BELLS if face == "jester" else ():
        cx, cy = x + round(px * (size - 1)), y + round(py * (size - 1))
        draw.ellipse((cx - bell, cy - bell, cx + bell, cy + bell), fill=ink)
    if face == "jester":  # the band of the cap
        at = y + round(0.78 * (size - 1))
        draw.line((x + round(0.2 * size), at, x + round(0.8 * (size - 1)), at), fill=1 - ink)


def camera_size(area: Area, picture: CameraPicture) -> tuple[int, int]:
    """Width and height of a camera's picture drawn as large as the area allows, px."""
    scale = min(area.width / picture.width, area.height / picture.height)
    return max(1, round(picture.width * scale)), max(1, round(picture.height * scale))


def draw_camera(image: Image.Image, area: Area, picture: CameraPicture) -> list[str]:
    """Draw a camera's picture as large as the area allows: dithered, its outlines lit between dark edges.

    Returns:
        Problems: no room for it.
    """
    if min(area.width, area.height) < 16:
        return ["no room for the camera's picture"]
    size = camera_size(area, picture)
    grey = Image.frombytes("L", (picture.width, picture.height), picture.grey)
    panel = grey.resize(size, Image.Resampling.BOX).convert("1")
    draw = ImageDraw.Draw(panel)
    for ink, width in ((0, 3), (1, 1)):
        for outline in picture.outlines:
            points = [(x * (size[0] - 1), y * (size[1] - 1)) for x, y in (*outline, *outline[:1])]
            draw.line(points, fill=ink, width=width)
    image.paste(panel, (area.x + (area.width - size[0]) // 2, area.y + (area.height - size[1]) // 2))
    return []


def draw_qr(image: Image.Image, area: Area, picture: QrPicture) -> list[str]:
    """Draw a square code as large as whole pixels allow, dark on lit, with as much lit margin as there is.

    Returns:
        Problems: modules of one pixel, which no phone reads off a small display.
    """
    count = len(picture.rows)
    scale = min(area.width, area.height) // (count + 2) or 1
    draw = ImageDraw.Draw(image)
    draw.rectangle((area.x, area.y, area.x + area.width - 1, area.y + area.height - 1), fill=1)
    left, top = area.x + (area.width - count * scale) // 2, area.y + (area.height - count * scale) // 2
    for row, modules in enumerate(picture.rows):
        for column, module in enumerate(modules):
            if module == "1":
                x, y = left + column * scale, top + row * scale
                draw.rectangle((x, y, x + scale - 1, y + scale - 1), fill=0)
    return ["no room for the square code"] if scale < 2 else []


def grid_width(picture: GridPicture) -> int:
    """How wide a table is, px."""
    longest = max((len(entry) for row in picture.rows for entry in row), default=0)
    return GRID_LABEL + max(map(len, picture.rows), default=0) * (GRID_LETTER * max(longest, 2) + GRID_GAP)


def draw_grid(image: Image.Image, area: Area, picture: GridPicture, translator: Translator, t_ms: int) -> list[str]:
    """Draw a table as high as the area; digits are thin, other entries bold.

    Returns:
        Problems: rows too close to each other, or entries beyond the area.
    """
    rows, columns = len(picture.rows), max(map(len, picture.rows), default=0)
    if not columns:
        return []
    pitch = min(24, area.height // rows)
    if pitch < 9 or grid_width(picture) > area.width:
        return [f"no room for {rows} rows in {area.width}x{area.height}"]
    width = (area.width - GRID_LABEL) // columns
    top = area.y + (area.height - pitch * rows) // 2
    for r, (label, entries) in enumerate(zip(picture.labels, picture.rows, strict=True)):
        y = top + r * pitch
        if label in SHAPES:
            draw_shape(image, Area(area.x - 1, y - 1, GRID_LABEL, pitch + 3), label, 1)
        else:
            _draw_word(image, Area(area.x, y, GRID_LABEL - 2, pitch), _face(label, translator), 12, 1)
        for c, entry in enumerate(entries):
            cell = Area(area.x + GRID_LABEL + c * width, y, width - 1, pitch)
            on = (r, c) in picture.blink and lit(t_ms)
            if on:
                ImageDraw.Draw(image).rectangle((cell.x, y, cell.x + width - 2, y + pitch - 1), fill=1)
            x = cell.x + (cell.width - text_width(entry, 12) + 1) // 2
            draw_text(image, (x, y + (pitch - 12) // 2), entry, 12, bold=not entry.isdecimal(), ink=int(not on))
    return []


def draw_plot(image: Image.Image, area: Area, picture: PlotPicture) -> list[str]:
    """Draw curves over an axis with the highest and lowest value at its left; zero is a dotted line.

    Returns:
        Problems: no room.
    """
    values = [value for curve in picture.curves for value in curve]
    if not values:
        return []
    high, low = max(0, *values), min(0, *values)
    label = max(text_width(str(value), 12) for value in (high, low)) + 2
    if area.width - label < 24 or area.height < 24:
        return [f"no room for a plot in {area.width}x{area.height}"]
    plot = Area(area.x + label, area.y + 1, area.width - label - 1, area.height - 2)
    steps = max(1, max(map(len, picture.curves)) - 1)
    draw = ImageDraw.Draw(image)

    def place(step: int, value: int) -> tuple[int, int]:
        y = plot.y + (plot.height - 1) * (high - value) / max(1, high - low)
        return plot.x + round((plot.width - 1) * step / steps), round(y)

    draw_text(image, (area.x, area.y - 1), str(high), 12, bold=False)
    if high > low:
        draw_text(image, (area.x, area.y + area.height - 11), str(low), 12, bold=False)
    zero = place(0, 0)[1]
    for x in range(plot.x, plot.x + plot.width, 4):
        draw.point((x, zero), fill=1)
    for index, curve in enumerate(picture.curves):
        points = [place(step, value) for step, value in enumerate(curve)]
        if index == picture.bold:
            draw.line(points, fill=1, width=2)
            x, y = points[-1]
            draw.rectangle((x - 2, y - 2, x, y + 2), fill=1)
        else:
            _draw_dotted(draw, points)
    return []


def _draw_dotted(draw: ImageDraw.ImageDraw, points: list[tuple[int, int]]) -> None:
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        steps = max(abs(x2 - x1), abs(y2 - y1), 1)
        for i in range(0, steps, 3):
            draw.point((x1 + round((x2 - x1) * i / steps), y1 + round((y2 - y1) * i / steps)), fill=1)


def _die_height(area: Area, rows: int, count: int, shape: float) -> int:
    columns = math.ceil(count / rows)
    return min(DIE, area.height // rows - 1, int((area.width // columns - 1) / (shape if shape == 1 else 1.6)))


def _face(value: int | str | None, translator: Translator) -> str:
    if value is None:
        return "?"
    text = FACES.get(str(value))
    return printable(translator.translate(text) if text else str(value))


def _draw_word(image: Image.Image, die: Area, word: str, size: int, ink: int) -> list[str]:
    shown = word[: max(1, die.width // CELL_WIDTH[size])]
    x = die.x + (die.width - text_width(shown, size) + 1) // 2
    draw_text(image, (x, die.y + (die.height - size) // 2), shown, size, bold=True, ink=ink)
    return [] if shown == word else [f"die {word!r} is cut"]


def _draw_pips(image: Image.Image, die: Area, value: int, ink: int) -> None:
    draw = ImageDraw.Draw(image)
    pip = max(2, round(die.height / 6))
    step = (die.height - 2 - 3 * pip) // 4 + pip
    first_x = die.x + (die.width - 2 * step - pip) // 2
    first_y = die.y + (die.height - 2 * step - pip) // 2
    for place in map(int, _PIPS[value]):
        x, y = first_x + step * (place % 3), first_y + step * (place // 3)
        if pip > 3:
            draw.ellipse((x, y, x + pip - 1, y + pip - 1), fill=ink)
        else:
            draw.rectangle((x, y, x + pip - 1, y + pip - 1), fill=ink)
