"""The calibration of the table, and the game in progress."""

from __future__ import annotations

from pathlib import Path

from companion.doctor.findings import Finding, note, ok, todo
from companion.errors import CompanionError, InputError

ERROR_MM = 0.5
SCALE = 1.0
SEEN = 0.95
"""Worse than these (mm off, px a mm, share of the spaces seen) and `companion calibrate check` advises another."""


def profile(folder: Path, *, wanted: bool, dice: str = "latest") -> list[Finding]:
    """How good the calibration of this table is.

    Args:
        folder: of the profile.
        wanted: whether there is a camera that needs one.
        dice: the kind of dice that is played with, or "latest".
    """
    from calibration.faces import load_faces
    from calibration.kinds import enrolled_kinds, numbered_kind, symbol_kind
    from calibration.profile import MAIN, load_profile

    shown = folder.absolute()
    try:
        kinds = enrolled_kinds(folder)
        hints = [hint for kind in kinds for hint in load_faces(folder, kind).hints]
        played = {symbol_kind(folder, dice), numbered_kind(folder, dice)} - {None} if kinds else set()
        board = load_profile(folder) if (folder / MAIN).exists() else None
    except (CompanionError, OSError) as error:
        if isinstance(error, PermissionError):
            return [todo("profile", f"you may not read {shown}", "run it again with sudo")]
        return [todo("profile", str(error), "calibrate again: `companion calibrate --help`")]
    if board is None and not kinds:
        if not wanted:
            return [note("profile", "none, and no camera that needs one")]
        return [
            todo(
                "profile",
                f"this table is not calibrated yet ({shown} holds none)",
                "hold ok for the menu and choose to calibrate, or: companion calibrate board --help",
            )
        ]
    findings = []
    if kinds:
        says = f"dice are enrolled: {', '.join(f'{k} (played with)' if k in played else k for k in kinds)}"
        findings.append(todo("profile", f"{says}; {hints[0]}", "enrol them again") if hints else ok("profile", says))
    if board is not None:
        scale = board.plane.px_per_mm()
        says = (
            f"board {board.layout.name}, {board.error_mm:.2f} mm off, {scale:.1f} px a mm, "
            f"{board.seen:.0%} of the spaces seen"
        )
        advice = [
            text
            for bad, text in (
                (board.error_mm > ERROR_MM, "take a sharper picture of the flat board"),
                (scale < SCALE, "move the camera nearer"),
                (board.seen < SEEN, "avoid glare and shadows"),
                (not board.marked, "check which side is at the bottom"),
            )
            if bad
        ]
        findings.append(
            todo("profile", says, f"calibrate again: {', '.join(advice)}") if advice else ok("profile", says)
        )
    return findings


def game(data: Path) -> Finding:
    """The game in progress, as the journal holds it."""
    from companion.journal import NAME, read_journal

    path = data / NAME
    try:
        saved, rest = read_journal(path)
    except PermissionError:
        return note("game", f"you may not read {path.absolute()} (sudo may)")
    except (OSError, InputError) as error:
        return todo("game", f"{path}: {error}", "restart the Pi; if it stays so, copy the card to a new one")
    aside = f"; {len(rest)} damaged bytes after it are set aside at the next start" if rest else ""
    if saved is None:
        return note("game", f"none is saved{aside}")
    return ok("game", f"{saved.header.get('game', '?')}, {len(saved.events)} events{aside}")
