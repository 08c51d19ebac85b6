"""Guards what the finder of dice may leave out: nothing that stands out from the table, and nothing it would mark."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from companion.vision import dice_find
from companion.vision.dice_busy import TILE, busy_parts, merged
from companion.vision.dice_find import DiceFinder
from companion.vision.dice_net import MODELS


def table(height: int = 192, width: int = 256, grain: int = 6) -> np.ndarray:
    rng = np.random.default_rng(7)
    return rng.integers(90, 90 + grain, (height, width, 3)).astype(np.uint8)


def covered(parts: list[tuple[int, int, int, int]], shape: tuple[int, ...]) -> np.ndarray:
    seen = np.zeros(shape[:2], bool)
    for x0, y0, x1, y1 in parts:
        seen[y0 * TILE : y1 * TILE, x0 * TILE : x1 * TILE] = True
    return seen


@given(
    things=st.lists(st.tuples(st.integers(4, 220), st.integers(4, 160), st.integers(6, 28)), max_size=6),
    beside=st.integers(0, 3),
)
def test_what_stands_out_lies_in_one_of_the_parts(things: list[tuple[int, int, int]], beside: int) -> None:
    picture = table()
    thing = np.zeros(picture.shape[:2], bool)
    for x, y, side in things:
        thing[y : y + side, x : x + side] = True
    picture[thing] = (30, 30, 160)
    parts = merged(busy_parts(picture), beside)
    edge = thing & ~(np.roll(thing, 2, 0) & np.roll(thing, -2, 0) & np.roll(thing, 2, 1) & np.roll(thing, -2, 1))
    assert covered(parts, picture.shape)[edge].all()
    areas = [(x1 - x0 + 2 * beside) * (y1 - y0 + 2 * beside) for x0, y0, x1, y1 in parts]
    for i, a in enumerate(parts):
        for j, b in enumerate(parts[:i]):
            x0, y0, x1, y1 = *map(min, a[:2], b[:2]), *map(max, a[2:], b[2:])
            assert (x1 - x0 + 2 * beside) * (y1 - y0 + 2 * beside) > areas[i] + areas[j], "as one they cost less"


def test_where_the_table_is_known_only_what_is_excluded_is_left_out() -> None:
    exclude = np.full((192, 256), 255, np.uint8)
    exclude[64:80, 64:96] = 0
    assert busy_parts(table(), exclude) == [(3, 3, 7, 6)], "a plain place that changed is looked at all the same"
    assert busy_parts(table(), np.full_like(exclude, 255)) == []


def test_a_plain_table_costs_no_look_and_dice_on_it_are_marked_as_in_the_whole_picture(monkeypatch) -> None:
    """Four drawn dice on a table with grain: marks and certainties as if all of the table had been looked at."""
    picture = table(384, 512)
    for x, y in ((60, 70), (300, 90), (330, 100), (420, 300)):
        picture[y : y + 26, x : x + 26] = 235
        for dx, dy in ((6, 6), (20, 6), (13, 13), (6, 20), (20, 20)):
            picture[y + dy - 2 : y + dy + 3, x + dx - 2 : x + dx + 3] = 20
    asked = []
    whole = dice_find._answer
    monkeypatch.setattr(dice_find, "_answer", lambda net, part: asked.append(part.shape[:2]) or whole(net, part))
    finder = DiceFinder(MODELS / "dice_finder.onnx")
    marks = finder.search(picture).marks
    assert len(marks) == 4 and (384, 512) not in asked and sum(h * w for h, w in asked) < 0.7 * 384 * 512
    monkeypatch.setattr(dice_find, "MOST", 0.0)
    again = finder.search(picture).marks
    assert (384, 512) in asked
    for (sure, box), (sure_too, box_too) in zip(sorted(marks, key=by_place), sorted(again, key=by_place), strict=True):
        assert abs(sure - sure_too) < 0.05 and np.abs(box - box_too).max() < 1
    asked.clear()
    assert finder.search(table(384, 512)).marks == [] and sum(h * w for h, w in asked) < 0.2 * 384 * 512


def test_a_chequered_table_is_looked_at_whole() -> None:
    """Dice have no more contrast than its fields: a six and a three were overlooked on one."""
    rows, columns = np.indices((192, 256)) // 20
    picture = np.repeat(np.where((rows + columns) % 2, 40, 220).astype(np.uint8)[..., None], 3, axis=2)
    assert covered(busy_parts(picture), picture.shape).all()


def by_place(mark: dice_find.Mark) -> tuple[float, float]:
    return round(float(mark[1][0]), -1), round(float(mark[1][1]), -1)
