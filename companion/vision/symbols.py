"""Dice with symbols, whatever they are: learned from labelled pictures, then read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision.readings import DieReading
from companion.vision.symbols_find import CELL, F32, F64, U8, UNIT, Finder, at_scale, colour_table, learn_finder
from companion.vision.symbols_match import Faces, Lean, enrol_faces, measure_leads, measure_lean
from companion.vision.symbols_scenes import Shown, draw_scenes

TURNED = 0.3
"""Boxes of one die, turned and leaning, differ by this share in size."""
_SCALE_STEP = 1.18  # a die a tenth larger or smaller than enrolled is still known
_BEYOND = 1.4  # times the enrolled sizes that hand-held pictures are searched for
_SAME_SIZE = 0.1  # log of ratio up to which dice of one picture are of one size
_SCENES, _DICE_A_SCENE = 24, 60
_PLACES = 60  # to look at closely, for each size
APART = 0.6
"""Boxes' sides between two dice at least: touching dice are 0.75 apart, top and side of one die 0.5."""
LIKE_A_DIE = 0.3
"""The finder's answer from which on an unread die is reported: half-hidden dice reach it, print on a cloth rarely."""
MIXED = 0.1
"""Lead of enrolled dice over another face below which the two are mixed up: burnt-out dice lead by less, others by
0.11 to 0.9."""
SURE = 0.8
"""Confidence from which on a value is given."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A picture of dice with what each shows.

    Args:
        picture: BGR uint8 h x w x 3.
        boxes: n x 4, x, y, width, height in px of all dice in it.
        values: n face values, upwards.
    """

    picture: U8
    boxes: F64
    values: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class SymbolModel:
    """All that is known of one kind of dice on one table.

    Args:
        finder: where dice lie.
        faces: what they show.
        lean: how the camera looks at them.
        sizes: sides of dice's boxes as shares of the picture's longer side: one for a fixed camera.
        leads: values x values, by how much enrolled dice of the first look more like one another than like the second.
    """

    finder: Finder
    faces: Faces
    lean: Lean
    sizes: tuple[float, ...]
    leads: F64

    def doubt(self, a: int, b: int) -> float:
        """By how much two faces (indices in ``faces.values``) look too alike to be told apart; 0 if they don't."""
        return max(0.0, MIXED - float(min(self.leads[a, b], self.leads[b, a])))


@dataclass(frozen=True, slots=True)
class Seen:
    """A place that may be a die.

    Args:
        x: the middle of its box in px of the picture as given.
        y: the same.
        side: of the box, in px.
        answer: the finder's.
        value: the face that fits best.
        fit: how well.
        lead: how much better than the next.
    """

    x: float
    y: float
    side: float
    answer: float
    value: int | str
    fit: float
    lead: float

    @property
    def rank(self) -> float:
        """What decides between overlapping places."""
        return self.fit + self.answer / 2


def die_sizes(pictures: Sequence[Labelled]) -> list[float]:
    """The side in px of the dice's boxes in each picture; one for all if a fixed camera may have made them."""
    sides = [np.sqrt(p.boxes[:, 2] * p.boxes[:, 3]) for p in pictures]
    medians = [float(np.median(s)) for s in sides]
    longer = [max(p.picture.shape[:2]) for p in pictures]
    shares = [m / n for m, n in zip(medians, longer, strict=True)]
    if max(shares) > (1 + TURNED / math.sqrt(min(len(p.values) for p in pictures))) * min(shares):
        return medians
    common = float(np.median(np.concatenate([s / n for s, n in zip(sides, longer, strict=True)])))
    return [common * n for n in longer]


def show(pictures: Sequence[Labelled]) -> list[Shown]:
    """Labelled pictures at the working scale."""
    out = []
    for labelled, size in zip(pictures, die_sizes(pictures), strict=True):
        scale = UNIT / size
        middles = (labelled.boxes[:, :2] + labelled.boxes[:, 2:] / 2) * scale
        out.append(Shown(at_scale(labelled.picture, size), middles, labelled.boxes[:, 2:] * scale, labelled.values))
    return out


def learn(pictures: Sequence[Labelled], seed: int = 0) -> SymbolModel:
    """Learn a kind of dice from labelled pictures; everything in them that is in no box is taken for no die.

    Args:
        pictures: one or more; with more than one die of each face in them the camera's lean is measured, too.
        seed: of the scenes that are drawn to learn from; the same gives the same model.

    Raises:
        CalibrationError: the pictures show hardly anything but dice.
    """
    rng = np.random.default_rng(seed)
    shown = show(pictures)
    table = colour_table((s.picture, s.middles) for s in shown)
    scenes = draw_scenes(shown, table, max(_SCENES, len(shown)), _DICE_A_SCENE, rng)
    finder = learn_finder(scenes, table, rng)
    lean = measure_lean(shown)
    shares = sorted(s / max(p.picture.shape[:2]) for s, p in zip(die_sizes(pictures), pictures, strict=True))
    sizes: tuple[float, ...] = (shares[0],)
    if shares[-1] > shares[0] * 1.001:
        low, high = shares[0] / _BEYOND, shares[-1] * _BEYOND
        steps = math.ceil(math.log(high / low) / math.log(_SCALE_STEP))
        sizes = tuple(float(s) for s in np.geomspace(low, high, steps + 1))
    faces = enrol_faces(shown, lean)
    return SymbolModel(finder, faces, lean, sizes, measure_leads(shown, faces, lean))


def read_symbol_dice(picture: U8, model: SymbolModel) -> tuple[DieReading, ...]:
    """Reads all dice of an enrolled kind in a picture, from top to bottom.

    Args:
        picture: BGR uint8 h x w x 3.
        model: the kind.
    """
    out = []
    for s in sorted(find_dice(picture, model), key=lambda s: (s.y, s.x)):
        sure = confidence(s.fit, s.lead, s.answer)
        if sure >= SURE or s.answer >= LIKE_A_DIE:
            side = max(1, round(s.side))
            box = (round(s.x - s.side / 2), round(s.y - s.side / 2), side, side)
            out.append(DieReading(s.value if sure >= SURE else None, None, box, sure))
    return tuple(out)


def find_dice(picture: U8, model: SymbolModel) -> list[Seen]:
    """All places of a picture (BGR uint8 h x w x 3) that may be dice, each with the face that fits best."""
    sides = [size * max(picture.shape[:2]) for size in model.sizes]
    seen = [s for side in sides for s in _look(at_scale(picture, side), model, side)]
    if len(sides) > 1:
        seen = like_in_size(seen)
    return choose(seen)


def like_in_size(seen: Sequence[Seen]) -> list[Seen]:
    """Places weighed by their size: the dice of one picture are of about one size, that of the surest places."""
    best = choose(seen)
    weights = np.array([max(s.fit - 0.6, 0.0) * max(s.lead, 0.0) * max(s.answer, 0.0) for s in best])
    if not weights.any():
        return list(seen)
    sizes = np.log([s.side for s in best])
    order = np.argsort(sizes)
    usual = sizes[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)]
    return [replace(s, answer=s.answer - max(0.0, abs(math.log(s.side) - usual) - _SAME_SIZE)) for s in seen]


def choose(seen: Sequence[Seen]) -> list[Seen]:
    """Of overlapping places the one that looks most like a die with a face."""
    kept: list[Seen] = []
    for s in sorted(seen, key=lambda s: -s.rank):
        if all(math.hypot(s.x - k.x, s.y - k.y) >= APART * max(s.side, k.side) for k in kept):
            kept.append(s)
    return kept


def confidence(fit: float, lead: float, answer: float) -> float:
    """The chance that a face is right: a logistic curve about 450 labelled dice.

    Fitted to drawn pictures and photographs, most of its doubts coming from pips on marbled dice. Beyond a fit of 0.8
    and an answer of 0.35 there is nothing more to gain: print on a cloth has either, not both.

    Args:
        fit: how well it fits, 0 to 1.
        lead: how much better than the next face.
        answer: the finder's.
    """
    good = 16.4 * min(fit, 0.8) + 1.48 * math.log(max(lead, 0.002)) + 14.0 * min(answer, 0.35) - 11.2
    return 1 / (1 + math.exp(-good))


def _look(scaled: U8, model: SymbolModel, side: float) -> list[Seen]:
    """What may be dice of one size in a picture at the working scale."""
    answer = model.finder.answer(scaled)
    middles = model.finder.places(answer, _PLACES)
    if not len(middles):
        return []
    looks, middles = model.faces.alike(scaled, middles, model.lean)
    cells = np.clip(np.floor(middles / CELL), 0, np.array(answer.shape[::-1]) - 1).astype(np.intp)
    answers = cv2.dilate(answer, np.ones((3, 3), np.uint8))[cells[:, 1], cells[:, 0]]
    out = []
    for (x, y), sure, fits in zip(middles * side / UNIT, answers, looks, strict=True):
        out.append(Seen(float(x), float(y), side, float(sure), *_best(model, fits)))
    return out


def _best(model: SymbolModel, looks: F32) -> tuple[int | str, float, float]:
    """The face that fits best, how well, and its lead over the next, less where the two look alike."""
    fits = model.faces.by_value(looks[None])[0]
    first, second = np.argsort(-fits)[:2]
    lead = max(0.0, float(fits[first] - fits[second]) - model.doubt(first, second))
    return model.faces.values[int(first)], float(fits[first]), lead
