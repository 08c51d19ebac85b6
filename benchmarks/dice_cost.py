"""What reading pip dice costs, as a multiple of decoding the picture, and how that grows with the number of dice.

    python benchmarks/dice_cost.py [PICTURE ...] [--rounds 7]

The curve is of drawn tables (training/dice), 1280 x 960 px with a die's edge of 36 px and 1 to 40 dice. Pictures given
are measured as well, each by itself. One thread; decoding and reading take turns, so that a busy machine slows both;
CPU time is counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.dice import read_pip_dice

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training" / "dice"))
from scenes import scene

SIZE, EDGE, QUALITY = (1280, 960), 36.0, 90
COUNTS = (1, 2, 5, 10, 20, 30, 40)
TABLES = 3  # drawn for each number of dice


def cost(file: npt.NDArray[np.uint8], rounds: int) -> tuple[float, float, int]:
    """Milliseconds of decoding a file's bytes and of reading its dice (medians), and how many dice were seen."""
    picture = cv2.imdecode(file, cv2.IMREAD_COLOR)
    seen = len(read_pip_dice(picture))  # the first call loads and plans
    decoding, reading = [], []
    for _ in range(rounds):
        start = time.process_time()
        cv2.imdecode(file, cv2.IMREAD_COLOR)
        middle = time.process_time()
        read_pip_dice(picture)
        decoding.append(middle - start)
        reading.append(time.process_time() - middle)
    return float(np.median(decoding)) * 1e3, float(np.median(reading)) * 1e3, seen


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("pictures", nargs="*", type=Path)
    ap.add_argument("--rounds", type=int, default=7)
    args = ap.parse_args()
    cv2.setNumThreads(1)
    ratios = []
    for path in args.pictures:
        decoding, reading, seen = cost(np.fromfile(path, np.uint8), args.rounds)
        ratios.append(reading / decoding)
        print(f"{path}: {seen} dice, decoding {decoding:.1f} ms, reading {reading:.1f} ms, {ratios[-1]:.1f} times")
    if ratios:
        print(f"median of {len(ratios)} pictures: {np.median(ratios):.1f} times decoding")
    print("dice  decoding ms  reading ms  times decoding")
    drawn = []
    for count in COUNTS:
        rows = []
        for k in range(TABLES):
            picture = scene(np.random.default_rng([count, k]), SIZE, EDGE, count).picture
            rows.append(cost(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1], args.rounds))
        decoding, reading = np.median([r[0] for r in rows]), np.median([r[1] for r in rows])
        drawn.append((count, reading))
        print(f"{count:4d}  {decoding:11.1f}  {reading:10.1f}  {reading / decoding:14.1f}")
    slope, base = np.polyfit(*zip(*drawn, strict=True), 1)
    print(f"about {base:.0f} ms and {slope:.1f} ms a die")


if __name__ == "__main__":
    main()
