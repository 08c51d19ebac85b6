"""Guards `companion adjudicate`: exit codes, what is printed and what no longer, and hostile records.

Doesn't guard the rulings themselves (tests/games does).
"""

import argparse
import copy
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import cli
from companion.commands import adjudicate
from companion.errors import InputError
from companion.games import rules_of
from companion.games.record import LONGEST_LINE

ROOT = Path(__file__).parents[2]
HEADER: dict[str, Any] = {
    "game": "pizza",
    "layout": "hex37",
    "players": [
        {"name": "Ana", "seat": "A", "colour": "red"},
        {"name": "Ben", "seat": "B", "colour": "green"},
        {"name": "Cleo", "seat": "C", "colour": "white"},
    ],
    "first": "A",
}
ROUND: list[dict[str, Any]] = [
    {"event": "place", "seat": "A", "space": "d4"},
    {"event": "place", "seat": "C", "space": "a1", "t_ms": 1234, "crc": "0badf00d"},
    {"event": "place", "seat": "B", "space": "g1"},
    {"event": "cut", "lines": {"C": 2, "A": 4, "B": 6}},
    {"event": "rotate"},
]


def judge(
    record: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *flags: str
) -> tuple[int, list[str], str]:
    """Exit code, lines of standard output, standard error, as the command line has them."""
    monkeypatch.setattr(cli, "COMMANDS", ("adjudicate",))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(record)))
    code = cli.main(["adjudicate", "-", *flags])
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


def as_lines(*lines: Any) -> bytes:
    return b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)


def test_a_legal_record(monkeypatch: Any, capsys: Any) -> None:
    code, out, err = judge(as_lines(HEADER, *ROUND), monkeypatch, capsys, "--json")
    assert (code, err, len(out)) == (0, "", 6)
    states = [json.loads(line) for line in out]
    assert [state["phase"] for state in states] == ["place", "place", "place", "cut", "rotate", "place"]
    assert states[-1]["round"] == 2 and states[-1]["facing"] == {"A": 2, "B": 1, "C": 3}


def test_without_a_last_line_end_and_with_carriage_returns(monkeypatch: Any, capsys: Any) -> None:
    record = as_lines(HEADER, *ROUND).replace(b"\n", b"\r\n")[:-2]
    assert len(judge(record, monkeypatch, capsys, "--json")[1]) == 6


def test_the_account_has_a_line_an_event(monkeypatch: Any, capsys: Any) -> None:
    code, out, err = judge(as_lines(HEADER, *ROUND), monkeypatch, capsys)
    assert (code, err, len(out)) == (0, "", len(ROUND))
    assert out[0] == "Round 1: Ana (A) puts red on d4."
    assert "side 1 faces B" in out[-1]


def test_the_first_refusal_ends_it(monkeypatch: Any, capsys: Any) -> None:
    """A malformed line after the refusal is not looked at any more."""
    record = as_lines(HEADER, ROUND[0], {"event": "place", "seat": "C", "space": "g4"}, ROUND[2], b"not json\n")
    code, out, err = judge(record, monkeypatch, capsys, "--json")
    assert (code, err, len(out)) == (1, "", 3)
    answer = json.loads(out[-1])
    assert answer["line"] == 3 and answer["error"]["code"] == "adjacent_own_topping" and answer["error"]["message"]
    assert set(answer) == {"line", "error"} and set(answer["error"]) == {"code", "message"}
    code, out, err = judge(record, monkeypatch, capsys)
    assert (code, err, len(out)) == (1, "", 2) and "adjacent_own_topping" in out[-1] and "3" in out[-1]


def test_states_before_a_malformed_line_are_printed(monkeypatch: Any, capsys: Any) -> None:
    code, out, err = judge(as_lines(HEADER, *ROUND[:2], b"{\n", ROUND[2]), monkeypatch, capsys, "--json")
    assert (code, len(out)) == (2, 3)
    assert err.startswith("companion: line 4: ") and err.count("\n") == 1


DEEP = b'{"event": "place", "seat": ' + b"[" * 50_000 + b"]" * 50_000 + b"}\n"
HALF_DEEP = b'{"event": "place", "seat": ' + b"[" * 900 + b"]" * 900 + b', "space": "d4"}\n'
HUGE = b'{"event": "place", "seat": "A", "space": "' + b"x" * (20 << 20) + b'"}\n'


@pytest.mark.parametrize(
    ("record", "line"),
    [
        pytest.param(b"", 1, id="empty"),
        pytest.param(b"\n\n", 1, id="blank"),
        pytest.param(as_lines(*ROUND), 1, id="no-header"),
        pytest.param(as_lines(HEADER, HEADER), 2, id="two-headers"),
        pytest.param(as_lines(HEADER, b"\n", *ROUND), 2, id="blank-line"),
        pytest.param(as_lines(HEADER, b"nonsense\n"), 2, id="nonsense"),
        pytest.param(as_lines(HEADER, []), 2, id="list"),
        pytest.param(as_lines(HEADER, None), 2, id="null"),
        pytest.param(as_lines(HEADER, b'{"event": "rotate", "t_ms": NaN}\n'), 2, id="nan"),
        pytest.param(as_lines(HEADER, b'{"event": "rotate", "event": "rotate"}\n'), 2, id="key-twice"),
        pytest.param(as_lines(HEADER, DEEP), 2, id="deep"),
        pytest.param(as_lines(HEADER, HALF_DEEP), 2, id="half-deep"),
        pytest.param(as_lines(HEADER, HUGE), 2, id="huge"),
        pytest.param(b"x" * (20 << 20), 1, id="huge-first-line"),
        pytest.param(b"\xef\xbb\xbf" + as_lines(HEADER), 1, id="byte-order-mark"),
        pytest.param(as_lines(HEADER).decode().encode("utf-16"), 1, id="utf-16"),
        pytest.param(as_lines(HEADER, b"\x00" * 512), 2, id="nul-bytes"),
        pytest.param(as_lines(HEADER, b'{"event": "place", "seat": "A"'), 2, id="torn"),
        pytest.param(as_lines(HEADER, {"event": "place", "seat": True, "space": "d4"}), 2, id="true-is-no-text"),
        pytest.param(as_lines(HEADER, *ROUND[:3], {"event": "cut", "lines": {"A": 3.0}}), 5, id="3.0-is-no-integer"),
        pytest.param(as_lines(HEADER, *ROUND[:3], {"event": "cut", "lines": {"A": True}}), 5, id="true-is-no-number"),
        pytest.param(as_lines(HEADER, {"event": "fly\n" * 1000}), 2, id="unknown-event"),
        pytest.param(as_lines({**HEADER, "game": "chess"}), 1, id="unknown-game"),
        pytest.param(as_lines({**HEADER, "game": "\ud800" * 9999}), 1, id="surrogate-game"),
        pytest.param(as_lines({**HEADER, "layout": "/" * 90_000 + ".json"}), 1, id="unknown-layout"),
        pytest.param(as_lines({**HEADER, "players": [[]] * 3}), 1, id="players"),
    ],
)
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_malformed_records(record: bytes, line: int, flags: tuple[str, ...], monkeypatch: Any, capsys: Any) -> None:
    code, out, err = judge(record, monkeypatch, capsys, *flags)
    assert code == 2
    assert err.startswith(f"companion: line {line}: ") and err.count("\n") == 1 and len(err) < 400
    assert len(out) == (max(line - 1, 0) if flags else max(line - 2, 0))


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (b'{"event": "place", "seat": "\\ud800", "space": "d4"}', "not_your_turn"),
        (b'{"event": "place", "seat": "A", "space": "' + b"x" * 10_000 + b'"}', "unknown_space"),
        (b'{"event": "place", "seat": "A", "space": "\\u0000\\n\\ud800"}', "unknown_space"),
        (b'{"event": "neutral_roll", "value": ' + b"9" * 10_000 + b"}", "wrong_phase"),
        (b'{"event": "neutral_roll", "value": 1, "more": 1e999}', "wrong_phase"),
    ],
)
def test_strange_values_of_the_right_type_are_refused(event: bytes, code: str, monkeypatch: Any, capsys: Any) -> None:
    for flags in ((), ("--json",)):
        answer = judge(as_lines(HEADER, event + b"\n"), monkeypatch, capsys, *flags)
        assert answer[0] == 1 and answer[2] == "" and code in answer[1][-1] and len(answer[1][-1]) < 400


def test_a_line_number_of_thousands_of_digits_is_out_of_range(monkeypatch: Any, capsys: Any) -> None:
    cut = b'{"event": "cut", "lines": {"A": 1, "B": 1, "C": ' + b"9" * 10_000 + b"}}\n"
    code, out, _ = judge(as_lines(HEADER, *ROUND[:3], cut), monkeypatch, capsys, "--json")
    assert code == 1 and json.loads(out[-1])["error"]["code"] == "line_out_of_range"


DICE: list[dict[str, Any]] = [
    {"game": "wizard_dice", "players": [{"name": "Ana"}, {"name": "Ben"}], "first_seer": 1, "settings": {"target": 9}},
    {"event": "bid", "player": 1, "colour": "blue", "number": 4},
    {"event": "bid", "player": 0, "colour": "red", "number": 2},
    {"event": "wizard_colour", "colour": "red"},
    {"event": "roll", "faces": ["blue"] * 4 + ["red", "wizard", "jester"]},
    {"event": "score", "player": 1, "entry": "bid"},
    {"event": "score", "player": 0, "entry": "jesters"},
]
CARDS: list[dict[str, Any]] = [
    {"game": "wizard_cards", "players": [{"name": "Ana"}, {"name": "Ben"}, {"name": "Cleo"}], "dealer": 0},
    {"event": "trump", "card": "W"},
    {"event": "trump_colour", "colour": "green"},
    {"event": "bid", "player": 1, "tricks": 0},
    {"event": "bid", "player": 2, "tricks": 1},
    {"event": "bid", "player": 0, "tricks": 0},
    {"event": "tricks", "taken": [1, 0, 0]},
    {"event": "trump", "card": None},
]


@pytest.mark.parametrize(("record", "code"), [(DICE, "exact_bid"), (CARDS, "trump_card_missing")])
def test_the_other_games(record: list[dict[str, Any]], code: str, monkeypatch: Any, capsys: Any) -> None:
    """Each of these records ends with its only illegal event."""
    status, out, err = judge(as_lines(*record), monkeypatch, capsys, "--json")
    assert (status, err, len(out)) == (1, "", len(record))
    answer = json.loads(out[-1])
    assert answer["line"] == len(record) and answer["error"]["code"] == code
    assert judge(as_lines(*record[:-1]), monkeypatch, capsys)[0] == 0


STRANGE = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        2,
        -1,
        7,
        3.0,
        10**40,
        1e308,
        "",
        "A",
        "Z",
        "d4",
        "blue",
        "W",
        "\ud800",
        [],
        {},
        [[]],
        {"A": 1},
    ]
)


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_any_damage_is_answered(data: st.DataObject) -> None:
    """A line of a good record lacks a field or has something strange in it: states, then a refusal or one error."""
    record = copy.deepcopy(data.draw(st.sampled_from([[HEADER, *ROUND], DICE[:-1], CARDS[:-1]])))
    place: Any = record
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        child = place[key]
        if not isinstance(child, dict | list) or not child or (place is not record and data.draw(st.booleans())):
            break
        place = child
    if data.draw(st.booleans()):
        place[key] = data.draw(STRANGE)
    else:
        del place[key]
    try:
        for as_json in (True, False):
            answers = list(adjudicate.judged(io.BytesIO(as_lines(*record)), as_json=as_json))
            assert all(legal for legal, _ in answers[:-1])
            assert all(line.isascii() and "\n" not in line for _, line in answers)
    except InputError as error:
        assert str(error).startswith("line ") and len(str(error)) < 300 and "\n" not in str(error)


@pytest.mark.parametrize("path", ["missing.jsonl", ".", ""])
def test_files_that_cannot_be_read(path: str, tmp_path: Path) -> None:
    name = str(tmp_path / path)
    with pytest.raises(InputError) as caught:
        adjudicate.run(argparse.Namespace(record=name, json=True))
    assert name in str(caught.value)


def test_a_line_of_just_the_longest_length_is_read(monkeypatch: Any, capsys: Any) -> None:
    line = json.dumps(HEADER).encode()
    assert judge(line + b" " * (LONGEST_LINE - len(line)), monkeypatch, capsys)[0] == 0
    assert judge(line + b" " * (LONGEST_LINE + 1 - len(line)), monkeypatch, capsys)[0] == 2


def script(record: str, **kwargs: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "companion.cli", "adjudicate", record, "--json"]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, **kwargs)


@pytest.fixture
def endless(tmp_path: Path) -> dict[str, Any]:
    """A header for a game that can't end: there are more toppings than spaces."""
    layout = json.loads((ROOT / "companion" / "layouts" / "hex37.json").read_text())
    path = tmp_path / "endless.json"
    path.write_text(json.dumps(layout | {"toppings_per_colour": 1000}))
    return {**HEADER, "layout": str(path)}


def endless_events(header: dict[str, Any], count: int) -> list[dict[str, Any]]:
    rules = rules_of("pizza")
    state = rules.start(header)
    events: list[dict[str, Any]] = []
    while len(events) < count:
        shown = rules.describe(state)
        match shown["phase"]:
            case "place" if shown["legal"]:
                event = {
                    "event": "place",
                    "seat": shown["to_act"],
                    "space": shown["legal"][len(events) % len(shown["legal"])],
                }
            case "place":
                event = {"event": "pass", "seat": shown["to_act"]}
            case "cut":
                event = {"event": "cut", "lines": {seat: 1 + (len(events) // n) % 6 for n, seat in enumerate("ABC", 1)}}
            case _:
                event = {"event": "rotate"}
        state = rules.apply(state, rules.parse_event(event))
        events.append(event)
    return events


def test_a_hundred_thousand_events(endless: dict[str, Any], monkeypatch: Any, capsys: Any) -> None:
    """The time grows with the record and not faster; 100,000 events take seconds, so a tenth of that is played here."""
    events = endless_events(endless, 10_000)
    code, out, err = judge(as_lines(endless, *events), monkeypatch, capsys, "--json")
    assert (code, len(out), err) == (0, 10_001, "")
    # A record of any length that is refused early is not even read to its end.
    code, out, _ = judge(as_lines(endless, ROUND[4]) + as_lines(ROUND[4]) * 99_999, monkeypatch, capsys, "--json")
    assert code == 1 and json.loads(out[-1])["line"] == 2 and len(out) == 2


def test_a_reader_that_leaves(tmp_path: Path) -> None:
    """The reader closes the pipe: no traceback, no waiting."""
    path = tmp_path / "game.jsonl"
    path.write_bytes(as_lines(HEADER, *ROUND))
    read, write = os.pipe()
    os.close(read)
    with script(str(path), stdout=write) as process:
        os.close(write)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 1 and err == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(as_lines(HEADER, *ROUND))
    with Path("/dev/full").open("wb") as full, script(str(path), stdout=full) as process:
        _, err = process.communicate(timeout=30)
    assert process.returncode == 1 and err.startswith(b"companion: ") and err.count(b"\n") == 1


def test_closed_standard_output(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(as_lines(HEADER, *ROUND))
    command = f'exec "{sys.executable}" -m companion.cli adjudicate "{path}" >&-'
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_names_that_the_terminal_cannot_show() -> None:
    record = as_lines(
        {**HEADER, "players": [{**p, "name": "Zo\u00eb\n\ud83c\udf55"} for p in HEADER["players"]]}, ROUND[0]
    )
    command = [sys.executable, "-m", "companion.cli", "adjudicate", "-"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        command, input=record, capture_output=True, cwd=ROOT, env=environment, timeout=30, check=False
    )
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout == b"Round 1: Zo\\xeb\\n\\U0001f355 (A) puts red on d4.\n"


def test_a_record_that_is_still_written_is_judged_line_by_line() -> None:
    with script("-", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        for line in (HEADER, *ROUND):
            process.stdin.write(as_lines(line))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["round"] in (1, 2)
        process.stdin.close()
        assert process.wait(timeout=30) == 0
