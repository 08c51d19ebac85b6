"""Guards the reader of pip dice on drawn dice: every value at every turn, touching, glossy, cut, none at all."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.dice import read_pip_dice
from companion.vision.readings import DieReading

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


def values(dice: tuple[DieReading, ...]) -> list[int | str | None]:
    return sorted((d.value for d in dice), key=str)


@pytest.mark.parametrize("turn", [0, 17, 33, 45, 80])
def test_every_value_at_every_turn(turn: int) -> None:
    table = Table()
    for value in range(1, 7):
        table.die(value, (80 + 130 * ((value - 1) % 3), 90 + 160 * ((value - 1) // 3)), turn=turn + 7 * value)
    assert values(read_pip_dice(table.picture())) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("body", "pip", "name"), [(RED, WHITE, "red"), (GREEN, WHITE, "green"), (WHITE, BLACK, "white")]
)
def test_value_colour_and_box(body: tuple[int, int, int], pip: tuple[int, int, int], name: str) -> None:
    (die,) = read_pip_dice(Table().die(5, (200, 150), turn=20, body=body, pip=pip).picture())
    assert (die.value, die.colour) == (5, name)
    x, y, w, h = die.box
    assert abs(x + w / 2 - 200) < 6
    assert abs(y + h / 2 - 150) < 6
    assert 44 <= w <= 76


def test_side_faces_are_not_added() -> None:
    table = Table()
    for k, value in enumerate((4, 5, 6)):
        table.die(value, (90 + 140 * k, 150), turn=15 * k, squash=0.85)
    assert values(read_pip_dice(table.picture())) == [4, 5, 6]


def test_glossy_pips_count_once() -> None:
    table = Table()
    for k, value in enumerate((3, 4, 6)):
        table.die(value, (90 + 140 * k, 150), edge=80, turn=20 * k, glare=True)
    assert values(read_pip_dice(table.picture())) == [3, 4, 6]


def test_gap_between_touching_dice_is_no_pip() -> None:
    table = Table(colour=(30, 30, 30))
    for k, value in enumerate((4, 5, 6, 3)):
        table.die(value, (160 + 47 * (k % 2), 150 + 47 * (k // 2)))
    assert values(read_pip_dice(table.picture())) == [3, 4, 5, 6]


@pytest.mark.parametrize("blur", [0.6, 8.0])
def test_an_empty_table_is_empty(blur: float) -> None:
    assert read_pip_dice(Table().picture(noise=6.0, blur=blur)) == ()


def test_a_blurred_die_is_never_a_wrong_one() -> None:
    for blur in (2.0, 4.0, 7.0, 12.0):
        for die in read_pip_dice(Table().die(5, (200, 150)).picture(blur=blur)):
            assert die.value in (5, None)


def test_a_die_cut_by_the_frame_is_never_a_wrong_one() -> None:
    for x in range(-20, 30, 5):
        for die in read_pip_dice(Table().die(6, (x, 150)).picture()):
            assert die.value in (6, None)


def test_flips_and_quarter_turns_read_the_same() -> None:
    table = (
        Table().die(2, (90, 90), turn=10).die(6, (230, 100), turn=30, body=RED, pip=WHITE).die(3, (350, 240), turn=61)
    )
    picture = table.picture()
    turned = [picture, picture[::-1], picture[:, ::-1], np.rot90(picture), np.rot90(picture, 2)]
    assert [values(read_pip_dice(np.ascontiguousarray(p))) for p in turned] == [[2, 3, 6]] * 5


def test_the_same_picture_gives_the_same_reading() -> None:
    picture = Table().die(2, (90, 90)).die(6, (230, 100)).picture()
    assert read_pip_dice(picture) == read_pip_dice(picture.copy())


def test_a_card_is_no_die() -> None:
    table = Table()
    cv2.rectangle(table.fine, (100 * FINE, 60 * FINE), (280 * FINE, 310 * FINE), (245, 245, 245), -1)
    for x, y in ((130, 100), (250, 100), (130, 270), (250, 270)):
        cv2.circle(table.fine, (x * FINE, y * FINE), 13 * FINE, (30, 30, 180), -1)
    assert all(d.value is None for d in read_pip_dice(table.picture()))


def test_an_excluded_area_is_not_read() -> None:
    picture = Table().die(5, (90, 90)).die(6, (330, 200)).picture()
    board = np.zeros(picture.shape[:2], np.uint8)
    board[:, :200] = 255
    assert values(read_pip_dice(picture, exclude=board)) == [6]


def test_a_die_of_another_size_than_expected_is_not_read() -> None:
    picture = Table().die(5, (90, 90), edge=30).die(6, (330, 200), edge=90).picture()
    assert values(read_pip_dice(picture, die_px=90)) == [6]


def test_a_big_picture_has_boxes_in_its_own_pixels() -> None:
    picture = Table(640, 480).die(5, (400, 300), edge=60).picture()
    (die,) = read_pip_dice(cv2.resize(picture, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC))
    x, y, w, h = die.box
    assert die.value == 5
    assert (abs(x + w / 2 - 1200) < 12, abs(y + h / 2 - 900) < 12) == (True, True)
