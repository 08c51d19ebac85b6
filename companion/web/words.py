"""The words of the page, for the catalogues: what its scripts say in English is looked up here."""

from __future__ import annotations

import functools

from companion.screens.language import translator
from companion.screens.view import T

WORDS = (T("Table"),)


@functools.cache
def words_of(language: str) -> dict[str, str]:
    """English -> the same in a language.

    >>> words_of("de")["Table"]
    'Tisch'
    """
    words = translator(language)
    return {text.id: words.translate(text) for text in WORDS}
