"""From message ids to words: English as written in the source, other languages by gettext catalogues."""

from __future__ import annotations

import functools
import gettext
from pathlib import Path
from typing import Any

from companion.screens.view import Text

LANGUAGES: tuple[str, ...] = ("en", "de", "es", "fr")
LOCALES = Path(__file__).resolve().parent.parent / "locales"
ELLIPSIS = "…"


class Translator:
    """Says texts in one language.

    Args:
        language: "en", "de", "es" or "fr"; any other code speaks English.

    >>> from companion.screens.view import T
    >>> Translator("en").translate(T("{name} wins", name="Ana"))
    'Ana wins'
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._catalogue = gettext.translation("companion", LOCALES, languages=[language], fallback=True)

    def message(self, text: Text) -> str:
        """A text with its fields still to be filled.

        >>> from companion.screens.view import T
        >>> Translator("de").message(T("{name} passes"))
        '{name} passt'
        """
        return self._catalogue.gettext(text.id)

    def translate(self, text: Text, longest: int | None = None) -> str:
        """Fill a text's fields and say it.

        Args:
            text: the message; values that are texts are translated too, an unknown field reads "?".
            longest: strings among the values (players' names) are cut to so many characters, by an ellipsis.

        >>> from companion.screens.view import T
        >>> Translator().translate(T("{name} wins", name="Bartholomew"), longest=6)
        'Barth… wins'
        """
        values = _Fields((name, self._value(value, longest)) for name, value in text.values)
        message = self._catalogue.gettext(text.id) if text.id else ""  # gettext("") is the catalogue's header
        return message.format_map(values)

    def _value(self, value: Any, longest: int | None) -> str:
        if isinstance(value, Text):
            return self.translate(value, longest)
        words = str(value)
        if longest is not None and len(words) > longest:
            return words[: longest - 1].rstrip() + ELLIPSIS
        return words


class _Fields(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "?"


@functools.cache
def translator(language: str) -> Translator:
    """The one translator of a language; see :class:`Translator`."""
    return Translator(language)
