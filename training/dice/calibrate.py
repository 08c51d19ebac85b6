"""Makes the networks' certainties true: ``python calibrate.py SEED [CHUNKS]``, with seeds that training doesn't draw.

Prints the constants for ``companion/vision/dice_net.py`` and how often readings of each probability are then right.
"""

from __future__ import annotations

import itertools
import sys

import cv2
import numpy as np
from pool import draw
from scenes import Scene

from companion.vision.dice_net import SHIFT, TEMPERATURE, WEIGHT, DiceNet, NetDie


def truth(scene: Scene, die: NetDie) -> int | None:
    """The true class of what was found: 0 no die or none to be read; None where the truth is unclear."""
    x, y = die.box[0] + die.box[2] / 2, die.box[1] + die.box[3] / 2
    for t in scene.dice:
        if abs(t.box[0] + t.box[2] / 2 - x) < t.box[2] / 4 and abs(t.box[1] + t.box[3] / 2 - y) < t.box[3] / 4:
            return t.value if t.top >= 0.8 else None if t.top >= 0.5 else 0
    return 0


def odds(z: np.ndarray, logit: np.ndarray, t: float, weight: float, shift: float) -> np.ndarray:
    """Probabilities of the classes 0 to 6 from the reader's and the finder's logits."""
    z = z / t
    z[:, 0] -= weight * logit + shift
    p = np.exp(z - z.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


def main(seed: int, chunks: int) -> None:
    """Measures."""
    cv2.setNumThreads(1)
    net = DiceNet()
    rows = []
    for scene in (s for k in range(seed, seed + chunks) for s in draw(k)):
        for die in net.detect(scene.picture):
            c = truth(scene, die)
            if c is not None:
                logit = float(np.log(die.score / (1 - die.score)))
                p = np.log(np.maximum([1 - sum(die.probabilities), *die.probabilities], 1e-9))
                p[0] += WEIGHT * logit + SHIFT
                rows.append((c, logit, *p * TEMPERATURE))
    data = np.array(rows)
    c, logit, z = data[:, 0].astype(int), data[:, 1], data[:, 2:]
    cost = {
        way: -np.log(odds(z, logit, *way)[np.arange(len(c)), c] + 1e-9).mean()
        for way in itertools.product(np.arange(0.5, 2, 0.1), np.arange(0, 2, 0.2), np.arange(-1, 2.5, 0.25))
    }
    best = min(cost, key=lambda way: cost[way])
    print(f"{len(c)} findings; in use: TEMPERATURE {TEMPERATURE} WEIGHT, SHIFT {WEIGHT}, {SHIFT}")
    print("best: TEMPERATURE = {:.2f} WEIGHT, SHIFT = {:.2f}, {:.2f}".format(*best))
    p = odds(z, logit, *best)
    sure, right = p[:, 1:].max(1), p[:, 1:].argmax(1) + 1 == c
    for low, high in (
        (0, 0.3),
        (0.3, 0.5),
        (0.5, 0.7),
        (0.7, 0.8),
        (0.8, 0.9),
        (0.9, 0.95),
        (0.95, 0.99),
        (0.99, 1.01),
    ):
        those = (sure >= low) & (sure < high)
        if those.any():
            print(f"{low:.2f}-{high:.2f}: {those.sum()} found, {right[those].mean():.3f} right")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3)
