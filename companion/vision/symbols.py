"""Dice with symbols, whatever they are: learned from labelled pictures, then read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision.readings import DieReading
from companion.vision.symbols_find import CELL, F32, F64, U8, UNIT, Finder, at_scale, colour_table, learn_finder
from companion.vision.symbols_lens import choose_lens, measure_leads, own_and_other
from companion.vision.symbols_match import BESIDE, NEAR_BY, TURNS, Faces, Lens, enrol_faces, kept
from companion.vision.symbols_net import MOVES, Prints, Spot, enrol_prints, look_closer, print_net
from companion.vision.symbols_scenes import Labelled, Shown, draw_scenes
from companion.vision.symbols_size import die_sizes, searched_sizes
from companion.vision.symbols_sure import SURE, Seen, choose, confidence, like_in_size, of_one_size, together
from companion.vision.symbols_trust import Trust, measure_trust

_SCENES, _DICE_A_SCENE = 24, 60
_LABELLED = 0.28  # boxes by which a top may lie beside where its label says, and log of its size: 0.02 to 0.26
_POOR = 0.5  # the fit below which a place is no die, unless the finder is sure: of 631 dice 4
_PLACES = 90  # to compare, for each size
_WORSE = 0.15  # less of the finder's answer than in another size, from which on a place is left to that size
__all__ = ["Labelled", "SymbolModel", "die_sizes", "learn", "read_symbol_dice"]

LIKE_A_DIE = 0.3
"""The finder's answer from which on an unread die is reported: half-hidden dice reach it, print on a cloth rarely."""
MIXED = 0.04
"""Lead of enrolled dice over another face below which the two are mixed up: numerals of drawn dice lead by 0.03 to
0.13."""
MAYBE = 0.3
"""Confidence from which on an unread die is reported, however little the finder thinks of it."""
CUT_OFF = 0.1
"""Sides of a die's box by which its top may reach beyond the picture to be told: of values on drawn tables with more
cut off a sixth was wrong, a third of all that were."""
GUESS, CLEAR = 0.05, 0.95
"""Confidence after the first look between which a place is looked at closer."""


@dataclass(frozen=True, slots=True)
class SymbolModel:
    """All that is known of one kind of dice on one table.

    Args:
        finder: where dice lie.
        faces: what they show.
        lens: how they are looked at.
        sizes: sides of dice's boxes as shares of the picture's longer side: one for a fixed camera.
        leads: dice x values, by how much what looks like an enrolled die looks more like its face than like another.
        prints: what they show, as the network sees it.
        trust: how well enrolled dice are told by one another.
    """

    finder: Finder
    faces: Faces
    prints: Prints
    lens: Lens
    sizes: tuple[float, ...]
    leads: F64
    trust: Trust

    def doubts(self) -> F64:
        """What leads of enrolled dice over other faces lose: dice x values.

        By their likeness, and if only one look speaks for the other face.
        """
        return 2 * np.maximum(0.0, MIXED - self.leads) + self.trust.granted()[self.faces.faces]

    def lead(self, face: int, other: int) -> float:
        """By how much a face looks more like itself than like another, in the middle of its enrolled dice."""
        return float(np.median(self.leads[self.faces.faces == face, other]))


@dataclass(frozen=True, slots=True)
class View:
    """A picture at the scale where dice of one size are UNIT px large.

    Args:
        side: of their boxes in px of the picture as given.
        scaled: BGR h x w x 3.
        flattened: the same through the lens; empty where there are no places, and where several sizes are searched:
            all of them together would take 90 MB, so it is made again for the few that show dice.
        answer: the finder's, for each cell.
        places: n x 2 px of ``scaled``, where such dice may lie.
        answers: n, the finder's there.
    """

    side: float
    scaled: U8
    flattened: F32
    answer: F32
    places: F64
    answers: F32

    def through(self, lens: Lens) -> F32:
        """What ``flattened`` is where it is not empty."""
        return self.flattened if self.flattened.size else lens.flattened(self.scaled, self.places)


@dataclass(frozen=True, slots=True)
class Hope:
    """A place that may be a die, with what a closer look needs.

    Args:
        seen: the place, and the face that fits best.
        fits: how well each enrolled die fits.
        spots: where its top may be.
        view: the one it was found in.
        first: the place as it was found.
    """

    seen: Seen
    fits: F32
    spots: tuple[Spot, Spot]
    view: View
    first: Seen


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
    sizes = searched_sizes(pictures)
    tops = _tops(pictures, shown, lens)
    settled = [_over(s, spots, size, lens) for s, spots, size in zip(shown, tops, die_sizes(pictures), strict=True)]
    flattened = [lens.flattened(s.picture) for s in shown]
    faces = enrol_faces(settled, flattened, lens)
    chosen = [[spots[k] for k in some] for spots, some in zip(tops, kept(shown), strict=True)]
    moves = MOVES if len(sizes) > 1 or lens.stretched else MOVES[:1]
    prints = enrol_prints(zip((p.picture for p in pictures), chosen, strict=True), faces.faces, moves)
    fits = together(own_and_other(settled, flattened, faces, lens), prints.among_themselves())
    leads = measure_leads(fits, faces.owner[::TURNS])
    return SymbolModel(finder, faces, prints, lens, sizes, leads, measure_trust(faces, prints))


def _tops(pictures: Sequence[Labelled], shown: Sequence[Shown], lens: Lens) -> list[list[Spot]]:
    """Where the tops of the enrolled dice are in the pictures as given."""
    out = []
    for p, size, s in zip(pictures, die_sizes(pictures), shown, strict=True):
        spots = _spots(s.middles + lens.at(s.middles, s.picture.shape[1::-1]), size)
        found = print_net().settle(p.picture, spots).middles if spots else []
        out.append([b if _agree(a, b) else a for a, b in zip(spots, found, strict=True)])
    return out


def _agree(labelled: Spot, found: Spot) -> bool:
    """Whether a top was found where a label says that its die lies, and in its size."""
    return labelled.apart(found) <= _LABELLED and abs(math.log(found.side / labelled.side)) <= _LABELLED


def _over(shown: Shown, tops: Sequence[Spot], side: float, lens: Lens) -> Shown:
    """Dice taken to lie where their tops say it (px of the picture as given, in which their boxes have that side)."""
    middles = lens.under(_scaled(tops, side), shown.picture.shape[1::-1])
    return replace(shown, middles=middles)


def _scaled(spots: Sequence[Spot], side: float) -> F64:
    """Where spots of a picture, in which dice's boxes are ``side`` px large, are at the working scale: n x 2 px."""
    return np.array([(s.x, s.y) for s in spots], np.float64).reshape(-1, 2) * UNIT / side


def _spots(places: F64, side: float) -> list[Spot]:
    """Places (n x 2 px at the working scale) in a picture in which dice's boxes are ``side`` px large."""
    return [Spot(float(x), float(y), side) for x, y in places * side / UNIT]


def read_symbol_dice(picture: U8, model: SymbolModel) -> tuple[DieReading, ...]:
    """Reads all dice of an enrolled kind in a picture, from top to bottom.

    Args:
        picture: BGR uint8 h x w x 3.
        model: the kind.
    """
    out = []
    for s in sorted(find_dice(picture, model), key=lambda s: (s.y, s.x)):
        if s.sure >= MAYBE or s.answer >= LIKE_A_DIE:
            side = max(1, round(s.side))
            box = (round(s.x - s.side / 2), round(s.y - s.side / 2), side, side)
            out.append(DieReading(s.value if s.sure >= SURE else None, None, box, s.sure, s.likely))
    return tuple(out)


def find_dice(picture: U8, model: SymbolModel) -> list[Seen]:
    """All places of a picture (BGR uint8 h x w x 3) that may be dice, each with the face that fits best.

    Each place is moved until a top is in its middle, and only then compared for good: what looks like one pip is one of
    two, if the die's outline is looked at with it.
    """
    hopes = find_places(picture, model)
    if not hopes:
        return []
    look = print_net().settle(picture, [hope.spots[1] for hope in hopes])
    hopes = _settled(hopes, look.middles, model)
    close = model.prints.alike(look.towards[:, None])
    out = _weighed_up(hopes, model, close, look.readable.tolist())
    doubtful = [k for k, s in enumerate(out) if GUESS <= s.sure < CLEAR]
    if doubtful:
        closer = look_closer(picture, [hopes[k].spots for k in doubtful], model.prints)
        if model.lens.stretched:
            hopes = _weighed(hopes, doubtful, model)
        again = _weighed_up([hopes[k] for k in doubtful], model, closer, look.readable[doubtful].tolist())
        for k, seen in zip(doubtful, again, strict=True):
            out[k] = seen
    for k, hope in enumerate(hopes):
        if out[k].sure >= SURE and not _told(hope, out[k].value, model, picture):
            out[k] = replace(out[k], sure=SURE / 2)
    if len(model.sizes) > 1:
        out = of_one_size(out, [hope.spots[1].side for hope in hopes])
    one = set(choose(out))
    return [s if k in one else replace(hopes[k].first, sure=0.0) for k, s in enumerate(out)]


def _told(hope: Hope, value: int | str, model: SymbolModel, picture: U8) -> bool:
    """Whether a value can be told, however clear its lead: of a whole top, which has the colours of its face.

    In other light, and where tops are burnt out, those of a face change.
    """
    if hope.spots[1].beyond(picture.shape[1], picture.shape[0]) > CUT_OFF:
        return False
    if len(model.sizes) > 1 or model.lens.stretched:
        return True
    view, face = hope.view, model.faces.values.index(value)
    middles = model.lens.under(_scaled([hope.spots[1]], view.side), view.scaled.shape[1::-1])
    alike = model.faces.tinted(view.through(model.lens), middles, model.lens)[0]
    return float(alike[model.faces.faces == face].max()) >= float(model.trust.tint[face])


def _weighed(hopes: Sequence[Hope], some: Sequence[int], model: SymbolModel) -> list[Hope]:
    """Some of the places, compared by what is surely seen."""
    out = list(hopes)
    for view, here in _by_view([hopes[k] for k in some]):
        flattened = view.through(model.lens)
        for k in (some[n] for n in here):
            middles = model.lens.under(_scaled([hopes[k].spots[1]], view.side), view.scaled.shape[1::-1])
            fits = model.faces.weighed(flattened, view.scaled, middles, model.lens)
            out[k] = replace(hopes[k], fits=model.faces.by_die(fits)[0])
    return out


def _by_view(hopes: Sequence[Hope]) -> list[tuple[View, list[int]]]:
    """The views places were found in, each with which ones."""
    views = {id(hope.view): hope.view for hope in hopes}.values()
    return [(view, [k for k, hope in enumerate(hopes) if hope.view is view]) for view in views]


def _settled(hopes: Sequence[Hope], tops: Sequence[Spot], model: SymbolModel) -> list[Hope]:
    """Places moved to where their tops are, with how well faces fit there."""
    out = list(hopes)
    for view, here in _by_view(hopes):
        size = view.scaled.shape[1::-1]
        middles = model.lens.under(_scaled([tops[k] for k in here], view.side), size)
        fits, _ = model.faces.alike(view.through(model.lens), middles, model.lens, BESIDE)
        for k, dice, (x, y) in zip(here, model.faces.by_die(fits), middles * view.side / UNIT, strict=True):
            seen = replace(hopes[k].seen, x=float(x), y=float(y))
            out[k] = replace(hopes[k], seen=seen, fits=dice, spots=(hopes[k].spots[0], tops[k]))
    return out


def find_places(picture: U8, model: SymbolModel) -> list[Hope]:
    """Where dice may lie in a picture (BGR uint8 h x w x 3); no two of these places overlap."""
    views = [_look(picture, model, size * max(picture.shape[:2])) for size in model.sizes]
    hopes = [hope for view in likeliest(views) for hope in _compare(view, model)]
    seen = [hope.seen for hope in hopes]
    if len(views) > 1:
        seen = like_in_size(seen)
    chosen = [replace(hopes[k], seen=seen[k], first=seen[k]) for k in choose(seen)]
    return [h for h in chosen if (h.seen.fit >= _POOR and h.seen.answer >= 0) or h.seen.answer >= LIKE_A_DIE]


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


def _look(picture: U8, model: SymbolModel, side: float) -> View:
    """Where dice of one size may lie."""
    scaled = at_scale(picture, side)
    answer = model.finder.answer(scaled)
    places = model.finder.places(answer, _PLACES)
    cells = np.floor(places / CELL).astype(np.intp)
    return View(side, scaled, np.empty((0, 0, 3), np.float32), answer, places, answer[cells[:, 1], cells[:, 0]])


def _compare(view: View, model: SymbolModel) -> list[Hope]:
    """The faces that fit best at the places of a view."""
    if not len(view.places):
        return []
    flattened = model.lens.flattened(view.scaled, view.places)
    fits, where = model.faces.alike(flattened, view.places, model.lens)
    if len(model.sizes) == 1:
        view = replace(view, flattened=flattened)
    moved = NEAR_BY[where[np.arange(len(fits)), fits.argmax(axis=1)]]
    middles = view.places + moved
    cells = np.clip(np.floor(middles / CELL), 0, np.array(view.answer.shape[::-1]) - 1).astype(np.intp)
    answers = cv2.dilate(view.answer, np.ones((3, 3), np.uint8))[cells[:, 1], cells[:, 0]]
    tops = view.places + model.lens.at(view.places, view.scaled.shape[1::-1])
    spots = zip(_spots(tops, view.side), _spots(tops + moved, view.side), strict=True)
    dice = model.faces.by_die(fits)
    out = []
    for k, (both, (likely, fit, lead)) in enumerate(zip(spots, _best(model, dice), strict=True)):
        x, y = middles[k] * view.side / UNIT
        seen = Seen(float(x), float(y), view.side, float(answers[k]), likely[0], fit, lead)
        out.append(Hope(seen, dice[k], both, view, seen))
    return out


def _weighed_up(hopes: Sequence[Hope], model: SymbolModel, close: F32, readable: Sequence[float]) -> list[Seen]:
    """Places with the face that fits best by both looks, and how sure that is.

    Args:
        hopes: the places.
        model: the kind.
        close: places x dice, how close the network finds them.
        readable: the network's, of each place.
    """
    out = []
    both = together(np.stack([hope.fits for hope in hopes]), close)
    for hope, tells, (likely, fit, lead) in zip(hopes, readable, _best(model, both), strict=True):
        sure = model.trust.weighed(confidence(fit, lead, hope.seen.answer, float(tells)))
        if not model.trust.believed(model.faces.values.index(likely[0]), fit, len(model.sizes) == 1):
            sure = min(sure, SURE / 2)
        out.append(replace(hope.seen, value=likely[0], fit=fit, lead=lead, sure=sure, likely=likely))
    return out


def _best(model: SymbolModel, dice: F32 | F64) -> list[tuple[tuple[int | str, ...], float, float]]:
    """The faces, that which fits best first, how well it does, and its lead, less if the enrolled die is ambiguous.

    Args:
        model: the kind.
        dice: places x dice, how well they fit.
    """
    faces, rows = model.faces, np.arange(len(dice))
    fits = faces.by_value(dice)
    order = np.argsort(-fits, axis=1)
    first = order[:, 0]
    die = np.where(faces.faces == first[:, None], dice, -np.inf).argmax(axis=1)
    leads = fits[rows, first][:, None] - fits - model.doubts()[die]
    leads[rows, first] = np.inf
    lead = np.maximum(0.0, leads.min(axis=1)) if fits.shape[1] > 1 else np.zeros(len(dice))
    likely = [tuple(faces.values[k] for k in some) for some in order.tolist()]
    return list(zip(likely, fits[rows, first].tolist(), lead.tolist(), strict=True))
