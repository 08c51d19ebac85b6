"""Symbol dice: learned from labelled drawings, read in others; what is unsure is never guessed."""

from __future__ import annotations

import functools
import itertools
import json
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.faces import save_faces
from companion.errors import CalibrationError, ProfileError
from companion.picture import read_picture
from companion.vision.eyes import DiceEyes, open_eyes
from companion.vision.merge import merge_readings
from companion.vision.readings import BoardReading, DieReading
from companion.vision.symbols import Labelled, SymbolModel, die_sizes, learn
from companion.vision.symbols import read_symbol_dice as read_dice
from companion.vision.symbols_check import judge
from companion.vision.symbols_find import channels, colour_table
from companion.vision.symbols_net import Spot, print_net
from companion.vision.symbols_sure import APART, SURE, Seen, choose, confidence, of_one_size

SHARED = Path(__file__).parents[3] / "shared" / "bench"
U8 = npt.NDArray[np.uint8]
SIZE = 400, 300
FACES = ("sun", "bar", "ring", "tee", "moon", "cross")
PLACES = tuple(itertools.product((60, 130, 200, 270, 340), (70, 150, 230)))


def stamp(face: str) -> U8:
    """A face as 120 x 120 px, its edge 96: artwork that no edition has."""
    out = np.full((120, 120, 3), (225, 232, 235), np.uint8)
    if face == "sun":
        cv2.circle(out, (60, 60), 24, (40, 190, 230), -1)
    elif face == "bar":
        cv2.rectangle(out, (50, 28), (70, 92), (60, 50, 190), -1)
    elif face == "ring":
        cv2.circle(out, (60, 60), 22, (160, 80, 40), 9)
    elif face == "tee":
        cv2.rectangle(out, (32, 32), (88, 46), (70, 140, 40), -1)
        cv2.rectangle(out, (53, 46), (67, 90), (70, 140, 40), -1)
    elif face == "moon":
        cv2.circle(out, (60, 60), 28, (150, 60, 120), -1)
        cv2.circle(out, (72, 56), 24, (225, 232, 235), -1)
    else:
        cv2.line(out, (36, 36), (84, 84), (20, 20, 20), 12)
        cv2.line(out, (84, 36), (36, 84), (20, 20, 20), 12)
    return out


def table(seed: int, faces: tuple[str, ...], places: tuple[tuple[int, int], ...], edge: float = 27.0) -> Labelled:
    """A picture of dice from straight above on a brown table, with its labels."""
    rng = np.random.default_rng(seed)
    w, h = SIZE
    picture = np.full((h, w, 3), (70, 95, 120), np.float32)
    picture += cv2.GaussianBlur(rng.normal(0, 30, (h, w, 3)).astype(np.float32), (0, 0), 6)
    boxes = []
    for face, (x, y) in zip(faces, places, strict=True):
        angle = rng.uniform(0, 360)
        m = cv2.getRotationMatrix2D((60, 60), angle, edge / 96)
        m[:, 2] += (x - 60, y - 60)
        art = cv2.warpAffine(stamp(face), m, SIZE, flags=cv2.INTER_AREA)
        mask = np.zeros((120, 120), np.uint8)
        mask[12:108, 12:108] = 255
        cover = cv2.GaussianBlur(cv2.warpAffine(mask, m, SIZE), (0, 0), 0.8)[..., None] / 255
        picture = picture * (1 - cover) + art * cover
        half = edge / 2 * (abs(np.cos(np.radians(angle))) + abs(np.sin(np.radians(angle))))
        # A die has height: the middle of its box lies nearer to the picture's middle than that of its top.
        rise = 0.38 * 1.27 * edge / w
        boxes.append((x - rise * (x - w / 2) - half, y - rise * (y - h / 2) - half, 2 * half, 2 * half))
    picture += rng.normal(0, 2, picture.shape)
    return Labelled(np.clip(picture, 0, 255).astype(np.uint8), np.array(boxes).reshape(-1, 4), faces)


@functools.cache
def enrolment() -> tuple[Labelled, ...]:
    return tuple(table(k, FACES, PLACES[k::2][:6]) for k in (1, 2))


@functools.cache
def model() -> SymbolModel:
    return learn(enrolment())


def values(truth: Labelled, dice: tuple[DieReading, ...]) -> list[int | str | None]:
    """What is read at each true die ("missing" if nothing), then what is read where there is none."""
    left = list(dice)
    out: list[int | str | None] = []
    for x, y, w, h in truth.boxes:
        near = [
            d
            for d in left
            if abs(d.box[0] + d.box[2] / 2 - x - w / 2) < 10 and abs(d.box[1] + d.box[3] / 2 - y - h / 2) < 10
        ]
        out.append(near[0].value if near else "missing")
        left = [d for d in left if d not in near[:1]]
    return out + [d.value for d in left if d.value is not None]


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_all_faces_are_read_at_other_places_and_turns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    faces = tuple(str(f) for f in rng.permutation([*FACES, FACES[seed % 6]]))
    truth = table(seed, faces, tuple(PLACES[i] for i in rng.permutation(len(PLACES))[:7]))
    dice = read_dice(truth.picture, model())
    assert values(truth, dice) == list(faces)
    assert all(0.8 <= d.confidence <= 1 for d in dice)


def test_touching_dice_are_read_one_by_one() -> None:
    places = ((150, 100), (186, 100), (150, 137), (186, 137), (222, 120))
    truth = table(21, ("bar", "sun", "tee", "ring", "cross"), places, edge=25.5)
    read = values(truth, read_dice(truth.picture, model()))
    assert sum(a == b for a, b in zip(read, truth.values, strict=False)) >= 4
    assert all(a in (b, None, "missing") for a, b in zip(read[:5], truth.values, strict=True))
    assert len(read) == 5


def test_an_empty_table_and_foreign_things_have_no_value() -> None:
    empty = table(31, (), ())
    assert all(d.value is None for d in read_dice(empty.picture, model()))
    blank = empty.picture.copy()
    for x, y in PLACES[:5]:
        cv2.rectangle(blank, (x - 13, y - 13), (x + 13, y + 13), (225, 232, 235), -1)  # dice without a symbol
    for x, y in PLACES[6:10]:
        cv2.circle(blank, (x, y), 13, (40, 190, 230), -1)  # chips
    assert [d for d in read_dice(blank, model()) if d.value is not None] == []


@given(st.integers(8, 90), st.integers(8, 90), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_any_picture_can_be_read(width: int, height: int, seed: int) -> None:
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    for die in read_dice(noise, model()):
        assert die.value is None or die.value in FACES
        assert 0 <= die.confidence <= 1


def test_the_same_enrolment_gives_the_same_model() -> None:
    again = learn(enrolment())
    assert np.allclose(again.finder.filters, model().finder.filters, atol=1e-6)  # sums differ in their last bits
    assert np.array_equal(again.faces.looks, model().faces.looks)
    assert (again.lens, again.sizes) == (model().lens, model().sizes)


def test_faces_that_look_alike_are_named_and_never_told_apart() -> None:
    rng = np.random.default_rng(5)
    places = [tuple(PLACES[i] for i in rng.permutation(len(PLACES))[:4]) for _ in range(3)]
    twice = tuple(table(k, (*FACES[:3], "bar"), where) for k, where in enumerate(places))
    twice = tuple(Labelled(p.picture, p.boxes, (*FACES[:3], "stick")) for p in twice)  # one artwork, two names
    mixed = learn(twice)
    quality = judge(twice, mixed)
    assert [set(pair) for pair in quality.alike] == [{"bar", "stick"}]
    assert any("bar and stick" in hint or "stick and bar" in hint for hint in quality.hints())
    truth = table(41, ("bar", "sun", "bar"), PLACES[4:7])
    assert values(truth, read_dice(truth.picture, mixed)) == [None, "sun", None]


def test_good_and_bad_enrolments_are_told() -> None:
    assert judge(enrolment(), model()).hints() == []
    burnt = [
        Labelled(np.clip(p.picture.astype(int) * 4 + 60, 0, 255).astype(np.uint8), p.boxes, p.values)
        for p in enrolment()
    ]
    quality = judge(burnt, learn(burnt))
    assert any("burnt out" in hint and "dim" in hint for hint in quality.hints())
    once = enrolment()[:1]
    assert judge(once, learn(once)).once == tuple(sorted(FACES))


def test_cuttings_of_single_dice_are_refused() -> None:
    whole = enrolment()[0]
    x, y, w, h = whole.boxes[0].round().astype(int)
    cutting = Labelled(whole.picture[y : y + h, x : x + w], np.array([[0.0, 0, w, h]]), whole.values[:1])
    with pytest.raises(CalibrationError, match="whole pictures"):
        learn([cutting, cutting])


def test_one_size_for_a_fixed_camera_and_several_for_a_hand_held_one() -> None:
    near = table(1, FACES, PLACES[:6], edge=27)
    far = table(2, FACES, PLACES[:6], edge=18)
    assert len(model().sizes) == 1
    assert len(set(die_sizes(enrolment()))) == 1
    assert die_sizes([near, far])[0] > 1.3 * die_sizes([near, far])[1]
    truth = table(51, FACES, PLACES[8:14], edge=22)
    hand_held = learn([near, table(3, FACES, PLACES[5:11], edge=27), far, table(4, FACES, PLACES[5:11], edge=18)])
    assert len(hand_held.sizes) > 2
    read = values(truth, read_dice(truth.picture, hand_held))
    assert sum(a == b for a, b in zip(read, truth.values, strict=False)) >= 5
    assert all(a in (b, None, "missing") for a, b in zip(read, truth.values, strict=False))


@given(st.lists(st.tuples(st.floats(0, 200), st.floats(0, 200), st.floats(20, 40), st.floats(0, 1)), max_size=12))
def test_chosen_dice_never_overlap(rows: list[tuple[float, float, float, float]]) -> None:
    seen = [Seen(x, y, side, answer, "a", 0.9, 0.2) for x, y, side, answer in rows]
    kept = [seen[k] for k in choose(seen)]
    for a, b in itertools.combinations(kept, 2):
        assert np.hypot(a.x - b.x, a.y - b.y) >= APART * max(a.side, b.side)
    assert bool(kept) == bool(seen)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1), st.floats(-9, 9), st.floats(0, 0.2))
def test_more_evidence_never_lowers_confidence(
    fit: float, lead: float, answer: float, readable: float, more: float
) -> None:
    p = confidence(fit, lead, answer, readable)
    assert 0 <= p <= 1
    assert min(confidence(fit + more, lead, answer, readable), confidence(fit, lead + more, answer, readable)) >= p
    assert min(confidence(fit, lead, answer + more, readable), confidence(fit, lead, answer, readable + more)) >= p
    assert confidence(fit, 0.0, answer, readable) == 0.0


def tops_of(truth: Labelled) -> list[Spot]:
    """Where the tops are, as :func:`table` lays them above the boxes' middles."""
    middles, side = truth.boxes[:, :2] + truth.boxes[:, 2:] / 2, 34.0
    tops = middles + 0.38 * side / SIZE[0] * (middles - np.array(SIZE) / 2)
    return [Spot(float(x), float(y), side) for x, y in tops]


def blanked(truth: Labelled, face: str) -> Labelled:
    """One of the dice has lost its print."""
    picture, top = truth.picture.copy(), tops_of(truth)[truth.values.index(face)]
    cv2.circle(picture, (round(top.x), round(top.y)), 10, (225, 232, 235), -1)
    return Labelled(picture, truth.boxes, truth.values)


def test_a_top_is_put_in_the_middle_of_what_is_looked_at() -> None:
    truth = table(41, FACES, PLACES[4:10])
    rng = np.random.default_rng(1)
    tops, side = tops_of(truth), 34.0
    off = [Spot(t.x + rng.uniform(-5, 5), t.y + rng.uniform(-5, 5), side) for t in tops]
    found = print_net().settle(truth.picture, off).middles
    assert max(a.apart(b) for a, b in zip(tops, found, strict=True)) < 0.06
    empty = [Spot(20.0, 20.0, side)]
    assert print_net().settle(truth.picture, empty).readable[0] < 0


def test_what_looks_like_a_burnt_out_die_is_not_told_and_what_looks_like_a_clear_one_is() -> None:
    half_blank = learn([blanked(p, face) for p, face in zip(enrolment(), ("sun", "moon"), strict=True)])
    truth = table(12, FACES, PLACES[3:9])
    read = values(truth, read_dice(truth.picture, half_blank))
    assert sum(a == b for a, b in zip(read, FACES, strict=True)) >= 5
    assert all(a in (b, None) for a, b in zip(read, FACES, strict=True))
    assert values(truth, read_dice(blanked(truth, "sun").picture, half_blank))[0] is None


def test_a_top_that_the_picture_cuts_off_is_not_told() -> None:
    truth = table(12, FACES, PLACES[3:9])
    x, y = (round(v) for v in (tops_of(truth)[0].x, tops_of(truth)[0].y))
    left = truth.picture[:, x - 6 :]  # of a die some 34 px wide
    shifted = Labelled(left, truth.boxes - np.array([x - 6, 0, 0, 0]), truth.values)
    read = dict(zip(shifted.values, values(shifted, read_dice(left, model())), strict=False))
    assert read["sun"] in (None, "missing")
    assert read[next(f for f, (bx, *_) in zip(FACES, shifted.boxes, strict=True) if bx > 60)] is not None
    assert y > 20


def test_a_print_of_known_form_in_another_colour_is_not_told() -> None:
    truth = table(12, FACES, PLACES[3:9])
    assert values(truth, read_dice(truth.picture, model())) == list(FACES)
    other, body = truth.picture.copy(), np.array((225, 232, 235))
    for face, ink, new in (("bar", (60, 50, 190), (60, 150, 60)), ("cross", (20, 20, 20), (20, 20, 150))):
        x, y, w, h = truth.boxes[FACES.index(face)].round().astype(int)
        seen = other[y : y + h, x : x + w].astype(np.float64)
        print_, change = np.array(ink) - body, np.array(new) - np.array(ink)
        share = np.clip((seen - body) @ print_ / (print_ @ print_), 0, 1)[..., None]
        is_die = np.abs(seen - body - share * print_).max(axis=2, keepdims=True) < 40
        other[y : y + h, x : x + w] = np.clip(seen + is_die * share * change, 0, 255)
    read = dict(zip(FACES, values(truth, read_dice(other, model())), strict=False))
    assert read == {f: None if f in ("bar", "cross") else f for f in FACES}


def test_dice_of_another_size_than_most_are_not_told() -> None:
    seen = [Seen(60.0 * k, 0, 40, 0.6, "a", 0.9, 0.3, 0.99) for k in range(6)]
    sure = [s.sure for s in of_one_size(seen, [40, 41, 39, 44, 28, 60])]
    assert [p >= SURE for p in sure] == [True] * 4 + [False] * 2


def test_colours_of_dice_speak_for_dice() -> None:
    picture = np.full((120, 160, 3), (90, 60, 30), np.uint8)
    cv2.rectangle(picture, (40, 40), (64, 64), (20, 200, 240), -1)
    found = colour_table([(picture, np.array([[52.0, 52.0]]))])
    seen = channels(picture, found)[..., -1]
    assert seen[17, 17] > 1 > -1 > seen[5, 40]


def test_eyes_say_what_they_miss(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="no dice are enrolled"):
        open_eyes("dice", tmp_path)
    save_faces(tmp_path, "home-made", enrolment(), model(), 34.0, ())
    eyes = open_eyes("dice", tmp_path)
    truth = table(11, FACES, PLACES[3:9])
    reading = eyes.read(truth.picture)
    assert (reading.status, reading.spaces) == ("ok", {})
    assert sorted(str(d.value) for d in reading.dice) == sorted(FACES)
    assert eyes.read(truth.picture, dice=False).dice == ()
    merged = merge_readings([reading, eyes.read(truth.picture)])
    assert (merged.status, len(merged.dice)) == ("ok", 6)
    half = truth.picture.copy()
    x, y, w, h = truth.boxes[0].astype(int)
    half[y + 6 : y + h - 6, x + 6 : x + w - 6] = 235  # its symbol burnt out
    assert eyes.read(half).status == "unsure"
    save_faces(tmp_path, "others", enrolment(), model(), 34.0, ())
    (tmp_path / "dice" / "used.json").unlink()
    with pytest.raises(ProfileError, match="several kinds"):
        DiceEyes.open(tmp_path)
    save_faces(tmp_path, "others", enrolment(), model(), 34.0, ())
    assert DiceEyes.open(tmp_path).read(truth.picture).status == "ok"  # the kind enrolled last
    assert isinstance(DiceEyes.open(tmp_path, "others").read(truth.picture), BoardReading)


@pytest.mark.parametrize("session", ["w01", "w03"])
def test_drawn_sessions_hold_no_wrong_value(session: str) -> None:
    folder = SHARED / "renders" / "wizard_dice" / session
    if not folder.is_dir():
        pytest.skip("the shared pictures are not beside the repository")

    def load(name: Path) -> Labelled:
        dice = json.loads(name.read_text())["dice"]
        good = [d for d in dice if d["visible"] >= 0.6]
        boxes = np.array([d["box"] for d in good], np.float64)
        return Labelled(read_picture(name.with_suffix(".jpg")), boxes, tuple(d["value"] for d in good))

    read = learn([load(p) for p in sorted(folder.glob("enrol_*.json"))])
    right = total = 0
    for name in sorted(folder.glob("frame_*.json"))[::2]:
        truth = load(name)
        dice = read_dice(truth.picture, read)
        for value, (x, y, w, h) in zip(truth.values, truth.boxes, strict=True):
            middle = np.array([x + w / 2, y + h / 2])
            there = [np.add(d.box[:2], np.divide(d.box[2:], 2)) for d in dice]
            near = [d for d, m in zip(dice, there, strict=True) if np.hypot(*(m - middle)) < 0.5 * max(w, h)]
            assert not near or near[0].value in (value, None)
            right += bool(near) and near[0].value == value
            total += 1
    assert right >= 0.85 * total
