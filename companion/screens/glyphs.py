"""Letters and small shapes for a monochrome display: the bundled Terminus strikes, and button signs as bitmaps."""

from __future__ import annotations

import functools
import unicodedata
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FONTS = Path(__file__).resolve().parent / "fonts"

# Terminus is drawn by hand for each of these heights (px), every letter as wide as the next.
CELL_WIDTH = {12: 6, 14: 8, 16: 8, 18: 10, 20: 10, 22: 11, 24: 12, 28: 14, 32: 16}
SIZES = tuple(sorted(CELL_WIDTH, reverse=True))

SIGNS = {
    "up": ("...#...", "..###..", ".#####.", "#######"),
    "down": ("#######", ".#####.", "..###..", "...#..."),
    "ok": ("......#", ".....##", "#...##.", "##.##..", ".###...", "..#...."),
    "back": ("..#....", ".##....", "######.", ".##...#", "..#...#", "...###."),
}
SIGN_WIDTH = 7


@functools.cache
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    # The basic layout engine: complex layout differs between Pillow builds, and the cells are fixed anyway.
    path = FONTS / ("terminus-bold.otb" if bold else "terminus-normal.otb")
    return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


@functools.cache
def _known(letter: str) -> bool:
    mask, missing = (bytes(_font(12, False).getmask(c, "1")) for c in (letter, "\U000f1234"))
    return mask != missing


@functools.lru_cache(maxsize=1000)
def printable(words: str) -> str:
    """The words with every character that the font can't show replaced by "?"; spaces that don't break stay.

    >>> printable("Zoë \\u6f22\\n")
    'Zoë ??'
    """
    composed = unicodedata.normalize("NFC", words)
    return "".join(c if c in " \xa0" or (c.isprintable() and _known(c)) else "?" for c in composed)


def text_width(words: str, size: int) -> int:
    """Width of words in px at a font height."""
    return len(words) * CELL_WIDTH[size]


def draw_text(image: Image.Image, xy: tuple[int, int], words: str, size: int, *, bold: bool, ink: int = 1) -> None:
    """Draw one line of printable words with its top left corner at ``xy``."""
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"
    draw.text(xy, words, font=_font(size, bold), fill=ink)


def draw_rows(image: Image.Image, xy: tuple[int, int], rows: tuple[str, ...], ink: int = 1) -> None:
    """Draw a bitmap given as rows of "#" (ink) and "." (left as it is)."""
    width, height = image.size
    for y, row in enumerate(rows, xy[1]):
        for x, dot in enumerate(row, xy[0]):
            if dot == "#" and 0 <= x < width and 0 <= y < height:
                image.putpixel((x, y), ink)
