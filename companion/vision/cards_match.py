"""Which enrolled card lies at a place: the whole face is compared, what differs between the likeliest decides.

A card's face is looked at through a grid of cells. Cells that other cards cover are left out; those that are left must
show the card, and wherever another enrolled card would differ, they must show that it is not that one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.cards_bend import shifts
from companion.vision.cards_deck import COARSE, FINE, PAPER, SAME, Deck, by_cell, flatten, soften, to_paper, usual
from companion.vision.cards_light import CONTRAST, like, relight
from companion.vision.cards_print import NEAR, holed, misprinted, other_card, room_of, samples_of, sum_by_cell, tinted
from companion.vision.cards_table import F32, Mask, Pose, View, grey

RIVALS = 12
"""How many other cards a reading is held against: those that differ least in what is seen."""
BARE = 0.2
"""What a bare cell counts; one full of print counts 1 more."""
_LOCAL_GAIN = 0.25  # by which a cell may be brighter or darker than its card
_ROUNDS, _SWAPS = 4, 5  # of aligning a card, of changing over to a rival that fits better
_LOOKS = 3  # times that a card is moved onto a face, if it turns out to be another one
_CLEAN = 0.1  # of a difference to another card: so much off is noise, other prints in its place are 0.2 and more
# So well shown by a card that it does not fit wholly, a place is held against others; so many.
_WELL_SHOWN, _OTHERS = 0.8, 2
_ALONE_MM2 = 10.0  # cards of one kind differ by 1 to 9, kinds by 25 and more
_LEAST_PRINT_MM2 = 8.0  # at full contrast, of the card's own print: an index has about as much
_NOISE = 4.0  # times the usual difference of two faces of a kind: more is other print
_MEAN = 1.27  # of the squares of three channels' noise, in their median
_BURNT = 0.3  # of two cards' shares of burnt-out paper
_NEAREST = 3  # rivals whose differences are looked at sample by sample
# Correlation with the likeliest look, from which on a place is looked at closely: of 309 cards read on six drawn tables
# the least had 0.53, of 90 places that were none the most 0.45, and 70 less than this. A hand on a card lowers it.
_UNLIKE = 0.25
_SHADED = np.ones((3, 3), np.uint8)  # samples beside a card above: its shadow falls on them, its edge is in some
HOPELESS = 0.4  # shown by something else than a card, mostly by the table


Flat: TypeAlias = tuple[F32, Mask, Mask]


@dataclass(frozen=True, slots=True)
class Match:
    """A place read closely.

    Args:
        look: which look fits best (an index of ``Deck.names``).
        pose: where it lies, refined.
        agrees: rows x columns of cells: the cell shows this card.
        off: rows x columns of samples: how far the picture is off, mean square in paper white, covered or not.
        free: rows x columns of cells: the share of the cell that no card above covers.
        shown: share of what is seen that shows this card; print counts more than bare paper.
        towards: how far the picture leans from this card to another one, 0 (not at all) to 1 (it is the other).
        strange: of what tells this card from another one, the share in cells that do not look as this card does; 1
            where something in the card's middle does not.
        telling: area (mm2, at full contrast, in the channel that shows it best) by which this card differs at least
            from each other one, in those cells that look as it does.
    """

    look: int
    pose: Pose
    agrees: Mask
    off: F32
    free: F32
    shown: float
    towards: float
    strange: float
    telling: float


def agreement(view: View, deck: Deck, poses: Sequence[Pose]) -> F32:
    """How well each cell at poses agrees with each look: poses x looks x cells, 1 (the same) to -1 (different).

    Args:
        view: the table.
        deck: the enrolled cards.
        poses: where cards may lie.
    """
    shape = deck.shape(COARSE)
    patches = np.stack([soften(patch) for patch in view.cuts(poses, deck.inner_mm, shape).astype(np.float32)])
    patches /= np.maximum(usual(patches.reshape(len(poses), -1, 3), PAPER), 8.0)[:, None, None]
    cells = np.ascontiguousarray(by_cell(patches, deck.cells).transpose(1, 0, 2))  # cells x poses x samples
    looks = deck.coarse
    products = np.matmul(cells, looks)  # cells x poses x looks
    squares = (looks**2).sum(axis=1)[:, None, :]
    gain = np.clip(products / squares, 1 - _LOCAL_GAIN, 1 + _LOCAL_GAIN)
    rest = (cells**2).sum(axis=2)[:, :, None] + gain * (gain * squares - 2 * products)
    return np.asarray(np.clip(1 - rest / (cells.shape[2] * NEAR**2), -1, 1).transpose(1, 2, 0))


def read_closely(view: View, covered: View, deck: Deck, pose: Pose, looks: Sequence[int]) -> Match:
    """Compare a place with the looks that may fit.

    Args:
        view: the table.
        covered: the same view (h x w), 255 where a card above lies.
        deck: the enrolled cards.
        pose: the place.
        looks: which to compare, the likeliest first.
    """
    found = _read_as(view, covered, deck, pose, looks)
    if found.strange < 1 or found.shown < _WELL_SHOWN:
        return found
    # Something in it is other than on the card that it is most like by and large: another may fit it wholly.
    tried = {deck.names[found.look]}
    for _ in range(_OTHERS):
        other = _next_likely(view, covered, deck, found, tried)
        if other is None:
            break
        tried.add(deck.names[other])
        again = _read_as(view, covered, deck, found.pose, [other])
        if again.strange < 1 and again.shown >= found.shown:
            return again
    return found


def _next_likely(view: View, covered: View, deck: Deck, found: Match, tried: set[str]) -> int | None:
    """Of the cards near the one that a place was held against the one, not tried yet, that it is most like."""
    patch, free = _flat(*_look(view, covered, deck, found.pose, FINE))[:2]
    near = [k for k in _rivals(deck, found.look, room_of(deck, free)) if deck.names[k] not in tried]
    off = []
    for k in near:
        face = deck.fine[k].T.reshape(*free.shape, 3) + 1
        off.append(np.minimum(np.abs(like(relight(patch, face, free, FINE), face, free) - face)[free], 0.5).sum())
    return near[int(np.argmin(off))] if near else None


def _read_as(view: View, covered: View, deck: Deck, pose: Pose, looks: Sequence[int]) -> Match:
    """Compare a place with the look that seems to fit, and with what that leads to."""
    pose = _align(view, covered, deck, pose, looks[0])
    patch, free = _look(view, covered, deck, pose, COARSE)
    best = _likeliest(deck, patch, free, looks)
    if _likeness(patch, deck.small[best], free) < _UNLIKE:
        nothing = np.zeros(deck.cells, np.float32)
        return Match(best, pose, nothing > 0, np.zeros(deck.shape(FINE), np.float32), nothing, 0.0, 1.0, 1.0, 0.0)
    onto = looks[0]
    for _ in range(_LOOKS):
        if best != onto:
            pose, onto = _align(view, covered, deck, pose, best), best
        straight = _flat(*_look(view, covered, deck, pose, FINE))
        best = _copy(deck, best, *straight[:2])
        found = _judge(deck, best, pose, *_bent(view, covered, deck, pose, best, straight))
        if found.look == best:
            break
        best = found.look  # what was moved onto another face has to be moved onto this one
    # Another card of its kind may lie there that is not enrolled; the less is seen, the less any two differ.
    alone = found.strange < 1 and found.telling > _ALONE_MM2 * found.free.mean()
    if alone and other_card(deck, found.look, found.agrees, *straight):
        found = replace(found, strange=1.0)
    return found


def _likeliest(deck: Deck, patch: F32, free: Mask, looks: Sequence[int]) -> int:
    """Which of some looks a patch through few samples is most like."""
    if not free.any():
        return looks[0]
    faces = deck.small[list(looks)].transpose(1, 2, 0, 3).reshape(*free.shape, -1)  # side by side, as channels
    rest = np.abs(relight(np.tile(patch, len(looks)), faces, free, COARSE) - faces)[free]
    return looks[int(np.minimum(rest, 0.5).sum(axis=0).reshape(-1, 3).sum(axis=1).argmin())]


def _copy(deck: Deck, look: int, patch: F32, free: Mask) -> int:
    """Of all pictures of a look's card the one that a patch is most like: wizards differ by a small emblem."""
    copies = deck.copies[deck.names[look]]
    if len(copies) == 2:  # one picture, upright and turned
        return look
    faces = [deck.fine[k].T.reshape(*free.shape, 3) + 1 for k in copies]
    off = [like(relight(patch, face, free, FINE), face, free, deck.cells) - face for face in faces]
    return copies[int(np.argmin([np.square(rest[free]).sum() for rest in off]))]


def _likeness(patch: F32, look: F32, free: Mask) -> float:
    """How far the print at a place goes along with a look's, through few samples: -1 to 1."""
    if not free.any():
        return 0.0
    ours, theirs = grey(relight(patch, look, free, COARSE))[free], grey(look)[free]
    ours, theirs = ours - ours.mean(), theirs - theirs.mean()
    return float(ours @ theirs) / max(math.sqrt(float(ours @ ours) * float(theirs @ theirs)), 1e-6)


def _shown(deck: Deck, look: int, away: F32, seen: Mask) -> tuple[float, Mask]:
    """The share of what is seen that shows a look, and which cells do.

    Args:
        deck: the enrolled cards.
        look: the one that the picture is held against.
        away: rows x columns, by how much the picture is off, mean square.
        seen: samples that count.
    """
    room = room_of(deck, seen)
    agrees = sum_by_cell(deck, away * seen) / np.maximum(room, 1) < NEAR**2
    ink = deck.ink[look].reshape(deck.cells)
    # Bare paper looks like any card, and like a pale table: its print has to be seen, too.
    return min(_share(agrees, (ink + BARE) * room), _share(agrees, ink * room)), agrees


def _judge(deck: Deck, best: int, pose: Pose, patch: F32, free: Mask, uncovered: Mask) -> Match:
    """Hold a patch against the look that fits best, and that against all others.

    Args:
        deck: the enrolled cards.
        best: the look that fits best.
        pose: where the card lies.
        patch: rows x columns x 3, moved onto that look.
        free: samples that count.
        uncovered: those and the ones on which a lamp mirrors.
    """
    share = np.asarray(room_of(deck, free) / FINE**2, np.float32)
    free = free & (cv2.erode(uncovered.astype(np.uint8), _SHADED) > 0)
    room = room_of(deck, free)
    for swaps in range(_SWAPS):
        look = deck.fine[best].T.reshape(*free.shape, 3) + 1
        rest = like(relight(patch, look, free, FINE), look, free, deck.cells) - look
        seen = free & deck.clear[best].reshape(free.shape)
        away = grey(rest**2)
        shown, agrees = _shown(deck, best, away, seen)
        if shown < HOPELESS:
            return Match(best, pose, agrees, away, share, shown, 1.0, 1.0, 0.0)
        rival, towards, strange, telling = _against(deck, best, rest, seen, room)
        if towards <= 0.5 or swaps == _SWAPS - 1:  # else it is more like the rival
            break
        best = rival
    if not agrees[room > 0].all():
        # What does not show this card is hidden by something unknown: the rest must tell it from all others.
        seen = seen & samples_of(agrees)
        _, towards, strange, telling = _against(deck, best, rest, seen, room_of(deck, seen))
        if holed(agrees, room_of(deck, uncovered)):
            strange = 1.0
    if deck.part and strange < 1:  # of a whole deck, the nearest other card would show itself
        lit = relight(patch, look, free, FINE)
        if tinted(lit, look, seen) or misprinted(deck, like(lit, look, free) - look, look, seen):
            strange = 1.0
    if float((grey((look - 1) ** 2) * seen).mean()) * deck.inner_mm[0] * deck.inner_mm[1] < _LEAST_PRINT_MM2:
        telling = 0.0  # bare paper alone tells nothing, however much print other cards have there
    return Match(best, pose, agrees, away, share, shown, towards, strange, telling)


def _share(agrees: Mask, weight: F32) -> float:
    return float((weight * agrees).sum() / max(float(weight.sum()), 1e-6))


def _bent(view: View, covered: View, deck: Deck, pose: Pose, look: int, straight: Flat) -> Flat:
    """The patch at a pose, each part of it moved onto a look, with its samples as :func:`_flat` has them.

    Once is enough: moved a second time, no more is read.
    """
    patch, free, _ = straight
    wanted = deck.fine[look].mean(axis=0).reshape(free.shape) + 1
    bend = shifts(wanted, grey(patch), free, deck.cells)
    return _flat(*_look(view, covered, deck, pose, FINE, bend))


def _flat(patch: F32, free: Mask) -> Flat:
    """A patch in even light, the samples that are free and do not mirror, and those that are free."""
    flat, mirrored = flatten(patch, free)
    return flat, free & ~mirrored, free


def _look(view: View, covered: View, deck: Deck, pose: Pose, samples: int, bend: F32 | None = None) -> tuple[F32, Mask]:
    """The patch at a pose in units of paper white, and which samples no card above covers."""
    shape = deck.shape(samples)
    patch = soften(view.cut(pose, deck.inner_mm, shape, shifts=bend).astype(np.float32))
    free = covered.cut(pose, deck.inner_mm, shape, nearest=True) == 0
    free &= patch[..., 1] > 0  # black is beyond the picture
    return to_paper(patch, free), free


def _align(view: View, covered: View, deck: Deck, pose: Pose, look: int) -> Pose:
    """Move a pose until the picture lies on a look as well as it can (Lucas and Kanade's method, affine, grey)."""
    rows, columns = shape = deck.shape(COARSE)
    step_x, step_y = deck.inner_mm[0] / columns, deck.inner_mm[1] / rows
    x = ((np.arange(columns) + 0.5) * step_x - deck.inner_mm[0] / 2).astype(np.float32)
    y = (deck.inner_mm[1] / 2 - (np.arange(rows) + 0.5) * step_y).astype(np.float32)
    x, y = np.broadcast_to(x / 30, shape), np.broadcast_to(y[:, None] / 30, shape)
    wanted = grey(deck.small[look])
    before = math.inf
    best = pose
    for _ in range(_ROUNDS + 1):
        patch, free = _look(view, covered, deck, pose, COARSE)
        seen = grey(relight(patch, deck.small[look], free, COARSE))
        rest = wanted - seen
        used = free & (np.abs(rest) < 0.4)
        error = float(np.minimum(np.abs(rest), 0.4)[free].sum())
        if used.sum() < 100 or error > before:
            break
        best, done = pose, error > before * 0.98
        before = error
        if done:
            break
        weight = used.astype(np.float32)
        gx = cv2.Sobel(seen, cv2.CV_32F, 1, 0, scale=1 / 8 / step_x) * weight
        gy = cv2.Sobel(seen, cv2.CV_32F, 0, 1, scale=-1 / 8 / step_y) * weight
        slopes = np.stack([gx, gy, gx * x, gx * y, gy * x, gy * y]).reshape(6, -1)
        normal = (slopes @ slopes.T).astype(np.float64)
        normal += np.diag([1.0, 1.0, 3.0, 3.0, 3.0, 3.0]) * 1e-3 * np.trace(normal)
        move = np.clip(np.linalg.solve(normal, slopes @ rest.ravel()), -1.5, 1.5)
        warp = np.eye(2) + np.array([[move[2], move[3]], [move[4], move[5]]]) / 30
        pose = Pose(pose.place(move[:2]), pose.matrix @ warp)
    return best


def _against(deck: Deck, best: int, rest: F32, seen: Mask, room: F32) -> tuple[int, float, float, float]:
    """The hardest of the other cards (its look), and what :class:`Match` says about it.

    Args:
        deck: the enrolled cards.
        best: the look that fits best.
        rest: by how much the picture differs from it, rows x columns x 3.
        seen: samples that count.
        room: how many they are, cell by cell.
    """
    if not seen.any():
        return best, 0.0, 1.0, 0.0
    rivals = _rivals(deck, best, room)
    if not len(rivals):
        return best, 0.0, 0.0, math.inf
    at = slice(None) if seen.all() else np.flatnonzero(seen)
    mine = deck.fine[best][:, at]
    off = np.ascontiguousarray(rest.reshape(-1, 3)[at].T)
    theirs = deck.fine[rivals][:, :, at].transpose(1, 0, 2)  # channels x rivals x samples
    products, squares = np.matmul(theirs, mine[:, :, None])[..., 0], np.einsum("cks,cks->ck", theirs, theirs)
    # Each rival with the contrast of the best, too; and only where the two differ by more than the faces' noise.
    wanted = products / np.maximum(squares, 1e-3)  # channels x rivals
    contrast = np.clip(wanted, *CONTRAST)
    differ = contrast[:, :, None] * theirs - mine[:, None]
    # A channel in which print is too pale on one of them, as its paper was burnt out, tells no difference of the two.
    burnt = np.abs(deck.burnt[rivals] - deck.burnt[best]).T > _BURNT
    differ[burnt & (wanted != contrast)] = 0
    apart = (differ**2).mean(axis=0)
    apart *= apart > _NOISE * np.median(apart[:, ::5], axis=1).min()
    energy = 3 * apart.sum(axis=1)
    leanings = np.matmul(differ * (apart > 0), off[:, :, None])[..., 0].sum(axis=0)
    towards = leanings / np.maximum(energy, 1e-6)
    hardest = int(towards.argmax())
    near = np.unique([hardest, *np.argsort(energy)[:_NEAREST]])
    size = len(room.ravel())
    cell = _cell_of(seen.shape, deck.cells)[at]
    away = (off**2).mean(axis=0)
    if not deck.part:
        # Most of a card is bare: what is off there is noise. Of a part of a deck it may be what other cards have there.
        away -= _MEAN * float(np.median(away[::5]))
    strange, telling = 0.0, math.inf
    for one, channels in zip(apart[near], differ[:, near].swapaxes(0, 1), strict=True):
        differs = np.bincount(cell, one, size)
        wrong = np.bincount(cell, one * away, size) / np.maximum(np.bincount(cell, one**2, size), 1e-9)
        clean = wrong < _CLEAN
        strange = max(strange, 1 - float(differs[clean].sum()) / max(float(differs.sum()), 1e-9))
        # In the channel that shows it best: yellow print is seen by one of them only, and as well as black.
        telling = min(telling, float(np.square(channels[:, clean[cell] & (one > 0)]).sum(axis=1).max()))
    sample_mm2 = deck.inner_mm[0] * deck.inner_mm[1] / seen.size
    return rivals[hardest], float(towards[hardest]), strange, telling * sample_mm2


@functools.lru_cache(maxsize=4)
def _cell_of(shape: tuple[int, int], cells: tuple[int, int]) -> npt.NDArray[np.intp]:
    """The number of the cell of each sample of a patch (rows x columns)."""
    rows = np.arange(shape[0]) * cells[0] // shape[0]
    columns = np.arange(shape[1]) * cells[1] // shape[1]
    return np.asarray(rows[:, None] * cells[1] + columns, np.intp).ravel()


def _rivals(deck: Deck, best: int, room: F32) -> list[int]:
    """The looks of other cards that differ least in what is seen, one of each card."""
    far = deck.apart[best] @ room.ravel()
    chosen: dict[str, int] = {}
    for k in np.argsort(far, kind="stable"):
        if len(chosen) == RIVALS or deck.apart[best, k, 0] >= SAME:
            break
        chosen.setdefault(deck.names[k], int(k))
    return list(chosen.values())
