"""Guards the guide of a deck: led by screens and buttons, drawn pages of cards become a profile that reads right."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from calibration.cards import load_cards
from calibration.geometry import Picture
from companion.guides import cards as guide_module
from companion.guides import open_guide
from companion.guides.cards import PAGES, CardsGuide
from companion.simulator import deck
from companion.simulator.cards import CardTable, lay_grid
from companion.simulator.scene import Scene
from hardware.base import ButtonName, Press


@functools.cache
def table() -> CardTable:
    table = CardTable(2, (960, 720))
    table.gloss = None
    return table


@functools.cache
def laid(page: int, count: int | None = None) -> Picture:
    names = deck.PAGES[page][:count]
    return table().draw(Scene(cards=lay_grid(names, PAGES[page].across)), 0)


class Owner:
    """Looks at the display and presses buttons; the camera gives five pictures a second."""

    def __init__(self, guide: CardsGuide) -> None:
        self.guide = guide
        self.t_ms = 0

    def show(self, picture: Picture, ms: int = 400) -> str:
        for _ in range(0, ms, 200):
            self.t_ms += 200
            self.guide.see(self.t_ms, picture)
        return self.guide.view(self.t_ms).code

    def press(self, *buttons: ButtonName) -> str:
        for button in buttons:
            self.guide.press(Press(self.t_ms, button, "press"))
        return self.guide.view(self.t_ms).code

    def take(self, page: int) -> str:
        picture = laid(page)
        self.show(picture)
        assert self.guide.view(self.t_ms).facts["ready"]
        assert self.press("ok") == "guide.cards.measure"
        return self.show(picture, 1400)


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    guide = open_guide("cards", tmp_path / "profile", "59x91")
    assert isinstance(guide, CardsGuide)
    return Owner(guide)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first page, the thirteens with wizards and jesters, and the special cards: the tests stay quick."""
    monkeypatch.setattr(guide_module, "PAGES", (PAGES[0], PAGES[5]))


def test_the_pages_are_the_deck_in_five_minutes() -> None:
    cards = [card for page in PAGES if not page.optional for card in page.cards]
    assert len(cards) == 60 and len(set(cards)) == 54
    assert len(PAGES) == 6  # a page a minute at most, the special ones apart
    assert [list(map(lambda c: c[0] if c[0] in "WJ" else c, page)) for page in deck.PAGES] == [
        list(page.cards) for page in PAGES
    ]


def test_the_owner_is_led_to_a_profile(owner: Owner, short: None, tmp_path: Path) -> None:
    assert owner.guide.view(0).facts["cards"] == PAGES[0].cards
    assert owner.take(0) == "guide.cards.lay"
    assert owner.guide.view(owner.t_ms).facts["page"] == 1
    assert owner.press("down") == "guide.cards.judge"
    assert owner.guide.view(owner.t_ms).facts["cards"] == 12
    owner.press("ok")
    assert owner.guide.done == "saved"
    assert load_cards(tmp_path / "profile").counts == dict.fromkeys(PAGES[0].cards, 1)


def test_a_missing_card_is_said_and_nothing_taken(owner: Owner) -> None:
    picture = laid(0, 11)
    owner.show(picture)
    view = owner.guide.view(owner.t_ms)
    assert view.facts["seen"] == 11 and not view.facts["ready"]
    owner.press("ok")
    assert owner.show(picture, 1400) == "guide.cards.failed"
    assert owner.press("ok") == "guide.cards.lay"
    assert owner.guide.view(owner.t_ms).facts["page"] == 0


def test_back_lays_a_page_anew(owner: Owner, short: None) -> None:
    owner.take(0)
    assert owner.press("back") == "guide.cards.lay"
    assert owner.guide.view(owner.t_ms).facts["page"] == 0
    owner.take(0)
    assert owner.press("down") == "guide.cards.judge"
    owner.press("back")
    assert owner.guide.done == "" and owner.guide.view(owner.t_ms).facts["page"] == 0
    owner.press("back")
    assert owner.guide.done == "left"


def test_the_size_is_asked_for_and_nothing_saved_when_left(tmp_path: Path) -> None:
    owner = Owner(CardsGuide(tmp_path / "profile"))
    assert owner.press("down") == "guide.cards.size"
    assert owner.guide.view(0).chosen == 1
    assert owner.press("ok") == "guide.cards.lay"
    owner.show(np.zeros((720, 960, 3), np.uint8))
    owner.press("back")
    assert owner.guide.done == "left" and not (tmp_path / "profile").exists()
