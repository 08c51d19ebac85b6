"""The seer's chance to meet the own bid with best play, and which dice to keep for it: exact, in whole numbers.

Only the seer's dice count here: what the others would like, and jester entries, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

from companion.games.wizard_dice.state import DICE, FACES, ROLLS, State

_UNIT = len(FACES) ** DICE  # a roll's chance is so many of these


@dataclass(frozen=True, slots=True)
class Plan:
    """What the seer does best.

    Args:
        chance: to meet the bid exactly, when played so to the end.
        reroll: which of the faces on the table to roll again, as indices; empty: stop, or nothing can be rolled.
    """

    chance: Fraction
    reroll: tuple[int, ...]


def before_roll(number: int, *, wizards: bool, rolls: int = ROLLS) -> Fraction:
    """The chance before the first roll.

    Args:
        number: of the bid.
        wizards: whether wizards count as its colour.
        rolls: how many rolls there will be.

    >>> [round(100 * before_roll(n, wizards=False)) for n in range(1, 6)]
    [92, 77, 53, 28, 11]
    >>> [round(100 * before_roll(n, wizards=True)) for n in range(1, 6)]
    [85, 86, 80, 69, 52]
    """
    ways = _after_rolling(number, 1 + wizards, 0, 0, DICE, rolls - 1, False)
    return Fraction(ways, int(_UNIT**rolls))


def best(state: State) -> Plan | None:
    """The seer's best play with the dice on the table.

    Returns:
        None where there is nothing to say: no roll yet, the seer is out, or dice may be set by a spell.
    """
    bid = state.bids[state.seer]
    if bid is None or not state.rolls or state.seer in state.scored or state.force.seer_sets:
        return None
    colour, number = bid
    wizards = state.wizard_colour == colour
    right = [i for i, face in enumerate(state.faces) if face == colour or (wizards and face == "wizard")]
    locked = [i for i, face in enumerate(state.faces) if state.force.jesters_locked and face == "jester"]
    rolls = ROLLS - state.rolls if state.phase == "roll" else 0
    ways, spoil, again = _best(number, 1 + wizards, len(right), len(locked), rolls, state.force.jesters_locked)
    others = [i for i in range(len(state.faces)) if i not in right and i not in locked]
    return Plan(Fraction(ways, int(_UNIT**rolls)), tuple(sorted([*right[:spoil], *others[:again]])))


@lru_cache(maxsize=4096)
def _best(number: int, faces: int, right: int, locked: int, rolls: int, lock: bool) -> tuple[int, int, int]:
    """(ways to meet the bid, of _UNIT ** rolls; how many right dice, and how many others, to roll for it).

    Args:
        number: of the bid.
        faces: how many of a die's six faces count for it.
        right: how many dice count now.
        locked: how many jesters may not be rolled again.
        rolls: how many rolls are left.
        lock: whether further jesters will be locked.
    """
    whole = int(_UNIT**rolls)
    found = (whole if right == number else 0, 0, 0)
    if not rolls or found[0] == whole:
        return found
    plays = [(s, a) for s in range(right + 1) for a in range(DICE - right - locked + 1) if s + a]
    for spoil, again in sorted(plays, key=sum):  # of equally good ones the one that rolls fewest
        ways = _after_rolling(number, faces, right - spoil, locked, spoil + again, rolls - 1, lock)
        if ways > found[0]:
            found = (ways, spoil, again)
    return found


def _after_rolling(number: int, faces: int, right: int, locked: int, dice: int, rolls: int, lock: bool) -> int:
    """Ways to meet the bid, of _UNIT ** (rolls + 1), when so many dice are rolled now; see :func:`_best`."""
    ways = 0
    spare = len(FACES) - faces - lock
    for hits in range(dice + 1):
        for jesters in range(dice - hits + 1 if lock else 1):
            rest = dice - hits - jesters
            share = comb(dice, hits) * comb(dice - hits, jesters) * int(faces**hits * spare**rest)
            ways += share * _best(number, faces, right + hits, locked + jesters, rolls, lock)[0]
    return ways * int(len(FACES) ** (DICE - dice))
