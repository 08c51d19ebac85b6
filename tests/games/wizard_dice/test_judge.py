"""Guards what counts as a roll, over any camera distance: places are compared in edges of a die."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.wizard_dice.judge import change, counted, told
from companion.games.wizard_dice.state import FACES
from companion.vision.readings import DieReading

PLACES = [(0, 0), (2, 0), (4, 0.5), (1, 2), (3, 2.2), (6, 0), (6, 3)]  # edges


def dice(places: list[tuple[float, float]], faces: list[str | None], edge: int = 40) -> list[DieReading]:
    return [
        DieReading(face, None, (round(x * edge), round(y * edge), edge, edge), 0.99)
        for (x, y), face in zip(places, faces, strict=True)
    ]


LAY = ["blue", "red", "yellow", "green", "wizard", "jester", "blue"]


@given(st.integers(10, 150), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_dice_that_are_nudged_are_the_same_and_those_from_elsewhere_a_roll(edge: int, seed: int) -> None:
    rng = random.Random(seed)
    nudged = [(x + rng.uniform(-0.3, 0.3), y + rng.uniform(-0.3, 0.3)) for x, y in PLACES]
    lay = dice(PLACES, LAY, edge)
    assert change(lay, dice(nudged, LAY, edge), all_seven=False).what == "same"
    count = rng.randint(1, 7)
    thrown = [*nudged[count:], *[(20 + 2 * i, rng.uniform(8, 20)) for i in range(count)]]
    faces = [*LAY[count:], *rng.choices(FACES, k=count)]
    order = rng.sample(range(7), 7)
    found = change(lay, dice([thrown[i] for i in order], [faces[i] for i in order], edge), all_seven=False)
    assert found.what == ("doubt" if sorted(faces) == sorted(LAY) else "roll")
    assert {order[i] for i in found.fresh} == set(range(7 - count, 7))


def test_one_die_turned_in_its_place_is_no_roll_and_several_are_a_doubt() -> None:
    faces = ["red", *LAY[1:]]
    found = change(dice(PLACES, LAY), dice(PLACES, faces), all_seven=False)
    assert (found.what, found.turned) == ("turned", (0,))
    faces[1] = "green"
    assert change(dice(PLACES, LAY), dice(PLACES, faces), all_seven=False).what == "doubt"


def test_a_kept_die_that_was_turned_while_others_were_rolled_is_a_doubt() -> None:
    places = [*PLACES[:5], (20, 20), (23, 20)]
    faces = ["red", *LAY[1:5], "red", "red"]
    found = change(dice(PLACES, LAY), dice(places, faces), all_seven=False)
    assert (found.what, found.turned, found.fresh) == ("doubt", (0,), (5, 6))


@pytest.mark.parametrize("shift", [(0.9, 0), (2, 0), (5, -3), (-2, -2)])
def test_a_pushed_tray_is_no_roll_even_where_dice_come_to_lie_where_others_lay(shift: tuple[float, float]) -> None:
    pushed = [(x + shift[0], y + shift[1]) for x, y in PLACES]
    assert change(dice(PLACES, LAY), dice(pushed[::-1], LAY[::-1]), all_seven=True).what == "same"


def test_dice_that_are_gone_are_lifted() -> None:
    assert change(dice(PLACES, LAY), dice(PLACES[:4], LAY[:4]), all_seven=False).what == "lifted"
    assert change(dice(PLACES, LAY), [], all_seven=True).what == "lifted"
    assert change([], dice(PLACES, LAY), all_seven=True).what == "roll"


def test_the_first_roll_is_of_all_dice() -> None:
    places = [(x + 10, y + 9) for x, y in PLACES[:-1]] + PLACES[-1:]
    faces = ["red"] * 6 + LAY[-1:]
    assert change(dice(PLACES, LAY), dice(places, faces), all_seven=True).what == "doubt"
    assert change(dice(PLACES, LAY), dice(places, faces), all_seven=False).what == "roll"


def test_a_die_that_is_unsure_has_not_changed() -> None:
    assert change(dice(PLACES, LAY), dice(PLACES, [None, *LAY[1:]]), all_seven=False).what == "same"


def test_a_die_that_was_tipped_or_seen_to_be_gone_may_have_been_rolled() -> None:
    turned = ["red", *LAY[1:]]
    tipped = [(PLACES[0][0] + 0.75, PLACES[0][1]), *PLACES[1:]]
    assert change(dice(PLACES, LAY), dice(tipped, turned), all_seven=False).what == "doubt"
    gone = change(dice(PLACES, LAY), dice(PLACES[1:], LAY[1:]), all_seven=False)
    assert (gone.what, gone.gone) == ("lifted", {0})
    back = change(dice(PLACES, LAY), dice(PLACES, turned), all_seven=False, lifted=gone.gone)
    assert back.what == "doubt", "a roll may bring a die back to where it lay"
    same = change(dice(PLACES, LAY), dice(PLACES, LAY), all_seven=False, lifted=gone.gone)
    assert same.what == "same", "a hand had covered it"


def test_what_cant_be_read_is_no_roll_by_itself() -> None:
    fingers = [(40.0, 40.0), (43.0, 40.0)]
    found = change(dice(PLACES, LAY), dice([*PLACES[:4], *fingers], [*LAY[:4], None, None]), all_seven=False)
    assert (found.what, found.fresh, found.gone) == ("hidden", (4, 5), {4, 5, 6})
    one_read = change(dice(PLACES, LAY), dice([*PLACES[:5], *fingers], [*LAY[:5], None, "red"]), all_seven=False)
    assert one_read.what == "roll"


def unread(*confidences: float) -> list[DieReading]:
    return [DieReading(None, None, (40 * k, 900, 30, 30), c) for k, c in enumerate(confidences)]


@pytest.mark.parametrize(
    ("read", "doubtful", "count"),
    [
        (7, (), 7),
        (7, (0.05, 0.2), 7),  # a tray's rim in the light of another lamp
        (6, (0.05,), 7),  # the seventh may be there and badly lit: asked about, not missed
        (6, (0.05, 0.04), 6),
        (7, (0.6,), 8),
        (1, (0.2, 0.1, 0.15, 0.1, 0.12, 0.3), 7),
        (0, (0.01, 0.2, 0.1, 0.15, 0.1, 0.12, 0.3, 0.02), 7),  # all burnt out
    ],
)
def test_which_things_count_as_dice(read: int, doubtful: tuple[float, ...], count: int) -> None:
    seen = [*dice(PLACES[:read], LAY[:read]), *unread(*doubtful)]
    assert len(counted(seen)) == count


def test_the_face_that_the_players_gave_is_that_of_the_die_that_cant_be_read() -> None:
    lay = dice(PLACES, [*LAY[:6], None])
    assert [die.value for die in told(lay, LAY)] == LAY
    two = dice(PLACES, [*LAY[:5], None, None])
    assert told(two, LAY) == tuple(two), "which of them is which can't be known"
    assert [die.value for die in told(two, [*LAY[:5], "red", "red"])][5:] == ["red", "red"]
    assert told(lay[:6], LAY) == tuple(lay[:6])
