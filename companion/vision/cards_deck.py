"""An enrolled deck as the reader compares it: every face through grids of samples, in units of paper white."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from companion.vision.cards_edges import Rim
from companion.vision.cards_table import F32, U8, Mask, grey

FACE_PX_PER_MM = 2.0
"""Scale of the enrolled pictures of cards."""
MARGIN_MM = 1.6
"""The outermost part of a card is not compared: its edge is never where it should be to a pixel."""
CELL_MM = 8.2
COARSE, FINE = 5, 9
"""Samples across a cell."""
PAPER = 0.8
"""A card's paper is brighter than this share of the card."""
SAME = 1e6
"""How far apart looks of one value are said to be: none of them is a rival."""
_RIM_MM, _ROUNDED_MM = (1.0, 2.0), 6.0  # where, from the edge inwards and along it, a rim is looked at
_AROUND = 2 * FINE - 1  # samples in which the lightest is paper
_GLARE = 1.1  # times its paper's brightness: more is a lamp mirrored in a card
_END = 254  # of a channel's levels
_WHOLE_DECK = 50  # different cards are enrolled at least
_ENOUGH = 600  # samples that tell what is usual on a card
_INK = 0.01  # mean square from its mean, in paper white, of a cell half full of print


@dataclass(frozen=True)
class Deck:
    """The enrolled cards.

    Args:
        faces: n x h x w x 3, BGR, at ``FACE_PX_PER_MM``, the whole card; several may be of one value.
        values: n names.
        size_mm: width and height of a card.
    """

    faces: U8
    values: tuple[str, ...]
    size_mm: tuple[float, float]

    @cached_property
    def inner_mm(self) -> tuple[float, float]:
        """Width and height of what is compared."""
        return self.size_mm[0] - 2 * MARGIN_MM, self.size_mm[1] - 2 * MARGIN_MM

    @cached_property
    def cells(self) -> tuple[int, int]:
        """Rows and columns of cells."""
        across, down = (max(3, round(s / CELL_MM)) for s in self.inner_mm)
        return down, across

    @cached_property
    def rim(self) -> Rim:
        """How the outermost part of all cards looks."""
        near, far = (round(mm * FACE_PX_PER_MM) for mm in _RIM_MM)
        corner = round(_ROUNDED_MM * FACE_PX_PER_MM)
        across, down = self.faces[:, :, corner:-corner], self.faces[:, corner:-corner].swapaxes(1, 2)
        strips = [side[:, at] for side in (across, down) for at in (slice(near, far), slice(-far, -near))]
        points = np.concatenate([strip.mean(axis=1).reshape(-1, 3) for strip in strips])
        colour = np.median(points, axis=0)
        ratio = points / np.maximum(colour, 8)
        spread = float(np.percentile(np.abs(ratio / ratio.mean(axis=1, keepdims=True) - 1).max(axis=1), 90))
        return Rim((float(colour[0]), float(colour[1]), float(colour[2])), spread)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The value of each look: every face upright, then every face turned by half a turn."""
        return self.values * 2

    @cached_property
    def copies(self) -> dict[str, tuple[int, ...]]:
        """The looks of each value: several pictures of it, each upright and turned."""
        return {name: tuple(k for k, other in enumerate(self.names) if other == name) for name in self.values}

    @cached_property
    def fine(self) -> F32:
        """All looks through many samples: 2n x 3 x samples, less the white of the paper there."""
        return np.ascontiguousarray(self._close[0].transpose(0, 3, 1, 2).reshape(2 * len(self.faces), 3, -1) - 1)

    @cached_property
    def part(self) -> bool:
        """Whether so few cards are enrolled that others of their kinds may lie on the table."""
        return len(set(self.values)) < _WHOLE_DECK

    @cached_property
    def clear(self) -> Mask:
        """The samples of all looks (2n x samples) on which no lamp mirrored when they were enrolled."""
        return self._close[1].reshape(2 * len(self.faces), -1)

    @cached_property
    def burnt(self) -> F32:
        """The share of each look (2n x 3) on which a channel was at its end when it was enrolled."""
        share = np.stack([(face >= _END).mean(axis=(0, 1)) for face in self.faces])
        return np.asarray(np.concatenate([share, share]), np.float32)

    @cached_property
    def _close(self) -> tuple[F32, Mask]:
        looks = self._looks(FINE)
        everything = np.ones(looks.shape[1:3], bool)
        flat = [flatten(look, everything) for look in looks]
        return np.stack([look for look, _ in flat]), np.stack([~glare for _, glare in flat])

    @cached_property
    def small(self) -> F32:
        """All looks through few samples: 2n x rows x columns x 3 in units of paper white."""
        return self._looks(COARSE)

    @cached_property
    def coarse(self) -> F32:
        """The same for products: cells x samples x looks."""
        return np.ascontiguousarray(by_cell(self.small, self.cells).transpose(1, 2, 0))

    @cached_property
    def apart(self) -> F32:
        """Looks x looks x cells: mean square by which cells differ; huge between looks of one value."""
        coarse = self.coarse.transpose(2, 0, 1)
        out = np.stack([((coarse - one) ** 2).mean(axis=2) for one in coarse])
        names = np.array(self.names)
        out[names[:, None] == names[None, :]] = SAME
        return np.asarray(out, np.float32)

    @cached_property
    def ink(self) -> F32:
        """Looks x cells: how much a cell says by its print, 0 (bare) to 1."""
        cells = self.coarse.reshape(self.coarse.shape[0], -1, 3, self.coarse.shape[2])
        spread = cells.var(axis=1).mean(axis=1).T
        return np.asarray(spread**2 / (spread**2 + _INK**2), np.float32)

    def nearest_mm2(self, share: F32) -> float:
        """By how much the two cards differ that are most alike in what is seen: an area of full contrast, mm2.

        Args:
            share: rows x columns, of each cell what is seen (0 to 1).
        """
        cell_mm2 = self.inner_mm[0] * self.inner_mm[1] / share.size
        return float((self.apart @ share.ravel()).min()) * cell_mm2

    def shape(self, samples: int) -> tuple[int, int]:
        """Rows and columns of a patch with so many samples across a cell."""
        return self.cells[0] * samples, self.cells[1] * samples

    def _looks(self, samples: int) -> F32:
        rows, columns = self.shape(samples)
        cut = round(MARGIN_MM * FACE_PX_PER_MM)
        patches = np.empty((2 * len(self.faces), rows, columns, 3), np.float32)
        for i, face in enumerate(self.faces):
            inner = face[cut : len(face) - cut, cut : face.shape[1] - cut]
            small = np.asarray(cv2.resize(inner, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)
            patches[i] = to_paper(soften(small))
            patches[len(self.faces) + i] = patches[i, ::-1, ::-1]
        return patches


def by_cell(patches: F32, cells: tuple[int, int]) -> F32:
    """Patches (n x rows x columns x 3) cell by cell: n x cells x samples."""
    down, across = cells
    n, rows, columns = patches.shape[:3]
    split = patches.reshape(n, down, rows // down, across, columns // across, 3)
    return np.asarray(split.transpose(0, 1, 3, 2, 4, 5).reshape(n, down * across, -1))


def to_paper(patch: F32, mask: Mask | None = None) -> F32:
    """A patch (rows x columns x 3) in units of the paper's white, told channel by channel from its brighter part."""
    seen = patch.reshape(-1, 3) if mask is None or mask.sum() < 40 else patch[mask]
    return np.asarray(patch / np.maximum(usual(seen, PAPER), 8.0), np.float32)


def usual(seen: F32, share: float) -> F32:
    """The value (... x 3, one a channel) that a share of the samples (... x n x 3) is darker than, told by hundreds."""
    some = np.ascontiguousarray(seen[..., :: max(seen.shape[-2] // _ENOUGH, 1), :].swapaxes(-1, -2))
    k = int(some.shape[-1] * share)
    return np.asarray(np.partition(some, k, axis=-1)[..., k], np.float32)


def flatten(patch: F32, free: Mask) -> tuple[F32, Mask]:
    """A patch in units of the paper's brightness near each place; and where a lamp mirrors.

    The paper's brightness is that of the lightest things around. A lamp mirrors where even these are brighter than the
    paper elsewhere on the card.

    Args:
        patch: rows x columns x 3, through many samples.
        free: the samples that count.
    """
    around = np.ones((_AROUND, _AROUND), np.uint8)
    light = cv2.blur(cv2.dilate(patch * free[..., None], around), (FINE, FINE))
    known = cv2.blur(cv2.dilate(free.astype(np.float32), around), (FINE, FINE))[..., None]
    light = light / np.maximum(known, 1e-3)
    paper = usual(light[free], 0.5) if free.any() else np.ones(3, np.float32)
    light = np.where(known > 0.05, light, paper)  # where nothing around is free it is taken to be as elsewhere
    flat = patch / np.minimum(np.maximum(light, 0.5 * paper), 2.0 * paper)
    return np.asarray(flat, np.float32), np.asarray(grey(light) > _GLARE * paper.mean())


def soften(patch: F32) -> F32:
    """A patch a little blurred, so that half a px does not matter."""
    return np.asarray(cv2.GaussianBlur(patch, (3, 3), 0.7), np.float32)
