"""Enrolled dice in a profile: ``dice/<kind>/`` beside the board's calibration.

``dice/used.json`` names the kind that was enrolled last: the one that is played with unless another is named.
``faces.json`` names the labelled pictures (PNG) with every die's box and value, and the file of what was learned from
them (``learned-....npz``), each with its checksum. Those get new names at each enrolment and are written first;
replacing ``faces.json`` is the one step that counts, so a power cut leaves the old enrolment or the new one.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.kinds import MAIN, USED, kind_folder
from companion.errors import DiceProfileError, InputError, ProfileError
from companion.files import write_atomically
from companion.vision.symbols import Labelled, SymbolModel
from companion.vision.symbols_find import CHANNELS, SHADES, WINDOW, Finder
from companion.vision.symbols_match import DISC, TURNS, Faces, Lens
from companion.vision.symbols_net import TURNS as VIEWS
from companion.vision.symbols_net import WIDTH, Prints
from companion.vision.symbols_trust import measure_trust

FORMAT = 6
_OURS = re.compile(r"(picture-[0-9a-f]{12}\.png|learned-[0-9a-f]{12}\.npz)")


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A kind of dice as a profile holds it.

    Args:
        kind: its name.
        counts: how many dice were enrolled of each face.
        die_px: the side of a die's box in the enrolled pictures, in px.
        hints: what was found wanting at the enrolment.
        model: what reads them.
    """

    kind: str
    counts: dict[int | str, int]
    die_px: float
    hints: tuple[str, ...]
    model: SymbolModel


def parse_labels(data: Any, where: str, size: tuple[int, int]) -> tuple[np.ndarray[Any, Any], tuple[int | str, ...]]:
    """Boxes (n x 4: x, y, width, height in px) and values of a labels file's content.

    Args:
        data: what the JSON file holds.
        where: its name for messages.
        size: width and height of its picture in px.

    Raises:
        InputError: it is no such object, or a box lies outside the picture; names what and where.

    >>> parse_labels({"dice": [{"value": "blue", "box": [1, 2, 30, 40]}]}, "l.json", (640, 480))[1]
    ('blue',)
    """
    dice = data.get("dice") if isinstance(data, dict) else None
    if not isinstance(dice, list) or not dice:
        raise InputError(f'{where}: must be {{"dice": [{{"value": ..., "box": [x, y, width, height]}}, ...]}}')
    boxes, values = [], []
    for k, die in enumerate(dice, 1):
        value, box = (die.get("value"), die.get("box")) if isinstance(die, dict) else (None, None)
        if not (type(value) is int or (isinstance(value, str) and 0 < len(value) <= 40)):
            raise InputError(f"{where}: die {k}: value must be a text or a whole number")
        if not (isinstance(box, list) and len(box) == 4 and all(type(v) in (int, float) for v in box)):
            raise InputError(f"{where}: die {k}: box must be [x, y, width, height] in pixels")
        x, y, w, h = (float(v) for v in box)
        if not (w >= 1 and h >= 1 and 0 <= x + w / 2 <= size[0] and 0 <= y + h / 2 <= size[1] and w + h < sum(size)):
            raise InputError(f"{where}: die {k}: the box {box} is not in the picture of {size[0]}x{size[1]} pixels")
        boxes.append((x, y, w, h))
        values.append(value)
    return np.array(boxes, np.float64), tuple(values)


def save_faces(
    profile: str | Path,
    kind: str,
    pictures: Sequence[Labelled],
    model: SymbolModel,
    die_px: float,
    hints: Sequence[str],
) -> Enrolment:
    """Write an enrolment into a profile folder, new or not; an older one of the same kind is replaced.

    Args:
        profile: the folder, created if missing; it needs no board.
        kind: the name.
        pictures: the labelled pictures.
        model: what was learned from them.
        die_px: a die's size in them.
        hints: what was found wanting.

    Raises:
        InputError: no such name is possible.
        ProfileError: the folder can't be written; names the file.
    """
    import cv2

    folder = kind_folder(profile, kind)
    files: dict[str, bytes] = {}
    shown = []
    for labelled in pictures:
        data = cv2.imencode(".png", labelled.picture)[1].tobytes()
        name = f"picture-{_digest(data)[:12]}.png"
        files[name] = data
        dice = [{"value": v, "box": b} for v, b in zip(labelled.values, labelled.boxes.tolist(), strict=True)]
        shown.append({"file": name, "sha256": _digest(data), "dice": dice})
    learned = _pack(model)
    learned_name = f"learned-{_digest(learned)[:12]}.npz"
    files[learned_name] = learned
    main = {
        "format": FORMAT,
        "kind": kind,
        "values": list(model.faces.values),
        "die_px": round(die_px, 2),
        "hints": list(hints),
        "learned": {"file": learned_name, "sha256": _digest(learned)},
        "pictures": shown,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_atomically(folder / name, data)
        write_atomically(folder / MAIN, (json.dumps(main, indent=1) + "\n").encode())
        write_atomically(folder.parent / USED, (json.dumps({"kind": kind}) + "\n").encode())
        for old in folder.iterdir():
            if _OURS.fullmatch(old.name) and old.name not in files:
                old.unlink()
    except OSError as error:
        raise ProfileError(f"{error.filename or folder}: can't be written: {error.strerror or error}") from error
    return load_faces(profile, kind)


def load_faces(profile: str | Path, kind: str) -> Enrolment:
    """The enrolment of a kind of dice.

    Raises:
        InputError: no kind can have this name.
        DiceProfileError: it is missing, broken, changed, or of another format; names the file.
    """
    folder = kind_folder(profile, kind)
    path = folder / MAIN
    again = f"run `companion calibrate dice --kind {kind}` again"
    try:
        main = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DiceProfileError(f"{path}: missing: run `companion calibrate dice --kind {kind}` first") from error
    except OSError as error:
        raise DiceProfileError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise DiceProfileError(f"{path}: not JSON: {error}") from error
    version = main.get("format") if isinstance(main, dict) else None
    if type(version) is not int or version != FORMAT:
        raise DiceProfileError(f"{path}: format {version!r} is not {FORMAT}, the one of this companion: {again}")
    try:
        counts = Counter(die["value"] for picture in main["pictures"] for die in picture["dice"])
        values = tuple(main["values"])
        name, digest = main["learned"]["file"], main["learned"]["sha256"]
        die_px, hints = float(main["die_px"]), tuple(str(h) for h in main["hints"])
        if set(values) != set(counts) or len(values) != len(counts) or not _OURS.fullmatch(name):
            raise ValueError("values")
    except (KeyError, TypeError, ValueError) as error:
        raise DiceProfileError(f"{path}: broken ({error}): {again}") from error
    learned = folder / name
    try:
        data = learned.read_bytes()
    except OSError as error:
        raise DiceProfileError(f"{learned}: {error.strerror or error}: {again}") from error
    if _digest(data) != digest:
        raise DiceProfileError(f"{learned}: changed or damaged since the enrolment: {again}")
    try:
        model = _unpack(data, values)
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise DiceProfileError(f"{learned}: broken ({error}): {again}") from error
    return Enrolment(kind, {v: counts[v] for v in values}, die_px, hints, model)


def _pack(model: SymbolModel) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(
        file,
        table=model.finder.table,
        filters=model.finder.filters,
        bias_least=np.array([model.finder.bias, model.finder.least]),
        looks=model.faces.looks,
        owner=model.faces.owner.astype(np.int32),
        die=model.faces.die.astype(np.int32),
        prints=model.prints.towards.astype(np.float16),
        lens=np.array([model.lens.x, model.lens.y, model.lens.wide, model.lens.stretched], np.float64),
        sizes=np.array(model.sizes),
        leads=model.leads,
    )
    return file.getvalue()


def _unpack(data: bytes, values: tuple[int | str, ...]) -> SymbolModel:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        a = {name: file[name] for name in file.files}
    bias, least = (float(v) for v in a["bias_least"])
    finder = Finder(a["table"].reshape(SHADES**3), a["filters"].reshape(CHANNELS, WINDOW, WINDOW), bias, least)
    looks = a["looks"].reshape(-1, 3 * len(DISC))
    owner = a["owner"].astype(np.intp).reshape(len(looks))
    if set(owner.tolist()) != set(range(len(values))) or len(looks) % TURNS:
        raise ValueError("faces without looks")
    x, y, wide, stretched = (float(v) for v in a["lens"])
    faces = Faces(looks, owner, a["die"].astype(np.intp).reshape(len(looks)), values)
    prints = Prints(a["prints"].astype(np.float32).reshape(len(faces.faces), -1, VIEWS, WIDTH), faces.faces)
    leads = a["leads"].reshape(len(prints.owner), len(values))
    lens, sizes = Lens(x, y, bool(wide), bool(stretched)), tuple(float(v) for v in a["sizes"])
    return SymbolModel(finder, faces, prints, lens, sizes, leads, measure_trust(faces, prints))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
