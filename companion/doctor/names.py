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
        players: dict[str, str] = {}
        spellings: dict[str, str] = {}
        for name in names:
            words = " ".join(name.split())
            if words:
                player = players.setdefault(self._key(words), f"Player {len(players) + 1}")
                spellings |= dict.fromkeys(_spellings(words), player)
        self._forms = {self._key(spelling): player for spelling, player in spellings.items()}
        longest_first = sorted(spellings, key=len, reverse=True)
        alternatives = "|".join(re.escape(spelling).replace(r"\ ", r"\s+") for spelling in longest_first)
        self._pattern = re.compile(rf"(?<!\w)({alternatives})(s?)(?!\w)", re.IGNORECASE) if alternatives else None

    @staticmethod
    def _key(name: str) -> str:
        return " ".join(name.split()).casefold()

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


def _spellings(name: str) -> set[str]:
    """The ways in which a name may be written: composed or not, in upper or lower case, escaped as in JSON."""
    cases = {name, name.lower(), name.upper(), name.casefold()}
    plain = cases | {unicodedata.normalize(form, case) for case in cases for form in ("NFC", "NFD")}
    return plain | {json.dumps(spelling)[1:-1] for spelling in plain}
