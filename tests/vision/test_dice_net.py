"""Guards the dice networks: what they read on pictures that training never saw, and what they must leave alone.

Doesn't guard: single photographs; those are measured by the reader of dice as a whole.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.vision import dice_find, dice_net
from companion.vision.dice import read_pip_dice
from companion.vision.dice_find import DiceFinder
from companion.vision.dice_net import MODELS, DiceNet, NetDie

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "bench" / "photos" / "dice"
HELD_OUT = 7  # a seed of pictures that training never draws (it starts at 1000)


@pytest.fixture(scope="module")
def net() -> DiceNet:
    return DiceNet()


@pytest.fixture(scope="module")
def drawing():
    """The module that draws scenes for the training."""
    sys.path.insert(0, str(ROOT / "training" / "dice"))
    try:
        import scenes as module
    finally:
        sys.path.pop(0)
    return module


@pytest.fixture(scope="module")
def scenes(drawing):
    return [drawing.scene(np.random.default_rng([HELD_OUT, k])) for k in range(40)]


def at(box, dice: tuple[NetDie, ...]) -> NetDie | None:
    """The die whose middle lies in the middle half of a true box."""
    x, y, w, h = box
    for d in dice:
        cx, cy = d.box[0] + d.box[2] / 2 - x - w / 2, d.box[1] + d.box[3] / 2 - y - h / 2
        if abs(cx) < w / 4 and abs(cy) < h / 4:
            return d
    return None


def test_reads_clear_dice_of_drawn_pictures_and_is_rarely_sure_and_wrong(net, scenes):
    right = wrong = clear = 0
    for s in scenes:
        h, w = s.picture.shape[:2]
        dice = net.detect(s.picture)
        for t in s.dice:
            inside = t.box[0] > 0 and t.box[1] > 0 and t.box[0] + t.box[2] < w and t.box[1] + t.box[3] < h
            if not (t.value and t.visible > 0.95 and inside and max(t.box[2:]) >= 24 and s.picture.std() > 15):
                continue
            clear += 1
            d = at(t.box, dice)
            right += d is not None and d.value == t.value
            wrong += d is not None and d.value != t.value and max(d.probabilities) > 0.8
    assert clear > 60
    # Measured: 85 of 95. A guard against getting worse, not the aim: that is 0.97, which the net alone does not reach.
    assert right >= 0.87 * clear, (right, clear)
    assert wrong <= 0.02 * clear, (wrong, clear)


def test_a_second_mark_of_a_die_that_is_clear_costs_no_look_and_changes_nothing(net, drawing, monkeypatch):
    """It is what most marks beyond one a die are: every sixth look is spared."""
    scene = drawing.scene(np.random.default_rng([HELD_OUT, 7]), (640, 480), 40.0, 8)
    dice = [d for d in net.detect(scene.picture) if max(d.probabilities) > 0.97][:2]
    assert len(dice) == 2
    boxes = np.array([[x, y, x + w, y + h] for x, y, w, h in (d.box for d in dice)], np.float32)
    aside = boxes + 0.1 * (boxes[:, 2:] - boxes[:, :2]).max()
    looks: list[int] = []
    look = DiceNet.look
    monkeypatch.setattr(DiceNet, "look", lambda self, *args: looks.append(len(args[1])) or look(self, *args))
    both = net._read([scene.picture], np.vstack([boxes, aside]), np.full(4, 0.6))
    assert sum(looks) == 2
    assert [d.value for d in both] == [d.value for d in dice]


def test_phantoms_are_rare_on_drawn_pictures(scenes):
    """Things that look like dice (cards, chips, buttons) are in these pictures; a phantom would be a silent fault."""
    phantoms = sure = 0
    for s in scenes:
        for d in read_pip_dice(s.picture):
            if d.value is not None:
                x, y = d.box[0] + d.box[2] / 2, d.box[1] + d.box[3] / 2
                on_one = any(b[0] < x < b[0] + b[2] and b[1] < y < b[1] + b[3] for b in (t.box for t in s.dice))
                sure, phantoms = sure + 1, phantoms + (not on_one)
    assert sure > 60
    # Measured: 9 of 149 on these crowded tables, nearly all halves of dominoes: only their thickness tells them from a
    # die seen from above. On the eight photographs without dice it is one, a mill piece taken for a one.
    assert phantoms <= 0.07 * sure, (phantoms, sure)


def test_scale_of_the_picture_does_not_change_what_is_read(net, scenes):
    """The same table through a camera of twice the resolution: the sure readings stay."""
    same = total = 0
    for s in scenes[:12]:
        large = cv2.resize(s.picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        twice = net.detect(large)
        for d in net.detect(s.picture):
            if max(d.probabilities) > 0.9:
                other = at(tuple(2 * v for v in d.box), twice)
                total, same = total + 1, same + (other is not None and other.value == d.value)
    assert total >= 10
    assert same >= 0.95 * total, (same, total)


def test_a_die_is_read_and_framed_although_it_was_found_askew(net, scenes):
    """Of dice that touch, the finder marks some off the middle or too small or large: the second look must mend it."""
    framed = total = 0
    for s in scenes:
        for t in s.dice:
            x, y, w, h = t.box
            longer = max(w, h)
            at_edge = x < 0 or y < 0 or x + w > s.picture.shape[1] or y + h > s.picture.shape[0]
            if not t.value or t.top < 0.95 or longer < 24 or at_edge:
                continue
            askew = np.array([[x + 0.2 * w, y - 0.1 * h, x + 1.2 * w, y + 0.9 * h]], np.float32)
            for mirrored in (False, True):
                _, off = net.look([s.picture], askew, mirrored)
                total += 1
                framed += np.hypot(off[0, 0] * longer + 0.2 * w, off[0, 1] * longer - 0.1 * h) < 0.15 * longer
    assert total > 60
    assert framed >= 0.8 * total, (framed, total)


def test_touching_dice_are_told_apart(net, scenes):
    """Blocks of dice side by side: as many are found as lie there."""
    found = total = 0
    for s in scenes:
        dice = net.detect(s.picture)
        for t in s.dice:
            x, y, w, h = t.box
            inside = x > 0 and y > 0 and x + w < s.picture.shape[1] and y + h < s.picture.shape[0]
            gaps = [np.hypot(o.box[0] - x, o.box[1] - y) / max(w, h) for o in s.dice if o is not t]
            if t.value and t.top > 0.95 and inside and max(w, h) >= 24 and min(gaps, default=9) < 1.05:
                total += 1
                found += at(t.box, dice) is not None
    assert total >= 20
    # Measured: 49 of 59, in rows and heaps half of which are dim or blurred; the networks before found 48 of the same.
    assert found >= 0.8 * total, (found, total)


@pytest.fixture(scope="module")
def large_scenes(drawing):
    """Large pictures of small dice that all touch."""
    crowd = drawing.Mix(crowded=1.0)
    return [drawing.scene(np.random.default_rng([HELD_OUT, 900 + k]), (1280, 960), 28.0, 9, crowd) for k in range(4)]


def test_small_dice_that_touch_are_looked_at_closer(large_scenes, monkeypatch):
    """In a first look they are one mark; closer ones tell them apart, and none is spent on excluded places."""
    finder = DiceFinder(MODELS / "dice_finder.onnx")
    looks = []
    look = dice_find._look
    monkeypatch.setattr(dice_find, "_look", lambda *a, **k: looks.append(a) or look(*a, **k))
    closer = first = total = 0
    for s in large_scenes:
        boxes = [t.box for t in s.dice if t.top > 0.95]
        marks = finder.search(s.picture).marks
        with monkeypatch.context() as m:
            m.setattr(dice_find, "WINDOWS", 0)
            plain = finder.search(s.picture).marks
        total += len(boxes)
        closer, first = (
            n + sum(any(close(box, mark) for _, mark in some) for box in boxes)
            for n, some in ((closer, marks), (first, plain))
        )
    assert total > 20
    # Measured: 32 of 36, and 24 in the first look.
    assert closer >= first + 0.1 * total, (closer, first, total)
    looks.clear()
    for s in large_scenes:
        assert finder.search(s.picture, exclude=np.ones(s.picture.shape[:2], np.uint8)).marks == []
    assert len(looks) == 2 * len(large_scenes)


def test_a_large_picture_is_looked_through_part_by_part_as_in_one_go(large_scenes, monkeypatch):
    """Parts keep the memory small; what lies around them is looked at, too, so that the answers stay the same."""
    net = cv2.dnn.readNetFromONNX(str(MODELS / "dice_finder.onnx"))
    picture = cv2.resize(large_scenes[0].picture, (640, 480), interpolation=cv2.INTER_AREA)
    monkeypatch.setattr(dice_find, "PART", 640 * 480)
    whole = dice_find._answer(net, picture)
    for most in (640 * 240, 640 * 100):
        monkeypatch.setattr(dice_find, "PART", most)
        assert np.abs(dice_find._answer(net, picture) - whole).max() < 1e-4


def close(box, mark) -> bool:
    """Whether a mark frames a true die."""
    x, y, w, h = box
    off = np.abs(mark - np.array([x, y, x + w, y + h]))
    return bool(off.max() < 0.3 * max(w, h))


def test_mere_hints_are_looked_at_once_the_size_is_known():
    """A weak answer far from the sure die is a hint; one beside it is more; none is looked for where a die was read."""
    heat = np.zeros((60, 80), np.float32)
    heat[10, 10] = 0.9  # the sure die
    heat[10, 18] = heat[40, 60] = 0.2
    sure = NetDie(3, (30, 30, 24, 24), (0.0, 0.0, 0.98, 0.0, 0.0, 0.0), 0.9)
    beside, far = dice_net._left_over(heat, 4.0, np.array([[30, 30, 54, 54]], np.float32), (sure,), True)
    assert [box.tolist() for box in beside] == [[62, 30, 86, 54]]
    assert [box.tolist() for box in far] == [[230, 150, 254, 174]]
    assert dice_net._left_over(heat, 4.0, np.zeros((0, 4), np.float32), (), True) == ([], [])


def test_excluded_places_are_left_alone(net, scenes):
    s = max(scenes, key=lambda s: len(net.detect(s.picture)))
    before = net.detect(s.picture)
    left = np.zeros(s.picture.shape[:2], np.uint8)
    left[:, : left.shape[1] // 2] = 1
    after = net.detect(s.picture, exclude=left)
    middle = left.shape[1] // 2
    assert before
    kept = [d for d in before if d.box[0] + d.box[2] / 2 >= middle and max(d.probabilities) > 0.9]
    assert all((other := at(d.box, after)) is not None and other.value == d.value for d in kept)
    assert all(d.box[0] + d.box[2] / 2 >= middle - 1 for d in after)
    assert net.detect(s.picture, exclude=np.ones_like(left)) == ()


def test_a_known_size_finds_the_same_sure_dice(net, scenes):
    found = total = 0
    for s in scenes:
        sure = [d for d in net.detect(s.picture) if max(d.probabilities) > 0.9]
        if sure:
            known = net.detect(s.picture, die_px=float(np.median([max(d.box[2:]) for d in sure])) / 1.2)
            for d in sure:
                other = at(d.box, known)
                total, found = total + 1, found + (other is not None and other.value == d.value)
    assert found >= 0.85 * total > 40, (found, total)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_any_picture_gives_lawful_readings(w, h, seed):
    picture = np.random.default_rng(seed).integers(0, 256, (h, w, 3), np.uint8)
    for d in DiceNet().detect(picture):
        assert 1 <= d.value <= 6 and len(d.probabilities) == 6
        assert min(d.probabilities) >= 0 and sum(d.probabilities) <= 1.0001 and 0 <= d.score <= 1
        assert d.probabilities[d.value - 1] == max(d.probabilities)
        assert 0 <= d.box[0] < w and 0 <= d.box[1] < h


def test_models_are_small_and_a_missing_one_is_named(tmp_path):
    files = sorted((ROOT / "companion" / "vision" / "models").glob("dice_*.onnx"))
    assert [f.name for f in files] == ["dice_finder.onnx", "dice_reader.onnx", "dice_stand.onnx"]
    assert sum(f.stat().st_size for f in files) < 1_000_000
    with pytest.raises(FileNotFoundError, match="dice_finder"):
        DiceNet(tmp_path)


def test_plain_tables_hold_no_dice(net):
    for shade in (10, 90, 200, 255):
        assert net.detect(np.full((480, 640, 3), shade, np.uint8)) == ()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the photographs with truth are not here")
def test_photographs(net):
    """A sample across all sources, so that a model trained on too narrow drawings can't slip in."""
    import json

    rows = [json.loads(line) for line in (SHARED / "labels.jsonl").read_text().splitlines()][::6]
    right = sure_wrong = total = 0
    for row in rows:
        dice = net.detect(cv2.imread(str(SHARED / row["file"])))
        for t in (t for t in row["dice"] if t.get("box")):
            total += 1
            d = at(t["box"], dice)
            right += d is not None and d.value == t["value"]
            sure_wrong += d is not None and d.value != t["value"] and max(d.probabilities) > 0.9
    assert right >= 0.8 * total, (right, total)
    assert sure_wrong <= 0.02 * total, (sure_wrong, total)
