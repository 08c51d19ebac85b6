"""Throws of dice: which make, scattered or touching, lying, leaning, on top of each other; and how often each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from leaning import Slab, against, beside, on_edge, turned
from render import F32, Camera, Die, Rng, Style, random_faces
from things import colour


@dataclass(frozen=True, slots=True)
class Mix:
    """How often scenes show what is hard to read; each is a share from 0 to 1.

    Args:
        cocked: of the dice, that lean.
        stacked: of the dice, that bear another one.
        crowded: of the throws, that all dice touch; None: as a throw comes.
        hands: of the pictures, with a hand.
        reaching: of the hands, that reach for a die.
        checked, dominoes: of the tables, on top of the usual ones.
        small: of the pictures, whose dice are 10 to 45 px wide.
        leaning: of the dice, that are propped against another one, lie half on a stick or a book, or beside it.
        marked: of the makes, that bear letters or signs.
        strange: of the makes, with painted borders, faces in several colours, or pips that aren't round.
    """

    cocked: float = 0.03
    stacked: float = 0.02
    crowded: float | None = None
    hands: float = 0.1
    reaching: float = 0.0
    checked: float = 0.0
    dominoes: float = 0.0
    small: float = 0.0
    leaning: float = 0.0
    marked: float = 0.05
    strange: float = 0.0


USUAL = Mix()
HARD = Mix(0.1, 0.07, 0.65, 0.3, 0.8, 0.25, 0.25, 0.4)
ODD = Mix(0.06, 0.1, 0.5, 0.12, 0.5, 0.12, 0.45, 0.25, 0.25, 0.12)
HEAPS = Mix(0.06, 0.3, 0.6, 0.05, 0.5, 0.1, 0.5, 0.25, 0.4, 0.05)
STRANGE = Mix(0.03, 0.05, 0.4, 0.05, 0.5, 0.2, 0.3, 0.1, 0.1, 0.0, 0.8)


def _style(rng: Rng, marked: float = 0.05) -> Style:
    """A make of dice: nearly all have pips that a person can tell from the body."""
    kind = rng.random()
    dim = rng.random() < 0.08  # dark paint on dark bodies: red on black, wine on blue
    if dim:
        body = colour(rng, 0.05, 0.45)
    elif kind < 0.4:  # white or ivory, by far the commonest
        body = np.array([1, 1, 1], np.float32) * np.float32(rng.uniform(0.75, 1))
        body *= np.array([rng.uniform(0.6, 1), rng.uniform(0.88, 1), 1], np.float32)
    elif kind < 0.5:
        body = np.full(3, rng.uniform(0.02, 0.15), np.float32)
    else:
        body = colour(rng, 0.15, 1)
    pattern = str(
        rng.choice(["plain", "marble", "pearl", "speckle", "wood", "clear"], p=[0.46, 0.14, 0.14, 0.08, 0.04, 0.14])
    )
    dark = body.mean() < 0.5
    for least in np.linspace(0.15 if dim else rng.uniform(0.15, 0.8), 0.15, 12):
        pip = np.full(3, rng.uniform(0.75, 1) if dark else rng.uniform(0, 0.12), np.float32)
        what = rng.random()
        if what < 0.1:
            pip = np.array([0.25, 0.65, 0.85], np.float32) * np.float32(rng.uniform(0.7, 1.1))  # gold
        elif what < 0.35 or dim:
            pip = colour(rng, 0, 0.75 if dim else 1)
        if abs(float((pip - body) @ (0.114, 0.587, 0.299))) > 0.6 * least and np.abs(pip - body).max() > least:
            break
    else:
        pip = np.full(3, 0.95 if dark else 0.03, np.float32)
    if rng.random() < 0.05:  # dents without paint
        pip = np.asarray(body * np.float32(rng.uniform(0.55, 0.85)), np.float32)
    red = np.array([0.1, 0.08, 0.75], np.float32)
    asian = bool(body.mean() > 0.7 and rng.random() < 0.3)
    tall = rng.random() < 0.7  # sharp or rounded make
    bevel = rng.uniform(0.02, 0.12) if tall else rng.uniform(0.1, 0.26)
    ball = rng.uniform(0.78, 0.88) if tall else rng.uniform(0.64, 0.8)
    radius = rng.uniform(0.055, 0.13)
    pitch = rng.uniform(max(0.19, 1.15 * radius), 0.31)
    slant = 1.0 if rng.random() < 0.5 else rng.uniform(max(0.4, 1.25 * radius / pitch), 1.15)
    return Style(
        body=body,
        body2=colour(rng) if rng.random() < 0.3 else np.clip(body * rng.uniform(0.6, 1.4), 0, 1).astype(np.float32),
        pattern=pattern,
        pip=pip,
        ace=red if asian or rng.random() < 0.03 else pip,
        four=red if asian and rng.random() < 0.7 else pip,
        pip_radius=radius,
        ace_radius=rng.uniform(0.13, 0.24) if asian else radius * rng.uniform(0.95, 1.3),
        pitch=pitch,
        squeeze=rng.uniform(0.8, 1.12),
        narrow=1.0 if rng.random() < 0.6 else rng.uniform(0.65, 1),
        slant=slant,
        bevel=bevel,
        ball=ball,
        dent=rng.uniform(0, 0.9),
        gloss=float(rng.choice([0.0, rng.uniform(0, 0.3), rng.uniform(0.2, 0.8)])),
        shine=rng.uniform(0.5, 4),
        wear=rng.uniform(0, 0.06) if rng.random() < 0.5 else 0.0,
        crown=rng.uniform(0, 0.25) if rng.random() < 0.4 else 0.0,
        through=rng.uniform(0.1, 0.5) if pattern == "clear" and rng.random() < 0.6 else 0.0,
        ring=rng.uniform(0.2, 0.7) if rng.random() < 0.15 else 0.0,
        mark=str(rng.choice(list("    AEKMRSTWXZ0123456789?+*"))) if rng.random() < marked else "",
        polish=rng.uniform(0.2, 0.9) if rng.random() < 0.3 else 0.0,
        straight=bool(rng.random() < 0.06),
    )


def _strange(rng: Rng, style: Style) -> Style:
    """The same make with painted borders, faces in several colours, or pips that aren't round; any of them, or none."""
    grey = np.array([0.114, 0.587, 0.299])
    sides = [colour(rng, 0.03, 1) for _ in range(6)] if rng.random() < 0.3 else []
    return replace(
        style,
        rim=rng.uniform(0.02, 0.12) if rng.random() < 0.5 else 0.0,
        body2=colour(rng, 0.03, 1),
        pattern="plain" if sides else style.pattern,
        sides=tuple(c if abs(float((c - style.pip) @ grey)) > 0.25 else style.body for c in sides),
        power=float(rng.choice([1.0, 1.3, 4.0, 8.0])) if rng.random() < 0.4 else 2.0,
    )


def _apart(a: F32, b: F32) -> bool:
    """Do two convex quads (4 x 2) leave a straight line between them?"""
    for q in (a, b):
        e = np.roll(q, -1, 0) - q
        n = np.column_stack([-e[:, 1], e[:, 0]])
        pa, pb = a @ n.T, b @ n.T
        if ((pa.max(0) < pb.min(0)) | (pb.max(0) < pa.min(0))).any():
            return True
    return False


def _square(x: float, y: float, yaw: float, size: float) -> F32:
    c, s = np.cos(yaw) * size / 2, np.sin(yaw) * size / 2
    return np.array(
        [[x + c - s, y + s + c], [x - c - s, y - s + c], [x - c + s, y - s - c], [x + c + s, y + s - c]], np.float32
    )


def throw(
    rng: Rng, camera: Camera, size: tuple[int, int], edge: float, count: int | None, mix: Mix
) -> tuple[list[Die], list[Slab]]:
    """Dice on the table: scattered, touching, in rows and blocks, some on top of others; and what some lean on."""
    w, h = size
    room = w * h / (edge * edge * 6)
    n = count or int(np.clip(rng.geometric(0.1), 1, max(1, min(40, room))))
    mixed, near = rng.random() < 0.35, rng.choice([0.0, 0.4, 0.9], p=[0.25, 0.3, 0.45])
    if mix.crowded is not None:
        near = 0.95 if rng.random() < mix.crowded else near
    spread = 0.0 if rng.random() < 0.6 else rng.uniform(0.1, 0.5)
    styles = [_style(rng, mix.marked) for _ in range(n if mixed else 1)]
    if mix.strange:
        styles = [_strange(rng, s) if rng.random() < mix.strange else s for s in styles]
    dice: list[Die] = []
    slabs: list[Slab] = []
    squares: list[tuple[float, float, float, float]] = []
    for k in range(n):
        for _ in range(12):
            s = float(np.clip(1 + spread * rng.normal(), 0.5, 1.7))
            yaw = rng.uniform(0, np.pi / 2)
            if squares and rng.random() < near:
                x0, y0, yaw0, s0 = squares[int(rng.integers(len(squares)))]
                side = yaw0 + np.pi / 2 * int(rng.integers(4))
                if rng.random() < 0.6:
                    yaw = yaw0
                    gap = (s0 + s) / 2 * rng.uniform(1.003, 1.06)
                    slide = rng.choice([0.0, rng.uniform(-0.6, 0.6)]) * s0
                else:
                    gap, slide = (s0 + s) / 2 * rng.uniform(1.0, 1.5), rng.uniform(-0.5, 0.5)
                x = x0 + gap * np.cos(side) - slide * np.sin(side)
                y = y0 + gap * np.sin(side) + slide * np.cos(side)
            else:
                at = np.array([[rng.uniform(0, w), rng.uniform(0, h)]], np.float32)
                x, y, _ = (float(v) for v in camera.on_table(at)[0])
            mine = _square(x, y, yaw, s * 1.001)
            if all(_apart(mine, _square(*q)) for q in squares):
                break
        else:
            continue
        tilt = abs(rng.normal(0, 0.01))
        cocked = rng.random() < mix.cocked
        if cocked:
            tilt = rng.uniform(0.3, 0.75)
        squares.append((x, y, yaw, s))
        style = styles[k % len(styles)]
        top = int(rng.integers(1, 7))
        centre = np.array([x, y, s / 2 * (1 + 0.4 * tilt)], np.float32)
        rotation = turned(yaw, tilt, rng.uniform(0, 6.3))
        if mix.leaning and not cocked and rng.random() < mix.leaning:
            how = rng.random()
            if how < 0.45 and len(squares) > 1:
                prop = squares[int(rng.integers(len(squares) - 1))]
                centre, rotation = against(rng, prop, s)
                squares.pop()
                if not all(
                    _apart(_square(float(centre[0]), float(centre[1]), yaw, s), _square(*q))
                    for q in squares
                    if q != prop
                ):
                    continue
                squares.append((float(centre[0]), float(centre[1]), yaw, s))
                cocked = True
            elif how < 0.8:
                centre, rotation, slab = on_edge(rng, x, y, s)
                slabs.append(slab)
                cocked = True
            else:
                height, slab = beside(rng, x, y, s)
                centre[2] += height
                slabs.append(slab)
        dice.append(Die(style, centre, s, rotation, random_faces(rng, top), tuple(rng.integers(0, 4, 6).tolist())))
        if rng.random() < mix.stacked and not cocked:  # one on top of this one
            centre = centre + np.array([*rng.uniform(-0.45, 0.45, 2) * s, s], np.float32)
            upper = turned(rng.uniform(0, 1.6), abs(rng.normal(0, 0.01)), 0)
            if mix.leaning:
                style = styles[int(rng.integers(len(styles)))]
                pier = min(squares[:-1], key=lambda q: float(np.hypot(q[0] - x, q[1] - y)), default=None)
                if pier is not None and np.hypot(pier[0] - x, pier[1] - y) < 1.3 * s:  # on two of them
                    centre[:2] = (pier[0] + x) / 2, (pier[1] + y) / 2
            dice.append(Die(style, centre, s, upper, random_faces(rng, int(rng.integers(1, 7))), (0, 1, 2, 3, 0, 1)))
    return dice, slabs
