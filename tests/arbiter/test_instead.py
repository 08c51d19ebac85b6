"""Guards the replacing of the last event in one step: the new one is there, or all is as it was."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from companion.arbiter.flow import Commit, Overrule
from companion.arbiter.forms import Choice
from companion.games.pizza.state import Place
from companion.journal import Journal
from companion.screens.view import verbatim

from .settled import Table, ready


def place(it: Table, which: int = 0) -> dict[str, Any]:
    """Who has the turn lays a topping on a legal space; returns the event."""
    seat = it.state.to_act
    assert seat is not None
    space = sorted(it.state.setup.board.names(it.state.legal))[which]
    it.spaces[space] = it.state.setup.player(seat).colour
    it.look()
    event = {"event": "place", "seat": seat, "space": space}
    assert it.events[-1] == event
    return event


def ask(it: Table, event: Any) -> None:
    """The players answer a question with an event in the place of the last one."""
    it.arbiter._form = Choice("mend", verbatim("really?"), ((verbatim("yes"), Commit(event, instead=True)),))
    it.press("ok")


@pytest.fixture
def played(tmp_path: Path) -> Table:
    """Two toppings lie; the last one by seat B could also lie on ``other``."""
    it = ready(tmp_path)
    place(it)
    it.other = sorted(it.state.setup.board.names(it.state.legal))[5]  # type: ignore[attr-defined]
    place(it)
    return it


def on_disk(tmp_path: Path) -> list[dict[str, Any]]:
    saved = Journal(tmp_path).saved
    assert saved is not None
    return [{k: v for k, v in e.items() if k != "t_ms"} for e in saved.events]


def test_the_last_event_is_replaced_and_the_game_goes_on_from_there(played: Table, tmp_path: Path) -> None:
    it, (first, last) = played, played.events
    other = it.other  # type: ignore[attr-defined]
    ask(it, Place(last["seat"], other))
    mended = [first, {**last, "space": other}]
    assert it.events == mended == on_disk(tmp_path)
    it.spaces[last["space"]], it.spaces[other] = "empty", it.spaces[last["space"]]
    assert it.look().code == "pizza.place" and it.problem is None
    assert [*mended, place(it)] == it.events == on_disk(tmp_path)


def test_what_the_rules_refuse_changes_nothing(played: Table, tmp_path: Path) -> None:
    it, before, events = played, played.state, played.events
    ask(it, Place(events[1]["seat"], events[0]["space"]))  # taken
    assert it.events == events == on_disk(tmp_path)
    assert it.state == before
    assert it.view.tone == "wrong"


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS])
def test_what_the_disk_refuses_changes_nothing_and_can_be_tried_again(
    played: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    it, events = played, played.events
    mend = Place(events[1]["seat"], it.other)  # type: ignore[attr-defined]

    def refuse(handle: int) -> None:
        raise OSError(error, os.strerror(error))

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse)
        ask(it, mend)
        assert it.events == events == on_disk(tmp_path)
        assert it.view.code == "not_saved"
    it.press("back")
    ask(it, mend)
    assert it.events[-1]["space"] == mend.space and on_disk(tmp_path) == it.events


def test_the_words_of_the_players_against_the_camera_stay(played: Table) -> None:
    it = played
    it.spaces["c3"] = None
    it.look()
    it.arbiter._table.words.say(Overrule({"c3": "empty"}), it.reading())
    assert it.look().facts.get("problem") is None
    ask(it, Place(it.events[-1]["seat"], it.other))  # type: ignore[attr-defined]
    it.spaces[it.other] = it.state.setup.player("B").colour  # type: ignore[attr-defined]
    assert it.arbiter._table.words.applied(it.reading()).spaces["c3"] == "empty"  # type: ignore[index]
