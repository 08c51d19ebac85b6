"""Merging keeps what readings agree on and invents nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.vision.merge import merge_readings
from companion.vision.readings import BoardReading, CardReading, CutterReading, DieReading

STATES = st.sampled_from(["empty", "red", "green", "white", None])
CUTTERS = st.lists(
    st.builds(
        CutterReading,
        st.integers(1, 3),
        st.one_of(st.none(), st.integers(1, 3)),
        st.sampled_from(["red", "green", None]),
        st.floats(0, 1),
    ),
    max_size=3,
    unique_by=lambda c: c.side,
)
DICE = st.lists(
    st.builds(
        DieReading,
        st.one_of(st.none(), st.integers(1, 6)),
        st.sampled_from(["red", "white", None]),
        st.sampled_from([(0, 0, 40, 40), (200, 0, 40, 40)]),
        st.floats(0, 1),
    ),
    max_size=2,
    unique_by=lambda d: d.box,
)


@st.composite
def readings(draw: st.DrawFn) -> BoardReading:
    if draw(st.integers(0, 5)) == 0:
        return BoardReading("unreadable", "no board")
    spaces = {i: draw(STATES) for i in ("a1", "a2", "b1")}
    return BoardReading(
        status="ok",
        turn=0,
        spaces=spaces,
        confidence=dict.fromkeys(spaces, 0.9),
        cutters=tuple(draw(CUTTERS)),
        dice=tuple(draw(DICE)),
        hand=draw(st.sampled_from([True, False, None])),
    )


@given(st.lists(readings(), min_size=2, max_size=4))
def test_a_value_needs_two_votes_and_no_contradiction(several: list[BoardReading]) -> None:
    seen = [r for r in several if r.spaces is not None]
    merged = merge_readings(several)
    if len(seen) < 2:
        assert merged in several
        return
    for space, value in (merged.spaces or {}).items():
        votes = [r.spaces[space] for r in seen if r.spaces and r.spaces[space] is not None]
        assert (value is not None) == (len(votes) >= 2 and len(set(votes)) == 1)
        assert value is None or value == votes[0]
    for cutter in merged.cutters:
        lines = [c.number for r in seen for c in r.cutters if c.side == cutter.side and c.number is not None]
        if cutter.number is not None:
            assert lines.count(cutter.number) == len(lines) >= 2
    for die in merged.dice:
        values = [d.value for r in seen for d in r.dice if d.box == die.box and d.value is not None]
        if die.value is not None:
            assert values.count(die.value) == len(values) >= 2
    if merged.status == "ok":
        assert None not in (merged.spaces or {}).values()
        assert all(c.number is not None and c.colour is not None for c in merged.cutters)
    else:
        assert merged.reason
    assert merged.hand == (None if all(r.hand is None for r in seen) else any(r.hand for r in seen))


@given(readings())
def test_one_reading_stays_as_it_is(reading: BoardReading) -> None:
    assert merge_readings([reading]) is reading


def test_equal_readings_are_not_changed() -> None:
    reading = BoardReading(
        status="ok",
        turn=120,
        spaces={"a1": "red", "a2": "empty"},
        confidence={"a1": 0.98, "a2": 0.99},
        cutters=(CutterReading(1, 4, "red", 0.98),),
        dice=(DieReading(4, "white", (5, 6, 40, 40), 0.97),),
        hand=False,
    )
    assert merge_readings([reading] * 3) == reading


def test_a_die_seen_once_is_a_flicker_and_dice_side_by_side_stay_apart() -> None:
    left, right = DieReading(4, "red", (0, 0, 40, 40), 0.9), DieReading(4, "red", (41, 0, 40, 40), 0.9)
    base = BoardReading("ok", turn=0, spaces={}, confidence={}, hand=False)
    merged = merge_readings([replace(base, dice=(left, right)), replace(base, dice=(right, left)), base])
    assert sorted(d.box for d in merged.dice) == [left.box, right.box]
    assert merge_readings([replace(base, dice=(left,)), base, base]).dice == ()


def test_a_board_turned_in_between_is_unreadable() -> None:
    base = BoardReading("ok", turn=0, spaces={"a1": "red"}, confidence={"a1": 1.0}, hand=False)
    assert merge_readings([base, replace(base, turn=120)]).status == "unreadable"


def test_nothing_to_merge() -> None:
    with pytest.raises(ValueError, match="no readings"):
        merge_readings([])


def _cards(*cards: tuple[str | None, int]) -> BoardReading:
    return BoardReading("ok", spaces={}, cards=tuple(CardReading(v, (x, 0, 60, 90), 0.95) for v, x in cards))


def test_a_card_that_one_picture_sees_is_a_flicker_and_differing_values_are_none() -> None:
    merged = merge_readings([_cards(("b1", 0), ("r2", 200)), _cards(("b1", 3)), _cards(("b1", 1), ("g9", 400))])
    assert [c.value for c in merged.cards] == ["b1"] and merged.status == "ok"
    merged = merge_readings([_cards(("b1", 0), ("r2", 200)), _cards(("b1", 0), ("r3", 200))])
    assert [c.value for c in merged.cards] == ["b1", None] and merged.status == "unsure"


def test_cards_that_lie_on_each_other_keep_their_values() -> None:
    merged = merge_readings([_cards(("b1", 0), ("r2", 25)), _cards(("r2", 22), ("b1", 4)), _cards(("r2", 25))])
    assert sorted(str(c.value) for c in merged.cards) == ["b1", "r2"]
