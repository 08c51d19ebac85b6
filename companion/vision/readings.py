"""What the eyes say: readings with values, confidences and boxes, never a judgement about the rules.

A value that is not certain is ``None``; it is never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "unsure", "unreadable"]
Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die on the table.

    Args:
        value: 1 to 6 for pips, an enrolled name for other kinds; None when the die can't be read.
        colour: name of the body colour ("red", "white", ...); None when unsure.
        box: x, y, width, height in px of the picture as given.
        confidence: 0 to 1; among readings with confidence >= p at least a share p is right.
        likely: all values, the likeliest first, where that is known: in this order people are offered them.
    """

    value: int | str | None
    colour: str | None
    box: Box
    confidence: float
    likely: tuple[int | str, ...] = field(default=(), compare=False)

    def to_json(self) -> dict[str, Any]:
        """The form that ``companion read`` prints."""
        return {
            "value": self.value,
            "colour": self.colour,
            "box": list(self.box),
            "confidence": round(self.confidence, 3),
        }


@dataclass(frozen=True, slots=True)
class CutterReading:
    """One stick on the board: which board side it starts from, on which line it lies, its colour.

    ``number`` or ``colour`` is None when a stick is there but can't be told.
    """

    side: int
    number: int | None
    colour: str | None
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """The form that ``companion read`` prints."""
        return {
            "side": self.side,
            "number": self.number,
            "colour": self.colour,
            "confidence": round(self.confidence, 3),
        }


@dataclass(frozen=True, slots=True)
class CardReading:
    """One card on the table.

    Args:
        value: name of the enrolled card ("b13", "W"); None when a card is there but can't be read.
        box: x, y, width, height in px of the picture as given, around what is seen of the card.
        confidence: 0 to 1; among readings with confidence >= p at least a share p is right.
    """

    value: str | None
    box: Box
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """The form that ``companion read`` prints."""
        return {"value": self.value, "box": list(self.box), "confidence": round(self.confidence, 3)}


@dataclass(frozen=True, slots=True)
class BoardReading:
    """One picture of the table, read: a board, or dice or cards alone.

    Args:
        status: "ok" (all certain), "unsure" (something is None or flagged), "unreadable" (no board found).
        reason: why it is unreadable or unsure, one English line; None when ok.
        turn: degrees (0, 120, 240) the board is turned clockwise seen from above against the calibration.
        spaces: id -> "empty" or a colour; None where hidden or unsure.
        confidence: id -> 0 to 1.
        cutters: sticks lying on lines of the board.
        dice: dice beside (or on) the board.
        dice_sought: whether dice were looked for at all.
        cards: cards on the table.
        hand: a hand or an arm is over the board (None: unknown).
        moved: the board or the camera was nudged against the calibration and has been followed.
    """

    status: Status
    reason: str | None = None
    turn: int | None = None
    spaces: Mapping[str, str | None] | None = None
    confidence: Mapping[str, float] | None = None
    cutters: tuple[CutterReading, ...] = ()
    dice: tuple[DieReading, ...] = ()
    dice_sought: bool = True
    cards: tuple[CardReading, ...] = ()
    hand: bool | None = None
    moved: bool = False

    def to_json(self) -> dict[str, Any]:
        """The form that ``companion read board`` prints, without the picture's name and the time."""
        out: dict[str, Any] = {"status": self.status}
        if self.reason is not None:
            out["reason"] = self.reason
        if self.spaces is not None:
            out["turn"] = self.turn
            out["spaces"] = dict(self.spaces)
            out["cutters"] = [c.to_json() for c in self.cutters]
            out["dice"] = [d.to_json() for d in self.dice]
            out["confidence"] = {k: round(v, 3) for k, v in (self.confidence or {}).items()}
        return out
