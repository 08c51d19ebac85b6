"""Guards the text form of records: strict decoding, one error family, errors that name the line."""

import io
import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import RecordError
from companion.games.base import Refusal
from companion.games.record import LONGEST_LINE, Record, decode, need, read_lines, shown

HEADER = (
    '{"game":"pizza","layout":"hex37","players":[{"name":"Ana","seat":"A","colour":"red"},'
    '{"name":"Ben","seat":"B","colour":"green"}],"first":"A"}'
)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "blank"), (b"  \n", "blank"), ("{", "not JSON"), ("[]", "a list"),
        ("null", "null"), ("7", "a whole number"),
        ("true", "true or false"), ('"x"', "a text"), ('{"a": NaN}', "NaN"), ('{"a": [-Infinity]}', "Infinity"),
        ('{"a": 1, "a": 1}', "'a' is given twice"), ('{"a": {"b": 1, "b": 2}}', "twice"), ("{} {}", "not JSON"),
        ('{"a": 01}', "not JSON"), ("{'a': 1}", "not JSON"), ('{"a": "\n"}', "not JSON"), ('{"a": 1,}', "not JSON"),
        (b'{"a": "\xff"}', "UTF-8"), (b'\xed\xa0\x80', "UTF-8"), ("\ufeff{}", "not JSON"), (b"\x00" * 80, "not JSON"),
        ('{"a": ' + "[" * 100_000, "nested"), ('{"a": ' * 100_000, "nested"), (b" " * LONGEST_LINE + b"{}", "longer"),
    ],
)  # fmt: skip
def test_malformed_lines(line: str | bytes, problem: str) -> None:
    with pytest.raises(RecordError, match=problem) as caught:
        decode(line)
    assert len(str(caught.value)) < 200


def test_a_number_of_any_length_is_a_whole_number() -> None:
    """Python refuses to convert thousands of digits; the value is out of any range, not malformed."""
    digits = "9" * (sys.get_int_max_str_digits() + 10)
    assert decode(f'{{"a": {digits}}}')["a"] > 10**18 and decode(f'{{"a": -{digits}}}')["a"] < -(10**18)
    assert decode('{"a": -12, "b": 1e999}') == {"a": -12, "b": float("inf")}


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_an_object_or_malformed(line: bytes) -> None:
    try:
        assert isinstance(decode(line), dict)
    except RecordError as error:
        assert "\n" not in str(error)


@given(
    st.dictionaries(st.text(max_size=5), st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5))
)
def test_any_object_is_decoded(data: dict[str, object]) -> None:
    decoded = decode(json.dumps(data))
    assert json.dumps(decoded) == json.dumps(data) or any(abs(n) >= 10**29 for n in _numbers(data))


def _numbers(value: object) -> list[int]:
    if isinstance(value, dict):
        return [n for item in value.values() for n in _numbers(item)]
    if isinstance(value, list):
        return [n for item in value for n in _numbers(item)]
    return [value] if type(value) is int else []


@given(st.text())
def test_a_shown_text_is_short_and_printable(text: str) -> None:
    assert shown(text).isascii() and shown(text).isprintable() and len(shown(text)) < 500


def test_types_are_exact() -> None:
    for value, kind in ((True, int), (3.0, int), (3, str), (None, dict), ("", list)):
        with pytest.raises(RecordError, match="key: must be"):
            need({"key": value}, "key", kind)
    with pytest.raises(RecordError, match="key: missing"):
        need({}, "key", str)


def test_a_long_line_is_not_read_to_its_end() -> None:
    """Tens of megabytes without a line end: only what shows that it is too long is held in memory."""
    stream = io.BytesIO(b"{" * (40 << 20))
    assert len(next(read_lines(stream))) == LONGEST_LINE + 1


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "line 1: .*header"),
        ([HEADER, "{}"], "line 2: event: missing"),
        ([HEADER, HEADER], "line 2: event: missing"),
        (['{"event":"rotate"}'], "line 1: .*header"),
        (["{}"], "line 1: game: missing"),
        (['{"game": 1}'], "line 1: game: must be a text"),
        (['{"game": "chess"}'], "line 1: unknown game"),
        ([HEADER, '{"event":"place","seat":"A","space":"d4"}', "", "{}"], "line 3: a blank line"),
    ],
)
def test_the_line_is_named(lines: list[str], problem: str) -> None:
    with pytest.raises(RecordError, match=problem):
        Record.parsed(lines)


def test_push_refuses_and_leaves_the_record() -> None:
    record = Record.parsed([HEADER])
    with pytest.raises(Refusal) as caught:
        record.push(record.rules.parse_event({"event": "rotate"}))
    assert caught.value.code == "wrong_phase" and record == Record.parsed([HEADER])
    assert record.undone() == record


def score_only(*tricks: tuple[int, int, int]) -> Record[Any, Any]:
    """Rounds of the card game in which everybody bids 0, three players, at most one short of the total."""
    record: Record[Any, Any] = Record.started(
        {
            "game": "wizard_cards",
            "players": [{"name": n} for n in ("Ana", "Ben", "Cleo")],
            "dealer": 0,
            "settings": {"bids": "plus_minus_one"},
        }
    )
    parse = record.rules.parse_event
    for number, taken in enumerate(tricks, 1):
        record = record.push(parse({"event": "trump", "card": "J"}))
        for i in range(3):
            record = record.push(parse({"event": "bid", "player": (number + i) % 3, "tricks": 0}))
        record = record.push(parse({"event": "tricks", "taken": list(taken)}))
    return record


def test_an_edit_recomputes_everything_after_it() -> None:
    record = score_only((1, 0, 0), (2, 0, 0), (0, 0, 3))
    changed = record.edited(4, record.rules.parse_event({"event": "tricks", "taken": [0, 1, 0]}))
    assert changed == score_only((0, 1, 0), (2, 0, 0), (0, 0, 3))
    assert record.replay().scores == (-10 - 20 + 20, 60, 20 + 20 - 30)
    assert changed.replay().scores == (20 - 20 + 20, -10 + 20 + 20, 20 + 20 - 30)


def test_an_edit_that_makes_a_later_event_impossible_names_it() -> None:
    record = score_only((1, 0, 0), (2, 0, 0))
    bid = record.rules.parse_event({"event": "bid", "player": 2, "tricks": 2})  # the dealer's 0 then totals 2
    with pytest.raises(Refusal) as caught:
        record.edited(6, bid)
    assert (caught.value.code, caught.value.details["index"]) == ("total_not_allowed", 8)


def test_the_cards_of_a_round_become_its_tricks() -> None:
    record = score_only((1, 0, 0))
    parse = record.rules.parse_event
    played = record.undone()
    for player, card in ((1, "b1"), (2, "b2"), (0, "b3")):
        played = played.push(parse({"event": "play", "player": player, "card": card}))
    assert played.edited(4, record.events[4], 3) == record
    with pytest.raises(Refusal) as caught:
        played.edited(4, record.events[4], 2)
    assert (caught.value.code, caught.value.details["index"]) == ("wrong_phase", 5)


@pytest.mark.parametrize(("index", "count"), [(-1, 1), (5, 1), (4, 2), (0, 0)])
def test_what_was_never_played_cannot_be_edited(index: int, count: int) -> None:
    record = score_only((1, 0, 0))
    with pytest.raises(IndexError):
        record.edited(index, record.events[0], count)
