"""The whole board: on drawn tables of several layouts, and on the rendered pictures where they are at hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.geometry import fit_plane
from companion.layout import load_layout
from companion.simulator.scene import Die, Hand, Scene
from companion.simulator.truth import truth
from companion.vision.board import make_reference, read_board, read_surface, rectified, whole_spaces
from companion.vision.pose import BoardPose

RENDERS = Path(__file__).resolve().parents[3] / "shared" / "bench" / "renders" / "pizza"


def _count(table: Any, scene: Scene, surface: Any) -> Counter[str]:
    counts: Counter[str] = Counter()
    shown = truth(table.renderer, scene)
    for space, state in shown.spaces.items():
        told = surface.spaces[space].state
        if told is None:
            counts["null" if shown.visible[space] >= 0.6 else "hidden"] += 1
        else:
            counts["right" if told == state else "wrong"] += 1
    return counts


def test_drawn_tables_are_read_or_left_open_never_wrong(draw_table: Callable[..., Any]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(8):
        table = draw_table(seed)
        scene = Scene(
            toppings=table.full(seed, (0.3, 0.9)[seed % 2]),
            sticks=(table.stick(1, 3, "red"), table.stick(2, 5, "white")),
            hands=(Hand(30, 30, 30, seed),) if seed % 3 == 0 else (),
            lamp=seed % 4 == 1,
            shadow=(0.0, 20.0) if seed % 4 == 2 else None,
            turn_deg=120.0 * (seed % 3),
        )
        counts += _count(table, scene, table.look(scene, off_mm=(0.4, -0.4)))
    assert counts["wrong"] == 0
    assert counts["right"] > 0.95 * (counts["right"] + counts["null"])


@pytest.mark.parametrize(("side", "pitch", "diameter"), [(3, 42.0, 250.0), (5, 28.0, 310.0)])
def test_another_layout(
    draw_table: Callable[..., Any], hexagon: Callable[..., Any], side: int, pitch: float, diameter: float
) -> None:
    """19 spaces and 61, larger and smaller toppings: nothing is wired to the built-in board."""
    table = draw_table(6, hexagon(side, pitch, diameter))
    scene = Scene(toppings=table.full(1, 0.6))
    counts = _count(table, scene, table.look(scene))
    assert counts["wrong"] == 0
    assert counts["right"] > 0.75 * sum(counts.values())


def test_an_empty_board_is_empty(draw_table: Callable[..., Any]) -> None:
    table = draw_table(3)
    surface = table.look(Scene(turn_deg=240.0), off_mm=(-0.5, 0.3))
    assert {r.state for r in surface.spaces.values()} <= {"empty", None}
    assert surface.cutters == ()


def test_spaces_cut_by_the_edge_of_the_picture_are_not_read(draw_table: Callable[..., Any]) -> None:
    table = draw_table(3)
    scene = Scene(toppings=table.full(3, 1.0))
    picture, pose = table.picture(scene), table.pose(scene)
    cut = int(pose.to_px([(0.0, 0.0)])[0, 0])
    picture[:, cut:] = 0
    seen = whole_spaces(pose, table.layout, picture[:, :cut])
    flat = rectified(picture, pose, table.reference.px_per_mm, table.reference.half_mm)
    surface = read_surface(flat, table.reference, seen)
    assert 5 < seen.sum() < 32
    for known, reading in zip(seen, surface.spaces.values(), strict=True):
        assert known or (reading.state, reading.confidence) == (None, 0.0)


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_plain_picture_gives_nothing(draw_table: Callable[..., Any], level: int) -> None:
    table = draw_table(3)
    reading = read_board(np.full((720, 960, 3), level, np.uint8), table.pose(), table.reference)
    assert reading.status == "unsure"
    assert reading.reason
    assert set((reading.spaces or {}).values()) == {None}
    assert reading.cutters == ()


def test_an_unknown_turn_gives_no_space_and_no_cutter(draw_table: Callable[..., Any]) -> None:
    table = draw_table(3)
    scene = Scene(toppings=table.full(3), sticks=(table.stick(1, 3, "red"),))
    reading = read_board(table.picture(scene), replace(table.pose(scene), turn=None), table.reference)
    assert (reading.status, reading.turn, reading.cutters) == ("unsure", None, ())
    assert set((reading.spaces or {}).values()) == {None}


def test_a_reading_says_what_lies_there(draw_table: Callable[..., Any]) -> None:
    """Status, JSON form and dice beside the board; toppings on it are no dice."""
    table = draw_table(4)
    scene = Scene(toppings=table.full(4), dice=(Die(190, 60, 5, "red"),), turn_deg=120.0)
    reading = read_board(table.picture(scene), table.pose(scene), table.reference)
    data = json.loads(json.dumps(reading.to_json()))
    assert data["turn"] == 120
    assert reading.hand is False
    assert set(data["spaces"]) == set(table.layout.spaces) == set(data["confidence"])
    ((_, _, true_box),) = truth(table.renderer, scene).dice
    for die in data["dice"]:
        x, y, w, h = die["box"]
        assert abs(x + w / 2 - true_box[0] - true_box[2] / 2) < true_box[2]
        assert abs(y + h / 2 - true_box[1] - true_box[3] / 2) < true_box[3]
        assert die["value"] in (5, None)
    assert reading.status == ("ok" if reading.reason is None else "unsure")


def test_a_hand_makes_a_reading_unsure(draw_table: Callable[..., Any]) -> None:
    table = draw_table(5)
    scene = Scene(toppings=table.full(5), hands=(Hand(0, 0, -90, 2, "flat"),))
    reading = read_board(table.picture(scene), table.pose(scene), table.reference)
    assert (reading.status, reading.hand) == ("unsure", True)


def _rendered_pose(data: Any, picture: Any) -> BoardPose:
    layout = load_layout("hex37")
    ids = sorted(data["spaces"])
    mm = [(layout.spaces[i].x_mm, layout.spaces[i].y_mm) for i in ids]
    px = [data["spaces"][i]["px"] for i in ids]
    size = (picture.shape[1], picture.shape[0])
    return BoardPose(fit_plane(mm, px, size, lens=None, noise_px=0.01), layout.board_diameter_mm / 2, data["turn"])


@pytest.mark.skipif(not RENDERS.is_dir(), reason="the rendered pictures are not beside the repository")
def test_rendered_sessions() -> None:
    """With the true pose: three pictures of each session; nothing silently wrong."""
    layout, counts = load_layout("hex37"), Counter[str]()
    for session in sorted(RENDERS.iterdir()):
        data = json.loads((session / "calibration.json").read_text())
        picture = np.asarray(cv2.imread(str(session / "calibration.jpg")), np.uint8)
        reference = make_reference(picture, _rendered_pose(data, picture), layout)
        for path in sorted(session.glob("frame_*.json"))[::2]:
            data = json.loads(path.read_text())
            picture = np.asarray(cv2.imread(str(path.with_suffix(".jpg"))), np.uint8)
            pose = _rendered_pose(data, picture)
            flat = rectified(picture, pose, reference.px_per_mm, reference.half_mm)
            surface = read_surface(flat, reference, whole_spaces(pose, layout, picture))
            for space, true in data["spaces"].items():
                told = surface.spaces[space].state
                if told is not None:
                    counts["right" if told == true["state"] else "wrong"] += 1
                elif true["visible"] >= 0.6:
                    counts["null"] += 1
            lines = {(c["side"], c["number"], c["colour"]) for c in data["cutters"]}
            for cutter in surface.cutters:
                if cutter.number is not None:
                    known = (cutter.side, cutter.number, cutter.colour) in lines
                    counts["cutters right" if known else "cutters wrong"] += 1
            counts["cutters"] += sum(c["visible"] >= 0.6 for c in data["cutters"])
    assert counts["wrong"] == counts["cutters wrong"] == 0
    assert counts["right"] > 0.98 * (counts["right"] + counts["null"])
    assert counts["cutters right"] >= 0.95 * counts["cutters"]
