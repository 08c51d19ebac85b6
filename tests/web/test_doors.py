"""Guards pairing: a code opens once and for a while, guessing is slow, cookies outlive a restart but not removal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.web.doors import CODE_S, NAME, TRIES_EACH, WRONG_BEFORE_NEW, Doors, TooMany


def test_a_code_lets_in_one_device_and_no_second() -> None:
    doors = Doors(None)
    code = doors.code("player", 0.0)
    assert doors.pair(code, "a", "one", 1.0)
    assert doors.pair(code, "b", "two", 2.0) is None
    assert doors.code("player", 3.0) != code


def test_a_code_is_good_as_long_as_it_is_shown_and_ten_minutes_more() -> None:
    doors = Doors(None)
    code = doors.code("player", 0.0)
    assert doors.code("player", CODE_S - 1) == code, "looking again does not change it under the typing finger"
    assert doors.pair(code, "a", "one", 2 * CODE_S) is None
    assert doors.code("player", 2 * CODE_S) != code


def test_a_code_never_shown_opens_nothing() -> None:
    doors = Doors(None)
    assert doors.pair("", "a", "one", 1.0) is None
    assert doors.pair("000000", "a", "one", 1.0) is None


def test_roles_have_codes_of_their_own() -> None:
    doors = Doors(None)
    token = doors.pair(doors.code("viewer", 0.0), "a", "one", 1.0)
    device = doors.device(token)
    assert device is not None and device.role == "viewer"


def test_an_address_has_five_tries_a_minute_and_all_together_twenty() -> None:
    doors = Doors(None)
    code = doors.code("player", 0.0)
    wrong = "x"
    for _ in range(TRIES_EACH):
        assert doors.pair(wrong, "a", "n", 0.0) is None
    with pytest.raises(TooMany):
        doors.pair(code, "a", "n", 59.0)
    for i in range(15):
        doors.pair(wrong, f"b{i}", "n", 1.0)
    with pytest.raises(TooMany):
        doors.pair(wrong, "new", "n", 2.0)
    assert doors.pair(doors.code("player", 100.0), "a", "n", 100.0), "and a minute later all is well"


def test_after_ten_wrong_tries_another_code_is_shown() -> None:
    doors = Doors(None)
    code = doors.code("player", 0.0)
    for i in range(WRONG_BEFORE_NEW):
        doors.pair("999999x", f"{i}", "n", 0.0)
    assert doors.pair(code, "z", "n", 1.0) is None
    assert doors.code("player", 1.0) != code


def test_paired_devices_outlive_a_restart_and_no_cookie_is_on_the_disk(tmp_path: Path) -> None:
    doors = Doors(tmp_path)
    token = doors.pair(doors.code("player", 0.0), "a", "my phone", 1.0)
    assert token is not None and len(token) >= 40
    assert token not in (tmp_path / NAME).read_text()
    again = Doors(tmp_path)
    device = again.device(token)
    assert device is not None and device.name == "my phone"
    assert again.forget(device.id) and again.device(token) is None
    assert Doors(tmp_path).device(token) is None


KING = json.dumps([{"cookie": "a", "id": "b", "name": "c", "role": "king"}])


@pytest.mark.parametrize("text", ["", "[", "{}", "[1]", '[{"cookie": "x"}]', KING])
def test_a_broken_list_of_devices_lets_nobody_in(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    assert Doors(tmp_path).devices() == ()


@given(st.text(max_size=60))
def test_no_text_opens_but_the_code(typed: str) -> None:
    doors = Doors(None)
    code = doors.code("player", 0.0)
    digits = "".join(c for c in typed if c in "0123456789")
    assert (doors.pair(typed, "a", "n", 0.0) is not None) == (digits == code and len(typed) <= 24)


@given(st.text(max_size=80))
def test_no_cookie_is_anybodys(token: str) -> None:
    doors = Doors(None)
    doors.pair(doors.code("player", 0.0), "a", "n", 0.0)
    assert doors.device(token) is None
