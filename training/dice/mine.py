"""Collects what the finder wrongly takes for dice: ``python mine.py POOL MODELS CHUNKS BARE [usual|hard]``.

It looks through the first CHUNKS chunks of the pool and through as many chunks as BARE says of crowded tables without
dice, many of them with dominoes if they are to be hard. The reader then trains on these look-alikes, which are far
harder than places taken at random.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import cv2
from pool import Trap, draw
from scenes import Scene
from throws import HARD, USUAL

from companion.vision.dice_net import AROUND, DiceNet

BARE_SEED = {"usual": 5200, "hard": 5400}


def traps(net: DiceNet, scene: Scene) -> list[Trap]:
    """Pieces of a scene about the finder's wrong findings."""
    out = []
    h, w = scene.picture.shape[:2]
    for _, (x0, y0, x1, y1) in net.candidates(scene.picture):
        cx, cy, side = (x0 + x1) / 2, (y0 + y1) / 2, AROUND * max(8.0, float(x1 - x0), float(y1 - y0))
        boxes = (t.box for t in scene.dice)
        if any(abs(b[0] + b[2] / 2 - cx) < 0.4 * b[2] and abs(b[1] + b[3] / 2 - cy) < 0.4 * b[3] for b in boxes):
            continue
        n = int(0.8 * side) + 2  # room to turn the square in
        x, y = max(0, int(cx) - n), max(0, int(cy) - n)
        piece = scene.picture[y : min(h, int(cy) + n), x : min(w, int(cx) + n)].copy()
        out.append((piece, (float(cx) - x, float(cy) - y), side))
    return out


def mine(file: Path, net: DiceNet, chunk: list[Scene]) -> None:
    """Writes the look-alikes of a chunk beside it."""
    found = [trap for s in chunk for trap in traps(net, s)]
    file.with_suffix(".traps").write_bytes(pickle.dumps(found))
    print(file, len(found), flush=True)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    pool, finder = Path(sys.argv[1]), DiceNet(Path(sys.argv[2]))
    for file in sorted(pool.glob("*.pickle"))[: int(sys.argv[3])]:
        mine(file, finder, pickle.loads(file.read_bytes()))
    kind = sys.argv[5] if len(sys.argv) > 5 else "usual"
    for seed in range(BARE_SEED[kind], BARE_SEED[kind] + int(sys.argv[4])):
        mine(pool / str(seed), finder, draw(seed, dice=0, mix=HARD if kind == "hard" else USUAL))
