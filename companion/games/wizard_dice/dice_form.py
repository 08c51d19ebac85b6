"""Seven dice to confirm, to correct or to enter with four buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.arbiter.flow import Answer
from companion.arbiter.forms import Form
from companion.games.wizard_dice.state import DICE, FACES, in_order
from companion.screens.view import NOTHING, Button, DicePicture, T, Text, View
from companion.vision.readings import DieReading

AWAY = "away"
"""Stands for what is no die of the game: a false sighting, or an eighth die."""


@dataclass(frozen=True, slots=True)
class DiceForm:
    """Dice to confirm or correct: ok confirms, up changes the marked die, down goes to the next one.

    The die that the eyes are least certain of is marked first, so that a wrong one is mended by down and up.
    Where the eyes say which faces are likely, up offers them in this order: one press mostly mends a wrong die.
    Entering from nothing: up on a die not yet known repeats the one before, so dice are entered in any sorted order.

    Args:
        faces: a face, AWAY, or None where it must be entered.
        order: in which order "down" marks the dice.
        answer: from the seven faces, in order, to the answer.
        leave: what "back" answers; None: leaves the form, or stays where the flow asks.
        extra: whether AWAY is on offer.
        proposed: the faces as first proposed; a new proposal is a new question.
        likely: for each die the faces that the eyes hold for likely, the likeliest first; may be empty.
    """

    title: Text
    faces: tuple[str | None, ...]
    order: tuple[int, ...]
    answer: Callable[[tuple[str, ...]], Answer]
    leave: Answer | None = None
    extra: bool = False
    at: int = 0
    proposed: tuple[str | None, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    likely: tuple[tuple[str, ...], ...] = ()

    @property
    def key(self) -> str:
        """The question: the dice as proposed, in no order, and what is doubtful about them."""
        return f"dice.confirm{self.proposed}{self.facts.get('problem')}"

    @property
    def known(self) -> tuple[str, ...]:
        """The dice entered so far."""
        return tuple(face for face in self.faces if face is not None and face != AWAY)

    def press(self, button: Button) -> Form | Answer | None:
        """Confirm, change the marked die, mark the next one, or leave."""
        if button == "back":
            return self.leave
        if button == "down":
            return replace(self, at=(self.at + 1) % len(self.order))
        if button == "up":
            return replace(self, faces=self._changed())
        if len(self.known) == DICE and None not in self.faces:
            return self.answer(in_order(self.known))
        unknown = [k for k, i in enumerate(self.order) if self.faces[i] is None]
        return replace(self, at=unknown[0]) if unknown else self

    def _changed(self) -> tuple[str | None, ...]:
        marked = self.order[self.at]
        first = self.likely[marked] if self.likely else ()
        cycle = (*first, *(face for face in FACES if face not in first), *((AWAY,) if self.extra else ()))
        held = self.faces[marked]
        if held is None:
            before = self.faces[self.order[self.at - 1]] if self.at and not first else None
            face = before if before in FACES else cycle[0]
        else:
            face = cycle[(cycle.index(held) + 1) % len(cycle)]
        return (*self.faces[:marked], face, *self.faces[marked + 1 :])

    def view(self) -> View:
        """The dice, the marked one blinking."""
        wrong = len(self.known) != DICE and None not in self.faces
        return View(
            "dice.confirm",
            title=T("{number} dice, not 7", number=len(self.known)) if wrong else self.title,
            picture=DicePicture(
                tuple("-" if face == AWAY else face for face in self.faces), frozenset({self.order[self.at]})
            ),
            keys=(("up", T("change")), ("down", T("next")), ("ok", T("yes"))),
            tone="wrong" if wrong else "ask",
            facts={**self.facts, "ask": "dice.confirm", "faces": self.faces, "marked": self.order[self.at]},
        )


def dice_form(
    title: Text,
    dice: Sequence[DieReading | str],
    answer: Callable[[tuple[str, ...]], Answer],
    *,
    leave: Answer | None = None,
    problem: str | None = None,
) -> DiceForm:
    """Ask about dice, as read or as known; too few are filled up, of too many some can be put away.

    Args:
        title: the question.
        dice: readings, or faces that are certain.
        answer: from the seven faces to the answer.
        leave: what "back" answers.
        problem: what is doubtful, for the facts.
    """
    found: list[tuple[str | None, float, tuple[str, ...]]] = []
    for die in dice:
        if isinstance(die, str):
            found.append((die, 1.0, ()))
        else:
            likely = tuple(str(face) for face in die.likely if face in FACES)
            found.append((str(die.value) if die.value in FACES else None, die.confidence, likely))
    found.sort(key=lambda f: FACES.index(f[0]) if f[0] is not None else len(FACES))
    found += [(None, 0.0, ())] * (DICE - len(found))
    faces = tuple(face for face, _, _ in found)
    order = sorted(range(len(found)), key=lambda i: (found[i][0] is not None, found[i][1], i))
    facts = {"problem": problem, "proposal": {"event": "roll", "faces": faces}}
    guesses = tuple(likely for _, _, likely in found)
    extra = len(faces) > DICE
    return DiceForm(
        title, faces, tuple(order), answer, leave=leave, extra=extra, proposed=faces, facts=facts, likely=guesses
    )
