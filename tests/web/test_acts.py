"""Guards what is done from the phone: all of it through the arbiter, and nothing that the game does not know."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from companion.web.state import game_json

from .conftest import Stage


def until(holds: Callable[[], object]) -> None:
    """Wait for the loop, which turns in another thread."""
    end = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < end, "the loop did not come to it"
        time.sleep(0.002)


def place(stage: Stage, space: str, colour: str) -> None:
    """Say that a topping lies on a space, and wait until the game has it."""
    count = len(stage.events)
    assert stage.client().post("/api/overrule", {"kind": "space", "id": space, "value": colour}).status_code == 200
    until(lambda: stage.hub.snapshot is not None and len(stage.hub.snapshot.history) == count + 1)


def test_a_word_against_the_camera_is_judged_by_the_rules_like_a_topping(stage: Stage) -> None:
    place(stage, "d4", "red")
    assert stage.events == [{"event": "place", "seat": "A", "space": "d4"}]


def test_a_word_that_the_rules_refuse_is_no_event_but_a_problem_on_the_display(stage: Stage) -> None:
    start = stage.table.state.setup.board.layout.start_spaces[1][0]
    beside = stage.table.state.setup.board.layout.spaces[start].neighbours[0]
    stage.client().post("/api/overrule", {"kind": "space", "id": beside, "value": "red"})
    until(lambda: stage.hub.snapshot is not None and stage.hub.snapshot.view.facts.get("problem"))
    assert stage.hub.snapshot is not None
    assert stage.hub.snapshot.view.facts["problem"] == "adjacent_own_topping"
    assert stage.events == []


def test_buttons_act_as_on_the_device(stage: Stage) -> None:
    client = stage.client()
    client.post("/api/press", {"button": "ok", "action": "hold"})
    until(lambda: stage.hub.snapshot is not None and stage.hub.snapshot.view.code == "menu")
    client.post("/api/press", {"button": "back", "action": "press"})
    until(lambda: stage.hub.snapshot is not None and stage.hub.snapshot.view.code == "pizza.place")


def test_changing_the_past_goes_into_the_journal(stage: Stage) -> None:
    client = stage.client()
    place(stage, "d4", "red")
    fields = client.get("/api/event/0").json()
    assert fields[0]["path"] == ["space"] and fields[0]["value"] == "d4"
    assert client.post("/api/edit", {"index": 0, "changes": [{"path": ["space"], "value": "d5"}]}).status_code == 200
    assert stage.events[0]["space"] == "d5"
    assert '"space": "d5"' in (stage.folder / "journal.jsonl").read_text()


def test_taking_back_takes_back_until_the_table_changes(stage: Stage) -> None:
    place(stage, "d4", "red")
    assert stage.client().post("/api/undo").status_code == 200
    assert stage.events == []
    assert "d4" not in (stage.folder / "journal.jsonl").read_text()


def test_a_change_that_no_longer_fits_is_refused_with_the_reason_and_changes_nothing(stage: Stage) -> None:
    place(stage, "d4", "red")
    before = list(stage.events)
    start = stage.table.state.setup.board.layout.start_spaces[1][0]
    answer = stage.client().post("/api/edit", {"index": 0, "changes": [{"path": ["space"], "value": start}]})
    assert answer.status_code == 400, "only what is on offer can be chosen"
    assert stage.events == before


def test_notes_stand_beside_the_journal_and_go_with_their_event(stage: Stage) -> None:
    client = stage.client()
    place(stage, "d4", "red")
    assert client.post("/api/note", {"index": 0, "text": "  <b>what\na move</b> "}).status_code == 200
    snapshot = stage.hub.snapshot
    until(lambda: stage.hub.snapshot is not None and stage.hub.snapshot.notes)
    snapshot = stage.hub.snapshot
    assert snapshot is not None
    assert game_json(snapshot, "en")["game"]["log"][0]["note"] == "<b>what a move</b>"
    assert "what" not in (stage.folder / "journal.jsonl").read_text()
    client.post("/api/undo")
    assert stage.table.arbiter.notes == {}


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("/api/press", {"button": "fire", "action": "press"}),
        ("/api/press", {"button": "ok"}),
        ("/api/press", {"button": ["ok"], "action": "press"}),
        ("/api/overrule", {"kind": "space", "id": "z9", "value": "red"}),
        ("/api/overrule", {"kind": "space", "id": "a1", "value": "blue"}),
        ("/api/overrule", {"kind": "space", "id": "a1", "value": None}),
        ("/api/overrule", {"kind": "space", "id": "a1", "value": ["red"]}),
        ("/api/overrule", {"kind": "space", "value": "red"}),
        ("/api/overrule", {"kind": "cutter", "side": 1, "value": 99, "colour": "red"}),
        ("/api/overrule", {"kind": "cutter", "side": 7, "value": 1, "colour": "red"}),
        ("/api/overrule", {"kind": "cutter", "side": True, "value": 1, "colour": "red"}),
        ("/api/overrule", {"kind": "cutter", "side": 1, "value": 1, "colour": "black"}),
        ("/api/overrule", {"kind": "die", "box": [1, 2, 3], "value": 3}),
        ("/api/overrule", {"kind": "die", "box": [1, 2, 3, 4], "value": 7}),
        ("/api/overrule", {"kind": "die", "box": [1, 2, 3, 4], "value": True}),
        ("/api/overrule", {"kind": "card", "box": [1, 2, 3, 4], "value": "b13"}),
        ("/api/overrule", {"kind": "moon"}),
        ("/api/edit", {"index": 0, "changes": []}),
        ("/api/edit", {"index": -1, "changes": []}),
        ("/api/edit", {"index": 0, "changes": "all"}),
        ("/api/note", {"index": 0, "text": "no such event"}),
        ("/api/note", {"index": 0, "text": "x" * 501}),
        ("/api/settings/set", {"section": "camera", "key": "driver", "value": "none"}),
        ("/api/settings/set", {"section": "game", "key": "language", "value": "xx"}),
        ("/api/settings/set", {"section": "game", "key": "names", "value": ["x" * 30, "y"]}),
        ("/api/settings/set", {"section": "game", "key": "names", "value": ["\ud800", "y"]}),
        ("/api/settings/set", {"section": "game", "key": "names", "value": ["y", "y"]}),
        ("/api/settings/set", {"section": "game", "key": "names", "value": ["y"]}),
        ("/api/settings/set", {"section": "game", "key": "names", "value": ["a\n[web]", "y"]}),
        ("/api/note", {"index": 0, "text": "\ud800"}),
        ("/api/devices/forget", {"id": "nobody"}),
        ("/api/invite", {"role": "king"}),
        ("/api/calibrate/find", {"number": 1, "layout": "hex37", "side": 1}),
        ("/api/calibrate/take", {"layout": "../../etc/passwd", "side": 1}),
        ("/api/calibrate/save", {"number": 1}),
        ("/api/layouts/add", {"name": "x"}),
        ("/api/guide", {"name": "os"}),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line_and_changes_nothing(stage: Stage, path: str, data: Any) -> None:
    answer = stage.client().post(path, data)
    assert 400 <= answer.status_code < 500, answer.text
    assert "\n" not in answer.json()["error"]
    assert stage.events == []
    stage.daemon.arbiter.view(0)


@pytest.mark.parametrize("body", [b"", b"[]", b"nothing", b"\xff", b"[" * 10_000, b'{"a": NaN', b"1e999"])
def test_what_is_no_json_object_is_refused(stage: Stage, body: bytes) -> None:
    client = stage.client()
    headers = {"origin": "http://127.0.0.1:8037", "x-csrf": client.csrf, "content-type": "application/json"}
    assert client.http.post("/api/overrule", content=body, headers=headers).status_code == 400


def test_the_demos_players_are_spared_what_they_cant_follow(stage: Stage) -> None:
    place(stage, "d4", "red")
    stage.hub.past_fixed = True
    for path, data in (("/api/undo", {}), ("/api/edit", {"index": 0, "changes": []}), ("/api/new-game", {})):
        assert stage.client().post(path, data).status_code == 409
    assert len(stage.events) == 1
    assert "Vorführung" in stage.client().post("/api/undo?lang=de").json()["error"], "said in the phone's language"


def test_a_game_without_a_camera_is_played_by_tapping_the_drawing(stage: Stage) -> None:
    def blind(daemon: Any, t_ms: int) -> None:
        daemon._look = lambda t_ms: daemon.arbiter.lose_sight(t_ms, "no camera", daemon.arbiter.view(t_ms).title)

    stage.hub.ask(blind).result(5)
    until(lambda: stage.table.arbiter.scene(0).reading is None)
    place(stage, "d4", "red")
    assert stage.events == [{"event": "place", "seat": "A", "space": "d4"}]


def test_nothing_is_taken_back_or_begun_behind_a_calibration(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    player = stage.client()
    place(stage, "d4", "red")
    before = list(stage.events)
    assert before
    monkeypatch.setattr(type(stage.daemon), "guiding", property(lambda daemon: True))
    for path, data in (("/api/undo", {}), ("/api/guide", {"name": "dice"})):
        answer = player.post(path, data)
        assert (answer.status_code, answer.json()["error"]) == (409, "A calibration is on")
    assert stage.events == before and stage.daemon.arbiter.guide_wanted is None
