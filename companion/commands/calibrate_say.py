"""What ``companion calibrate`` says of a profile: for people on standard error, or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibration.cards import Enrolment as Cards
    from calibration.faces import Enrolment
    from calibration.profile import Profile

BURNT_SHARE = 0.1
"""Of the spaces: more that are burnt out at calibration are worth a hint."""


def say_faces(profile: str, dice: Sequence[Enrolment], as_json: bool, cards: Cards | None = None) -> None:
    """Print what dice and cards a profile without a board holds, or a new enrolment of dice."""
    result = {
        "profile": profile,
        "dice_enrolled": {d.kind: _faces(d) for d in dice},
        **_card_facts(cards),
        "hints": [*(hint for d in dice for hint in d.hints), *(cards.hints if cards else ())],
    }
    if as_json:
        print(json.dumps(result))
        return
    for d in dice:
        _say_enrolled(d)
    _say_cards(cards)
    for hint in result["hints"]:
        print(f"  {hint}", file=sys.stderr)


def _say_enrolled(enrolment: Enrolment) -> None:
    shown = ", ".join(f"{value} {count}" for value, count in enrolment.counts.items())
    print(
        f"{enrolment.kind} dice: {len(enrolment.counts)} faces enrolled ({shown}), {enrolment.die_px:.0f} px wide",
        file=sys.stderr,
    )


def _card_facts(cards: Cards | None) -> dict[str, Any]:
    from companion.commands.calibrate_cards import card_facts

    return {} if cards is None else {"cards_enrolled": card_facts(cards)}


def _say_cards(cards: Cards | None) -> None:
    from companion.commands.calibrate_cards import describe_cards

    if cards is not None:
        print(describe_cards(cards), file=sys.stderr)


def _faces(enrolment: Enrolment) -> dict[str, Any]:
    faces = {str(value): count for value, count in enrolment.counts.items()}
    return {"faces": faces, "die_px": round(enrolment.die_px, 1)}


def say_board(
    profile: Profile,
    as_json: bool,
    now: dict[str, Any] | None = None,
    dice: Sequence[Enrolment] = (),
    cards: Cards | None = None,
) -> None:
    """Print how good a calibration is, and what to do better; ``now`` is what a picture of the table showed."""
    from calibration.spaces import burnt_out

    scale = profile.plane.px_per_mm()
    hints = [*(hint for d in dice for hint in d.hints), *(cards.hints if cards else ())]
    if profile.error_mm > 0.5:
        hints.append("the spaces lie more than half a millimetre off: take a sharper picture of the flat board")
    if scale < 1.0:
        hints.append("the board is small in the picture: move the camera nearer")
    if profile.seen < 0.95:
        hints.append("some spaces are hard to see: avoid glare and shadows")
    burnt = int(burnt_out(profile.picture(), profile.plane, profile.layout).sum())
    if burnt > BURNT_SHARE * len(profile.layout.spaces):
        hints.append(f"{burnt} spaces are burnt out to white: dim the lamp or expose shorter, else few are read")
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
        "dice_enrolled": {d.kind: _faces(d) for d in dice},
        **_card_facts(cards),
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
    for d in dice:
        _say_enrolled(d)
    _say_cards(cards)
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
