"""Numbers entered with four buttons: a bid with the sum in sight, and the tricks of a round, checked by their total."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.arbiter.flow import Answer
from companion.arbiter.forms import Form
from companion.games.wizard_cards import views
from companion.screens.view import NOTHING, Button, T, Text, View, verbatim


@dataclass(frozen=True, slots=True)
class BidForm:
    """A number to choose: up and down change it, ok takes it. It starts as none, so that a 0 is never an accident.

    Args:
        code: of the screen.
        title: whose number it is.
        most: the largest number.
        answer: from the number to the answer.
        lines: small lines under it.
        barred: the number that may not be said.
        why: the reason, shown when that number is marked.
        value: the number marked.
    """

    code: str
    title: Text
    most: int
    answer: Callable[[int], Form | Answer]
    lines: tuple[Text, ...] = ()
    barred: int | None = None
    why: Text | None = None
    value: int | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def key(self) -> str:
        """Whose number it is and what is known so far."""
        return f"{self.code}{self.title}{self.lines}{self.barred}"

    def press(self, button: Button) -> Form | Answer | None:
        """Change the number, take it, or leave."""
        if button == "back":
            return None
        if button == "ok":
            return self if self.value is None or self.value == self.barred else self.answer(self.value)
        if self.value is None:
            return replace(self, value=0 if button == "up" else self.most)
        return replace(self, value=(self.value + (1 if button == "up" else -1)) % (self.most + 1))

    def view(self) -> View:
        """The number, large; where it is barred, why."""
        wrong = self.value is not None and self.value == self.barred
        lines = (*self.lines[:-1], self.why) if wrong and self.why is not None else self.lines
        facts = {"ask": self.code, "value": self.value, "barred": self.barred, **self.facts}
        return View(
            self.code,
            title=self.title,
            big=verbatim("?" if self.value is None else str(self.value)),
            lines=lines,
            tone="wrong" if wrong else "ask",
            facts=facts,
        )


@dataclass(frozen=True, slots=True)
class TricksForm:
    """The tricks that each player took: up and down change a number, ok goes to the next, and takes a right total.

    Args:
        names: the players.
        totals: what the numbers may total.
        answer: from the numbers to the answer.
        values: the numbers so far.
        at: the player marked.
        checked: whether a wrong total has been offered.
    """

    names: tuple[str, ...]
    totals: tuple[int, ...]
    answer: Callable[[tuple[int, ...]], Answer]
    values: tuple[int, ...]
    at: int = 0
    checked: bool = False

    @property
    def key(self) -> str:
        """The one question of its kind."""
        return "cards.tricks"

    def press(self, button: Button) -> Form | Answer | None:
        """Change a number, go on, go back, leave."""
        if button == "back":
            return replace(self, at=self.at - 1) if self.at else None
        if button == "ok":
            if self.at + 1 < len(self.values):
                return replace(self, at=self.at + 1)
            if sum(self.values) in self.totals:
                return self.answer(self.values)
            return replace(self, at=0, checked=True)
        most = max(self.totals)
        value = (self.values[self.at] + (1 if button == "up" else -1)) % (most + 1)
        return replace(self, values=(*self.values[: self.at], value, *self.values[self.at + 1 :]))

    def view(self) -> View:
        """All numbers, the marked one large, and the total."""
        total, wanted = sum(self.values), max(self.totals)
        wrong = self.checked and total not in self.totals
        many = len(self.names) > 4
        names = views.short_names(self.names) if many else self.names
        texts = [
            T("{name} {count}", name=verbatim(name), count=value)
            for i, (name, value) in enumerate(zip(names, self.values, strict=True))
            if i != self.at
        ]
        title = T("{total} tricks, not {of}", total=total, of=wanted) if wrong else None
        return View(
            "cards.tricks",
            title=title or T("{total} of {of} tricks", total=total, of=wanted),
            big=T("{name} {count}", name=verbatim(self.names[self.at]), count=self.values[self.at]),
            lines=views.three_a_line(texts) if many else tuple(texts),
            tone="wrong" if wrong else "ask",
            facts={"ask": "cards.tricks", "values": self.values, "at": self.at, "total": total},
        )
