"""Draws what dice lie on: tables and cloths, with things on them that aren't dice, and a hand over them."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt
from things import (
    F32,
    Rng,
    block,
    button,
    card,
    chip,
    coin,
    colour,
    cut_slice,
    disc,
    domino,
    flower,
    game_board,
    hole,
    noise,
    paste,
    ringed,
    scrawl,
    screw,
    sheet,
    spotted,
    tile,
    token,
    tup,
)


def _plain(rng: Rng, w: int, h: int) -> F32:
    out = np.empty((h, w, 3), np.float32)
    out[:] = colour(rng) if rng.random() < 0.7 else np.float32(rng.uniform(0.02, 0.2))
    out += noise(rng, (w, h), (w / 4, h / 4)) * rng.uniform(0, 0.08)
    if rng.random() < 0.7:
        out *= 1 + noise(rng, (w, h), (rng.uniform(1, 5), rng.uniform(1, 5))) * rng.uniform(0.02, 0.3)
    return out


def _wood(rng: Rng, w: int, h: int) -> F32:
    a = np.array([rng.uniform(0.1, 0.6), rng.uniform(0.25, 0.75), rng.uniform(0.4, 0.95)], np.float32)
    a = np.sort(a) * np.float32(rng.uniform(0.4, 1.1))
    stretch = rng.uniform(8, 40)
    y = np.arange(h, dtype=np.float32)[:, None] / h * rng.uniform(5, 40)
    warp = noise(rng, (w, h), (w / 2, h / 6))[:, :, 0] * rng.uniform(0.5, 6)
    rings = 0.5 + 0.5 * np.sin((y + warp) * 3)
    fine = noise(rng, (w, h), (stretch, 1.5))[:, :, 0] * rng.uniform(0.05, 0.3)
    out = a * (1 - (rings * rng.uniform(0.05, 0.4) + fine)[:, :, None])
    if rng.random() < 0.5:
        step = int(rng.integers(h // 8, h // 2))
        for y0 in range(int(rng.integers(0, step)), h, step):
            cv2.line(out, (0, y0), (w, y0), tup(a * rng.uniform(0.2, 0.6)), int(rng.integers(1, 4)))
    for _ in range(int(rng.integers(0, 4))):  # knots
        at = (int(rng.integers(0, w)), int(rng.integers(0, h)))
        r = int(rng.integers(3, 16))
        cv2.ellipse(out, at, (2 * r, r), 0, 0, 360, tup(a * 0.5), -1, cv2.LINE_AA)
        cv2.ellipse(out, at, (r, r // 2), 0, 0, 360, tup(a * 0.25), -1, cv2.LINE_AA)
    return np.asarray(out, np.float32)


def _carpet(rng: Rng, w: int, h: int) -> F32:
    out = _plain(rng, w, h)
    for cell in (rng.uniform(1, 3), rng.uniform(3, 12)):
        out = out * (1 + noise(rng, (w, h), (cell, cell), int(rng.choice([1, 3]))) * rng.uniform(0.2, 0.7))
    return np.asarray(out, np.float32)


def _print(rng: Rng, w: int, h: int) -> F32:
    """A cloth or wrapping paper: one motif repeated."""
    n = int(rng.integers(14, 130))
    tile = np.empty((n, n, 3), np.float32)
    tile[:] = colour(rng)
    for _ in range(int(rng.integers(1, 4 + n // 30))):
        c, at, r = tup(colour(rng)), tuple(int(v) for v in rng.integers(0, n, 2)), int(rng.integers(2, n // 3 + 1))
        kind = rng.integers(0, 7)
        if kind >= 4:
            flower(rng, tile, (at[0], at[1]), r)
        elif kind == 0:
            cv2.circle(tile, at, r, c, -1, cv2.LINE_AA)
        elif kind == 1:
            cv2.line(tile, (0, at[1]), (n, at[1]), c, max(1, r // 2))
        elif kind == 2:
            cv2.line(tile, (at[0], 0), (at[0], n), c, max(1, r // 2))
        else:
            cv2.rectangle(tile, at, (at[0] + r, at[1] + r), c, -1)
    out = np.tile(tile, (h // n + 1, w // n + 1, 1))[:h, :w]
    return np.asarray(out * (1 + noise(rng, (w, h), (2, 2)) * rng.uniform(0, 0.15)), np.float32)


def _gingham(rng: Rng, w: int, h: int) -> F32:
    """A checked cloth: stripes woven both ways, deepest where they cross, with the threads to be seen."""
    out = np.empty((h, w, 3), np.float32)
    out[:] = rng.uniform(0.7, 1) if rng.random() < 0.7 else colour(rng, 0.3)
    n, dye = int(rng.integers(12, 120)), colour(rng, 0.05, 0.7)
    share = rng.uniform(0.35, 0.6)
    deep = rng.uniform(0.3, 0.7)
    for k in (0, 1):
        on = (np.arange(out.shape[1 - k]) % n < share * n).astype(np.float32) * deep
        on = on[None, :, None] if k == 0 else on[:, None, None]
        out = out * (1 - on) + dye * on
    cell = rng.uniform(1, 3)
    return np.asarray(out * (1 + noise(rng, (w, h), (cell, cell)) * rng.uniform(0, 0.3)), np.float32)


def _squares(rng: Rng, w: int, h: int) -> F32:
    """Checkerboards, Othello boards, tiles: a grid with or without round pieces in its cells."""
    out = _plain(rng, w, h)
    n = int(rng.integers(20, 110))
    a, b, pieces = colour(rng), colour(rng), rng.random() < 0.5
    filled, lines = rng.random() < 0.6, rng.random() < 0.5
    for y in range(0, h, n):
        for x in range(0, w, n):
            if filled and (x // n + y // n) % 2:
                out[y : y + n, x : x + n] = out[y : y + n, x : x + n] * 0.3 + a * 0.7
            if pieces and rng.random() < 0.3:
                disc(rng, out, (x + n / 2, y + n / 2), n * rng.uniform(0.3, 0.45), a if rng.random() < 0.5 else b)
    if lines:
        for k in range(0, max(w, h), n):
            cv2.line(out, (k, 0), (k, h), tup(b), int(rng.integers(1, 4)))
            cv2.line(out, (0, k), (w, k), tup(b), int(rng.integers(1, 4)))
    return out


def table(rng: Rng, w: int, h: int, checked: float = 0.0) -> F32:
    """A bare table seen from above (h x w x 3, BGR 0 to 1); ``checked`` is the share of checked cloths on top."""
    if checked and rng.random() < checked:
        return _gingham(rng, w, h)
    makers: list[Callable[[Rng, int, int], F32]] = [_plain, _wood, _carpet, _print, _squares, _gingham]
    return makers[int(rng.choice(6, p=[0.38, 0.2, 0.11, 0.16, 0.08, 0.07]))](rng, w, h)


def _strip(rng: Rng, out: F32) -> None:
    """A cable, a cutter stick, a tray's edge or a crease: a thick line right across."""
    h, w = out.shape[:2]
    n = int(rng.integers(2, 6))
    pts = np.column_stack([np.linspace(-20, w + 20, n), rng.uniform(0, h) + rng.normal(0, h / 6, n)])
    if rng.random() < 0.5:
        pts = pts[:, ::-1]
    cv2.polylines(out, [pts.astype(np.int32)], False, tup(colour(rng)), int(rng.integers(1, 14)), cv2.LINE_AA)


def _slab(rng: Rng, out: F32) -> None:
    """Another large thing at the side: a laptop, a tray's wall, the table's end, a phone's shadow."""
    h, w = out.shape[:2]
    side, deep = int(rng.integers(0, 4)), rng.uniform(0.05, 0.35)
    far = np.array([[-9, -9], [w + 9, -9], [w + 9, h * deep], [-9, h * deep * rng.uniform(0.2, 1.5)]], np.float32)
    if side & 1:
        far = far[:, ::-1] * (w / h, h / w)
    if side & 2:
        far = (w, h) - far
    mask = cv2.fillPoly(np.zeros((h, w), np.float32), [far.astype(np.int32)], 1.0)
    mask = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.5, 6))[:, :, None]
    out[:] = out * (1 - mask) + (out * rng.uniform(0.3, 0.7) if rng.random() < 0.3 else _plain(rng, w, h)) * mask


def clutter(rng: Rng, out: F32, unit: float, dominoes: float = 0.0) -> None:
    """Adds things that aren't dice to a table, in place.

    Args:
        rng: what is added follows from its state.
        out: the table.
        unit: the usual die's edge in px.
        dominoes: share of the tables with thick dominoes on top of the usual things.
    """
    h, w = out.shape[:2]
    if dominoes and rng.random() < dominoes:
        way = np.array([np.cos(t := rng.uniform(0, 2 * np.pi)), np.sin(t)]) * rng.uniform(0, 0.35)
        side = unit * np.exp(rng.uniform(-0.5, 0.7))
        for _ in range(int(rng.integers(1, 7))):
            at = (int(rng.integers(0, w)), int(rng.integers(0, h)))
            tile(rng, out, at, float(side), (float(way[0]), float(way[1])))
    for p, make in ((0.25, _slab), (0.2, _strip)):
        while rng.random() < p:
            make(rng, out)
    if rng.random() < 0.08:
        game_board(rng, out, unit)
    for p, flat in ((0.12, sheet), (0.14, card), (0.1, domino)):
        if rng.random() < p:
            for _ in range(int(rng.integers(1, 5))):
                paste(rng, out, flat(rng), (int(rng.integers(0, w)), int(rng.integers(0, h))))
    for p, small in (
        (0.1, chip),
        (0.12, button),
        (0.08, screw),
        (0.12, coin),
        (0.06, scrawl),
        (0.12, hole),
        (0.15, block),
        (0.06, token),
        (0.1, spotted),
        (0.1, cut_slice),
        (0.08, ringed),
        (0.06, flower),
    ):
        if rng.random() < p:
            r = max(3, int(unit * np.exp(rng.uniform(-1.6, 0.9))))
            for _ in range(int(rng.integers(1, 9))):
                small(rng, out, (int(rng.integers(0, w)), int(rng.integers(0, h))), r)


def hand(rng: Rng, out: F32, unit: float, at: tuple[float, float] | None = None) -> npt.NDArray[np.bool_]:
    """A hand or an arm from the picture's edge, over everything, in place; which px it covers.

    Args:
        rng: what is drawn follows from its state.
        out: the picture.
        unit: a die's edge in px.
        at: what the hand reaches for, px; anywhere if not given.
    """
    h, w = out.shape[:2]
    skin = np.array([0.45, 0.58, 0.82], np.float32) * np.float32(rng.uniform(0.35, 1.15))
    cover = np.zeros((h, w), np.float32)
    thick = unit * rng.uniform(1.5, 4)
    a = rng.uniform(0, 2 * np.pi)
    start = np.array([w / 2, h / 2]) + np.array([np.cos(a), np.sin(a)]) * np.hypot(w, h) * 0.6
    palm = np.array([w, h]) * rng.uniform(0.15, 0.85, 2)
    if at is not None:
        way = np.array(at) - start
        palm = np.array(at) - way / max(1e-6, float(np.linalg.norm(way))) * thick * rng.uniform(0.3, 1.5)
    d = (palm - start) / max(1e-6, float(np.linalg.norm(palm - start)))
    cv2.line(cover, start.astype(int).tolist(), palm.astype(int).tolist(), 1.0, max(2, int(thick)), cv2.LINE_AA)
    for k in range(int(rng.integers(0, 6))):
        t = (k - 2) * 0.3 + rng.normal(0, 0.1)
        f = np.array([d[0] * np.cos(t) - d[1] * np.sin(t), d[0] * np.sin(t) + d[1] * np.cos(t)])
        tip = palm + f * thick * rng.uniform(0.9, 1.6)
        cv2.line(
            cover, palm.astype(int).tolist(), tip.astype(int).tolist(), 1.0, max(2, int(thick * 0.25)), cv2.LINE_AA
        )
    shade = cv2.GaussianBlur(cover, (0, 0), max(1.0, thick * 0.15))
    out *= 1 - 0.5 * shade[:, :, None]
    body = skin * (0.55 + 0.45 * shade[:, :, None]) * (1 + 0.05 * noise(rng, (w, h), (4, 4)))
    out[:] = out * (1 - cover[:, :, None]) + body * cover[:, :, None]
    return np.asarray(cover > 0.5, bool)
