"""Guards the door: nothing is shown or done without pairing, by another site, under a foreign name, or too large."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from starlette.routing import Route

from companion.web import guard
from companion.web.guard import LARGEST_BODY, OPEN_FOLDERS, OPEN_PATHS

from .conftest import HOST, Stage


def paths(stage: Stage) -> list[tuple[str, str]]:
    """Every address of the application with its method, as the router knows them."""
    routes = [route for route in stage.app._app.routes if isinstance(route, Route)]
    filled = {"{name}": "app.js", "{code}": "123456", "{game}": "now", "{index:int}": "0", "{step:int}": "0"}
    filled |= {"{kind}": "json", "{number:int}": "1"}
    found = []
    for route in routes:
        path = route.path
        for name, value in filled.items():
            path = path.replace(name, value)
        assert "{" not in path, "a new parameter: say above what stands for it"
        found += [(method, path) for method in route.methods or () if method != "HEAD"]
    return found


def test_nothing_but_the_way_in_is_reachable_without_pairing(stage: Stage) -> None:
    client = stage.client(None)
    seen = paths(stage)
    assert len(seen) > 30
    for method, path in seen:
        answer = client.get(path) if method == "GET" else client.post(path)
        if path in OPEN_PATHS or path.startswith(OPEN_FOLDERS):
            assert answer.status_code in (200, 400, 403), path
            continue
        assert answer.status_code == 401, (method, path)
        assert answer.json() == {"error": "this device is not paired"}


def test_static_files_of_the_page_itself_need_pairing_too(stage: Stage) -> None:
    assert stage.client(None).get("/static/app.js").status_code == 401
    assert stage.client().get("/static/app.js").status_code == 200


def test_without_pairing_the_start_is_the_page_that_pairs_and_holds_no_code(stage: Stage) -> None:
    code = stage.doors.code("player", 0.0)
    for path in ("/", "/p/123456"):
        text = stage.client(None).get(path).text
        assert "pair.js" in text and code not in text


def test_a_viewer_sees_everything_and_does_nothing(stage: Stage) -> None:
    viewer = stage.client("viewer")
    for method, path in paths(stage):
        if method == "POST" and path not in ("/api/pair", "/api/leave"):
            assert viewer.post(path).status_code == 403, path
    for path in ("/api/aim", "/api/layouts", "/api/settings", "/api/devices", "/api/new-game", "/api/event/0"):
        assert viewer.get(path).status_code == 403, path
    assert viewer.get("/api/games").status_code == 200
    assert viewer.get("/api/me").json()["role"] == "viewer"
    assert viewer.get("/picture.jpg").status_code == 200
    assert viewer.post("/api/leave").status_code == 200
    assert viewer.get("/api/me").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": f"https://{HOST}"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"x_csrf": ""},
        {"x_csrf": "0" * 32},
        {"x_csrf": "é"},
    ],
)
def test_what_another_site_asks_is_refused(stage: Stage, headers: dict[str, str]) -> None:
    client = stage.client()
    raw = {"origin": f"http://{HOST}", "x-csrf": client.csrf}
    raw |= {name.replace("_", "-"): value for name, value in headers.items()}
    sent = [(k.encode(), v.encode()) for k, v in raw.items() if v]
    answer = client.http.post("/api/press", json={"button": "ok", "action": "press"}, headers=sent)
    assert answer.status_code == 403
    assert client.post("/api/press", {"button": "ok", "action": "press"}).status_code == 202


def test_a_form_of_another_site_can_send_no_json(stage: Stage) -> None:
    client = stage.client()
    headers = {"origin": f"http://{HOST}", "x-csrf": client.csrf, "content-type": "text/plain"}
    assert client.http.post("/api/undo", content=b"{}", headers=headers).status_code == 415


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8037", "127.0.0.1:80x", "", "[::1", "0x7f.1"])
def test_a_name_bent_to_this_address_is_refused(stage: Stage, host: str) -> None:
    client = stage.client()
    for path in ("/", "/api/me", "/picture.jpg", "/p/123456"):
        assert client.get(path, headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8037", "192.168.178.20:8037", "localhost:8037", "[::1]:8037"])
def test_addresses_are_let_through(stage: Stage, host: str) -> None:
    assert stage.client().get("/api/me", headers={"host": host}).status_code == 200


def test_what_is_too_large_is_refused_however_it_comes(stage: Stage) -> None:
    client = stage.client()
    assert client.post("/api/layouts/add", {"x": "y" * LARGEST_BODY}).status_code == 413
    headers = {"origin": f"http://{HOST}", "x-csrf": client.csrf, "content-type": "application/json"}

    def pieces():  # type: ignore[no-untyped-def]
        for _ in range(LARGEST_BODY // 10_000 + 2):
            yield b" " * 10_000

    assert client.http.post("/api/layouts/add", content=pieces(), headers=headers).status_code == 413
    lying = {**headers, "content-length": "-5"}
    assert client.http.post("/api/layouts/add", content=b"{}", headers=lying).status_code == 413


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(stage: Stage, method: str) -> None:
    assert stage.client().http.request(method, "/api/me").status_code == 405


@pytest.mark.parametrize("path", ["/live.mjpg", "/events"])
def test_nobody_takes_a_place_among_those_who_look_without_looking(stage: Stage, path: str) -> None:
    assert stage.client().http.head(path).status_code == 405


def test_a_body_that_never_comes_is_not_waited_for(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_S", 0.02)
    headers = [("host", HOST), ("origin", f"http://{HOST}"), ("content-type", "application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/pair", "query_string": b"", "client": ("10.0.0.9", 1)}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in headers]
    sent: list[Any] = []

    async def silence() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    async def ask() -> None:
        await asyncio.wait_for(stage.app(scope, silence, send), 5)

    asyncio.run(ask())
    assert sent[0]["status"] == 413


def test_every_answer_bears_the_strict_headers(stage: Stage) -> None:
    client = stage.client()
    for path in ("/", "/static/app.js", "/api/me", "/picture.jpg", "/nothing", "/static/nothing.js"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http:" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("name", ["..%2fapp.py", "%2e%2e%2fapp.py", "pair.html%00.js", "style.css%2f..", ".hidden.js"])
def test_no_file_outside_the_folder_is_given(stage: Stage, name: str) -> None:
    assert stage.client().get(f"/static/{name}").status_code == 404


def test_the_cookie_can_only_be_used_by_the_page(stage: Stage) -> None:
    client = stage.client(None)
    code = stage.doors.code("player", time.monotonic())
    answer = client.post("/api/pair", {"code": f"{code[:3]} {code[3:]}", "name": "phone"})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and "Path=/" in cookie
    assert client.get("/api/me").json()["role"] == "player"


def test_wrong_codes_are_refused_and_then_slowed_down(stage: Stage) -> None:
    client = stage.client(None)
    answers = [client.post("/api/pair", {"code": "000000", "name": "x"}).status_code for _ in range(7)]
    assert answers == [403] * 5 + [429] * 2
    assert client.post("/api/pair", {"code": 5, "name": "x"}).status_code == 400
    assert client.post("/api/pair", {"code": "9" * 1000, "name": "x"}).status_code == 400


def test_a_phone_that_watched_may_play_with_a_players_code_and_is_no_second_phone(stage: Stage) -> None:
    phone = stage.client("viewer")
    assert phone.post("/api/pair", {"code": "000000x", "name": "phone"}).status_code == 403
    assert [device.role for device in stage.doors.devices()] == ["viewer"], "a wrong code changes nothing"
    code = stage.doors.code("player", time.monotonic())
    assert phone.post("/api/pair", {"code": code, "name": "phone"}).status_code == 200
    assert [device.role for device in stage.doors.devices()] == ["player"]
