"""Guards every screen pixel by pixel. A wanted change: ``pytest tests/screens --regenerate-golden``, look, commit."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from companion.screens.language import Translator
from companion.screens.render import render
from companion.screens.samples import sample_views
from companion.screens.view import View
from tests.screens.views import VIEWS

GOLDEN = Path(__file__).parent / "golden"
HINT = "if that is meant: pytest tests/screens --regenerate-golden, and look at the pictures"


def wanted() -> dict[str, tuple[View, tuple[int, int]]]:
    """File name -> view and size: the games' screens on the main display, all kinds of views on all three."""
    screens = {f"128x64/{name}.png": (view, (128, 64)) for name, view in sample_views().items()}
    for width, height in ((128, 64), (256, 64), (128, 128)):
        screens |= {f"kinds-{width}x{height}/{name}.png": (view, (width, height)) for name, view in VIEWS.items()}
    return screens


def test_every_screen_is_as_its_golden_picture(regenerate: bool) -> None:
    english = Translator("en")
    drawn = {name: render(view, size, english) for name, (view, size) in wanted().items()}
    if regenerate:
        for old in GOLDEN.rglob("*.png"):
            old.unlink()
        for name, picture in drawn.items():
            (GOLDEN / name).parent.mkdir(parents=True, exist_ok=True)
            picture.save(GOLDEN / name, optimize=True)
    there = {str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*.png")}
    assert there == set(drawn), f"screens came or went: {sorted(there ^ set(drawn))}; {HINT}"
    differ = [name for name, picture in drawn.items() if _pixels(Image.open(GOLDEN / name)) != _pixels(picture)]
    assert not differ, f"{differ}; {HINT}"


def test_a_changed_pixel_is_noticed() -> None:
    picture = render(VIEWS["big"], (128, 64), Translator("en"))
    other = picture.copy()
    other.putpixel((5, 5), 1 - int(bool(other.getpixel((5, 5)))))
    assert _pixels(picture) != _pixels(other)


def _pixels(picture: Image.Image) -> tuple[tuple[int, int], bytes]:
    return picture.size, picture.convert("L").tobytes()
