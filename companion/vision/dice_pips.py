"""Pips: small round spots, darker or brighter than the face around them, each described by an ellipse."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

_SIGMAS = (1.0, 1.5, 2.2, 3.2)
"""Blurs of one octave in px of that octave; a disc answers best where its radius is 1.5 sigma of the finer blur."""
_MOST = 600
"""The strongest maxima of one blur that are looked at: cloths and glitter have thousands."""
_RAYS = 16
_STEPS = np.arange(0.2, 2.25, 0.15, dtype=np.float32)
"""Where each ray is sampled, in units of the supposed pip radius."""


@dataclass(frozen=True, slots=True)
class Pips:
    """Round spots of a picture, one row each.

    Args:
        centre: (n, 2) px.
        shape: (n, 2, 2) px², the ellipse ``{c + x : x' shape⁻¹ x = 1}``; its square root maps the unit circle onto it.
        dark: (n,) True where the pip is darker than its surroundings.
        contrast: (n,) grey levels between the pip and its surroundings.
        rough: (n,) spread of the outline about the ellipse, as a share of the radius.
        uneven: (n,) spread of the surroundings' grey, as a share of the contrast.
        body: (n, 3) median Lab (OpenCV's 8-bit scale) of the ring around the pip.
    """

    centre: Floats
    shape: Floats
    dark: npt.NDArray[np.bool_]
    contrast: Floats
    rough: Floats
    uneven: Floats
    body: Floats

    def __len__(self) -> int:
        return len(self.centre)

    @property
    def radius(self) -> Floats:
        """(n,) px, the radius of the circle of equal area."""
        return np.asarray(np.sqrt(np.sqrt(np.maximum(np.linalg.det(self.shape), 1e-6))), np.float32)

    def take(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Pips:
        """The pips of these rows."""
        return Pips(
            self.centre[rows],
            self.shape[rows],
            self.dark[rows],
            self.contrast[rows],
            self.rough[rows],
            self.uneven[rows],
            self.body[rows],
        )


def tone(picture: Picture) -> Picture:
    """A grey picture in which pips of any colour stand out from bodies of any colour.

    Grey alone hides white pips on yellow, black pips on blue and red pips on black; the darkest and the brightest
    channel show them.

    Args:
        picture: BGR uint8 h x w x 3.
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    b, g, r = cv2.split(picture)
    low, high = cv2.min(cv2.min(b, g), r), cv2.max(cv2.max(b, g), r)
    return np.asarray(cv2.addWeighted(grey, 0.5, cv2.addWeighted(low, 0.5, high, 0.5, 0), 0.5, 0), np.uint8)


def find_pips(picture: Picture, *, max_radius: float = 60.0, mask: npt.NDArray[np.uint8] | None = None) -> Pips:
    """Finds round spots of both polarities.

    Args:
        picture: BGR uint8 h x w x 3.
        max_radius: px, the largest pip sought; the smallest has about 1.7 px.
        mask: uint8 h x w, non-zero where no pip is wanted.
    """
    levels = [tone(picture)]
    parts: dict[bool, list[tuple[Floats, ...]]] = {True: [], False: []}
    octave = 0
    while True:
        scale = float(2**octave)
        source = max(octave - 1, 0)
        step = float(2**source)
        for dark, (seeds, radii) in zip((True, False), _seeds(levels[octave]), strict=True):
            if mask is not None:  # describing a spot costs most: those that are not wanted go first
                wanted = _outside(mask, (seeds + 0.5) * scale - 0.5)
                seeds, radii = seeds[wanted], radii[wanted]
            at = ((seeds + 0.5) * (scale / step) - 0.5).astype(np.float32)
            grey = levels[source] if dark else np.asarray(cv2.bitwise_not(levels[source]), np.uint8)
            centre, shape, *rest = _describe(grey, at, (radii * scale / step).astype(np.float32))
            parts[dark].append(((centre + 0.5) * step - 0.5, shape * step * step, *rest))
        octave += 1
        if 4.0 * 2 ** (octave - 1) > max_radius or min(levels[-1].shape) < 24:
            break
        levels.append(np.asarray(cv2.pyrDown(levels[-1]), np.uint8))
    found = [_gather(picture, dark, parts[dark], mask) for dark in (True, False)]
    both = [np.concatenate([getattr(p, f) for p in found]) for f in Pips.__dataclass_fields__]
    return Pips(*both)


def _outside(mask: npt.NDArray[np.uint8], points: Floats) -> npt.NDArray[np.bool_]:
    """Which points (n x 2, px) lie where the mask is zero."""
    xy = np.clip(np.rint(points).astype(np.intp), 0, [[mask.shape[1] - 1, mask.shape[0] - 1]])
    return np.asarray(mask[xy[:, 1], xy[:, 0]] == 0, np.bool_)


def _gather(picture: Picture, dark: bool, parts: list[tuple[Floats, ...]], mask: npt.NDArray[np.uint8] | None) -> Pips:
    centre, shape, contrast, rough, uneven = (
        np.concatenate([p[k] for p in parts]).astype(np.float32) for k in range(5)
    )
    h, w = picture.shape[:2]
    inside = (centre[:, 0] >= 1) & (centre[:, 1] >= 1) & (centre[:, 0] < w - 2) & (centre[:, 1] < h - 2)
    if mask is not None:
        inside &= _outside(mask, centre)
    rows = np.flatnonzero(inside)
    rows = rows[_distinct(centre[rows], shape[rows], rough[rows] + 0.3 * uneven[rows] - 0.001 * contrast[rows])]
    return Pips(
        centre[rows],
        shape[rows],
        np.full(len(rows), dark),
        contrast[rows],
        rough[rows],
        uneven[rows],
        _ring_colour(picture, centre[rows], shape[rows]),
    )


def _seeds(grey: Picture) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Maxima of differences of Gaussians, dark then bright: (n, 2) px and (n,) supposed radii in px each."""
    points: tuple[list[Floats], list[Floats]] = ([], [])
    radii: tuple[list[Floats], list[Floats]] = ([], [])
    finer = cv2.GaussianBlur(grey, (0, 0), _SIGMAS[0])
    for sigma, wider in pairwise(_SIGMAS):
        coarser = cv2.GaussianBlur(grey, (0, 0), wider)
        for k, (more, less) in enumerate(((coarser, finer), (finer, coarser))):
            response = cv2.subtract(more, less)
            top = cv2.dilate(response, np.ones((3, 3), np.uint8))
            peak = cv2.bitwise_and(cv2.compare(response, top, cv2.CMP_EQ), cv2.compare(response, 4, cv2.CMP_GE))
            hits = cv2.findNonZero(peak)
            xy = np.zeros((0, 2), np.int32) if hits is None else np.asarray(hits).reshape(-1, 2)
            xy = xy[_bulges(response, xy)]
            if len(xy) > _MOST:
                strength = response[xy[:, 1], xy[:, 0]].astype(np.int64)
                xy = xy[np.argsort(-strength, kind="stable")[:_MOST]]
            points[k].append(xy.astype(np.float32))
            radii[k].append(np.full(len(xy), 1.6 * sigma, np.float32))
        finer = coarser
    dark, bright = ((np.concatenate(points[k]), np.concatenate(radii[k])) for k in (0, 1))
    return dark, bright


def _bulges(response: Picture, xy: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Whether each maximum falls off in all directions: along an edge or a line of the picture it does not."""
    h, w = response.shape
    x, y = np.clip(xy[:, 0], 1, w - 2), np.clip(xy[:, 1], 1, h - 2)
    step = np.arange(-1, 2)
    near = response[y[:, None, None] + step[:, None], x[:, None, None] + step].astype(np.float32)
    xx = near[:, 1, 0] + near[:, 1, 2] - 2 * near[:, 1, 1]
    yy = near[:, 0, 1] + near[:, 2, 1] - 2 * near[:, 1, 1]
    xy2 = (near[:, 0, 0] + near[:, 2, 2] - near[:, 0, 2] - near[:, 2, 0]) / 4
    return np.asarray((xx + yy) ** 2 < 6.0 * (xx * yy - xy2**2), np.bool_)


def _describe(grey: Picture, centre: Floats, radius: Floats) -> tuple[Floats, ...]:
    """Follows rays outwards from each seed to the half-contrast outline; keeps what is an ellipse.

    Samples nearer than half the radius don't count: a lamp mirrored in a glossy pip makes its middle bright.
    Returns centre, shape, contrast, rough, uneven of those kept.
    """
    root = radius[:, None, None] * np.eye(2, dtype=np.float32)
    for rays, last in ((12, False), (_RAYS, True)):
        if not len(centre):
            break
        centre, root, contrast, rough, uneven, keep = _outline(grey, centre, root, rays=rays, strict=last)
        centre, root = centre[keep], root[keep]
    if not len(centre):
        none = np.zeros(0, np.float32)
        return np.zeros((0, 2), np.float32), np.zeros((0, 2, 2), np.float32), none, none, none
    shape = root @ root.transpose(0, 2, 1)
    return centre, shape, contrast[keep], rough[keep], uneven[keep]


def _outline(
    grey: Picture, centre: Floats, root: Floats, *, rays: int, strict: bool
) -> tuple[Floats, Floats, Floats, Floats, Floats, npt.NDArray[np.bool_]]:
    angles = np.arange(rays, dtype=np.float32) * np.float32(2 * np.pi / rays)
    unit = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    way = unit @ root.transpose(0, 2, 1)
    at = centre[:, None, None, :] + way[:, :, None, :] * _STEPS[None, None, :, None]
    value = sample(grey, at)
    inner = value[:, :, _STEPS <= 0.65].reshape(len(centre), -1)
    low = int(0.3 * inner.shape[1])
    pip = np.partition(inner, low, axis=1)[:, low]
    ring = value[:, :, (_STEPS > 1.05) & (_STEPS < 1.75)].max(axis=2)
    body = np.median(ring, axis=1)
    contrast = (body - pip).astype(np.float32)
    mid = (body + pip) / 2
    start = int(np.flatnonzero(_STEPS >= 0.49)[0])
    above = value[:, :, start:] >= mid[:, None, None]
    first = above.argmax(axis=2) + start
    crossed = above.any(axis=2) & (first > start)
    k = np.maximum(first, 1)
    v1 = np.take_along_axis(value, k[:, :, None], axis=2)[:, :, 0]
    v0 = np.take_along_axis(value, k[:, :, None] - 1, axis=2)[:, :, 0]
    part = np.clip((mid[:, None] - v0) / np.maximum(v1 - v0, 1e-3), 0, 1)
    reach = _STEPS[k - 1] + part * (_STEPS[1] - _STEPS[0])
    reach = np.where(crossed, reach, np.nan)
    usual = _median_of_rest(reach)
    reach = np.where(crossed, reach, usual[:, None])
    # A ray that slips out through a touching shadow or pip is drawn back: its outline says nothing.
    reach = np.clip(reach, 0.5 * usual[:, None], 1.7 * usual[:, None])
    spot = unit[None] * reach[:, :, None]
    shift = 2 * (spot.mean(axis=1))
    shift = np.clip(shift, -0.6, 0.6) / 2
    spot = spot - shift[:, None, :]
    cover = 2 * (spot.transpose(0, 2, 1) @ spot) / rays
    lengths = ((spot @ np.linalg.inv(cover + np.float32(1e-4) * np.eye(2, dtype=np.float32))) * spot).sum(axis=2)
    rough = np.std(np.sqrt(np.maximum(lengths, 0)), axis=1)
    level = np.sort(value[:, :, np.abs(_STEPS - 1.4).argmin()], axis=1)
    uneven = (level[:, 3 * rays // 4] - level[:, rays // 4 - 1]) / np.maximum(contrast, 1)
    half = np.linalg.cholesky(cover + 1e-4 * np.eye(2, dtype=np.float32))
    new_root = root @ half
    new_centre = centre + np.einsum("nij,nj->ni", root, shift)
    sizes = np.linalg.svd(new_root, compute_uv=False)
    keep = (contrast >= 12) & (sizes[:, 1] > 0.36 * sizes[:, 0]) & (sizes[:, 1] > 1.1)
    if strict:
        keep &= (crossed.mean(axis=1) >= 0.8) & (rough < 0.17) & (uneven < 0.9)
    else:
        keep &= (crossed.mean(axis=1) >= 0.6) & (rough < 0.28)
    f = np.float32
    return (
        new_centre.astype(f),
        _upright(new_root).astype(f),
        contrast,
        rough.astype(f),
        uneven.astype(f),
        keep,
    )


def _median_of_rest(reach: Floats) -> Floats:
    filled = np.where(np.isnan(reach), np.inf, reach)
    count = np.isfinite(filled).sum(axis=1)
    ordered = np.sort(filled, axis=1)
    mid = ordered[np.arange(len(reach)), np.maximum(count - 1, 0) // 2]
    return np.where(np.isfinite(mid), mid, 1.0).astype(np.float32)


def _upright(root: Floats) -> Floats:
    """The symmetric square root of ``root root'``: the same ellipse, without a rotation of its own."""
    w, v = np.linalg.eigh(root @ root.transpose(0, 2, 1))
    return np.asarray((v * np.sqrt(np.maximum(w, 1e-6))[:, None, :]) @ v.transpose(0, 2, 1), np.float32)


def sample(picture: Picture, at: npt.NDArray[np.floating]) -> Floats:
    """Bilinear values of the picture at (..., 2) px positions; beyond the edge the edge's."""
    flat = np.ascontiguousarray(at, np.float32).reshape(-1, 2)
    rows = -(-len(flat) // 4096)
    padded = np.zeros((rows * 4096, 2), np.float32)
    padded[: len(flat)] = flat
    if not rows:
        return np.zeros((*at.shape[:-1], *picture.shape[2:]), np.float32)
    maps = padded.reshape(rows, 4096, 2)
    out = cv2.remap(picture, maps, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    channels = picture.shape[2:]
    out = out.reshape(rows * 4096, *channels)[: len(flat)]
    return np.asarray(out.reshape(*at.shape[:-1], *channels), np.float32)


def to_lab(bgr: Floats) -> Floats:
    """Lab on OpenCV's 8-bit scale of (..., 3) BGR values 0 to 255."""
    if bgr.size == 0:
        return bgr
    flat = np.clip(np.rint(bgr), 0, 255).astype(np.uint8).reshape(-1, 1, 3)
    return np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2LAB), np.float32).reshape(bgr.shape)


def _ring_colour(picture: Picture, centre: Floats, shape: Floats) -> Floats:
    angles = np.arange(12) * (2 * np.pi / 12)
    unit = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    w, v = np.linalg.eigh(shape)
    root = (v * np.sqrt(np.maximum(w, 1e-6))[:, None, :]) @ v.transpose(0, 2, 1)
    at = centre[:, None, :] + 1.5 * (unit @ root.transpose(0, 2, 1))
    return np.median(to_lab(sample(picture, at)), axis=1).astype(np.float32) if len(centre) else np.zeros((0, 3), "f4")


def _distinct(centre: Floats, shape: Floats, badness: Floats) -> npt.NDArray[np.intp]:
    """Rows that are not a worse copy of another: of spots whose centres lie within each other, the best stays."""
    order = np.argsort(badness, kind="stable")
    c = centre[order]
    r = np.sqrt(np.sqrt(np.maximum(np.linalg.det(shape[order]), 1e-6)))
    gap = np.linalg.norm(c[:, None] - c[None], axis=2)
    near = gap < 0.6 * np.minimum(r[:, None], r[None])
    alike = (r[:, None] < 1.6 * r[None]) & (r[None] < 1.6 * r[:, None])
    # The edge of a big pip answers as small rough spots: one with its centre on a far better spot is part of that.
    worse = badness[order][None] > badness[order][:, None] + 0.12
    clash = (near & alike) | ((gap < 0.95 * r[:, None]) & (r[None] < r[:, None]) & worse)
    alive = np.ones(len(c), bool)
    for i in range(len(c)):
        if alive[i]:
            clash[i, : i + 1] = False
            alive[clash[i]] = False
    return order[alive]
