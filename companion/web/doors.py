"""Who may see the page and who may act: pairing by a code that only the display shows, then a cookie.

Times are seconds of a monotonic clock, passed in. Codes and cookies come from the system's source of chance.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from companion.files import write_atomically

log = logging.getLogger(__name__)
Role = Literal["player", "viewer"]
ROLES: tuple[Role, ...] = ("player", "viewer")
DIGITS = 6
CODE_S = 600.0  # a code is good for so long after it was last shown
WRONG_BEFORE_NEW = 10  # then another code: a guesser starts anew
WINDOW_S = 60.0
TRIES_EACH = 5  # wrong codes an address and WINDOW_S
TRIES_ALL = 20  # wrong codes of all together: at most a chance in 50,000 a minute, in the open ten minutes 1 in 5,000
MOST_DEVICES = 50
NAME = "devices.json"


@dataclass(frozen=True, slots=True)
class Device:
    """A paired phone.

    Args:
        id: short and public, for the list of devices.
        role: what it may do.
        name: what its owner calls it, or what the browser says it is.
    """

    id: str
    role: Role
    name: str


class TooMany(Exception):  # noqa: N818 - an answer
    """Too many wrong codes; try again in ``seconds``."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many wrong codes: wait {seconds} s")
        self.seconds = seconds


class Doors:
    """Codes for those who come, cookies for those who are in.

    Args:
        folder: where paired devices are kept over a restart (as hashes of their cookies); None: they are forgotten.
        code_s: how long a code is good after it was last shown.

    >>> doors = Doors(None)
    >>> token = doors.pair(doors.code("player", 0.0), "10.0.0.7", "phone", 1.0)
    >>> doors.device(token).role
    'player'
    >>> doors.pair("000000x", "10.0.0.8", "phone", 2.0) is None
    True
    """

    def __init__(self, folder: Path | None, code_s: float = CODE_S) -> None:
        self._code_s = code_s
        self._path = None if folder is None else folder / NAME
        self._lock = threading.Lock()
        self._codes: dict[Role, tuple[str, float]] = {}
        self._wrong: deque[tuple[float, str]] = deque()
        self._wrong_since_new = 0
        self._devices: dict[str, Device] = self._load()  # by the hash of the cookie

    # ---- codes ----

    def code(self, role: Role, now: float) -> str:
        """The code to show; showing it keeps it good.

        Args:
            role: what it lets in.
            now: s.
        """
        with self._lock:
            code, good_until = self._codes.get(role, ("", 0.0))
            if not code or now > good_until:
                code = self._new_code()
            self._codes[role] = (code, now + self._code_s)
            return code

    def pair(self, code: str, address: str, name: str, now: float) -> str | None:
        """Let a device in.

        Args:
            code: what was typed; a code is used up by one device.
            address: where from.
            name: of the device, for the list.
            now: s.

        Returns:
            The cookie's value, or None when the code is wrong or no longer good.

        Raises:
            TooMany: wrong codes came too fast.
        """
        typed = "".join(c for c in code if c.isdecimal() and c.isascii())
        with self._lock:
            self._limit(address, now)
            right: Role | None = None
            for role in ROLES:
                good, until = self._codes.get(role, ("", 0.0))
                same = hmac.compare_digest(typed.encode(), good.encode())
                if same and good and now <= until and len(code) <= 4 * DIGITS:
                    right = role
            if right is None:
                self._wrong.append((now, address))
                self._wrong_since_new += 1
                if self._wrong_since_new >= WRONG_BEFORE_NEW:
                    log.warning("page: %d wrong pairing codes: here is another code", self._wrong_since_new)
                    self._codes.clear()
                    self._wrong_since_new = 0
                return None
            del self._codes[right]
            token = secrets.token_urlsafe(32)
            shown = "".join(c for c in name if c.isprintable())[:40] or "?"
            if len(self._devices) >= MOST_DEVICES:
                del self._devices[next(iter(self._devices))]
            self._devices[_hash(token)] = Device(secrets.token_hex(4), right, shown)
            self._save()
        log.info("page: %s is paired as %s", shown, right)
        return token

    def _limit(self, address: str, now: float) -> None:
        while self._wrong and now - self._wrong[0][0] > WINDOW_S:
            self._wrong.popleft()
        mine = [at for at, whose in self._wrong if whose == address]
        if len(mine) >= TRIES_EACH or len(self._wrong) >= TRIES_ALL:
            first = mine[0] if len(mine) >= TRIES_EACH else self._wrong[0][0]
            raise TooMany(max(1, round(first + WINDOW_S - now)))

    def _new_code(self) -> str:
        taken = {code for code, _ in self._codes.values()}
        while True:
            code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
            if code not in taken:
                return code

    # ---- cookies ----

    def device(self, token: str | None) -> Device | None:
        """Whose cookie this is; None when it is nobody's."""
        return self._devices.get(_hash(token)) if token else None

    def csrf(self, token: str) -> str:
        """What a device's page must send along with all that acts; other sites can't know it."""
        return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()[:32]

    def role_of(self, device_id: str) -> Role | None:
        """What a paired device may do; None when it is not paired any more."""
        return next((device.role for device in self.devices() if device.id == device_id), None)

    def devices(self) -> tuple[Device, ...]:
        """All that are paired."""
        with self._lock:
            return tuple(self._devices.values())

    def forget(self, device_id: str) -> bool:
        """Shut a device out; False when there is none of that id."""
        with self._lock:
            for key, device in self._devices.items():
                if hmac.compare_digest(device.id.encode(), device_id.encode()):
                    del self._devices[key]
                    self._save()
                    return True
        return False

    # ---- over a restart ----

    def _load(self) -> dict[str, Device]:
        if self._path is None or not self._path.exists():
            return {}
        try:
            rows = json.loads(self._path.read_text(encoding="utf-8"))
            return {row["cookie"]: _device(row) for row in rows}
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning("page: %s can't be read (%s): phones must be paired again", self._path, error)
            return {}

    def _save(self) -> None:
        if self._path is None:
            return
        rows = [{"cookie": k, "id": d.id, "role": d.role, "name": d.name} for k, d in self._devices.items()]
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, (json.dumps(rows, indent=1) + "\n").encode())
        except OSError as error:
            log.warning("page: %s can't be written (%s): phones must be paired again after a restart", NAME, error)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _device(row: Mapping[str, object]) -> Device:
    role, name, public = row["role"], row["name"], row["id"]
    if role not in ROLES or not isinstance(name, str) or not isinstance(public, str):
        raise ValueError("a device is broken")
    return Device(public, role, name)
