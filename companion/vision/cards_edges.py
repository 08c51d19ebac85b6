"""Where cards may lie, told by their straight edges: on the cloth, on each other, wholly or partly in view.

All places are in mm on the table (x right, y up). Every two edges at a right angle that could be a long and a short
side of one card give a place; those stay whose outline lies on edges all around as far as a covered card shows them.
A deck's rim, where it is known, puts those first along whose outline such a rim is seen: the fields of a chequered
cloth have edges enough for thousands of places.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.cards_table import F32, F64, Mask, View, grey

SCALE = 1.1
"""px a mm at which edges are looked for: cards' edges stay sharp, cloth and noise do not."""
_SHORTEST_MM = 11.0
_ANGLE = math.radians(3.0)  # two edges of one card are square to within this
_BEYOND_MM = 3.0  # an edge may reach beyond its card's corner so far
_BINS = 12  # directions of edges kept apart when an outline is checked
_LEAST_SUPPORT = 0.3
_APART_MM, _APART_RAD = 2.5, math.radians(4.0)
_INSET_MM = 1.5  # so far inside a card its rim is looked at: the edge itself is blurred
_HUE, _LIGHT = 0.18, 0.2  # by which shares a rim's colour and its brightness may differ from what is expected
_DARKEST = 0.3  # of the brightness at the enrolment
_DARK, _BRIGHT = 0.4, 0.9  # of the brightest rim in the picture: from the one to the other a place counts more
_LIGHTER = 1.3  # times as bright as at the enrolment: no rim that is known to be so counts as the brightest
_MOST_EDGES = 700  # pairs of edges grow with the square of their number
_EDGES_ALONE = 0.1  # what an outline counts without a rim, against one along which it is seen


@dataclass(frozen=True, slots=True)
class Rim:
    """How the outermost part of a deck's cards looks.

    Args:
        colour: b, g, r when it was enrolled.
        spread: by which share it differs from card to card, and from place to place on a card.
    """

    colour: tuple[float, float, float]
    spread: float


@dataclass(frozen=True, slots=True)
class Places:
    """Where cards may lie, best first.

    Args:
        middles: n x 2 mm.
        angles: n, of the card's head against the table's +y, counter-clockwise, rad, in [0, pi): which end is the
            head is open.
        support: n, share of the outline that lies on edges, 0 to 1.
    """

    middles: F64
    angles: F64
    support: F64


def find_edges(view: View) -> F64:
    """Straight edges: n x 4, both ends in mm on the table.

    Args:
        view: the table from above, at any scale of ``SCALE`` or more.
    """
    small = view.at_scale(SCALE)
    picture = cv2.cvtColor(small.picture, cv2.COLOR_BGR2GRAY)
    # Refined: otherwise a joint of planks that crosses a card's edge at up to 25 degrees becomes one edge with it. A
    # smaller tolerance than the detector's own 22.5 degrees would part them, too, but loses edges that are not smooth.
    found = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD, 1.0).detect(picture)[0]
    if found is None:
        return np.zeros((0, 4))
    ends = small.to_mm(np.reshape(found, (-1, 2)).astype(np.float64) - 0.5).reshape(-1, 4)
    long = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1]) >= _SHORTEST_MM
    return np.asarray(ends[long])


def find_places(view: View, size_mm: tuple[float, float], most: int, rim: Rim | None = None) -> Places:
    """Places of cards of a known size.

    Args:
        view: the table from above, at any scale of ``SCALE`` or more.
        size_mm: width and height of a card.
        most: how many places to return.
        rim: of the deck, if it is known.
    """
    view = view.at_scale(SCALE)
    edges = _likeliest(find_edges(view), view, rim)
    middles, angles = _corners(edges, size_mm)
    if not len(middles):
        return Places(middles, angles, np.zeros(0))
    on_edge = _outlined(edges, middles, angles, size_mm)
    support = on_edge.mean(axis=1)
    enough = np.flatnonzero(support >= _LEAST_SUPPORT)
    middles, angles, support = middles[enough], angles[enough], support[enough]
    rank = support
    if rim is not None:
        inner = (size_mm[0] - 2 * _INSET_MM, size_mm[1] - 2 * _INSET_MM)
        like, light = _rimmed(view, _around(middles, angles, inner), rim, on_edge[enough])
        rimmed = (like & on_edge[enough]).mean(axis=1)
        rank = _EDGES_ALONE * support + rimmed**2 / support * _brightness(light)
    kept: list[int] = []
    for i in np.argsort(-rank, kind="stable")[: most * 12]:
        near = np.array(kept, np.intp)
        turn = np.abs((angles[near] - angles[i] + math.pi / 2) % math.pi - math.pi / 2)
        away = np.hypot(*(middles[near] - middles[i]).T)
        if not ((away < _APART_MM) & (turn < _APART_RAD)).any():
            kept.append(int(i))
            if len(kept) == most:
                break
    return Places(middles[kept], angles[kept], support[kept])


def _likeliest(edges: F64, view: View, rim: Rim | None) -> F64:
    """The longest edges, if there are very many; those first that have a rim's colour on one of their sides."""
    if len(edges) <= _MOST_EDGES:
        return edges
    a, b = edges[:, :2], edges[:, 2:]
    length = np.hypot(*(b - a).T)
    rank = length / (_SHORTEST_MM + length)
    if rim is not None:
        across = np.stack([a[:, 1] - b[:, 1], b[:, 0] - a[:, 0]], axis=1) / length[:, None] * _INSET_MM
        at = a[:, None] + np.linspace(0.1, 0.9, 7)[None, :, None] * (b - a)[:, None]
        sides = [_rimmed(view, at + side * across[:, None], rim) for side in (1, -1)]
        light = np.concatenate([light for _, light in sides])
        shares = np.concatenate([like.mean(axis=1) for like, _ in sides]) * _brightness(light)
        rank = rank + np.max(shares.reshape(2, -1), axis=0)
    return np.asarray(edges[np.argsort(-rank, kind="stable")[:_MOST_EDGES]])


def _rimmed(view: View, points: F64, rim: Rim, on_edge: Mask | None = None) -> tuple[Mask, F32]:
    """Which points (n x m) look as a rim does in the light that lies on all m of them; and how bright that is (n).

    The light is in that of the enrolment.

    Args:
        view: the table.
        points: where to look, n x m x 2 mm.
        rim: how it looks.
        on_edge: n x m: points at an edge tell the light.
    """
    h, w = view.picture.shape[:2]
    px = np.rint(view.to_px(points)).astype(np.intp)
    x, y = px[..., 0], px[..., 1]
    inside = (x >= 0) & (y >= 0) & (x < w) & (y < h)
    seen = view.picture[np.clip(y, 0, h - 1), np.clip(x, 0, w - 1)] / np.maximum(np.array(rim.colour, np.float32), 8)
    light = grey(np.asarray(seen, np.float32))
    b, g, r = np.moveaxis(np.abs(seen / np.maximum(light, 0.01)[..., None] - 1), 2, 0)
    hue = np.maximum(np.maximum(b, g), r) < _HUE + rim.spread
    like = inside & hue & (light > _DARKEST)
    telling = light * (like if on_edge is None else like & on_edge)
    usual = np.partition(telling, telling.shape[1] * 4 // 5, axis=1)[:, telling.shape[1] * 4 // 5]
    near = np.abs(light - usual[:, None]) < (_LIGHT + rim.spread) * usual[:, None]
    return np.asarray(like & near), np.asarray(usual, np.float32)


def _brightness(light: F32) -> F32:
    """What places count by the light on their rims, the brightest 1: most tables are darker than cards."""
    usual = max(min(float(light.max(initial=0)), _LIGHTER), _DARKEST)
    return np.asarray(np.clip((light / usual - _DARK) / (_BRIGHT - _DARK), _DARK, 1), np.float32)


def _around(middles: F64, angles: F64, size_mm: tuple[float, float]) -> F64:
    """Points (n x 56 x 2 mm) along the outlines of cards; rounded corners have no edge."""
    width, height = size_mm
    across, up = np.linspace(-0.5, 0.5, 13)[1:-1] * width, np.linspace(-0.5, 0.5, 19)[1:-1] * height
    sides = [(across, np.full(11, s * height / 2)) for s in (1, -1)] + [
        (np.full(17, s * width / 2), up) for s in (1, -1)
    ]
    x, y = (np.concatenate([side[k] for side in sides]) for k in (0, 1))
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    return np.stack([middles[:, :1] + x * c - y * s, middles[:, 1:] + x * s + y * c], axis=2)


def _corners(edges: F64, size_mm: tuple[float, float]) -> tuple[F64, F64]:
    """Middles and angles of the cards that each two square edges may be sides of."""
    if len(edges) < 2:
        return np.zeros((0, 2)), np.zeros(0)
    width, height = size_mm
    a, b = edges[:, :2], edges[:, 2:]
    length = np.hypot(*(b - a).T)
    along = (b - a) / length[:, None]
    theta = np.arctan2(along[:, 1], along[:, 0])
    off = np.abs((theta[:, None] - theta[None, :]) % math.pi - math.pi / 2)
    fits = (length <= height + 2 * _BEYOND_MM)[:, None] & (length <= width + 2 * _BEYOND_MM)[None, :]
    i, j = np.nonzero((off < _ANGLE) & fits)  # i: a long side, j: a short one
    # Where the two lines meet, seen along the long side.
    u, v = along[i], along[j]
    cross = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    d = a[j] - a[i]
    s = (d[:, 0] * v[:, 1] - d[:, 1] * v[:, 0]) / cross
    corner = a[i] + s[:, None] * u
    middle_i, middle_j = (a[i] + b[i]) / 2, (a[j] + b[j]) / 2
    at_i, at_j = np.sum((middle_i - corner) * u, axis=1), np.sum((middle_j - corner) * v, axis=1)
    inside = (np.abs(at_i) + length[i] / 2 <= height + _BEYOND_MM) & (np.abs(at_i) - length[i] / 2 >= -_BEYOND_MM)
    inside &= (np.abs(at_j) + length[j] / 2 <= width + _BEYOND_MM) & (np.abs(at_j) - length[j] / 2 >= -_BEYOND_MM)
    # The longer edge knows the direction better.
    lead = (length[i] >= length[j])[:, None]
    square = np.stack([v[:, 1], -v[:, 0]], axis=1)
    square *= np.sign(np.sum(square * u, axis=1, keepdims=True))
    u_true = np.where(lead, u, square)
    v_true = np.stack([-u_true[:, 1], u_true[:, 0]], axis=1)
    v_true *= np.sign(np.sum(v_true * v, axis=1, keepdims=True))
    middle = corner + u_true * (np.sign(at_i) * height / 2)[:, None] + v_true * (np.sign(at_j) * width / 2)[:, None]
    angle = (np.arctan2(u_true[:, 1], u_true[:, 0]) - math.pi / 2) % math.pi
    return middle[inside], angle[inside]


def _outlined(edges: F64, middles: F64, angles: F64, size_mm: tuple[float, float]) -> Mask:
    """Which points of each place's outline (n x 56, as :func:`_around` has them) lie on edges of its direction."""
    low = edges.reshape(-1, 2).min(axis=0) - 4
    w, h = (int(n) for n in np.ceil(edges.reshape(-1, 2).max(axis=0) - low) + 4)
    w, h = min(w, 3000), min(h, 3000)
    step = math.pi / _BINS
    drawn = np.zeros((_BINS, h, w), np.uint8)
    directions = np.arctan2(edges[:, 3] - edges[:, 1], edges[:, 2] - edges[:, 0]) % math.pi
    ends = np.round((edges.reshape(-1, 2, 2) - low) * 16).astype(np.int32)
    for (start, end), direction in zip(ends.tolist(), directions.tolist(), strict=True):
        bin_at = direction / step
        for k in {int(bin_at - 0.35) % _BINS, int(bin_at + 0.35) % _BINS}:
            cv2.line(drawn[k], start, end, 1, 3, cv2.LINE_8, 4)
    level = np.concatenate([np.ones(22, bool), np.zeros(34, bool)])
    px = np.rint(_around(middles, angles, size_mm) - low).astype(np.intp)
    x, y = px[..., 0], px[..., 1]
    bins = (np.where(level, angles[:, None], angles[:, None] + math.pi / 2) % math.pi / step).astype(np.intp) % _BINS
    seen = (x >= 0) & (y >= 0) & (x < w) & (y < h)
    return np.asarray((drawn[bins, np.clip(y, 0, h - 1), np.clip(x, 0, w - 1)] > 0) & seen)
