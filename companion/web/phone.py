"""The screen by which a phone finds the page: a square code with the address and the pairing code in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from companion.screens.view import QrPicture, T, View, verbatim
from companion.web.doors import ROLES, Role

if TYPE_CHECKING:
    from companion.arbiter.flow import Answer
    from companion.arbiter.forms import Form
    from companion.screens.view import Button

LETS_IN = "phone"  # code of the screen
LINE = 10  # letters beside the square code


@dataclass(frozen=True, slots=True)
class PhoneForm:
    """Lets a phone in: up and down choose whether it may act or only watch, ok and back leave.

    Args:
        address: of the page, such as "http://192.168.1.20:8037".
        code: the pairing code of a role, good as long as it is shown.
        role: which is shown.
    """

    address: str
    code: Callable[[Role], str]
    role: Role = "player"

    @property
    def key(self) -> str:
        """The screen and the role."""
        return f"phone.{self.role}"

    def press(self, button: Button) -> Form | Answer | None:
        """Change the role, or leave."""
        if button in ("up", "down"):
            return replace(self, role=ROLES[1 - ROLES.index(self.role)])
        return None

    def view(self) -> View:
        """The square code, the pairing code, and the address to type."""
        code = self.code(self.role)
        if self.address.startswith("http://127."):
            return View(
                LETS_IN,
                title=T("For this machine only"),
                big=verbatim(code),
                lines=(verbatim(self.address.removeprefix("http://")), T('set page = "network"')),
                facts={"ask": "phone", "role": self.role},
            )
        host, _, port = self.address.removeprefix("http://").rpartition(":")
        lines = [host[:LINE], host[LINE:], f":{port}"]
        if len(host) > LINE and host.count(".") == 3:
            one, two, three, four = host.split(".")
            lines = [f"{one}.{two}.", f"{three}.{four}", f":{port}"]
        return View(
            LETS_IN,
            big=verbatim(code),
            lines=(
                T("to play") if self.role == "player" else T("to watch"),
                *(verbatim(line) for line in lines if line),
            ),
            picture=QrPicture(square(link(self.address, code))),
            facts={"ask": "phone", "role": self.role},
        )


def link(address: str, code: str) -> str:
    """What the square code says: the page that pairs with this code, in capitals, which make the code smaller.

    >>> link("http://192.168.1.20:8037", "482913")
    'HTTP://192.168.1.20:8037/P/482913'
    """
    return f"{address}/p/{code}".upper()


@functools.lru_cache(maxsize=4)
def square(text: str) -> tuple[str, ...]:
    """A text as a square code, without its margin."""
    import segno

    code = segno.make(text, error="l", boost_error=False, micro=False)
    return tuple("".join("1" if module else "0" for module in row) for row in code.matrix)


def samples() -> Sequence[View]:
    """One view of every screen here, for the contact sheet and the tests of texts."""
    player = PhoneForm("http://192.168.178.123:8037", lambda role: "482913")
    here = PhoneForm("http://127.0.0.1:8037", lambda role: "482913")
    return [player.view(), replace(player, role="viewer").view(), here.view()]
