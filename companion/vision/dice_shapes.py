"""Pip dice by the shape of their faces: which arrangement of pips on which body, in which colour."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.dice_colour import body_colour, white_of
from companion.vision.dice_faces import LEAST, Face, box_of, find_faces, overlap
from companion.vision.dice_look import EDGE
from companion.vision.dice_ones import find_ones, rows_left
from companion.vision.dice_pips import Picture, find_pips
from companion.vision.readings import Box

LONG_SIDE = 1280
"""Px; bigger pictures are reduced to this first. A 16 mm die 60 cm from a common camera then has about 35 px."""
SMALLEST = 13.0
"""Px, the least edge of a face (that of a rounded die with a box of 25 px may have 15); below it spots of print and
glitter form faces by chance."""
LARGEST = 1.75
"""Of the expected edge: 31 mm dice where 21 are expected, and their tops lie nearer the camera than the table."""
CERTAIN = 1.0
"""Evidence from which on a value is given; below it a die is reported without one."""
CERTAIN_ONE = 1.7
"""The same for ones: a flower printed on a cloth has a round spot in a bright patch too (evidence up to 1.6)."""
ANCHOR = 2.0
"""Evidence from which on a face tells how the picture's other dice must look."""
ALIKE = 0.2
"""Log of stretch below which two faces count as foreshortened alike."""
STEEP = 0.22
"""Log of foreshortening from which on top and front of one die may look alike: about 37 degrees off the vertical."""
SEEN = 0.0
"""Evidence from which on a die is reported at all."""


@dataclass(frozen=True, slots=True)
class ShapeDie:
    """A die as its pips and its body show it.

    Args:
        value: of the top face, 1 to 6, the likeliest.
        box: x, y, width, height of the top face in px of the picture.
        evidence: about the log-odds that the value is right.
        certain: whether the evidence suffices by itself, and the face lies wholly in the picture.
        colour: name of the body's colour; None when unsure.
    """

    value: int
    box: Box
    evidence: float
    certain: bool
    colour: str | None

    @property
    def certain_value(self) -> int | None:
        """The value, where the evidence suffices by itself."""
        return self.value if self.certain else None


def read_shapes(
    picture: Picture, *, exclude: npt.NDArray[np.uint8] | None = None, die_px: float | None = None
) -> tuple[ShapeDie, ...]:
    """Reads all pip dice of a picture by the arrangement of their pips, from top to bottom.

    Args:
        picture: BGR uint8 h x w x 3.
        exclude: uint8 h x w, non-zero where no die is expected (the board).
        die_px: a die's edge in px where the board's pose tells it; faces of 0.6 to 1.75 times that are believed.
    """
    if min(picture.shape[:2]) < SMALLEST:
        return ()
    scale = min(1.0, LONG_SIDE / max(picture.shape[:2]))
    small = picture
    if scale < 1:
        size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
        small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        if exclude is not None:
            exclude = np.asarray(cv2.resize(exclude, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    faces = find_candidates(small, exclude=exclude, die_px=None if die_px is None else die_px * scale)
    white = white_of(small)
    height, width = small.shape[:2]
    out = []
    for face in sorted(choose(faces), key=lambda f: (float(f.centre[1]), float(f.centre[0]))):
        x, y, w, h = box_of(face.corners(), (width, height))
        box = (round(x / scale), round(y / scale), max(1, round(w / scale)), max(1, round(h / scale)))
        enough = face.evidence >= (CERTAIN if face.value > 1 else CERTAIN_ONE)
        certain = enough and _whole(face, width, height)
        out.append(ShapeDie(face.value, box, face.evidence, certain, body_colour(face.body, white)))
    return tuple(out)


def find_candidates(
    picture: Picture, *, exclude: npt.NDArray[np.uint8] | None = None, die_px: float | None = None
) -> list[Face]:
    """All faces that pips of the picture could form; they overlap and compete.

    Args:
        picture: BGR uint8 h x w x 3.
        exclude: uint8 h x w, non-zero where no die is expected.
        die_px: a die's edge in px if known.
    """
    pips = find_pips(picture, mask=exclude, max_radius=60.0 if die_px is None else max(2.5, die_px * 0.33))
    faces = find_faces(picture, pips)
    left = rows_left(pips, [f for f in faces if f.value > 3 and f.evidence > CERTAIN])
    faces += [f for f in find_ones(picture, pips, left) if f.evidence > LEAST]
    low, high = (SMALLEST, np.inf) if die_px is None else (0.6 * die_px, LARGEST * die_px)
    return [f for f in faces if low <= f.edge <= high]


def choose(faces: list[Face]) -> list[Face]:
    """Of competing faces the ones with most evidence; of the faces of one die the top."""
    patterned = _patterned(faces)
    faces = [f for k, f in enumerate(faces) if k not in patterned]
    anchors = _greedy([f for f in faces if f.value >= 3 and f.evidence > ANCHOR])
    faces = [replace(f, evidence=f.evidence + _company(f, anchors)) for f in faces]
    return _tops(_greedy([f for f in faces if f.evidence >= SEEN]))


def _tops(faces: list[Face]) -> list[Face]:
    """Leaves out side faces: of two faces of one die the smaller, or the one that looks less like other dice's faces.

    The tops of all dice on a table are foreshortened alike, the sides each in its own way.
    """
    together = [[j for j, b in enumerate(faces) if b is not a and _same_die(a, b)] for a in faces]
    rank, liked = [], []
    for i, face in enumerate(faces):
        others = [b for j, b in enumerate(faces) if j != i and j not in together[i]]
        like = sum(unlike(face, b) < ALIKE for b in others) / max(len(others), 1)
        liked.append(like if len(others) >= 3 else 1.0)
        rank.append(2 * float(np.log(face.area)) + like * min(len(others), 4) / 2)
    out = []
    for i, face in enumerate(faces):
        lead = min((rank[i] - rank[j] for j in together[i]), default=9.0)
        if lead >= 0:
            sure = lead > 0.3 and (liked[i] > 0 or max(liked) < 0.5)
            out.append(face if sure else replace(face, evidence=min(face.evidence, SEEN)))
    return out


def _same_die(a: Face, b: Face) -> bool:
    """Whether two faces can be top and side of one die: side by side, and foreshortened otherwise.

    Seen from half-way down, a die's top and front are foreshortened alike, each along the line between their middles.
    """
    line = b.centre - a.centre
    if float(np.linalg.norm(line)) > 0.62 * (a.edge + b.edge):
        return False
    return unlike(a, b) > ALIKE or (_flattened(a, line) > STEEP and _flattened(b, line) > STEEP)


def _flattened(face: Face, line: npt.NDArray[np.floating]) -> float:
    """How much the face is foreshortened along a line: log of its mean width over that along the line."""
    w, v = np.linalg.eigh(face.axes @ face.axes.T)
    part = (v.T @ line) / max(float(np.linalg.norm(line)), 1e-6)
    along = float(np.sqrt((part**2 * w).sum()))
    return float(np.log(np.sqrt(w[1]) / along)) if w[0] > 0 else 9.0


def _whole(face: Face, width: int, height: int) -> bool:
    """Whether the face lies inside the picture: pips may be missing from one that the frame cuts."""
    corners = face.corners(0.9 * EDGE)
    return bool((corners >= 0).all() and (corners < (width, height)).all())


def _patterned(faces: list[Face]) -> set[int]:
    """Faces of a cloth's check or a card's back: their pips form like faces on two or more sides too."""
    of_pip: dict[int, list[int]] = {}
    for k, face in enumerate(faces):
        if face.value >= 3 and face.evidence > SEEN:
            for pip in face.pips:
                of_pip.setdefault(pip, []).append(k)
    out: set[int] = set()
    for k, face in enumerate(faces):
        beside = {j for pip in face.pips for j in of_pip.get(pip, [])}
        shifted = [
            faces[j].centre
            for j in beside
            if faces[j].value == face.value
            and faces[j].evidence > face.evidence - 2
            and abs(np.log(faces[j].edge / face.edge)) < 0.2
            and np.linalg.norm(faces[j].centre - face.centre) > 0.25 * face.edge
        ]
        places = {tuple(np.rint((c - face.centre) / (0.2 * face.edge)).astype(int)) for c in shifted}
        if len(places) >= 2:
            out.add(k)
    return out


def _greedy(faces: list[Face]) -> list[Face]:
    kept: list[Face] = []
    for face in sorted(faces, key=lambda f: -f.evidence):
        if all(overlap(face, k) < 0.3 and not set(face.pips) & set(k.pips) for k in kept):
            kept.append(face)
    return kept


def _company(face: Face, anchors: list[Face]) -> float:
    """What the certain faces of the same picture add: dice of one table are alike in size and foreshortening."""
    others = [a for a in anchors if a.pips != face.pips]
    if not others:
        return 0.0
    gains = [1.5 - 6 * abs(np.log(face.edge / a.edge)) - 5 * unlike(face, a) for a in others]
    return float(np.clip(max(gains), -1.5, 1.5))


def unlike(a: Face, b: Face) -> float:
    """How differently two faces are foreshortened: log of the stretch that turns one's ellipse into the other's."""
    first, second = a.axes @ a.axes.T, b.axes @ b.axes.T
    ratio = np.linalg.eigvals(np.linalg.solve(first.astype(np.float64), second.astype(np.float64))).real
    return float(abs(np.log(max(ratio.max(), 1e-9) / max(ratio.min(), 1e-9))) / 2)
