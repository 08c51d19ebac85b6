"""Guards the reader of pip dice on drawn dice: every value at every turn, touching, glossy, cut, none at all."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.vision.dice_colour import body_colour, white_of
from companion.vision.dice_pips import find_pips, to_lab
from companion.vision.dice_shapes import ShapeDie, read_shapes

PLACES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
FINE = 4
RED, WHITE, GREEN, BLACK = (45, 40, 190), (235, 238, 240), (70, 140, 50), (35, 32, 30)
Picture = npt.NDArray[np.uint8]


class Table:
    """A table drawn at four times its size, with dice seen from above or at a slant."""

    def __init__(self, width: int = 480, height: int = 360, colour: tuple[int, int, int] = (90, 120, 150)) -> None:
        self.fine = np.full((height * FINE, width * FINE, 3), colour, np.uint8)

    def die(
        self,
        value: int,
        at: tuple[float, float],
        *,
        edge: float = 44,
        turn: float = 0,
        body: tuple[int, int, int] = WHITE,
        pip: tuple[int, int, int] = (25, 25, 25),
        glare: bool = False,
        squash: float = 1.0,
    ) -> Table:
        """Draws a die; ``turn`` in degrees, ``squash`` foreshortens downwards and shows a side face."""
        a = np.radians(turn)
        spin = np.array([[1, 0], [0, squash]]) @ np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) * edge / 2

        def place(points: list[tuple[float, float]]) -> npt.NDArray[np.int32]:
            return np.rint((np.array(points) @ spin.T + at) * FINE).astype(np.int32)

        square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        if squash < 1:
            drop = np.array([0, edge * np.sqrt(1 - squash**2) * FINE])
            hull = cv2.convexHull(np.concatenate([place(square), (place(square) + drop).astype(np.int32)]))
            cv2.fillConvexPoly(self.fine, hull, tuple(int(0.6 * c) for c in body), cv2.LINE_AA)
        cv2.fillConvexPoly(self.fine, place(square), body, cv2.LINE_AA)
        circle = [(0.19 * np.cos(t), 0.19 * np.sin(t)) for t in np.linspace(0, 2 * np.pi, 40, endpoint=False)]
        for x, y in PLACES[value]:
            cv2.fillConvexPoly(self.fine, place([(0.54 * x + u, 0.54 * y + v) for u, v in circle]), pip, cv2.LINE_AA)
            if glare:
                spot = place([(0.54 * x, 0.54 * y)])[0]
                cv2.circle(self.fine, (int(spot[0]), int(spot[1])), int(0.06 * edge / 2 * FINE), (250, 250, 250), -1)
        return self

    def picture(self, noise: float = 2.0, blur: float = 0.6) -> Picture:
        """The table as a camera sees it."""
        small = cv2.resize(self.fine, None, fx=1 / FINE, fy=1 / FINE, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), blur).astype(np.float32)
        grain = np.random.default_rng(7).normal(0, noise, small.shape)
        return np.clip(small + grain, 0, 255).astype(np.uint8)


def values(dice: tuple[ShapeDie, ...]) -> list[int | str | None]:
    return sorted((d.certain_value for d in dice), key=str)


@pytest.mark.parametrize("turn", [0, 17, 33, 45, 80])
def test_every_value_at_every_turn(turn: int) -> None:
    table = Table()
    for value in range(1, 7):
        table.die(value, (80 + 130 * ((value - 1) % 3), 90 + 160 * ((value - 1) // 3)), turn=turn + 7 * value)
    assert values(read_shapes(table.picture())) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("body", "pip", "name"), [(RED, WHITE, "red"), (GREEN, WHITE, "green"), (WHITE, BLACK, "white")]
)
def test_value_colour_and_box(body: tuple[int, int, int], pip: tuple[int, int, int], name: str) -> None:
    (die,) = read_shapes(Table().die(5, (200, 150), turn=20, body=body, pip=pip).picture())
    assert (die.certain_value, die.colour) == (5, name)
    x, y, w, h = die.box
    assert abs(x + w / 2 - 200) < 6
    assert abs(y + h / 2 - 150) < 6
    assert 44 <= w <= 76


def test_side_faces_are_not_added() -> None:
    table = Table()
    for k, value in enumerate((4, 5, 6)):
        table.die(value, (90 + 140 * k, 150), turn=15 * k, squash=0.85)
    assert values(read_shapes(table.picture())) == [4, 5, 6]


def test_glossy_pips_count_once() -> None:
    table = Table()
    for k, value in enumerate((3, 4, 6)):
        table.die(value, (90 + 140 * k, 150), edge=80, turn=20 * k, glare=True)
    assert values(read_shapes(table.picture())) == [3, 4, 6]


def test_gap_between_touching_dice_is_no_pip() -> None:
    table = Table(colour=(30, 30, 30))
    for k, value in enumerate((4, 5, 6, 3)):
        table.die(value, (160 + 47 * (k % 2), 150 + 47 * (k // 2)))
    assert values(read_shapes(table.picture())) == [3, 4, 5, 6]


@pytest.mark.parametrize("blur", [0.6, 8.0])
def test_an_empty_table_is_empty(blur: float) -> None:
    assert read_shapes(Table().picture(noise=6.0, blur=blur)) == ()


def test_a_blurred_die_is_never_a_wrong_one() -> None:
    for blur in (2.0, 4.0, 7.0, 12.0):
        for die in read_shapes(Table().die(5, (200, 150)).picture(blur=blur)):
            assert die.certain_value in (5, None)


def test_a_die_cut_by_the_frame_is_never_a_wrong_one() -> None:
    for x in range(-20, 30, 5):
        for die in read_shapes(Table().die(6, (x, 150)).picture()):
            assert die.certain_value in (6, None)


def test_flips_and_quarter_turns_read_the_same() -> None:
    table = (
        Table().die(2, (90, 90), turn=10).die(6, (230, 100), turn=30, body=RED, pip=WHITE).die(3, (350, 240), turn=61)
    )
    picture = table.picture()
    turned = [picture, picture[::-1], picture[:, ::-1], np.rot90(picture), np.rot90(picture, 2)]
    assert [values(read_shapes(np.ascontiguousarray(p))) for p in turned] == [[2, 3, 6]] * 5


def test_the_same_picture_gives_the_same_reading() -> None:
    picture = Table().die(2, (90, 90)).die(6, (230, 100)).picture()
    assert read_shapes(picture) == read_shapes(picture.copy())


def test_a_card_is_no_die() -> None:
    table = Table()
    cv2.rectangle(table.fine, (100 * FINE, 60 * FINE), (280 * FINE, 310 * FINE), (245, 245, 245), -1)
    for x, y in ((130, 100), (250, 100), (130, 270), (250, 270)):
        cv2.circle(table.fine, (x * FINE, y * FINE), 13 * FINE, (30, 30, 180), -1)
    assert all(d.certain_value is None for d in read_shapes(table.picture()))


def test_an_excluded_area_is_not_read() -> None:
    picture = Table().die(5, (90, 90)).die(6, (330, 200)).picture()
    board = np.zeros(picture.shape[:2], np.uint8)
    board[:, :200] = 255
    assert values(read_shapes(picture, exclude=board)) == [6]


def test_a_die_of_another_size_than_expected_is_not_read() -> None:
    picture = Table().die(5, (90, 90), edge=30).die(6, (330, 200), edge=90).picture()
    assert values(read_shapes(picture, die_px=90)) == [6]


def test_a_big_picture_has_boxes_in_its_own_pixels() -> None:
    picture = Table(640, 480).die(5, (400, 300), edge=60).picture()
    (die,) = read_shapes(cv2.resize(picture, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC))
    x, y, w, h = die.box
    assert die.certain_value == 5
    assert (abs(x + w / 2 - 1200) < 12, abs(y + h / 2 - 900) < 12) == (True, True)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    value=st.integers(1, 6),
    turn=st.floats(0, 90),
    edge=st.floats(26, 90),
    squash=st.sampled_from([1.0, 0.95, 0.85]),
    colours=st.sampled_from([(WHITE, BLACK), (RED, WHITE), (GREEN, WHITE), (BLACK, WHITE), (WHITE, RED)]),
)
def test_a_die_is_read_right_or_not_at_all(
    value: int,
    turn: float,
    edge: float,
    squash: float,
    colours: tuple[tuple[int, int, int], tuple[int, int, int]],
) -> None:
    table = Table(320, 240).die(value, (160, 110), edge=edge, turn=turn, squash=squash, body=colours[0], pip=colours[1])
    assert [d.certain_value for d in read_shapes(table.picture()) if d.certain_value is not None] in ([value], [])


@pytest.mark.parametrize("shape", [(1, 1), (5, 400), (30, 30)])
def test_tiny_pictures_are_empty(shape: tuple[int, int]) -> None:
    assert read_shapes(np.zeros((*shape, 3), np.uint8)) == ()


def test_pips_are_found_where_they_are_and_of_their_size() -> None:
    pips = find_pips(Table().die(4, (200, 150), edge=60).picture())
    for x, y in PLACES[4]:
        # A point drawn on the fine table lies half a fine pixel less half a coarse one further up and left.
        true = np.array((200 + 0.54 * 30 * x, 150 + 0.54 * 30 * y)) + 0.5 / FINE - 0.5
        gap = np.linalg.norm(pips.centre - true, axis=1)
        nearest = int(gap.argmin())
        assert gap[nearest] < 0.5
        assert pips.dark[nearest]
        assert pips.radius[nearest] == pytest.approx(0.19 * 30, rel=0.15)


@pytest.mark.parametrize(
    ("bgr", "name"),
    [
        ((240, 240, 240), "white"),
        ((30, 30, 30), "black"),
        ((40, 35, 180), "red"),
        ((60, 140, 40), "green"),
        ((200, 90, 40), "blue"),
        ((40, 210, 240), "yellow"),
        ((160, 50, 110), "purple"),
    ],
)
@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.8, 0.95, 1.0), (1.0, 0.96, 0.88)])
def test_colours_keep_their_names_in_warm_and_cold_light(
    bgr: tuple[int, int, int], name: str, light: tuple[float, float, float]
) -> None:
    table = np.full((80, 80, 3), 200, np.float64)
    table[::16] = 245
    white = white_of((table * light).astype(np.uint8))
    body = to_lab((np.array(bgr) * light).astype(np.float32)[None])[0]
    assert body_colour(body, white) == name


def test_a_colour_between_two_names_has_none() -> None:
    white = np.full(3, 255, np.float32)
    turquoise = to_lab(np.array([[165, 150, 30]], np.float32))[0]
    orange_red = to_lab(np.array([[20, 75, 230]], np.float32))[0]
    assert body_colour(turquoise, white) in (None, "green", "blue")
    assert body_colour(orange_red, white) is None


def test_a_checked_cloth_is_no_dice_and_hides_none() -> None:
    table = Table(480, 360, colour=(200, 205, 210))
    for row in range(0, 12):
        for column in range(0, 16):
            if row % 2 and column % 2:
                x, y = column * 30 * FINE, row * 30 * FINE
                cv2.rectangle(table.fine, (x, y), (x + 30 * FINE, y + 30 * FINE), (120, 60, 40), -1)
    read = values(read_shapes(table.die(5, (240, 180), edge=80, turn=12, body=RED, pip=WHITE).picture()))
    assert read in ([5], [None], [])
