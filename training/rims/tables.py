"""Draws tables in bad light and tells what the witnesses say of their spaces."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import mock

import cv2
import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent))
import glare

from calibration.geometry import fit_plane
from calibration.spaces import centres
from companion.layout import load_layout
from companion.simulator.renderer import BOARD_MM, Renderer
from companion.simulator.scene import Hand, Scene, Stick, Topping
from companion.simulator.truth import truth
from companion.vision import board, rims, spaces
from companion.vision.light import logarithm
from companion.vision.pose import BoardNotFound, BoardPose, PoseFinder

Float = npt.NDArray[np.float32]
Picture = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

LAYOUT = load_layout("hex37")
SCENES = 3
VISIBLE = 0.6


def scene_of(rng: np.random.Generator) -> Scene:
    """Toppings, sometimes sticks, a hand, a second lamp, a shadow."""
    off, cover, white = rng.uniform(0.5, 2), rng.uniform(0.35, 0.8), rng.uniform(0.2, 0.6)
    toppings = tuple(
        Topping(
            s.x_mm + rng.normal(0, off),
            s.y_mm + rng.normal(0, off),
            "white" if rng.random() < white else str(rng.choice(["red", "green"])),
            int(rng.integers(3)),
            float(rng.uniform(0, 360)),
        )
        for s in LAYOUT.spaces.values()
        if rng.random() < cover
    )
    sticks = []
    for k in rng.choice(len(LAYOUT.lines), int(rng.integers(0, 4)), replace=False):
        line, d = LAYOUT.lines[k], rng.normal(0, 1.5, 4)
        near, far = (line.near_mm[0] + d[0], line.near_mm[1] + d[1]), (line.far_mm[0] + d[2], line.far_mm[1] + d[3])
        sticks.append(Stick(str(rng.choice(LAYOUT.colours)), near, far, (line.side, line.number)))
    hands: tuple[Hand, ...] = ()
    if rng.random() < 0.3:
        x, y, angle = (float(rng.uniform(*limits)) for limits in ((-110, 110), (-110, 110), (0, 360)))
        hands = (Hand(x, y, angle, int(rng.integers(4)), "flat" if rng.random() < 0.5 else "pinch"),)
    turn, lamp = 120.0 * int(rng.integers(3)), bool(rng.random() < 0.15)
    shadow = (float(rng.uniform(-150, 150)), float(rng.uniform(-150, 150))) if rng.random() < 0.15 else None
    return Scene(toppings=toppings, sticks=tuple(sticks), hands=hands, turn_deg=turn, lamp=lamp, shadow=shadow)


def examples(seed: int) -> list[tuple[Float, Flags]]:
    """Of some twenty pictures of one table: what is told of n places (n x features), and where a white topping lies."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, 77])
    size = (960, 720) if rng.random() < 0.5 else (1280, 960)
    renderer = Renderer(seed, LAYOUT, size)
    home = centres(LAYOUT)
    px = renderer.camera.project([(x, y, BOARD_MM) for x, y in home])
    plane = fit_plane(home, px + rng.normal(0, 0.15, px.shape), size, lens=None, noise_px=0.3)
    clean = np.asarray(renderer.draw(Scene(), 0))
    drawn = []
    for _ in range(SCENES):
        scene = scene_of(rng)
        told = truth(renderer, scene)
        answers = np.array([told.spaces[s] if told.visible[s] > VISIBLE else "" for s in LAYOUT.spaces])
        drawn.append((np.asarray(renderer.draw(scene, 0)), answers))
    found = []
    for burnt_before in (False, True):
        first: list[glare.Change] = []
        if burnt_before:
            first = [glare.one_of(glare.BURNING, rng)] + ([glare.soft(rng)] if rng.random() < 0.3 else [])
        empty = glare.shot(clean, first, rng)
        finder = PoseFinder(empty, plane, LAYOUT)
        reference = board.make_reference(empty, BoardPose(plane, LAYOUT.board_diameter_mm / 2), LAYOUT)
        for picture, answers in drawn:
            for j in range(3 if burnt_before else 4):
                changes = [] if j == 0 and burnt_before else [glare.one_of(glare.ANY, rng)]
                if rng.random() < 0.3:
                    changes.append(glare.one_of(glare.ANY, rng))
                if burnt_before and rng.random() < 0.75:
                    changes = first + ([] if rng.random() < 0.4 else changes)
                seen = _looked_at(glare.shot(picture, changes, rng), finder, reference, answers)
                found += [] if seen is None else [seen]
    return found


def _looked_at(
    picture: Picture, finder: PoseFinder, reference: board.Reference, answers: npt.NDArray[np.str_]
) -> tuple[Float, Flags] | None:
    try:
        pose = finder.find(picture)
    except BoardNotFound:
        return None
    if pose.turn is None:
        return None
    whole = board.whole_spaces(pose, LAYOUT, picture)
    flat = board.rectified(picture, pose, reference.px_per_mm, reference.half_mm)
    with mock.patch.object(spaces, "read_patches", wraps=spaces.read_patches) as reading:
        surface = board.read_surface(flat, reference, whole)
    before, now, sticks, beside = reading.call_args.args
    log = logarithm(now.reshape(-1, spaces.PATCH_PX, 3))
    known = spaces.witnesses(before, now, log, sticks, beside)
    every = np.arange(len(now))
    x = rims.evidence(before.log.reshape(now.shape), now, log.reshape(now.shape), sticks, known, every)
    told = whole & reference.seen & surface.true_colours & (known.beliefs[:, [0, 3]].sum(axis=1) > 0.5)
    told &= np.isin(answers, ("white", "empty"))
    return x[told], answers[told] == "white"
