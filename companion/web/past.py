"""Finished games: what was played, step by step, what the dice showed, and taking it along."""

from __future__ import annotations

import csv
import functools
import io
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import RecordError
from companion.games import flow_of, rules_of
from companion.games.base import Refusal, Rules
from companion.games.page import GamePage, changeable, page_of
from companion.journal import NAME, notes_of, read_journal, read_notes
from companion.screens.language import Translator
from companion.screens.view import Text, verbatim
from companion.web.chance import fairness
from companion.web.shapes import Json, drawing_json, view_json

NOW = "now"
MOST_GAMES = 500  # shown; a family that plays every day fills them in a year
_ID = re.compile(r"game-\d{4,8}")


@dataclass(frozen=True, slots=True)
class PastGame:
    """A game on the disk, replayed as far as it can be.

    Args:
        header: of its record.
        rules, page: of the game.
        states: before the first event and after each.
        events: one fewer.
        lines: the events as they stand in the record.
        notes: number of the event -> the players' words.
        whole: whether all lines could be replayed.
        day: when it was last changed, as YYYY-MM-DD.
    """

    header: Mapping[str, Any]
    rules: Rules[Any, Any]
    page: GamePage[Any, Any]
    states: tuple[Any, ...]
    events: tuple[Any, ...]
    lines: tuple[Mapping[str, Any], ...]
    notes: Mapping[int, str]
    whole: bool
    day: str

    @property
    def players(self) -> list[str]:
        """Their names."""
        return [str(player.get("name", "")) for player in self.header.get("players", ())]

    def told(self, index: int) -> tuple[Text, ...]:
        """What an event did, and why."""
        return self.page.told(self.states[index], self.events[index], self.states[index + 1])

    def shown(self, index: int) -> Mapping[str, Any]:
        """An event's line, without what not everybody may know yet."""
        line = self.lines[index]
        if not self.page.secret(self.states[-1], self.states[index], self.events[index]):
            return line
        return {key: value for key, value in line.items() if key in ("event", "player", "t_ms")}


def game_files(data: Path) -> dict[str, Path]:
    """The games in the folder of the journal by their ids, the one being played first, then the newest ones."""
    files = {NOW: data / NAME} if (data / NAME).exists() else {}
    kept = sorted((path for path in (data / "games").glob("game-*.jsonl") if _ID.fullmatch(path.stem)), reverse=True)
    return files | {path.stem: path for path in kept[:MOST_GAMES]}


def load_game(path: Path) -> PastGame:
    """Replay a game on the disk.

    Raises:
        RecordError: it has no header that a game knows.
        OSError: it can't be read.
    """
    found = path.stat()
    notes = notes_of(path)
    return _loaded(path, found.st_mtime_ns, found.st_size, notes.stat().st_mtime_ns if notes.exists() else 0)


@functools.lru_cache(maxsize=40)
def _loaded(path: Path, changed_ns: int, size: int, noted_ns: int) -> PastGame:
    import datetime

    saved, rest = read_journal(path)
    if saved is None or not isinstance(saved.header.get("game"), str):
        raise RecordError(f"{path.name}: no game")
    rules = rules_of(saved.header["game"])
    states, events = [rules.start(saved.header)], []
    whole = not rest
    for line in saved.events:
        try:
            event = rules.parse_event(line)
            states.append(rules.apply(states[-1], event))
        except (RecordError, Refusal):
            whole = False
            break
        events.append(event)
    return PastGame(
        saved.header,
        rules,
        page_of(saved.header["game"]),
        tuple(states),
        tuple(events),
        saved.events[: len(events)],
        read_notes(notes_of(path)),
        whole,
        datetime.datetime.fromtimestamp(changed_ns / 1e9).date().isoformat(),
    )


# ---- as data for the page ----


def list_json(data: Path, words: Translator) -> list[Json]:
    """All games, the newest first; what can't be read is left out."""
    games = []
    for name, path in game_files(data).items():
        try:
            game = load_game(path)
        except (RecordError, OSError):
            continue
        games.append(
            {
                "id": name,
                "title": words.translate(_title(game)),
                "players": game.players,
                "events": len(game.events),
                "over": game.rules.is_over(game.states[-1]),
                "whole": game.whole,
                "day": game.day,
            }
        )
    return games


def _title(game: PastGame) -> Text:
    try:
        return flow_of(game.header["game"]).title
    except RecordError:
        return verbatim(str(game.header["game"]))


def step_json(game: PastGame, step: int, words: Translator) -> Json:
    """How a game stood after so many events, and what the last of them did.

    Raises:
        IndexError: it has not so many.
    """
    if not 0 <= step <= len(game.events):
        raise IndexError("no such step")
    state = game.states[step]
    drawing = game.page.drawing(state, None)
    what, *reasons = game.told(step - 1) if step else (verbatim(""),)
    try:
        standing = [view_json(view, words) for view in flow_of(game.header["game"]).standing(state)]
    except RecordError:
        standing = []
    return {
        "step": step,
        "of": len(game.events),
        "drawing": None if drawing is None else drawing_json(drawing, words),
        "what": words.translate(what),
        "reasons": [words.translate(reason) for reason in reasons],
        "note": game.notes.get(step - 1, ""),
        "editable": bool(step and changeable(game.page, game.states[-1], game.states[step - 1], game.events[step - 1])),
        "standing": standing,
    }


def dice_json(data: Path, words: Translator) -> list[Json]:
    """What each kind of dice has shown in all games, and whether it looks fair."""
    counts: dict[str, Counter[str]] = {}
    faces: dict[str, list[str]] = {}
    for path in game_files(data).values():
        try:
            game = load_game(path)
        except (RecordError, OSError):
            continue
        for before, event in zip(game.states, game.events, strict=False):
            for rolls in game.page.rolls(before, event):
                die = words.translate(rolls.die)
                names = {value: words.translate(text) for value, text in rolls.faces}
                faces.setdefault(die, list(names.values()))
                counts.setdefault(die, Counter()).update(names[value] for value in rolls.values if value in names)
    result = []
    for die, counted in counts.items():
        numbers = [counted[face] for face in faces[die]]
        found = fairness(numbers)
        result.append(
            {
                "die": die,
                "rolls": sum(numbers),
                "faces": [{"face": face, "count": n} for face, n in zip(faces[die], numbers, strict=True)],
                "chi_square": round(found.chi_square, 3),
                "degrees": len(numbers) - 1,
                "p": None if found.p is None else round(found.p, 4),
                "verdict": words.translate(found.verdict),
            }
        )
    return result


# ---- to take along ----


def export_json(game: PastGame, words: Translator) -> bytes:
    """The game as one JSON document: its record, the account and the notes."""
    events = [
        {**game.shown(i), "told": [words.translate(text) for text in game.told(i)], "note": game.notes.get(i, "")}
        for i in range(len(game.events))
    ]
    return json.dumps({"header": game.header, "events": events}, indent=1).encode()


def export_csv(game: PastGame, words: Translator) -> bytes:
    """The game as a table for a spreadsheet: UTF-8 with a mark at the start, by which they know it."""
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow(["number", "seconds", "what", "why", "note", "event"])
    for i, line in enumerate(game.lines):
        what, *reasons = (words.translate(text) for text in game.told(i))
        t_ms = line.get("t_ms")
        seconds = f"{t_ms / 1000:.1f}" if isinstance(t_ms, int) else ""
        record = json.dumps({k: v for k, v in game.shown(i).items() if k != "t_ms"})
        cells = (what, " / ".join(reasons), game.notes.get(i, ""), record)
        table.writerow([i + 1, seconds, *map(harmless, cells)])
    return "\ufeff".encode() + out.getvalue().encode()


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: names and notes are the players'.

    >>> harmless("=1+1"), harmless("Ana")
    ("'=1+1", 'Ana')
    """
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
