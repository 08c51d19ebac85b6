"""``companion calibrate``: teach the companion this table."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import InputError

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
    _register_check(kinds)


def _register_board(kinds: Subparsers) -> None:
    parser = kinds.add_parser(
        "board",
        help="find the empty board in one picture",
        description=(
            "Find the empty board in one picture and write its pose into a profile. Without points the lattice of "
            "spaces is searched; points are the pixel positions of four or more space centres."
        ),
        epilog=(
            "example: companion calibrate board empty.jpg --profile table "
            "--point a1=477,632 --point a4=399,445 --point g4=718,307 --point g1=804,485"
        ),
    )
    parser.add_argument("picture", metavar="EMPTY.jpg", help="picture of the empty board, wholly in view")
    parser.add_argument("--layout", default="hex37", metavar="NAME|FILE.json", help="board layout (default: hex37)")
    parser.add_argument("--point", action="append", default=[], metavar="a1=412,233", help="a space centre in px")
    parser.add_argument(
        "--side-at-bottom",
        type=int,
        choices=(1, 2, 3),
        metavar="1|2|3",
        help="the board side nearest the picture's bottom edge (default: 1, or as the points say)",
    )
    parser.add_argument("--profile", required=True, metavar="DIR", help="folder of the profile, made if missing")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.set_defaults(func=_board)


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
    from companion.layout import load_layout
    from companion.vision.picture import read_picture

    points = parse_points(args.point)
    layout = load_layout(args.layout)
    frame = read_picture(args.picture)
    if points:
        found = calibrate_from_points(frame, layout, points, args.side_at_bottom)
    else:
        found = calibrate_alone(frame, layout, args.side_at_bottom or 1)
    profile = save_board(
        args.profile,
        layout,
        found.plane,
        frame,
        side_at_bottom=found.side_at_bottom,
        error_mm=found.error_mm,
        seen=found.seen,
        marked=found.marked,
    )
    _say(profile, args.json)
    return 0


def _check(args: argparse.Namespace) -> int:
    from calibration.board import check
    from calibration.profile import load_profile
    from companion.vision.picture import read_picture

    profile = load_profile(args.profile)
    picture = None if args.picture is None else read_picture(args.picture)
    check(profile.picture(), profile.plane, profile.layout)
    _say(profile, args.json, None if picture is None else _table_now(profile, picture))
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


def _say(profile: Profile, as_json: bool, now: dict[str, Any] | None = None) -> None:
    """Print how good a calibration is, and what to do better; ``now`` is what a picture of the table showed."""
    scale = profile.plane.px_per_mm()
    faces = {
        path.name: len([f for f in path.iterdir() if not f.name.startswith(".")])
        for path in sorted((profile.folder / "dice").glob("*"))
        if path.is_dir()
    }
    hints = []
    if profile.error_mm > 0.5:
        hints.append("the spaces lie more than half a millimetre off: take a sharper picture of the flat board")
    if scale < 1.0:
        hints.append("the board is small in the picture: move the camera nearer")
    if profile.seen < 0.95:
        hints.append("some spaces are hard to see: avoid glare and shadows")
    if not profile.marked:
        hints.append("the crosses on the start spaces were not seen: make sure that the points' names are right")
    if now is not None:
        hints += _hints_now(now)
    result = {
        "profile": str(profile.folder),
        "layout": profile.layout.name,
        "side_at_bottom": profile.side_at_bottom,
        "error_mm": round(profile.error_mm, 3),
        "px_per_mm": round(scale, 3),
        "spaces_seen": round(profile.seen, 3),
        "start_spaces_seen": profile.marked,
        "dice_enrolled": faces,
        **({} if now is None else {"now": now}),
        "hints": hints,
    }
    if as_json:
        print(json.dumps(result))
        return
    # What a person reads goes to standard error: scripts take every line of standard output for data.
    print(
        f"{Path(profile.folder)}: board {profile.layout.name}, side {profile.side_at_bottom} at the bottom, "
        f"error {profile.error_mm:.2f} mm, {scale:.2f} px/mm, {profile.seen:.0%} of the spaces seen",
        file=sys.stderr,
    )
    if now is not None:
        turn = "unknown" if now["turn"] is None else f"{now['turn']} degrees"
        print(
            f"  now: turned {turn}, {'moved' if now['moved'] else 'in its place'}, "
            f"{now['print_found']:.0%} of the print found",
            file=sys.stderr,
        )
    for hint in hints:
        print(f"  {hint}", file=sys.stderr)


def _hints_now(now: dict[str, Any]) -> list[str]:
    hints = []
    if now["turn"] is None:
        hints.append("the print does not show how the board is turned: clear hands and things from it")
    if now["moved"]:
        hints.append("the board or the camera was moved since the calibration: it is followed, but calibrate again")
    for pair, distance in now["colour_separation"].items():
        if distance < 8:
            hints.append(f"{pair.replace('-', ' and ')} look nearly alike in this light: more or whiter light helps")
    return hints
