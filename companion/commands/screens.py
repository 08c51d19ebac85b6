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
SCALE = 2


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    command = subparsers.add_parser(
        "screens",
        help="draw every screen of the display into a folder",
        description="Draws every screen in every language and display size: LANGUAGE-SIZE/SCREEN.png and a contact "
        "sheet for each size. Exit code 1: a text does not fit its place.",
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
            _save(contact_sheet(columns), args.out / f"sheet-{width}x{height}.png")
    if not args.json:
        print(f"{len(views)} screens in {args.out}, {bad} pictures with a text that does not fit")
    return int(bad > 0)


def contact_sheet(columns: dict[str, dict[str, Image.Image]]) -> Image.Image:
    """All screens on one picture: a row a screen, a column a language, twice as large as life.

    Args:
        columns: language -> screen -> picture; all of one size and with the same screens.
    """
    from PIL import Image

    from companion.screens.glyphs import draw_text

    names = list(next(iter(columns.values())))
    width, height = (SCALE * length for length in columns[next(iter(columns))][names[0]].size)
    label = 16
    row_height = label + height + MARGIN
    sheet = Image.new("L", (MARGIN + len(columns) * (width + MARGIN), MARGIN + len(names) * row_height), 110)
    for row, name in enumerate(names):
        for column, (language, pictures) in enumerate(columns.items()):
            x, y = MARGIN + column * (width + MARGIN), MARGIN + row * row_height
            draw_text(sheet, (x, y), f"{name}  {language}", 14, bold=True, ink=255)
            sheet.paste(pictures[name].resize((width, height), Image.Resampling.NEAREST), (x, y + label))
    return sheet


def _save(picture: Image.Image, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
