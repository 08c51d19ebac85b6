"""Guards the card game's rulings, by hand one by one; the plain game."""

from typing import Any

import pytest

from companion.errors import InputError
from companion.games.wizard_cards.cards import COPIES, Played, winner
from companion.games.wizard_cards.rules import RULES
from companion.games.wizard_cards.state import State

DECK = [card for card, copies in COPIES.items() for _ in range(copies)]


def header(players: int = 3, dealer: int = 0, **chosen: Any) -> dict[str, Any]:
    people = [{"name": f"P{i}"} for i in range(players)]
    return {"game": "wizard_cards", "players": people, "dealer": dealer, "settings": chosen}


def trump(card: str | None) -> dict[str, Any]:
    return {"event": "trump", "card": card}


def bid(player: int, tricks: int) -> dict[str, Any]:
    return {"event": "bid", "player": player, "tricks": tricks}


def play(player: int, card: str) -> dict[str, Any]:
    return {"event": "play", "player": player, "card": card}


def tricks(*taken: int) -> dict[str, Any]:
    return {"event": "tricks", "taken": list(taken)}


def colour(name: str) -> dict[str, Any]:
    return {"event": "trump_colour", "colour": name}


def played(events: list[dict[str, Any]], head: dict[str, Any]) -> State:
    state = RULES.start(head)
    for event in events:
        state = RULES.apply(state, RULES.parse_event(event))
    return state


def shown(events: list[dict[str, Any]], head: dict[str, Any]) -> dict[str, Any]:
    return RULES.describe(played(events, head))


def code(events: list[dict[str, Any]], event: dict[str, Any], head: dict[str, Any]) -> str | None:
    refusal = RULES.why_not(played(events, head), RULES.parse_event(event))
    return refusal.code if refusal else None


def rounds(count: int, players: int = 3) -> list[dict[str, Any]]:
    """Score-only rounds in which everybody bids 0 and player 0 takes all tricks."""
    events = []
    for number in range(1, count + 1):
        dealer = (number - 1) % players
        events.append(trump("J" if number < 60 // players else None))
        events += [bid((dealer + 1 + i) % players, 0) for i in range(players)]
        events.append(tricks(number, *[0] * (players - 1)))
    return events


def test_the_deck() -> None:
    assert len(DECK) == 60 and len(COPIES) == 54 and {"b1", "b13", "g13", "W", "J"} <= set(COPIES)
    assert [RULES.start(header(n)).setup.rounds for n in (3, 4, 5, 6)] == [20, 15, 12, 10]


def test_the_start() -> None:
    assert shown([], header(3, 2)) == {
        "round": 1,
        "rounds": 20,
        "phase": "trump",
        "dealer": 2,
        "trump_card": None,
        "trump": None,
        "bids": [None] * 3,
        "taken": [0] * 3,
        "trick": [],
        "scores": [0] * 3,
        "warnings": [],
        "winners": [],
    }


def test_a_whole_round() -> None:
    events = [trump("r7")]
    state = shown(events, header())
    assert (state["phase"], state["trump"], state["trump_card"], state["to_act"]) == ("bid", "red", "r7", 1)
    events += [bid(1, 1), bid(2, 0)]
    state = shown(events, header())
    # A bid of 0 differs from no bid yet.
    assert (state["bids"], state["to_act"]) == ([None, 1, 0], 0) and "lead_colour" not in state
    events += [bid(0, 1)]
    state = shown(events, header())
    assert (state["phase"], state["to_act"], state["lead_colour"]) == ("play", 1, None)
    events += [play(1, "b13"), play(2, "r1")]
    state = shown(events, header())
    assert state["trick"] == [{"player": 1, "card": "b13"}, {"player": 2, "card": "r1"}]
    assert (state["to_act"], state["lead_colour"]) == (0, "blue")
    state = shown([*events, play(0, "J")], header())
    # Player 2 takes the only trick with the trump: 0 bid 1, 1 bid 1, 2 bid 0.
    assert state["scores"] == [-10, -10, -10]
    assert (state["round"], state["dealer"], state["phase"], state["taken"]) == (2, 1, "trump", [0, 0, 0])
    assert (state["trump"], state["trump_card"], state["bids"], state["trick"]) == (None, None, [None] * 3, [])


def test_the_winner_leads_and_the_score_counts_tricks() -> None:
    events = [*rounds(1), trump("J"), bid(2, 0), bid(0, 0), bid(1, 2)]
    events += [play(2, "b3"), play(0, "b2"), play(1, "b4")]
    state = shown(events, header())
    assert (state["taken"], state["to_act"], state["trick"], state["lead_colour"]) == ([0, 1, 0], 1, [], None)
    state = shown([*events, play(1, "W"), play(2, "g1"), play(0, "g2")], header())
    # Round 1: 0 bid 0 and took 1, the others are exact. Round 2: all exact, 20 and 10 for each of two tricks.
    assert state["scores"] == [-10 + 20, 20 + 40, 20 + 20]


@pytest.mark.parametrize(
    ("cards", "trump_colour", "best"),
    [
        ("b3 b13 b7", None, 1), ("b3 r1 b7", "red", 1), ("b3 r1 r2", "red", 2), ("b3 g13 y13", "red", 0),
        ("b3 g13 y13", None, 0), ("W W r13", "red", 0), ("r13 W W", "red", 1), ("J J J", "red", 0),
        ("J b1 g13", None, 1),
        ("J b1 g1", "green", 2), ("J J b1", "red", 2), ("J W b13", "blue", 1), ("b13 J J", "green", 0),
        ("g2 b9 g1", "blue", 1),
    ],
)  # fmt: skip
def test_who_takes_the_trick(cards: str, trump_colour: str | None, best: int) -> None:
    assert winner(tuple(Played(i, card) for i, card in enumerate(cards.split())), trump_colour).player == best


@pytest.mark.parametrize(
    ("cards", "lead"),
    [
        ("", None), ("b1", "blue"), ("W", None), ("W b1", None), ("J", None), ("J J", None), ("J b1", "blue"),
        ("J W", None),
        ("J W b1", None), ("b1 W", "blue"), ("b1 J g1", "blue"), ("J W b1 g1", None), ("J J g1 b1", "green"),
    ],
)  # fmt: skip
def test_the_colour_to_follow(cards: str, lead: str | None) -> None:
    head = header(6)
    events = [trump("r7"), *[bid((1 + i) % 6, 0) for i in range(6)]]
    events += [play(1 + i, card) for i, card in enumerate(cards.split())]
    assert shown(events, head)["lead_colour"] == lead


BID1 = [trump("r7"), bid(1, 0), bid(2, 0), bid(0, 0)]
LAST = rounds(19)


@pytest.mark.parametrize(
    ("events", "event", "expected"),
    [
        ([], trump(None), "trump_card_missing"),
        ([], trump("x"), "unknown_card"),
        ([], trump("b14"), "unknown_card"),
        ([], trump("b0"), "unknown_card"),
        ([], trump("b01"), "unknown_card"),
        ([], trump(""), "unknown_card"),
        (LAST, trump("b1"), "no_card_left_to_turn"),
        (LAST, trump("x"), "no_card_left_to_turn"),
        (LAST, trump(None), None),
        ([], colour("red"), "wrong_phase"),
        ([], bid(1, 0), "wrong_phase"),
        ([trump("W")], bid(1, 0), "wrong_phase"),
        ([trump("W")], colour("none"), "bad_colour"),
        ([trump("W")], colour("r"), "bad_colour"),
        ([trump("W")], colour("red"), None),
        ([trump("J")], colour("red"), "wrong_phase"),
        ([trump("r7")], bid(0, 9), "not_your_turn"),
        ([trump("r7")], bid(7, 0), "not_your_turn"),
        ([trump("r7")], bid(1, 2), "bid_out_of_range"),
        ([trump("r7")], bid(1, -1), "bid_out_of_range"),
        ([trump("r7")], bid(1, 1), None),
        ([trump("r7")], play(1, "b1"), "wrong_phase"),
        ([trump("r7")], tricks(1, 0, 0), "wrong_phase"),
        (BID1, play(2, "x"), "not_your_turn"),
        (BID1, play(1, "x"), "unknown_card"),
        (BID1, play(1, "r7"), "card_already_seen"),
        (BID1, trump("b1"), "wrong_phase"),
        ([*BID1, play(1, "b1")], play(2, "b1"), "card_already_seen"),
        ([*BID1, play(1, "W")], play(2, "W"), None),
        ([*BID1, play(1, "W")], tricks(1, 0, 0), "wrong_phase"),
        ([*BID1, play(1, "W")], tricks(5), "wrong_phase"),
        (BID1, tricks(1, 0), "wrong_total"),
        (BID1, tricks(), "wrong_total"),
        (BID1, tricks(1, 0, 0, 0), "wrong_total"),
        (BID1, tricks(1, 1, 0), "wrong_total"),
        (BID1, tricks(2, -1, 0), "wrong_total"),
        (BID1, tricks(0, 1, 0), None),
    ],
)  # fmt: skip
def test_first_reason_that_applies(events: list[Any], event: dict[str, Any], expected: str | None) -> None:
    assert code(events, event, header()) == expected


def test_wizards_and_jesters_are_seen_four_times_the_turned_one_counted() -> None:
    events = [*rounds(1), trump("W"), colour("red"), bid(2, 0), bid(0, 0), bid(1, 0)]
    events += [play(2, "W"), play(0, "W"), play(1, "W")]
    assert code(events, play(2, "W"), header()) == "card_already_seen"
    assert code(events, play(2, "J"), header()) is None
    # A new round shuffles the whole deck.
    events += [play(2, "J"), play(0, "J"), play(1, "J")]
    assert code(events, trump("W"), header()) is None


def test_after_a_trick_the_round_is_played_to_its_end() -> None:
    events = [*rounds(1), trump("r7"), bid(2, 0), bid(0, 0), bid(1, 0), play(2, "b1"), play(0, "b2"), play(1, "b3")]
    assert code(events, tricks(1, 1, 0), header()) == "wrong_phase"


def test_the_dealer_may_not_make_the_total_equal() -> None:
    strict = header(bids="plus_minus_one")
    events = [trump("r7"), bid(1, 0), bid(2, 0)]
    assert code(events, bid(0, 1), strict) == "total_not_allowed" and code(events, bid(0, 1), header()) is None
    assert code(events, bid(0, 0), strict) is None and code(events, bid(0, 2), strict) == "bid_out_of_range"
    assert code(events[:1], bid(1, 1), strict) is None
    assert code([*events[:2], bid(2, 1)], bid(0, 0), strict) == "total_not_allowed"


ROUND2 = [*rounds(1), trump("r7"), bid(2, 0), bid(0, 0), bid(1, 0)]


@pytest.mark.parametrize(
    ("cards", "warnings"),
    [
        pytest.param("2b1 0g2 1b3 1b5 2b4 0b2", [(0, "b2")], id="shown-by-a-later-card"),
        pytest.param("2b1 0g2 1b3 1b5 2b4 0g3", [], id="another-colour-shows-nothing"),
        pytest.param("2b1 0W 1b3 0b5 1b4 2b2", [], id="a-wizard-may-always-be-played"),
        pytest.param("2b1 0J 1b3 1b5 2b4 0b2", [], id="a-jester-may-always-be-played"),
        pytest.param("2W 0g2 1b3 2b5 0b4 1g4", [], id="a-wizard-led-sets-all-free"),
        pytest.param("2J 0b2 1g3 0g5 1b4 2g4", [(1, "b4")], id="after-a-jester-the-number-binds"),
        pytest.param("2b1 0W 1g3 0g5 1b4 2g4", [(1, "b4")], id="a-later-wizard-does-not-free"),
        pytest.param("2J 0W 1g3 0g5 1b4 2g4", [], id="jester-then-wizard-sets-all-free"),
        pytest.param("2b1 0r2 1b3 0b4 1b5 2b6", [(0, "b4")], id="trumping-does-not-excuse"),
    ],
)
def test_revokes(cards: str, warnings: list[tuple[int, str]]) -> None:
    """The last card of the round ends it, so the warnings are looked at before, in the account as well."""
    plays = [play(int(card[0]), card[1:]) for card in cards.split()]
    before = played([*ROUND2, *plays[:-1]], header())
    event = RULES.parse_event(plays[-1])
    after = RULES.apply(before, event)
    found = [(w["player"], w["card"]) for w in RULES.describe(before)["warnings"]]
    if "Revoke: " in RULES.account(before, event, after):
        found.append((int(cards.split()[-1][0]), cards.split()[-1][1:]))
    assert found == warnings
    assert RULES.describe(after)["warnings"] == [] and after.round == 3


def test_every_card_that_shows_a_revoke_is_a_warning() -> None:
    events = [*rounds(2), trump("J"), bid(0, 0), bid(1, 0), bid(2, 0)]
    events += [play(0, "b1"), play(1, "g1"), play(2, "b2"), play(2, "b3"), play(0, "b4"), play(1, "b5"), play(1, "b6")]
    assert shown(events, header())["warnings"] == [
        {"code": "revoke", "player": 1, "card": "b5"},
        {"code": "revoke", "player": 1, "card": "b6"},
    ]


def test_the_last_round_and_the_end() -> None:
    events = [*LAST, trump(None)]
    state = shown(events, header())
    assert (state["round"], state["phase"], state["trump"], state["dealer"]) == (20, "bid", None, 1)
    events = rounds(20)
    state = shown(events, header())
    # Players 1 and 2 bid 0 and took 0 twenty times; player 0 missed by 1, 2, ... 20.
    assert state["scores"] == [-10 * 210, 400, 400]
    assert (state["phase"], state["winners"], state["round"]) == ("over", [1, 2], 20) and "to_act" not in state
    assert code(events, trump(None), header()) == "game_over"


@pytest.mark.parametrize(
    "change",
    [
        {"players": [{"name": "x"}] * 2}, {"players": [{"name": "x"}] * 7}, {"players": None}, {"players": [None] * 3},
        {"players": [{"name": None}] * 3}, {"dealer": 3}, {"dealer": -1}, {"dealer": True}, {"dealer": "0"},
        {"settings": {"bids": "hidden"}}, {"settings": {"bids": 1}}, {"settings": "free"},
    ],
)  # fmt: skip
def test_impossible_headers(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RULES.start(header() | change)


@pytest.mark.parametrize(
    "event",
    [
        {}, {"event": "deal"}, {"event": "trump"}, {"event": "trump", "card": 7}, {"event": "trump", "card": False},
        {"event": "trump_colour", "colour": None}, {"event": "bid", "player": 1}, bid(1, 0) | {"tricks": 1.0},
        bid(1, 0) | {"tricks": None}, bid(1, 0) | {"player": True}, play(1, "b1") | {"card": None},
        play(1, "b1") | {"card": 1},
        {"event": "play", "card": "b1"}, {"event": "tricks"}, {"event": "tricks", "taken": {}},
        {"event": "tricks", "taken": [1, 0, None]}, {"event": "tricks", "taken": [True, 0, 0]},
        {"event": "tricks", "taken": [1.0, 0, 0]},
    ],
)  # fmt: skip
def test_malformed_events(event: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RULES.parse_event(event)
