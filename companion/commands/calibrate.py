"""``companion calibrate``: teach the companion this table."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import CalibrationError, InputError

if TYPE_CHECKING:
    from calibration.geometry import Picture
    from calibration.profile import Profile

Subparsers = Any
"""argparse has no public name for what ``add_subparsers`` returns."""


def register(subparsers: Subparsers) -> None:
    """Add ``calibrate`` and its own subcommands to the command line."""
    parser = subparsers.add_parser(
        "calibrate",
        help="teach the companion this table: its board, dice and cards",
        description="Teach the companion this table. The result is a profile: a folder of readable files.",
        epilog="example: companion calibrate board empty.jpg --profile table",
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="WHAT")
    _register_board(kinds)
    _register_dice(kinds)
    _register_cards(kinds)
    _register_check(kinds)


def _register_board(kinds: Subparsers) -> None:
    parser = kinds.add_parser(
        "board",
        help="find the empty board: in one picture, or led by the display",
        description=(
            "Find the empty board in one picture and write its pose into a profile. Without points the lattice of "
            "spaces is searched; points are the pixel positions of four or more space centres. Without a picture the "
            "camera, display and buttons of the configuration are used: the display leads through it."
        ),
        epilog=(
            "example: companion calibrate board empty.jpg --profile table "
            "--point a1=477,632 --point a4=399,445 --point g4=718,307 --point g1=804,485"
        ),
    )
    parser.add_argument("picture", nargs="?", metavar="EMPTY.jpg", help="picture of the empty board, wholly in view")
    parser.add_argument("--layout", default="hex37", metavar="NAME|FILE.json", help="board layout (default: hex37)")
    parser.add_argument("--point", action="append", default=[], metavar="a1=412,233", help="a space centre in px")
    parser.add_argument(
        "--side-at-bottom",
        type=int,
        choices=(1, 2, 3),
        metavar="1|2|3",
        help="the board side nearest the picture's bottom edge (default: 1, or as the points say)",
    )
    add_guided(parser)
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.set_defaults(func=_board)


def add_guided(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say where the profile is and, without pictures, which devices lead."""
    parser.add_argument(
        "--profile", metavar="DIR", help="folder of the profile, made if missing (without pictures: as configured)"
    )
    parser.add_argument("--config", type=Path, help="without pictures: TOML file that names camera, display, buttons")


def lead_on_display(args: argparse.Namespace, name: str, variety: str | None) -> int:
    """Calibrate with the devices of the configuration: camera, display and buttons.

    Args:
        args: with ``profile`` and ``config``, see :func:`add_guided`.
        name: of the guide.
        variety: which layout, kind of dice or deck; None for the usual one.

    Returns:
        0 when the profile was saved, 1 when it was left before.
    """
    from companion.commands.run import live_moments, open_devices
    from companion.config import load_config
    from companion.guides import open_guide
    from companion.guides.loop import lead
    from companion.web.hub import Hub, announced, share
    from companion.web.whole import Files, open_page

    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    config = load_config(args.config)
    profile, language = config.profile if args.profile is None else Path(args.profile), config.game["language"]
    guide = open_guide(name, profile, variety)
    hub = Hub()
    camera, display, buttons = share(*open_devices(config), hub)
    page = open_page(hub, config.web, Files(config.data, profile, config.file))
    if page is not None:
        logging.getLogger(__name__).info("also on the page: %s/p/%s", page.address, page.code())
    try:
        done = lead(guide, camera, display, buttons, announced(live_moments(), hub, language), language)
    finally:
        if page is not None:
            page.close()
        for device in (buttons, camera, display):
            device.close()
    return 0 if done == "saved" else 1


def need_profile(args: argparse.Namespace) -> str:
    """The folder to save into what is learned from pictures.

    Raises:
        InputError: it is not named.
    """
    if args.profile is None:
        raise InputError("--profile DIR is needed with pictures")
    return str(args.profile)


def _register_dice(kinds: Subparsers) -> None:
    parser = kinds.add_parser(
        "dice",
        help="enrol the faces of symbol dice: from labelled pictures, or led by the display",
        description=(
            "Enrol the faces of symbol dice from pictures in which every die is labelled: LABELS.json is "
            '{"dice": [{"value": "blue", "box": [x, y, width, height]}, ...]}, boxes in pixels around the whole '
            "visible die. Best show each face on two dice, turned differently, on the game's own table. Without "
            "pictures the camera, display and buttons of the configuration are used: the display asks for each face."
        ),
        epilog="example: companion calibrate dice --kind wizard one.jpg:one.json two.jpg:two.json --profile table",
    )
    parser.add_argument("pictures", metavar="PICTURE.jpg:LABELS.json", nargs="*", help="a picture and its labels")
    parser.add_argument("--kind", required=True, metavar="NAME", help="a name for these dice, such as wizard")
    parser.add_argument(
        "--faces",
        metavar="A,B,...",
        help="without pictures: what to ask for (default: the six of --kind wizard, else 1 to 6)",
    )
    add_guided(parser)
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.set_defaults(func=_dice)


def _register_cards(kinds: Subparsers) -> None:
    from companion.commands import calibrate_cards

    parser = calibrate_cards.register(kinds)
    add_guided(parser)
    parser.set_defaults(func=_cards)


def _register_check(kinds: Subparsers) -> None:
    parser = kinds.add_parser(
        "check",
        help="say how good a profile is and what to do better",
        description="Say how good a profile is; with a picture of the empty board also whether it still fits.",
        epilog="example: companion calibrate check --profile table now.jpg",
    )
    parser.add_argument("picture", nargs="?", metavar="IMAGE", help="a picture of the table now")
    parser.add_argument("--profile", required=True, metavar="DIR", help="folder of the profile")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.set_defaults(func=_check)


def parse_points(texts: list[str]) -> dict[str, tuple[float, float]]:
    """Points of the command line: ``a1=412,233`` each.

    Raises:
        InputError: one is not of this form, or a space is given twice.

    >>> parse_points(["a1=412,233.5"])
    {'a1': (412.0, 233.5)}
    """
    points: dict[str, tuple[float, float]] = {}
    for text in texts:
        space, _, place = text.partition("=")
        try:
            x, y = (float(v) for v in place.split(","))
        except ValueError:
            raise InputError(f"--point {text!r}: must look like a1=412,233") from None
        if space in points:
            raise InputError(f"--point {text!r}: the space {space} is given twice")
        points[space] = (x, y)
    return points


def _board(args: argparse.Namespace) -> int:
    from calibration.board import calibrate_alone, calibrate_from_points
    from calibration.profile import save_board
    from companion.commands.calibrate_say import say_board
    from companion.layout import load_layout
    from companion.picture import read_picture

    points = parse_points(args.point)
    if args.picture is None:
        if points or args.side_at_bottom or args.json:
            raise InputError("--point, --side-at-bottom and --json need a picture; without one the display leads")
        return lead_on_display(args, "board", args.layout)
    folder = need_profile(args)
    layout = load_layout(args.layout)
    frame = read_picture(args.picture)
    if points:
        found = calibrate_from_points(frame, layout, points, args.side_at_bottom)
    else:
        found = calibrate_alone(frame, layout, args.side_at_bottom or 1)
    profile = save_board(
        folder,
        layout,
        found.plane,
        frame,
        side_at_bottom=found.side_at_bottom,
        error_mm=found.error_mm,
        seen=found.seen,
        marked=found.marked,
    )
    say_board(profile, args.json)
    return 0


def _dice(args: argparse.Namespace) -> int:
    from calibration.faces import parse_labels, save_faces
    from calibration.kinds import kind_folder
    from companion.commands.calibrate_say import say_faces
    from companion.picture import read_picture
    from companion.vision.symbols import Labelled, learn
    from companion.vision.symbols_check import SMALLEST_PX, judge

    if not args.pictures:
        if args.json:
            raise InputError("--json needs pictures; without any the display leads")
        return lead_on_display(args, "dice", args.kind if args.faces is None else f"{args.kind}:{args.faces}")
    if args.faces is not None:
        raise InputError("--faces is for the display; with pictures the labels name the faces")
    folder = need_profile(args)
    kind_folder(folder, args.kind)  # a bad name is refused before any work
    pictures = []
    for pair in args.pictures:
        picture_name, colon, labels_name = pair.rpartition(":")
        if not colon or not picture_name or not labels_name:
            raise InputError(f"{pair}: must look like PICTURE.jpg:LABELS.json")
        frame = read_picture(picture_name)
        labels = read_labels(labels_name)
        pictures.append(Labelled(frame, *parse_labels(labels, labels_name, (frame.shape[1], frame.shape[0]))))
    faces = {value for p in pictures for value in p.values}
    if len(faces) < 2:
        raise CalibrationError(f"only the face {next(iter(faces))} is shown: show two or more")
    smallest = min(float(p.boxes[:, 2:].min()) for p in pictures)
    if smallest < SMALLEST_PX:
        raise CalibrationError(
            f"a die is only {smallest:.0f} px wide, {SMALLEST_PX:.0f} are needed at least: bring the camera closer"
        )
    model = learn(pictures)
    quality = judge(pictures, model)
    enrolment = save_faces(folder, args.kind, pictures, model, quality.die_px, quality.hints())
    say_faces(folder, [enrolment], args.json)
    return 0


def _cards(args: argparse.Namespace) -> int:
    from companion.commands.calibrate_cards import enrol_pictures

    if not args.pictures:
        if args.json:
            raise InputError("--json needs pictures; without one the display leads")
        return lead_on_display(args, "cards", args.size)
    return enrol_pictures(args, need_profile(args))


def read_labels(name: str) -> Any:
    """The content of a JSON file of labels.

    Raises:
        InputError: it can't be read or is not JSON; names the file.
    """
    try:
        return json.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: not JSON: {error}") from error


def _check(args: argparse.Namespace) -> int:
    from calibration.board import check
    from calibration.cards import has_cards, load_cards
    from calibration.faces import load_faces
    from calibration.kinds import enrolled_kinds
    from calibration.profile import MAIN, load_profile
    from companion.commands.calibrate_say import say_board, say_faces
    from companion.picture import read_picture

    dice = [load_faces(args.profile, kind) for kind in enrolled_kinds(args.profile)]
    cards = load_cards(args.profile) if has_cards(args.profile) else None
    if (dice or cards) and not (Path(args.profile) / MAIN).exists():  # a table for dice or cards has no board
        if args.picture is not None:
            raise InputError(f"{args.profile}: holds no board that {args.picture} could be compared with")
        say_faces(args.profile, dice, args.json, cards)
        return 0
    profile = load_profile(args.profile)
    picture = None if args.picture is None else read_picture(args.picture)
    check(profile.picture(), profile.plane, profile.layout)
    say_board(profile, args.json, None if picture is None else _table_now(profile, picture), dice, cards)
    return 0


def _table_now(profile: Profile, picture: Picture) -> dict[str, Any]:
    """How a picture of the table fits the profile: pose, and how far apart what lies on the spaces looks.

    Raises:
        CompanionError: the board can't be found in it.
    """
    from calibration.colours import colour_separation
    from companion.vision.board import BoardEyes
    from companion.vision.pose import PoseFinder

    pose = PoseFinder(profile.picture(), profile.plane, profile.layout).find(picture)
    states = BoardEyes(profile).read(picture).spaces or {}
    return {
        "turn": pose.turn,
        "moved": pose.moved,
        "pose_error_mm": round(pose.residual_mm, 3),
        "print_found": round(pose.quality, 3),
        "colour_separation": colour_separation(picture, pose.plane, profile.layout, states),
    }
