"""Guards the page against those who open connections and say nothing: they are cut, and others still get through."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.web import connections
from companion.web.hub import Hub
from companion.web.server import PageServer
from companion.web.whole import Files, whole_app


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    files = Files(tmp_path, tmp_path / "profile")
    server = PageServer(Hub(), lan=False, port=0, folder=None, make_app=lambda h, d, a: whole_app(h, d, files, a))
    yield int(server.address.rpartition(":")[2])
    server.close()


def opened(port: int, said: bytes = b"") -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port), timeout=10)
    line.sendall(said)
    return line


def is_cut(line: socket.socket) -> bool:
    """Whether the other side ends the connection without a word."""
    with line:
        try:
            return line.recv(100) == b""
        except ConnectionError:
            return True


def status(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_who_asks_for_nothing_is_cut(port: int, said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert status(port) == 200
    monkeypatch.setattr(connections, "HEAD_S", 0.05)
    assert is_cut(opened(port, said))


def test_a_second_request_that_dribbles_is_cut_too(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert status(port) == 200
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    line = opened(port, b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    text = b""
    while b"</svg>" not in text:
        text += line.recv(4096)
    assert text.startswith(b"HTTP/1.1 200")
    line.sendall(b"GET / HT")
    assert is_cut(line)


def test_one_machine_can_not_hold_all_connections(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert status(port) == 200
    monkeypatch.setattr(connections, "MOST_EACH", 3)
    held = [opened(port, b"GET ") for _ in range(3)]
    assert is_cut(opened(port, b"GET "))
    for line in held:
        line.close()
    for _ in range(200):  # the server hears of each closing in its own time
        try:
            assert status(port) == 200, "what was held is free again"
            return
        except (ConnectionError, http.client.HTTPException):
            continue
    pytest.fail("what was held is not free again")
