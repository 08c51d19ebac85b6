"""Cards that lie wholly in view and apart from each other, whatever they show; and the table's plane from them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from calibration.geometry import PlaneMap, fit_plane
from companion.vision.cards_edges import find_places
from companion.vision.cards_table import F32, F64, U8, Pose, View, from_above, pose_of

_WORK_PX = 1100.0  # longer side of the picture in which outlines are sought
_EDGES = ((50, 120), (20, 50))  # thresholds of the edge finder: busy tables, pale cards on pale tables
_LEAST, _MOST = 0.0015, 0.4  # share of the picture that a card covers
_SOLID = 0.93  # of an outline's hull is inside the outline
_FILLED = 0.86  # of the smallest rectangle around a card seen aslant
_LONGER = (1.12, 2.0)  # a card's longer side in shorter ones, as seen aslant
_FRAME = 0.85  # share of a card that a frame printed on it fills at most; a shadow adds less to a card than this
_LIKE = 2.0  # areas of cards in one picture, the nearest to the farthest
_ONE_SIDE = 0.05  # of a quad's size (and 2 px, an edge's width): sides so near are one edge seen from both sides
_OUTLINED = 0.7  # share of its outline that must lie on edges for a card found by its size
_ROUNDS = 25
MOST_OFF_MM = 1.2
"""Root mean square of the corners of cards against the plane that they give; on photographs it is 0.2 to 0.3."""


def find_whole(picture: U8) -> list[F64]:
    """The four corners (4 x 2 px) of each card wholly in view, clockwise in the picture, a short side first.

    Things of a card's shape that are no cards are among them, if they are as large as most of what is found.

    Args:
        picture: BGR h x w x 3.
    """
    scale = min(1.0, _WORK_PX / max(picture.shape[:2]))
    small = np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    soft = np.asarray(cv2.GaussianBlur(small, (3, 3), 0), np.uint8)
    room = small.shape[0] * small.shape[1]
    found: list[F64] = []
    for low, high in _EDGES:
        edges = np.max([cv2.Canny(np.ascontiguousarray(soft[..., c]), low, high) for c in range(3)], axis=0)
        edges = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        for outline in cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0]:
            if len(outline) >= 40:
                quad = _quad(outline, room)
                if quad is not None:
                    found.append(quad)
    kept: list[F64] = []
    for quad in found:
        same = [k for k, other in enumerate(kept) if _one_middle(quad, other)]
        if not same:
            kept.append(quad)
        elif _area(quad) * _FRAME > max(_area(kept[k]) for k in same):  # those were frames printed on this card
            kept = [other for k, other in enumerate(kept) if k not in same]
            kept.append(quad)
    kept = _alike(kept)
    grey = np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2GRAY), np.float32)
    return [(_sharpen(grey, quad) + 0.5) / scale - 0.5 for quad in kept]


def in_rows(quads: Sequence[F64]) -> list[list[int]]:
    """Cards laid in rows as a person reads them: rows from top to bottom, each from left to right (indices).

    Rows run as the cards' own sides do: under a camera that is turned or looks aslant they rise and fall by more than
    a card's height, and cards of two rows would change places.

    >>> card = np.array([(0, 0), (5, 0), (5, 8), (0, 8)], float)
    >>> in_rows([card + (9, 1), card + (1, 12), card])
    [[2, 0], [1]]
    """
    if not quads:
        return []
    sides = np.array([[(q[1] + q[2] - q[0] - q[3]) / 2, (q[2] + q[3] - q[0] - q[1]) / 2] for q in quads])
    lying = np.abs(sides[:, 0, 0]) < np.abs(sides[:, 0, 1])  # its long side is the level one
    sides[lying] = sides[lying, ::-1]
    sides[..., 0, :] *= np.where(sides[:, 0, :1] < 0, -1, 1)
    sides[..., 1, :] *= np.where(sides[:, 1, 1:] < 0, -1, 1)
    right, down = np.median(sides, axis=0)
    middles = np.linalg.solve(np.stack([right, down], axis=1), np.array([q.mean(axis=0) for q in quads]).T).T
    rows: list[list[int]] = []
    for i in np.argsort(middles[:, 1], kind="stable"):
        if rows and middles[i, 1] - np.mean(middles[rows[-1], 1]) <= 0.5:
            rows[-1].append(int(i))
        else:
            rows.append([int(i)])
    return [sorted(row, key=lambda k: float(middles[k, 0])) for row in rows]


def fit_table(quads: Sequence[F64], card_mm: tuple[float, float], size: tuple[int, int]) -> tuple[PlaneMap, float]:
    """The plane on which all cards are of one known size, and how far (mm, rms) their corners are off.

    Args:
        quads: corners (4 x 2 px) of cards as :func:`find_whole` gives them, one at least.
        card_mm: width and height of a card.
        size: width and height of the picture in px.

    Raises:
        ValueError: no plane fits.
    """
    shape = _shape(card_mm)
    middle = np.array(size) / 2
    first = min(quads, key=lambda q: math.dist(q.mean(axis=0), middle))
    plane = fit_plane(shape, first, size)
    px = np.concatenate(quads)
    off = 0.0
    for turn in range(_ROUNDS if len(quads) > 1 else 0):
        seen = plane.to_mm(px).reshape(-1, 4, 2)
        placed = np.concatenate([_laid(shape, corners) for corners in seen])
        off = float(np.sqrt(np.mean(np.sum((placed - seen.reshape(-1, 2)) ** 2, axis=1))))
        plane = fit_plane(placed, px, size, lens=None if len(quads) >= 4 and turn > 8 else 0.0, noise_px=0.4)
    return plane, off


def laid_on(plane: PlaneMap, quad: F64, card_mm: tuple[float, float]) -> F64:
    """A card's corners (4 x 2 px) as they must be for its size and the plane, where it is seen."""
    return np.asarray(plane.to_px(_laid(_shape(card_mm), plane.to_mm(quad))))


def good_cards(
    quads: Sequence[F64], card_mm: tuple[float, float], size: tuple[int, int]
) -> tuple[list[F64], PlaneMap] | None:
    """Those that are cards of one size on one plane, with the plane: what is not is left out, the worst first.

    Args:
        quads: as :func:`find_whole` gives them.
        card_mm: width and height of a card.
        size: width and height of the picture in px.

    Returns:
        None when there is no card.
    """
    left = list(quads)
    while left:
        try:
            plane, off = fit_table(left, card_mm, size)
        except ValueError:
            return None
        if off < MOST_OFF_MM:
            return left, plane
        errors = [float(np.abs(laid_on(plane, quad, card_mm) - quad).max()) for quad in left]
        left.pop(int(np.argmax(errors)))
    return None


def find_laid(picture: U8, card_mm: tuple[float, float], most: int = 40) -> tuple[list[F64], PlaneMap] | None:
    """All cards laid apart and wholly in view, with the plane they lie on; None when there is none.

    Those whose outline runs into a pattern of the cloth are found by their edges and their size, once others have
    shown how the table lies; their rims have to be of the others' colour.

    Args:
        picture: BGR h x w x 3.
        card_mm: width and height of a card.
        most: cards at most.
    """
    good = good_cards(find_whole(picture), card_mm, (picture.shape[1], picture.shape[0]))
    if good is None or len(good[0]) < 2:
        return good
    quads, plane = good
    view = from_above(picture, plane)
    places = find_places(view, card_mm, most)
    shape = _shape(card_mm)
    taken = [plane.to_mm(quad).mean(axis=0) for quad in quads]
    rims = np.array([_rim(view, _pose_of(plane, quad, shape), card_mm) for quad in quads])
    low, high = rims.min(axis=0), rims.max(axis=0)
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)
    for middle, angle, support in zip(places.middles, places.angles, places.support, strict=True):
        if support < _OUTLINED or any(math.dist(middle, other) < 0.8 * card_mm[0] for other in taken):
            continue
        pose, rim = _settle(view, pose_of(middle, float(angle)), card_mm)
        quad = _ordered(plane.to_px(pose.place(shape)))
        if quad is None or not _inside(quad, picture.shape):
            continue
        if (rim[:3] > low[:3] * 0.85).all() and (rim[:3] < high[:3] * 1.15).all() and rim[3] < 1.5 * high[3] + 2:
            quads.append(_sharpen(grey, quad))
            taken.append(pose.middle)
    return quads, plane


def _pose_of(plane: PlaneMap, quad: F64, shape: F64) -> Pose:
    corners = plane.to_mm(quad)
    up = corners[:2].mean(axis=0) - corners[2:].mean(axis=0)
    return pose_of(corners.mean(axis=0), math.atan2(float(up[1]), float(up[0])) - math.pi / 2)


def _settle(view: View, pose: Pose, card_mm: tuple[float, float]) -> tuple[Pose, F64]:
    """The place nearby where a card's rim is most of one colour, with that rim: edges of a pattern lead astray."""
    steps = np.arange(-4.5, 4.6, 1.5)
    tried = [Pose(pose.place(np.array([x, y])), pose.matrix) for x in steps for y in steps]
    rims = [_rim(view, one, card_mm) for one in tried]
    # Of equally even ones the nearest.
    costs = [rim[3] + 0.1 * math.dist(one.middle, pose.middle) for one, rim in zip(tried, rims, strict=True)]
    best = int(np.argmin(costs))
    return tried[best], rims[best]


def _rim(view: View, pose: Pose, card_mm: tuple[float, float]) -> F64:
    """Colour (b, g, r) of a card's rim, and how much it varies."""
    rows, columns = 2 * round(card_mm[1] / 4) + 1, 2 * round(card_mm[0] / 4) + 1
    cut = view.cut(pose, (card_mm[0] - 3.0, card_mm[1] - 3.0), (rows, columns)).astype(np.float64)
    rim = np.concatenate([cut[0, 2:-2], cut[-1, 2:-2], cut[2:-2, 0], cut[2:-2, -1]])
    return np.append(np.median(rim, axis=0), np.median(np.abs(rim - np.median(rim, axis=0))))


def _inside(quad: F64, shape: tuple[int, ...]) -> bool:
    return bool((quad >= 0).all() and (quad[:, 0] < shape[1]).all() and (quad[:, 1] < shape[0]).all())


def _shape(card_mm: tuple[float, float]) -> F64:
    w, h = card_mm
    return np.array([(-w, h), (w, h), (w, -h), (-w, -h)]) / 2


def _laid(shape: F64, seen: F64) -> F64:
    """A card's corners (4 x 2 mm) turned and moved onto where they are seen."""
    middle = seen.mean(axis=0)
    a, b = shape[:, 0] + 1j * shape[:, 1], (seen - middle) @ np.array([1, 1j])
    turn = np.vdot(a, b)
    placed = a * turn / max(abs(turn), 1e-12)
    return np.asarray(np.stack([placed.real, placed.imag], axis=1) + middle)


def _one_middle(a: F64, b: F64) -> bool:
    return bool(math.dist(a.mean(axis=0), b.mean(axis=0)) < 0.4 * math.sqrt(max(_area(a), _area(b))))


def _area(quad: F64) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def _quad(outline: npt.NDArray[np.int32], room: int) -> F64 | None:
    """The four sides of an outline (n x 1 x 2 px) if it is a card's, as corners."""
    hull = cv2.convexHull(outline)
    area = cv2.contourArea(hull)
    if not _LEAST * room <= area <= _MOST * room or cv2.contourArea(outline) < _SOLID * area:
        return None
    rectangle = cv2.minAreaRect(hull)
    if area < _FILLED * rectangle[1][0] * rectangle[1][1]:
        return None
    corners = np.asarray(cv2.boxPoints(rectangle), np.float64)
    points = outline.reshape(-1, 2).astype(np.float64)
    for _ in range(2):
        lines = [_side(points, corners[i], corners[(i + 1) % 4]) for i in range(4)]
        if any(line is None for line in lines):
            return None
        meets = [_meet(lines[i - 1], lines[i]) for i in range(4)]  # type: ignore[arg-type]
        if any(m is None for m in meets):
            return None
        corners = np.array(meets)
    return _ordered(corners)


def _side(points: F64, a: F64, b: F64) -> tuple[F64, F64] | None:
    """A line (point, direction) through the outline's points along the middle of a side; None where there are few."""
    length = float(np.hypot(*(b - a)))
    if length < 8:
        return None
    u = (b - a) / length
    along, across = (points - a) @ u, np.abs((points - a) @ np.array([-u[1], u[0]]))
    near = points[(along > 0.15 * length) & (along < 0.85 * length) & (across < 0.09 * length + 2)]
    if len(near) < 0.4 * length:
        return None
    vx, vy, x, y = np.reshape(cv2.fitLine(near.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01), -1)
    off = np.abs((near - (x, y)) @ np.array([-vy, vx]))
    if float(np.median(off)) > 1.5 or float(np.percentile(off, 85)) > 2.5:
        return None
    return np.array([x, y], np.float64), np.array([vx, vy], np.float64)


def _meet(one: tuple[F64, F64], other: tuple[F64, F64]) -> F64 | None:
    (p, u), (q, v) = one, other
    cross = u[0] * v[1] - u[1] * v[0]
    if abs(cross) < 0.5:
        return None
    d = q - p
    return np.asarray(p + u * (d[0] * v[1] - d[1] * v[0]) / cross)


def _ordered(corners: F64) -> F64 | None:
    """Clockwise as seen in the picture, a short side first, the upper one; None for a shape that no card has."""
    if not np.isfinite(corners).all():
        return None
    x, y = corners.T
    if float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) < 0:  # y goes down: positive is clockwise
        corners = corners[::-1]
    sides = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    even, odd = float(sides[0] + sides[2]), float(sides[1] + sides[3])
    if even > odd:
        corners, even, odd = np.roll(corners, -1, axis=0), odd, even
    if not _LONGER[0] * even <= odd <= _LONGER[1] * even or max(sides[0], sides[2]) > 1.5 * min(sides[0], sides[2]):
        return None
    head, foot = corners[:2].mean(axis=0), corners[2:].mean(axis=0)
    if (head[1] - foot[1], foot[0] - head[0]) > (0.0, 0.0):
        corners = np.roll(corners, 2, axis=0)
    return np.ascontiguousarray(corners)


def _alike(quads: list[F64]) -> list[F64]:
    """Those of about one size: of that which most of the area has that is covered by things lying apart."""
    if not quads:
        return []
    areas = np.array([_area(q) for q in quads])
    weights = areas * _apart(quads, areas)
    if not weights.any():
        weights = areas
    votes = [weights[(areas < a * _LIKE) & (areas > a / _LIKE)].sum() for a in areas]
    usual = areas[int(np.argmax(votes))]
    return [q for q, a in zip(quads, areas, strict=True) if usual / _LIKE < a < usual * _LIKE]


def _apart(quads: Sequence[F64], areas: F64) -> npt.NDArray[np.bool_]:
    """Which share no side with another: the fields of a chequered cloth do, cards laid apart don't."""
    sides = np.array([(quad + np.roll(quad, -1, axis=0)) / 2 for quad in quads])
    out = np.ones(len(quads), bool)
    for i, own in enumerate(sides):
        away = np.hypot(*(sides[:, :, None] - own).transpose(3, 0, 1, 2)).min(axis=(1, 2))
        away[i] = np.inf
        out[i] = away.min() >= _ONE_SIDE * math.sqrt(areas[i]) + 2
    return out


def _sharpen(grey: F32, quad: F64) -> F64:
    """Corners from the places where the picture changes most across each side."""
    reach = np.arange(-4, 4.01, 0.5)
    lines = []
    for i in range(4):
        a, b = quad[i], quad[(i + 1) % 4]
        u = (b - a) / np.hypot(*(b - a))
        n = np.array([-u[1], u[0]])
        at = a + np.linspace(0.12, 0.88, 40)[:, None] * (b - a)
        places = (at[:, None] + reach[None, :, None] * n).astype(np.float32)
        values = np.asarray(cv2.remap(grey, places[..., 0], places[..., 1], cv2.INTER_LINEAR), np.float64)
        slopes = np.abs(np.gradient(values, axis=1)) * np.exp(-((reach / 3) ** 2))
        total = slopes**4
        where = (total * reach).sum(axis=1) / np.maximum(total.sum(axis=1), 1e-9)
        points = (at + where[:, None] * n).astype(np.float32)
        vx, vy, x, y = np.reshape(cv2.fitLine(points, cv2.DIST_HUBER, 0, 0.01, 0.01), -1)
        lines.append((np.array([x, y], np.float64), np.array([vx, vy], np.float64)))
    meets = [_meet(lines[i - 1], lines[i]) for i in range(4)]
    if any(m is None or math.dist(m, q) > 5 for m, q in zip(meets, quad, strict=True)):
        return quad
    return np.array(meets)
