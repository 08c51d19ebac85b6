"""Guards the seer's chances: the published percentages, a plain search over single dice, and play by the advice."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.wizard_dice.chances import _best, before_roll, best
from companion.games.wizard_dice.rules import RULES
from companion.games.wizard_dice.state import DICE, FACES, Bid, Roll, Score, Spell, State, WizardColour


def game(number: int, wizards: str = "red", spell: Spell | None = None) -> State:
    """Two have bid; the seer, on blue, is about to roll."""
    head = {"game": "wizard_dice", "players": [{"name": "Ana"}, {"name": "Ben"}], "first_seer": 0}
    state = replace(RULES.start(head), spell=spell)
    for event in (Bid(0, "blue", number), Bid(1, "red", 5), WizardColour(wizards)):
        state = RULES.apply(state, event)
    return state


def test_the_published_percentages() -> None:
    assert [round(100 * before_roll(n, wizards=False)) for n in range(1, 6)] == [92, 77, 53, 28, 11]
    assert [round(100 * before_roll(n, wizards=True)) for n in range(1, 6)] == [85, 86, 80, 69, 52]


@cache
def searched(right: int, locked: int, rolls: int, number: int, faces: int, lock: bool, dice: int) -> Fraction:
    """The chance by trying every subset of single dice and every outcome of each die; for few dice only."""
    if rolls == 0:
        return Fraction(right == number)
    found = searched(right, locked, 0, number, faces, lock, dice)
    kinds = {"right": faces, "jester": int(lock), "other": 6 - faces - lock}
    table = ["right"] * right + ["jester"] * locked + ["other"] * (dice - right - locked)
    for rolled in product((False, True), repeat=dice):
        if any(r and kind == "jester" for r, kind in zip(rolled, table, strict=True)):
            continue
        kept = [kind for r, kind in zip(rolled, table, strict=True) if not r]
        total = Fraction(0)
        for outcome in product(kinds, repeat=sum(rolled)):
            share = Fraction(1)
            for kind in outcome:
                share *= Fraction(kinds[kind], 6)
            lie = [*kept, *outcome]
            if share:
                after = (lie.count("right"), lie.count("jester"))
                total += share * searched(*after, rolls - 1, number, faces, lock, dice)
        found = max(found, total)
    return found


@pytest.mark.parametrize("lock", [False, True])
@pytest.mark.parametrize("faces", [1, 2])
def test_the_best_play_equals_a_search_over_single_dice(
    faces: int, lock: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.games.wizard_dice.chances.DICE", 3)
    monkeypatch.setattr("companion.games.wizard_dice.chances._UNIT", 6**3)
    _best.cache_clear()
    for number, right, locked, rolls in product(range(1, 4), range(4), range(2 if lock else 1), range(3)):
        if right + locked <= 3:
            ways = _best(number, faces, right, locked, rolls, lock)[0]
            assert Fraction(ways, 6 ** (3 * rolls)) == searched(right, locked, rolls, number, faces, lock, 3)
    _best.cache_clear()


@given(st.lists(st.sampled_from(FACES), min_size=DICE, max_size=DICE), st.integers(1, 5), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_advice_is_legal_and_stops_when_the_bid_is_met(
    faces: list[str], number: int, own: bool, lock: bool
) -> None:
    start = game(number, "blue" if own else "red", Spell(jesters_locked=True) if lock else None)
    state = RULES.apply(start, Roll(tuple(faces)))
    plan = best(state)
    assert plan is not None and 0 <= plan.chance <= 1
    met = state.count("blue") == number
    assert met == (plan.chance == 1) and (not met or plan.reroll == ())
    assert not lock or all(faces[i] != "jester" for i in plan.reroll)
    # With one roll less it can only get worse.
    later = best(RULES.apply(state, Roll(tuple(faces))))
    assert later is not None and later.chance <= plan.chance


def test_who_plays_by_the_advice_hits_as_often_as_it_says() -> None:
    rng = random.Random(7)
    hits, games = 0, 3000
    for _ in range(games):
        state = RULES.apply(game(3, "blue"), Roll(tuple(rng.choices(FACES, k=DICE))))
        while state.phase == "roll" and (plan := best(state)) is not None and plan.reroll:
            faces = [rng.choice(FACES) if i in plan.reroll else face for i, face in enumerate(state.faces)]
            state = RULES.apply(state, Roll(tuple(faces)))
        hits += state.count("blue") == 3
    assert abs(hits / games - 0.803) < 0.025  # three standard deviations are 0.022


def test_there_is_nothing_to_say_before_the_roll_after_scoring_or_where_dice_are_set() -> None:
    state = game(2)
    assert best(state) is None
    rolled = RULES.apply(state, Roll(("blue",) * DICE))
    assert best(rolled) is not None
    assert best(RULES.apply(rolled, Score(0, "bid"))) is None
    assert best(RULES.apply(game(2, spell=Spell(seer_sets=2)), Roll(("blue",) * DICE))) is None


def test_of_equally_good_plays_the_one_that_rolls_fewest_is_advised() -> None:
    # One more is needed of two faces in six, with one roll left: two dice give it as often as three (4/9).
    faces = ("blue", "blue", "red", "red", "green", "green", "jester")
    state = RULES.apply(RULES.apply(game(3, "blue"), Roll(faces)), Roll(faces))
    plan = best(state)
    assert plan is not None and plan.chance == Fraction(4, 9) and plan.reroll == (2, 3)
