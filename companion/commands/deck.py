"""``companion deck``: the project's own deck of cards, to print and cut out."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path
from typing import Any

from companion.errors import InputError


def register(subparsers: Any) -> None:
    """Add the command to the command line."""
    command = subparsers.add_parser(
        "deck",
        help="draw a deck of cards to print",
        description="Writes the project's own deck as A4 pages to print at real size (100 %%) and cut out: "
        "deck.pdf (60 cards), special-cards.pdf, and backs.pdf for the other side. Every colour has its own emblem.",
        epilog="example: companion deck --out cards",
    )
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the files, made if missing")
    command.add_argument("--json", action="store_true", help="print one object a file")
    command.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Write the pages.

    Args:
        args: ``out`` and ``json``.

    Raises:
        InputError: the folder can't be written.
    """
    from companion.files import write_atomically
    from companion.simulator.deck import ACROSS, DECK, DOWN, DPI, SPECIALS, sheets

    files = {"deck": DECK, "special-cards": SPECIALS, "backs": ("back",) * (ACROSS * DOWN)}
    for name, cards in files.items():
        pages = sheets(cards)
        data = io.BytesIO()
        pages[0].save(data, "PDF", save_all=True, append_images=pages[1:], resolution=DPI, title=name)
        path = args.out / f"{name}.pdf"
        try:
            args.out.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data.getvalue())
        except OSError as error:
            raise InputError(f"{error.filename or path}: can't be written: {error.strerror or error}") from error
        said = {"file": str(path), "pages": len(pages), "cards": len(cards)}
        print(json.dumps(said) if args.json else f"{path}: {len(cards)} cards on {len(pages)} pages", flush=True)
    return 0
