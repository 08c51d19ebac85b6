"""Pip dice: which values lie on the table, in which colours, where.

Two witnesses are heard: small networks that have learnt what dice look like (dice_net.py) find where a die may lie and
read it; there the arrangement of pips on a body is measured, too (dice_shapes.py). What both say becomes one
probability; a value that is not probable enough is None.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.dice_colour import body_colour, white_of
from companion.vision.dice_net import DiceNet, NetDie
from companion.vision.dice_shapes import ShapeDie, read_shapes
from companion.vision.readings import Box, DieReading

Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]

CERTAIN = 0.8
"""Probability from which on a value is given (docs/accuracy.md tells what that costs and saves)."""
SEEN = 0.3
"""Probability of its likeliest value from which on a die is reported at all, if only without a value."""
DIE = 0.7
"""The reader's own probability that there is a die, from which on it is reported without a value."""
AROUND = 0.35
"""Of its longer side: how far around a found die its pips are measured."""
TOGETHER = 0.5
"""Of the larger one's longer side: nearer middles are one die's."""


def read_pip_dice(
    picture: Picture, *, exclude: Mask | None = None, die_px: float | None = None
) -> tuple[DieReading, ...]:
    """Read all pip dice of a picture, from top to bottom.

    Args:
        picture: BGR uint8 h x w x 3.
        exclude: uint8 h x w, non-zero where no die is expected (the board).
        die_px: a die's edge in px where the board's pose tells it; faces of 0.6 to 1.75 times that are believed.
    """
    seen = _net().detect(picture, exclude=exclude, die_px=die_px)
    if not seen:
        return ()
    shapes = read_shapes(picture, exclude=_beyond(picture, seen, exclude), die_px=die_px)
    white = white_of(picture)
    readings = [r for r in (_judge(picture, white, *both) for both in _paired(seen, shapes)) if r is not None]
    return tuple(sorted(readings, key=lambda r: (r.box[1], r.box[0])))


@functools.cache
def _net() -> DiceNet:
    return DiceNet()


def _beyond(picture: Picture, seen: tuple[NetDie, ...], exclude: Mask | None) -> Mask:
    """Non-zero where no die was found: measuring pips takes most of the time."""
    mask = np.full(picture.shape[:2], 255, np.uint8)
    for x, y, w, h in (die.box for die in seen):
        reach = AROUND * max(w, h)
        first, last = (int(x - reach), int(y - reach)), (int(x + w + reach), int(y + h + reach))
        cv2.rectangle(mask, first, last, 0, cv2.FILLED)
    return mask if exclude is None else np.asarray(cv2.bitwise_or(mask, exclude), np.uint8)


def _paired(seen: tuple[NetDie, ...], shapes: tuple[ShapeDie, ...]) -> list[tuple[NetDie | None, ShapeDie | None]]:
    """Which readings of the two witnesses are of one die."""
    left = list(shapes)
    pairs: list[tuple[NetDie | None, ShapeDie | None]] = []
    for die in seen:
        nearest = min(left, key=lambda s: apart(die.box, s.box), default=None)
        if nearest is not None and _of_one_die(die.box, nearest.box):
            left.remove(nearest)
            pairs.append((die, nearest))
        else:
            pairs.append((die, None))
    return pairs + [(None, shape) for shape in left]


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
    """Of a logistic regression on 1,100 labelled dice: photographs, rendered dice, dice beside rendered boards.

    It has six numbers only, so that it can't learn the pictures: with each source of pictures left out in turn the same
    share of that source was right as with it.
    """

    bias: float = -1.47
    value: float = 1.07  # log-odds of the value, as the networks see it
    agree: float = 3.19  # the pips form this value, too ...
    evidence: float = 0.7  # ... with so much evidence
    differ: float = 0.69  # the pips form another value ...
    against: float = 0.12  # ... with so much evidence


WEIGHTS = Weights()
UNSEEN = -6.0  # the networks' log-odds of a die that they don't see


def probability(value: int, net: NetDie | None, shape: ShapeDie | None, weights: Weights = WEIGHTS) -> float:
    """How probable it is that a die shows a value, from what the two witnesses say of it."""
    read = UNSEEN if net is None else _log_odds(net.probabilities[value - 1])
    score = weights.bias + weights.value * read
    if shape is not None and shape.value == value:
        score += weights.agree + weights.evidence * shape.evidence
    elif shape is not None:
        score += weights.differ + weights.against * shape.evidence
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


def _log_odds(p: float) -> float:
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def _judge(
    picture: Picture, white: npt.NDArray[np.floating], net: NetDie | None, shape: ShapeDie | None
) -> DieReading | None:
    """One reading of what two witnesses say; None when it is not worth a mention."""
    values = {die.value for die in (net, shape) if die is not None}
    certainty, value = max((probability(v, net, shape), v) for v in values)
    box = _around([die.box for die in (net, shape) if die is not None])
    is_die = net is not None and sum(net.probabilities) > DIE
    if certainty < SEEN and not is_die:
        return None
    colour = shape.colour if shape is not None and shape.colour is not None else middle_colour(picture, box, white)
    return DieReading(value if certainty >= CERTAIN else None, colour, box, certainty)


def _around(boxes: list[Box]) -> Box:
    """The least box around some."""
    x, y = min(b[0] for b in boxes), min(b[1] for b in boxes)
    return x, y, max(b[0] + b[2] for b in boxes) - x, max(b[1] + b[3] for b in boxes) - y


def middle_colour(picture: Picture, box: Box, white: npt.NDArray[np.floating]) -> str | None:
    """Name the body's colour by the median of a box's middle half: pips cover less than half of it.

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
    return body_colour(np.median(lab, axis=0).astype(np.float32), white.astype(np.float32))
