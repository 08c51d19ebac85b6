"""Takes the players' names out of what is mailed with a bug report."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any


class Names:
    """Puts "Player 1", "Player 2", ... in the places of names.

    A name is found as a whole word in upper or lower case, with an "s" after it, too (the German genitive), composed
    or decomposed, and as JSON escapes it. A name that is also a word of the language takes that word with it: better
    a log that reads strangely than a name in it.

    Args:
        names: the players' names; the same one is always replaced by the same player.

    >>> hide = Names(["Ana", "Ben"])
    >>> hide.text("Ana's turn; BEN and Anabel wait")
    "Player 1's turn; Player 2 and Anabel wait"
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._players: dict[str, str] = {}
        for name in names:
            words = " ".join(name.split())
            if words and self._key(words) not in self._players:
                self._players[self._key(words)] = f"Player {len(self._players) + 1}"
        forms = {form: key for key in self._players for form in _forms(key)}
        self._forms = {self._key(form): self._players[key] for form, key in forms.items()}
        longest_first = sorted(forms, key=len, reverse=True)
        alternatives = "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in longest_first)
        self._pattern = re.compile(rf"(?<!\w)({alternatives})(s?)(?!\w)", re.IGNORECASE) if alternatives else None

    @staticmethod
    def _key(name: str) -> str:
        return unicodedata.normalize("NFC", " ".join(name.split())).casefold()

    def text(self, text: str) -> str:
        """A text without the names."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._forms.get(self._key(found[1]), "Player") + found[2], text)

    def data(self, data: Any) -> Any:
        """JSON data without the names in its texts; keys stay, and what a key says is secret is left out."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, list):
            return [self.data(value) for value in data]
        if isinstance(data, dict):
            secret = re.compile("password|secret|token", re.IGNORECASE)
            return {key: "(left out)" if secret.search(key) else self.data(value) for key, value in data.items()}
        return data


def _forms(name: str) -> set[str]:
    spellings = {name, unicodedata.normalize("NFD", name)}
    return spellings | {json.dumps(spelling)[1:-1] for spelling in spellings}
