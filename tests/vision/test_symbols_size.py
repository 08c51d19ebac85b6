"""Whether one camera that stays where it is made an enrolment's pictures, and how large dice may be in others."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.symbols_scenes import Labelled
from companion.vision.symbols_size import die_sizes, searched_sizes

SIZE = 320, 240
PLACES = ((60, 60), (150, 70), (240, 60), (70, 150), (160, 170), (250, 160))


def wood(seed: int) -> np.ndarray:
    """A table with a grain: another seed is another place on it."""
    grain = np.random.default_rng(seed).normal(120, 40, (SIZE[1] // 6, SIZE[0] // 6, 3))
    return np.clip(cv2.resize(grain, SIZE, interpolation=cv2.INTER_CUBIC), 0, 255).astype(np.uint8)


def shown(table: np.ndarray, sides: tuple[float, ...]) -> Labelled:
    """White dice of these sides on a table."""
    picture, boxes = table.copy(), []
    for (x, y), side in zip(PLACES, sides, strict=False):
        h = side / 2
        cv2.rectangle(picture, (int(x - h), int(y - h)), (int(x + h), int(y + h)), (240, 240, 240), -1)
        boxes.append((x - h, y - h, side, side))
    return Labelled(picture, np.array(boxes, np.float64), ("a", "b", "c", "d", "e", "f")[: len(boxes)])


def test_pictures_from_two_places_are_no_fixed_cameras_though_their_dice_are_of_one_size() -> None:
    by_hand = [shown(wood(1), (24.0,) * 6), shown(wood(2), (24.0,) * 6)]
    sizes = searched_sizes(by_hand)
    assert len(sizes) > 5
    assert sizes[0] * SIZE[0] == pytest.approx(24 / 1.7)
    assert sizes[-1] * SIZE[0] == pytest.approx(24 * 1.7)


def test_a_fixed_camera_is_known_by_its_table() -> None:
    fixed = [shown(wood(1), (24.0,) * 6), shown(wood(1), (25.0,) * 6)]
    assert searched_sizes(fixed) == pytest.approx((24.5 / SIZE[0],))
    assert die_sizes(fixed) == pytest.approx([24.5, 24.5])


def test_a_hand_over_the_table_is_no_moved_camera() -> None:
    one, other = shown(wood(1), (24.0, 24.0)), shown(wood(1), (33.0, 33.0))
    other.picture[SIZE[1] // 3 :] = 180
    assert len(searched_sizes([one, other])) < 4


def test_under_a_fixed_camera_no_size_is_searched_that_was_not_enrolled() -> None:
    few = [shown(wood(1), (24.0, 24.0)), shown(wood(1), (33.0, 33.0))]
    sizes = searched_sizes(few)
    assert 1 < len(sizes) < 4
    assert (sizes[0] * SIZE[0], sizes[-1] * SIZE[0]) == pytest.approx((24, 33))


def test_a_plain_table_leaves_it_to_the_sizes() -> None:
    plain = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    assert len(searched_sizes([shown(plain, (24.0,) * 6), shown(plain, (25.0,) * 6)])) == 1
    assert len(searched_sizes([shown(plain, (20.0,) * 6), shown(plain, (30.0,) * 6)])) > 5


def test_one_picture_is_a_fixed_camera() -> None:
    assert len(searched_sizes([shown(wood(1), (24.0,) * 6)])) == 1


def test_dice_that_fill_the_picture_hide_whether_it_is_the_same_table() -> None:
    crowded = [shown(wood(seed), (70.0,) * 6) for seed in (1, 2)]
    assert len(searched_sizes(crowded)) == 1
