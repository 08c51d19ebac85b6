"""Guards the players' words against readings: each holds until that thing is read otherwise, and touches no other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.arbiter.flow import Overrule
from companion.arbiter.overruled import Overruled
from companion.vision.readings import BoardReading, CardReading, CutterReading, DieReading

COLOURS = st.sampled_from([None, "empty", "red", "green", "white"])
SPACES = st.fixed_dictionaries({s: COLOURS for s in ("a1", "a2", "a3")})
BOX = (100, 100, 40, 40)


def board(number: int | None = 3, colour: str | None = "red", **spaces: str | None) -> BoardReading:
    sticks = () if number == 0 else (CutterReading(1, number, colour, 0.9),)
    return BoardReading("ok", spaces=spaces, cutters=sticks)


def die(value: int | None, box: tuple[int, int, int, int] = BOX) -> BoardReading:
    return BoardReading("ok", spaces={}, dice=(DieReading(value, "red", box, 0.6),))


@given(SPACES, SPACES, st.sampled_from(["empty", "red", "green", "white"]))
def test_a_word_about_a_space_holds_exactly_until_another_value_is_read_there(
    before: dict[str, str | None], after: dict[str, str | None], said: str
) -> None:
    words = Overruled()
    words.say(Overrule({"a1": said}), BoardReading("ok", spaces=before))
    later = BoardReading("ok", spaces=after)
    words.forget(later)
    holds = after["a1"] is None or after["a1"] == before["a1"]
    assert (words.applied(later).spaces or {})["a1"] == (said if holds else after["a1"])
    assert {k: v for k, v in (words.applied(later).spaces or {}).items() if k != "a1"} == {
        k: v for k, v in after.items() if k != "a1"
    }


def test_a_stick_is_what_the_players_say_until_it_is_moved_or_taken_off() -> None:
    words = Overruled()
    words.say(Overrule(cutters={1: (5, "red")}), board(3))
    assert [c.number for c in words.applied(board(3)).cutters] == [5]
    for unsure in (board(3), board(None)):
        words.forget(unsure)
        assert words
    words.forget(board(4))
    assert not words


def test_a_stick_that_is_none_is_gone_until_the_reading_changes() -> None:
    words = Overruled()
    words.say(Overrule(cutters={1: None}), board(3))
    assert words.applied(board(3)).cutters == ()
    words.forget(board(0))
    assert words.applied(board(3)).cutters[0].number == 3


def test_a_die_keeps_its_word_while_it_lies_still_and_no_other_gets_it() -> None:
    words = Overruled()
    words.say(Overrule(dice={(102, 99, 39, 41): 4}), die(None))
    assert words.applied(die(None, (103, 101, 40, 40))).dice[0].value == 4
    assert words.applied(die(None, (160, 100, 40, 40))).dice[0].value is None
    words.forget(die(None))
    assert words
    words.forget(BoardReading("ok", spaces={}, dice_sought=False))
    assert words, "dice that were not looked for say nothing"
    words.forget(die(6))
    assert not words


def test_the_last_word_about_a_die_counts_and_none_takes_it_away() -> None:
    words = Overruled()
    words.say(Overrule(dice={BOX: 4}), die(2))
    words.say(Overrule(dice={BOX: 5}), die(2))
    assert words.applied(die(2)).dice[0].value == 5
    words.say(Overrule(dice={BOX: None}), die(2))
    assert words.applied(die(2)).dice == ()


def test_cards_are_overruled_as_dice_are() -> None:
    reading = BoardReading("ok", cards=(CardReading(None, BOX, 0.3),))
    words = Overruled()
    words.say(Overrule(cards={BOX: "b13"}), reading)
    assert words.applied(reading).cards[0].value == "b13"
    assert words.things == {"card 100,100,40,40"}


def test_what_is_not_seen_lies_there_until_something_is_touched_or_it_is_seen() -> None:
    for words, reading in (
        (Overrule(dice={BOX: 4}), BoardReading("ok", spaces={})),
        (Overrule(cards={BOX: "b13"}), BoardReading("ok", spaces={})),
        (Overrule(cutters={1: (5, "red")}), board(0)),
    ):
        said = Overruled()
        said.say(words, reading)
        said.forget(reading)
        lies = said.applied(reading)
        assert [*(d.value for d in lies.dice), *(c.value for c in lies.cards), *(c.number for c in lies.cutters)] in (
            [4],
            ["b13"],
            [5],
        )
        said.touched()
        assert not said and said.applied(reading) is reading
    said = Overruled()
    said.say(Overrule(dice={BOX: 4}), BoardReading("ok", spaces={}))
    said.forget(die(6))
    assert not said and said.applied(die(6)).dice[0].value == 6
    said.say(Overrule(dice={BOX: None}), BoardReading("ok", spaces={}))
    assert not said, "that nothing lies where nothing is seen says nothing"


def test_a_word_about_what_is_seen_outlives_a_hand() -> None:
    words = Overruled()
    words.say(Overrule(dice={BOX: 4}, cutters={1: (5, "red")}), die(2))
    words.say(Overrule(cutters={1: (5, "red")}), board(3))
    words.touched()
    assert words.applied(die(2)).dice[0].value == 4 and words.applied(board(3)).cutters[0].number == 5


def test_without_a_word_a_reading_is_left_as_it_is() -> None:
    reading = board(a1="red")
    assert Overruled().applied(reading) is reading
