"""Finds pip dice in a picture and reads their top faces with two small networks (trained by training/dice).

The finder marks where dice lie and how large they are; the reader then looks at each die at one and the same size, so
that a die's pips look alike whether it is 15 or 500 px large.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.readings import Box

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]

MODELS = Path(__file__).parent / "models"
CELL = 4  # px of a cell of the finder's map
PATCH = 48  # px of the reader's patches
AROUND = 1.6  # a patch's side in units of the die's longer side
WIDE, NARROW = 640, 160  # px the picture's longer side is brought to for small and for large dice
USUAL = 24.0  # px of a die's longer side that the finder sees best
BATCH = 8  # patches the reader gets at a time: one shape, as a new one makes OpenCV plan anew
HEAT = 0.2  # least certainty of the finder
ALIKE = 0.4  # overlap (intersection over union) from which two boxes are taken for one die's
HALF = 0.45  # of a die's side: no two dice's middles are nearer than this
# So that certainties are true on drawn pictures that training didn't see (training/dice/calibrate.py).
TEMPERATURE = 1.2  # the reader's logits are divided by it
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
    """

    value: int
    box: Box
    probabilities: tuple[float, ...]
    score: float


def cut_patch(picture: U8, centre: tuple[float, float], side: float, turn: float = 0.0) -> U8:
    """A square of a picture as PATCH x PATCH px, beyond the edge the edge's colours.

    Args:
        picture: BGR uint8 h x w x 3.
        centre: x, y of the square's middle, counted between px centres (the first px is 0).
        side: the square's side in px.
        turn: degrees to turn the view by.
    """
    n = max(8, round(side))
    m = cv2.getRotationMatrix2D(centre, turn, n / side)
    m[:, 2] += n / 2 - 0.5 - np.array(centre)
    cut = cv2.warpAffine(picture, m, (n, n), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    how = cv2.INTER_AREA if n > PATCH else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(cut, (PATCH, PATCH), interpolation=how), np.uint8)


def standardise(patches: U8) -> F32:
    """Patches (n x s x s x 3) as the reader wants them (n x 3 x s x s).

    Each channel about its mean, all by their common deviation, so that lamp and exposure don't count.
    """
    x = patches.astype(np.float32)
    x -= x.mean((1, 2), keepdims=True)
    x /= np.sqrt((x * x).mean((1, 2, 3), keepdims=True)) + 4
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2))


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
        for name in ("dice_finder.onnx", "dice_reader.onnx"):
            if not (models / name).is_file():
                raise FileNotFoundError(f"no network at {models / name}")
        self._finder = cv2.dnn.readNetFromONNX(str(models / "dice_finder.onnx"))
        self._small_finder = cv2.dnn.readNetFromONNX(str(models / "dice_finder.onnx"))
        self._reader = cv2.dnn.readNetFromONNX(str(models / "dice_reader.onnx"))

    def detect(
        self, picture: U8, *, die_px: float | None = None, exclude: npt.NDArray[np.uint8] | None = None
    ) -> tuple[NetDie, ...]:
        """All dice that the networks take to be there, the surest first.

        Args:
            picture: BGR uint8 h x w x 3.
            die_px: a die's edge in px where it is known (a calibrated table): the picture is then looked at
                once, at the scale that suits.
            exclude: uint8 h x w, not 0 where no die is to be reported.
        """
        boxes = self.candidates(picture, die_px)
        if exclude is not None:
            boxes = [b for b in boxes if not _inside(exclude, b[1])]
        return _apart(self._read(picture, boxes))

    def candidates(self, picture: U8, die_px: float | None = None) -> list[tuple[float, F32]]:
        """What the finder alone takes for dice: certainties and boxes (x0, y0, x1, y1 in px), many of them wrong."""
        longer = max(picture.shape[:2])
        sides: tuple[int, ...] = (WIDE, NARROW)
        if die_px is not None:
            sides = (round(float(np.clip(longer * USUAL / (1.2 * die_px), NARROW, 2 * WIDE))),)
        found: list[tuple[float, F32]] = []
        for k, side in enumerate(sides):
            found += self._find(self._small_finder if k else self._finder, picture, min(1.0, side / longer))
        return _distinct(found)

    def _find(self, net: cv2.dnn.Net, picture: U8, scale: float) -> list[tuple[float, F32]]:
        """Certainties and boxes (x0, y0, x1, y1 in px of the picture) of the dice seen at a scale."""
        h, w = picture.shape[:2]
        nh, nw = max(16, round(h * scale)), max(16, round(w * scale))
        small = cv2.resize(picture, (nw, nh), interpolation=cv2.INTER_AREA) if scale < 1 else picture
        small = cv2.copyMakeBorder(small, 0, -nh % 16, 0, -nw % 16, cv2.BORDER_REPLICATE)
        net.setInput(cv2.dnn.blobFromImage(small, 1 / 127.5, mean=(127.5, 127.5, 127.5)))
        out = net.forward()[0]
        heat = 1 / (1 + np.exp(-out[0]))
        peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > HEAT)
        ys, xs = np.nonzero(peak)
        dx, dy, lw, lh = out[1:, ys, xs]
        cx, cy = (xs + 0.5 + dx) * CELL, (ys + 0.5 + dy) * CELL
        half_w, half_h = np.exp(np.clip(lw, 0, 6)) / 2, np.exp(np.clip(lh, 0, 6)) / 2
        zoom = np.array([w / nw, h / nh] * 2, np.float32)
        boxes = np.stack([cx - half_w, cy - half_h, cx + half_w, cy + half_h], 1) * zoom
        boxes = np.clip(boxes, 0, [w, h, w, h]).astype(np.float32)
        return [(float(s), b) for s, b in zip(heat[ys, xs], boxes, strict=True)]

    def _read(self, picture: U8, boxes: list[tuple[float, F32]]) -> list[NetDie]:
        """The readings of the dice in boxes; those that the reader takes for no dice at all are left out."""
        dice, halved = [], [picture]
        for first in range(0, len(boxes), BATCH):
            some = boxes[first : first + BATCH]
            patches = np.zeros((BATCH, PATCH, PATCH, 3), np.uint8)
            for k, (_, (x0, y0, x1, y1)) in enumerate(some):
                side = AROUND * max(8.0, float(x1 - x0), float(y1 - y0))
                half = max(0, int(np.log2(side / (2 * PATCH))))  # cut large dice from a picture halved that often
                while len(halved) <= half:
                    halved.append(cv2.resize(halved[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
                middle = (float(x0 + x1) / 2**half / 2 - 0.5, float(y0 + y1) / 2**half / 2 - 0.5)
                patches[k] = cut_patch(halved[half], middle, side / 2**half)
            self._reader.setInput(standardise(patches))
            logits = self._reader.forward().reshape(BATCH, 7)[: len(some)] / TEMPERATURE
            heat = np.array([score for score, _ in some])
            logits[:, 0] -= WEIGHT * np.log(heat / (1 - heat)) + SHIFT
            odds = np.exp(logits - logits.max(1, keepdims=True))
            for (score, (x0, y0, x1, y1)), p in zip(some, odds / odds.sum(1, keepdims=True), strict=True):
                if p[0] < 0.98:
                    box = (int(x0), int(y0), max(1, round(float(x1 - x0))), max(1, round(float(y1 - y0))))
                    dice.append(NetDie(int(p[1:].argmax()) + 1, box, tuple(float(v) for v in p[1:]), score))
        return dice


def _inside(mask: npt.NDArray[np.uint8], box: F32) -> bool:
    """Is a box's middle in the mask?"""
    x, y = int((box[0] + box[2]) / 2), int((box[1] + box[3]) / 2)
    return bool(mask[min(y, mask.shape[0] - 1), min(x, mask.shape[1] - 1)])


def _distinct(found: list[tuple[float, F32]]) -> list[tuple[float, F32]]:
    """Leaves the surest of boxes that are nearly one; a small box within a large one stays, for the reader to judge."""
    kept: list[tuple[float, F32]] = []
    for score, b in sorted(found, key=lambda f: -f[0]):
        x0, y0, x1, y1 = b
        for _, k in kept:
            w, h = min(x1, k[2]) - max(x0, k[0]), min(y1, k[3]) - max(y0, k[1])
            either = (x1 - x0) * (y1 - y0) + (k[2] - k[0]) * (k[3] - k[1]) - w * h
            if w > 0 and h > 0 and w * h > ALIKE * either:
                break
        else:
            kept.append((score, b))
    return kept


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
