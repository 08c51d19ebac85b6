"""Guards that what players must not mistake is never cut off on the smallest display."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.games.wizard_cards import views
from companion.games.wizard_cards.rules import RULES
from companion.screens.language import LANGUAGES, Translator

ROW = 21  # small letters side by side on 128 px


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("bids", [(0, 2, 0, 1, 3, None), (10, 0, 0, 10, 0, 1)])
def test_the_bids_of_six_players_stand_in_one_row(language: str, bids: tuple[int | None, ...]) -> None:
    """A row that is cut shows one bid less, and nobody notices."""
    state = RULES.start({"game": "wizard_cards", "players": [{"name": n} for n in "ABCDEF"], "dealer": 0})
    made = views.bids_made(replace(state, round=10, bids=bids))
    shown = Translator(language).translate(made, longest=6)  # as beside a long name
    assert len(shown) <= ROW and len(shown.split(":")[1].split()) == 6 and "…" not in shown
