"""What goes out to those who look: pictures as JPEG, everything else as events; made once for all of them.

Everything here runs in the server's own event loop. Nothing is encoded or written while nobody looks.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from companion.screens.view import T, View
from companion.web.phone import LETS_IN
from companion.web.state import game_json, table_json

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.web.doors import Role
    from companion.web.hub import Hub, Snapshot

PICTURE_S = 0.14  # between two pictures, on average: seven a second of a camera's ten
STATE_S = 0.1  # between two looks at what has changed
ALIVE_S = 15.0  # a word now and then, by which a browser that has gone is noticed
WIDEST = 960  # px of the pictures sent: a phone shows 360 to 1100
QUALITY = 72
BOUNDARY = "picture"
HIDDEN = View(LETS_IN, title=T("This phone may only watch."))
"""In the place of a screen that lets a phone in, for those who may only watch."""


class Crowded(Exception):  # noqa: N818 - an answer
    """Too many look already."""


class Streams:
    """Pictures and events for all who look.

    Args:
        hub: where they come from.
        role_of: what a device may do; None: it is shut out, and what it looks at ends.
        most: how many may look at once, each of both.
        each: how many of them may be of one device, whose browser may be slow to close the one before.
    """

    def __init__(
        self, hub: Hub, role_of: Callable[[str], Role | None] = lambda who: "player", most: int = 8, each: int = 3
    ) -> None:
        self._hub = hub
        self._role_of = role_of
        self._most = most
        self._each = each
        self._news = asyncio.Event()
        self._looking: Counter[tuple[str, str]] = Counter()  # what and who -> how many
        self._jpeg: tuple[int, asyncio.Future[bytes]] | None = None
        self._told: dict[str, tuple[Any, str]] = {}
        self.encoded = 0
        """How many pictures were encoded so far."""

    @property
    def looking(self) -> int:
        """How many streams are open."""
        return self._looking.total()

    def admit(self, what: Literal["pictures", "events"], who: str = "") -> None:
        """Whether one more may look.

        Args:
            what: at the pictures, or at all else.
            who: the device.

        Raises:
            Crowded: too many look already.
        """
        if self._count(what) >= self._most or self._looking[what, who] >= self._each:
            raise Crowded

    def _count(self, what: str) -> int:
        return sum(count for (of, _), count in self._looking.items() if of == what)

    # ---- waiting for the game's loop ----

    def _ring(self) -> None:
        """Wake those who wait; called in the server's loop."""
        self._news.set()
        self._news = asyncio.Event()

    @contextlib.contextmanager
    def _look(self, what: str, who: str) -> Iterator[bool]:
        """Count one who looks; false when others were let in at the same moment and it is one too many."""
        self._looking[what, who] += 1
        loop = asyncio.get_running_loop()

        def ring() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the program ends
                loop.call_soon_threadsafe(self._ring)

        self._hub.ring = ring
        try:
            yield self._count(what) <= self._most and self._looking[what, who] <= self._each
        finally:
            self._looking[what, who] -= 1
            if not self._looking[what, who]:
                del self._looking[what, who]
            if not self.looking:
                self._hub.ring = None

    async def _next(self, limit_s: float) -> None:
        """Wait until something is new, or for a while."""
        news = self._news
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), limit_s)

    # ---- pictures ----

    async def jpeg(self) -> bytes | None:
        """The newest picture, encoded once for all who ask for it; None when there is none."""
        number, picture = self._hub.frame
        if picture is None:
            return None
        if self._jpeg is None or self._jpeg[0] != number:
            loop = asyncio.get_running_loop()
            self._jpeg = (number, asyncio.ensure_future(loop.run_in_executor(None, encode, picture)))
            self.encoded += 1
        return await asyncio.shield(self._jpeg[1])

    async def pictures(self, who: str = "") -> AsyncIterator[bytes]:
        """The parts of a multipart answer: a picture each, the newest whenever the one before has gone out.

        Args:
            who: the device that looks.
        """
        loop = asyncio.get_running_loop()
        sent, sent_at, due = 0, 0.0, 0.0
        with self._look("pictures", who) as fits:
            while fits and self._role_of(who) is not None:
                number, picture = self._hub.frame
                if picture is None or number == sent:
                    await self._next(ALIVE_S)
                    if self._hub.frame[0] == sent and loop.time() - sent_at > ALIVE_S and self._jpeg is not None:
                        sent -= 1  # the same once more
                    continue
                sent = number
                data = await self.jpeg()
                if data is None:
                    continue
                sent_at = loop.time()
                head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                yield head.encode() + data + b"\r\n"
                due = max(due, sent_at - PICTURE_S) + PICTURE_S
                await asyncio.sleep(max(0.0, due - loop.time()))

    # ---- events ----

    async def events(self, language: str, who: str = "") -> AsyncIterator[bytes]:
        """Server-sent events: ``game``, ``table`` and ``screen``, each when it has changed.

        Args:
            language: to say it in.
            who: the device that looks.
        """
        loop = asyncio.get_running_loop()
        sent: dict[str, str] = {}
        alive = loop.time()
        with self._look("events", who) as fits:
            yield b"retry: 2000\n\n"
            while fits and (role := self._role_of(who)) is not None:
                for name, text in self._tell(language, role).items():
                    if sent.get(name) != text:
                        sent[name] = text
                        alive = loop.time()
                        yield f"event: {name}\ndata: {text}\n\n".encode()
                if loop.time() - alive > ALIVE_S:
                    alive = loop.time()
                    yield b": still here\n\n"
                await asyncio.sleep(STATE_S)
                await self._next(ALIVE_S)

    def _tell(self, language: str, role: Role) -> dict[str, str]:
        """What there is to tell, worked out once for all of one language and role.

        Those who may only watch don't see the codes by which phones are let in: with one they could act.
        """
        hub = self._hub
        snapshot = hub.snapshot
        told = {}
        if snapshot is not None:
            open_to = snapshot
            if role != "player" and snapshot.view.code == LETS_IN:
                open_to = replace(snapshot, view=HIDDEN)
            key = _game_key(open_to)
            told["game"] = self._cached(f"game {language} {role}", key, lambda: game_json(open_to, language))
            picture = hub.frame[1]
            size = None if picture is None else (picture.shape[1], picture.shape[0])
            told["table"] = self._cached("table", (_table_key(snapshot), size), lambda: table_json(snapshot, size))
        screen = hub.screen if role == "player" else hub.screen_for_all
        if screen is not None:
            told["screen"] = self._cached(f"screen {role}", (screen,), lambda: screen_json(screen))
        return told

    def _cached(self, name: str, key: Any, make: Callable[[], Any]) -> str:
        old = self._told.get(name)
        if old is not None and old[0] == key:
            return old[1]
        text = json.dumps(make(), separators=(",", ":"))
        self._told[name] = (key, text)
        return text


def encode(picture: npt.NDArray[np.uint8]) -> bytes:
    """A picture (BGR uint8, h x w x 3) as JPEG, at most ``WIDEST`` px wide."""
    import cv2

    height, width = picture.shape[:2]
    if width > WIDEST:
        size = (WIDEST, round(height * WIDEST / width))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes())


def screen_json(screen: Any) -> dict[str, Any]:
    """A picture of the display: its size, and its bits row by row, the left one highest, in base 64."""
    image = screen.convert("1")
    return {"size": image.size, "bits": base64.b64encode(image.tobytes()).decode()}


# Of the same objects, as they mostly are, tuples see at once that they are equal.


def _game_key(snapshot: Snapshot) -> tuple[Any, ...]:
    scene = snapshot.scene
    spaces = scene.reading.spaces if scene is not None and scene.reading is not None else None
    return (
        snapshot.view,
        snapshot.language,
        snapshot.guided,
        snapshot.troubles,
        snapshot.header,
        None if scene is None else scene.state,
        snapshot.history,
        snapshot.notes,
        spaces,
    )


def _table_key(snapshot: Snapshot) -> tuple[Any, ...]:
    scene = snapshot.scene
    flags = None if scene is None else (scene.settled, scene.hand, scene.camera, scene.reading)
    return (snapshot.reading, snapshot.places, flags, snapshot.overruled, snapshot.guided)
