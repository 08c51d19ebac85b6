"""Guards the configuration: the example equals the defaults, and every mistake is named with file and key."""

import tomllib
from pathlib import Path

import pytest

from companion.config import RULES, example, load_config
from companion.errors import ConfigError


def test_the_example_holds_every_key_with_an_allowed_default() -> None:
    data = tomllib.loads(example())
    assert {s: set(t) for s, t in data.items()} == {s: set(t) for s, t in RULES.items()}
    for section, table in data.items():
        for key, value in table.items():
            assert RULES[section][key][0](value), (section, key)


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('[game]\nlanguage = "de"\n')
    config = load_config(file)
    assert config.game["language"] == "de"
    assert config.game["confirm"] == "always"
    assert config.profile == tmp_path / "profile"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[camera]\ndriver = 'webcam'\n", "camera.driver is 'webcam'; allowed: 'picamera2'"),
        ("[camera]\nrotation = true\n", "camera.rotation is True"),
        ("[camera]\nsize = [1, 2]\n", "camera.size is [1, 2]; allowed: two whole numbers"),
        ("[camra]\n", "unknown section [camra]; allowed: camera"),
        ("camera = 3\n", "camera is a section: write [camera]"),
        ("[display]\ncolour = 1\n", "unknown key display.colour; allowed: driver"),
        ("[buttons]\nup = 6\n", "two buttons on one pin"),
        ('[signals]\ndriver = "gpiozero"\nled = 13\n', "[signals]: buzzer and led"),
        ("[signals]\nsound = 1\n", "signals.sound"),
        ("[game]\nnames = ['Ana']\n", "game.names is ['Ana']; allowed: 2 to 50 names"),
        ("game = [[[[", "not TOML"),
    ],
)
def test_a_mistake_is_named_with_file_and_key(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert says in str(caught.value)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.toml")
