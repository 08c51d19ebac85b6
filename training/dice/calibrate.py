"""Finds the temperature that makes the networks' probabilities true: ``python calibrate.py SEED [CHUNKS]``.

Give seeds that training doesn't draw. Prints the temperature for ``companion/vision/dice_net.py`` and, at the one in
use, how often readings of each confidence are right.
"""

from __future__ import annotations

import sys

import cv2
import numpy as np
from pool import draw
from scenes import Scene

from companion.vision.dice_net import TEMPERATURE, DiceNet, NetDie


def truth(scene: Scene, die: NetDie) -> int | None:
    """The true class of what was found: 0 for no readable die; None where the truth is unclear."""
    x, y = die.box[0] + die.box[2] / 2, die.box[1] + die.box[3] / 2
    for t in scene.dice:
        if abs(t.box[0] + t.box[2] / 2 - x) < t.box[2] / 4 and abs(t.box[1] + t.box[3] / 2 - y) < t.box[3] / 4:
            return t.value if t.top >= 0.8 else None if t.top >= 0.5 else 0
    return 0


def main(seed: int, chunks: int) -> None:
    """Measures."""
    cv2.setNumThreads(1)
    net = DiceNet()
    log_odds, classes, scores = [], [], []
    for scene in (s for k in range(seed, seed + chunks) for s in draw(k)):
        for die in net.detect(scene.picture):
            c = truth(scene, die)
            if c is not None:
                p = np.array([1 - sum(die.probabilities), *die.probabilities])
                log_odds.append(np.log(np.maximum(p, 1e-9)) * TEMPERATURE)
                classes.append(c)
                scores.append(die.score)
    z, c, s = np.array(log_odds), np.array(classes), np.array(scores)

    def odds(t: float) -> np.ndarray:
        p = np.exp((z - z.max(1, keepdims=True)) / t)
        return p / p.sum(1, keepdims=True)

    cost = {t: -np.log(odds(t)[np.arange(len(c)), c]).mean() for t in np.arange(0.4, 3, 0.05)}
    print(f"{len(c)} findings; best temperature {min(cost, key=lambda t: cost[t]):.2f} (in use {TEMPERATURE})")
    p = odds(TEMPERATURE)
    confidence, right = p[:, 1:].max(1) * s, p[:, 1:].argmax(1) + 1 == c
    for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)):
        those = (confidence >= low) & (confidence < high)
        if those.any():
            print(f"{low:.2f}-{high:.2f}: {those.sum()} found, {right[those].mean():.3f} right")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3)
