"""The drawn table: the same seed gives the same picture, any board and size can be drawn, and the truth is true."""

import json
import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.layout import BoardLayout, load_layout, parse_layout
from companion.simulator.renderer import SEAT_DEG, Renderer
from companion.simulator.scene import Die, Hand, Scene, Stick, Topping
from companion.simulator.solids import FACES, die_rotation
from companion.simulator.truth import truth

HEX37 = load_layout("hex37")


def hexagon(side: int, pitch: float, diameter: float) -> BoardLayout:
    """A board of another size: rows of spaces in a hexagon, lines between the rows of each direction."""
    step = pitch * math.sqrt(3) / 2
    cells = [(q, r) for q in range(1 - side, side) for r in range(1 - side, side) if abs(q + r) < side]
    name = {c: f"s{i:02}" for i, c in enumerate(cells)}
    around = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
    spaces = {
        name[q, r]: {
            "x_mm": q * step,
            "y_mm": (r + q / 2) * pitch,
            "neighbours": [name[q + a, r + b] for a, b in around if (q + a, r + b) in name],
        }
        for q, r in cells
    }
    lines = []
    for board_side, angle in ((1, 0.0), (2, 120.0), (3, 240.0)):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        for number in range(1, 2 * side - 1):
            x, y = (number - side + 0.5) * step, diameter / 2
            ends = [[x * c - v * s, x * s + v * c] for v in (-y, y)]
            lines.append(
                {"side": board_side, "number": number, "near_mm": ends[0], "far_mm": ends[1], "touching": ["s00"]}
            )
    corners = list(name.values())
    return parse_layout(
        {
            "name": f"hexagon{len(cells)}",
            "pitch_mm": pitch,
            "board_diameter_mm": diameter,
            "topping_diameter_mm": pitch * 0.75,
            "toppings_per_colour": 30,
            "colours": ["red", "green", "white"],
            "spaces": spaces,
            "lines": lines,
            "sides": {"1": {"angle_deg": -90}, "2": {"angle_deg": 30}, "3": {"angle_deg": 150}},
            "start_spaces": {"1": corners[:2], "2": corners[2:4], "3": corners[4:6]},
        }
    )


def some_scene(layout: BoardLayout, seed: int = 0) -> Scene:
    rng = np.random.default_rng(seed)
    toppings = tuple(
        Topping(s.x_mm, s.y_mm, layout.colours[int(rng.integers(3))], int(rng.integers(3)), float(rng.uniform(0, 360)))
        for s in layout.spaces.values()
        if rng.random() < 0.5
    )
    line = layout.line(2, 2)
    dice = tuple(
        Die(192 * math.cos(math.radians(a)), 192 * math.sin(math.radians(a)), int(rng.integers(1, 7)), c, 20.0)
        for a, c in zip(SEAT_DEG.values(), layout.colours, strict=True)
    )
    return Scene(
        turn_deg=120, toppings=toppings, sticks=(Stick("green", line.near_mm, line.far_mm, (2, 2)),), dice=dice
    )


def test_the_same_seed_draws_the_same_picture() -> None:
    first, again, other = (Renderer(seed, HEX37, (480, 360)).draw(some_scene(HEX37), 40) for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_picture_does_not_depend_on_what_was_drawn_before() -> None:
    """What is kept between pictures must never show: every scene after others equals the scene drawn alone."""
    scene = some_scene(HEX37)
    hand = replace(scene, hands=(Hand(10, 0, -80),))
    steps = [
        Scene(),
        replace(scene, sticks=(), dice=()),
        hand,
        scene,
        replace(scene, toppings=scene.toppings[:-2]),
        replace(scene, turn_deg=0),
        replace(hand, lamp=True),
        replace(scene, shift_mm=(8.0, -3.0)),
        replace(scene, board=False, toppings=(), sticks=()),
        hand,
    ]
    used = Renderer(5, HEX37, (320, 240))
    for step in steps:
        assert np.array_equal(used.draw(step, 0), Renderer(5, HEX37, (320, 240)).draw(step, 0))


@pytest.mark.parametrize(
    ("layout", "size"),
    [(HEX37, (640, 480)), (hexagon(3, 40, 240), (480, 360)), (hexagon(5, 30, 320), (1280, 960)), (HEX37, (500, 500))],
    ids=lambda v: getattr(v, "name", str(v)),
)
def test_any_board_and_size_can_be_drawn(layout: BoardLayout, size: tuple[int, int]) -> None:
    renderer, scene = Renderer(2, layout, size), some_scene(layout)
    picture = renderer.draw(scene, 0)
    assert picture.shape == (size[1], size[0], 3)
    assert picture.dtype == np.uint8
    shown = truth(renderer, scene)
    assert all(0 < x < size[0] and 0 < y < size[1] for x, y in shown.places.values())
    json.dumps(shown.to_json())


@pytest.mark.parametrize("seed", range(4))
def test_toppings_have_their_colours_where_the_truth_says(seed: int) -> None:
    renderer, scene = Renderer(seed, HEX37, (640, 480)), replace(some_scene(HEX37, seed), dice=(), sticks=())
    picture, shown = renderer.draw(scene, 0), truth(renderer, scene)
    for space, state in shown.spaces.items():
        x, y = (round(v) for v in shown.places[space])
        b, g, r = (float(v) for v in picture[y - 4 : y + 5, x - 4 : x + 5].reshape(-1, 3).mean(axis=0))
        if state == "red":
            assert r > 1.5 * g and r > 1.5 * b
        elif state == "green":
            assert g > 1.1 * r and g > 1.3 * b
        else:
            assert max(b, g, r) < 2.2 * min(b, g, r)


@pytest.mark.parametrize("seed", range(12))
def test_boxes_of_dice_lie_in_the_picture_and_hold_the_die(seed: int) -> None:
    """Every table is chosen so that the dice beside the board can be seen."""
    renderer, scene = Renderer(seed, HEX37, (320, 240)), some_scene(HEX37, seed)
    with_dice, without = (renderer.draw(s, 0).astype(int) for s in (scene, replace(scene, dice=())))
    for _, _, (x, y, w, h) in truth(renderer, scene).dice:
        assert x >= 0 and y >= 0 and x + w <= 320 and y + h <= 240
        assert 6 <= w <= 40 and 6 <= h <= 40
        changed = np.abs(with_dice - without).max(axis=2)[y : y + h, x : x + w] > 25
        assert changed.mean() > 0.5


def test_what_covers_a_space_lowers_its_visible_share() -> None:
    renderer = Renderer(4, HEX37, (640, 480))
    line = HEX37.line(1, 3)
    empty = Scene(toppings=(Topping(0, 0, "red"),))
    stick = replace(empty, sticks=(Stick("white", line.near_mm, line.far_mm, (1, 3)),))
    hand = replace(empty, hands=(Hand(0, 40, -90),))
    assert set(truth(renderer, empty).visible.values()) == {1.0}
    assert min(truth(renderer, stick).visible.values()) > 0.5  # a stick lies between the rows
    covered = truth(renderer, hand)
    assert covered.hand and covered.visible["d4"] < 0.2
    assert truth(renderer, stick).cutters == ((1, 3, "white"),)
    away = truth(renderer, replace(empty, hands=(Hand(3000, 0, 0),)))
    assert not away.hand


@pytest.mark.parametrize("value", range(1, 7))
def test_a_die_shows_its_value_on_top_and_opposite_faces_add_to_seven(value: int) -> None:
    rotation = die_rotation(Die(0, 0, value, "red", spin_deg=33))
    heights = {v: float((rotation @ axis)[2]) for v, axis in FACES.items()}
    assert heights[value] == pytest.approx(1)
    assert heights[7 - value] == pytest.approx(-1)
    assert np.linalg.det(rotation) == pytest.approx(1)


def test_pips_can_be_counted_from_the_picture() -> None:
    """A plain count of light spots on the top face gives the value: the pips are really drawn."""
    renderer = Renderer(1, HEX37, (1280, 960))
    for value in range(1, 7):
        die = Die(0, -190, value, "white", 15.0)
        picture = renderer.draw(Scene(dice=(die,)), 0)
        faces = renderer.die_faces(die)
        assert len(faces) >= 1 + 1 + value
        ((_, _, (x, y, w, h)),) = truth(renderer, Scene(dice=(die,))).dice
        grey = cv2.cvtColor(picture[y : y + h, x : x + w], cv2.COLOR_BGR2GRAY)
        dark = (grey < 0.45 * np.percentile(grey, 90)).astype(np.uint8)
        count, _, stats, _ = cv2.connectedComponentsWithStats(dark)
        areas = [int(a) for a in stats[1:count, cv2.CC_STAT_AREA]]
        assert sum(a > 12 for a in areas) >= value


@pytest.mark.parametrize("pose", ["pinch", "flat"])
def test_a_hand_is_drawn_over_the_board(pose: str) -> None:
    renderer = Renderer(6, HEX37, (320, 240))
    with_hand = renderer.draw(Scene(hands=(Hand(0, 0, -90, 1, pose),)), 0).astype(int)  # type: ignore[arg-type]
    changed = np.abs(with_hand - renderer.draw(Scene(), 0)).max(axis=2) > 20
    assert 0.05 < changed.mean() < 0.6
