"""What enrolled dice say of each other, and how faint prints are compared."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.symbols_find import UNIT
from companion.vision.symbols_match import DISC, TURNS, Faces, Lens, enrol_faces, tints
from companion.vision.symbols_net import MOVES, WIDTH, Prints
from companion.vision.symbols_net import TURNS as VIEWS
from companion.vision.symbols_scenes import Shown
from companion.vision.symbols_trust import Trust, measure_trust

LENS = Lens(0.0, 0.0, wide=False, stretched=True)


def trust_of(looks: npt.NDArray[np.floating], owner: list[int]) -> Trust:
    """Of dice whose looks have these directions, the same for both witnesses."""
    looks = looks / np.linalg.norm(looks, axis=1, keepdims=True)
    wide = np.zeros((len(looks), 3 * len(DISC)), np.float32)
    wide[:, : looks.shape[1]] = looks
    values = tuple(str(k) for k in range(max(owner) + 1))
    own = np.repeat(np.array(owner, np.intp), TURNS)
    faces = Faces(wide.repeat(TURNS, axis=0), own, np.repeat(np.arange(len(owner)), TURNS), values)
    towards = np.zeros((len(looks), len(MOVES), VIEWS, WIDTH), np.float32)
    towards[..., : looks.shape[1]] = looks[:, None, None]
    return measure_trust(faces, Prints(towards, np.array(owner, np.intp)))


def dice(owner: list[int], noise: float, seed: int = 1) -> npt.NDArray[np.floating]:
    """Directions of faces, each die a little off."""
    return np.eye(8)[owner] + noise * np.random.default_rng(seed).normal(size=(len(owner), 8))


def test_dice_that_are_told_by_one_another_are_believed() -> None:
    owner = [0, 0, 1, 1, 2, 2, 3, 3]
    trust = trust_of(dice(owner, 0.05), owner)
    assert trust.told == 1
    assert not trust.least.any()
    assert not trust.alone.any()


def test_where_most_are_not_told_no_face_is_believed_that_fits_no_better() -> None:
    shown, named = [0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 2, 3, 0, 1, 2, 3]
    trust = trust_of(dice(shown, 0.05), named)
    assert trust.told < 0.5
    assert trust.least.min() > 0.95


def test_two_names_for_one_print_say_nothing_against_the_others() -> None:
    shown, named = [0, 0, 1, 1, 1, 1, 2, 2], [0, 0, 1, 3, 1, 3, 2, 2]
    least = next(
        t.least for t in (trust_of(dice(shown, 0.05, seed), named) for seed in range(99)) if 0.5 <= t.told < 0.75
    )
    assert least[1] > 0.9 < least[3]
    assert least[0] == least[2] == 0


def test_a_face_shown_once_beside_dice_that_are_mistaken_makes_all_values_less_certain() -> None:
    shown = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    named = [0, 0, 1, 1, 2, 2, 3, 3, 4, 0, 5]
    doubted, sound = (trust_of(dice(shown, 0.05), owner) for owner in (named, shown))
    assert doubted.told < 0.95 < sound.told
    assert doubted.weighed(0.9) < 0.5
    assert doubted.weighed(0.98) == pytest.approx(0.8)
    assert sound.weighed(0.9) == pytest.approx(0.9)
    assert (doubted.weighed(0.0), doubted.weighed(1.0)) == (0, 1)


def test_too_few_dice_say_nothing() -> None:
    assert not trust_of(dice([0, 1, 0, 1], 0.05), [0, 0, 1, 1]).least.any()


def test_a_face_shown_once_is_granted_what_others_gain_by_more_looks() -> None:
    owner = [0, 0, 0, 1, 1, 1, 2]
    granted = trust_of(dice(owner, 0.3), owner).granted()
    assert granted[0, 2] > 0.01
    assert granted[2, 0] == granted[0, 1] == 0


def test_what_fits_much_less_than_enrolled_dice_do_is_believed_of_another_camera_only() -> None:
    owner = [0, 0, 1, 1, 2, 2, 3, 3]
    trust = trust_of(dice(owner, 0.05), owner)
    assert trust.usual > 0.95
    assert trust.believed(0, 0.9, fixed=True)
    assert trust.believed(0, 0.8, fixed=False)
    assert not trust.believed(0, 0.8, fixed=True)


def test_colours_of_a_print_are_the_same_whichever_way_it_is_turned() -> None:
    rng = np.random.default_rng(2)
    seen = rng.normal(size=(3, len(DISC), 3)) * np.array([3.0, 1.0, 0.3])
    turned = seen[:, rng.permutation(len(DISC))]
    one, other = (tints(s.reshape(3, -1).astype(np.float32)) for s in (seen, turned))
    assert np.allclose(one, other, atol=1e-5)
    assert np.allclose((one**2).sum(axis=(1, 2)), 1, atol=1e-5)
    swapped = tints(seen[..., ::-1].reshape(3, -1).astype(np.float32))
    assert ((one * swapped).sum(axis=(1, 2)) < 0.5).all()


def test_colours_are_asked_as_much_as_the_enrolled_dice_of_a_face_agree() -> None:
    owner = [0, 0, 1]
    trust = trust_of(dice(owner, 0.05), owner)
    assert -1 < trust.tint[0] <= 0.96
    assert trust.tint[1] == -1


def burnt_tops() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """Two tops burnt out, with a faint bar and a faint spot: BGR, and their middles in px."""
    picture = np.full((80, 160, 3), 60, np.uint8)
    for x in (40, 120):
        cv2.rectangle(picture, (x - 10, 30), (x + 10, 50), (254, 255, 254), -1)
    cv2.rectangle(picture, (38, 35), (42, 45), (254, 250, 251), -1)
    cv2.circle(picture, (120, 40), 4, (250, 254, 252), -1)
    return picture, np.array([[40.5, 40.5], [120.5, 40.5]])


def test_faint_prints_are_told_beside_an_edge_that_another_look_has_not() -> None:
    picture, middles = burnt_tops()
    # The lens looks from straight above: no lean, wherever the tops are.
    flat = LENS.flattened(picture)
    shown = Shown(picture, LENS.under(middles, (160, 80)), np.full((2, 2), float(UNIT)), ("bar", "spot"))
    faces = enrol_faces([shown], [flat], LENS)
    other = picture.copy()
    other[:, 46:52] = 60  # the bar's die ends earlier, on one side
    found = LENS.under(middles[:1] + 0.4, (160, 80))
    plain = faces.by_value(faces.alike(LENS.flattened(other), found, LENS)[0])[0]
    weighed = faces.by_value(faces.weighed(LENS.flattened(other), other, found, LENS))[0]
    assert weighed.argmax() == 0
    assert weighed[0] - weighed[1] > plain[0] - plain[1]


def test_a_top_at_the_edge_of_the_picture_is_compared_too() -> None:
    picture, middles = burnt_tops()
    flat = LENS.flattened(picture)
    shown = Shown(picture, middles, np.full((2, 2), float(UNIT)), ("bar", "spot"))
    faces = enrol_faces([shown], [flat], LENS)
    fits = faces.weighed(flat, picture, np.array([[1.0, 1.0], [159.0, 79.0], [300.0, -90.0]]), LENS)
    assert fits.shape == (3, 2 * TURNS)
    assert np.isfinite(fits).all()


def test_what_lies_around_places_looks_as_in_the_whole_picture() -> None:
    picture = np.random.default_rng(5).integers(0, 256, (200, 260, 3), np.uint8)
    picture = cv2.GaussianBlur(picture, (0, 0), 2)
    places = np.array([[60.0, 70.0], [120.0, 90.0]])
    near = LENS.flattened(picture, places)
    assert near.shape == picture.shape
    assert not near[180:].any()
    assert np.abs(near - LENS.flattened(picture))[46:114, 36:144].max() < 1
