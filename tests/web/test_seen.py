"""Guards what is shown: made once for all, not at all while nobody looks, and never waited for by the loop."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from companion.screens.language import translator
from companion.screens.view import View, verbatim
from companion.vision.readings import CutterReading
from companion.web import past
from companion.web.chance import fairness
from companion.web.doors import Doors, Role
from companion.web.hub import MOST_PRESSES, Hub, Snapshot
from companion.web.phone import PhoneForm, link, square
from companion.web.server import PageServer
from companion.web.state import game_json, table_json
from companion.web.stream import Crowded, Streams, encode, screen_json
from companion.web.whole import Files, open_page, whole_app
from companion.web.words import WORDS, words_of

from .conftest import Stage
from .test_acts import place, until

STATIC = Path(__file__).parents[2] / "companion" / "web" / "static"


def picture(shade: int, width: int = 320) -> Any:
    return np.full((width * 3 // 4, width, 3), shade, np.uint8)


def test_a_picture_is_encoded_once_for_all_who_look_and_never_for_nobody() -> None:
    async def look() -> tuple[int, int]:
        hub = Hub()
        streams = Streams(hub)
        for shade in range(20):
            hub.see(picture(shade))
        before = streams.encoded
        both = [streams.pictures(), streams.pictures()]
        parts = await asyncio.gather(*(anext(viewer) for viewer in both))
        assert parts[0] == parts[1] and b"image/jpeg" in parts[0]
        assert hub.ring is not None and streams.looking == 2
        for viewer in both:
            await viewer.aclose()  # type: ignore[attr-defined]
        assert hub.ring is None and streams.looking == 0
        return before, streams.encoded

    assert asyncio.run(look()) == (0, 1)


def test_a_slow_phone_gets_the_newest_picture_and_no_queue() -> None:
    async def look() -> bytes:
        hub = Hub()
        hub.see(picture(0))
        viewer = Streams(hub).pictures()
        await anext(viewer)
        for shade in (40, 80, 120):
            hub.see(picture(shade))
        part = await anext(viewer)
        await viewer.aclose()  # type: ignore[attr-defined]
        return part

    assert encode(picture(120)) in asyncio.run(look())


def test_only_so_many_may_look() -> None:
    async def look() -> None:
        hub = Hub()
        hub.see(picture(0))
        streams = Streams(hub, most=1)
        streams.admit("pictures")
        viewer = streams.pictures()
        await anext(viewer)
        with pytest.raises(Crowded):
            streams.admit("pictures")
        streams.admit("events")

    asyncio.run(look())


def test_one_device_can_not_take_all_places() -> None:
    async def look() -> None:
        hub = Hub()
        hub.see(picture(0))
        streams = Streams(hub, each=2)
        viewers = [streams.pictures("greedy") for _ in range(2)]
        for viewer in viewers:
            await anext(viewer)
        with pytest.raises(Crowded):
            streams.admit("pictures", "greedy")
        streams.admit("pictures", "another")
        await viewers[0].aclose()  # type: ignore[attr-defined]
        streams.admit("pictures", "greedy")

    asyncio.run(look())


def test_a_phone_that_is_shut_out_sees_no_more_of_what_it_was_looking_at() -> None:
    async def look() -> None:
        hub, doors = Hub(), Doors(None)
        hub.see(picture(0))
        hub.publish(Snapshot(0, "en", View("idle", title=verbatim("before"))))
        assert doors.pair(doors.code("viewer", 0.0), "10.0.0.7", "a guest", 0.0) is not None
        (guest,) = doors.devices()
        streams = Streams(hub, doors.role_of)
        pictures, events = streams.pictures(guest.id), streams.events("en", guest.id)
        await anext(pictures)
        assert [b"before" in await anext(events) for _ in range(3)] == [False, True, False]
        doors.forget(guest.id)
        hub.see(picture(9))
        after = Snapshot(1, "en", View("idle", title=verbatim("after")))
        asyncio.get_running_loop().call_later(0.4, hub.publish, after)
        for stream in (pictures, events):
            with pytest.raises(StopAsyncIteration):
                await asyncio.wait_for(anext(stream), 5)
        assert streams.looking == 0

    asyncio.run(look())


def test_who_may_only_watch_does_not_see_the_code_that_lets_in_players() -> None:
    async def look(role: Role) -> str:
        hub = Hub()
        empty, full = (Image.new("1", (128, 64), shade) for shade in (0, 1))
        screens = [empty, full, full]  # at last the display is broken: it still shows the code
        views = [View("idle"), PhoneForm("http://10.0.0.2:8037", lambda role: "482913").view(), View("idle")]
        told = ""
        for step, (screen, view) in enumerate(zip(screens, views, strict=True)):
            hub.show(screen)
            told += await read(Streams(hub, lambda who: role).events("en"))  # before it is told what the screen shows
            hub.publish(Snapshot(step, "en", view))
            told += await read(Streams(hub, lambda who: role).events("en"))
        return told

    async def read(events: Any) -> str:
        parts = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.15):
                async for part in events:
                    parts.append(part.decode())
        await events.aclose()
        return "".join(parts)

    code = json.dumps(screen_json(Image.new("1", (128, 64), 1)), separators=(",", ":"))
    watching, playing = asyncio.run(look("viewer")), asyncio.run(look("player"))
    assert "482913" in playing and code in playing
    assert "482913" not in watching and code not in watching and "event: screen" in watching
    assert "This phone may only watch." in watching


def test_those_who_come_at_the_same_moment_are_not_more_than_may_look() -> None:
    async def look() -> None:
        hub = Hub()
        hub.see(picture(0))
        streams = Streams(hub, each=2)
        for _ in range(5):
            streams.admit("pictures", "greedy")  # before any of them looks
        viewers = [streams.pictures("greedy") for _ in range(5)]
        parts = await asyncio.gather(*(anext(viewer, None) for viewer in viewers))
        assert sum(part is not None for part in parts) == 2 == streams.looking

    asyncio.run(look())


def test_large_pictures_are_made_small() -> None:
    import cv2

    shown = cv2.imdecode(np.frombuffer(encode(picture(9, 2592)), np.uint8), cv2.IMREAD_COLOR)
    assert shown.shape[1] == 960


def test_events_tell_game_table_and_screen_once_each_until_something_changes(stage: Stage) -> None:
    place(stage, "d4", "red")

    async def read(count: int) -> list[str]:
        events = Streams(stage.hub).events("de")
        texts = [(await asyncio.wait_for(anext(events), 5)).decode() for _ in range(count)]
        await events.aclose()  # type: ignore[attr-defined]
        return texts

    told = {text.split("\n")[0]: json.loads(text.split("data: ")[1]) for text in asyncio.run(read(4))[1:]}
    assert set(told) == {"event: game", "event: table", "event: screen"}
    game = told["event: game"]["game"]
    assert game["log"][0]["what"] == "PA legt rot auf d4" and game["turn"] == "PB"
    assert [mark["state"] for mark in game["drawing"]["marks"] if mark["id"] == "d4"] == ["red"]
    table = told["event: table"]
    assert {s["id"]: (s["state"], s["said"]) for s in table["spaces"]}["d4"] == ("red", True)
    assert len(table["spaces"]) == 37 and table["size"] == [320, 240]
    screen = told["event: screen"]
    assert screen["size"] == [128, 64] and len(screen["bits"]) == 4 * ((1024 + 2) // 3)


def test_a_stick_that_is_not_surely_seen_can_still_be_pointed_at(stage: Stage) -> None:
    snapshot = stage.hub.snapshot
    assert snapshot is not None and snapshot.scene is not None and snapshot.scene.reading is not None
    unsure = replace(snapshot.scene.reading, cutters=(CutterReading(2, None, None, 0.4),))
    told = table_json(replace(snapshot, scene=replace(snapshot.scene, reading=unsure)), (320, 240))
    assert [(c["side"], c["number"], c["ends"]) for c in told["cutters"]] == [(2, None, None)]
    assert {side: data["numbers"] for side, data in told["sides"].items()} == {n: [1, 2, 3, 4, 5, 6] for n in (1, 2, 3)}
    corners = [data["at"] for data in told["sides"].values()]
    spaces = [space["at"][4:] for space in told["spaces"]]
    middle = [sum(at[i] for at in spaces) / len(spaces) for i in (0, 1)]
    widest = max(math.dist(at, middle) for at in spaces)
    assert all(math.dist(at, middle) > widest for at in corners), "beside the board, where nothing else is tapped"


def test_while_a_calibration_is_led_nothing_old_is_drawn_over_the_picture(stage: Stage) -> None:
    snapshot = stage.hub.snapshot
    assert snapshot is not None
    told = table_json(replace(snapshot, guided=True), (320, 240))
    assert told["guided"] and told["spaces"] == [] and told["size"] == (320, 240)


def test_the_loop_never_waits_for_the_page(stage: Stage) -> None:
    hub = Hub()
    hub.ring = lambda: None
    start = time.perf_counter()
    for _ in range(2000):
        hub.see(picture(1))
        hub.publish(Snapshot(0, "en", View("x")))
    assert time.perf_counter() - start < 1.0, "half a millisecond a turn at most"


def test_presses_can_not_pile_up() -> None:
    hub = Hub()
    for _ in range(1000):
        hub.press("ok")
    assert len(hub.presses(5)) == MOST_PRESSES and hub.presses(6) == ()


def test_what_goes_wrong_for_the_page_does_not_stop_the_loop(stage: Stage) -> None:
    def bad(daemon: Any, t_ms: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        stage.hub.ask(bad).result(5)
    assert stage.hub.ask(lambda daemon, t_ms: t_ms).result(5) > 0


# ---- over a real socket ----


def test_a_real_server_streams_pictures_to_the_paired_and_ends_when_told(tmp_path: Path) -> None:
    hub = Hub()
    hub.see(picture(7))
    files = Files(tmp_path, tmp_path / "profile")
    server = PageServer(hub, lan=False, port=0, folder=tmp_path, make_app=lambda h, d, a: whole_app(h, d, files, a))
    try:
        host = server.address.removeprefix("http://")
        assert host.startswith("127.0.0.1:")
        connection = http.client.HTTPConnection(host, timeout=10)
        connection.request("GET", "/live.mjpg")
        assert connection.getresponse().status == 401
        connection.close()
        token = server.doors.pair(server.code(), "a", "n", time.monotonic())
        connection = http.client.HTTPConnection(host, timeout=10)
        connection.request("GET", "/live.mjpg", headers={"Cookie": f"companion={token}"})
        answer = connection.getresponse()
        assert answer.status == 200 and "multipart/x-mixed-replace" in answer.headers["content-type"]
        assert answer.read(200).startswith(b"--picture\r\nContent-Type: image/jpeg")
        answer.close()
        connection.close()
    finally:
        server.close()


def test_a_taken_port_is_no_reason_to_stop_playing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hub, files = Hub(), Files(tmp_path, tmp_path)
    first = open_page(hub, {"page": "here", "port": 18113}, files, any_port=True)
    assert first is not None
    port = int(first.address.rpartition(":")[2])
    assert open_page(hub, {"page": "here", "port": port}, files) is None
    assert "not served" in caplog.text
    first.close()
    assert open_page(hub, {"page": "off", "port": port}, files) is None


def test_the_square_code_on_the_display_leads_to_the_page_that_pairs(stage: Stage) -> None:
    from urllib.parse import urlsplit

    import cv2

    doors = Doors(None)
    form = PhoneForm("http://192.168.178.123:8037", lambda role: doors.code(role, 0.0))
    rows = square(link(form.address, doors.code("player", 0.0)))
    image = np.array([[0 if module == "1" else 255 for module in row] for row in rows], np.uint8)
    large = cv2.copyMakeBorder(image.repeat(8, 0).repeat(8, 1), 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=255)
    text = cv2.QRCodeDetector().detectAndDecode(large)[0]
    assert text == f"HTTP://192.168.178.123:8037/P/{doors.code('player', 0.0)}"
    answer = stage.client(None).get(urlsplit(text).path)
    assert answer.status_code == 200 and "/static/pair.js" in answer.text
    watch = form.press("down")
    assert isinstance(watch, PhoneForm) and watch.role == "viewer" and watch.press("back") is None
    assert form.view().big != watch.view().big


# ---- words ----


def test_every_word_of_the_page_is_in_the_catalogues_and_no_other() -> None:
    import re

    used = set()
    for path in STATIC.glob("*.js"):
        used |= set(re.findall(r'\bt\(\s*"((?:[^"\\]|\\.)*)"', path.read_text()))
    for path in STATIC.glob("*.html"):
        for found in re.findall(r'data-t(?:-label)?="([^"]+)"|\[\[(.+?)\]\]', path.read_text()):
            used.add(found[0] or found[1])
    assert {text.id for text in WORDS} == used - {"lang"}
    assert words_of("de")["{name}'s turn"] == "{name} ist dran"


def test_the_page_brings_nothing_from_elsewhere_and_runs_no_markup() -> None:
    for path in STATIC.iterdir():
        text = path.read_text()
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "") and "https://" not in text, path
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text and "eval(" not in text, path
        assert "<style" not in text and " style=" not in text and "onclick=" not in text, path


def test_what_is_missing_is_said_calmly_with_and_without_a_game(stage: Stage) -> None:
    from companion.errors import CameraError, DisplayError
    from companion.screens.language import LANGUAGES

    def said(language: str) -> list[str]:
        assert stage.hub.snapshot is not None
        return list(game_json(stage.hub.snapshot, language)["troubles"])

    def break_off(error: Exception) -> Any:
        def act(*more: Any) -> None:
            raise error

        return act

    assert said("en") == []
    stage.daemon._camera.read = break_off(CameraError("unplugged"))  # type: ignore[method-assign]
    stage.daemon._panel._display.show = break_off(DisplayError("no answer"))  # type: ignore[method-assign]
    stage.client().post("/api/press", {"button": "ok", "action": "hold"})  # something new to draw
    until(lambda: len(said("en")) == 2)
    assert "camera is missing" in said("en")[0] and "display does not answer" in said("en")[1]
    assert len({tuple(said(language)) for language in LANGUAGES}) == len(LANGUAGES)
    assert not any("unplugged" in text for text in said("en")), "the cause is for the log"
    stage.hub.ask(lambda daemon, t_ms: setattr(daemon.arbiter._book, "game", None)).result(5)
    until(lambda: stage.hub.snapshot is not None and stage.hub.snapshot.header is None)
    assert len(said("de")) == 2


def test_a_table_that_cannot_be_read_is_no_trouble_of_the_next_game(stage: Stage) -> None:
    from companion.errors import ProfileError

    def troubles() -> tuple[str, ...]:
        assert stage.hub.snapshot is not None
        return stage.hub.snapshot.troubles

    def no_dice(kind: str, layout: str | None) -> Any:
        raise ProfileError(f"no {kind} enrolled")

    pizza = stage.daemon.arbiter.game
    assert pizza is not None
    stage.daemon._watcher_for = no_dice
    dice = {"game": "wizard_dice", "players": [{"name": "PA"}, {"name": "PB"}], "first_seer": 0}
    stage.hub.ask(lambda daemon, t_ms: daemon.arbiter.begin(dice)).result(5)
    until(lambda: troubles() == ("profile",))
    stage.hub.ask(lambda daemon, t_ms: daemon.arbiter.begin(pizza.header)).result(5)
    until(lambda: troubles() == ())


# ---- past games ----


def test_past_games_are_listed_replayed_and_taken_along(stage: Stage) -> None:
    place(stage, "d4", "red")
    client = stage.client()
    client.post("/api/note", {"index": 0, "text": "=HYPERLINK(1)"})
    games = client.get("/api/games").json()
    assert [(g["id"], g["events"], g["over"]) for g in games] == [("now", 1, False)]
    assert client.get("/api/games/now/0").json()["what"] == ""
    step = client.get("/api/games/now/1?lang=fr").json()
    assert step["what"] == "PA pose rouge sur d4"
    assert [mark["state"] for mark in step["drawing"]["marks"] if mark["id"] == "d4"] == ["red"]
    assert client.get("/api/games/now/2").status_code == 404
    data = client.get("/api/games/now/export.json").json()
    assert data["events"][0]["space"] == "d4" and data["header"]["game"] == "pizza"
    table = client.get("/api/games/now/export.csv")
    assert "attachment" in table.headers["content-disposition"]
    assert "'=HYPERLINK(1)" in table.text and ",=HYPERLINK" not in table.text


@pytest.mark.parametrize("name", ["..", "game-0001", "game-1/../../x", "journal", "%2e%2e", "game-0001.jsonl"])
def test_no_file_is_read_but_a_game(stage: Stage, name: str) -> None:
    assert stage.client().get(f"/api/games/{name}/0").status_code == 404


def test_a_game_that_the_rules_no_longer_accept_is_shown_up_to_there(tmp_path: Path) -> None:
    from companion.journal import Journal

    from ..arbiter.settled import header

    journal = Journal(tmp_path)
    journal.begin(header())
    journal.append({"event": "place", "seat": "A", "space": "d4", "t_ms": 1})
    journal.append({"event": "place", "seat": "A", "space": "d4", "t_ms": 2})
    game = past.load_game(tmp_path / "journal.jsonl")
    assert len(game.events) == 1 and not game.whole


def test_dice_statistics_count_what_was_rolled(tmp_path: Path) -> None:
    from companion.journal import Journal

    from ..arbiter.settled import header

    journal = Journal(tmp_path)
    journal.begin(header(2))
    spaces = iter(("d4", "a1"))
    for seat in ("A", "B"):
        journal.append({"event": "place", "seat": seat, "space": next(spaces)})
    journal.append({"event": "neutral_roll", "value": 4})
    (die,) = past.dice_json(tmp_path, translator("en"))
    assert die["die"] == "white die" and die["rolls"] == 1 and die["faces"][3]["count"] == 1
    assert die["p"] is None and "29 more" in die["verdict"]


def test_a_loaded_die_is_found_and_a_fair_one_is_not() -> None:
    rng = np.random.default_rng(5)
    fair = [fairness(np.bincount(rng.integers(0, 6, 120), minlength=6).tolist()).p for _ in range(400)]
    assert 0.02 < float(np.mean([p < 0.05 for p in fair])) < 0.09, "one in twenty by chance"
    loaded = fairness([10, 10, 10, 10, 10, 70])
    assert loaded.p is not None and loaded.p < 1e-6


# ---- settings ----


def test_a_setting_counts_at_once_and_is_kept_with_the_files_comments(stage: Stage) -> None:
    client = stage.client()
    answer = client.post("/api/settings/set", {"section": "game", "key": "language", "value": "es"}).json()
    assert answer == {"kept": True, "restart": False}
    assert stage.daemon.arbiter.language == "es"
    assert stage.config.read_text() == '# ours\n[game]\nlanguage = "es"  # of the display\n'
    answer = client.post("/api/settings/set", {"section": "display", "key": "contrast", "value": 90}).json()
    assert answer == {"kept": True, "restart": True}
    rows = {(s["section"], s["key"]): s for s in client.get("/api/settings").json()["settings"]}
    assert rows["display", "contrast"]["value"] == 90 and rows["display", "contrast"]["restart"]
    assert rows["game", "language"]["value"] == "es"


def test_a_setting_is_kept_beside_the_games_where_the_configuration_belongs_to_somebody_else(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion import config_edit

    write = config_edit.write_atomically

    def refuse(path: Path, data: bytes) -> None:
        if path == stage.config:
            raise PermissionError(13, "not ours")
        write(path, data)

    monkeypatch.setattr(config_edit, "write_atomically", refuse)
    answer = stage.client().post("/api/settings/set", {"section": "game", "key": "language", "value": "fr"}).json()
    assert answer == {"kept": True, "restart": False}
    assert (stage.folder / "settings.toml").read_text() == '[game]\nlanguage = "fr"\n'
