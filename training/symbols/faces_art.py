"""Draws sets of six faces for dice: pips, numerals, letters, emblems, animals and patterns that nobody has seen."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from tables import colour

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
Rng = np.random.Generator

SIZE = 96
"""Px of a face's side."""
_FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)


_ALPHABETS = (
    *("123456",) * 3,
    "ABCDEFGHJKLMNPQRSTUVWXYZ",
    "0123456789",
    "abcdefghkmnpqrst",
    "+-*/=!?#&%$@",
)


@dataclass(frozen=True, slots=True)
class Art:
    """A face's print.

    Args:
        paint: SIZE x SIZE x 3, BGR 0 to 1.
        cover: SIZE x SIZE, 0 to 1: where there is paint.
    """

    paint: F32
    cover: F32


def draw_set(rng: Rng, body: F32) -> list[Art]:
    """Six faces that a person can tell apart, for dice of a colour (BGR 0 to 1)."""
    how = rng.random()
    if how < 0.28:
        return _pips(rng, body)
    if how < 0.48:
        return _signs(rng, body)
    return _pictures(rng, body)


def _ink(rng: Rng, body: F32) -> F32:
    """A colour that stands out from the body a little or a lot."""
    apart = rng.uniform(0.2, 0.7)
    for _ in range(20):
        ink = colour(rng, 0.0, 1.0)
        if np.abs(ink - body).max() > apart:
            return ink
    return np.full(3, 0.95 if body.mean() < 0.5 else 0.05, np.float32)


def _bright(rng: Rng, body: F32) -> F32:
    """A strong colour, as faces have that are told apart by it."""
    for _ in range(20):
        hsv = np.array([[[rng.uniform(0, 360), rng.uniform(0.5, 1), rng.uniform(0.35, 1)]]], np.float32)
        ink = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0]
        if np.abs(ink - body).max() > 0.3:
            break
    return np.asarray(ink, np.float32)


def _mask() -> U8:
    return np.zeros((SIZE, SIZE), np.uint8)


def _flat(mask: U8, ink: F32) -> Art:
    return Art(np.broadcast_to(ink, (SIZE, SIZE, 3)).astype(np.float32), mask.astype(np.float32) / 255)


def _px(points: npt.ArrayLike) -> npt.NDArray[np.int32]:
    """Points of -1 to 1 about the face's middle, for OpenCV's drawing with four bits of fraction."""
    return np.asarray((np.asarray(points, np.float64) * 0.5 + 0.5) * SIZE * 16, np.int32)


def _dot(mask: U8, x: float, y: float, r: float, value: int = 255) -> None:
    centre = _px((x, y)).tolist()
    cv2.circle(mask, centre, int(r * SIZE * 8), value, -1, cv2.LINE_AA, 4)


def _polygon(mask: U8, points: npt.ArrayLike, value: int = 255) -> None:
    cv2.fillPoly(mask, [_px(points)], value, cv2.LINE_AA, 4)


def _pips(rng: Rng, body: F32) -> list[Art]:
    """Pips 1 to 6, one or two of them replaced by an emblem."""
    ink, r, p = _ink(rng, body), rng.uniform(0.11, 0.22), rng.uniform(0.45, 0.62)
    layouts = (
        [(0, 0)],
        [(-p, -p), (p, p)],
        [(-p, -p), (0, 0), (p, p)],
        [(-p, -p), (p, p), (-p, p), (p, -p)],
        [(-p, -p), (p, p), (-p, p), (p, -p), (0, 0)],
        [(-p, -p), (p, -p), (-p, 0), (p, 0), (-p, p), (p, p)],
    )
    slant = 1.0 if rng.random() < 0.6 else rng.uniform(0.55, 1.0)
    out = []
    for k, layout in enumerate(layouts):
        mask = _mask()
        for x, y in layout:
            _dot(mask, x * (slant if k in (1, 2) else 1), y * (slant if k in (1, 2) else 1), r)
        out.append(_flat(mask, ink))
    for k in rng.permutation(6)[: int(rng.choice([0, 1, 2], p=[0.3, 0.55, 0.15]))]:
        out[int(k)] = _flat(_emblem(rng), ink)
    return out


def _signs(rng: Rng, body: F32) -> list[Art]:
    """Numerals, letters or marks: plus, minus, a blank face, bars."""
    ink, font = _ink(rng, body), int(rng.choice(_FONTS))
    signs = str(rng.choice(_ALPHABETS))
    signs = signs if signs == "123456" else "".join(rng.permutation(list(signs))[:6])
    thick, large = int(rng.integers(3, 13)), rng.uniform(0.45, 0.85)
    inks = [_bright(rng, body) for _ in range(6)] if rng.random() < 0.25 else [ink] * 6
    out = []
    for sign, paint in zip(signs, inks, strict=True):
        (w, h), _ = cv2.getTextSize(sign, font, 1.0, 1)
        scale = SIZE * large / max(w, h, 18)
        (w, h), _ = cv2.getTextSize(sign, font, scale, thick)
        mask = _mask()
        cv2.putText(mask, sign, ((SIZE - w) // 2, (SIZE + h) // 2), font, scale, 255, thick, cv2.LINE_AA)
        if sign == "6" and rng.random() < 0.6:
            cv2.line(mask, (SIZE // 3, SIZE * 9 // 10), (SIZE * 2 // 3, SIZE * 9 // 10), 255, max(3, thick // 2))
        out.append(_flat(mask, paint))
    if rng.random() < 0.25:
        out[int(rng.integers(6))] = _flat(_mask(), ink)
    return out


def _pictures(rng: Rng, body: F32) -> list[Art]:
    """Emblems: all in one ink, each in its own, or of several colours; some on a coloured ground."""
    one, ink = rng.random() < 0.35, _ink(rng, body)
    many, grounds = rng.random() < 0.35, rng.random() < 0.3
    out = []
    for _ in range(6):
        paint = ink if one else _bright(rng, body)
        art = _flat(_emblem(rng), paint)
        if many and not one and rng.random() < 0.6:
            second = _emblem(rng).astype(np.float32)[..., None] / 255
            art = Art(art.paint * (1 - second) + _bright(rng, body) * second, art.cover)
        if grounds and rng.random() < 0.4:
            art = _on_ground(rng, art, paint, body)
        out.append(art)
    if rng.random() < 0.1:
        out[int(rng.integers(6))] = _flat(_mask(), ink)
    return out


def _on_ground(rng: Rng, art: Art, ground: F32, body: F32) -> Art:
    """The emblem left blank, or in another colour, in a coloured field."""
    mask, edge = _mask(), rng.uniform(0.6, 0.95)
    if rng.random() < 0.6:
        _polygon(mask, [(-edge, -edge), (edge, -edge), (edge, edge), (-edge, edge)])
    else:
        _dot(mask, 0, 0, edge)
    field = mask.astype(np.float32) / 255
    inner = art.cover * field
    if rng.random() < 0.5:
        return Art(np.broadcast_to(ground, (SIZE, SIZE, 3)).astype(np.float32), field * (1 - inner))
    figure = _ink(rng, ground)
    return Art((ground * (1 - inner[..., None]) + figure * inner[..., None]).astype(np.float32), field)


def _emblem(rng: Rng) -> U8:
    """A figure out of simple parts, mostly like its own mirror image."""
    kind, mask = rng.random(), _mask()
    if kind < 0.2:
        _star(rng, mask)
    elif kind < 0.35:
        _strokes(rng, mask)
    else:
        _blobs(rng, mask)
    if rng.random() < 0.55:
        half = SIZE // 2
        mask[:, half:] = mask[:, :half][:, ::-1]
    if rng.random() < 0.3:  # eyes, holes, ribs
        for _ in range(int(rng.integers(1, 4))):
            x, y = rng.uniform(-0.5, 0.5, 2)
            r = rng.uniform(0.06, 0.18)
            _dot(mask, x, y, r, 0)
            _dot(mask, -x, y, r, 0)
    share = float((mask > 127).mean())
    if not 0.05 < share < 0.75:
        return _emblem(rng)
    points = cv2.findNonZero(mask)
    x, y, w, h = cv2.boundingRect(points)
    scale = SIZE * rng.uniform(0.55, 0.9) / max(w, h)
    move = np.array([[scale, 0, SIZE / 2 - (x + w / 2) * scale], [0, scale, SIZE / 2 - (y + h / 2) * scale]])
    return np.asarray(cv2.warpAffine(mask, move, (SIZE, SIZE), flags=cv2.INTER_AREA), np.uint8)


def _star(rng: Rng, mask: U8) -> None:
    """Stars, flowers, gears, regular polygons, rings."""
    n, inner = int(rng.integers(3, 9)), rng.uniform(0.25, 1.0)
    angles = np.arange(2 * n) * np.pi / n
    radii = np.where(np.arange(2 * n) % 2, inner, 1.0) * 0.85
    if rng.random() < 0.4:
        fine = np.linspace(0, 2 * np.pi, 100)
        r = 0.85 * (1 - (1 - inner) * (0.5 + 0.5 * np.cos(n * fine)) ** rng.uniform(0.5, 2))
        _polygon(mask, np.column_stack([r * np.sin(fine), r * np.cos(fine)]))
    else:
        _polygon(mask, np.column_stack([radii * np.sin(angles), radii * np.cos(angles)]))
    if rng.random() < 0.35:
        _dot(mask, 0, 0, rng.uniform(0.15, 0.5), 0)


def _strokes(rng: Rng, mask: U8) -> None:
    """Runes: a few lines and arcs of one pen."""
    pen = int(rng.integers(4, 14))
    for _ in range(int(rng.integers(2, 6))):
        a, b = (_px(rng.uniform(-0.85, 0.85, 2)).tolist() for _ in range(2))
        if rng.random() < 0.7:
            cv2.line(mask, a, b, 255, pen, cv2.LINE_AA, 4)
        else:
            axes = (rng.uniform(0.15, 0.7, 2) * SIZE * 8).astype(int).tolist()
            start = rng.uniform(0, 360)
            cv2.ellipse(mask, a, axes, 0, start, start + rng.uniform(90, 360), 255, pen, cv2.LINE_AA, 4)


def _blobs(rng: Rng, mask: U8) -> None:
    """Bodies: ellipses, triangles, bars and wobbly shapes that overlap, some cut out again."""
    for k in range(int(rng.integers(2, 7))):
        x, y = rng.uniform(-0.65, 0.65, 2)
        value = 0 if k > 1 and rng.random() < 0.25 else 255
        what = rng.random()
        if what < 0.4:
            axes = (rng.uniform(0.1, 0.55, 2) * SIZE * 8).astype(int).tolist()
            cv2.ellipse(mask, _px((x, y)).tolist(), axes, rng.uniform(0, 180), 0, 360, value, -1, cv2.LINE_AA, 4)
        elif what < 0.7:
            _polygon(mask, np.array((x, y)) + rng.uniform(-0.6, 0.6, (int(rng.integers(3, 6)), 2)), value)
        elif what < 0.85:
            a, b = rng.uniform(0.08, 0.5, 2)
            _polygon(mask, [(x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b)], value)
        else:
            fine = np.linspace(0, 2 * np.pi, 60)
            r = rng.uniform(0.2, 0.5) * (1 + 0.4 * np.sin(int(rng.integers(2, 6)) * fine + rng.uniform(0, 6)))
            _polygon(mask, np.column_stack([x + r * np.cos(fine), y + r * np.sin(fine)]), value)
