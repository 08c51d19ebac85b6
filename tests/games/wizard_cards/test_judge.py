"""Guards what cards on the table are taken for, where places and doubles decide."""

from __future__ import annotations

from companion.games.wizard_cards.cards import COPIES
from companion.games.wizard_cards.judge import Known, sort_cards
from companion.vision.readings import CardReading


def card(value: str | None, x: int, y: int = 0) -> CardReading:
    return CardReading(value, (x, y, 60, 90), 0.95)


def test_a_card_that_there_is_but_once_is_not_read_twice() -> None:
    known = Known(trick=("g2", "g9"), lain=(card("g2", 0), card("g9", 50)))
    lying = sort_cards([card("J", 90), card("g9", 2), card("g9", 51)], known, COPIES)
    assert [c.value for c in lying.fresh] == ["J"] and lying.missing == () and lying.unread == ()


def test_one_that_cannot_be_read_may_be_the_missing_one_but_two_may_not() -> None:
    known = Known(trick=("b1",))
    one = sort_cards([card(None, 0)], known, COPIES)
    two = sort_cards([card(None, 0), card(None, 200)], known, COPIES)
    assert (one.missing, one.unread) == ((), ()) and (two.missing, len(two.unread)) == ((), 1)


def test_a_turned_jester_is_told_by_its_place() -> None:
    lies = card("J", 700)
    known = Known(trump="J", trump_box=lies.box)
    assert sort_cards([lies, card("J", 100)], known, COPIES).fresh == (card("J", 100),)
    moved = sort_cards([card("J", 400)], known, COPIES)
    assert moved.doubtful and moved.trump is None
    assert not sort_cards([card("W", 400), lies], known, COPIES).doubtful


def test_what_the_players_say_of_a_card_holds_at_its_place() -> None:
    known = Known(trick=("b6",), said=((card("b8", 0), "b6"),))
    assert sort_cards([card("b8", 3)], known, COPIES).missing == ()
    assert [c.value for c in sort_cards([card("b8", 300)], known, COPIES).fresh] == ["b8"]


def test_a_turned_card_that_cannot_be_read_just_now_is_no_news() -> None:
    known = Known(trump="r7", trump_box=card("r7", 700).box)
    lying = sort_cards([card(None, 702), card("b1", 100)], known, COPIES)
    assert [c.value for c in lying.fresh] == ["b1"] and lying.unread == () and not lying.doubtful
