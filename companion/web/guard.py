"""What stands before every request: right host, paired device, right to act, size; and the headers of every answer.

The dangers it is made against: a stranger in the Wi-Fi (pairing), another site open in a player's browser
(cookie that only travels within this site, origin check, token), a site whose name is bent to this address (host
check), a page that is made to load something foreign (content policy).
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from companion.web.doors import Device, Doors

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "companion"
LARGEST_BODY = 300_000  # bytes: the file of a board's layout; all else is a few hundred
OPEN_PATHS = frozenset({"/", "/api/pair", "/static/pair.js", "/static/style.css", "/static/icon.svg"})
OPEN_FOLDERS = ("/p/", "/P/")  # the address in the square code, there in capitals: shows the page that pairs
STREAMS = frozenset({"/live.mjpg", "/events"})  # nothing to say in a head alone, but a place to take
FOR_PLAYERS = (
    "/api/aim",
    "/api/calibrate/",
    "/api/layouts",
    "/api/settings",
    "/api/devices",
    "/api/new-game",
    "/api/event/",
)
"""What only those may ask for who can do something with it: it costs, or names the other devices."""
BODY_S = 10.0  # seconds in which a request's body must have come
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """ASGI middleware; puts ``scope["device"]`` and ``scope["token"]`` before the application.

    Args:
        app: what it guards.
        doors: who is paired.
    """

    def __init__(self, app: App, doors: Doors) -> None:
        self._app = app
        self._doors = doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refused request, or hand it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        guarded = _with_headers(send)
        refused = self._refused(scope, headers)
        if refused is not None:
            await _answer(guarded, *refused)
            return
        await self._app(scope, _limited(receive), guarded)

    def _refused(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Status and reason of a refusal, or None; also says who it is."""
        host = headers.get("host", "")
        if not is_ours(host):
            return 421, "this is not the address of the companion"
        method, path = scope["method"], scope["path"]
        if method not in ("GET", "HEAD", "POST") or (method == "HEAD" and path in STREAMS):
            return 405, "no such method"
        length = headers.get("content-length", "0")
        if not (length.isdecimal() and len(length) < 12 and int(length) <= LARGEST_BODY):
            return 413, "too large"
        token = cookie_of(headers.get("cookie", ""))
        device = self._doors.device(token)
        scope["device"], scope["token"] = device, token if device is not None else None
        if method == "POST":
            acts = self._why_not_act(path, headers, host, device, token)
            if acts is not None:
                return acts
        if device is None and path not in OPEN_PATHS and not path.startswith(OPEN_FOLDERS):
            return 401, "this device is not paired"
        if device is not None and device.role != "player" and path.startswith(FOR_PLAYERS):
            return 403, "this device may only watch"
        return None

    def _why_not_act(
        self, path: str, headers: dict[str, str], host: str, device: Device | None, token: str | None
    ) -> tuple[int, str] | None:
        if headers.get("origin") != f"http://{host}":
            return 403, "asked by another site"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403, "asked by another site"
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "must be JSON"
        if path == "/api/pair":
            return None
        if device is None or token is None:
            return 401, "this device is not paired"
        if not hmac.compare_digest(headers.get("x-csrf", "").encode(), self._doors.csrf(token).encode()):
            return 403, "the page is out of date: load it again"
        if device.role != "player" and path != "/api/leave":
            return 403, "this device may only watch"
        return None


def is_ours(host: str) -> bool:
    """Whether a Host header can be this machine's: an address, or a name that the machine bears itself.

    A site elsewhere that bends its name to this address is refused; an address can't be bent.

    >>> [is_ours(h) for h in ("127.0.0.1:8037", "192.168.1.20", "[::1]:80", "localhost:8037", "evil.example:8037", "")]
    [True, True, True, True, False, False]
    """
    name = host
    if host.startswith("["):
        name, closed, port = host[1:].partition("]")
        if not closed:
            return False
        port = port.removeprefix(":")
    else:
        name, _, port = host.partition(":")
    if port and not (port.isascii() and port.isdecimal()):
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        return name.lower() in {"localhost", own, f"{own}.local"} and name != ""
    return True


def cookie_of(header: str) -> str | None:
    """The pairing cookie in a Cookie header.

    >>> cookie_of("a=b; companion=xyz")
    'xyz'
    """
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return None if morsel is None else morsel.value


def _with_headers(send: Send) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", ())}
            more = [pair for pair in HEADERS if pair[0] not in given]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sender


def _limited(receive: Receive) -> Receive:
    """Count what comes in; a body longer than it said, without a length, or that dribbles, ends at the limit."""
    seen, whole = 0, False
    end = asyncio.get_running_loop().time() + BODY_S

    async def receiver() -> Message:
        nonlocal seen, whole
        if whole:
            return await receive()  # that the browser has gone
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if seen > LARGEST_BODY:
                return {"type": "http.disconnect"}
        return message

    return receiver


async def _answer(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
