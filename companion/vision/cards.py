"""Cards on the table, any edition: found by their edges, read by comparing their faces with the enrolled ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.geometry import PlaneMap
from companion.vision.cards_deck import MARGIN_MM, Deck
from companion.vision.cards_edges import find_places
from companion.vision.cards_match import HOPELESS, Match, agreement, read_closely
from companion.vision.cards_settle import settled
from companion.vision.cards_table import F32, F64, U8, Mask, Pose, View, from_above, grid, pose_of
from companion.vision.cards_whole import find_whole, good_cards
from companion.vision.readings import Box, CardReading

_PLACES = 80
_CANDIDATES = 6
_LEAST_SEEN = 0.18  # of a card's cells must be in view and agree before it is looked at closely
_LEAST_HINT = 0.08  # the same of its print, before the place is known exactly
_LEAST_SHOWN = 0.62  # of the cells in view must agree with some card, else nothing is said about the place
_TRIES = 40
_BARE = 0.02  # what a bare cell counts at first against one full of print: a smooth cloth looks like bare paper
_SAME_MM, _SAME_RAD = 14.0, 0.3  # two cards lie farther apart than this, or at different angles
# Every so many samples it is told which of two cards lies on the other; what is farther off tells no more.
_GRID, _COVERED = 3, 0.05
# A card so much larger is held over the table, at a 17th of the camera's height: 35 mm at 60 cm. Of some 350 cards
# lying on 15 drawn tables the largest seemed 1.03; a stock of sixty lifts its uppermost by 18 mm: 1.03, too. Held
# 40 mm high they seem 1.07 and more.
_HELD = 1.06
# So far beneath another one a card may seem to lie that lies on it (see _beneath): most likely; surely; at most. What
# one of them hides of the other is not seen in that one's light, and a third card on both says nothing.
_LYING_ON = (0.5, 0.25, 0.65, 0.8)
_ALL_SHOWN = 0.97
_MORE = 0.1  # of a card that others leave bare, though it counted as covered: one below it had been taken for the upper
SURE = 0.9
"""Confidence from which on a value is given."""


@dataclass(frozen=True, slots=True)
class CardModel:
    """All that is known of a deck and of the table it is played on.

    Args:
        deck: the enrolled cards.
        plane: the table as the camera sees it.
    """

    deck: Deck
    plane: PlaneMap


@dataclass(frozen=True, slots=True)
class Found:
    """A card on the table.

    Args:
        match: how it was read.
        value: its name; None when it can't be told.
        confidence: 0 to 1.
        box: x, y, width, height in px of the picture, around what is seen of it.
    """

    match: Match
    value: str | None
    confidence: float
    box: Box


def read_cards(picture: U8, model: CardModel) -> tuple[CardReading, ...]:
    """Reads all cards in a picture, those that lie uppermost first.

    Args:
        picture: BGR h x w x 3.
        model: the deck and the table.

    Raises:
        ValueError: the picture has another shape than the camera's, and shows no whole card to go by.
    """
    return tuple(CardReading(f.value, f.box, f.confidence) for f in find_cards(picture, model))


def find_cards(picture: U8, model: CardModel) -> list[Found]:
    """All cards in a picture with how they were read; see :func:`read_cards`.

    The table is taken to lie before the camera as at the enrolment. Where hardly anything can be read so, the camera
    was moved, or is another one: then cards wholly in view show how the table lies.
    """
    size = (picture.shape[1], picture.shape[0])
    found: list[Found] = []
    try:
        found = _find(picture, model.deck, model.plane.for_size(size))
    except ValueError:
        here = good_cards(find_whole(picture), model.deck.size_mm, size)
        if here is None:
            raise
        return _find(picture, model.deck, here[1])
    if 2 * sum(card.value is not None for card in found) > len(found):
        return found
    here = good_cards(find_whole(picture), model.deck.size_mm, size)
    if here is None:
        return found
    again = _find(picture, model.deck, here[1])
    return max(found, again, key=lambda cards: sum(card.value is not None for card in cards))


def _find(picture: U8, deck: Deck, plane: PlaneMap) -> list[Found]:
    view = from_above(picture, plane)
    found = []
    for match in _read_again(view, deck, _upper_first(view, deck)):
        sure = confidence(match)
        value = deck.names[match.look] if sure >= SURE else None
        found.append(Found(match, value, sure, _box(plane, _cells(match, deck), picture.shape)))
    return found


def _upper_first(view: View, deck: Deck) -> list[Match]:
    """What lies at the places that edges point out; what more of shows goes first and covers the others."""
    places = find_places(view, deck.size_mm, _PLACES, deck.rim)
    poses = [pose_of(middle, float(angle)) for middle, angle in zip(places.middles, places.angles, strict=True)]
    if not poses:
        return []
    agrees = _agrees(view, deck, poses)
    covered = _nothing(view)
    middles = np.array([pose.middle for pose in poses])
    free = np.ones((len(poses), agrees.shape[2]), np.float32)
    open_, again = np.ones(len(poses), bool), np.zeros(len(poses), bool)
    found: list[Match] = []
    later: list[int] = []
    for _ in range(_TRIES):
        seen = np.matmul(agrees, free[:, :, None])[:, :, 0]
        best = seen.max(axis=1) * open_
        i = int(best.argmax())
        if best[i] < _LEAST_HINT:
            # Places that showed a card in part are looked at again, now that more is known of what covers them.
            open_[later] = True
            later.clear()
            best = seen.max(axis=1) * open_
            i = int(best.argmax())
            if best[i] < _LEAST_HINT:
                break
        open_[i] = False
        likely = np.argsort(-seen[i], kind="stable")[:_CANDIDATES]
        pose = poses[i]
        if again[i]:  # at the same place it would be read as before
            pose = settled(view, covered, deck, pose, [int(k) for k in likely])
            seen_there = _agrees(view, deck, [pose])[0] @ _free(covered, [pose], deck)[0]
            likely = np.argsort(-seen_there, kind="stable")[:_CANDIDATES]
        match = read_closely(view, covered, deck, pose, [int(k) for k in likely])
        if match.shown < _LEAST_SHOWN or match.free.mean() < _LEAST_SEEN:
            if match.shown >= HOPELESS and not again[i]:
                again[i] = True
                later.append(i)
            continue
        found.append(match)
        _cover(covered, _cells(match, deck))
        later = [k for k in later if not _one_place(poses[k], match.pose)]
        near = np.hypot(*(middles - match.pose.middle).T) < math.hypot(*deck.size_mm)
        for k in np.flatnonzero(open_ & near):
            open_[k] = not _one_place(poses[k], match.pose)
        rest = np.flatnonzero(open_ & near)
        free[rest] = _free(covered, [poses[k] for k in rest], deck)
    return found


def _agrees(view: View, deck: Deck, poses: Sequence[Pose]) -> F32:
    """What each cell says for each look at some poses (poses x looks x cells); all cells of a look together say 1."""
    agrees = np.maximum(agreement(view, deck, poses), 0)
    weight = deck.ink**2 + _BARE
    agrees *= weight / weight.sum(axis=1)[:, None]
    return agrees


def _free(covered: View, poses: Sequence[Pose], deck: Deck) -> F32:
    """The share of each cell at some poses (n x cells) that no card covers."""
    down, across = deck.shape(2)
    points = grid(deck.inner_mm, (down, across))
    px = np.rint(covered.to_px(np.array([pose.place(points) for pose in poses]).reshape(-1, 2))).astype(np.intp)
    h, w = covered.picture.shape
    x, y = np.clip(px.T, 0, [[w - 1], [h - 1]])
    bare = (covered.picture[y, x] == 0).reshape(len(poses), down // 2, 2, across // 2, 2)
    return np.asarray(bare.mean(axis=(2, 4)), np.float32).reshape(len(poses), down * across // 4)


def _read_again(view: View, deck: Deck, matches: list[Match]) -> list[Match]:
    """Cards once more, now that it is known which lie on which: those not sure, or of which more must be seen."""
    out = []
    for i, match in enumerate(matches):
        beneath = [1.0 if k == i else _beneath(other, match, deck) for k, other in enumerate(matches)]
        tried: list[list[Match]] = [] if any(share < 1 for share in beneath[:i]) else [[]]
        for most in _LYING_ON:
            above = [other for other, share in zip(matches, beneath, strict=True) if share < most]
            sure = confidence(match) >= SURE
            if above in tried or (sure and _bare(match, above, deck) < match.free.mean() + _MORE):
                continue
            tried.append(above)
            covered = _nothing(view)
            if above:
                _cover(covered, np.stack([other.pose.place(_outline(deck)) for other in above]))
            again = read_closely(view, covered, deck, match.pose, [match.look])
            if again.free.mean() >= _LEAST_SEEN and again.shown >= min(match.shown, _ALL_SHOWN):
                match = _better(match, again, deck)
        out.append(match)
    return out


def _bare(match: Match, above: Sequence[Match], deck: Deck) -> float:
    """The share of a card that others leave bare."""
    points = _grid(match, deck)[0]
    return 1 - float(np.any([_within(points, other, deck) for other in above], axis=0).mean()) if above else 1.0


def _within(points: F64, card: Match, deck: Deck) -> Mask:
    """Which points of the table (n x 2 mm) lie on a card, or under it."""
    there = np.linalg.solve(card.pose.matrix, (points - card.pose.middle).T).T
    return np.asarray((np.abs(there) < np.array(deck.size_mm) / 2).all(axis=1))


def _better(match: Match, again: Match, deck: Deck) -> Match:
    """The surer of two readings of a place, if they are not of two cards; the later one, if both are sure."""
    if confidence(match) >= SURE:
        same = confidence(again) >= SURE and deck.names[again.look] == deck.names[match.look]
        return again if same else match
    return again if confidence(again) >= confidence(match) else match


def _beneath(upper: Match, lower: Match, deck: Deck) -> float:
    """How far the first of two cards lies beneath the second, 0 (it lies on it) to 1; 1, too, if they lie apart.

    Where they overlap, the picture is off the one that is not seen.
    """
    offs = []
    for one, other in ((upper, lower), (lower, upper)):
        points, off = _grid(one, deck)
        inside = _within(points, other, deck)
        if not inside.any():
            return 1.0
        offs.append(float(off[inside].mean()))
    return offs[0] / max(sum(offs), 1e-9)


def confidence(match: Match) -> float:
    """The chance that a reading is right: as good as the weakest of its reasons.

    The limits were set on tricks of the drawn table, read with the whole deck enrolled and with half of it: of the
    cards that were not enrolled the least strange had 0.51.

    Args:
        match: how the place was read.
    """
    margins = (
        14 * (0.4 - match.strange),
        14 * (0.45 - match.towards),
        3 * math.log(max(match.telling, 0.01)),
        14 * (match.shown - 0.7),
        60 * (_HELD - float(np.linalg.norm(match.pose.matrix, 2))),
    )
    return 1 / (1 + math.exp(-(math.log(SURE / (1 - SURE)) + min(margins))))


def _one_place(a: Pose, b: Pose) -> bool:
    """Whether two poses are of one card: nearly the same place and direction, up to half a turn."""
    turn = np.arctan2(a.matrix[1, 0], a.matrix[0, 0]) - np.arctan2(b.matrix[1, 0], b.matrix[0, 0])
    near = float(np.hypot(*(a.middle - b.middle))) < _SAME_MM
    return near and float(abs((turn + np.pi / 2) % np.pi - np.pi / 2)) < _SAME_RAD


def _nothing(view: View) -> View:
    """The same view with nothing covered."""
    return View(np.zeros(view.picture.shape[:2], np.uint8), view.corner, view.px_per_mm)


def _outline(deck: Deck) -> F64:
    w, h = deck.size_mm
    return np.array([(-w, h), (w, h), (w, -h), (-w, -h)]) / 2


def _grid(match: Match, deck: Deck) -> tuple[F64, F64]:
    """Points all over a card (n x 2 mm on the table), and how far the picture is off there."""
    off = np.minimum(match.off[::_GRID, ::_GRID], _COVERED)
    return match.pose.place(grid(deck.inner_mm, off.shape)), off.ravel().astype(np.float64)


def _cells(match: Match, deck: Deck) -> F64:
    """The outlines (n x 4 x 2 mm on the table) of the cells that show the card; those at its rim reach to its edge."""
    down, across = deck.cells
    x = np.linspace(-deck.inner_mm[0] / 2, deck.inner_mm[0] / 2, across + 1)
    y = np.linspace(deck.inner_mm[1] / 2, -deck.inner_mm[1] / 2, down + 1)
    x[[0, -1]] += (-MARGIN_MM, MARGIN_MM)
    y[[0, -1]] += (MARGIN_MM, -MARGIN_MM)
    rows, columns = np.nonzero(match.agrees & (match.free > 0.25))
    outline = [(x[columns + dx], y[rows + dy]) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))]
    return match.pose.place(np.stack([np.stack(corner, axis=1) for corner in outline], axis=1))


def _cover(covered: View, cells: F64) -> None:
    """Mark cells as covered for the cards that lie below."""
    for outline in np.rint(covered.to_px(cells)).astype(np.int32).reshape(-1, 4, 1, 2):
        cv2.fillConvexPoly(covered.picture, outline, 255)


def _box(plane: PlaneMap, cells: F64, shape: Sequence[int]) -> Box:
    px = plane.to_px(cells.reshape(-1, 2))
    (x0, y0), (x1, y1) = np.floor(px.min(axis=0)), np.ceil(px.max(axis=0))
    x0, y0 = max(x0, 0), max(y0, 0)
    x1, y1 = min(x1, shape[1] - 1), min(y1, shape[0] - 1)
    return int(x0), int(y0), int(max(x1 - x0 + 1, 1)), int(max(y1 - y0 + 1, 1))
