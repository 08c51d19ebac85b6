"""What reading the board costs, as a multiple of decoding the picture, and how that grows with the spaces.

    python benchmarks/board_cost.py [--rounds 9]

Tables are drawn (1280 x 960 px, hexagonal boards of 19 to 217 spaces, six in ten covered) and calibrated with their
true pose. Cold is the first reading of a picture (the pose is sought), warm one whose pose is known and verified. Dice
are measured by dice_cost.py: here they are not looked for. One thread; decoding and reading take turns, so that a
busy machine slows both; CPU time is counted, and of each the median.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

import cv2
import numpy as np

from calibration.geometry import fit_plane
from companion.layout import BoardLayout, parse_layout
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Scene, Topping
from companion.vision.board import make_reference, read_board
from companion.vision.pose import BoardPose, PoseFinder
from companion.vision.stillness import Stillness

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from make_layout import hexagon

SIZE, QUALITY, SEED = (1280, 960), 90, 3
BOARDS = ((3, 42.0), (4, 34.0), (5, 28.0), (6, 24.0), (7, 20.5), (9, 16.0))  # spaces along a side, pitch in mm
DIAMETER_MM = 300.0


def scene_of(layout: BoardLayout) -> Scene:
    """Six in ten spaces covered."""
    rng = np.random.default_rng(SEED)
    return Scene(
        toppings=tuple(
            Topping(s.x_mm, s.y_mm, str(rng.choice(layout.colours)), int(rng.integers(3)), 0.0)
            for s in layout.spaces.values()
            if rng.random() < 0.6
        )
    )


def cost(layout: BoardLayout, rounds: int) -> tuple[float, float, float]:
    """Milliseconds of decoding, of a cold and of a warm reading."""
    renderer = Renderer(SEED, layout, SIZE)
    centres = np.array([(s.x_mm, s.y_mm) for s in layout.spaces.values()])
    px = renderer.camera.project([(x, y, BOARD_MM) for x, y in centres])
    plane = fit_plane(centres, px, SIZE, lens=None, noise_px=0.05)
    empty = np.array(renderer.draw(Scene(), 0))
    finder = PoseFinder(empty, plane, layout)
    reference = make_reference(empty, BoardPose(plane, layout.board_diameter_mm / 2), layout)
    picture = renderer.draw(scene_of(layout), 0)
    file = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
    times = []
    pose = finder.find(picture)
    read_board(picture, pose, reference, dice=False)
    for _ in range(rounds):
        marks = [time.process_time()]
        picture = cv2.imdecode(file, cv2.IMREAD_COLOR)
        marks.append(time.process_time())
        pose = finder.find(picture)
        read_board(picture, pose, reference, dice=False)
        marks.append(time.process_time())
        pose = finder.find(picture, pose)
        read_board(picture, pose, reference, dice=False)
        marks.append(time.process_time())
        times.append(np.diff(marks) * 1e3)
    decoding, cold, warm = np.median(times, axis=0).tolist()
    return decoding, cold, warm


def watching(rounds: int) -> float:
    """Milliseconds a picture of 640 x 480 takes that shows a still table."""
    rng = np.random.default_rng(SEED)
    table = rng.integers(40, 200, (480, 640, 3)).astype(np.uint8)
    still, times = Stillness(), []
    for k in range(20 * rounds):
        picture = np.clip(table + rng.normal(0, 2, (1, 1, 3)), 0, 255).astype(np.uint8)
        start = time.process_time()
        still.update(200 * k, picture)
        times.append(time.process_time() - start)
    return float(np.median(times)) * 1e3


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    print("spaces  decoding ms  warm ms  times  cold ms  times")
    warm_ms = []
    for side, pitch in BOARDS:
        layout = parse_layout(hexagon(side, pitch, DIAMETER_MM))
        decoding, cold, warm = cost(layout, args.rounds)
        warm_ms.append((len(layout.spaces), warm))
        shown = f"{warm:7.1f}  {warm / decoding:5.1f}  {cold:7.1f}  {cold / decoding:5.1f}"
        print(f"{len(layout.spaces):6d}  {decoding:11.1f}  {shown}", flush=True)
    spaces, times = np.array(warm_ms).T
    slope, base = np.polyfit(spaces, times, 1)
    print(f"about {base:.1f} ms and {slope:.3f} ms a space")
    print(f"watching a still table: {watching(args.rounds):.2f} ms a picture")
    print(f"most memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
