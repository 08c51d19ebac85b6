"""Finds pip dice in a picture with a small network (trained by training/dice), first in all of it, then closer.

The network marks where dice lie and how large they are. In a picture small enough to be looked through in time, small
dice that touch are one mark. So where the first look leaves a trace of small dice, a window of the picture is looked at
again, larger: dice then lie as far apart as the network has learned best, at a cost that depends on what lies there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.dice_busy import TILE, Part, busy_parts, merged

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]

CELL = 4  # px of a cell of the finder's map
WIDE, NARROW = 512, 160  # px the picture's longer side is brought to for small and for large dice
USUAL = 24.0  # px of a die's longer side that a first look suits if it is known ...
FINEST = 768  # ... and px of the picture's longer side at most
HEAT = 0.28  # least certainty of the finder ...
TRACE = 0.1  # ... and that of a first look that is worth a closer one
SMALL = 20.0  # px of a die's longer side in the first look below which it is looked at closer
CLEAR = 0.6  # certainty from which on a mark isn't either ...
LONE = 1.5  # ... if no other is nearer, in units of its longer side
CLOSE = 30.0  # px of it in the closer look
WINDOW = 128  # px of a closer look's side ...
NEAR = 0.3  # of it: how far off its middle others' marks are that a window is moved to hold ...
EDGE = 0.02  # ... and how far from its edge a mark must end, or the die may be cut
WINDOWS = 12  # closer looks at most
NEARER = 1.15  # times as large at least, else a closer look tells nothing
PART = 300_000  # px that the network is given at once, for which it takes 25 MB ...
MARGIN = 96  # ... with so many around those that its answer is wanted for: what it looks at, in whole tiles
BESIDE = 2  # tiles around what isn't plain that the network is given, too: with one, some marks change
MOST = 0.7  # of a picture that isn't plain, from which on all of it is looked at in one go
LARGE = 6  # tiles of a busy part's sides from which on a die may lie in it that is too large for the first look
NOWHERE = -20.0  # the network's answer where it isn't asked: there is no die
ALIKE = 0.4  # overlap (intersection over union) from which two boxes are taken for one die's

Mark = tuple[float, F32]
"""What the network takes for a die: its certainty, and x0, y0, x1, y1 in px."""


@dataclass(frozen=True, slots=True)
class Search:
    """What was found in a picture.

    Args:
        marks: what may be dice, many of them none.
        heat: the certainty all over the picture, cell by cell, in the first look.
        cell: a cell's side in px of the picture.
    """

    marks: list[Mark]
    heat: F32
    cell: float


class DiceFinder:
    """The network that finds.

    Args:
        file: ``dice_finder.onnx``.

    Raises:
        FileNotFoundError: it isn't there.
    """

    def __init__(self, file: Path) -> None:
        if not file.is_file():
            raise FileNotFoundError(f"no network at {file}")
        self._net = cv2.dnn.readNetFromONNX(str(file))

    def search(
        self, picture: U8, *, die_px: float | None = None, exclude: npt.NDArray[np.uint8] | None = None
    ) -> Search:
        """Looks through a picture, and closer where small dice may lie.

        Args:
            picture: BGR uint8 h x w x 3.
            die_px: a die's edge in px where it is known: the first look is then at the scale that suits.
            exclude: uint8 h x w, not 0 where nothing is to be found.
        """
        longer = max(picture.shape[:2])
        side = WIDE
        if die_px is not None:
            side = round(float(np.clip(longer * USUAL / (1.2 * die_px), NARROW, FINEST)))
        scale = min(1.0, side / longer)
        halves = [picture]
        small = _scaled(halves, scale)
        closed = exclude
        if closed is not None:
            closed = np.asarray(cv2.resize(closed, small.shape[1::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
        parts = busy_parts(small, closed)
        marks, heat = _look(self._net, small, picture.shape, TRACE, parts)
        if die_px is None and any(x1 - x0 >= LARGE and y1 - y0 >= LARGE for x0, y0, x1, y1 in parts):
            marks += _look(self._net, _scaled(halves, min(1.0, NARROW / longer)), picture.shape, HEAT)[0]
        if exclude is not None:
            marks = [mark for mark in marks if not inside(exclude, mark[1])]
        marks = self._closer(picture, marks, scale)
        if exclude is not None:
            marks = [mark for mark in marks if not inside(exclude, mark[1])]
        return Search(_distinct([m for m in marks if m[0] > HEAT]), heat, longer / max(heat.shape))

    def _closer(self, picture: U8, marks: list[Mark], scale: float) -> list[Mark]:
        """The marks, and what is seen in windows about small ones; a mark that windows show otherwise is left out."""
        settled = _settled(marks, scale)
        waiting = sorted((m for m, s in zip(marks, settled, strict=True) if not s), key=lambda m: -m[0])
        out = [m for m, s in zip(marks, settled, strict=True) if s]
        size = np.array(picture.shape[1::-1])
        for _ in range(WINDOWS):
            if not waiting:
                break
            zoom = min(1.0, CLOSE / _longer(waiting[0]))
            if zoom < NEARER * scale:
                out.append(waiting.pop(0))
                continue
            reach = WINDOW / zoom
            boxes = np.stack([box for _, box in waiting])
            middles = (boxes[:, :2] + boxes[:, 2:]) / 2
            near = np.abs(middles - middles[0]).max(1) < NEAR * reach
            first = np.clip(middles[near].mean(0) - reach / 2, 0, np.maximum(0, size - reach)).astype(int)
            last = np.minimum(first + int(reach), size)
            part = np.ascontiguousarray(picture[first[1] : last[1], first[0] : last[0]])
            low, high = (
                np.where(first > 0, first + EDGE * reach, -1),
                np.where(last < size, last - EDGE * reach, size + 1),
            )
            marks = _look(self._net, _scaled([part], zoom), part.shape, HEAT)[0]
            seen = [(s, b + np.tile(first, 2).astype(np.float32)) for s, b in marks]
            seen = [m for m in seen if (m[1][:2] > low).all() and (m[1][2:] < high).all()]
            done = np.asarray(((boxes[:, :2] > low) & (boxes[:, 2:] < high)).all(1))
            done[0] = True
            out += seen
            out += [m for m, d in zip(waiting, done, strict=True) if d and not any(_within(m, s) for s in seen)]
            waiting = [m for m, d in zip(waiting, done, strict=True) if not d]
        return out + waiting


def _look(
    net: cv2.dnn.Net, small: U8, shape: tuple[int, ...], least: float, parts: list[Part] | None = None
) -> tuple[list[Mark], F32]:
    """The marks in a picture, down to the least certainty, and the certainty of each cell.

    Args:
        net: the network.
        small: the picture brought to the scale to look at.
        shape: height and width of the picture, in whose px the marks are told.
        least: certainty.
        parts: look only at these; at all of it if not given.
    """
    (h, w), (nh, nw) = shape[:2], small.shape[:2]
    small = np.asarray(cv2.copyMakeBorder(small, 0, -nh % TILE, 0, -nw % TILE, cv2.BORDER_REPLICATE), np.uint8)
    out = _answer(net, small) if parts is None else _answer_in(net, small, parts)
    heat = 1 / (1 + np.exp(-out[0]))
    peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > least)
    ys, xs = np.nonzero(peak)
    dx, dy, lw, lh = out[1:, ys, xs]
    cx, cy = (xs + 0.5 + dx) * CELL, (ys + 0.5 + dy) * CELL
    half_w, half_h = np.exp(np.clip(lw, 0, 6)) / 2, np.exp(np.clip(lh, 0, 6)) / 2
    zoom = np.array([w / nw, h / nh] * 2, np.float32)
    boxes = np.stack([cx - half_w, cy - half_h, cx + half_w, cy + half_h], 1) * zoom
    boxes = np.clip(boxes, 0, [w, h, w, h]).astype(np.float32)
    marks = [(float(s), b) for s, b in zip(heat[ys, xs], boxes, strict=True)]
    return marks, heat[: -(-nh // CELL), : -(-nw // CELL)]


def _answer_in(net: cv2.dnn.Net, picture: U8, parts: list[Part]) -> F32:
    """What the network says of each cell of a picture (sides in whole tiles) that lies in one of the parts."""
    height, width = picture.shape[:2]
    parts = merged(parts, BESIDE)
    seen = [(max(0, x0 - BESIDE), max(0, y0 - BESIDE), x1 + BESIDE, y1 + BESIDE) for x0, y0, x1, y1 in parts]
    if sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in seen) * TILE**2 > MOST * height * width:
        return _answer(net, picture)
    out = np.zeros((5, height // CELL, width // CELL), np.float32)
    out[0] = NOWHERE
    cells = TILE // CELL
    for (x0, y0, x1, y1), (left, top, right, bottom) in zip(parts, seen, strict=True):
        answer = _answer(net, picture[top * TILE : bottom * TILE, left * TILE : right * TILE])
        inner = answer[:, (y0 - top) * cells : (y1 - top) * cells, (x0 - left) * cells : (x1 - left) * cells]
        out[:, y0 * cells : y1 * cells, x0 * cells : x1 * cells] = inner
    return out


def _answer(net: cv2.dnn.Net, picture: U8) -> F32:
    """What the network says of each cell (5 x h/4 x w/4) of a picture (sides in whole tiles), part by part."""
    height, width = picture.shape[:2]
    parts = -(-height * width // PART)
    step = -(-width // (TILE * parts)) * TILE
    answers = []
    for left in range(0, width, step):
        start, end = max(0, left - MARGIN), min(width, left + step + MARGIN)
        planes = np.empty((1, 3, height, end - start), np.float32)  # blobFromImage takes eight times as long
        for k, plane in enumerate(cv2.split(picture[:, start:end])):
            planes[0, k] = plane
        planes -= 127.5
        planes *= 1 / 127.5
        net.setInput(planes)
        seen = net.forward()[0, :, :, (left - start) // CELL : (min(left + step, width) - start) // CELL]
        answers.append(seen.copy())  # the next part may be answered in the same memory
    return np.concatenate(answers, axis=2)


def _scaled(halves: list[U8], scale: float) -> U8:
    """A picture brought to a scale, up to 1, but 16 px at least: halved while it can be, a thirtieth of the cost.

    Args:
        halves: the picture, and what it was halved to before; longer afterwards, if it had to be halved further.
        scale: of the sides.
    """
    size = max(16, round(halves[0].shape[1] * scale)), max(16, round(halves[0].shape[0] * scale))
    level = 0
    while (part := halves[level]).shape[1] >= 2 * size[0] and part.shape[0] >= 2 * size[1]:
        if (level := level + 1) == len(halves):
            half = (part.shape[1] // 2, part.shape[0] // 2)
            halves.append(np.asarray(cv2.resize(part, half, interpolation=cv2.INTER_AREA), np.uint8))
    if part.shape[1::-1] == size:
        return part
    return np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def _within(mark: Mark, other: Mark) -> bool:
    """Does a mark's middle lie in another mark?"""
    middle = (mark[1][:2] + mark[1][2:]) / 2
    return bool((middle > other[1][:2]).all() and (middle < other[1][2:]).all())


def _settled(marks: list[Mark], scale: float) -> list[bool]:
    """Which marks need no closer look: large ones, and sure ones with no trace of another die beside them."""
    middles = np.array([(box[:2] + box[2:]) / 2 for _, box in marks], np.float32).reshape(-1, 2)
    out = []
    for k, mark in enumerate(marks):
        off = np.abs(middles - middles[k]).max(1)
        off[k] = np.inf
        lone = mark[0] > CLEAR and bool(off.min() > LONE * _longer(mark))
        out.append(lone or _longer(mark) * scale >= SMALL)
    return out


def _longer(mark: Mark) -> float:
    """Px of a mark's longer side."""
    return float((mark[1][2:] - mark[1][:2]).max())


def inside(mask: npt.NDArray[np.uint8], box: F32) -> bool:
    """Is a box's middle in the mask?"""
    x, y = int((box[0] + box[2]) / 2), int((box[1] + box[3]) / 2)
    return bool(mask[np.clip(y, 0, mask.shape[0] - 1), np.clip(x, 0, mask.shape[1] - 1)])


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
