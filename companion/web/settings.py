"""What can be set from the phone: at once where it can be, else at the next start; and which phones are paired."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from companion.arbiter.flow import Command
from companion.arbiter.menus import LANGUAGES
from companion.config import RULES, SET_BY_PHONE, load_config
from companion.config_edit import save_value
from companion.errors import ConfigError
from companion.screens.language import Translator, translator
from companion.screens.view import T, Text, verbatim
from companion.web.app import Answer, Page, Refused, body_of, text_of
from companion.web.doors import ROLES
from companion.web.new_game import TWICE
from companion.web.phone import link, square

if TYPE_CHECKING:
    from companion.daemon import Daemon

Kind = Literal["choice", "names", "range"]
LONGEST_NAME = 20


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing to set.

    Args:
        section, key: where it stands in the configuration.
        label: what it is.
        kind: how it is chosen.
        options: of a choice: value and name.
        apply: sets it at once; None: it needs a restart.
        hint: one more sentence.
        range: least and most, of a range.
    """

    section: str
    key: str
    label: Text
    kind: Kind
    options: tuple[tuple[Any, Text], ...] = ()
    apply: Callable[[Daemon, int, Any], None] | None = None
    hint: Text | None = None
    range: tuple[int, int] = (0, 0)


def _language(daemon: Daemon, t_ms: int, value: str) -> None:
    daemon.arbiter.answer(Command("language", value), t_ms)


def _confirm(daemon: Daemon, t_ms: int, value: Any) -> None:
    daemon.arbiter.settle(confirm=value)


def _names(daemon: Daemon, t_ms: int, value: list[str]) -> None:
    daemon.arbiter.settle(names=value)


def _sound(daemon: Daemon, t_ms: int, value: bool) -> None:
    daemon.arbiter.answer(Command("sound", "on" if value else "off"), t_ms)


SETTINGS = (
    Setting(
        "game",
        "language",
        T("Language of the display"),
        "choice",
        tuple((code, verbatim(name)) for code, name in LANGUAGES.items()),
        _language,
    ),
    Setting("game", "names", T("Names to choose from"), "names", (), _names, T("For the next game; one name a line.")),
    Setting(
        "game",
        "confirm",
        T("Cuts, bids and rolls"),
        "choice",
        (("always", T("always ask for ok")), ("unsure", T("ask only when unsure"))),
        _confirm,
    ),
    Setting("signals", "sound", T("Sound"), "choice", ((True, T("on")), (False, T("off"))), _sound),
    Setting("display", "contrast", T("Brightness of the display"), "range", range=(0, 255)),
    Setting(
        "display",
        "rotate",
        T("Display mounted"),
        "choice",
        ((0, T("upright")), (2, T("upside down")), (1, T("turned right")), (3, T("turned left"))),
    ),
    Setting(
        "camera",
        "rotation",
        T("Camera mounted"),
        "choice",
        ((0, T("upright")), (180, T("upside down")), (90, T("turned right")), (270, T("turned left"))),
    ),
    Setting(
        "web",
        "page",
        T("Who may open this page"),
        "choice",
        (("here", T("only this machine")), ("network", T("paired phones in the network")), ("off", T("nobody"))),
    ),
)


def settings_routes(page: Page, config: Path | None, data_folder: Path, address: Callable[[], str]) -> list[Route]:
    """The addresses of the settings.

    Args:
        page: what all parts share.
        config: the file of the configuration; None: what is set lasts until the end only.
        data_folder: of the journal.
        address: where a browser finds the page.
    """
    changed: dict[tuple[str, str], Any] = {}  # since the start, where there is no file or it can't be written

    def values() -> dict[str, Mapping[str, Any]]:
        try:
            loaded = load_config(config)
        except ConfigError:
            loaded = load_config(None)
        return {name: getattr(loaded, name) for name in {setting.section for setting in SETTINGS}}

    async def show(request: Request) -> Response:
        words = translator(page.language(request))
        current = await run_in_threadpool(values)
        if page.hub.snapshot is not None:
            changed["game", "language"] = page.hub.snapshot.language
        rows = [setting_json(s, changed.get((s.section, s.key), current[s.section][s.key]), words) for s in SETTINGS]
        return Answer({"settings": rows, "kept": config is not None})

    async def change(request: Request) -> Response:
        data = await body_of(request)
        section, key = text_of(data, "section"), text_of(data, "key")
        value: Any = data.get("value")
        setting = next((s for s in SETTINGS if (s.section, s.key) == (section, key)), None)
        if setting is None:
            raise Refused("there is no such setting or value")
        if not RULES[section][key][0](value):
            few = setting.kind == "names" and isinstance(value, list)
            raise Refused(T("Write 2 to 50 names, one a line.") if few else "there is no such setting or value")
        if setting.kind == "names" and any(len(name) > LONGEST_NAME for name in value):
            raise Refused(T("A name has at most {count} letters.", count=LONGEST_NAME))
        if setting.kind == "names" and not all(name.isprintable() for name in value):
            raise Refused(T("A name has letters only."))
        if setting.kind == "names" and len(set(value)) < len(value):
            raise Refused(TWICE["name"])
        kept = False
        if config is not None:
            try:
                await run_in_threadpool(_keep, config, data_folder, section, key, value)
                kept = True
            except ConfigError as error:
                raise Refused(str(error)) from error
            except OSError:
                kept = False
        apply = setting.apply
        if apply is not None:
            await page.done(lambda daemon, t_ms: apply(daemon, t_ms, value))
        elif not kept:
            raise Refused(T("This can't be set here: the file of the settings can't be written."), 409)
        changed[section, key] = value
        return Answer({"kept": kept, "restart": apply is None})

    async def devices(request: Request) -> Response:
        own = request.scope["device"].id
        rows = [{"id": d.id, "name": d.name, "role": d.role, "own": d.id == own} for d in page.doors.devices()]
        return Answer(rows)

    async def forget(request: Request) -> Response:
        data = await body_of(request)
        if not page.doors.forget(text_of(data, "id")):
            raise Refused("there is no such device", 404)
        return Answer({})

    async def invite(request: Request) -> Response:
        """A code for another phone, shown by a phone that may act; a code is good for one."""
        data = await body_of(request)
        role = data.get("role")
        if role not in ROLES:
            raise Refused("role: must be player or viewer")
        code = page.code(role)
        return Answer({"code": code, "address": address(), "square": square(link(address(), code))})

    return [
        Route("/api/settings", show),
        Route("/api/settings/set", change, methods=["POST"]),
        Route("/api/devices", devices),
        Route("/api/devices/forget", forget, methods=["POST"]),
        Route("/api/invite", invite, methods=["POST"]),
    ]


def _keep(config: Path, data: Path, section: str, key: str, value: Any) -> None:
    """Write a setting into the configuration, or beside the journal where that belongs to somebody else."""
    try:
        save_value(config, section, key, value)
    except OSError:
        save_value(data / SET_BY_PHONE, section, key, value)


def setting_json(setting: Setting, value: Any, words: Translator) -> dict[str, Any]:
    """A setting as the page shows it."""
    return {
        "section": setting.section,
        "key": setting.key,
        "label": words.translate(setting.label),
        "kind": setting.kind,
        "options": [{"value": v, "name": words.translate(name)} for v, name in setting.options],
        "range": setting.range,
        "value": value,
        "restart": setting.apply is None,
        "hint": "" if setting.hint is None else words.translate(setting.hint),
    }
