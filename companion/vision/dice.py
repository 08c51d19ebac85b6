"""Pip dice: which values lie on the table, in which colours, where.

Small networks that have learnt what dice look like (dice_net.py) find them and read them. Where they are in doubt, a
second witness is asked: the arrangement of pips on a body is measured (dice_shapes.py). What both say becomes one
probability; a value that is not probable enough is None, and so is one of what doesn't lie flat (dice_stand.py).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.dice_colour import body_colour, white_of
from companion.vision.dice_net import DiceNet, NetDie, usual_side
from companion.vision.dice_shapes import ShapeDie, read_shapes
from companion.vision.dice_stand import Standing
from companion.vision.readings import Box, DieReading

Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]

CERTAIN = 0.8
"""Probability from which on a value is given (docs/accuracy.md tells what that costs and saves)."""
SEEN = 0.3
"""Probability of its likeliest value from which on a die is reported at all, if only without a value."""
DIE = 0.7
"""The reader's own probability that there is a die, from which on it is reported without a value."""
DOUBTFUL = (0.1, 0.95)
"""Between these probabilities by the networks alone the second witness is asked; it takes as long as thirty dice."""
AROUND = 0.35
"""Of its longer side: how far around a found die its pips are measured."""
WIDER = 1.3
"""Times a face's edge that a die's longer side is, between one seen from above and one seen across its corner."""
UNLIKE = 1.4
"""Turned dice of one table differed by up to 1.31 in their boxes' longer sides, a flower by 1.6."""
LIT = (50, 70)
"""Percentiles of lightness between which the middle of a die shows its colour."""
TOGETHER = 0.5
"""Of the larger one's longer side: nearer middles are one die's."""


def read_pip_dice(
    picture: Picture, *, exclude: Mask | None = None, die_px: float | None = None
) -> tuple[DieReading, ...]:
    """Read all pip dice of a picture, from top to bottom.

    Args:
        picture: BGR uint8 h x w x 3.
        exclude: uint8 h x w, non-zero where no die is expected (the board).
        die_px: a die's edge in px where the board's pose tells it; faces of 0.6 to 1.75 times that are believed, or of
            the edge that surely read dice tell better.
    """
    found = findings(picture, exclude=exclude, die_px=die_px)
    if not found:
        return ()
    white = white_of(picture)
    readings = [_judge(picture, white, net, shape) for net, shape in found]
    if die_px is None:  # beside a board dice lie alone, where the table was bare: there it doubts more than it saves
        readings = [_flat(picture, net, reading) for (net, _), reading in zip(found, readings, strict=True)]
    return tuple(sorted((r for r in readings if r is not None), key=lambda r: (r.box[1], r.box[0])))


def findings(
    picture: Picture, *, exclude: Mask | None = None, die_px: float | None = None
) -> list[tuple[NetDie, ShapeDie | None]]:
    """What the two witnesses say of each place where a die may lie; the second is asked where the first is in doubt.

    Args:
        picture, exclude, die_px: as :func:`read_pip_dice` takes them.
    """
    found = _net().detect(picture, exclude=exclude, die_px=die_px)
    alone = {die: probability(die.value, die, None) for die in found}
    seen = [die for die in found if not die.hinted or alone[die] >= SEEN]
    doubtful = [die for die in seen if die.hinted or DOUBTFUL[0] <= alone[die] < DOUBTFUL[1]]
    usual = usual_side(seen)
    if die_px is not None and usual is not None:  # dice of one table are alike, and nearer to the camera than the board
        die_px = max(die_px, usual / WIDER)
        doubtful = [die for die in doubtful if 1 / UNLIKE < max(die.box[2:]) / usual < UNLIKE]
    shapes = _measured(picture, doubtful, die_px) if doubtful else ()
    return [(die, _of(die, shapes) if die in doubtful else None) for die in seen]


@functools.cache
def _net() -> DiceNet:
    return DiceNet()


@functools.cache
def _standing() -> Standing:
    return Standing()


def _flat(picture: Picture, net: NetDie, reading: DieReading | None) -> DieReading | None:
    """A reading, without its value where the die doesn't lie flat on the table or is none: that is seen around it."""
    if reading is None or reading.value is None:
        return reading
    margin = _standing().margin(picture, net.box)
    if margin >= 0:
        return reading
    return replace(reading, value=None, confidence=min(reading.confidence, 1 / (1 + math.exp(-margin))))


def _measured(picture: Picture, dice: list[NetDie], die_px: float | None) -> tuple[ShapeDie, ...]:
    """What the second witness sees around dice; the part of the picture that holds them all is cut out for it."""
    height, width = picture.shape[:2]
    around = []
    for x, y, w, h in (die.box for die in dice):
        reach = AROUND * max(w, h)
        first, last = (max(0, int(x - reach)), max(0, int(y - reach))), (int(x + w + reach), int(y + h + reach))
        around.append((first, (min(width, last[0]), min(height, last[1]))))
    x0, y0 = (min(first[k] for first, _ in around) for k in (0, 1))
    x1, y1 = (max(last[k] for _, last in around) for k in (0, 1))
    part = np.ascontiguousarray(picture[y0:y1, x0:x1])
    beyond = np.full(part.shape[:2], 255, np.uint8)
    for first, last in around:
        beyond[first[1] - y0 : last[1] - y0, first[0] - x0 : last[0] - x0] = 0
    seen = read_shapes(part, exclude=beyond, die_px=die_px)
    return tuple(replace(s, box=(s.box[0] + x0, s.box[1] + y0, *s.box[2:])) for s in seen)


def _of(die: NetDie, shapes: tuple[ShapeDie, ...]) -> ShapeDie | None:
    """What the second witness says of a die."""
    nearest = min(shapes, key=lambda s: apart(die.box, s.box), default=None)
    return nearest if nearest is not None and _of_one_die(die.box, nearest.box) else None


def _of_one_die(die: Box, face: Box) -> bool:
    """Whether a top face belongs to a die: seen at a slant, it is the far part of the die's box."""
    x, y = face[0] + face[2] / 2, face[1] + face[3] / 2
    within = die[0] < x < die[0] + die[2] and die[1] < y < die[1] + die[3]
    return within or apart(die, face) < TOGETHER


def apart(a: Box, b: Box) -> float:
    """Distance of two boxes' middles in units of the larger one's longer side.

    >>> apart((0, 0, 10, 10), (5, 0, 10, 10))
    0.5
    """
    dx, dy = a[0] + a[2] / 2 - b[0] - b[2] / 2, a[1] + a[3] / 2 - b[1] - b[3] / 2
    return math.hypot(dx, dy) / max(*a[2:], *b[2:])


@dataclass(frozen=True, slots=True)
class Weights:
    """Of a logistic regression on 1,400 findings: photographs, rendered dice, dice beside rendered boards.

    It has five numbers only, so that it can't learn the pictures; docs/accuracy.md tells what it reaches with each
    source of pictures left out in turn.
    """

    bias: float = -0.09
    value: float = 1.81  # log-odds of the value, as the networks see it
    agree: float = 2.67  # the pips form this value, too ...
    evidence: float = 0.85  # ... with so much evidence
    found: float = -0.22  # log-odds of the finder's own certainty


WEIGHTS = Weights()


def probability(value: int, net: NetDie, shape: ShapeDie | None, weights: Weights = WEIGHTS) -> float:
    """How probable it is that a die shows a value, from what the two witnesses say of it."""
    score = weights.bias + weights.value * log_odds(net.probabilities[value - 1]) + weights.found * log_odds(net.score)
    if shape is not None and shape.value == value:
        score += weights.agree + weights.evidence * shape.evidence
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


def log_odds(p: float) -> float:
    """Logarithm of the odds of a probability, which is kept off 0 and 1 by 0.0001."""
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def _judge(picture: Picture, white: npt.NDArray[np.floating], net: NetDie, shape: ShapeDie | None) -> DieReading | None:
    """One reading of what is known of a die; None when it is not worth a mention: a mere hint needs both witnesses."""
    values = {net.value} if shape is None else {net.value, shape.value}
    certainty, value = max((probability(v, net, shape), v) for v in values)
    if net.hinted and (shape is None or shape.value != net.value):
        return None
    if certainty < SEEN and sum(net.probabilities) < DIE:
        return None
    box = net.box if shape is None else _around([net.box, shape.box])
    colour = shape.colour if shape is not None and shape.colour is not None else middle_colour(picture, box, white)
    return DieReading(value if certainty >= CERTAIN else None, colour, box, certainty)


def _around(boxes: list[Box]) -> Box:
    """The least box around some."""
    x, y = min(b[0] for b in boxes), min(b[1] for b in boxes)
    return x, y, max(b[0] + b[2] for b in boxes) - x, max(b[1] + b[3] for b in boxes) - y


def middle_colour(picture: Picture, box: Box, white: npt.NDArray[np.floating]) -> str | None:
    """Name the body's colour as a box's middle shows it where the light falls on it.

    Pips cover less than half of the middle. A die seen at a slant shows a side too, often in the shade, in which white
    can't be told from grey: the median of what is brighter than half of the middle, but no glare, is the lit top's.

    Args:
        picture: BGR uint8 h x w x 3.
        box: x, y, width, height in px.
        white: BGR of the picture's white.
    """
    x, y, w, h = box
    part = picture[max(0, y + h // 4) : y + h - h // 4, max(0, x + w // 4) : x + w - w // 4]
    if part.size == 0:
        return None
    lab = cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_BGR2LAB).reshape(-1, 3)
    low, high = np.percentile(lab[:, 0], LIT)
    lit = lab[(lab[:, 0] >= low) & (lab[:, 0] <= high)]
    return body_colour(np.median(lit, axis=0).astype(np.float32), white.astype(np.float32))
