"""Draws sessions ahead and cuts out their dice: ``python faces_pool.py FOLDER SEED MINUTES``, a file a session."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import cv2
import numpy as np
from sets import F32, U8, Rng, Session, Top, elsewhere, session, throw

PATCH, BOX = 64, 36.0
"""A patch's side, and that of a die's box in it, in px; training cuts smaller ones out of these."""
_THROWS = 4
_BLANKS = 8  # patches of each throw that show no top in their middle


def cut(picture: U8, x: float, y: float, side: float) -> U8:
    """A patch about a point (px, counted from the picture's corner) at the scale where a die's box is BOX px."""
    scale = BOX / side
    if scale < 0.7:
        picture = cv2.GaussianBlur(picture, (0, 0), 0.4 / scale)
    move = np.array([[scale, 0, PATCH / 2 - 0.5 - (x - 0.5) * scale], [0, scale, PATCH / 2 - 0.5 - (y - 0.5) * scale]])
    return np.asarray(cv2.warpAffine(picture, move, (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def blanks(rng: Rng, s: Session, tops: list[Top]) -> list[tuple[float, float]]:
    """Places with no readable top in their middle: between dice, on their sides and corners, on the table."""
    out: list[tuple[float, float]] = []
    while len(out) < _BLANKS:
        a = tops[int(rng.integers(len(tops)))]
        angle, far = rng.uniform(0, 2 * np.pi), s.edge * rng.uniform(0.45, 1.0)
        x, y = a.x + far * np.cos(angle), a.y + far * np.sin(angle)
        if rng.random() < 0.2:
            x, y = rng.uniform(0, s.size[0]), rng.uniform(0, s.size[1])
        if all(np.hypot(t.x - x, t.y - y) > 0.42 * s.edge for t in tops):
            out.append((float(x), float(y)))
        elif rng.random() < 0.05:
            break
    return out


def draw(seed: int) -> dict[str, F32 | U8]:
    """A session's patches: ``patches``, ``face`` (-1: no readable top), ``turn`` in radians, ``seen``."""
    rng = np.random.default_rng(seed)
    first = session(rng)
    rows = []
    for _ in range(_THROWS):
        s = elsewhere(rng, first)
        picture, tops = throw(rng, s)
        for t in tops:
            if 0 < t.x < s.size[0] and 0 < t.y < s.size[1]:
                readable = t.flat and t.seen >= 0.7
                rows.append((cut(picture, t.x, t.y, s.side), t.face if readable else -1, t.turn, t.seen))
        for x, y in blanks(rng, s, tops) if tops else ():
            rows.append((cut(picture, x, y, s.side), -1, 0.0, 0.0))
    patches, face, turn, seen = zip(*rows, strict=True)
    return {
        "patches": np.stack(patches),
        "face": np.array(face, np.int8),
        "turn": np.array(turn, np.float32),
        "seen": np.array(seen, np.float32),
    }


def main(folder: Path, seed: int, minutes: float) -> None:
    """Draws sessions from ``seed`` on until the time is over."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        np.savez(folder / f"{seed}.tmp.npz", **draw(seed))
        (folder / f"{seed}.tmp.npz").rename(folder / f"{seed}.npz")
        seed += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
