"""Questions answered with four buttons: choices, numbers, spaces of a board, and pages to read.

A form is a frozen value; ``press`` gives the form after the button, an answer, or None when it was left with "back".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from companion.arbiter.flow import Answer
from companion.screens.view import NOTHING, BoardMark, BoardPicture, Button, Picture, T, Text, Tone, View, verbatim


class Form(Protocol):
    """A question on the display."""

    @property
    def key(self) -> str:
        """Two forms of the same key ask the same question; the players' edits of it are kept."""
        ...

    def press(self, button: Button) -> Form | Answer | None:
        """The form after a button, the players' answer, or None when they leave it."""
        ...

    def view(self) -> View:
        """How it looks."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several: up and down move, ok takes.

    Args:
        options: (text, what choosing it leads to: a form, a function that makes one, or an answer) pairs; None: it
            is shown, with the reason in its text, but can't be chosen.
        back: what "back" leads to; None leaves.
        picture: what the choice is about.
    """

    code: str
    title: Text
    options: tuple[tuple[Text, Form | Answer | Callable[[], Form] | None], ...]
    chosen: int = 0
    back: Form | None = None
    picture: Picture | None = None
    tone: Tone = "ask"
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def key(self) -> str:
        """The screen's code and its options."""
        return self.code + repr([text for text, _ in self.options])

    def press(self, button: Button) -> Form | Answer | None:
        """Move, take or leave."""
        if button == "ok":
            target = self.options[self.chosen][1]
            if target is None:
                return self
            return target() if callable(target) else target
        if button == "back":
            return self.back
        step = 1 if button == "down" else -1
        return replace(self, chosen=(self.chosen + step) % len(self.options))

    def view(self) -> View:
        """The list with its marked line."""
        return View(
            self.code,
            title=self.title,
            picture=self.picture,
            choices=tuple(text for text, _ in self.options),
            chosen=self.chosen,
            barred=frozenset(i for i, (_, target) in enumerate(self.options) if target is None),
            tone=self.tone,
            facts={**self.facts, "ask": self.code},
        )


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers to confirm or change: one press of ok confirms them all; up or down begins to change the first.

    While changing: up and down change the marked number, ok goes to the next one and after the last back to
    confirming, back goes to the previous one.

    Args:
        labels: what each number is about (a player's name).
        values: the proposed numbers; None where the players must enter one before they can confirm.
        allowed: the numbers that may be entered.
        answer: from the numbers to the answer.
        cursor: the number being changed; -1 while confirming.
    """

    code: str
    title: Text
    labels: tuple[Text, ...]
    values: tuple[int | None, ...]
    allowed: tuple[int, ...]
    answer: Callable[[tuple[int, ...]], Answer]
    cursor: int = -1
    proposed: tuple[int | None, ...] | None = None
    tone: Tone = "ask"
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def key(self) -> str:
        """The question and what was proposed; a new proposal is a new question."""
        return f"{self.code}{self.proposed if self.proposed is not None else self.values}{self.facts.get('problem')}"

    def press(self, button: Button) -> Form | Answer | None:
        """Confirm, or change a number."""
        form = self if self.proposed is not None else replace(self, proposed=self.values)
        if button in ("up", "down"):
            if form.cursor < 0:
                return replace(form, cursor=0)
            return form._changed(1 if button == "up" else -1)
        if button == "back":
            return None if form.cursor < 0 else replace(form, cursor=form.cursor - 1)
        if form.cursor >= 0:
            last = form.cursor + 1 == len(form.values)
            return replace(form, cursor=-1 if last else form.cursor + 1)
        known = [v for v in form.values if v is not None]
        if len(known) < len(form.values):
            return replace(form, cursor=form.values.index(None))
        return form.answer(tuple(known))

    def _changed(self, step: int) -> Numbers:
        value = self.values[self.cursor]
        if value is None:
            value = self.allowed[0 if step > 0 else -1]
        else:
            value = self.allowed[(self.allowed.index(value) + step) % len(self.allowed)]
        return replace(self, values=(*self.values[: self.cursor], value, *self.values[self.cursor + 1 :]))

    def view(self) -> View:
        """The numbers, the one being changed marked."""
        shown = ["?" if v is None else str(v) for v in self.values]
        keys: tuple[tuple[Button, Text], ...]
        keys = (("ok", T("yes")), ("up", T("change"))) if self.cursor < 0 else (("up", T("change")), ("ok", T("next")))
        lines = tuple(
            T("{mark}{name}: {number}", mark=">" if i == self.cursor else "", name=label, number=number)
            for i, (label, number) in enumerate(zip(self.labels, shown, strict=True))
        )
        return View(
            self.code,
            title=self.title,
            big=verbatim(shown[max(self.cursor, 0)]) if self.cursor >= 0 or len(shown) == 1 else None,
            lines=lines if len(shown) > 1 else (),
            keys=keys,
            tone=self.tone,
            facts={**self.facts, "ask": self.code, "values": self.values, "cursor": self.cursor},
        )


@dataclass(frozen=True, slots=True)
class SpaceEditor:
    """A board to point at: up and down move from space to space, ok takes or changes it, back finishes.

    Args:
        order: the spaces that can be pointed at, in reading order of the drawing.
        picture: draws the board from the spaces' states and the marked space.
        states: what each space holds now.
        pick: from the marked space to an answer: ok ends the form (entering a move). None: ok changes the space to
            the next of ``values`` and "back" answers with what was changed.
        done: from the changed spaces to the answer.
    """

    code: str
    title: Text
    order: tuple[str, ...]
    states: Mapping[str, str | None]
    places: Mapping[str, tuple[float, float]]
    radius: float
    values: tuple[str, ...] = ()
    pick: Callable[[str], Form | Answer] | None = None
    done: Callable[[Mapping[str, str]], Answer] | None = None
    changed: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    cursor: int = 0
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def key(self) -> str:
        """The screen's code and the spaces on offer."""
        return self.code + ",".join(self.order)

    def press(self, button: Button) -> Form | Answer | None:
        """Move, take, change or finish."""
        if button in ("up", "down"):
            step = 1 if button == "down" else -1
            return replace(self, cursor=(self.cursor + step) % len(self.order))
        space = self.order[self.cursor]
        if button == "ok":
            if self.pick is not None:
                return self.pick(space)
            held = self.changed.get(space, self.states.get(space))
            at = self.values.index(held) + 1 if held in self.values else 0
            return replace(self, changed={**self.changed, space: self.values[at % len(self.values)]})
        return self.done(self.changed) if self.done is not None and self.changed else None

    def view(self) -> View:
        """The board with the marked space blinking, and what it holds."""
        space = self.order[self.cursor]
        marks = tuple(
            BoardMark(x, y, self.changed.get(s, self.states.get(s)), blink=s == space)
            for s, (x, y) in self.places.items()
        )
        held = self.changed.get(space, self.states.get(space))
        keys: tuple[tuple[Button, Text], ...] = (
            (("ok", T("take")),) if self.pick else (("ok", T("change")), ("back", T("done")))
        )
        return View(
            self.code,
            title=T("{space}: {what}", space=space, what=self.title),
            big=STATE_NAMES[held] if self.pick is None else verbatim(space),
            picture=BoardPicture(marks, radius=self.radius),
            keys=keys,
            tone="ask",
            facts={**self.facts, "ask": self.code, "space": space},
        )


STATE_NAMES: dict[str | None, Text] = {
    "red": T("red"),
    "green": T("green"),
    "white": T("white"),
    "empty": T("empty"),
    None: T("unsure"),
}


@dataclass(frozen=True, slots=True)
class Pages:
    """Screens to read: up and down turn the pages, ok and back leave."""

    pages: tuple[View, ...]
    page: int = 0

    @property
    def key(self) -> str:
        """The first page's code."""
        return self.pages[0].code

    def press(self, button: Button) -> Form | Answer | None:
        """Turn the page or leave."""
        if button in ("ok", "back"):
            return None
        return replace(self, page=(self.page + (1 if button == "down" else -1)) % len(self.pages))

    def view(self) -> View:
        """The page."""
        return self.pages[self.page]


LONGEST_WORD = 16
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789"


@dataclass(frozen=True, slots=True)
class Letters:
    """A word to spell: up and down choose a letter, ok takes it or, past the last letter, the word; back deletes.

    Args:
        answer: from the word to what follows; the word may be empty.
        back: what "back" leads to when there is no letter to delete.
        word: what is spelled so far.
        at: the letter on offer; one more than there are: the word is complete.
    """

    code: str
    title: Text
    answer: Callable[[str], Form | Answer]
    back: Form | None = None
    word: str = ""
    at: int = 0

    @property
    def key(self) -> str:
        """The screen's code."""
        return self.code

    def press(self, button: Button) -> Form | Answer | None:
        """Choose or take a letter, delete the last one, or finish."""
        if button in ("up", "down"):
            return replace(self, at=(self.at + (1 if button == "down" else -1)) % (len(LETTERS) + 1))
        if button == "back":
            return replace(self, word=self.word[:-1]) if self.word else self.back
        if self.at == len(LETTERS):
            return self.answer(self.word.strip())
        return replace(self, word=(self.word + LETTERS[self.at])[:LONGEST_WORD])

    def view(self) -> View:
        """The word so far and the letter on offer."""
        offered = T("done") if self.at == len(LETTERS) else verbatim(LETTERS[self.at].replace(" ", "_"))
        return View(
            self.code,
            title=self.title,
            big=offered,
            lines=(verbatim(f"{self.word}_"),),
            keys=(("up", T("letter")), ("down", T("letter")), ("ok", T("take"))),
            tone="ask",
            facts={"ask": self.code, "word": self.word},
        )
