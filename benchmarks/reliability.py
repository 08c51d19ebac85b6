"""How often readings of each confidence are right: the tables under "How it generalises" and "Pip dice" of accuracy.md.

    python benchmarks/reliability.py BENCH [spaces|dice]

BENCH holds pictures with their truth, which are not part of the repository: in renders, pizza, games and sequences
(folders with calibration.json, calibration.jpg and frame_*) and pip_dice (frame_*); photos/dice with labels.jsonl.

Spaces: what the likeliest class of each is, before any limit, and what a limit chosen on all other sessions gives.
Dice: the weights of the two witnesses are fitted anew without each source of pictures, and its readings judged by them.
Takes some minutes on one core.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import calibrate_from_points
from companion.layout import load_layout
from companion.vision import board, dice
from companion.vision.beside import CERTAIN, DIE_MM, nothing_new
from companion.vision.dice_net import NetDie
from companion.vision.dice_shapes import ShapeDie
from companion.vision.pose import BoardNotFound, BoardPose, PoseFinder

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
SEEN = 0.6  # share of a thing that must be seen for it to count
RIDGE = 0.01  # keeps the fit finite where a source has no doubtful die
NEAR = 0.5  # of the larger box's longer side: nearer middles are one die's
SPACE_STEPS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 1.01)
DIE_STEPS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995, 1.01)


@dataclass(frozen=True, slots=True)
class Judged:
    """One reading: where it comes from, its confidence before any limit, whether it is right, what it was told of."""

    source: str
    confidence: float
    right: bool
    given: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of dice: ``kind`` (photos, rendered, beside), source, evidence (5), whether its value is right."""

    kind: str
    source: str
    evidence: tuple[float, ...]
    right: bool
    seen: bool


def picture_of(path: Path) -> Picture:
    """The picture of a file; raises FileNotFoundError if it is none."""
    picture = cv2.imread(str(path))
    if picture is None:
        raise FileNotFoundError(f"no picture {path}")
    return np.asarray(picture, np.uint8)


def boards(bench: Path) -> Iterator[tuple[str, Any, Picture, BoardPose, board.Reference]]:
    """Session, truth, picture, pose and calibration of each rendered picture of a board."""
    layout = load_layout("hex37")
    folders = ("pizza", "games", "sequences")
    for file in [f for name in folders for f in sorted(bench.glob(f"renders/{name}/*/calibration.json"))]:
        folder, clicked = file.parent, json.loads(file.read_text())["points"]
        empty = picture_of(folder / "calibration.jpg")
        plane = calibrate_from_points(empty, layout, {k: (v[0], v[1]) for k, v in clicked.items()}).plane
        finder = PoseFinder(empty, plane, layout)
        reference = board.make_reference(empty, BoardPose(plane, layout.board_diameter_mm / 2), layout)
        pose = None
        for path in sorted(folder.glob("frame_*.json")):
            picture = picture_of(path.with_suffix(".jpg"))
            try:
                pose = finder.find(picture, pose)
            except BoardNotFound:
                pose = None
                continue
            yield folder.name, json.loads(path.read_text()), picture, pose, reference


def read_spaces(bench: Path) -> list[Judged]:
    """Every space that is not taken for hidden, whatever can be seen of it."""
    out = []
    for session, truth, picture, pose, reference in boards(bench):
        if pose.turn is None:
            continue
        flat = board.rectified(picture, pose, reference.px_per_mm, reference.half_mm)
        seen = board.whole_spaces(pose, reference.layout, picture)
        for space, reading in board.read_surface(flat, reference, seen).spaces.items():
            true = truth["spaces"][space]
            if reading.likeliest != "hidden":
                given = reading.state is not None
                confidence = reading.confidence if given else 1 - reading.confidence
                out.append(Judged(session, confidence, reading.likeliest == true["state"], given))
    return out


def left_out(rows: Sequence[Judged]) -> tuple[int, int, int]:
    """Right, wrong and unsure if each source's limit is the least with which no other source is wrong."""
    right = wrong = unsure = 0
    for source in {row.source for row in rows}:
        limit = max((r.confidence for r in rows if r.source != source and not r.right), default=0.5)
        mine = [row for row in rows if row.source == source]
        told = [row for row in mine if row.confidence > limit]
        right += sum(row.right for row in told)
        wrong += sum(not row.right for row in told)
        unsure += len(mine) - len(told)
    return right, wrong, unsure


def table(rows: Sequence[Judged], steps: Sequence[float]) -> None:
    """Print how many readings of each confidence there are and how many of them are right."""
    for low, high in itertools.pairwise(steps):
        those = [row.right for row in rows if low <= row.confidence < high]
        if those:
            print(f"| {low:g} to {min(high, 1):g} | {len(those)} | {100 * np.mean(those):.0f} % |")


def evidence_of(net: NetDie, shape: ShapeDie | None) -> tuple[float, ...]:
    """What :func:`companion.vision.dice.probability` weighs: 1, the networks' log-odds, agreement, its evidence, ..."""
    agree = shape is not None and shape.value == net.value
    strength = shape.evidence if shape is not None and agree else 0.0
    value, found = (dice.log_odds(p) for p in (net.probabilities[net.value - 1], net.score))
    return 1.0, value, float(agree), strength, found


def judged_dice(
    kind: str, source: str, truth: list[dict[str, Any]], found: list[tuple[NetDie, ShapeDie | None]]
) -> list[Finding]:
    """Each finding with the true die nearest to it."""
    found = [(net, shape) for net, shape in found if not net.hinted or (shape and shape.value == net.value)]
    near = sorted(
        (dice.apart(net.box, t["box"]), i, j)
        for i, t in enumerate(truth)
        if t.get("box")
        for j, (net, _) in enumerate(found)
    )
    of: dict[int, int] = {}
    for off, i, j in near:
        if off <= NEAR and i not in of.values() and j not in of:
            of[j] = i
    out = []
    for j, (net, shape) in enumerate(found):
        true = truth[of[j]] if j in of else None
        if true is None or not (true.get("moving") or true.get("inside") is False):
            right = true is not None and true["value"] == net.value
            seen = true is not None and (true.get("visible", 1.0) or 0) >= SEEN
            out.append(Finding(kind, source, evidence_of(net, shape), right, seen))
    return out


def read_dice(bench: Path) -> list[Finding]:
    """Every finding in photographs, rendered pictures of dice and beside rendered boards."""
    out = []
    photos = bench / "photos" / "dice"
    for line in (photos / "labels.jsonl").read_text().splitlines():
        label = json.loads(line)
        found = dice.findings(picture_of(photos / label["file"]))
        out += judged_dice("photos", label["source"], label["dice"], found)
    for path in sorted(bench.glob("renders/pip_dice/*/frame_*.json")):
        truth = json.loads(path.read_text())["dice"]
        out += judged_dice("rendered", path.parent.name, truth, dice.findings(picture_of(path.with_suffix(".jpg"))))
    for session, truth, picture, pose, reference in boards(bench):
        if any(die.get("moving") for die in truth["dice"]):
            continue  # no one reads rolling dice
        exclude = nothing_new(picture, reference.table, pose, reference.layout)
        found = dice.findings(picture, exclude=exclude, die_px=DIE_MM * pose.px_per_mm())
        out += judged_dice("beside", session, truth["dice"], found)
    return out


def fitted(evidence: Floats, right: npt.NDArray[np.bool_]) -> Floats:
    """Weights (5) of a logistic regression, by Newton's method."""
    weights = np.zeros(evidence.shape[1])
    for _ in range(50):
        p = chance(evidence, weights)
        slope = evidence.T @ (p - right) + RIDGE * weights
        bend = (evidence * (p * (1 - p))[:, None]).T @ evidence + RIDGE * np.eye(len(weights))
        weights -= np.clip(np.linalg.solve(bend, slope), -2, 2)
    return weights


def chance(evidence: Floats, weights: Floats) -> Floats:
    """Probability that a value is right, from evidence (n x 5) and weights."""
    return np.asarray(1 / (1 + np.exp(-np.clip(evidence @ weights, -50, 50))), np.float64)


def without(found: Sequence[Finding], apart: Callable[[Finding], str]) -> Floats:
    """Each finding's probability by weights that were fitted without the findings that share its part."""
    evidence, right = np.array([f.evidence for f in found]), np.array([f.right for f in found])
    parts, out = np.array([apart(f) for f in found]), np.zeros(len(found))
    for part in set(parts.tolist()):
        mine = parts == part
        out[mine] = chance(evidence[mine], fitted(evidence[~mine], right[~mine]))
    return out


def tell(found: Sequence[Finding], p: Floats, what: str) -> None:
    """Print how many values are right and wrong at the limits in use."""
    for kind, limit in (
        ("photos", dice.CERTAIN),
        ("rendered", dice.CERTAIN),
        ("beside", dice.CERTAIN),
        ("beside", CERTAIN),
    ):
        told = [f for f, q in zip(found, p, strict=True) if f.kind == kind and q >= limit]
        right = sum(f.right and f.seen for f in told)
        print(f"{what}, {kind} from {limit:g}: {right} right, {sum(not f.right for f in told)} wrong")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("what", nargs="?", choices=("spaces", "dice"))
    args = parser.parse_args()
    cv2.setNumThreads(1)
    if args.what != "dice":
        rows = read_spaces(args.bench)
        wrong = sum(row.given and not row.right for row in rows)
        print(f"{len(rows)} spaces; given {sum(row.given for row in rows)}, {wrong} of them wrong")
        print("limit from the other sessions: {} right, {} wrong, {} unsure".format(*left_out(rows)))
        table(rows, SPACE_STEPS)
    if args.what != "spaces":
        found = read_dice(args.bench)
        print(f"{len(found)} findings of dice")
        evidence = np.array([f.evidence for f in found])
        weights = dice.WEIGHTS
        published = np.array([weights.bias, weights.value, weights.agree, weights.evidence, weights.found])
        tell(found, chance(evidence, published), "weights in use")
        p = without(found, lambda f: f.source)
        tell(found, p, "each source left out")
        tell(found, without(found, lambda f: f.kind), "each kind left out")
        table([Judged(f.source, q, f.right) for f, q in zip(found, p.tolist(), strict=True)], DIE_STEPS)


if __name__ == "__main__":
    main()
