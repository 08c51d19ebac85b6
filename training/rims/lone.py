"""Single places in dazzling light, as ``training/spaces`` draws them: other prints and cameras than a table's."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "spaces"))
import patches

from companion.vision import rims, spaces
from companion.vision.light import logarithm

Float = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
TOGETHER = 37  # read as if of one picture, though each has its own light
DAZZLED = 3


def examples(seed: int, count: int) -> list[tuple[Float, Flags]]:
    """What is told of ``count`` places in groups (n x features), and where a white topping lies."""
    before, now, labels = patches.draw_many(seed, count, dazzled=DAZZLED)
    states = np.array(spaces.CLASSES)[labels]
    found = []
    for start in range(0, count - TOGETHER + 1, TOGETHER):
        group = slice(start, start + TOGETHER)
        empty, seen = spaces.Empty.of(before[group], spaces.load_net()), now[group]
        log = logarithm(seen.reshape(-1, spaces.PATCH_PX, 3))
        known = spaces.witnesses(empty, seen, log, None, None)
        there, here = empty.log.reshape(seen.shape), log.reshape(seen.shape)
        x = rims.evidence(there, seen, here, None, known, np.arange(TOGETHER))
        told = np.isin(states[group], ("white", "empty")) & (known.beliefs[:, [0, 3]].sum(axis=1) > 0.5)
        found.append((x[told], states[group][told] == "white"))
    return found
