"""Draws a pool of pictures ahead of training: ``python pool.py DIRECTORY FIRST_SEED CHUNKS [usual|hard]``.

A chunk is 100 scenes. Hard ones show more often what is hard to read; give them other seeds than the usual ones.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from scenes import Scene, scene
from throws import HARD, USUAL, Mix

CHUNK = 100
Trap = tuple[npt.NDArray[np.uint8], tuple[float, float], float]  # a piece of picture, a middle and a side in it, px


def draw(seed: int, dice: int | None = None, mix: Mix = USUAL) -> list[Scene]:
    """The pictures that a seed stands for; the same on every run of one version of this code.

    Args:
        seed: which.
        dice: how many dice each picture shows; any number if not given.
        mix: how often they show what is hard to read.
    """
    return [scene(np.random.default_rng([seed, k]), count=dice, mix=mix) for k in range(CHUNK)]


def load(directory: Path) -> list[Scene]:
    """All scenes drawn into a directory so far."""
    return [s for f in sorted(directory.glob("*.pickle")) for s in pickle.loads(f.read_bytes())]


if __name__ == "__main__":
    cv2.setNumThreads(1)
    out, first, chunks = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    kind = HARD if sys.argv[4:] == ["hard"] else USUAL
    out.mkdir(parents=True, exist_ok=True)
    for k in range(first, first + chunks):
        (out / f"{k}.part").write_bytes(pickle.dumps(draw(k, mix=kind)))
        (out / f"{k}.part").rename(out / f"{k}.pickle")
