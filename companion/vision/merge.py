"""Several readings of one still table become one: what they agree on stands, the rest is None."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from companion.vision.readings import BoardReading, CardReading, CutterReading, DieReading

_T = TypeVar("_T")
_Thing = TypeVar("_Thing", DieReading, CardReading)

LEAST_VOTES = 2


def merge_readings(readings: Sequence[BoardReading]) -> BoardReading:
    """One reading of a table that lay still while ``readings`` were made.

    A value stands when at least two readings (one, if there is only one) give it and none gives another.
    Unreadable ones say nothing; if all are, the last is returned. A cutter, a die or a card that fewer see is a flicker
    and left out; one that most see, but differently, is there with a None.

    Raises:
        ValueError: no reading at all.
    """
    if not readings:
        raise ValueError("no readings to merge")
    seen = [r for r in readings if r.status != "unreadable" and r.spaces is not None]
    if len(seen) < 2:
        return seen[0] if seen else readings[-1]
    turns = {r.turn for r in seen}
    if len(turns) > 1:
        return BoardReading("unreadable", "the board was turned between the pictures")
    ids = sorted({i for r in seen for i in r.spaces or {}})
    spaces = {i: _agreed((r.spaces or {}).get(i) for r in seen) for i in ids}
    confidence = {
        i: min(
            ((r.confidence or {}).get(i, 0.0) for r in seen if (r.spaces or {}).get(i) is not None),
            default=min((r.confidence or {}).get(i, 0.0) for r in seen),
        )
        for i in ids
    }
    cutters = _cutters(seen)
    dice = _dice(seen)
    cards = _cards(seen)
    unsure = (
        any(r.reason for r in seen)
        or None in spaces.values()
        or any(c.number is None or c.colour is None for c in cutters)
        # Dice with symbols have no colour to tell.
        or any(d.value is None or (d.colour is None and isinstance(d.value, int)) for d in dice)
        or any(c.value is None for c in cards)
    )
    hands = [r.hand for r in seen if r.hand is not None]
    last = seen[-1]
    return replace(
        last,
        status="unsure" if unsure else "ok",
        reason=next((r.reason for r in reversed(seen) if r.reason), "readings differ") if unsure else None,
        spaces=spaces,
        confidence=confidence,
        cutters=cutters,
        dice=dice,
        cards=cards,
        hand=any(hands) if hands else None,
        moved=any(r.moved for r in seen),
    )


def _agreed(values: Iterable[_T]) -> _T | None:
    given = [v for v in values if v is not None]
    return given[0] if len(given) >= LEAST_VOTES and all(v == given[0] for v in given) else None


def _cutters(readings: Sequence[BoardReading]) -> tuple[CutterReading, ...]:
    merged = []
    for side in sorted({c.side for r in readings for c in r.cutters}):
        rows = [[c for c in r.cutters if c.side == side] for r in readings]
        for k in range(max(map(len, rows))):
            group = [row[k] for row in rows if len(row) > k]
            if len(group) >= LEAST_VOTES:
                number, colour = _agreed([c.number for c in group]), _agreed([c.colour for c in group])
                merged.append(CutterReading(side, number, colour, min(c.confidence for c in group)))
    return tuple(merged)


def _dice(readings: Sequence[BoardReading]) -> tuple[DieReading, ...]:
    merged = []
    for group in _groups([r.dice for r in readings]):
        values: list[int | str | None] = [d.value for d in group]
        colour = _agreed([d.colour for d in group])
        surest = max(group, key=lambda d: d.confidence)
        sure = min(d.confidence for d in group)
        merged.append(DieReading(_agreed(values), colour, group[-1].box, sure, surest.likely))
    return tuple(merged)


def _cards(readings: Sequence[BoardReading]) -> tuple[CardReading, ...]:
    merged = []
    for group in _groups([r.cards for r in readings]):
        value = _agreed([c.value for c in group])
        merged.append(CardReading(value, group[-1].box, min(c.confidence for c in group)))
    return tuple(merged)


def _groups(seen: Iterable[Iterable[_Thing]]) -> list[list[_Thing]]:
    """Things seen in the same place in at least two readings."""
    groups: list[list[_Thing]] = []
    for things in seen:
        fresh = list(groups)
        for thing in things:
            near = [g for g in fresh if _apart(g[-1], thing) < 0.5]
            # Cards of a trick lie on each other: the one of the same value comes before the nearest.
            same = min(near, key=lambda g: (g[-1].value != thing.value, _apart(g[-1], thing)), default=None)
            if same is None:
                groups.append([thing])
            else:
                same.append(thing)
                fresh.remove(same)
    return [group for group in groups if len(group) >= LEAST_VOTES]


def _apart(a: _Thing, b: _Thing) -> float:
    """Distance of two things' centres in units of the larger one's longer side."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = a.box, b.box
    dx, dy = ax + aw / 2 - bx - bw / 2, ay + ah / 2 - by - bh / 2
    return float((dx * dx + dy * dy) ** 0.5 / max(aw, ah, bw, bh, 1))
