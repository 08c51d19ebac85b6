"""Enrolling a deck with display and buttons alone: twelve cards at once, in rows, page after page."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from companion.errors import CalibrationError
from companion.guides.live import camera_picture
from companion.screens.view import Button, CameraPicture, T, Text, View, verbatim

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from calibration.cards import Enrolment, Labelled
    from hardware.base import Press

    Picture = npt.NDArray[np.uint8]

log = logging.getLogger(__name__)
COUNT_EVERY_MS = 400
STILL_MS = 800  # from the press to the picture: the stand swings, and the hand leaves the picture
SIZES = ((59.0, 91.0), (63.0, 88.0), (57.0, 89.0), (56.0, 87.0), (63.0, 100.0), (70.0, 120.0))
"""Widths and heights of usual cards in mm; the first is that of the game's usual editions."""


@dataclass(frozen=True, slots=True)
class Page:
    """Cards that are laid under the camera at once.

    Args:
        said: what the display calls them.
        cards: in reading order.
        across: how many in a row.
        order: the rows in words; empty where the cards' names do.
        optional: not every deck has them.
    """

    said: Text
    cards: tuple[str, ...]
    across: int = 4
    order: tuple[Text, ...] = ()
    optional: bool = False

    @property
    def rows(self) -> list[int]:
        """How many cards there are in each row."""
        count = len(self.cards)
        return [min(self.across, count - start) for start in range(0, count, self.across)]


PAGES = (
    Page(T("blue 1 to 12"), tuple(f"b{value}" for value in range(1, 13))),
    Page(T("red 1 to 12"), tuple(f"r{value}" for value in range(1, 13))),
    Page(T("yellow 1 to 12"), tuple(f"y{value}" for value in range(1, 13))),
    Page(T("green 1 to 12"), tuple(f"g{value}" for value in range(1, 13))),
    Page(
        T("13s, wizards, jesters"),
        ("b13", "r13", "y13", "g13", *("W",) * 4, *("J",) * 4),
        order=(T("13: blue red yel. gr."), T("4 wizards"), T("4 jesters")),
    ),
    Page(
        T("special cards"),
        ("bomb", "cloud", "juggler", "dragon", "fairy"),
        across=3,
        order=(T("bomb, 9 3/4, 7 1/2"), T("dragon, fairy")),
        optional=True,
    ),
)


class CardsGuide:
    """Leads through the enrolment of a deck.

    Args:
        profile: folder of the profile, made when it is saved.
        card_mm: width and height of a card; None: the owner is asked.
    """

    def __init__(self, profile: Path, card_mm: tuple[float, float] | None = None) -> None:
        self.done = ""
        self._profile = profile
        self._size = 0
        self._card_mm = card_mm
        self._stage: Literal["size", "lay", "still", "failed", "judge"] = "size" if card_mm is None else "lay"
        self._page = 0
        self._taken: list[Labelled] = []
        self._found: list[int] = []
        self._picture: CameraPicture | None = None
        self._order = True
        self._count_at = 0
        self._take_at: int | None = None
        self._failure: Text | None = None
        self._enrolment: Enrolment | None = None

    def see(self, t_ms: int, picture: Picture) -> None:
        """Take a picture (BGR uint8, h x w x 3)."""
        if self._stage == "still":
            self._take_at = t_ms + STILL_MS if self._take_at is None else self._take_at
            if t_ms >= self._take_at:
                self._take(picture)
        elif self._stage == "lay" and t_ms >= self._count_at:
            self._count(picture)
            self._count_at = t_ms + COUNT_EVERY_MS

    def _count(self, picture: Picture) -> None:
        """Say how many cards are seen, and show which."""
        from companion.vision.cards_whole import find_laid, in_rows

        assert self._card_mm is not None
        found = find_laid(picture, self._card_mm)
        quads = [] if found is None else found[0]
        self._found = [len(row) for row in in_rows(quads)]
        self._order = self._order and not quads
        h, w = picture.shape[:2]
        outlines = tuple(tuple((float(x) / w, float(y) / h) for x, y in quad) for quad in quads)
        inside = tuple(o for o in outlines if all(0 <= x <= 1 and 0 <= y <= 1 for x, y in o))
        self._picture = camera_picture(picture, inside)

    def _take(self, picture: Picture) -> None:
        from calibration.cards import Labelled, check_picture

        self._take_at = None
        self._count(picture)
        page = PAGES[self._page]
        assert self._card_mm is not None
        labelled = Labelled(picture.copy(), page.cards, where=f"page {self._page + 1}")
        if self._found != page.rows:
            self._fail(T("{count} cards", count=sum(self._found)))
            return
        try:
            check_picture(labelled, self._card_mm)
        except CalibrationError as error:
            log.info("calibration: %s", error)
            self._fail(T("Too close"))
            return
        self._taken.append(labelled)
        self._next()

    def _fail(self, why: Text) -> None:
        self._failure, self._stage = why, "failed"

    def _next(self) -> None:
        self._page += 1
        self._fresh_page()
        if self._page == len(PAGES):
            self._judge()

    def _fresh_page(self) -> None:
        self._stage, self._enrolment, self._found, self._picture, self._order = "lay", None, [], None, True

    def _judge(self) -> None:
        from calibration.cards import enrol

        assert self._card_mm is not None
        try:
            self._enrolment = enrol(self._taken, self._card_mm)
        except CalibrationError as error:
            log.info("calibration: %s", error)
            self._back()
            self._fail(error.short)
            return
        for hint in self._enrolment.hints:
            log.info("calibration: %s", hint)
        self._stage = "judge"

    def press(self, press: Press) -> None:
        """Take a finished button action.

        Raises:
            OSError: the profile can't be written.
        """
        if press.action != "press":
            return
        if self._stage == "size":
            self._choose_size(press.button)
        elif self._stage == "failed":
            self._stage = "lay"
        elif self._stage == "judge":
            if press.button == "ok":
                self._save()
            elif press.button == "back":
                self._back()
        elif self._stage == "lay":
            if press.button == "ok":
                self._stage = "still"
            elif press.button == "back":
                self._back()
            elif press.button == "up":
                self._order = not self._order
            elif PAGES[self._page].optional:
                self._next()

    def _choose_size(self, button: Button) -> None:
        if button == "ok":
            self._card_mm, self._stage = SIZES[self._size], "lay"
        elif button == "back":
            self.done = "left"
        else:
            self._size = (self._size + (1 if button == "down" else -1)) % len(SIZES)

    def _back(self) -> None:
        """The page before is laid anew; before the first the owner leaves."""
        self._fresh_page()
        if not self._page:
            self.done = "left"
            return
        self._page = len(self._taken) - 1 if self._page > len(self._taken) else self._page - 1
        del self._taken[self._page :]

    def _save(self) -> None:
        from calibration.cards import save_cards

        assert self._enrolment is not None
        save_cards(self._profile, self._enrolment)
        self.done = "saved"

    def view(self, t_ms: int) -> View:
        """The screen to show now."""
        if self._stage == "size":
            return sizes(self._size)
        if self._stage == "still":
            return measuring()
        if self._stage == "failed" and self._failure is not None:
            return failed(self._failure)
        if self._stage == "judge" and self._enrolment is not None:
            from calibration.cards import alike, mirroring

            deck = self._enrolment.model.deck
            return judgement(sum(self._enrolment.counts.values()), alike(deck), mirroring(deck))
        return laying(self._page, self._found, None if self._order else self._picture)


def sizes(chosen: int) -> View:
    """How large a card is."""
    choices = tuple(verbatim(f"{w:g} x {h:g} mm") for w, h in SIZES)
    keys: tuple[tuple[Button, Text], ...] = (("ok", T("take")), ("back", T("leave")))
    return View("guide.cards.size", T("Size of a card?"), choices=choices, chosen=chosen, keys=keys, tone="ask")


def laying(page: int, found: Sequence[int], picture: CameraPicture | None) -> View:
    """Which cards are to be laid, in which rows; with a picture: how many are seen."""
    this = PAGES[page]
    seen, ready = sum(found), list(found) == this.rows
    keys: tuple[tuple[Button, Text], ...] = (("ok", T("take")),)
    if picture is None:
        starts = range(0, len(this.cards), this.across)
        lines = this.order or tuple(verbatim(" ".join(this.cards[at : at + this.across])) for at in starts)
    elif seen == len(this.cards):
        lines = (T("Good: press ok") if ready else T("in rows of {count}", count=this.across),)
    else:
        lines = (T("{seen} of {count}", seen=seen, count=len(this.cards)),)
    if this.optional:
        keys = (*keys, ("down", T("skip")))
    elif picture is not None:
        keys = (*keys, ("up", T("order")))
    facts = {"page": page, "rows": this.rows, "cards": this.cards, "seen": seen, "ready": ready}
    return View("guide.cards.lay", this.said, lines=lines, picture=picture, keys=keys, tone="ask", facts=facts)


def measuring() -> View:
    """While the cards are to be left alone, and while they are looked at."""
    return View("guide.cards.measure", T("Hands off the cards"), big=T("measuring"), lines=(T("a few seconds"),))


def failed(why: Text) -> View:
    """The cards were not all found, or not as they must lie."""
    lines = (T("Apart, and in rows"),)
    return View("guide.cards.failed", T("Not taken"), big=why, lines=lines, keys=(("ok", T("again")),), tone="wrong")


def judgement(count: int, pairs: Sequence[tuple[str, str]], glare: Sequence[str]) -> View:
    """How good the enrolment is: which cards look too much alike, which lie in glare."""
    lines = [T("{one} and {other} alike", one=one, other=other) for one, other in pairs[:1]]
    if glare and not lines:  # one thing at a time
        lines.append(T("Glare: {cards}", cards=" ".join(glare[:2]) + (" .." if len(glare) > 2 else "")))
    return View(
        "guide.cards.judge",
        T("{count} cards", count=count),
        big=T("look again") if lines else T("good"),
        lines=tuple(lines),
        keys=(("ok", T("save")), ("back", T("again"))),
        tone="ask",
        facts={"cards": count, "alike": len(pairs), "glare": list(glare)},
    )


def guide(profile: Path, variety: str | None) -> CardsGuide:
    """Begin to enrol a deck.

    Args:
        profile: folder of the profile.
        variety: size of a card such as "59x91"; None: the owner is asked.

    Raises:
        InputError: no card has this size.
    """
    if variety is None:
        return CardsGuide(profile)
    from calibration.cards import parse_size

    return CardsGuide(profile, parse_size(variety))


def samples() -> Sequence[View]:
    """One view of every screen here, for the contact sheet and the tests of texts."""
    grey = bytes(40 + (160 if 6 < x % 16 < 15 and 4 < y % 16 < 15 else 0) for y in range(48) for x in range(64))
    cards = [(x, y) for y in (5, 21, 37) for x in (7, 23, 39, 55)]
    outlines = tuple(
        tuple(((x + dx) / 64, (y + dy) / 48) for dx, dy in ((0, 0), (7, 0), (7, 9), (0, 9))) for x, y in cards[:11]
    )
    picture = CameraPicture(64, 48, grey, outlines)
    return [
        sizes(0),
        laying(0, [], None),
        laying(0, [4, 4, 3], picture),
        laying(3, [4, 4, 4], picture),
        laying(4, [5, 4, 3], picture),
        laying(4, [], None),
        laying(5, [], None),
        laying(5, [3, 1], picture),
        measuring(),
        failed(T("{count} cards", count=11)),
        failed(T("Too close")),
        judgement(60, [], []),
        judgement(60, [("b3", "b8"), ("r6", "r9")], ["y4", "g11", "J", "W"]),
    ]
