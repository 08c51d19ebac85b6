"""Makes the networks' certainties true: ``python calibrate.py SEED [CHUNKS]``, with seeds that training doesn't draw.

Prints the constants for ``companion/vision/dice_net.py`` and how often readings of each probability are right.
"""

from __future__ import annotations

import sys

import cv2
import numpy as np
from pool import draw
from scenes import Scene

from companion.vision.dice_net import SHIFT, STEEP, TEMPERATURE, DiceNet, NetDie


def truth(scene: Scene, die: NetDie) -> int | None:
    """The true class of what was found: -1 no die at all, 0 none to be read; None where the truth is unclear."""
    x, y = die.box[0] + die.box[2] / 2, die.box[1] + die.box[3] / 2
    for t in scene.dice:
        if abs(t.box[0] + t.box[2] / 2 - x) < t.box[2] / 4 and abs(t.box[1] + t.box[3] / 2 - y) < t.box[3] / 4:
            return t.value if t.top >= 0.8 else None if t.top >= 0.5 else 0
    return -1


def fit_line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope and offset of the logistic curve through yes and no (Newton's method)."""
    a = np.column_stack([x, np.ones_like(x)])
    w = np.zeros(2)
    for _ in range(20):
        p = 1 / (1 + np.exp(-a @ w))
        w += np.linalg.solve((a * (p * (1 - p))[:, None]).T @ a + 1e-6 * np.eye(2), a.T @ (y - p))
    return float(w[0]), float(w[1])


def main(seed: int, chunks: int) -> None:
    """Measures."""
    cv2.setNumThreads(1)
    net = DiceNet()
    rows = []
    for scene in (s for k in range(seed, seed + chunks) for s in draw(k)):
        for die in net.detect(scene.picture):
            c = truth(scene, die)
            if c is not None:
                p = np.array([1 - sum(die.probabilities), *die.probabilities])
                logit = (np.log(die.score / (1 - die.score)) - SHIFT) / STEEP
                rows.append((c, logit, *np.log(np.maximum(p, 1e-9)) * TEMPERATURE))
    data = np.array(rows)
    c, logit, z = data[:, 0].astype(int), data[:, 1], data[:, 2:]

    def odds(t: float) -> np.ndarray:
        p = np.exp((z - z.max(1, keepdims=True)) / t)
        return p / p.sum(1, keepdims=True)

    cost = {t: -np.log(odds(t)[np.arange(len(c)), np.maximum(c, 0)]).mean() for t in np.arange(0.4, 3, 0.05)}
    steep, shift = fit_line(logit, (c >= 0).astype(float))
    print(f"{len(c)} findings; in use: TEMPERATURE {TEMPERATURE} STEEP {STEEP} SHIFT {SHIFT}")
    print(f"best: TEMPERATURE = {min(cost, key=lambda t: cost[t]):.2f} STEEP, SHIFT = {steep:.2f}, {shift:.2f}")
    p = odds(TEMPERATURE)
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
