"""What the cards on the table are to the game: of the trick, left over, the turned card, or fresh. Without pictures.

Cards are told apart by their values; where the deck holds several (wizards and jesters), by where they lie. Places are
compared in units of a card's longer side, so nothing depends on the camera.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import dist, sqrt

from companion.vision.readings import Box, CardReading

Cards = tuple[CardReading, ...]
Point = tuple[float, float]

IN_PLACE = 0.4  # cards: how far the middle of what is seen of a lying card may wander when another covers it
ELSEWHERE = 0.75  # cards: nobody who exchanges a card lays the new one so far from where the old one lay
LEAST_HABIT = 3  # cards that a player must have laid before it is known where they lay them
FAR = 3.0  # spreads from the own place
LEAST_SPREAD = 0.12  # cards: nobody lays them more exactly than that
NEARER = 0.4  # of the way to the own place: so near the other's place must be


@dataclass(frozen=True, slots=True)
class Lying:
    """The cards on the table, sorted.

    Args:
        fresh: cards that can be read and that nothing accounts for.
        unread: cards that can't be read, beyond those which may be the missing ones.
        trick: cards of the trick, as they lie.
        missing: cards of the trick that are not seen.
        left: cards of the trick before, still lying.
        lost: cards of the trick before that are not seen.
        trump: the turned card, where it is seen.
        doubtful: a fresh card may be one of the same kind that lay there before, moved.
    """

    fresh: Cards = ()
    unread: Cards = ()
    trick: Cards = ()
    missing: tuple[str, ...] = ()
    left: Cards = ()
    lost: tuple[str, ...] = ()
    trump: CardReading | None = None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the table before looking.

    Args:
        trick: cards of the trick on the table.
        lain: the same as they were last seen.
        before: cards of the trick before, which should be cleared away.
        lay: the same as they were seen to lie.
        trump: the turned card, if there is one.
        trump_box: where it lay; None when it was never seen.
        trump_gone: it was put away; it is known again only in its old place.
        aside: what lies there and is none of the game's: the stock, a box of cards.
        said: readings that the players have overruled, with what they say.
    """

    trick: tuple[str, ...] = ()
    lain: Cards = ()
    before: tuple[str, ...] = ()
    lay: Cards = ()
    trump: str | None = None
    trump_box: Box | None = None
    trump_gone: bool = False
    aside: Cards = ()
    said: tuple[tuple[CardReading, str], ...] = ()


def sort_cards(cards: Sequence[CardReading], known: Known, copies: Mapping[str, int]) -> Lying:
    """Sort a settled reading.

    Args:
        cards: what is read.
        known: what is known.
        copies: card -> how many there are of it.

    >>> cards = [CardReading("b3", (0, 0, 60, 90), 1.0), CardReading("r7", (300, 0, 60, 90), 1.0)]
    >>> lying = sort_cards(cards, Known(trick=("b3",)), {"b3": 1, "r7": 1})
    >>> [card.value for card in lying.fresh], lying.missing
    (['r7'], ())
    """
    pool = [_as_said(card, known.said) for card in cards]
    for thing in known.aside:
        _take(pool, thing.value, thing.box)
    trump, moved = None, False
    if known.trump is not None:
        if copies.get(known.trump, 1) == 1 and not known.trump_gone:
            trump = _take(pool, known.trump)
        elif known.trump_box is not None:
            trump = _take(pool, known.trump, known.trump_box)
        if trump is None and known.trump_box is not None:  # there, but not to be read just now
            trump = _take(pool, None, known.trump_box)
        moved = trump is None and not known.trump_gone
    laid = []
    earlier = list(known.lain)
    for card in known.trick:
        place = next((lain for lain in earlier if lain.value == card), None)
        if place is not None:
            earlier.remove(place)
        laid.append((card, _nearest(pool, card, None if place is None else place.box)))
    missing = tuple(card for card, found in laid if found is None)
    trick = tuple(found for _, found in laid if found is not None)
    found = []
    places = list(known.lay)
    for card in known.before:
        place = next((lay for lay in places if lay.value == card), None)
        if place is not None and copies.get(card, 1) > 1:  # of several alike only the one in its place is the old one
            places.remove(place)
            found.append(_take(pool, card, place.box))
        else:
            found.append(_take(pool, card))
    left = tuple(card for card in found if card is not None)
    lost = tuple(card for card, lies in zip(known.before, found, strict=True) if lies is None)
    # A card of which there is one can't lie there twice: the second is one that can't be read.
    there = {card.value for card in (trump, *trick, *left) if card is not None}
    pool = [
        replace(card, value=None) if card.value in there and copies.get(str(card.value)) == 1 else card for card in pool
    ]
    unread = tuple(card for card in pool if card.value is None)
    explained = min(len(unread), len(missing))
    unread, missing = unread[explained:], missing[explained:]
    if left and unread:  # the heap is being cleared away
        unread, left = unread[len(found) - len(left) :], (*left, *unread[: len(found) - len(left)])
    fresh = tuple(card for card in pool if card.value is not None)
    old = [] if left else [card for card in known.before if copies.get(card, 1) > 1]
    doubtful = any((moved and card.value == known.trump) or card.value in old for card in fresh)
    return Lying(fresh, unread, trick, missing, left, lost, trump, doubtful)


def _as_said(card: CardReading, said: Sequence[tuple[CardReading, str]]) -> CardReading:
    for read, value in said:
        if read.value == card.value and _apart(read.box, card.box) < IN_PLACE:
            return CardReading(value, card.box, card.confidence)
    return card


def _take(pool: list[CardReading], value: str | None, box: Box | None = None) -> CardReading | None:
    """Take a card of this value out of the pool: any, or the one nearest to a place and not far from it."""
    found = [card for card in pool if card.value == value]
    if box is not None:
        found = sorted((c for c in found if _apart(c.box, box) < IN_PLACE), key=lambda c: _apart(c.box, box))
    if not found:
        return None
    pool.remove(found[0])
    return found[0]


def _nearest(pool: list[CardReading], value: str, box: Box | None) -> CardReading | None:
    """Take a card of this value out of the pool, of several the one nearest to a place."""
    found = [card for card in pool if card.value == value]
    if not found:
        return None
    best = found[0] if box is None else min(found, key=lambda card: _apart(card.box, box))
    pool.remove(best)
    return best


def centre(box: Box) -> Point:
    """The middle of a box, px."""
    x, y, width, height = box
    return x + width / 2, y + height / 2


def _apart(one: Box, other: Box) -> float:
    return dist(centre(one), centre(other)) / max(*one[2:], *other[2:], 1)


def misread(lying: Lying, lain: Cards) -> tuple[CardReading, str] | None:
    """A card of the trick that reads otherwise since another one came to lie on it: its reading now, and what it is.

    Args:
        lying: the cards sorted.
        lain: those of the trick as they were last seen.
    """
    for old in lain:
        for now in lying.fresh:
            upper = any(card is not now and _overlap(card.box, now.box) for card in lying.fresh)
            if old.value in lying.missing and upper and _apart(old.box, now.box) < IN_PLACE:
                return now, str(old.value)
    return None


def covers(card: Box, old: Box, least: float = IN_PLACE) -> bool:
    """Whether a card that came lies on where another one lay, and not in its place.

    Args:
        card: the new one.
        old: the other, as it was seen.
        least: how far apart their middles must be, in cards.

    >>> [covers((x, 0, 60, 90), (0, 0, 60, 90)) for x in (40, 5, 90)]
    [True, False, False]
    """
    return _overlap(card, old) and _apart(card, old) >= least


def _overlap(one: Box, other: Box) -> bool:
    (ax, ay, aw, ah), (bx, by, bw, bh) = one, other
    return min(ax + aw, bx + bw) > max(ax, bx) and min(ay + ah, by + bh) > max(ay, by)


def at_own_place(habits: Mapping[int, Sequence[Point]], player: int, box: Box) -> bool:
    """Whether a card lies where a player is known to lay cards."""
    points = habits.get(player, ())
    if len(points) < LEAST_HABIT:
        return False
    own = _middle(points)
    return dist(centre(box), own) < FAR * _spread(points, own, max(box[2:]))


def _spread(points: Sequence[Point], middle: Point, size: float) -> float:
    return max(sqrt(sum(dist(p, middle) ** 2 for p in points) / len(points)), LEAST_SPREAD * size)


def someone_elses(habits: Mapping[int, Sequence[Point]], player: int, box: Box) -> int | None:
    """Whose place a card lies at, when it is clearly not that of the player whose turn it is.

    The camera sees no faces; but people lay their cards on their own side of the heap, round by round.

    Args:
        habits: player -> the middles of the cards they laid so far.
        player: whose turn it is.
        box: of the card.

    Returns:
        The other player, or None: it is the own place, or the habits don't tell.
    """
    at, size = centre(box), max(box[2:])
    places = {who: _middle(points) for who, points in habits.items() if len(points) >= LEAST_HABIT}
    if player not in places:
        return None
    own = places[player]
    away = dist(at, own)
    if away < FAR * _spread(habits[player], own, size):
        return None
    near = min((dist(at, place), who) for who, place in places.items())
    return near[1] if near[0] < NEARER * away else None


def _middle(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
