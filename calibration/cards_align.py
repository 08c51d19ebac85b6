"""Faces of cards brought onto each other: prints that all cards of a kind share have to lie in one place.

The outline of a card on a table is found to half a millimetre or so, the more so where a plank's joint or a cloth's
pattern runs along it. A twelve cut out 0.6 mm aside of a thirteen differs from it by its frame and its emblem more than
by its number: on one wooden table, of 290 cards in tricks 2 twelves were read as the thirteen and 39 cards not at all;
brought together, none and 3.
"""

from __future__ import annotations

import numpy as np

from companion.vision.cards_deck import FACE_PX_PER_MM, MARGIN_MM
from companion.vision.cards_table import F64, U8

_LIKE = 0.8  # correlation: within a colour of the drawn deck mostly 0.94, between its kinds of cards up to 0.72
_MAY_BE_LIKE = 0.5  # before they are brought onto each other
_MOST_MM = 1.5  # a face that would have to move farther is none of that kind
_FAR_MM = 12.0  # that a card may have been cut out aside, along a plank's joint or a field of the cloth
_KIND = 3  # faces at least
_ROUNDS, _CLOSE_ENOUGH = 30, 1e-4


def misplaced(faces: U8) -> list[F64]:
    """How each face's print lies off that of most faces of its kind, told by what they have in common.

    Args:
        faces: n x h x w x 3, BGR, at ``FACE_PX_PER_MM``.

    Returns:
        n x (mm right, mm down); zeros for a face that is like no other. A face like none where it lies is tried up to
        12 mm aside of the others' place: on two of three wooden or chequered tables a card was cut out 10 mm aside.
    """
    import cv2

    cut = round(MARGIN_MM * FACE_PX_PER_MM)
    grey = [cv2.GaussianBlur(cv2.cvtColor(face, cv2.COLOR_BGR2GRAY)[cut:-cut, cut:-cut], (5, 5), 0) for face in faces]
    likeness = np.atleast_2d(np.corrcoef(np.stack(grey).reshape(len(faces), -1)))
    out = [np.zeros(2) for _ in faces]
    left = list(range(len(faces)))
    alone: list[int] = []
    kinds: list[tuple[int, F64]] = []
    while left:
        first = left[int(likeness[np.ix_(left, left)].sum(axis=1).argmax())]
        moves = {first: np.zeros(2)}
        for k in left:
            if k != first and likeness[first, k] > _MAY_BE_LIKE:
                move = _move(np.asarray(grey[first], np.uint8), np.asarray(grey[k], np.uint8))
                if move is not None:
                    moves[k] = move
        usual = np.median(list(moves.values()), axis=0)
        for k, move in moves.items():
            out[k] = move - usual
        left = [k for k in left if k not in moves]
        if len(moves) == 1:
            alone.append(first)
        elif len(moves) >= _KIND:
            kinds.append((first, usual))
    for k in alone:
        for first, usual in kinds:
            move = _far_move(np.asarray(grey[first], np.uint8), np.asarray(grey[k], np.uint8))
            if move is not None:
                out[k] = move - usual
                break
    return out


def moved(quad: F64, move: F64, card_mm: tuple[float, float]) -> F64:
    """A card's corners (4 x 2 px of the picture) moved on the card as :func:`misplaced` says.

    >>> card = np.array([(0, 0), (60, 0), (60, 90), (0, 90)], float)
    >>> moved(card, np.array([1.0, 2.0]), (60.0, 90.0)).round(6).tolist()
    [[1.0, 2.0], [61.0, 2.0], [61.0, 92.0], [1.0, 92.0]]
    """
    import cv2

    w, h = card_mm
    corners = np.array([(-w, -h), (w, -h), (w, h), (-w, h)]) / 2
    onto = cv2.getPerspectiveTransform(corners.astype(np.float32), quad.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform((corners + move)[None], onto)[0], np.float64)


def _far_move(wanted: U8, face: U8) -> F64 | None:
    """How a face that was cut out far aside lies against one of its kind (mm right and down); None if it is of none."""
    import cv2

    reach = round(_FAR_MM * FACE_PX_PER_MM)
    found = cv2.matchTemplate(face, wanted[reach:-reach, reach:-reach], cv2.TM_CCOEFF_NORMED)
    like, at = cv2.minMaxLoc(found)[1::2]
    start = (np.array(at, np.float64) - reach) / FACE_PX_PER_MM
    if like < _LIKE or float(np.hypot(*start)) <= _MOST_MM:
        return None
    return _move(wanted, face, start)


def _move(wanted: U8, face: U8, start: F64 | None = None) -> F64 | None:
    """How a face lies against another of its kind (mm right and down); None if it is of no such kind.

    A turn is not sought: with one the digits, which differ, pulled well placed faces by up to 0.5 mm at their corners.

    Args:
        wanted: the other, grey.
        face: the face, grey.
        start: how it lies nearly.
    """
    import cv2

    start = np.zeros(2) if start is None else start
    warp = np.eye(2, 3, dtype=np.float32)
    warp[:, 2] = start * FACE_PX_PER_MM
    until = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, _ROUNDS, _CLOSE_ENOUGH)
    try:
        like, found = cv2.findTransformECC(wanted, face, warp, cv2.MOTION_TRANSLATION, until, None, 1)
    except cv2.error:  # it runs away
        return None
    away = np.asarray(found, np.float64)[:, 2] / FACE_PX_PER_MM
    return away if like >= _LIKE and float(np.hypot(*(away - start))) <= _MOST_MM else None
