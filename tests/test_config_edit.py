"""Guards the settings' file: one value changes, everything else stays, and a bad value changes nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.config import SET_BY_PHONE, example, load_config
from companion.config_edit import save_value, with_value
from companion.errors import ConfigError

KEYS = [(section, key) for section, table in tomllib.loads(example()).items() for key in table]
VALUES = st.one_of(
    st.integers(-(10**6), 10**6), st.booleans(), st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
)
TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=10), max_size=4)


@given(st.sampled_from(KEYS), VALUES | TEXTS)
def test_any_value_of_any_key_changes_and_nothing_else(place: tuple[str, str], value: object) -> None:
    section, key = place
    wanted = tomllib.loads(example())
    wanted[section][key] = value
    changed = with_value(example(), section, key, value)
    assert tomllib.loads(changed) == wanted
    assert changed.count("#") >= example().count("#"), "the comments are kept"


@given(st.lists(st.tuples(st.sampled_from(KEYS), VALUES), max_size=5))
def test_changes_in_a_file_that_holds_nothing_yet(changes: list[tuple[tuple[str, str], object]]) -> None:
    text, wanted = "", {}  # type: ignore[var-annotated]
    for (section, key), value in changes:
        text = with_value(text, section, key, value)
        wanted.setdefault(section, {})[key] = value
    assert tomllib.loads(text) == wanted


def test_lists_over_several_lines_with_comments_are_replaced_whole() -> None:
    text = '[game]\nnames = [\n  "a", # ] first\n  "b#",\n] # end\nlanguage = "de"\n'
    assert with_value(text, "game", "names", ["c"]) == '[game]\nnames = ["c"] # end\nlanguage = "de"\n'


def test_a_heading_within_a_text_is_none() -> None:
    text = '[folders]\ndata = """\n[game]\n"""\n[game]\nlanguage = "de"\n'
    assert tomllib.loads(with_value(text, "game", "language", "fr"))["game"] == {"language": "fr"}


def test_what_is_set_from_the_phone_beside_the_games_counts_before_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('[game]\nlanguage = "de"\n[folders]\ndata = "games"\n')
    (tmp_path / "games").mkdir()
    save_value(tmp_path / "games" / SET_BY_PHONE, "game", "language", "fr")
    assert load_config(file).game["language"] == "fr"
    (tmp_path / "games" / SET_BY_PHONE).write_text("[game]\nlanguage = 3\n")
    with pytest.raises(ConfigError, match=r"settings\.toml: game\.language is 3"):
        load_config(file)


def test_a_value_that_the_companion_refuses_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text("[display]\ncontrast = 3 # ours\n")
    with pytest.raises(ConfigError):
        save_value(file, "display", "contrast", 999)
    assert file.read_text() == "[display]\ncontrast = 3 # ours\n"
    save_value(file, "display", "contrast", 9)
    assert file.read_text() == "[display]\ncontrast = 9 # ours\n"
    assert list(tmp_path.iterdir()) == [file]
