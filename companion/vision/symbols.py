"""Dice with symbols, whatever they are: learned from labelled pictures, then read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.readings import DieReading
from companion.vision.symbols_find import CELL, F32, F64, U8, UNIT, Finder, at_scale, colour_table, learn_finder
from companion.vision.symbols_lens import choose_lens, measure_leads
from companion.vision.symbols_match import NEAR_BY, Faces, Lens, enrol_faces
from companion.vision.symbols_scenes import Shown, draw_scenes

TURNED = 0.3
"""Boxes of one die, turned and leaning, differ by this share in size."""
_SCALE_STEP = 1.18  # a die a tenth larger or smaller than enrolled is still known
_BEYOND = 1.4  # times the enrolled sizes that hand-held pictures are searched for
_SAME_SIZE = 0.1  # log of ratio up to which dice of one picture are of one size
_SCENES, _DICE_A_SCENE = 24, 60
_STRETCHED = 1.2  # less sure of burnt-out tops: of 40, two were wrong without it
_LEAD = 0.3  # a lead beyond which overlapping places are equals
_PLACES = 90  # to compare, for each size
_WORSE = 0.15  # less of the finder's answer than in another size, from which on a place is left to that size
APART = 0.6
"""Boxes' sides between two dice at least: touching dice are 0.75 apart, top and side of one die 0.5."""
LIKE_A_DIE = 0.3
"""The finder's answer from which on an unread die is reported: half-hidden dice reach it, print on a cloth rarely."""
MIXED = 0.1
"""Lead of enrolled dice over another face below which the two are mixed up: burnt-out dice lead by less, others by
0.11 to 0.9."""
MAYBE = 0.3
"""Confidence from which on an unread die is reported, however little the finder thinks of it."""
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
        lens: how they are looked at.
        sizes: sides of dice's boxes as shares of the picture's longer side: one for a fixed camera.
        leads: values x values, by how much enrolled dice of the first look more like one another than like the second.
    """

    finder: Finder
    faces: Faces
    lens: Lens
    sizes: tuple[float, ...]
    leads: F64

    def doubt(self, a: int, b: int) -> float:
        """What a lead of one face over another (indices in ``faces.values``) loses by their likeness; 0 if none."""
        return 2 * max(0.0, MIXED - float(min(self.leads[a, b], self.leads[b, a])))


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
        return self.fit + min(self.lead, _LEAD) / 2 + self.answer


@dataclass(frozen=True, slots=True)
class View:
    """A picture at the scale where dice of one size are UNIT px large.

    Args:
        side: of their boxes in px of the picture as given.
        scaled: BGR h x w x 3.
        answer: the finder's, for each cell.
        places: n x 2 px of ``scaled``, where such dice may lie.
        answers: n, the finder's there.
    """

    side: float
    scaled: U8
    answer: F32
    places: F64
    answers: F32


@dataclass(frozen=True, slots=True)
class Hope:
    """A place that may be a die, with all that a closer look needs; see :meth:`Faces.closer`."""

    seen: Seen
    flattened: F32
    place: F64
    fits: F32
    where: npt.NDArray[np.intp]


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
        pictures: one or more; with more than one die of each face in them it is measured how to look at them, too.
        seed: of the scenes that are drawn to learn from; the same gives the same model.

    Raises:
        CalibrationError: the pictures show hardly anything but dice.
    """
    rng = np.random.default_rng(seed)
    shown = show(pictures)
    table = colour_table((s.picture, s.middles) for s in shown)
    scenes = draw_scenes(shown, table, max(_SCENES, len(shown)), _DICE_A_SCENE, rng)
    finder = learn_finder(scenes, table, rng)
    lens = choose_lens(shown)
    shares = sorted(s / max(p.picture.shape[:2]) for s, p in zip(die_sizes(pictures), pictures, strict=True))
    sizes: tuple[float, ...] = (shares[0],)
    if shares[-1] > shares[0] * 1.001:
        low, high = shares[0] / _BEYOND, shares[-1] * _BEYOND
        steps = math.ceil(math.log(high / low) / math.log(_SCALE_STEP))
        sizes = tuple(float(s) for s in np.geomspace(low, high, steps + 1))
    faces = enrol_faces(shown, [lens.flattened(s.picture) for s in shown], lens)
    return SymbolModel(finder, faces, lens, sizes, measure_leads(shown, faces, lens))


def read_symbol_dice(picture: U8, model: SymbolModel) -> tuple[DieReading, ...]:
    """Reads all dice of an enrolled kind in a picture, from top to bottom.

    Args:
        picture: BGR uint8 h x w x 3.
        model: the kind.
    """
    out = []
    for s in sorted(find_dice(picture, model), key=lambda s: (s.y, s.x)):
        sure = confidence(s.fit, s.lead, s.answer, stretched=model.lens.stretched)
        if sure >= MAYBE or s.answer >= LIKE_A_DIE:
            side = max(1, round(s.side))
            box = (round(s.x - s.side / 2), round(s.y - s.side / 2), side, side)
            out.append(DieReading(s.value if sure >= SURE else None, None, box, sure))
    return tuple(out)


def find_dice(picture: U8, model: SymbolModel) -> list[Seen]:
    """All places of a picture (BGR uint8 h x w x 3) that may be dice, each with the face that fits best."""
    views = [_look(picture, model, size * max(picture.shape[:2])) for size in model.sizes]
    hopes = [hope for view in likeliest(views) for hope in _compare(view, model)]
    seen = [hope.seen for hope in hopes]
    if len(views) > 1:
        seen = like_in_size(seen)
    out = []
    for k in choose(seen):
        fits = model.faces.closer(hopes[k].flattened, hopes[k].place, model.lens, hopes[k].fits, hopes[k].where)
        value, fit, lead = _best(model, fits)
        out.append(replace(seen[k], value=value, fit=fit, lead=lead))
    return out


def likeliest(views: Sequence[View]) -> list[View]:
    """Views of one picture without the places that look much more like a die in another view: in another size."""
    if len(views) == 1:
        return list(views)
    middles = np.concatenate([v.places * v.side / UNIT for v in views])
    answers = np.concatenate([v.answers for v in views])
    out = []
    for v in views:
        here = v.places * v.side / UNIT
        near = np.hypot(*(here[:, None] - middles[None]).transpose(2, 0, 1)) < v.side / 2
        better = np.where(near, answers[None], -np.inf).max(axis=1, initial=-np.inf)
        out.append(
            replace(v, places=v.places[v.answers >= better - _WORSE], answers=v.answers[v.answers >= better - _WORSE])
        )
    return out


def like_in_size(seen: Sequence[Seen]) -> list[Seen]:
    """Places weighed by their size: the dice of one picture are of about one size, that of the surest places."""
    best = [seen[k] for k in choose(seen)]
    weights = np.array([max(s.fit - 0.6, 0.0) * max(s.lead, 0.0) * max(s.answer, 0.0) for s in best])
    if not weights.any():
        return list(seen)
    sizes = np.log([s.side for s in best])
    order = np.argsort(sizes)
    usual = sizes[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)]
    return [replace(s, answer=s.answer - max(0.0, abs(math.log(s.side) - usual) - _SAME_SIZE)) for s in seen]


def choose(seen: Sequence[Seen]) -> list[int]:
    """Which of the places overlap none that looks more like a die with a face; the best first."""
    x, y, side = (np.array([getattr(s, name) for s in seen], np.float64) for name in ("x", "y", "side"))
    left = np.argsort([-s.rank for s in seen], kind="stable")
    out: list[int] = []
    while len(left):
        k = left[0]
        out.append(int(k))
        far = np.hypot(x[left] - x[k], y[left] - y[k]) >= APART * np.maximum(side[left], side[k])
        left = left[1:][far[1:]]
    return out


def confidence(fit: float, lead: float, answer: float, *, stretched: bool = False) -> float:
    """The chance that a face is right: a logistic curve about 450 labelled dice.

    Fitted to drawn pictures and photographs, most of its doubts coming from pips on marbled dice. Beyond a fit of 0.8
    and an answer of 0.35 there is nothing more to gain: print on a cloth has either, not both.

    Args:
        fit: how well it fits, 0 to 1.
        lead: how much better than the next face.
        answer: the finder's.
        stretched: whether highlights are pulled apart, and noise with them.
    """
    good = (
        16.4 * min(fit, 0.8)
        + 1.48 * math.log(max(lead, 0.002))
        + 14.0 * min(answer, 0.35)
        - 12.0
        - _STRETCHED * stretched
    )
    return 1 / (1 + math.exp(-good))


def _look(picture: U8, model: SymbolModel, side: float) -> View:
    """Where dice of one size may lie."""
    scaled = at_scale(picture, side)
    answer = model.finder.answer(scaled)
    places = model.finder.places(answer, _PLACES)
    cells = np.floor(places / CELL).astype(np.intp)
    return View(side, scaled, answer, places, answer[cells[:, 1], cells[:, 0]])


def _compare(view: View, model: SymbolModel) -> list[Hope]:
    """The faces that fit best at the places of a view."""
    if not len(view.places):
        return []
    flattened = model.lens.flattened(view.scaled)
    fits, where = model.faces.alike(flattened, view.places, model.lens)
    middles = view.places + NEAR_BY[where[np.arange(len(fits)), fits.argmax(axis=1)]]
    cells = np.clip(np.floor(middles / CELL), 0, np.array(view.answer.shape[::-1]) - 1).astype(np.intp)
    answers = cv2.dilate(view.answer, np.ones((3, 3), np.uint8))[cells[:, 1], cells[:, 0]]
    out = []
    for k, values in enumerate(model.faces.by_value(fits)):
        x, y = middles[k] * view.side / UNIT
        seen = Seen(float(x), float(y), view.side, float(answers[k]), *_best(model, values))
        out.append(Hope(seen, flattened, view.places[k], fits[k], where[k]))
    return out


def _best(model: SymbolModel, fits: F32) -> tuple[int | str, float, float]:
    """The face that fits best, how well, and its lead over the next, less where the two look alike."""
    first, second = np.argsort(-fits)[:2]
    lead = max(0.0, float(fits[first] - fits[second]) - model.doubt(first, second))
    return model.faces.values[int(first)], float(fits[first]), lead
