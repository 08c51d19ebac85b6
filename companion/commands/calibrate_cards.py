"""``companion calibrate cards``: teach the companion the owner's deck."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from companion.errors import InputError

if TYPE_CHECKING:
    from calibration.cards import Enrolment


def register(kinds: Any) -> argparse.ArgumentParser:
    """Add ``cards`` to the subcommands of ``calibrate``; returns its parser, for the options of all guides."""
    parser: argparse.ArgumentParser = kinds.add_parser(
        "cards",
        help="enrol the cards of a deck: from labelled pictures, or led by the display",
        description=(
            "Enrol the cards of any deck. Each picture shows cards face up, wholly in view, apart from each other, "
            "best on a plain cloth: LABELS.json names them in reading order, row by row: "
            '{"cards": [{"value": "b13"}, ...]}; with "box": [x, y, width, height] (pixels) in each the order is free. '
            "The game knows b1 to b13, r.., y.., g.., W, J, bomb, cloud, juggler, dragon and fairy. Without pictures "
            "the camera, display and buttons of the configuration are used: the display leads through it."
        ),
        epilog="example: companion calibrate cards blue.jpg:blue.json red.jpg:red.json --size 59x91 --profile table",
    )
    parser.add_argument("pictures", metavar="PICTURE.jpg:LABELS.json", nargs="*", help="a picture and its labels")
    parser.add_argument("--size", metavar="WxH", help="of a card in mm (default: 59x91)")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    return parser


def enrol_pictures(args: argparse.Namespace, profile: str) -> int:
    """Enrol a deck from pictures and say how good it is.

    Args:
        args: ``pictures``, ``size`` and ``json``.
        profile: the folder to write.

    Raises:
        CompanionError: a picture or its labels can't be used; names it.
    """
    from calibration.cards import USUAL_MM, Labelled, enrol, parse_labels, parse_size, save_cards
    from companion.commands.calibrate import read_labels
    from companion.picture import read_picture

    card_mm = USUAL_MM if args.size is None else parse_size(args.size)
    pictures = []
    for pair in args.pictures:
        picture_name, colon, labels_name = pair.rpartition(":")
        if not colon or not picture_name or not labels_name:
            raise InputError(f"{pair}: must look like PICTURE.jpg:LABELS.json")
        frame = read_picture(picture_name)
        values, boxes = parse_labels(read_labels(labels_name), labels_name, (frame.shape[1], frame.shape[0]))
        pictures.append(Labelled(frame, values, boxes, picture_name))
    enrolment = enrol(pictures, card_mm)
    save_cards(profile, enrolment)
    say_cards(profile, enrolment, args.json)
    return 0


def card_facts(enrolment: Enrolment) -> dict[str, Any]:
    """What a profile holds of cards, as ``--json`` prints it."""
    return {
        "cards": dict(enrolment.counts),
        "size_mm": list(enrolment.model.deck.size_mm),
        "px_per_mm": round(enrolment.px_per_mm, 2),
    }


def describe_cards(enrolment: Enrolment) -> str:
    """What a profile holds of cards, one line for people."""
    w, h = enrolment.model.deck.size_mm
    looks = sum(enrolment.counts.values())
    return (
        f"{len(enrolment.counts)} different cards enrolled, {looks} pictures of {w:g} x {h:g} mm, "
        f"{enrolment.px_per_mm:.1f} px/mm: {' '.join(enrolment.counts)}"
    )


def say_cards(profile: str, enrolment: Enrolment, as_json: bool) -> None:
    """Print what a profile without a board holds of cards, and what to do better."""
    if as_json:
        said = {"profile": profile, "cards_enrolled": card_facts(enrolment), "hints": list(enrolment.hints)}
        print(json.dumps(said))
        return
    for line in (describe_cards(enrolment), *(f"  {hint}" for hint in enrolment.hints)):
        print(line, file=sys.stderr)
