"""Guards the texts: every one has its translation, with the same fields, and fits its place on the display."""

from __future__ import annotations

import ast
import gettext
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import companion
from companion import errors
from companion.screens.glyphs import printable
from companion.screens.language import LANGUAGES, LOCALES, Translator, translator
from companion.screens.pictures import FACES
from companion.screens.render import fits
from companion.screens.samples import sample_views
from companion.screens.view import T, Text, View, verbatim

ROOT = Path(companion.__file__).parent
PACKAGES = [ROOT, ROOT.parent / "hardware", ROOT.parent / "calibration"]
OTHERS = [language for language in LANGUAGES if language != "en"]
SIZES = ((128, 64), (256, 64), (128, 128))
REMEDY = "see docs/translating.md"


def fields(message: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(message) if name is not None)


def messages() -> set[str]:
    """What pybabel extracts from the sources."""
    found = set()
    for package in PACKAGES:
        for _, _, message, _, _ in extract_from_dir(package, keywords={"T": None}):
            assert isinstance(message, str)
            found.add(message)
    return found


def catalogue(language: str) -> Catalog:
    with (LOCALES / language / "LC_MESSAGES" / "companion.po").open("rb") as file:
        return read_po(file, locale=language)


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_has_its_translation_and_no_other_is_left(language: str) -> None:
    said = {m.id: m for m in catalogue(language) if m.id}
    assert set(said) == messages(), REMEDY
    assert [id_ for id_, m in said.items() if not m.string or m.fuzzy] == [], REMEDY
    assert not catalogue(language).obsolete


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_fields_of_its_text(language: str) -> None:
    wrong = [m.id for m in catalogue(language) if m.id and fields(str(m.id)) != fields(str(m.string))]
    assert wrong == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_letter_of_a_translation_is_in_the_font(language: str) -> None:
    said = [str(m.string) for m in catalogue(language) if m.id]
    assert [text for text in said if printable(text) != text] == []


@pytest.mark.parametrize("language", OTHERS)
def test_the_compiled_catalogue_is_that_of_the_source(language: str) -> None:
    with (LOCALES / language / "LC_MESSAGES" / "companion.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in catalogue(language):
        if message.id:
            assert compiled.gettext(str(message.id)) == message.string, f"pybabel compile: {REMEDY}"


def calls() -> Iterator[tuple[str, ast.Call]]:
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "T":
                    yield f"{path}:{node.lineno}", node


def test_every_text_is_written_out_and_given_its_fields() -> None:
    count = 0
    for where, call in calls():
        count += 1
        assert len(call.args) == 1 and isinstance(call.args[0], ast.Constant), f"{where}: not a text written out"
        message = call.args[0].value
        assert isinstance(message, str) and message
        given = [keyword.arg for keyword in call.keywords]
        if None not in given and given:
            assert sorted(map(str, given)) == fields(message), where
    assert count > 50


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_screen_fits_its_display(language: str, size: tuple[int, int]) -> None:
    speak = translator(language)
    problems = {name: found for name, view in sample_views().items() if (found := fits(view, size, speak))}
    assert problems == {}


def kinds(error: type[errors.CompanionError]) -> Iterator[type[errors.CompanionError]]:
    yield error
    for kind in error.__subclasses__():
        yield from kinds(kind)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_fits_as_a_title_and_as_the_big_text(language: str) -> None:
    for kind in kinds(errors.CompanionError):
        view = View("error", title=kind.short, big=kind.short, tone="wrong")
        assert fits(view, (128, 64), translator(language)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_faces_of_dice_are_two_letters_and_differ(language: str) -> None:
    words = [translator(language).translate(t) for t in FACES.values()]
    assert {len(word) for word in words} == {2} and len(set(words)) == len(words)


def test_values_are_filled_in_and_translated_too() -> None:
    text = T("{name}: {number}", name=T("red"), number=3)
    assert Translator("de").translate(text) == "rot: 3"
    assert Translator("fr").translate(text) == "rouge\xa0: 3"


def test_braces_in_a_name_are_a_name() -> None:
    assert Translator("en").translate(T("{name} wins", name="{0} {name}")) == "{0} {name} wins"


def test_a_language_without_a_catalogue_speaks_english() -> None:
    assert Translator("xx").translate(T("red")) == "red"


def test_an_empty_text_is_empty_in_every_language() -> None:
    assert [translator(language).translate(verbatim("")) for language in LANGUAGES] == [""] * 4
    assert Translator("de").translate(Text("")) == ""


def test_catalogues_and_fonts_are_part_of_the_package() -> None:
    pyproject = ROOT.parent / "pyproject.toml"
    if not pyproject.exists():
        pytest.skip("an installed package: no pyproject.toml beside it")
    globs = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]["companion"]
    packed = {path for pattern in globs for path in ROOT.glob(pattern)}
    needed = [*LOCALES.glob("*/LC_MESSAGES/*.mo"), *(ROOT / "screens" / "fonts").iterdir()]
    assert len(needed) == len(OTHERS) + 3
    assert [path for path in needed if path not in packed] == []
