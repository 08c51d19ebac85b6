"""The addresses of the page: what each answers. Whoever acts has passed the guard."""

from __future__ import annotations

import asyncio
import html
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from companion.errors import CompanionError, InputError
from companion.screens.language import translator
from companion.screens.view import T, Text, verbatim
from companion.web.doors import Device, Doors, Role, TooMany
from companion.web.guard import COOKIE, Guard
from companion.web.stream import BOUNDARY, Crowded, Streams
from companion.web.words import words_of

if TYPE_CHECKING:
    from companion.web.hub import Hub, Wish

WAIT_S = 5.0  # for the game's loop; it turns twenty times a second
YEAR_S = 365 * 86400
LANGUAGES = ("en", "de", "es", "fr")
STATIC = resources.files("companion.web") / "static"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
Handler = Callable[[Request], Awaitable[Response]]


class Refused(Exception):  # noqa: N818 - an answer
    """A request that makes no sense, or can't be done now; answered with its reason.

    Args:
        reason: a text for the players, told in their language; or one for whoever writes other pages.
        status: of the answer.
    """

    def __init__(self, reason: Text | str, status: int = 400) -> None:
        super().__init__(reason if isinstance(reason, str) else reason.id)
        self.reason = verbatim(reason) if isinstance(reason, str) else reason
        self.status = status


class Page:
    """What all parts of the page share.

    Args:
        hub: where the game's loop meets it.
        doors: who is paired.

    Attributes:
        streams: pictures and events.
    """

    def __init__(self, hub: Hub, doors: Doors) -> None:
        self.hub = hub
        self.doors = doors
        self.streams = Streams(hub, doors.role_of)

    def code(self, role: Role) -> str:
        """A pairing code to show now."""
        return self.doors.code(role, time.monotonic())

    async def done(self, wish: Wish) -> Any:
        """Have the game's loop do something, and wait for it.

        Raises:
            Refused: it makes no sense, or the loop doesn't answer.
        """
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self.hub.ask(wish)), WAIT_S)
        except TimeoutError as error:
            raise Refused(T("The game does not answer."), 503) from error
        except (IndexError, InputError) as error:
            raise Refused(str(error)) from error
        except (CompanionError, OSError) as error:
            raise Refused(str(error), 409) from error

    def language(self, request: Request) -> str:
        """The language asked for, or the players' one."""
        asked = request.query_params.get("lang", "")
        if asked in LANGUAGES:
            return asked
        snapshot = self.hub.snapshot
        return "en" if snapshot is None else snapshot.language


def make_app(hub: Hub, doors: Doors, *parts: Callable[[Page], list[Route]]) -> Any:
    """The whole page as an ASGI application.

    Args:
        hub: where the game's loop meets it.
        doors: who is paired.
        parts: further addresses.
    """
    page = Page(hub, doors)

    async def refused(request: Request, error: Refused) -> Response:
        return Answer({"error": translator(page.language(request)).translate(error.reason)}, error.status)

    routes = [*_door_routes(page), *_live_routes(page)]
    for part in parts:
        routes += part(page)
    handlers: Any = {Refused: refused, ClientDisconnect: _too_large, Crowded: _crowded}
    return Guard(Starlette(routes=[*routes, Route("/static/{name}", _static)], exception_handlers=handlers), doors)


class Answer(JSONResponse):
    """JSON in ASCII: names in a record may hold half a character, which UTF-8 can't say."""

    def render(self, content: Any) -> bytes:
        """The bytes."""
        return json.dumps(content, separators=(",", ":")).encode()


async def body_of(request: Request) -> Mapping[str, Any]:
    """The JSON object that a request carries.

    Raises:
        Refused: it is none.
    """
    try:
        data = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError) as error:
        raise Refused("not JSON") from error
    if not isinstance(data, dict):
        raise Refused("not a JSON object")
    return data


def text_of(data: Mapping[str, Any], key: str, longest: int = 200) -> str:
    """A text in a request.

    Raises:
        Refused: it is missing or too long.
    """
    value = data.get(key)
    if not isinstance(value, str) or len(value) > longest or any("\ud800" <= c <= "\udfff" for c in value):
        raise Refused(f"{key}: must be a text of at most {longest} letters")
    return value


def whole_of(data: Mapping[str, Any], key: str) -> int:
    """A whole number in a request.

    Raises:
        Refused: it is missing or no whole number.
    """
    value = data.get(key)
    if type(value) is not int or abs(value) > 10**9:
        raise Refused(f"{key}: must be a whole number")
    return value


async def _too_large(request: Request, error: ClientDisconnect) -> Response:
    return Answer({"error": "too large, or too slow"}, 413)


async def _crowded(request: Request, error: Crowded) -> Response:
    return Answer({"error": "too many devices look at the table already"}, 503)


# ---- files ----


def _file(name: str) -> Response:
    path = STATIC / name
    suffix = Path(name).suffix
    if "/" in name or suffix not in TYPES or not path.is_file():
        return Answer({"error": "there is no such page"}, 404)
    return Response(path.read_bytes(), media_type=TYPES[suffix])


async def _static(request: Request) -> Response:
    return _file(request.path_params["name"])


# ---- who comes in ----


def pair_html(accepted: str) -> str:
    """The page that pairs, in the first language that a browser accepts and the companion speaks.

    >>> "seis cifras" in pair_html("es-MX,es;q=0.9"), "six digits" in pair_html("pt")
    (True, True)
    """
    codes = [part.split(";")[0].strip()[:2].lower() for part in accepted[:200].split(",")]
    language = next((code for code in codes if code in LANGUAGES), "en")
    words = {**words_of(language), "lang": language}
    text = (STATIC / "pair.html").read_text(encoding="utf-8")
    return re.sub(r"\[\[(.+?)\]\]", lambda found: html.escape(words.get(found[1], found[1])), text)


def _door_routes(page: Page) -> list[Route]:
    async def start(request: Request) -> Response:
        return _file("index.html") if request.scope["device"] is not None else await pair_page(request)

    async def pair_page(request: Request) -> Response:
        return Response(pair_html(request.headers.get("accept-language", "")), media_type="text/html")

    async def pair(request: Request) -> Response:
        data = await body_of(request)
        code, name = text_of(data, "code", 40), text_of(data, "name")
        address = request.client.host if request.client is not None else "?"
        try:
            token = page.doors.pair(code, address, name, time.monotonic())
        except TooMany as error:
            wait = {"retry-after": str(error.seconds)}
            return Answer({"error": str(error), "seconds": error.seconds}, 429, headers=wait)
        if token is None:
            return Answer({"error": "wrong code"}, 403)
        if request.scope["device"] is not None:
            page.doors.forget(request.scope["device"].id)  # the same phone, which may do something else now
        response = Answer({"paired": True})
        response.set_cookie(COOKIE, token, max_age=YEAR_S, httponly=True, samesite="strict", path="/")
        return response

    async def leave(request: Request) -> Response:
        page.doors.forget(request.scope["device"].id)
        response = Answer({})
        response.delete_cookie(COOKIE, path="/")
        return response

    async def me(request: Request) -> Response:
        device: Device = request.scope["device"]
        language = page.language(request)
        return Answer(
            {
                "role": device.role,
                "name": device.name,
                "csrf": page.doors.csrf(request.scope["token"]),
                "language": language,
                "words": words_of(language),
            }
        )

    return [
        Route("/", start),
        Route("/p/{code}", pair_page),
        Route("/P/{code}", pair_page),
        Route("/api/pair", pair, methods=["POST"]),
        Route("/api/leave", leave, methods=["POST"]),
        Route("/api/me", me),
    ]


# ---- what can be seen ----


def _live_routes(page: Page) -> list[Route]:
    async def pictures(request: Request) -> Response:
        device: Device = request.scope["device"]
        page.streams.admit("pictures", device.id)
        media_type = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
        return StreamingResponse(page.streams.pictures(device.id), media_type=media_type)

    async def events(request: Request) -> Response:
        device: Device = request.scope["device"]
        page.streams.admit("events", device.id)
        told = page.streams.events(page.language(request), device.id)
        return StreamingResponse(told, media_type="text/event-stream")

    async def picture(request: Request) -> Response:
        data = await page.streams.jpeg()
        if data is None:
            return Answer({"error": "the camera gives no picture"}, 404)
        return Response(data, media_type="image/jpeg")

    return [Route("/live.mjpg", pictures), Route("/picture.jpg", picture), Route("/events", events)]
