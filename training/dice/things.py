"""Draws what lies on tables and is no die: round and spotted pieces, cards, sheets, dominoes, boards."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
Rng = np.random.Generator
Colour = tuple[float, float, float]


def colour(rng: Rng, low: float = 0.05, high: float = 0.95) -> F32:
    """A random colour (BGR 0 to 1): half of them dull, as most tables are."""
    grey = rng.uniform(low, high)
    if rng.random() < 0.3:
        return np.clip(np.full(3, grey) + rng.normal(0, 0.02, 3), 0, 1).astype(np.float32)
    hsv = np.array([[[rng.uniform(0, 360), rng.beta(1.5, 1.5), rng.uniform(low, high)]]], np.float32)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def tup(c: F32) -> Colour:
    """A colour as OpenCV's drawing wants it."""
    return (float(c[0]), float(c[1]), float(c[2]))


def write(out: F32, text: str, at: tuple[int, int], scale: float, c: Colour, thick: int) -> None:
    """Writes on a float picture from the baseline's left end (OpenCV 5 writes on 8-bit pictures only)."""
    (w, h), base = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    mask = np.zeros((h + base + 6, w + 6), np.uint8)
    cv2.putText(mask, text, (3, h + 3), cv2.FONT_HERSHEY_SIMPLEX, scale, 255, thick, cv2.LINE_AA)
    x, y = at[0] - 3, at[1] - h - 3
    under = out[max(0, y) : max(0, y + mask.shape[0]), max(0, x) : max(0, x + mask.shape[1])]
    ink = mask[max(0, -y) :, max(0, -x) :][: under.shape[0], : under.shape[1], None].astype(np.float32) / 255
    under[:] = under * (1 - ink) + np.float32(c) * ink


def noise(rng: Rng, size: tuple[int, int], cell: tuple[float, float], channels: int = 1) -> F32:
    """Smooth noise (h x w x channels, about -1 to 1) whose grain is ``cell`` = (x, y) px."""
    w, h = size
    small = rng.normal(0, 0.5, (max(2, round(h / cell[1])), max(2, round(w / cell[0])), channels)).astype(np.float32)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC).reshape(h, w, channels), np.float32)


def disc(rng: Rng, out: F32, at: tuple[float, float], r: float, c: F32) -> None:
    """A round flat thing with a rim and a shadow: coin, token, button, magnet, Othello piece."""
    x, y, n = int(at[0]), int(at[1]), max(2, int(r))
    s = int(rng.integers(0, max(1, n // 4) + 1))
    cv2.circle(out, (x + s, y + s), n, tup(out[y % out.shape[0], x % out.shape[1]] * 0.4), -1, cv2.LINE_AA)
    if rng.random() < 0.3:  # thick, or several on each other
        way = np.array([np.cos(t := rng.uniform(0, 2 * np.pi)), np.sin(t)]) * n * rng.uniform(0.05, 0.2)
        for k in range(int(rng.integers(1, 6)), 0, -1):
            edge = (int(x + k * way[0]), int(y + k * way[1]))
            cv2.circle(out, edge, n, tup(np.clip(c * rng.uniform(0.3, 0.9), 0, 1)), -1, cv2.LINE_AA)
    cv2.circle(out, (x, y), n, tup(c), -1, cv2.LINE_AA)
    for k in range(int(rng.integers(0, 3))):
        cv2.circle(out, (x, y), max(1, int(n * (0.85 - 0.3 * k))), tup(np.clip(c * rng.uniform(0.5, 1.5), 0, 1)), 1, 16)
    if rng.random() < 0.3:
        cv2.circle(out, (x - n // 3, y - n // 3), max(1, n // 6), (1, 1, 1), -1, cv2.LINE_AA)


def coin(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """Metal: a face hardly structured, glints on its rim and its relief, mostly two that face each other."""
    grey = np.full(3, rng.uniform(0.15, 0.75), np.float32)
    c = grey * np.float32([rng.uniform(0.3, 1), rng.uniform(0.7, 1), 1]) if rng.random() < 0.5 else grey
    disc(rng, out, at, r, np.asarray(c, np.float32))
    light, lit = tup(np.clip(c * rng.uniform(1.5, 3) + 0.1, 0, 1)), rng.uniform(0, 360)
    for k in range(int(rng.integers(1, 6))):
        turn = lit + (180 * k if rng.random() < 0.6 else rng.uniform(0, 360))
        far, wide, thick = rng.uniform(0.75, 1) if rng.random() < 0.7 else rng.uniform(0, 0.7), rng.uniform(4, 40), 0.12
        axes = (max(1, int(r * far)),) * 2
        cv2.ellipse(out, at, axes, turn, -wide, wide, light, max(1, int(r * rng.uniform(0.03, thick))), cv2.LINE_AA)


def scrawl(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """Chalk, thread, crumbs, a crease: a short thin line anyhow, or a few."""
    c = tup(colour(rng))
    for _ in range(int(rng.integers(1, 5))):
        turns = np.cumsum(rng.normal(0, 0.9, int(rng.integers(2, 9))) + rng.uniform(0, 0.5))
        way = np.cumsum(np.column_stack([np.cos(turns), np.sin(turns)]) * r * rng.uniform(0.1, 0.5), axis=0)
        line = (way - way.mean(0) + at + rng.normal(0, 0.3 * r, 2)).astype(np.int32)
        cv2.polylines(out, [line], False, c, max(1, int(r * rng.uniform(0.02, 0.15))), cv2.LINE_AA)


def chip(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A poker chip: spots around the rim, a ring inside."""
    a, b = colour(rng), np.full(3, rng.uniform(0.6, 1), np.float32)
    disc(rng, out, at, r, a)
    n, t0 = int(rng.integers(5, 10)), rng.uniform(0, 6)
    for k in range(n):
        t = t0 + 2 * np.pi * k / n
        spot = (int(at[0] + 0.85 * r * np.cos(t)), int(at[1] + 0.85 * r * np.sin(t)))
        cv2.circle(out, spot, max(1, r // 7), tup(b), -1, cv2.LINE_AA)
    cv2.circle(out, at, int(0.6 * r), tup(b), 1, cv2.LINE_AA)


def button(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A button: two to four holes about its middle."""
    disc(rng, out, at, r, colour(rng))
    c, n, t0 = tup(colour(rng, 0, 0.4)), int(rng.choice([2, 3, 4])), rng.uniform(0, 6)
    for k in range(n):
        t = t0 + 2 * np.pi * k / n
        spot = (int(at[0] + 0.33 * r * np.cos(t)), int(at[1] + 0.33 * r * np.sin(t)))
        cv2.circle(out, spot, max(1, r // 6), c, -1, cv2.LINE_AA)


def screw(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A screw: one slot or two that cross."""
    disc(rng, out, at, r, colour(rng, 0.3, 0.9))
    for t in rng.uniform(0, 3) + np.array([0, np.pi / 2])[: int(rng.integers(1, 3))]:
        d = (int(0.7 * r * np.cos(t)), int(0.7 * r * np.sin(t)))
        ends = (at[0] - d[0], at[1] - d[1]), (at[0] + d[0], at[1] + d[1])
        cv2.line(out, *ends, (0.05, 0.05, 0.05), max(1, r // 4), cv2.LINE_AA)


def hole(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A hole, or a flat dark spot."""
    cv2.circle(out, at, r, tup(colour(rng, 0, 0.12)), -1, cv2.LINE_AA)


def block(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A box-like thing from above (wooden cube, rubber, plug, book): a turned rectangle with a shadow, no pips."""
    sides = (r * rng.uniform(1, 2), r * rng.uniform(1, 2.5))
    turn, c = rng.uniform(0, 90), colour(rng)
    corners = cv2.boxPoints((at, sides, turn))
    cv2.fillPoly(out, [(corners + r * 0.3).astype(np.int32)], (0.05, 0.05, 0.05), cv2.LINE_AA)
    cv2.fillPoly(out, [corners.astype(np.int32)], tup(c), cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.polylines(out, [corners.astype(np.int32)], True, tup(np.clip(c * 1.4, 0, 1)), 1, cv2.LINE_AA)
    if rng.random() < 0.4:
        text = str(rng.choice(list("ABCDEFGHKMNPRSTXYZ0123456789?!+*")))
        where = (int(at[0] - r / 2), int(at[1] + r / 2))
        write(out, text, where, r / 18, tup(colour(rng)), max(1, r // 9))


def token(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A round number token with a figure and small dots below, as on settlers' boards."""
    disc(rng, out, at, r, colour(rng, 0.7, 1))
    c = (0.1, 0.1, 0.8) if rng.random() < 0.3 else (0.05, 0.05, 0.05)
    where = (int(at[0] - 0.4 * r), int(at[1] + 0.25 * r))
    write(out, str(rng.integers(2, 13)), where, r / 24, c, max(1, r // 12))
    n = int(rng.integers(1, 6))
    for k in range(n):
        cv2.circle(out, (int(at[0] + (k - n / 2 + 0.5) * 0.25 * r), int(at[1] + 0.6 * r)), max(1, r // 12), c, -1, 16)


def _suit(card: F32, x: float, y: float, r: float, kind: int, c: Colour) -> None:
    """A card symbol about (x, y): 0 diamond, 1 heart, 2 club, 3 spade."""
    p = (int(x), int(y))
    n = max(1, int(r * 0.5))
    tip = -1 if kind == 1 else 1
    if kind == 0:
        corners = [
            (p[0], p[1] - int(1.2 * r)),
            (p[0] + int(r), p[1]),
            (p[0], p[1] + int(1.2 * r)),
            (p[0] - int(r), p[1]),
        ]
        cv2.fillPoly(card, [np.array(corners, np.int32)], c, cv2.LINE_AA)
        return
    for dx, dy in ((-0.5, 0.3), (0.5, 0.3), (0, -0.5))[: 3 if kind == 2 else 2]:
        cv2.circle(card, (int(x + dx * r), int(y + tip * dy * r)), n, c, -1, cv2.LINE_AA)
    if kind == 2:
        cv2.line(card, p, (p[0], p[1] + int(r)), c, max(1, n // 2))
    else:
        corners = [(x - 0.95 * r, y + tip * 0.2 * r), (x + 0.95 * r, y + tip * 0.2 * r), (x, y - tip * r)]
        cv2.fillPoly(card, [np.array(corners, np.int32)], c, cv2.LINE_AA)


def card(rng: Rng) -> F32:
    """A playing card, upright: symbols laid out like pips (the hardest look-alike), a figure, or a patterned back."""
    w = int(rng.integers(50, 170))
    h = int(w * 1.42)
    card = np.full((h, w, 3), rng.uniform(0.8, 1), np.float32)
    red = rng.random() < 0.5
    c: Colour = (0.1, 0.05, 0.8) if red else (0.06, 0.05, 0.05)
    what = rng.random()
    if what < 0.2:
        n, back = int(rng.integers(4, 12)), tup(colour(rng))
        cv2.rectangle(card, (w // 14, w // 14), (w - w // 14, h - w // 14), back, -1)
        for y in range(n, h - n, n):
            for x in range(n, w - n, n):
                cv2.circle(card, (x + (n // 2 if y // n % 2 else 0), y), max(1, n // 4), (1, 1, 1), -1, cv2.LINE_AA)
        return card
    kind = int(rng.integers(0, 2)) if red else int(rng.integers(2, 4))
    write(card, str(rng.choice(list("23456789AJQK"))), (3, h // 7), w / 110, c, 1 + w // 80)
    _suit(card, w * 0.1, h * 0.21, w * 0.05, kind, c)
    if what < 0.35:
        inner = noise(rng, (w, h), (w / 9, w / 9), 3)
        card[h // 7 : -h // 7, w // 5 : -w // 5] = np.clip(0.6 + inner, 0, 1)[h // 7 : -h // 7, w // 5 : -w // 5]
        return card
    columns = [[0.5], [0.3, 0.7], [0.3, 0.5, 0.7]][int(rng.integers(0, 3))]
    rows = int(rng.integers(1, 5))
    for cx in columns:
        for k in range(rows):
            _suit(card, w * cx, h * (0.18 + 0.64 * (k + 0.5) / rows), w * rng.uniform(0.08, 0.1), kind, c)
    return card


def sheet(rng: Rng) -> F32:
    """A score sheet, a form or a printed page."""
    w, h = int(rng.integers(120, 400)), int(rng.integers(120, 400))
    page = np.empty((h, w, 3), np.float32)
    page[:] = rng.uniform(0.75, 1) if rng.random() < 0.7 else colour(rng, 0.5)
    ink = tup(colour(rng, 0, 0.4))
    step = int(rng.integers(6, 26))
    grid = rng.random() < 0.4
    words = "".join(rng.choice(list("abcdefghij klmnop qrstu vwxyz .,:;0123456789 OIQ%&8o"), 60))
    for y in range(step, h, step):
        if grid:
            cv2.line(page, (0, y), (w, y), ink, 1)
        if rng.random() < 0.8:
            write(page, words[int(rng.integers(0, 20)) :], (step, y - 2), step / 40, ink, 1)
        if rng.random() < 0.1:
            for x in range(step, w, int(step * rng.uniform(1, 2))):  # bullets and tick boxes
                cv2.circle(page, (x, y), max(1, step // 4), ink, -1 if rng.random() < 0.5 else 1, cv2.LINE_AA)
    if grid:
        for x in range(0, w, int(step * rng.uniform(1.5, 4))):
            cv2.line(page, (x, 0), (x, h), ink, 1)
    return page


def domino(rng: Rng) -> F32:
    """A domino, upright; flat and two squares long, which is all that tells it from two dice."""
    n = int(rng.integers(16, 60))
    dark = rng.random() < 0.4
    out = np.full((2 * n, n, 3), 0.1 if dark else 0.9, np.float32)
    c: Colour = (0.9, 0.9, 0.9) if dark else (0.05, 0.05, 0.05)
    cv2.line(out, (2, n), (n - 2, n), c, max(1, n // 20))
    grid = [(x, y) for y in (0.25, 0.5, 0.75) for x in (0.25, 0.5, 0.75)]
    spots = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]]
    for half in (0, 1):
        for k in spots[int(rng.integers(0, 7))]:
            cv2.circle(out, (int(grid[k][0] * n), int((grid[k][1] + half) * n)), max(1, n // 11), c, -1, cv2.LINE_AA)
    return out


def tile(rng: Rng, out: F32, at: tuple[int, int], side: float, lean: tuple[float, float]) -> None:
    """A thick domino about a point: its walls show on the side that leans away from the camera.

    Args:
        rng: what is drawn follows from its state.
        out: the table, in place.
        at: x, y of the top's middle in px.
        side: the tile's width in px; it is twice as long.
        lean: by how much of its width the tile's foot lies off its top, x and y.
    """
    n = 48
    flat = np.empty((2 * n, n, 3), np.float32)
    body = colour(rng, 0.6, 1) if rng.random() < 0.6 else colour(rng, 0.03, 0.5)
    flat[:] = body
    ink = tup(colour(rng, 0, 0.2) if body.mean() > 0.45 else colour(rng, 0.75, 1))
    many = [tup(colour(rng, 0, 0.6) if body.mean() > 0.45 else colour(rng, 0.6, 1)) for _ in range(7)]
    coloured = rng.random() < 0.2  # each number of pips has its own colour
    bar = rng.random()
    if bar < 0.8:  # painted, or a groove, from side to side or not
        line = ink if rng.random() < 0.6 else tup(body * np.float32(rng.uniform(0.4, 0.85)))
        end = 4 if rng.random() < 0.6 else int(rng.integers(0, 15))
        cv2.line(flat, (end, n), (n - end, n), line, int(rng.integers(1, 5)))
    if rng.random() < 0.3:
        cv2.circle(flat, (n // 2, n), 3, tup(colour(rng)), -1, cv2.LINE_AA)
    pitch, size = rng.uniform(0.2, 0.31), int(rng.integers(3, 7))
    spots = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]]
    for half in (0, 1):
        number = spots[int(rng.integers(0, 7))]
        for k in number:
            x, y = (k % 3 - 1) * pitch + 0.5, (k // 3 - 1) * pitch + 0.5 + half
            cv2.circle(flat, (int(x * n), int(y * n)), size, many[len(number)] if coloured else ink, -1, cv2.LINE_AA)
    flat *= 1 + noise(rng, (n, 2 * n), (n, n)) * np.float32(rng.uniform(0, 0.2))
    m = cv2.getRotationMatrix2D((n / 2, n), rng.uniform(0, 360), side / n)
    m[:, 2] += np.array(at) - (n / 2, n)
    frame = (out.shape[1], out.shape[0])
    whole = np.zeros((2 * n, n), np.float32)
    r = int(n * rng.uniform(0.02, 0.22))  # round corners
    core = [np.array([(r, r), (n - 1 - r, r), (n - 1 - r, 2 * n - 1 - r), (r, 2 * n - 1 - r)])]
    cv2.fillPoly(whole, core, 1.0)
    whole = cv2.dilate(whole, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * r + 1, 2 * r + 1)))
    wall = np.zeros(out.shape[:2], np.float32)
    for share in np.linspace(1, 0, 6):
        moved = m.copy()
        moved[:, 2] += np.array(lean) * side * share
        wall = np.maximum(wall, cv2.warpAffine(whole, moved, frame, flags=cv2.INTER_LINEAR))
    out *= 1 - rng.uniform(0.2, 0.6) * cv2.GaussianBlur(wall, (0, 0), max(1.0, 0.12 * side))[:, :, None]
    out[:] = out * (1 - wall[:, :, None]) + body * np.float32(rng.uniform(0.3, 0.9)) * wall[:, :, None]
    top = cv2.warpAffine(whole, m, frame, flags=cv2.INTER_LINEAR)[:, :, None]
    out[:] = out * (1 - top) + cv2.warpAffine(flat, m, frame, flags=cv2.INTER_AREA) * top


def paste(rng: Rng, out: F32, flat: F32, at: tuple[int, int]) -> None:
    """Lays a flat rectangle turned anyhow about a point, with a thin shadow."""
    h, w = flat.shape[:2]
    m = cv2.getRotationMatrix2D((w / 2, h / 2), rng.uniform(0, 360), 1)
    m[:, 2] += np.array(at) - (w / 2, h / 2)
    size = (out.shape[1], out.shape[0])
    mask = cv2.warpAffine(np.ones((h, w), np.float32), m, size, flags=cv2.INTER_LINEAR)[:, :, None]
    out *= 1 - 0.4 * cv2.GaussianBlur(mask, (0, 0), 3)[:, :, None]
    out[:] = out * (1 - mask) + cv2.warpAffine(flat, m, size, flags=cv2.INTER_LINEAR) * mask


def spotted(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A round piece with spots anyhow: a topping, a biscuit, a ladybird."""
    disc(rng, out, at, r, colour(rng))
    c = tup(colour(rng))
    for _ in range(int(rng.integers(1, 10))):
        t, d = rng.uniform(0, 2 * np.pi), r * 0.7 * np.sqrt(rng.uniform(0, 1))
        spot = (int(at[0] + d * np.cos(t)), int(at[1] + d * np.sin(t)))
        cv2.circle(out, spot, max(1, int(r * rng.uniform(0.08, 0.25))), c, -1, cv2.LINE_AA)


def cut_slice(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A round slice of something (tomato, cucumber, orange): a rim, and seeds or wedges around the middle."""
    disc(rng, out, at, r, colour(rng, 0.2))
    cv2.circle(out, at, max(1, int(r * rng.uniform(0.75, 0.92))), tup(colour(rng, 0.2)), -1, cv2.LINE_AA)
    c, n, t0 = tup(colour(rng)), int(rng.integers(3, 10)), rng.uniform(0, 6)
    far, long, wide = r * rng.uniform(0.35, 0.6), r * rng.uniform(0.1, 0.35), r * rng.uniform(0.05, 0.2)
    for k in range(n):
        t = t0 + 2 * np.pi * k / n
        spot = (int(at[0] + far * np.cos(t)), int(at[1] + far * np.sin(t)))
        axes = (max(1, int(long)), max(1, int(wide)))
        cv2.ellipse(out, spot, axes, float(np.degrees(t)), 0, 360, c, -1, cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.circle(out, at, max(1, int(r * rng.uniform(0.05, 0.2))), tup(colour(rng)), -1, cv2.LINE_AA)


def ringed(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A turned piece: raised rings with light on one side and shade on the other, a knob or a figure in the middle."""
    c = colour(rng)
    disc(rng, out, at, r, c)
    lit = rng.uniform(0, 360)
    for k in np.sort(rng.uniform(0.3, 0.95, int(rng.integers(1, 4))))[::-1]:
        axes = (max(1, int(r * k)), max(1, int(r * k)))
        thick = max(1, int(r * 0.05))
        cv2.ellipse(out, at, axes, lit, -70, 70, tup(np.clip(c * 1.5 + 0.15, 0, 1)), thick, cv2.LINE_AA)
        cv2.ellipse(out, at, axes, lit, 110, 250, tup(c * 0.4), thick, cv2.LINE_AA)
    if rng.random() < 0.4:  # the lamp in the middle
        cv2.circle(out, at, max(1, int(r * rng.uniform(0.2, 0.4))), tup(c * rng.uniform(0.3, 0.9)), -1, cv2.LINE_AA)
        glint = (int(at[0] + r * rng.normal(0, 0.1)), int(at[1] + r * rng.normal(0, 0.1)))
        size = (max(1, int(r * rng.uniform(0.05, 0.2))), max(1, int(r * rng.uniform(0.05, 0.2))))
        cv2.ellipse(out, glint, size, lit, 0, 360, tup(np.clip(c + rng.uniform(0.3, 0.9), 0, 1)), -1, cv2.LINE_AA)
    elif rng.random() < 0.4:
        text = str(rng.choice(list("ABCEKRT1250")))
        write(out, text, (int(at[0] - 0.35 * r), int(at[1] + 0.35 * r)), r / 26, tup(colour(rng)), max(1, r // 10))


def flower(rng: Rng, out: F32, at: tuple[int, int], r: int) -> None:
    """A printed or real flower: petals about a spot."""
    c, n, t0 = (
        tup(colour(rng, 0.3) if rng.random() < 0.6 else np.float32([0.9, 0.95, 0.95])),
        int(rng.integers(4, 13)),
        0.3,
    )
    size = (max(1, int(r * rng.uniform(0.3, 0.55))), max(1, int(r * rng.uniform(0.1, 0.35))))
    for k in range(n):
        t = t0 + 2 * np.pi * k / n
        petal = (int(at[0] + 0.5 * r * np.cos(t)), int(at[1] + 0.5 * r * np.sin(t)))
        cv2.ellipse(out, petal, size, float(np.degrees(t)), 0, 360, c, -1, cv2.LINE_AA)
    cv2.circle(out, at, max(1, int(r * rng.uniform(0.12, 0.3))), tup(colour(rng)), -1, cv2.LINE_AA)


def game_board(rng: Rng, out: F32, unit: float) -> None:
    """A round or six-sided game board with round pieces in a triangular grid and sticks across."""
    h, w = out.shape[:2]
    n = int(rng.integers(2, 5))
    step = unit * rng.uniform(0.5, 1.6)
    middle = np.array([rng.uniform(0, w), rng.uniform(0, h)])
    around = int((n + 0.9) * step)
    sides = int(rng.choice([6, 60]))
    a = np.arange(sides) * 2 * np.pi / sides
    edge = (middle + around * np.column_stack([np.cos(a), np.sin(a)])).astype(np.int32)
    cv2.fillPoly(out, [edge], tup(colour(rng, 0.2)), cv2.LINE_AA)
    cv2.polylines(out, [edge], True, tup(colour(rng)), max(1, int(step * rng.uniform(0.05, 0.5))), cv2.LINE_AA)
    makers = [spotted, hole, token, cut_slice, ringed, lambda g, o, p, r: disc(g, o, p, r, colour(g))]
    kinds = rng.choice(len(makers), 2)
    for i in range(-n, n + 1):
        for j in range(-n, n + 1):
            if abs(i + j) <= n and rng.random() < 0.75:
                x, y = middle + step * np.array([i + j / 2, j * 0.866])
                makers[int(rng.choice(kinds))](rng, out, (int(x), int(y)), max(2, int(step * rng.uniform(0.3, 0.48))))
    for t in rng.uniform(0, np.pi, int(rng.integers(0, 4))):
        d, aside = np.array([np.cos(t), np.sin(t)]), rng.uniform(-0.7, 0.7) * around * np.array([-np.sin(t), np.cos(t)])
        ends = [(middle + aside + s * 1.2 * around * d).astype(int).tolist() for s in (-1, 1)]
        cv2.line(out, ends[0], ends[1], tup(colour(rng)), max(1, int(0.12 * step)), cv2.LINE_AA)
