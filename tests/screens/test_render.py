"""Guards that any view can be drawn, that what does not fit is reported, and that shapes tell what colours can't."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from companion.screens.language import Translator
from companion.screens.pictures import Area, draw_board, draw_dice, draw_grid, grid_width
from companion.screens.render import fits, render, wrap
from companion.screens.view import BoardMark, BoardPicture, DicePicture, GridPicture, Text, View, verbatim
from tests.screens.views import LONG, VIEWS, board37, board61

ENGLISH = Translator("en")
SIZES = ((128, 64), (256, 64), (128, 128))


def differs(a: Image.Image, b: Image.Image) -> bool:
    return ImageChops.logical_xor(a, b).getbbox() is not None


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", VIEWS)
def test_all_kinds_of_views_fit_the_common_displays(name: str, size: tuple[int, int]) -> None:
    picture = render(VIEWS[name], size, ENGLISH)
    assert (picture.mode, picture.size) == ("1", size)
    assert fits(VIEWS[name], size, ENGLISH) == []
    assert (picture.getbbox() is None) == (name == "nothing")


texts = st.one_of(
    st.text(max_size=30).map(verbatim),
    st.sampled_from(["{name} wins", "{a} {b} {missing}", ""]).flatmap(
        lambda message: st.text(max_size=40).map(lambda name: Text(message, (("a", "x"), ("b", 3), ("name", name))))
    ),
)
states = st.sampled_from(["empty", "red", "green", "white", None, "blue"])
unit = st.floats(-1, 1)
boards = st.builds(
    BoardPicture,
    st.lists(st.builds(BoardMark, unit, unit, states, st.booleans()), max_size=12).map(tuple),
    st.lists(st.tuples(unit, unit, unit, unit), max_size=3).map(tuple),
)
dice = st.builds(
    DicePicture,
    st.lists(st.one_of(st.integers(-1, 20), st.sampled_from(["blue", "wizard", "x" * 20]), st.none()), max_size=9).map(
        tuple
    ),
    st.frozensets(st.integers(0, 9)),
)
grids = st.lists(
    st.tuples(st.sampled_from(["blue", "jester", "x"]), st.sampled_from([("1", "X"), ()])), max_size=6
).map(lambda rows: GridPicture(tuple(label for label, _ in rows), tuple(row for _, row in rows)))
views = st.builds(
    View,
    code=st.just("x"),
    title=st.none() | texts,
    big=st.none() | texts,
    lines=st.lists(texts, max_size=5).map(tuple),
    picture=st.none() | boards | dice | grids,
    choices=st.lists(texts, max_size=12).map(tuple),
    chosen=st.integers(0, 11),
    keys=st.lists(st.tuples(st.sampled_from(["up", "down", "ok", "back"]), texts), max_size=4).map(tuple),
    tone=st.sampled_from(["info", "ask", "wrong", "win"]),
)


@given(views, st.sampled_from([*SIZES, (128, 32), (32, 32), (96, 16), (64, 48), (300, 200)]), st.integers(0, 10**9))
@settings(max_examples=150, deadline=None)
def test_any_view_is_drawn_on_any_display_and_always_alike(view: View, size: tuple[int, int], t_ms: int) -> None:
    picture = render(view, size, ENGLISH, t_ms)
    assert (picture.mode, picture.size) == ("1", size)
    assert picture.tobytes() == render(view, size, ENGLISH, t_ms).tobytes()
    assert all("\n" not in problem for problem in fits(view, size, ENGLISH))


@pytest.mark.parametrize(
    ("view", "says"),
    [
        (View("x", title=Text("a title of more than 21 letters")), "cut"),
        (View("x", big=Text("incomprehensibilities")), "too small"),
        (View("x", title=Text("t"), lines=(Text("one two three four five six"),) * 4), "too much"),
        (View("x", keys=(("ok", Text("a key with far too long a text")),)), "cut"),
        (View("x", choices=(Text("a choice with far too long a text"),)), "cut"),
        (View("x", big=Text("no title"), tone="wrong"), "title"),
        (View("x", picture=DicePicture(("incomprehensible",) * 7)), "cut"),
    ],
)
def test_what_does_not_fit_is_reported(view: View, says: str) -> None:
    assert any(says in problem for problem in fits(view, (128, 64), ENGLISH))


def test_the_big_text_takes_the_largest_font_that_fits() -> None:
    def height(words: str) -> int:
        box = render(View("x", big=verbatim(words)), (128, 64), ENGLISH).getbbox()
        assert box is not None
        return box[3] - box[1]

    assert height("HHH") > height("HHHHHHHH") > height("HHHHHHHHHHH") > height("HHHHHHHHHHHHHHH")


def test_long_names_are_shortened_alike_and_the_rest_of_the_text_stays() -> None:
    view = View("x", title=Text("{name} to play", (("name", LONG),)))
    assert fits(view, (128, 64), ENGLISH) == []
    shown = View("x", title=verbatim("Bartholomew… to play"))
    assert not differs(render(view, (128, 64), ENGLISH), render(shown, (128, 64), ENGLISH))


def test_unknown_letters_become_question_marks() -> None:
    pictures = [render(View("x", big=verbatim(words)), (128, 64), ENGLISH) for words in ("漢字\ud800", "???", "ñüéêºß")]
    assert not differs(pictures[0], pictures[1])
    letters = [render(View("x", big=verbatim(c)), (128, 64), ENGLISH) for c in "ñüéêºß?"]
    assert all(differs(a, b) for a, b in itertools.combinations(letters, 2))


def test_a_wrong_title_is_inverted_and_a_win_is_framed() -> None:
    info, wrong, win = (
        render(View("x", title=verbatim("Title"), big=verbatim("big"), tone=tone), (128, 64), ENGLISH)
        for tone in ("info", "wrong", "win")
    )
    corners = [(0, 0), (127, 0), (0, 63), (127, 63)]
    assert [bool(info.getpixel(at)) for at in corners] == [False] * 4
    assert [bool(wrong.getpixel(at)) for at in corners] == [True, True, False, False]
    assert [bool(win.getpixel(at)) for at in corners] == [True] * 4


@pytest.mark.parametrize("chosen", range(8))
def test_the_chosen_line_is_in_sight_and_inverted(chosen: int) -> None:
    options = tuple(verbatim(f"option {n}") for n in range(8))
    here = render(View("x", title=verbatim("t"), choices=options, chosen=chosen), (128, 64), ENGLISH)
    columns = [[bool(here.getpixel((x, y))) for y in range(14, 64)] for x in (0, 120)]
    assert all(10 <= sum(column) <= 24 for column in columns), "one inverted bar"
    others = [
        render(View("x", title=verbatim("t"), choices=options, chosen=n), (128, 64), ENGLISH)
        for n in range(8)
        if n != chosen
    ]
    assert all(differs(here, other) for other in others)


def lone(state: str | None, picture: BoardPicture, area: Area, blink: bool = False, t_ms: int = 0) -> Image.Image:
    """A board whose first space is in a state and all others are empty."""
    marks = tuple(
        BoardMark(m.x, m.y, state if i == 0 else "empty", blink and i == 0) for i, m in enumerate(picture.marks)
    )
    image = Image.new("1", (area.width, area.height))
    draw_board(image, area, BoardPicture(marks, (), picture.radius), t_ms)
    return image


@pytest.mark.parametrize(
    ("picture", "size"),
    [(board37(), 39), (board37(), 51), (board37(), 64), (board37(), 80), (board61(), 51), (board61(), 64)],
    ids=["37 spaces, 39 px", "37, 51 px", "37, 64 px", "37, 80 px", "61 spaces, 51 px", "61, 64 px"],
)
def test_states_of_a_space_differ_by_shape(picture: BoardPicture, size: int) -> None:
    shown = [lone(state, picture, Area(0, 0, size, size)) for state in ("empty", "red", "green", "white", None)]
    for a, b in itertools.combinations(shown, 2):
        assert ImageChops.logical_xor(a, b).convert("L").histogram()[255] >= 1
    for image in shown[1:]:
        box = ImageChops.logical_xor(image, shown[0]).getbbox()
        assert box is not None
        assert max(box[2] - box[0], box[3] - box[1]) <= size / 6, "a space's shape stays in its place"


def test_a_board_too_small_to_read_is_reported() -> None:
    assert draw_board(Image.new("1", (30, 30)), Area(0, 0, 30, 30), board61(), 0) != []
    assert draw_board(Image.new("1", (51, 51)), Area(0, 0, 51, 51), board61(), 0) == []


@pytest.mark.parametrize("state", ["empty", "red", "green", "white", None])
def test_a_blinking_space_changes_every_half_second(state: str | None) -> None:
    area = Area(0, 0, 51, 51)
    shown = [lone(state, board37(), area, True, t_ms) for t_ms in (0, 499, 500, 999, 1000)]
    assert not differs(shown[0], shown[1]) and not differs(shown[2], shown[3]) and not differs(shown[0], shown[4])
    changed = ImageChops.logical_xor(shown[0], shown[2])
    assert changed.convert("L").histogram()[255] >= 12, "seen from a metre"


def test_the_board_lies_as_the_table_before_the_camera() -> None:
    def centre(x: float, y: float) -> tuple[float, float]:
        marks = [BoardMark(-1, -1, "white"), BoardMark(1, 1, "white"), BoardMark(x, y, "red", blink=True)]
        images = []
        for t_ms in (0, 500):
            image = Image.new("1", (60, 60))
            draw_board(image, Area(0, 0, 60, 60), BoardPicture(tuple(marks)), t_ms)
            images.append(image)
        box = ImageChops.logical_xor(*images).getbbox()
        assert box is not None
        return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2

    right, low = centre(0.8, 0), centre(0, 0.8)
    assert right[0] > 45 and 25 < right[1] < 35
    assert low[1] > 45 and 25 < low[0] < 35


@pytest.mark.parametrize("value", range(1, 7))
def test_a_die_shows_as_many_pips_as_its_value(value: int) -> None:
    image = Image.new("1", (40, 40))
    draw_dice(image, Area(0, 0, 40, 40), DicePicture((value,)), ENGLISH, 0)
    dots, seen = 0, set()
    lit = {(x, y) for x in range(40) for y in range(40) if image.getpixel((x, y))}
    for start in sorted(lit):
        if start in seen:
            continue
        dots += 1
        queue = [start]
        while queue:
            x, y = queue.pop()
            if (x, y) in lit and (x, y) not in seen:
                seen.add((x, y))
                queue += [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    assert dots == value + 1, "the pips and the border"


FACES = ("blue", "red", "yellow", "green", "wizard", "jester", None)


@pytest.mark.parametrize("area", [Area(0, 0, 17, 17), Area(0, 0, 31, 24)])
def test_faces_of_dice_differ_without_colour(area: Area) -> None:
    pictures = []
    for face in FACES:
        image = Image.new("1", (area.width + 1, area.height + 1))
        assert draw_dice(image, area, DicePicture((face,)), ENGLISH, 0) == []
        pictures.append(image)
    for one, other in itertools.combinations(pictures, 2):
        apart = ImageChops.logical_xor(one, other)
        assert sum(map(bool, apart.convert("L").tobytes())) > 12


def test_a_table_has_an_entry_in_every_cell_and_says_when_there_is_no_room() -> None:
    picture = GridPicture(("blue", "jester"), (("X", "-12"), ("1", "")))
    image = Image.new("1", (80, 30))
    assert draw_grid(image, Area(0, 0, grid_width(picture), 30), picture, ENGLISH, 500) == []
    changed = GridPicture(("blue", "jester"), (("X", "-12"), ("1", "5")))
    other = Image.new("1", (80, 30))
    draw_grid(other, Area(0, 0, grid_width(changed), 30), changed, ENGLISH, 500)
    box = ImageChops.logical_xor(image, other).getbbox()
    assert box is not None and box[0] > 40 and box[1] >= 15, "only the last cell differs"
    assert draw_grid(image, Area(0, 0, 40, 30), picture, ENGLISH, 0)
    assert draw_grid(image, Area(0, 0, 80, 12), picture, ENGLISH, 0)


def test_a_barred_choice_is_drawn_thin() -> None:
    choices = tuple(map(verbatim, ("one", "two", "three")))
    plain, barred = (render(View("x", choices=choices, barred=frozenset(b)), (128, 64), ENGLISH) for b in ((), (1,)))
    box = ImageChops.logical_xor(plain, barred).getbbox()
    assert box is not None and 20 <= box[1] < box[3] <= 44, "only the second row"


@given(st.text(alphabet="ab \xa0", max_size=40), st.integers(1, 20))
def test_wrapping_keeps_every_letter_and_no_row_is_too_long(words: str, letters: int) -> None:
    rows = wrap(words, letters, force=True)
    assert "".join(rows).replace(" ", "") == words.replace(" ", "")
    assert all(0 < len(row) <= letters for row in rows)
    assert wrap(words, letters) in ([], rows)


def test_drawing_needs_no_opencv_and_no_numpy() -> None:
    code = (
        "import sys\n"
        "from companion.screens.render import render\n"
        "from companion.screens.language import Translator\n"
        "from companion.screens.view import View, verbatim\n"
        "render(View('x', big=verbatim('Hello')), (128, 64), Translator('de'))\n"
        "print([m for m in ('cv2', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "[]"
