"""The simulated table of the card game: players who know the rules, make slips, and read the display."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from companion.games.wizard_cards import views
from companion.games.wizard_cards.cards import SPECIALS, colour_of
from companion.games.wizard_cards.hands import CardStage
from companion.games.wizard_cards.rounds import play
from companion.games.wizard_cards.rules import RULES
from companion.games.wizard_cards.slips import SLIPS
from companion.games.wizard_cards.state import Event, Play, State
from companion.screens.view import View, verbatim
from companion.simulator.cards import CardTable, enrol, value_of
from companion.simulator.deck import PAGES
from companion.simulator.players import NAMES, TAP_MS, Players
from companion.simulator.script import PATIENCE_MS, Script, Tap, Until, Wait
from companion.simulator.stage import HUMAN, HURRY

if TYPE_CHECKING:
    pass

PATIENCE_FIRST_MS = 9000  # then people enter the card by the buttons
TRIES = 3  # to enter what was not seen
ASKS = ("cards.confirm_trump", "cards.named", "cards.whose_card")


class SimulatedGame(Players):
    """A table with three to six players (see :class:`companion.simulator.base.SimulatedGame`).

    Args:
        players: three to six.
        seed: chooses table, players, game and slips.
        size: width and height of the camera's pictures in px.
    """

    kinds = SLIPS
    state: State

    def __init__(self, players: int, seed: int, *, size: tuple[int, int] = (960, 720)) -> None:
        if not 3 <= players <= 6:
            raise ValueError(f"three to six players, not {players}")
        rng = np.random.default_rng([seed, players, 41])
        self._seed, self._size = seed, size
        super().__init__(_header(rng, players), rng, play(self))
        self.state = RULES.start(self.header)
        self.stage = CardStage(players, rng, HURRY if rng.random() < 0.5 else HUMAN)
        self.held: list[list[str]] = [[] for _ in range(players)]
        self.used: list[str] = []
        kinds = [str(k) for k in rng.permutation(list(SLIPS))[: int(rng.integers(6, 12))]]
        last = self.state.setup.rounds
        self.plan = sorted((1 + self.index(max(1, last // 2)), kind) for kind in kinds)

    # ---- what the demo asks ----

    @cached_property
    def renderer(self) -> CardTable:
        """Draws the table."""
        return CardTable(self._seed, self._size)

    def calibrate(self, profile: Path) -> None:
        """Write the profile of this table: its deck, enrolled page by page.

        Raises:
            CalibrationError: the pictures show too little.
        """
        enrol(self.renderer, profile, PAGES)

    def frame(self, t_ms: int) -> npt.NDArray[np.uint8]:
        """The camera's picture at a moment (BGR uint8, h x w x 3)."""
        return self.renderer.draw(self.stage.scene, t_ms)

    # ---- what rounds and slips share ----

    def happened(self, event: Event) -> None:
        """Something happened on the table."""
        number = self.state.round
        self.state = RULES.apply(self.state, event)
        self.truth.append(RULES.event_json(event))
        if self.state.round != number:
            self.used = []

    def played(self, player: int, picture: str, colour: str | None) -> None:
        """A player has played a card out of the hand."""
        self.held[player].remove(picture)
        self.used.append(picture)
        self.happened(Play(player, value_of(picture), colour))

    def undo(self) -> Script:
        """Take the last event back with the buttons."""
        self.truth.pop()
        self.state = RULES.start(self.header)
        for row in self.truth:
            self.state = RULES.apply(self.state, RULES.parse_event(row))
        yield Tap("back", "hold")
        yield Wait(TAP_MS)

    def to_number(self, number: int) -> Script:
        """Change the number on the display to this one."""
        while self.shown.facts.get("value") != number:
            value = self.shown.facts.get("value")
            most = self.state.round
            up = number + 1 if value is None else (number - value) % (most + 1)
            down = most + 1 - number if value is None else (value - number) % (most + 1)
            yield from self.tap("up" if up <= down else "down")

    def taken_in(self) -> Script:
        """Wait until all that happened was taken in; answer what the display asks, enter what it misses."""
        count, tries = len(self.truth), 0
        what = f"event {count} ({self.truth[-1]}) to be taken in"
        while self.events < count:
            soft = tries < TRIES
            limit = PATIENCE_FIRST_MS if soft else PATIENCE_MS
            came = yield Until(lambda v: self.events >= count or _asks(v), what, limit, soft)
            if self.events >= count:
                return
            if came:
                yield Wait(float(self.rng.integers(300, 900)))
                if self.events < count:
                    yield from self._answer()
                continue
            tries += 1
            missed = self.truth[self.events]
            if missed.get("card") is None:
                continue
            if missed not in self.entered:
                self.entered.append(missed)
            self.faults.append(f"{missed} was not taken in: {self.shown.code} {dict(self.shown.facts)}")
            yield from self._enter(str(missed["card"]))

    def _answer(self) -> Script:
        """Confirm the turned card, or name the colour of a card."""
        facts, true = self.shown.facts, self.truth[self.events]
        if facts.get("problem") == "which_card" and facts.get("ask") is None:
            yield from self.tap("ok")
        elif facts.get("ask") == "cards.named":
            name = views.COLOUR_NAMES[str(true["colour"])]
            yield from self.choose(str(true["colour"]), lambda text: text == name)
        elif facts.get("card") == true.get("card"):
            yield from self.tap("ok")
        else:
            self.disputes.append({"proposed": {"event": "trump", "card": facts.get("card")}, "true": true})
            yield from self.choose("another card", lambda text: text.id == "another card")
            yield from self._pick(str(true["card"]))

    def _enter(self, card: str) -> Script:
        """Enter a card that was not seen."""
        yield from self.tap("ok")
        if self.shown.facts.get("ask") == "cards.gone":
            yield from self.choose("the next card", lambda text: text.id in ("next is {card}", "it is covered"))
            return
        if any(text.id == "enter a card" for text in self.shown.choices):
            yield from self.choose("entering a card", lambda text: text.id == "enter a card")
        elif any(text.id == "another card" for text in self.shown.choices):
            yield from self.choose("another card", lambda text: text.id == "another card")
        yield from self._pick(card)

    def _pick(self, card: str) -> Script:
        """Pick a card in two levels."""
        colour = colour_of(card)
        if colour is None:
            yield from self.choose(card, lambda text: text == views.card_name(card))
            return
        yield from self.choose(colour, lambda text: text == views.COLOUR_NAMES[colour])
        yield from self.choose(card, lambda text: text == verbatim(card[1:]))

    # ---- the choices of the seed ----


def _asks(view: View) -> bool:
    return view.facts.get("ask") in ASKS or view.facts.get("problem") == "which_card"


def _header(rng: np.random.Generator, players: int) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    chance = rng.random()
    if chance < 0.3:
        settings["bids"] = "plus_minus_one"
    elif chance < 0.6:
        settings["bids_shown"] = "together" if chance < 0.45 else "after_round"
    if rng.random() < 0.3:
        settings["specials"] = [card for card in SPECIALS if rng.random() < 0.7]
    names = [str(name) for name in rng.permutation(NAMES)[:players]]
    return {
        "game": "wizard_cards",
        "players": [{"name": name} for name in names],
        "dealer": int(rng.integers(players)),
        "settings": settings,
    }
