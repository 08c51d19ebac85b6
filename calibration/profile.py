"""The profile: a folder of readable files with what the companion must know of one table.

``profile.toml`` holds the board's calibration and names, with their checksums, a copy of the layout and the
calibration picture. Those two get new names at each calibration and are written first; replacing ``profile.toml`` is
the one step that counts. So a power cut leaves the old calibration or the new one, never a mixture. Enrolments live
in folders of their own beside it (``dice/<kind>/``, ``cards/``) and are not touched.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.geometry import Matrix, Picture, PlaneMap
from companion.errors import LayoutError, ProfileError
from companion.files import write_atomically
from companion.layout import BUILT_IN, BoardLayout, load_layout, parse_layout, same_board

FORMAT = 1
MAIN = "profile.toml"


@dataclass(frozen=True, slots=True)
class Profile:
    """A loaded calibration of the board.

    Args:
        folder: where it lies; enrolments lie beside it in folders of their own.
        layout: the board's layout.
        layout_path: its copy, a JSON file in the folder.
        plane: board mm to px of the calibration picture.
        side_at_bottom: the board side nearest the bottom edge of the calibration picture.
        error_mm: how far the printed spaces were from where the plane puts them.
        seen: share of the spaces that the calibration picture shows clearly.
        marked: whether the crosses on the start spaces confirmed the board's orientation.
        picture_path: the calibration picture, a PNG file in the folder.
    """

    folder: Path
    layout: BoardLayout
    layout_path: Path
    plane: PlaneMap
    side_at_bottom: int
    error_mm: float
    seen: float
    marked: bool
    picture_path: Path

    def picture(self) -> Picture:
        """The calibration picture: BGR h x w x 3.

        Raises:
            ProfileError: it can't be decoded or has not the size that the profile says.
        """
        import cv2

        frame = cv2.imread(str(self.picture_path), cv2.IMREAD_COLOR)
        if frame is None or (frame.shape[1], frame.shape[0]) != self.plane.size:
            raise ProfileError(f"{self.picture_path}: not the calibration picture: calibrate the board again")
        return np.asarray(frame, np.uint8)


def load_profile(folder: str | Path) -> Profile:
    """Load a profile.

    Raises:
        ProfileError: missing, broken, changed, or of another format; names the file.
    """
    folder = Path(folder)
    path = folder / MAIN
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ProfileError(f"{path}: missing: run `companion calibrate board` first") from error
    except OSError as error:
        raise ProfileError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ProfileError(f"{path}: not TOML: {error}") from error
    fields = _Fields(path, data)
    version = fields.whole("format", 1, 10**9)
    if version != FORMAT:
        kind = "an older" if version < FORMAT else "a newer"
        raise ProfileError(f"{path}: format {version} is of {kind} companion, this one reads {FORMAT}: calibrate again")
    board = _Fields(path, fields.table("board"), "board.")
    layout_path, layout_bytes = _named_file(folder, board, "layout")
    picture_path, _ = _named_file(folder, board, "picture")
    try:
        layout = parse_layout(json.loads(layout_bytes), str(layout_path))
    except (LayoutError, ValueError, RecursionError) as error:
        raise ProfileError(f"{layout_path}: {error}") from error
    width, height = (int(v) for v in board.numbers("size_px", 2, 1, 1e5))
    a, b, c, d, e, f, g, h, i = board.numbers("matrix", 9, -1e6, 1e6)
    matrix: Matrix = (a, b, c, d, e, f, g, h, i)
    plane = PlaneMap(matrix, board.numbers("lens", 1, -0.5, 0.5)[0], (width, height))
    with np.errstate(all="ignore"):
        area = float(np.linalg.det(plane.jacobian()))
    if not -1e4 < area < -1e-3:  # px a square mm, negative because mm go up and px down
        raise ProfileError(f"{path}: board.matrix: shows no board: calibrate the board again")
    marked = board.data.get("marked")
    if not isinstance(marked, bool):
        raise ProfileError(f"{path}: board.marked: must be true or false")
    return Profile(
        folder=folder,
        layout=layout,
        layout_path=layout_path,
        plane=plane,
        side_at_bottom=board.whole("side_at_bottom", 1, 3),
        error_mm=board.numbers("error_mm", 1, 0, 1e3)[0],
        seen=board.numbers("seen", 1, 0, 1)[0],
        marked=marked,
        picture_path=picture_path,
    )


def layout_name(folder: str | Path) -> str:
    """What a game's record says of the calibrated board: its built-in name, or the file of its layout.

    Without a calibration, or with a broken one, it is the built-in board.
    """
    try:
        profile = load_profile(folder)
    except ProfileError:
        return BUILT_IN[0]
    for name in BUILT_IN:
        if same_board(profile.layout, load_layout(name)):
            return name
    return str(profile.layout_path.resolve())


def save_board(
    folder: str | Path,
    layout: BoardLayout,
    plane: PlaneMap,
    picture: Picture,
    *,
    side_at_bottom: int,
    error_mm: float,
    seen: float,
    marked: bool,
) -> Profile:
    """Write a calibration of the board into a profile folder, new or not; enrolments beside it stay.

    Args:
        folder: created if missing.
        picture: the calibration picture, BGR h x w x 3, of the plane's size.

    Raises:
        ProfileError: the folder can't be written; names the file.
    """
    import cv2

    folder = Path(folder)
    layout_bytes = (json.dumps(layout_to_json(layout), indent=1) + "\n").encode()
    layout_file = f"layout-{_digest(layout_bytes)[:8]}.json"
    picture_bytes = cv2.imencode(".png", picture)[1].tobytes()
    picture_name = f"empty-{_digest(picture_bytes)[:8]}.png"
    numbers = ", ".join(repr(v) for v in plane.matrix)
    text = f"""\
# What the companion knows of this table. Written by `companion calibrate board`.
format = {FORMAT}

[board]
layout_name = {json.dumps(layout.name)}
layout = {json.dumps(layout_file)}
layout_sha256 = "{_digest(layout_bytes)}"
picture = {json.dumps(picture_name)}
picture_sha256 = "{_digest(picture_bytes)}"
size_px = [{plane.size[0]}, {plane.size[1]}]
side_at_bottom = {side_at_bottom}   # the board side nearest the picture's bottom edge
# board mm (x right, y up) to undistorted position (px from the picture's centre / half its width), row by row
matrix = [{numbers}]
lens = {plane.lens!r}
error_mm = {error_mm:.3f}
seen = {seen:.3f}
marked = {"true" if marked else "false"}
"""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / layout_file, layout_bytes)
        write_atomically(folder / picture_name, picture_bytes)
        write_atomically(folder / MAIN, text.encode())
        for old in folder.iterdir():  # pictures only: the records of games name the layout that they were played on
            if re.fullmatch(r"empty-[0-9a-f]{8}\.png", old.name) and old.name != picture_name:
                old.unlink()
    except OSError as error:
        raise ProfileError(f"{error.filename or folder}: can't be written: {error.strerror or error}") from error
    return load_profile(folder)


def layout_to_json(layout: BoardLayout) -> dict[str, Any]:
    """The JSON form of a layout, as :func:`companion.layout.parse_layout` reads it."""
    return {
        "name": layout.name,
        "unit": "mm",
        "pitch_mm": layout.pitch_mm,
        "board_diameter_mm": layout.board_diameter_mm,
        "topping_diameter_mm": layout.topping_diameter_mm,
        "toppings_per_colour": layout.toppings_per_colour,
        "colours": list(layout.colours),
        "spaces": {
            s.id: {"x_mm": s.x_mm, "y_mm": s.y_mm, "neighbours": list(s.neighbours)} for s in layout.spaces.values()
        },
        "sides": {str(s): {"angle_deg": a} for s, a in layout.side_angles_deg.items()},
        "start_spaces": {str(s): list(ids) for s, ids in layout.start_spaces.items()},
        "lines": [
            {
                "side": line.side,
                "number": line.number,
                "near_mm": list(line.near_mm),
                "far_mm": list(line.far_mm),
                "touching": list(line.touching),
            }
            for line in layout.lines
        ],
    }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _named_file(folder: Path, board: _Fields, key: str) -> tuple[Path, bytes]:
    name = board.text(key)
    if Path(name).name != name or name.startswith("."):
        raise ProfileError(f"{board.path}: board.{key}: {name!r} is not a file name")
    path = folder / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ProfileError(f"{path}: {error.strerror or error}: calibrate the board again") from error
    if _digest(data) != board.text(f"{key}_sha256"):
        raise ProfileError(f"{path}: changed or damaged since the calibration: calibrate the board again")
    return path, data


@dataclass(frozen=True, slots=True)
class _Fields:
    """Typed access to a TOML table whose errors name the file and the key."""

    path: Path
    data: Mapping[str, Any]
    prefix: str = ""

    def table(self, key: str) -> Mapping[str, Any]:
        value = self.data.get(key)
        if not isinstance(value, dict):
            raise ProfileError(f"{self.path}: the table [{self.prefix}{key}] is missing")
        return value

    def text(self, key: str) -> str:
        value = self.data.get(key)
        if not isinstance(value, str) or not value:
            raise ProfileError(f"{self.path}: {self.prefix}{key}: must be a text")
        return value

    def whole(self, key: str, low: int, high: int) -> int:
        value = self.data.get(key)
        if type(value) is not int or not low <= value <= high:
            raise ProfileError(f"{self.path}: {self.prefix}{key}: must be a whole number from {low} to {high}")
        return value

    def numbers(self, key: str, count: int, low: float, high: float) -> list[float]:
        """A list of numbers, or one number when count is 1."""
        value = self.data.get(key)
        values = [value] if count == 1 else value
        if (
            not isinstance(values, list)
            or len(values) != count
            or not all(type(v) in (int, float) and math.isfinite(v) and low <= v <= high for v in values)
        ):
            raise ProfileError(f"{self.path}: {self.prefix}{key}: must be {count} numbers from {low:g} to {high:g}")
        return [float(v) for v in values]
