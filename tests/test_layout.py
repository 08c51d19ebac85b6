"""Guards board layouts: the built-in one, and that any file is a valid board or one clear error."""

import copy
import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import LayoutError
from companion.layout import LARGEST_FILE, BoardLayout, load_layout, parse_layout

ROOT = Path(__file__).parents[1]
HEX37: dict[str, Any] = json.loads((ROOT / "companion" / "layouts" / "hex37.json").read_text())
HUGE = 10**400


def changed(path: str, value: Any) -> dict[str, Any]:
    """hex37 with the value at a dotted path replaced."""
    data = copy.deepcopy(HEX37)
    *parents, last = path.split(".")
    place: Any = data
    for key in parents:
        place = place[int(key) if isinstance(place, list) else key]
    place[int(last) if isinstance(place, list) else last] = value
    return data


def test_hex37() -> None:
    layout = load_layout("hex37")
    assert isinstance(layout, BoardLayout) and len(layout.spaces) == 37 and layout.numbers(1) == (1, 2, 3, 4, 5, 6)
    assert list(layout.spaces) == sorted(layout.spaces)
    for space in layout.spaces.values():
        near = {o.id for o in layout.spaces.values() if 0 < math.dist((space.x_mm, space.y_mm), (o.x_mm, o.y_mm)) < 35}
        assert set(space.neighbours) == near
    with pytest.raises(KeyError):
        layout.line(1, 7)


def test_a_file_is_read_like_the_built_in(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_text(json.dumps(HEX37))
    assert load_layout(path) == load_layout(str(path)) == load_layout("hex37")


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("name", "", "name"), ("name", 7, "name"), ("pitch_mm", 0, "pitch_mm"), ("pitch_mm", True, "pitch_mm"),
        ("pitch_mm", math.nan, "pitch_mm"), ("pitch_mm", math.inf, "pitch_mm"), ("pitch_mm", HUGE, "pitch_mm"),
        ("board_diameter_mm", -300, "board_diameter"), ("topping_diameter_mm", "26", "topping_diameter"),
        ("toppings_per_colour", 2, "toppings_per_colour"), ("toppings_per_colour", 16.0, "toppings_per_colour"),
        ("toppings_per_colour", True, "toppings_per_colour"), ("toppings_per_colour", HUGE, "toppings_per_colour"),
        ("colours", ["red", "green"], "colours"), ("colours", ["red", "green", "blue"], "colours"),
        ("colours", [[], {}, None], "colours"), ("colours", None, "colours"),
        ("spaces", {}, "spaces"), ("spaces", [], "spaces"), ("spaces.d4", None, "d4"),
        ("spaces.d4.x_mm", math.nan, "d4"),
        ("spaces.d4.y_mm", -HUGE, "d4"), ("spaces.d4.neighbours", ["d5"], "lacks"),
        ("spaces.d4.neighbours", ["zz"], "zz"),
        ("spaces.d4.neighbours", ["d4"], "itself"), ("spaces.d4.neighbours", ["d5", "d5"], "twice"),
        ("spaces.d4.neighbours", [["d5"]], "list"), ("spaces.d4.neighbours", "d5", "list"),
        ("spaces.a b", {"x_mm": 0, "y_mm": 0, "neighbours": []}, "no id"),
        ("spaces.a\nb", {"x_mm": 0, "y_mm": 0, "neighbours": []}, "no id"),
        ("spaces." + "x" * 17, {"x_mm": 0, "y_mm": 0, "neighbours": []}, "no id"),
        ("sides", {"1": {"angle_deg": -90}}, "sides"), ("sides.2", {"angle_deg": 31}, "120"),
        ("sides.4", {"angle_deg": 0}, "unknown side"), ("sides.2.angle_deg", math.nan, "sides.2"),
        ("start_spaces.1", ["c1", "c1"], "start_spaces"), ("start_spaces.1", ["g3", "c1"], "start_spaces"),
        ("start_spaces.1", [], "start_spaces"), ("start_spaces.1", ["z1"], "z1"),
        ("start_spaces", {"1": ["c1"]}, "start_spaces"),
        ("lines", [], "lines"), ("lines", {}, "lines"), ("lines", [{}] * 301, "at most"), ("lines.0.side", 4, "side"),
        ("lines.0.side", True, "side"), ("lines.0.number", 2, "once each"), ("lines.0.number", HUGE, "once each"),
        ("lines.0.number", "1", "whole number"), ("lines.0.touching", ["zz"], "zz"), ("lines.0.touching", None, "list"),
        ("lines.0.near_mm", [1], "two numbers"), ("lines.0.near_mm", [1, math.nan], "number"),
        ("lines.0.far_mm", [-73.612, -150.0], "shorter"), ("lines.0", None, "object"),
    ],
)  # fmt: skip
def test_what_is_no_board(path: str, value: Any, problem: str) -> None:
    data = changed(path, value)
    with pytest.raises(LayoutError, match=problem) as caught:
        parse_layout(data, "board.json")
    assert str(caught.value).startswith("board.json: ") and len(str(caught.value)) < 300


def test_a_line_through_a_space_is_refused() -> None:
    """A cutter across a space's centre would leave the space in no slice."""
    data = changed("lines.0.near_mm", [HEX37["spaces"]["b1"]["x_mm"], -150.0])
    data["lines"][0]["far_mm"][0] = data["lines"][0]["near_mm"][0]
    with pytest.raises(LayoutError, match="through the centre of b1"):
        parse_layout(data)


@pytest.mark.parametrize("data", [None, [], 7, "hex37", {}, {"name": "x"}])
def test_what_is_no_object(data: Any) -> None:
    with pytest.raises(LayoutError):
        parse_layout(data)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_damage_is_a_board_or_one_error(data: st.DataObject) -> None:
    """Some value anywhere in the layout is replaced by something else."""
    layout = copy.deepcopy(HEX37)
    place: Any = layout
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        child = place[key]
        if not isinstance(child, dict | list) or not child or data.draw(st.booleans()):
            break
        place = child
    strange = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just([]) | st.just({})
    place[key] = data.draw(strange | st.just(HUGE) | st.just([[]]))
    try:
        assert isinstance(parse_layout(layout), BoardLayout)
    except LayoutError as error:
        assert str(error).startswith("layout: ")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not JSON"), (b"\xff\xfe", "not JSON"), (b"[" * 200_000, "not JSON"), (b"9" * 5000, "not JSON"),
        (b'{"name": "a", "name": "b"}', "given twice"), (b"null", "object"), (b" " * (LARGEST_FILE + 1), "longer than"),
    ],
)  # fmt: skip
def test_files_that_are_no_layout(content: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_bytes(content)
    with pytest.raises(LayoutError, match=problem):
        load_layout(path)


@pytest.mark.parametrize(
    "name", ["hex38", "", ".", "board.txt", "/dev/zero", "missing.json", "a\0.json", "\ud800.json"]
)
def test_names_without_a_layout(name: str) -> None:
    with pytest.raises(LayoutError, match="unknown layout"):
        load_layout(name)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A record from a stranger may name any path; a named pipe would never answer."""
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(LayoutError, match="no such file"):
        load_layout(tmp_path / "pipe.json")
