"""Finds pip dice in a picture and reads their top faces with two small networks (trained by training/dice).

The finder (dice_find.py) marks where dice lie and how large they are; the reader then looks at each die at one and the
same size, so that a die's pips look alike whether it is 15 or 500 px large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.dice_find import CELL, SMALL, DiceFinder, Mark, inside
from companion.vision.readings import Box

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]

MODELS = Path(__file__).parent / "models"
PATCH = 48  # px of the reader's patches
COARSE = 1.3  # a patch's side in units of PATCH up to which it is cut in one go
AROUND = 1.4  # a patch's side in units of the die's longer side
NOTHING = 0.9  # probability of nothing to read from which on a finding is forgotten
CLEAR = 0.9  # probability of a value from which on a second look isn't worth the time ...
STRAY = 0.3  # ... unless the die is off the finding by more, in units of its longer side
SURE = 0.9  # probability of a value from which on a die tells how large the others are
HINT = 0.12  # certainty of the finder that is a hint of a die of the usual size ...
BESIDE = 1.5  # ... and more, if it is no farther off a sure one than this, in units of the usual side
EVEN = 0.3  # the finder's certainty of what it marked in another size
FIRST = 0.4  # the first look's share in the verdict
SAME = 0.9  # probability of a value from which on marks in the middle of a die are that die's ...
MIDDLE = 0.3  # ... within this share of the larger longer side: every sixth look is spared
HALF = 0.4  # of a die's side: no two dice's middles are nearer than this
# So that certainties are true on drawn pictures that training didn't see (training/dice/calibrate.py).
TEMPERATURE = 1.0  # the reader's logits are divided by it
WEIGHT, SHIFT = 1.4, -1.0  # WEIGHT * the finder's logit + SHIFT speaks against "no die to be read"


@dataclass(frozen=True, slots=True)
class NetDie:
    """One die as the networks see it.

    Args:
        value: the likeliest value of the top face, 1 to 6.
        box: x, y, width, height in px of the visible die.
        probabilities: of the values 1 to 6; what they lack to 1 is the chance that there is no die or none to be read.
            The largest is the reading's confidence.
        score: the finder's own certainty, 0 to 1; the probabilities take it into account already.
        hinted: the finder gave but a hint of it, on a table whose dice's size is known.
    """

    value: int
    box: Box
    probabilities: tuple[float, ...]
    score: float
    hinted: bool = False


def cut_patch(picture: U8, centre: tuple[float, float], side: float, turn: float = 0.0) -> U8:
    """A square of a picture as PATCH x PATCH px, beyond the edge the edge's colours.

    Args:
        picture: BGR uint8 h x w x 3.
        centre: x, y of the square's middle, counted between px centres (the first px is 0).
        side: the square's side in px.
        turn: degrees to turn the view by.
    """
    n = max(8, round(side)) if side > COARSE * PATCH else PATCH
    m = cv2.getRotationMatrix2D(centre, turn, n / side)
    m[:, 2] += n / 2 - 0.5 - np.array(centre)
    cut = cv2.warpAffine(picture, m, (n, n), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut if n == PATCH else cv2.resize(cut, (PATCH, PATCH), interpolation=cv2.INTER_AREA), np.uint8)


def standardise(patches: U8) -> F32:
    """Patches (n x s x s x 3) as the reader wants them (n x 3 x s x s).

    Each channel about its mean, all by their common deviation, so that lamp and exposure don't count.
    """
    x = np.ascontiguousarray(patches.transpose(0, 3, 1, 2)).astype(np.float32)
    x -= x.mean((2, 3), keepdims=True)
    flat = x.reshape(len(x), -1)
    x /= (np.sqrt(np.einsum("ij,ij->i", flat, flat) / flat.shape[1]) + 4)[:, None, None, None]
    return x


class DiceNet:
    """The two networks, loaded once.

    Args:
        models: folder of ``dice_finder.onnx`` and ``dice_reader.onnx``; the package's own if not given.

    Raises:
        FileNotFoundError: a network's file isn't there.

    >>> DiceNet().detect(np.full((240, 320, 3), 90, np.uint8))
    ()
    """

    def __init__(self, models: Path = MODELS) -> None:
        file = models / "dice_reader.onnx"
        self._finder = DiceFinder(models / "dice_finder.onnx")
        if not file.is_file():
            raise FileNotFoundError(f"no network at {file}")
        self._reader = cv2.dnn.readNetFromONNX(str(file))

    def detect(
        self, picture: U8, *, die_px: float | None = None, exclude: npt.NDArray[np.uint8] | None = None
    ) -> tuple[NetDie, ...]:
        """All dice that the networks take to be there, the surest first.

        Args:
            picture: BGR uint8 h x w x 3.
            die_px: a die's edge in px where it is known (a calibrated table): the picture is then looked at
                once, at the scale that suits, and mere hints are looked at.
            exclude: uint8 h x w, not 0 where no die is to be reported.
        """
        found = self._finder.search(picture, die_px=die_px, exclude=exclude)
        if not found.marks:
            return ()
        boxes, heat = np.stack([box for _, box in found.marks]), np.array([score for score, _ in found.marks])
        pyramid = [picture]
        dice = _apart(self._read(pyramid, boxes, heat))
        for hinted, again in enumerate(_left_over(found.heat, found.cell, boxes, dice, die_px is not None)):
            if exclude is not None:
                again = [box for box in again if not inside(exclude, box)]
            if again:
                more = self._read(pyramid, np.stack(again), np.full(len(again), EVEN))
                dice = _apart([*dice, *(replace(die, hinted=bool(hinted)) for die in more)])
        if exclude is not None:  # a second look may have moved a box into what doesn't count
            dice = tuple(d for d in dice if not inside(exclude, _corners(d)))
        return dice

    def candidates(self, picture: U8, die_px: float | None = None) -> list[Mark]:
        """What the finder alone takes for dice, much of it wrongly."""
        return self._finder.search(picture, die_px=die_px).marks

    def _read(self, pyramid: list[U8], boxes: F32, heat: npt.NDArray[np.floating]) -> list[NetDie]:
        """The dice in boxes; a doubtful one is looked at again, mirrored, and where the last look saw its middle."""
        rows, logits, off = self._first(pyramid, boxes, heat)
        boxes, heat = boxes[rows], heat[rows]
        p = _chances(logits, heat)
        doubtful = (p[:, 0] < NOTHING) & ((p[:, 1:].max(1) < CLEAR) | (np.abs(off).max(1) > STRAY))
        for mirrored in (True, False):
            some = np.flatnonzero(doubtful)
            if not len(some):
                break
            boxes[some] = _moved(boxes[some], off[some])
            again, off[some] = self.look(pyramid, boxes[some], mirrored)
            logits[some] = FIRST * logits[some] + (1 - FIRST) * again
            p = _chances(logits, heat)
            doubtful &= (p[:, 0] < NOTHING) & (np.abs(off).max(1) > STRAY)
        boxes = _moved(boxes, off)
        return [
            NetDie(int(q[1:].argmax()) + 1, _clipped(box, pyramid[0].shape), tuple(q[1:].tolist()), float(score))
            for score, box, q in zip(heat, boxes, p, strict=True)
            if q[0] < NOTHING
        ]

    def _first(self, pyramid: list[U8], boxes: F32, heat: npt.NDArray[np.floating]) -> tuple[list[int], F32, F32]:
        """First looks at boxes in turn, and at which; those that mark a die already clear are left out."""
        rows, looks, clear = list[int](), list[tuple[F32, F32]](), np.empty((0, 4), np.float32)
        for row, box in enumerate(boxes):
            middles, sides = (clear[:, :2] + clear[:, 2:] - box[:2] - box[2:]) / 2, clear[:, 2:] - clear[:, :2]
            if (np.abs(middles) < MIDDLE * np.maximum(sides, box[2:] - box[:2])).all(1).any():
                continue
            logits, off = self.look(pyramid, box[None])
            rows.append(row)
            looks.append((logits, off))
            if _chances(logits, heat[row : row + 1])[0, 1:].max() > SAME and np.abs(off).max() <= STRAY:
                clear = np.vstack([clear, _moved(box[None], off)])
        return rows, np.vstack([logits for logits, _ in looks]), np.vstack([off for _, off in looks])

    def look(self, pyramid: list[U8], boxes: F32, mirrored: bool = False) -> tuple[F32, F32]:
        """The reader's logits (n x 7: nothing to read, 1 to 6) of what lies in boxes (n x 4), and how far off they are.

        Args:
            pyramid: the picture, then halved once, twice ...; what is missing is added.
            boxes: x0, y0, x1, y1 in px.
            mirrored: look at the mirror image.

        Returns:
            Logits, and x, y and logarithm of size by which the die is off the box's middle and longer side.
        """
        out = np.empty((len(boxes), 10), np.float32)
        for row, box in zip(out, boxes, strict=True):  # one by one takes no longer than many at a time
            patch = _patch(pyramid, box)
            self._reader.setInput(standardise((patch[:, ::-1] if mirrored else patch)[None]))
            row[:] = self._reader.forward().ravel()
        if mirrored:
            out[:, 7] *= -1
        return out[:, :7], out[:, 7:]


def _patch(pyramid: list[U8], box: F32) -> U8:
    """The patch about a box; of a large die it is cut from a picture halved often enough."""
    x0, y0, x1, y1 = (float(v) for v in box)
    side = AROUND * max(8.0, x1 - x0, y1 - y0)
    level = max(0, int(np.log2(side / (2 * PATCH))))
    while len(pyramid) <= level:
        pyramid.append(
            np.asarray(cv2.resize(pyramid[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        )
    middle = ((x0 + x1) / 2**level / 2 - 0.5, (y0 + y1) / 2**level / 2 - 0.5)
    return cut_patch(pyramid[level], middle, side / 2**level)


def _chances(logits: F32, heat: npt.NDArray[np.floating]) -> F32:
    """Probabilities (n x 7) of nothing to read and of the values, from the reader's logits and the finder's word."""
    z = logits / TEMPERATURE
    heat = np.clip(heat, 1e-6, 1 - 1e-6)  # single precision reaches 1
    z[:, 0] -= WEIGHT * np.log(heat / (1 - heat)) + SHIFT
    odds = np.exp(z - z.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True), np.float32)


def _moved(boxes: F32, off: F32) -> F32:
    """Boxes moved and widened to where the reader sees the die."""
    longer = np.maximum(8, (boxes[:, 2:] - boxes[:, :2]).max(1, keepdims=True))
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2 + off[:, :2] * longer
    half = (boxes[:, 2:] - boxes[:, :2]) / 2 * np.exp(off[:, 2:])
    return np.asarray(np.hstack([middle - half, middle + half]), np.float32)


def _left_over(
    heat: F32, cell: float, boxes: F32, dice: tuple[NetDie, ...], hints: bool
) -> tuple[list[F32], list[F32]]:
    """Where to look once more, for dice of the usual size: what the finder marked and the sure dice don't account for.

    Of large dice that touch, it marks some only in part, others as one group, and of some it gives but a hint beside a
    stronger mark; dice of one table are alike.

    Args:
        heat: the finder's certainty, cell by cell.
        cell: side of a cell in px.
        boxes: what was looked at already, n x 4, px.
        dice: what came of it.
        hints: whether mere hints count, too.

    Returns:
        Boxes that likely hold a die, and boxes around hints far from any sure die.
    """
    sure = [d for d in dice if max(d.probabilities) > SURE]
    usual = usual_side(dice)
    if usual is None or usual / cell * CELL < SMALL:  # the finder has looked closer itself
        return [], []
    taken = np.array([(d.box[0] + d.box[2] / 2, d.box[1] + d.box[3] / 2, HALF * max(d.box[2:])) for d in sure])
    left, near = heat.copy(), np.zeros(heat.shape, np.uint8)
    cells = [((round(x / cell - 0.5), round(y / cell - 0.5)), round(r / cell)) for x, y, r in taken.tolist()]
    for at, _ in cells:
        cv2.circle(near, at, round(BESIDE * usual / cell), 1, cv2.FILLED)
    for at, radius in cells:
        cv2.circle(left, at, radius, 0, cv2.FILLED)
    peak = (left >= cv2.dilate(left, np.ones((3, 3), np.uint8))) & (left > HINT)
    sizes = np.abs(np.log((boxes[:, 2:] - boxes[:, :2]).max(1) / usual))
    middles = ((boxes[:, :2] + boxes[:, 2:]) / 2)[(sizes > 0.25) & (sizes < 1.1)].tolist()
    out: tuple[list[F32], list[F32]] = ([], [])
    places = [(x, y, 0) for x, y in middles]
    for far in range(1 + hints):
        rows = np.argwhere(peak & ((near == 0) == bool(far))).tolist()
        places += [((x + 0.5) * cell, (y + 0.5) * cell, far) for y, x in rows]
    for x, y, far in places:
        if (np.abs(taken[:, :2] - (x, y)).max(1) > taken[:, 2]).all():
            taken = np.vstack([taken, (x, y, 0.15 * usual)])
            out[far].append(np.array([x - usual / 2, y - usual / 2, x + usual / 2, y + usual / 2], np.float32))
    return out


def usual_side(dice: Sequence[NetDie]) -> float | None:
    """Px of the middle longer side of the dice whose value is sure; None where none is."""
    sides = [max(d.box[2:]) for d in dice if max(d.probabilities) > SURE]
    return float(np.median(sides)) if sides else None


def _corners(die: NetDie) -> F32:
    """x0, y0, x1, y1 of a die's box."""
    x, y, w, h = die.box
    return np.array([x, y, x + w, y + h], np.float32)


def _clipped(box: F32, shape: tuple[int, ...]) -> Box:
    """x, y, width, height within the picture."""
    x0, y0, x1, y1 = (float(v) for v in np.clip(box, 0, [shape[1], shape[0]] * 2))
    x, y = min(int(x0), shape[1] - 1), min(int(y0), shape[0] - 1)  # a second look may lead out of the picture
    return x, y, max(1, round(x1 - x0)), max(1, round(y1 - y0))


def _apart(dice: list[NetDie]) -> tuple[NetDie, ...]:
    """Leaves dice that can lie side by side, the surest first: no two middles may be nearer than HALF a side."""
    kept: list[NetDie] = []
    for d in sorted(dice, key=lambda d: -max(d.probabilities)):
        x, y, w, h = d.box
        for k in kept:
            cx, cy = abs(x + w / 2 - k.box[0] - k.box[2] / 2), abs(y + h / 2 - k.box[1] - k.box[3] / 2)
            if cx < HALF * max(w, k.box[2]) and cy < HALF * max(h, k.box[3]):
                break
        else:
            kept.append(d)
    return tuple(kept)
