"""Enrolled cards in a profile: the folder ``cards/`` beside the board's calibration.

``cards.json`` holds the size of a card, the table's plane, and names the picture of each card (PNG) with its checksum.
The pictures get new names at each enrolment and are written first; replacing ``cards.json`` is the one step that
counts, so a power cut leaves the old enrolment or the new one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.cards_align import misplaced, moved
from calibration.geometry import PlaneMap
from companion.errors import CalibrationError, InputError, ProfileError
from companion.files import write_atomically
from companion.vision.cards import CardModel
from companion.vision.cards_deck import FACE_PX_PER_MM, Deck
from companion.vision.cards_table import F64, U8
from companion.vision.cards_whole import MOST_OFF_MM, find_laid, fit_table, good_cards, in_rows, laid_on

FORMAT = 1
MAIN = "cards.json"
AGAIN = "run `companion calibrate cards` again"
USUAL_MM = (59.0, 91.0)
"""Width and height of the cards of the game's usual editions."""
SMALLEST_PX = 55
"""Cards narrower than this in the picture are refused: their numbers are not to be read."""
MOST_LOOKS = 500
"""More pictures of cards than this are refused: no deck has them, and a small Pi has not the memory."""
ALIKE_MM2 = 2.2
"""Cards that differ by less area (at full contrast) can't be told apart surely."""
_NAME = re.compile(r"[\w.+-]{1,16}")
_OURS = re.compile(r"[A-Za-z0-9]{0,16}-[0-9a-f]{12}\.png")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A picture of cards with what each is.

    Args:
        picture: BGR uint8 h x w x 3.
        values: n names, in reading order if there are no boxes.
        boxes: n x 4, x, y, width, height in px around each, or None.
        where: the picture's name, for messages.
    """

    picture: U8
    values: tuple[str, ...]
    boxes: F64 | None = None
    where: str = "picture"


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A deck as a profile holds it.

    Args:
        model: what reads it.
        counts: how many pictures there are of each card.
        px_per_mm: scale of the pictures that it was enrolled from.
        hints: what was found wanting at the enrolment.
    """

    model: CardModel
    counts: dict[str, int]
    px_per_mm: float
    hints: tuple[str, ...]


def parse_size(text: str) -> tuple[float, float]:
    """A card's width and height in mm from a text; the shorter side is the width.

    Raises:
        InputError: it is none, or no card has such a size.

    >>> parse_size("88x63")
    (63.0, 88.0)
    """
    match = re.fullmatch(r"(\d{2,3}(?:\.\d+)?)x(\d{2,3}(?:\.\d+)?)", text)
    if match is None:
        raise InputError(f"--size {text!r}: must look like 59x91, in mm")
    short, long = sorted(float(v) for v in match.groups())
    if not (30 <= short <= 120 and 1.1 * short <= long <= 2 * short):
        raise InputError(f"--size {text!r}: 30 to 120 mm wide, and 1.1 to 2 times as high as wide")
    return short, long


def parse_labels(data: Any, where: str, size: tuple[int, int]) -> tuple[tuple[str, ...], F64 | None]:
    """Names and boxes (None if it has none) of a labels file's content.

    Args:
        data: what the JSON file holds.
        where: its name for messages.
        size: width and height of its picture in px.

    Raises:
        InputError: it is no such object, or a box lies outside the picture; names what and where.

    >>> parse_labels({"cards": [{"value": "b13"}, {"value": "W"}]}, "l.json", (640, 480))
    (('b13', 'W'), None)
    """
    cards = data.get("cards") if isinstance(data, dict) else None
    if not isinstance(cards, list) or not cards:
        raise InputError(f'{where}: must be {{"cards": [{{"value": ..., "box": [x, y, width, height]}}, ...]}}')
    values, boxes = [], []
    for k, card in enumerate(cards, 1):
        value, box = (card.get("value"), card.get("box")) if isinstance(card, dict) else (None, None)
        if not (isinstance(value, str) and _NAME.fullmatch(value)):
            raise InputError(f"{where}: card {k}: value must be a name of up to 16 letters, digits, . + - and _")
        values.append(value)
        if box is None:
            continue
        if not (isinstance(box, list) and len(box) == 4 and all(type(v) in (int, float) for v in box)):
            raise InputError(f"{where}: card {k}: box must be [x, y, width, height] in pixels")
        x, y, w, h = (float(v) for v in box)
        if not (w >= 1 and h >= 1 and 0 <= x + w / 2 <= size[0] and 0 <= y + h / 2 <= size[1] and w + h < sum(size)):
            raise InputError(f"{where}: card {k}: the box {box} is not in the picture of {size[0]}x{size[1]} pixels")
        boxes.append((x, y, w, h))
    if boxes and len(boxes) != len(values):
        raise InputError(f"{where}: either every card has a box or none")
    return tuple(values), np.array(boxes, np.float64) if boxes else None


def enrol(pictures: Sequence[Labelled], card_mm: tuple[float, float] = USUAL_MM) -> Enrolment:
    """Learn a deck from labelled pictures of whole cards, lying apart from each other.

    Args:
        pictures: one or more, best all of the camera's fixed place; the plane is that of most cards.
        card_mm: width and height of a card.

    Raises:
        CalibrationError: another number of cards is found than labelled, or they are too small; names the picture.
    """
    shown = [_whole(p, card_mm) for p in pictures]
    sizes = [(p.picture.shape[1], p.picture.shape[0]) for p in pictures]
    plane = _common_plane(shown, sizes, card_mm)
    laid: list[tuple[U8, F64]] = []
    for labelled, (quads, own), size in zip(pictures, shown, sizes, strict=True):
        here = plane if plane.size == size and _fits(plane, quads, card_mm) else own
        laid += [(labelled.picture, laid_on(here, quad, card_mm)) for quad in quads]
    values = [value for labelled in pictures for value in labelled.values]
    if len(laid) > MOST_LOOKS:
        raise CalibrationError(f"{len(laid)} pictures of cards: {MOST_LOOKS} at most")
    moves = misplaced(np.stack([face_of(picture, quad, card_mm) for picture, quad in laid]))
    faces = [
        face_of(picture, moved(quad, move, card_mm), card_mm) for (picture, quad), move in zip(laid, moves, strict=True)
    ]
    if len(set(values)) < 2:
        raise CalibrationError(f"only the card {values[0]} is shown: show two or more")
    model = CardModel(Deck(np.stack(faces), tuple(values), card_mm), plane)
    return Enrolment(model, dict(Counter(values)), plane.px_per_mm(), tuple(hints(model)))


def check_picture(labelled: Labelled, card_mm: tuple[float, float]) -> None:
    """See whether the cards of one picture can be enrolled.

    Raises:
        CalibrationError: another number of cards is found than labelled, or they are too small.
    """
    _whole(labelled, card_mm)


def face_of(picture: U8, corners: F64, card_mm: tuple[float, float]) -> U8:
    """A card's face, upright, at the scale of enrolled pictures.

    Args:
        picture: BGR h x w x 3.
        corners: 4 x 2 px, clockwise, a short side first.
        card_mm: its width and height.
    """
    import cv2

    w, h = (round(s * FACE_PX_PER_MM) for s in card_mm)
    target = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32) - np.float32(0.5)
    warp = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    return np.asarray(cv2.warpPerspective(picture, warp, (w, h), flags=cv2.INTER_LINEAR), np.uint8)


def hints(model: CardModel) -> list[str]:
    """What is wanting: cards too much alike, cards too small, light that burns out or is too dim."""
    out = [f"{a} and {b} look too much alike to be told apart surely" for a, b in alike(model.deck)]
    glare = mirroring(model.deck)
    if glare:
        out.append(f"a lamp mirrors or a shadow falls on {', '.join(glare)}: show them again in even light")
    scale = model.plane.px_per_mm()
    if scale < 1.3:
        out.append(f"the cards are small in the picture ({scale:.1f} px/mm): bring the camera nearer")
    white = np.percentile(model.deck.faces, 90, axis=(1, 2)).max(axis=1)
    if float(np.median(white)) < 90:
        out.append("the light is dim: more of it makes the reading surer")
    burnt = float(np.mean(model.deck.faces.min(axis=3) >= 254))
    if burnt > 0.35:
        out.append("the cards are burnt out: dim the lamp or move it")
    return out


def mirroring(deck: Deck) -> list[str]:
    """The cards whose light is much less even than that of most: a lamp mirrors in them, or a shadow falls on them."""
    import cv2

    light = [cv2.blur(cv2.dilate(face, np.ones((31, 31), np.uint8)).mean(axis=2), (15, 15)) for face in deck.faces]
    uneven = np.array([np.percentile(one, 97) / max(float(np.percentile(one, 8)), 1.0) for one in light])
    limit = max(1.25, 1.15 * float(np.median(uneven)))
    return sorted({deck.values[i] for i in np.flatnonzero(uneven > limit)})


def alike(deck: Deck) -> list[tuple[str, str]]:
    """Pairs of different cards whose pictures differ too little to be told apart surely."""
    sample_mm2 = deck.inner_mm[0] * deck.inner_mm[1] / deck.fine.shape[2]
    pairs = set()
    for i, value in enumerate(deck.values):  # the other half of the looks are the same cards, turned
        area_mm2 = ((deck.fine - deck.fine[i]) ** 2).mean(axis=1).sum(axis=1) * sample_mm2
        near = {deck.names[j] for j in np.flatnonzero(area_mm2 < ALIKE_MM2)} - {value}
        pairs |= {(min(value, other), max(value, other)) for other in near}
    return sorted(pairs)


def save_cards(profile: str | Path, enrolment: Enrolment) -> None:
    """Write an enrolment into a profile folder, new or not; an older one is replaced.

    Args:
        profile: the folder, created if missing; it needs no board.
        enrolment: the deck.

    Raises:
        ProfileError: the folder can't be written; names the file.
    """
    import cv2

    folder = Path(profile) / "cards"
    deck, plane = enrolment.model.deck, enrolment.model.plane
    files: dict[str, bytes] = {}
    cards = []
    for value, face in zip(deck.values, deck.faces, strict=True):
        data = cv2.imencode(".png", face)[1].tobytes()
        digest = hashlib.sha256(data).hexdigest()
        name = f"{re.sub('[^A-Za-z0-9]', '', value)}-{digest[:12]}.png"
        files[name] = data
        cards.append({"value": value, "file": name, "sha256": digest})
    main = {
        "format": FORMAT,
        "size_mm": list(deck.size_mm),
        "plane": {"matrix": list(plane.matrix), "lens": plane.lens, "size_px": list(plane.size)},
        "hints": list(enrolment.hints),
        "cards": cards,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_atomically(folder / name, data)
        write_atomically(folder / MAIN, (json.dumps(main, indent=1) + "\n").encode())
        for old in folder.iterdir():
            if _OURS.fullmatch(old.name) and old.name not in files:
                old.unlink()
    except OSError as error:
        raise ProfileError(f"{error.filename or folder}: can't be written: {error.strerror or error}") from error


def has_cards(profile: str | Path) -> bool:
    """Whether a profile holds cards, readable or not."""
    return (Path(profile) / "cards" / MAIN).exists()


def load_cards(profile: str | Path) -> Enrolment:
    """The enrolled deck.

    Raises:
        ProfileError: it is missing, broken, changed, or of another format; names the file.
    """
    folder = Path(profile) / "cards"
    path = folder / MAIN
    try:
        main = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ProfileError(f"{path}: missing: run `companion calibrate cards` first") from error
    except OSError as error:
        raise ProfileError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ProfileError(f"{path}: not JSON: {error}") from error
    version = main.get("format") if isinstance(main, dict) else None
    if type(version) is not int or version != FORMAT:
        raise ProfileError(f"{path}: format {version!r} is not {FORMAT}, the one of this companion: {AGAIN}")
    try:
        width, height = parse_size("x".join(str(float(s)) for s in main["size_mm"]))
        plane = _plane(main["plane"])
        said = tuple(str(h) for h in main["hints"])
        values = tuple(str(card["value"]) for card in main["cards"])
        names = [(str(card["file"]), str(card["sha256"])) for card in main["cards"]]
        if not 2 <= len(values) <= MOST_LOOKS or not all(_OURS.fullmatch(name) for name, _ in names):
            raise ValueError("cards")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ProfileError(f"{path}: broken ({error}): {AGAIN}") from error
    shape = (round(height * FACE_PX_PER_MM), round(width * FACE_PX_PER_MM), 3)
    faces = np.stack([_face(folder / name, digest, shape) for name, digest in names])
    model = CardModel(Deck(faces, values, (width, height)), plane)
    return Enrolment(model, dict(Counter(values)), plane.px_per_mm(), said)


def _face(path: Path, digest: str, shape: tuple[int, int, int]) -> U8:
    import cv2

    try:
        data = path.read_bytes()
    except OSError as error:
        raise ProfileError(f"{path}: {error.strerror or error}: {AGAIN}") from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise ProfileError(f"{path}: changed or damaged since the enrolment: {AGAIN}")
    face = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if face is None or face.shape != shape:
        raise ProfileError(f"{path}: not a card's picture: {AGAIN}")
    return np.asarray(face, np.uint8)


def _plane(data: Any) -> PlaneMap:
    a, b, c, d, e, f, g, h, i = (float(v) for v in data["matrix"])
    width, height = (int(v) for v in data["size_px"])
    plane = PlaneMap((a, b, c, d, e, f, g, h, i), float(data["lens"]), (width, height))
    if not (min(width, height) >= 64 and max(width, height) <= 20000 and abs(plane.lens) <= 0.5):
        raise ValueError("plane")
    with np.errstate(all="ignore"):
        scale = plane.px_per_mm()
    if not 0.1 < scale < 100:
        raise ValueError("plane")
    return plane


def _whole(labelled: Labelled, card_mm: tuple[float, float]) -> tuple[list[F64], PlaneMap]:
    """The corners of each labelled card, in the labels' order, and the plane they lie on."""
    size = (labelled.picture.shape[1], labelled.picture.shape[0])
    found = find_laid(labelled.picture, card_mm)
    quads = [] if found is None else found[0]
    if labelled.boxes is not None:
        quads = [_in_box(box, quads, value, labelled.where) for box, value in zip(
            labelled.boxes, labelled.values, strict=True)]  # fmt: skip
    good = good_cards(quads, card_mm, size)
    wanted, seen = len(labelled.values), 0 if good is None else len(good[0])
    if good is None or seen != wanted:
        raise CalibrationError(
            f"{labelled.where}: {seen} cards are seen, {wanted} are labelled: "
            "lay them apart from each other, wholly in view, on a plain cloth"
        )
    quads, plane = good
    if labelled.boxes is None:
        quads = [quads[k] for row in in_rows(quads) for k in row]
    narrow = min(float(np.hypot(*(q[1] - q[0]))) for q in quads)
    if narrow < SMALLEST_PX:
        raise CalibrationError(
            f"{labelled.where}: a card is only {narrow:.0f} px wide, {SMALLEST_PX} are needed: bring the camera closer"
        )
    return quads, plane


def _in_box(box: F64, quads: Sequence[F64], value: str, where: str) -> F64:
    """The outline that fills a box."""
    x, y, w, h = (float(v) for v in box)
    best, most = None, 0.0
    for quad in quads:
        (x0, y0), (x1, y1) = quad.min(axis=0), quad.max(axis=0)
        shared = max(0.0, min(x + w, x1) - max(x, x0)) * max(0.0, min(y + h, y1) - max(y, y0))
        share = shared / (w * h + (x1 - x0) * (y1 - y0) - shared)
        if share > most:
            best, most = quad, share
    if best is None or most < 0.5:
        raise CalibrationError(f"{where}: no card wholly in view is seen where {value} is labelled")
    return best


def _common_plane(
    shown: Sequence[tuple[list[F64], PlaneMap]], sizes: Sequence[tuple[int, int]], card_mm: tuple[float, float]
) -> PlaneMap:
    """The plane of all pictures if they are of one camera in one place, else of the one with the most cards."""
    most = max(range(len(shown)), key=lambda k: len(shown[k][0]))
    if len(shown) > 1 and len(set(sizes)) == 1:
        quads = [quad for found, _ in shown for quad in found]
        plane, off = fit_table(quads, card_mm, sizes[0])
        if off < MOST_OFF_MM:
            return plane
    return shown[most][1]


def _fits(plane: PlaneMap, quads: Sequence[F64], card_mm: tuple[float, float]) -> bool:
    return all(float(np.abs(laid_on(plane, quad, card_mm) - quad).max()) < 3.0 for quad in quads)
