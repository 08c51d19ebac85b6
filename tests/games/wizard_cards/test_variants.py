"""Guards the variants of the card game, by hand one by one: hidden and secret bids, and the special cards."""

from typing import Any

import pytest

from companion.errors import InputError
from companion.games.wizard_cards.cards import SPECIALS, Played, colour_to_follow, winner
from companion.games.wizard_cards.rules import RULES

from .test_rules import bid, code, colour, header, play, played, rounds, shown, tricks, trump

ALL = header(specials=list(SPECIALS))


def lay(player: int, card: str, named: str) -> dict[str, Any]:
    return play(player, card) | {"colour": named}


def change(player: int, count: int) -> dict[str, Any]:
    return {"event": "change_bid", "player": player, "tricks": count}


def account(events: list[dict[str, Any]], head: dict[str, Any]) -> str:
    before, event = played(events[:-1], head), RULES.parse_event(events[-1])
    return RULES.account(before, event, RULES.apply(before, event))


# ---- bids that others don't see ----


def test_hidden_bids_are_shown_together() -> None:
    head = header(bids_shown="together")
    events = [trump("r7"), bid(1, 1), bid(2, 0)]
    assert shown(events, head)["bids"] == [None, "hidden", "hidden"], "a bid of 0 differs from none"
    assert account(events, head) == "Round 1: P2 (2) bids hidden."
    events += [bid(0, 1)]
    assert shown(events, head)["bids"] == [1, 1, 0]
    assert account(events, head) == "Round 1: P0 (0) bids; the bids: P0 (0) 1, P1 (1) 1, P2 (2) 0; 2 of 1."


def test_secret_bids_are_shown_after_the_round() -> None:
    head = header(bids_shown="after_round")
    events = [trump("r7"), bid(1, 1), bid(2, 0), bid(0, 1)]
    assert shown(events, head)["bids"] == ["hidden"] * 3 and account(events, head) == "Round 1: P0 (0) bids hidden."
    events += [play(1, "b1"), play(2, "b2"), play(0, "b3")]
    assert "The bids: P0 (0) 1, P1 (1) 1, P2 (2) 0. Scores: P0 (0) +30" in account(events, head)
    assert shown(events, head)["scores"] == [30, -10, 20]


def test_secret_bids_of_the_last_round_are_shown_when_the_game_is_over() -> None:
    head = header(6, bids_shown="after_round")
    events = rounds(10, players=6)
    assert shown(events[:-1], head)["bids"] == ["hidden"] * 6
    assert shown(events, head)["bids"] == [0] * 6


@pytest.mark.parametrize(
    "chosen",
    [
        {"bids_shown": "secret"}, {"bids_shown": True}, {"bids": "plus_minus_one", "bids_shown": "together"},
        {"specials": "bomb"}, {"specials": ["witch"]}, {"specials": ["bomb", "bomb"]}, {"specials": [1]},
        {"specials": None}, {"specials": {"bomb": True}},
    ],
)  # fmt: skip
def test_impossible_settings(chosen: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RULES.start(header(**chosen))


# ---- special cards ----


def of(cards: str) -> tuple[Played, ...]:
    """`7r` and `9r` are the juggler and the cloud as red, and so on."""
    names = {"D": "dragon", "F": "fairy", "B": "bomb"}
    hues = {"b": "blue", "r": "red", "y": "yellow", "g": "green"}
    trick = []
    for i, card in enumerate(cards.split()):
        if card[0] in "79":
            trick.append(Played(i, "juggler" if card[0] == "7" else "cloud", hues[card[1]]))
        else:
            trick.append(Played(i, names.get(card, card)))
    return tuple(trick)


@pytest.mark.parametrize(
    ("cards", "best"),
    [
        ("W D r13", 1), ("D W W", 0), ("D F W", 1), ("F W D", 0), ("F J b1", 2), ("F J J", 1), ("F J B", 1),
        ("F W b1", 1), ("b7 7b b8", 2), ("b7 7b b6", 1), ("b9 9b b10", 2), ("b9 9b 7b", 1), ("b13 7r b1", 1),
        ("b1 7r r8", 2), ("b1 7g b2", 2), ("7g b13 g8", 2), ("7g b13 y13", 0), ("B b1 b2", 2), ("B J F", 1),
        ("b13 B D", 2), ("F D B", 0), ("J B F W", 3),
    ],
)  # fmt: skip
def test_the_best_card_with_special_ones_when_red_is_trump(cards: str, best: int) -> None:
    assert winner(of(cards), "red").player == best


@pytest.mark.parametrize(
    ("cards", "follow"),
    [
        ("D", None), ("D b1", None), ("F", None), ("F b1", "blue"), ("B", None), ("B b1", "blue"),
        ("F B J g1", "green"),
        ("J D b1", None), ("7r b1", "red"), ("9y", "yellow"), ("J 9y b1", "yellow"), ("b1 D", "blue"),
    ],
)  # fmt: skip
def test_the_colour_to_follow_with_special_cards(cards: str, follow: str | None) -> None:
    assert colour_to_follow(of(cards)) == follow


def test_only_the_chosen_special_cards_are_in_the_deck() -> None:
    assert code([], trump("bomb"), header()) == "unknown_card"
    assert code([], trump("bomb"), header(specials=["bomb"])) is None
    assert code([], trump("fairy"), header(specials=["bomb"])) == "unknown_card"
    assert "b1 to b13, r, y, g, W, J, bomb" in str(
        RULES.why_not(RULES.start(header(specials=["bomb"])), RULES.parse_event(trump("x")))
    )
    assert shown([], ALL)["rounds"] == 20 and "bombed" not in shown([], header(specials=["fairy"]))


@pytest.mark.parametrize(
    ("card", "phase"),
    [("bomb", "bid"), ("fairy", "bid"), *((card, "trump_colour") for card in ("dragon", "cloud", "juggler"))],
)  # fmt: skip
def test_a_special_card_turned_up(card: str, phase: str) -> None:
    state = shown([trump(card)], ALL)
    assert (state["phase"], state["trump"], state["trump_card"]) == (phase, None, card)
    begun = [trump(card), *([colour("red")] if phase != "bid" else []), bid(1, 0), bid(2, 0), bid(0, 0)]
    assert code(begun, lay(1, card, "red"), ALL) == "card_already_seen"


def test_with_special_cards_one_is_left_to_turn_up_in_the_last_round() -> None:
    events = rounds(19)
    assert code(events, trump(None), ALL) == "trump_card_missing" and code(events, trump("b1"), ALL) is None


BID2 = [*rounds(1), trump("r7"), bid(2, 1), bid(0, 1), bid(1, 0)]


def test_the_bomb() -> None:
    events = [*BID2, play(2, "b1"), play(0, "bomb"), play(1, "b2")]
    state = shown(events, ALL)
    assert (state["taken"], state["bombed"], state["to_act"]) == ([0, 0, 0], 1, 1), "the best card leads"
    assert account(events, ALL).endswith(
        "The bomb: nobody gets the trick; P1 (1) leads with b2, the highest of the colour led."
    )
    assert code(events, tricks(1, 0, 0), ALL) == "wrong_phase", "a trick was played, though nobody took it"
    state = shown([*events, play(1, "b3"), play(2, "b4"), play(0, "b5")], ALL)
    assert (state["round"], state["scores"]) == (3, [-10 + 30, 20 + 20, 20 - 10])


@pytest.mark.parametrize(
    ("specials", "taken", "expected"),
    [(["bomb"], (1, 0, 0), None), (["bomb"], (1, 1, 0), None), (["bomb"], (0, 0, 0), "wrong_total"),
     (["cloud"], (1, 0, 0), "wrong_total")],
)  # fmt: skip
def test_tricks_of_a_round_that_may_have_had_the_bomb(specials: list[str], taken: Any, expected: str | None) -> None:
    assert code(BID2, tricks(*taken), header(specials=specials)) == expected


def test_the_cloud_changes_the_bid_of_the_winner_by_one() -> None:
    events = [*BID2, play(2, "b10"), lay(0, "cloud", "blue"), play(1, "b1")]
    state = shown(events, ALL)
    assert (state["phase"], state["to_act"], state["taken"]) == ("change_bid", 2, [0, 0, 1])
    assert state["trick"] == [] and "lead_colour" not in state
    assert [code(events, change(2, n), ALL) for n in range(-1, 4)] == [
        "bid_out_of_range", None, "bid_out_of_range", None, "bid_out_of_range",
    ]  # fmt: skip
    assert code(events, change(0, 0), ALL) == "not_your_turn" and code(events, play(2, "b2"), ALL) == "wrong_phase"
    events += [change(2, 2), play(2, "W"), play(0, "b3"), play(1, "b4")]
    assert shown(events, ALL)["scores"] == [-10 - 10, 20 + 20, 20 + 40]


def test_the_cloud_in_the_last_trick_changes_the_bid_before_the_score() -> None:
    events = [
        *BID2,
        play(2, "b10"),
        play(0, "b1"),
        play(1, "b2"),
        play(2, "b3"),
        lay(0, "cloud", "blue"),
        play(1, "b4"),
    ]
    assert shown(events, ALL)["phase"] == "change_bid"
    assert shown([*events, change(0, 2)], ALL)["scores"] == [-10 - 10, 20 + 20, 20 + 30]


def test_under_a_bomb_the_cloud_changes_nothing() -> None:
    events = [*BID2, play(2, "bomb"), lay(0, "cloud", "blue"), play(1, "b1")]
    assert (shown(events, ALL)["phase"], shown(events, ALL)["to_act"]) == ("play", 0)


def test_a_changed_bid_in_a_round_of_which_only_the_tricks_count() -> None:
    assert code(BID2, change(2, 2), header()) == "wrong_phase" and code(BID2, change(3, 1), ALL) == "no_such_player"
    events = [*BID2, change(2, 2)]
    assert code(events, change(2, 1), ALL) == "wrong_phase"
    assert code(events, lay(2, "cloud", "red"), ALL) == "card_already_seen", "it was played, unseen"
    assert shown([*events, tricks(0, 0, 2)], ALL)["scores"] == [-10 - 10, 20 + 20, 20 + 40]


def trick(winner: int, **more: bool) -> dict[str, Any]:
    return {"event": "trick", "winner": winner} | more


def test_tricks_at_whose_cards_nobody_looked() -> None:
    events = [*BID2, trick(2)]
    state = shown(events, header())
    assert (state["taken"], state["to_act"], state["phase"]) == ([0, 0, 1], 2, "play")
    assert code(events, tricks(0, 1, 1), header()) == "wrong_phase"
    assert code(events, trick(3), header()) == code(events, trick(-1), header()) == "no_such_player"
    assert shown([*events, trick(0)], header())["scores"] == [-10 + 30, 20 + 20, 20 + 30]
    assert shown([*events, play(2, "b1"), play(0, "b2"), play(1, "J")], header())["scores"] == [20, 40, 50]
    assert code([*events, play(2, "b1")], trick(2), header()) == "wrong_phase"
    assert account([*events, trick(0)], header()).startswith("Round 2: P0 (0) takes the trick. Scores: ")


def test_the_bomb_in_a_trick_at_which_nobody_looked() -> None:
    assert code(BID2, trick(2, bomb=True), header()) == "unknown_card"
    state = shown([*BID2, trick(2, bomb=True)], ALL)
    assert (state["taken"], state["bombed"], state["to_act"]) == ([0, 0, 0], 1, 2)
    assert code([*BID2, trick(2, bomb=True)], trick(2, bomb=True), ALL) == "card_already_seen"
    assert code([*BID2, trick(2, bomb=True)], play(2, "bomb"), ALL) == "card_already_seen"


@pytest.mark.parametrize("named", [None, "pink", "r", ""])
def test_cloud_and_juggler_need_a_colour(named: str | None) -> None:
    for card in ("cloud", "juggler"):
        assert code(BID2, play(2, card) | {"colour": named}, ALL) == "bad_colour"
        assert code(BID2, play(2, card), ALL) == "bad_colour"
    assert code(BID2, play(2, "b1") | {"colour": named}, ALL) is None, "for other cards it says nothing"


def test_the_named_colour_is_on_the_table() -> None:
    state = shown([*BID2, lay(2, "juggler", "green")], ALL)
    assert state["trick"] == [{"player": 2, "card": "juggler", "colour": "green"}]
    assert state["lead_colour"] == "green"


def test_after_the_juggler_cards_are_passed_on_and_nothing_proves_a_revoke() -> None:
    first = [*BID2, play(2, "b1"), play(0, "g2"), play(1, "b3")]
    assert shown([*first, play(1, "b4"), play(2, "b5"), play(0, "b6")][:-1], ALL)["warnings"] == []
    before = played([*first, play(1, "b4"), play(2, "b5")], ALL)
    assert "Revoke" in RULES.account(before, RULES.parse_event(play(0, "b6")), before)
    passed = [*BID2, play(2, "b1"), play(0, "g2"), lay(1, "juggler", "blue")]
    before = played([*passed, play(1, "b4"), play(2, "b5")], ALL)
    assert "Revoke" not in RULES.account(before, RULES.parse_event(play(0, "b6")), before)
    assert account(passed, ALL).endswith("Everybody passes a card to the left.")


def test_special_cards_neither_revoke_nor_give_away() -> None:
    events = [*BID2, play(2, "b1"), lay(0, "juggler", "red"), play(1, "fairy"), lay(0, "cloud", "blue"), play(1, "b2")]
    state = played(events, ALL)
    assert state.not_followed == () and state.warnings == ()


@pytest.mark.parametrize("wrong", [{"tricks": None}, {"player": "1"}, {"player": True}])
def test_malformed_events_of_variants(wrong: dict[str, Any]) -> None:
    for bad in ({"event": "trick"}, trick(1) | {"winner": None}, trick(1) | {"bomb": 1}, trick(1) | {"bomb": None}):
        with pytest.raises(InputError):
            RULES.parse_event(bad)
    with pytest.raises(InputError):
        RULES.parse_event(change(1, 1) | wrong)
    with pytest.raises(InputError):
        RULES.parse_event(play(1, "cloud") | {"colour": 7})
