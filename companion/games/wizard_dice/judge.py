"""Was that a roll? How the dice lie now against how they lay, without any picture.

A roll is dice that come from elsewhere: lifted, and lying again in another place. Turning a die where it lies,
nudging it, or pushing the tray is none. Places are compared in units of a die's edge, so nothing depends on the camera.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from companion.games.wizard_dice.state import DICE
from companion.vision.readings import DieReading

Dice = tuple[DieReading, ...]
What = Literal["same", "lifted", "hidden", "turned", "doubt", "roll"]

IN_PLACE = 0.5  # edges: merged readings of a die that lies still differ by less than a tenth
LIKELY = 0.3
"""Confidence from which an unread thing is a die rather than a tray's rim or a finger: on 840 drawn dice, many under
hands or touching, all but two of what lay free was read, and 160 of 220 other things stayed below."""
READ_WELL = DICE - 2
"""Where so many dice are read, the light is good, and what is not read is hardly a die."""
NUDGED = 1.0  # edges: further than its own width no die gets by a push that does not lift it


@dataclass(frozen=True, slots=True)
class Change:
    """How the dice lie now against how they lay.

    Args:
        what: "same" (untouched, nudged, or all pushed together), "lifted" (some are gone, the others lie as before),
            "hidden" (nothing is new but what can't be read: fingers, perhaps), "turned" (in its place, one die shows
            another face), "roll", or "doubt" (it may be one).
        turned: indices of the dice that show another face in their place.
        fresh: indices of the dice that come from elsewhere.
        gone: indices, among the dice before, of those that lie there no more.
    """

    what: What
    turned: tuple[int, ...] = ()
    fresh: tuple[int, ...] = ()
    gone: frozenset[int] = frozenset()


def counted(seen: Sequence[DieReading]) -> Dice:
    """Which of the things seen count as dice: where there are more than seven, the doubtful ones don't.

    >>> def die(value, confidence):
    ...     return DieReading(value, None, (0, 0, 30, 30), confidence)
    >>> rim, sure, hidden = die(None, 0.1), die("red", 0.99), die(None, 0.4)
    >>> len(counted([sure] * 7 + [rim])), len(counted([sure] * 6 + [rim])), len(counted([sure] * 7 + [hidden]))
    (7, 7, 8)
    """
    if len(seen) <= DICE:
        return tuple(seen)
    read = sum(die.value is not None for die in seen)
    unread = sorted((die.confidence for die in seen if die.value is None), reverse=True)
    least = LIKELY if read >= READ_WELL else unread[: DICE - read][-1]
    return tuple(die for die in seen if die.value is not None or die.confidence >= least)


def told(dice: Sequence[DieReading], faces: Sequence[str]) -> Dice:
    """Dice with the faces that the players gave those that can't be read, where only one way is possible.

    Args:
        dice: as read.
        faces: of the roll that was taken over.
    """
    given = Counter(faces) - Counter(str(die.value) for die in dice if die.value is not None)
    if len(dice) != len(faces) or len(given) != 1:
        return tuple(dice)
    (face,) = given
    return tuple(die if die.value is not None else replace(die, value=face) for die in dice)


def change(
    lay: Sequence[DieReading], lie: Sequence[DieReading], *, all_seven: bool, lifted: frozenset[int] = frozenset()
) -> Change:
    """Compare two settled readings of the dice.

    Args:
        lay: the dice before.
        lie: the dice now.
        all_seven: whether a roll must be of all dice (the first of a round): one that lies as before is a doubt.
        lifted: indices of dice before that were seen to be gone meanwhile: a roll may bring them back to their place.
    """
    edge = _edge([*lay, *lie])
    pairs = _pairs(lay, lie, edge)
    fresh = tuple(i for i in range(len(lie)) if i not in pairs)
    gone = frozenset(range(len(lay))) - frozenset(pairs.values())
    turned = tuple(i for i, k in sorted(pairs.items()) if _differ(lay[k], lie[i]))
    if not fresh:
        if len(lie) < len(lay):
            return Change("lifted", turned, gone=gone)
        if not turned:
            return Change("same")
        # Tipped over its edge a die moves by three quarters of its box, and so may a roll bring it.
        one = turned[0]
        by_hand = len(turned) == 1 and _apart(lay[pairs[one]], lie[one]) < IN_PLACE * edge and pairs[one] not in lifted
        return Change("turned" if by_hand else "doubt", turned)
    if _pushed(lay, lie, edge):
        return Change("same")
    if all(lie[i].value is None for i in fresh):
        return Change("hidden", turned, fresh, gone)
    kept = [i for i, k in pairs.items() if _apart(lay[k], lie[i]) < IN_PLACE * edge]
    doubtful = turned or (all_seven and kept) or _same_faces(lay, lie)
    return Change("doubt" if doubtful and len(lie) == DICE else "roll", turned, fresh, gone)


def _edge(dice: Sequence[DieReading]) -> float:
    return median([max(die.box[2:]) for die in dice]) if dice else 1.0


def _centre(die: DieReading) -> tuple[float, float]:
    x, y, width, height = die.box
    return x + width / 2, y + height / 2


def _apart(one: DieReading, other: DieReading, shift: tuple[float, float] = (0, 0)) -> float:
    (ax, ay), (bx, by) = _centre(one), _centre(other)
    return float(((ax + shift[0] - bx) ** 2 + (ay + shift[1] - by) ** 2) ** 0.5)


def _differ(one: DieReading, other: DieReading) -> bool:
    return one.value is not None and other.value is not None and one.value != other.value


def _pairs(lay: Sequence[DieReading], lie: Sequence[DieReading], edge: float) -> dict[int, int]:
    """Dice now -> dice before, for those within a nudge of each other, the nearest first."""
    near = sorted((_apart(a, b), i, k) for i, b in enumerate(lie) for k, a in enumerate(lay))
    pairs: dict[int, int] = {}
    for distance, i, k in near:
        if distance < NUDGED * edge and i not in pairs and k not in pairs.values():
            pairs[i] = k
    return pairs


def _pushed(lay: Sequence[DieReading], lie: Sequence[DieReading], edge: float) -> bool:
    """Whether all dice have moved together, as when the tray or the camera is pushed."""
    if len(lay) != len(lie) or len(lie) < 3:
        return False
    for first in lie:
        (ax, ay), (bx, by) = _centre(lay[0]), _centre(first)
        shift = (bx - ax, by - ay)
        free = list(lie)
        for die in lay:
            near = min(free, key=lambda other: _apart(die, other, shift))
            if _apart(die, near, shift) >= IN_PLACE * edge or _differ(die, near):
                break
            free.remove(near)
        else:
            return True
    return False


def _same_faces(lay: Sequence[DieReading], lie: Sequence[DieReading]) -> bool:
    before, now = Counter(d.value for d in lay), Counter(d.value for d in lie)
    return None not in before and None not in now and before == now
