"""Calibrating the board from the phone: aim, take a picture, let it be found or drag its spaces, judge, save.

The heavy work is done on a picture that was taken, in a thread of its own: the game's loop only hears of the result.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from companion.errors import CalibrationError, CompanionError, InputError, LayoutError, ProfileError
from companion.files import write_atomically
from companion.guides import GUIDES
from companion.layout import BUILT_IN, BoardLayout, load_layout, parse_layout
from companion.screens.language import Translator, translator
from companion.screens.view import T, Text
from companion.web.app import Answer, Page, Refused, body_of, text_of, whole_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from calibration.aim import Aim
    from calibration.board import BoardCalibration
    from companion.daemon import Daemon

LAYOUTS = "layouts"  # folder of the owner's boards, beside the journal
MOST_LAYOUTS = 50
VERY_GOOD_MM, GOOD_MM = 0.2, 0.5  # the reader was measured with calibrations up to half a millimetre off

MISPLACED = T("The spaces can't lie like this: drag them again.")
UNCERTAIN = T("I am not sure how the board lies.")
ADVICE: Mapping[str | None, Text] = {
    None: T("This is good. Take the picture."),
    "dark": T("It is too dark: switch on a lamp."),
    "glare": T("A lamp is mirrored on the board: move the lamp or the camera a little."),
    "blurred": T("It is blurred: turn the lens until the lines are sharp."),
    "outside": T("The board is not wholly in the picture."),
    "small": T("The board is small: bring the camera closer."),
    "nothing": T("I don't find the board yet: show the whole empty board."),
}


@dataclass(slots=True)
class Bench:
    """What is being calibrated.

    Args:
        taken: number and picture that was taken; None before.
        found: the calibration of that picture and the layout, not yet saved.
        aim: number of the picture last looked at, and what was found.
    """

    taken: tuple[int, npt.NDArray[np.uint8]] | None = None
    found: tuple[BoardCalibration, BoardLayout] | None = None
    aim: tuple[int, str, Aim] | None = None
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)


def calibrate_routes(page: Page, data: Path, profile: Path) -> list[Route]:
    """The addresses of calibrating.

    Args:
        page: what all parts share.
        data: folder of the owner's boards.
        profile: folder of the calibration.
    """
    bench = Bench()

    def picture() -> tuple[int, npt.NDArray[np.uint8]]:
        number, frame = page.hub.frame
        if frame is None:
            raise Refused(T("The camera gives no picture."), 404)
        return number, frame

    def layout_of(name: str) -> BoardLayout:
        path = layout_files(data).get(name)
        if path is None:
            raise Refused(T("There is no such board."), 404)
        return load_layout(path)

    def taken(number: int) -> npt.NDArray[np.uint8]:
        if bench.taken is None or bench.taken[0] != number:
            raise Refused(T("Take another picture."), 409)
        return bench.taken[1]

    async def aim(request: Request) -> Response:
        from calibration.aim import look_at

        number, frame = picture()
        name = request.query_params.get("layout", BUILT_IN[0])
        layout = layout_of(name)
        async with bench.busy:
            if bench.aim is None or bench.aim[:2] != (number, name):
                bench.aim = (number, name, await run_in_threadpool(look_at, frame, layout))
            seen = bench.aim[2]
        return Answer(aim_json(seen, (frame.shape[1], frame.shape[0]), layout, translator(page.language(request))))

    async def take(request: Request) -> Response:
        data = await body_of(request)
        number, frame = picture()
        layout, size = layout_of(text_of(data, "layout")), (frame.shape[1], frame.shape[0])
        bench.taken, bench.found = (number, frame), None
        return Answer({"number": number, "size": size, "corners": first_corners(layout, side_of(data), size)})

    async def taken_picture(request: Request) -> Response:
        frame = taken(request.path_params["number"])
        return Response(await run_in_threadpool(_encode_fine, frame), media_type="image/jpeg")

    async def find(request: Request) -> Response:
        data = await body_of(request)
        frame, side = taken(whole_of(data, "number")), side_of(data)
        layout, points = layout_of(text_of(data, "layout")), _points(data.get("points"))
        words = translator(page.language(request))
        async with bench.busy:
            try:
                found = await run_in_threadpool(_find, frame, layout, points, side)
            except CompanionError as error:
                bench.found = None
                return Answer({"found": False, "why": words.translate(_why_not(error)), "detail": str(error)})
            bench.found = (found, layout)
        return Answer(found_json(found, layout, words))

    async def save(request: Request) -> Response:
        data = await body_of(request)
        frame = taken(whole_of(data, "number"))
        if bench.found is None:
            raise Refused("nothing is calibrated yet", 409)
        found, layout = bench.found
        try:
            await run_in_threadpool(_save, profile, layout, found, frame)
        except ProfileError as error:
            raise Refused(str(error), 409) from error
        if page.hub.snapshot is None or not page.hub.snapshot.guided:
            await page.done(lambda daemon, t_ms: daemon.look_anew(t_ms))
        return Answer({})

    async def layouts(request: Request) -> Response:
        names = await run_in_threadpool(layout_files, data)
        guides = [
            {"name": name, "title": translator(page.language(request)).translate(text)}
            for name, (text, _) in GUIDES.items()
        ]
        return Answer({"layouts": list(names), "guides": guides})

    async def add_layout(request: Request) -> Response:
        given = await body_of(request)
        try:
            layout = parse_layout(given, "the file")
        except LayoutError as error:
            raise Refused(str(error)) from error
        name = re.sub(r"[^a-z0-9_-]", "-", layout.name.lower())[:40] or "board"
        if name in BUILT_IN:
            name += "-2"
        try:
            await run_in_threadpool(_add_layout, data / LAYOUTS, name, given)
        except OSError as error:
            raise Refused(f"it can't be kept: {error.strerror or error}", 409) from error
        return Answer({"name": name})

    async def lead(request: Request) -> Response:
        name = text_of(await body_of(request), "name")
        if name not in GUIDES or page.hub.past_fixed:
            raise Refused(T("This can't be learned here."), 409)
        await page.done(lambda daemon, t_ms: _lead(daemon, name))
        return Answer({})

    return [
        Route("/api/aim", aim),
        Route("/api/calibrate/take", take, methods=["POST"]),
        Route("/api/calibrate/picture/{number:int}", taken_picture),
        Route("/api/calibrate/find", find, methods=["POST"]),
        Route("/api/calibrate/save", save, methods=["POST"]),
        Route("/api/layouts", layouts),
        Route("/api/layouts/add", add_layout, methods=["POST"]),
        Route("/api/guide", lead, methods=["POST"]),
    ]


def _lead(daemon: Daemon, name: str) -> None:
    if daemon.guiding:
        raise Refused(T("A calibration is on"), 409)
    daemon.arbiter.guide_wanted = name


def layout_files(data: Path) -> dict[str, str]:
    """The boards there are: name -> what :func:`companion.layout.load_layout` takes."""
    own = sorted((data / LAYOUTS).glob("*.json"))[:MOST_LAYOUTS]
    return {name: name for name in BUILT_IN} | {path.stem: str(path) for path in own}


def _add_layout(folder: Path, name: str, given: Mapping[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if len(list(folder.glob("*.json"))) >= MOST_LAYOUTS:
        raise OSError(f"there are {MOST_LAYOUTS} boards already")
    write_atomically(folder / f"{name}.json", json.dumps(given).encode())


def corner_spaces(layout: BoardLayout) -> list[str]:
    """The spaces to drag: those furthest out in six directions, each once.

    >>> corner_spaces(load_layout("hex37"))
    ['g1', 'g4', 'd7', 'a4', 'a1', 'd1']
    """
    corners = []
    for degrees in range(-30, 330, 60):
        x, y = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        corners.append(max(layout.spaces.values(), key=lambda s: round(s.x_mm * x + s.y_mm * y, 3)).id)
    return list(dict.fromkeys(corners))


def side_of(data: Mapping[str, Any]) -> int:
    """The board side nearest the picture's bottom edge, in a request.

    Raises:
        Refused: there is no such side.
    """
    side = whole_of(data, "side")
    if side not in (1, 2, 3):
        raise Refused("side: must be 1, 2 or 3")
    return side


def first_corners(layout: BoardLayout, side: int, size: tuple[int, int]) -> dict[str, list[float]]:
    """Where the spaces to drag lie at first: as of a board in the middle of the picture.

    Args:
        layout: of the board.
        side: the board side at the bottom.
        size: of the picture, px.

    Returns:
        Space -> px.
    """
    turn = math.radians(-90 - layout.side_angles_deg[side])
    scale = 0.7 * min(size) / layout.board_diameter_mm
    places = {}
    for name in corner_spaces(layout):
        space = layout.spaces[name]
        x = space.x_mm * math.cos(turn) - space.y_mm * math.sin(turn)
        y = space.x_mm * math.sin(turn) + space.y_mm * math.cos(turn)
        places[name] = [round(size[0] / 2 + x * scale, 1), round(size[1] / 2 - y * scale, 1)]
    return places


def aim_json(aim: Aim, size: tuple[int, int], layout: BoardLayout, words: Translator) -> dict[str, Any]:
    """How well the camera is aimed, in shares of the picture and in words.

    Args:
        aim: what was found.
        size: width and height of the picture, px.
        layout: of the board.
        words: the language.
    """
    import numpy as np

    sharp = round(100 / (1 + (aim.blur_px / 2) ** 2))  # as on the display
    data: dict[str, Any] = {
        "hint": aim.hint,
        "advice": words.translate(ADVICE[aim.hint]),
        "sharp": sharp,
        "size": size,
        "rim": aim.rim.round(4).tolist(),
        "fill": None,
        "tilt": None,
    }
    if aim.plane is None:
        return data
    scales = np.linalg.svd(aim.plane.jacobian(), compute_uv=False)
    diameter = layout.board_diameter_mm * aim.plane.px_per_mm()
    data["fill"] = round(100 * diameter / min(size))
    data["tilt"] = round(math.degrees(math.acos(min(1.0, float(scales[1] / scales[0])))))
    return data


def found_json(found: BoardCalibration, layout: BoardLayout, words: Translator) -> dict[str, Any]:
    """How good a calibration is, in mm and in words, and where it puts the spaces (px)."""
    judged = T("very good") if found.error_mm < VERY_GOOD_MM else T("good") if found.error_mm < GOOD_MM else T("poor")
    unseen = round((1 - found.seen) * len(layout.spaces))
    advice = []
    if found.error_mm >= GOOD_MM:
        advice.append(T("Take a sharper picture of the board lying flat."))
    if unseen:
        advice.append(T("{number} spaces are hard to see: avoid glare and shadows.", number=unseen))
    if not found.marked:
        advice.append(T("I don't see the crosses: check that the names of the spaces are right."))
    centres = found.plane.to_px([(s.x_mm, s.y_mm) for s in layout.spaces.values()])
    return {
        "found": True,
        "error_mm": round(found.error_mm, 2),
        "quality": words.translate(judged),
        "side": found.side_at_bottom,
        "advice": [words.translate(line) for line in advice],
        "spaces": {
            space: [round(x, 1), round(y, 1)] for space, (x, y) in zip(layout.spaces, centres.tolist(), strict=True)
        },
        "radius": round(layout.topping_diameter_mm / 2 * found.plane.px_per_mm(), 1),
    }


def _points(given: Any) -> dict[str, tuple[float, float]] | None:
    """Dragged points: space -> px; None when none were dragged."""
    if given is None:
        return None
    if not isinstance(given, dict) or len(given) > 100:
        raise Refused("points: must be an object")
    points = {}
    for space, place in given.items():
        good = (
            isinstance(place, list) and len(place) == 2 and all(type(v) in (int, float) and abs(v) < 1e5 for v in place)
        )
        if not good:
            raise Refused(f"points: {space[:20]}: must be two numbers")
        points[space] = (float(place[0]), float(place[1]))
    return points


def _why_not(error: CompanionError) -> Text:
    """Why nothing was found; where the display would ask for another picture, spaces are dragged here."""
    if type(error) is InputError:
        return MISPLACED
    return UNCERTAIN if error.short == CalibrationError.short else error.short


def _find(
    frame: npt.NDArray[np.uint8], layout: BoardLayout, points: dict[str, tuple[float, float]] | None, side: int
) -> BoardCalibration:
    from calibration.board import calibrate_alone, calibrate_from_points

    if points is None:
        return calibrate_alone(frame, layout, side)
    return calibrate_from_points(frame, layout, points)


def _save(profile: Path, layout: BoardLayout, found: BoardCalibration, frame: npt.NDArray[np.uint8]) -> None:
    from calibration.profile import save_board

    save_board(
        profile,
        layout,
        found.plane,
        frame,
        side_at_bottom=found.side_at_bottom,
        error_mm=found.error_mm,
        seen=found.seen,
        marked=found.marked,
    )


def _encode_fine(frame: npt.NDArray[np.uint8]) -> bytes:
    """The taken picture whole, fine enough for a loupe."""
    import cv2

    return bytes(cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes())
