"""What the players say against the camera: each word holds until the reading of that thing changes.

A thing that the camera does not see at all can't be read otherwise later: a word about such a thing holds as long as
nothing on the table is touched. So no stick, die or card stays in the game that was taken away unseen.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from companion.vision.readings import BoardReading, Box, CardReading, CutterReading, DieReading

if TYPE_CHECKING:
    from companion.arbiter.flow import Overrule

log = logging.getLogger(__name__)
Piece = TypeVar("Piece", DieReading, CardReading)


@dataclass(frozen=True, slots=True)
class _Said:
    """A word about one thing: what was read when it was said, and what the players say; None: nothing is there.

    ``unseen``: the players say that something lies where nothing was seen.
    """

    read: Any
    said: Any
    unseen: bool = False


class Overruled:
    """The players' words against readings.

    >>> from companion.arbiter.flow import Overrule
    >>> words = Overruled()
    >>> red = BoardReading("ok", spaces={"a1": "red"})
    >>> words.say(Overrule({"a1": "empty"}), red)
    >>> words.applied(red).spaces["a1"]
    'empty'
    >>> words.forget(BoardReading("ok", spaces={"a1": "white"}))
    >>> words.applied(red).spaces["a1"]
    'red'
    """

    def __init__(self) -> None:
        self._spaces: dict[str, _Said] = {}
        self._cutters: dict[int, _Said] = {}
        self._dice: dict[Box, _Said] = {}
        self._cards: dict[Box, _Said] = {}

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._spaces or self._cutters or self._dice or self._cards)

    @property
    def things(self) -> frozenset[str]:
        """What they are about: "space a1", "cutter 2", "die 10,20,40,40", "card 10,20,40,60"."""
        kinds = (("space", self._spaces), ("cutter", self._cutters), ("die", self._dice), ("card", self._cards))
        return frozenset(f"{kind} {_named(thing)}" for kind, words in kinds for thing in words)

    def say(self, words: Overrule, reading: BoardReading | None) -> None:
        """Take words of the players.

        Args:
            words: what they say.
            reading: what they say it against; None when nothing is read.
        """
        spaces = reading.spaces if reading is not None and reading.spaces is not None else {}
        for space, said in words.spaces.items():
            self._spaces[space] = _Said(spaces.get(space), said)
            log.info("the players say: %s holds %s (read: %s)", space, said, spaces.get(space))
        cutters = _by_side(reading.cutters if reading is not None else ())
        for side, stick in words.cutters.items():
            self._cutters[side] = _Said(cutters.get(side), stick, side not in cutters and stick is not None)
            log.info("the players say: the stick on side %s is %s (read: %s)", side, stick, cutters.get(side))
        dice, cards = (reading.dice, reading.cards) if reading is not None else ((), ())
        _say_pieces(self._dice, words.dice, dice, "die")
        _say_pieces(self._cards, words.cards, cards, "card")

    def forget(self, reading: BoardReading) -> None:
        """Drop the words about what is now read otherwise than when they were said."""
        if reading.spaces is not None:
            for space, word in list(self._spaces.items()):
                if reading.spaces.get(space) not in (None, word.read):
                    del self._spaces[space]
        cutters = _by_side(reading.cutters)
        for side, word in list(self._cutters.items()):
            now = cutters.get(side)
            only_unsure = now is not None and word.read is not None and now[0] is None
            if now != word.read and not only_unsure:
                del self._cutters[side]
        if reading.dice_sought:
            _forget_pieces(self._dice, reading.dice)
        _forget_pieces(self._cards, reading.cards)

    def touched(self) -> None:
        """Something moves on the table: drop the words about what is not seen."""
        self._cutters = {side: word for side, word in self._cutters.items() if not word.unseen}
        self._dice = {box: word for box, word in self._dice.items() if not word.unseen}
        self._cards = {box: word for box, word in self._cards.items() if not word.unseen}

    def applied(self, reading: BoardReading) -> BoardReading:
        """The reading as the players say it is."""
        if not self:
            return reading
        spaces = reading.spaces
        if self._spaces and spaces is not None:
            spaces = {**spaces, **{space: word.said for space, word in self._spaces.items()}}
        cutters = tuple(c for c in reading.cutters if c.side not in self._cutters)
        for side, word in self._cutters.items():
            if word.said is not None:
                cutters = (*cutters, CutterReading(side, word.said[0], word.said[1], 1.0))
        return replace(
            reading,
            spaces=spaces,
            cutters=tuple(sorted(cutters, key=lambda c: c.side)),
            dice=_applied(self._dice, reading.dice, lambda value, box: DieReading(value, None, box, 1.0)),
            cards=_applied(self._cards, reading.cards, lambda value, box: CardReading(value, box, 1.0)),
        )


def _named(thing: object) -> str:
    return ",".join(map(str, thing)) if isinstance(thing, tuple) else str(thing)


def _by_side(cutters: Sequence[CutterReading]) -> dict[int, tuple[int | None, str | None]]:
    return {c.side: (c.number, c.colour) for c in cutters}


def same_place(a: Box, b: Box) -> bool:
    """Whether two boxes are around one thing that lies still: their middles are within a third of its size.

    >>> same_place((100, 100, 40, 40), (106, 98, 41, 40)), same_place((100, 100, 40, 40), (141, 100, 40, 40))
    (True, False)
    """
    dx = abs(a[0] + a[2] / 2 - b[0] - b[2] / 2)
    dy = abs(a[1] + a[3] / 2 - b[1] - b[3] / 2)
    return dx <= max(a[2], b[2]) / 3 and dy <= max(a[3], b[3]) / 3


def _at(box: Box, pieces: Sequence[Piece]) -> Piece | None:
    return next((piece for piece in pieces if same_place(box, piece.box)), None)


def _say_pieces(words: dict[Box, _Said], said: Mapping[Box, Any], pieces: Sequence[Piece], kind: str) -> None:
    for box, value in said.items():
        piece = _at(box, pieces)
        for old in [old for old in words if same_place(old, box)]:
            del words[old]
        read = None if piece is None else piece.value
        if piece is not None:
            words[piece.box] = _Said(read, value)
        elif value is not None:
            words[box] = _Said(None, value, unseen=True)
        log.info("the players say: the %s at %s is %s (read: %s)", kind, box, value, read)


def _forget_pieces(words: dict[Box, _Said], pieces: Sequence[Piece]) -> None:
    for box, word in list(words.items()):
        piece = _at(box, pieces)
        if (piece is None and not word.unseen) or (piece is not None and piece.value not in (None, word.read)):
            del words[box]


def _applied(
    words: Mapping[Box, _Said], pieces: tuple[Piece, ...], made: Callable[[Any, Box], Piece]
) -> tuple[Piece, ...]:
    if not words:
        return pieces
    out = [made(word.said, box) for box, word in words.items() if word.unseen and _at(box, pieces) is None]
    for piece in pieces:
        word = next((word for box, word in words.items() if same_place(box, piece.box)), None)
        if word is None:
            out.append(piece)
        elif word.said is not None:
            out.append(replace(piece, value=word.said, confidence=1.0))
    return tuple(out)
