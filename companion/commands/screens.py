"""`companion screens`: every screen as a picture, and a contact sheet of all."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import InputError

if TYPE_CHECKING:
    from PIL import Image

SIZES = ((128, 64), (256, 64), (128, 128))
MARGIN = 6
LABEL = 16
SCALE = 2
SHEET = (2200, 1600)


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    command = subparsers.add_parser(
        "screens",
        help="draw every screen of the display into a folder",
        description="Draws every screen in every language and display size: LANGUAGE-SIZE/SCREEN.png and contact "
        "sheets for each size. Exit code 1: a text does not fit its place.",
        epilog="example: companion screens --out /tmp/screens --language de --size 128x64",
    )
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the pictures")
    command.add_argument("--language", action="append", metavar="CODE", help="en, de, es or fr; default: all")
    command.add_argument("--size", action="append", type=_size, metavar="WxH", help="px; default: three common sizes")
    command.add_argument("--no-sheet", action="store_true", help="no contact sheets")
    command.add_argument("--json", action="store_true", help="print one object a picture")
    command.set_defaults(func=run)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 32 <= int(width) <= 1024 and 32 <= int(height) <= 1024):
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 128x64, each 32 to 1024")
    return int(width), int(height)


def run(args: argparse.Namespace) -> int:
    """Draw the screens.

    Args:
        args: ``out``, ``language``, ``size``, ``no_sheet`` and ``json``.

    Returns:
        0: all is drawn and fits. 1: all is drawn, but a text does not fit.

    Raises:
        InputError: unknown language, or the folder can't be written.
    """
    from companion.screens.language import LANGUAGES, translator
    from companion.screens.render import fits, render
    from companion.screens.samples import sample_views

    languages = args.language or list(LANGUAGES)
    for language in languages:
        if language not in LANGUAGES:
            raise InputError(f"unknown language {language!r}: known are {', '.join(LANGUAGES)}")
    views = sample_views()
    bad = 0
    for width, height in args.size or SIZES:
        columns: dict[str, dict[str, Image.Image]] = {}
        for language in languages:
            speak = translator(language)
            folder = args.out / f"{language}-{width}x{height}"
            columns[language] = {}
            for name, view in views.items():
                picture = columns[language][name] = render(view, (width, height), speak)
                problems = fits(view, (width, height), speak)
                bad += bool(problems)
                _save(picture, folder / f"{name}.png")
                where = {"screen": name, "language": language, "size": [width, height]}
                if args.json:
                    print(json.dumps({**where, "file": str(folder / f"{name}.png"), "problems": problems}))
                elif problems:
                    print(f"{name} {language} {width}x{height}: {'; '.join(problems)}")
        if not args.no_sheet:
            for number, sheet in enumerate(contact_sheets(columns), 1):
                _save(sheet, args.out / f"sheet-{width}x{height}-{number:02}.png")
    if not args.json:
        print(f"{len(views)} screens in {args.out}, {bad} pictures with a text that does not fit")
    return int(bad > 0)


def contact_sheets(columns: dict[str, dict[str, Image.Image]]) -> list[Image.Image]:
    """All screens on pictures that fit a monitor: twice as large as life, the languages of a screen side by side.

    Args:
        columns: language -> screen -> picture; all of one size and with the same screens.
    """
    from PIL import Image

    from companion.screens.glyphs import draw_text

    languages = list(columns)
    names = list(columns[languages[0]])
    width, height = (SCALE * length for length in columns[languages[0]][names[0]].size)
    cell_width, cell_height = width + MARGIN, LABEL + height + MARGIN
    across = max(1, SHEET[0] // (cell_width * len(languages)))  # screens beside each other
    down = max(1, SHEET[1] // cell_height)
    sheets = []
    for start in range(0, len(names), across * down):
        rows = -(-len(names[start : start + across * down]) // across)
        sheet = Image.new("L", (across * len(languages) * cell_width, rows * cell_height), 110)
        for index, name in enumerate(names[start : start + across * down]):
            for column, language in enumerate(languages):
                x = (index % across * len(languages) + column) * cell_width
                y = index // across * cell_height
                draw_text(sheet, (x, y), f"{name}  {language}", 14, bold=True, ink=255)
                picture = columns[language][name].resize((width, height), Image.Resampling.NEAREST)
                sheet.paste(picture, (x, y + LABEL))
        sheets.append(sheet)
    return sheets


def _save(picture: Image.Image, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
