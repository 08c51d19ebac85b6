"""The configuration: TOML, every key with a default; an unknown key or a bad value is refused by name."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from companion.errors import ConfigError

Check = Callable[[Any], bool]
SET_BY_PHONE = "settings.toml"
"""In the data folder: what was set from the phone where the configuration itself belongs to somebody else; it counts
before the configuration."""


def _one_of(*allowed: object) -> tuple[Check, str]:
    return (lambda v: type(v) is not bool and v in allowed), " or ".join(repr(a) for a in allowed)


def _switch() -> tuple[Check, str]:
    return (lambda v: type(v) is bool), "true or false"


def _whole(low: int, high: int) -> tuple[Check, str]:
    return (lambda v: type(v) is int and low <= v <= high), f"a whole number from {low} to {high}"


def _size(low: int, high: int) -> tuple[Check, str]:
    def fits(value: Any) -> bool:
        return isinstance(value, list) and len(value) == 2 and all(type(v) is int and low <= v <= high for v in value)

    return fits, f"two whole numbers from {low} to {high}"


def _text() -> tuple[Check, str]:
    return (lambda v: isinstance(v, str) and 0 < len(v) < 1000), "a text"


def _names() -> tuple[Check, str]:
    def fits(value: Any) -> bool:
        return (
            isinstance(value, list) and 2 <= len(value) <= 50 and all(isinstance(v, str) and v.strip() for v in value)
        )

    return fits, "2 to 50 names"


RULES: dict[str, dict[str, tuple[Check, str]]] = {
    "camera": {
        "driver": _one_of("picamera2", "opencv", "recording", "simulated", "none"),
        "size": _size(160, 4096),
        "device": _whole(0, 63),
        "rotation": _one_of(0, 90, 180, 270),
        "buffers": _whole(2, 8),
        "folder": _text(),
    },
    "display": {
        "driver": _text(),
        "size": _size(32, 1024),
        "interface": _one_of("i2c", "spi"),
        "address": _whole(0x03, 0x77),
        "port": _whole(0, 63),
        "rotate": _one_of(0, 1, 2, 3),
        "contrast": _whole(0, 255),
        "dim_after": _whole(0, 86_400),
        "off_after": _whole(0, 86_400),
        "folder": _text(),
    },
    "buttons": {
        "driver": _one_of("gpiozero", "keyboard", "recording", "none"),
        **{name: _whole(0, 53) for name in ("up", "down", "ok", "back")},
        "folder": _text(),
    },
    "signals": {
        "driver": _one_of("gpiozero", "none"),
        "buzzer": _whole(0, 53),
        "led": _whole(0, 53),
        "sound": _switch(),
    },
    "game": {
        "language": _one_of("en", "de", "es", "fr"),
        "confirm": _one_of("always", "unsure"),
        "names": _names(),
        "dice": _text(),
    },
    "web": {"page": _one_of("here", "network", "off"), "port": _whole(1, 65535)},
    "folders": {"profile": _text(), "data": _text()},
}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings, complete and checked: a table of settings for each section of the file."""

    camera: Mapping[str, Any]
    display: Mapping[str, Any]
    buttons: Mapping[str, Any]
    signals: Mapping[str, Any]
    game: Mapping[str, Any]
    web: Mapping[str, Any]
    profile: Path
    data: Path
    file: Path | None = None


def load_config(path: Path | None = None) -> Config:
    """Read a configuration file, and what was set from the phone beside it; None gives the defaults.

    Raises:
        ConfigError: the file can't be read, or has an unknown key or a bad value; names file, key and allowed values.

    >>> load_config().game["language"]
    'en'
    """
    merged = tomllib.loads(example())
    if path is not None:
        _merge(merged, path)
        kept = path.parent / merged["folders"]["data"] / SET_BY_PHONE
        if kept.exists():
            _merge(merged, kept)
        pins = [merged["buttons"][name] for name in ("up", "down", "ok", "back")]
        if len(set(pins)) < len(pins):
            raise ConfigError(f"{path}: [buttons]: two buttons on one pin: {pins}")
        if merged["signals"]["driver"] != "none":
            pins += [merged["signals"][name] for name in ("buzzer", "led")]
            if len(set(pins)) < len(pins):
                raise ConfigError(f"{path}: [signals]: buzzer and led need pins of their own: {pins}")
    base = path.parent if path is not None else Path()
    return Config(
        camera=merged["camera"],
        display=merged["display"],
        buttons=merged["buttons"],
        signals=merged["signals"],
        game=merged["game"],
        web=merged["web"],
        profile=base / merged["folders"]["profile"],
        data=base / merged["folders"]["data"],
        file=path,
    )


def _merge(merged: dict[str, Any], path: Path) -> None:
    """Put a file's values, checked, in the place of those so far."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {' '.join(str(error).split())}") from error
    for section, table in given.items():
        if section not in RULES:
            raise ConfigError(f"{path}: unknown section [{section}]; allowed: {', '.join(RULES)}")
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: {section} is a section: write [{section}], and its settings in the lines below")
        for key, value in table.items():
            _check(path, section, key, value)
        merged[section] |= table


def example() -> str:
    """The example file that ships with the product; it holds every key with its default."""
    return resources.files("companion").joinpath("companion.toml").read_text(encoding="utf-8")


def _check(path: Path, section: str, key: str, value: Any) -> None:
    rules = RULES[section]
    if key not in rules:
        raise ConfigError(f"{path}: unknown key {section}.{key}; allowed: {', '.join(rules)}")
    fits, wanted = rules[key]
    if not fits(value):
        raise ConfigError(f"{path}: {section}.{key} is {value!r}; allowed: {wanted}")
