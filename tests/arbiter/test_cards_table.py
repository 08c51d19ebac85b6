"""Guards the card game at the table: whole games by sight and by buttons, and every mistake said at once."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from companion.games.wizard_cards.cards import COPIES, SPECIALS
from companion.games.wizard_cards.rules import RULES
from companion.games.wizard_cards.state import Play

from .cards_table import NAMES, Card, Table, header, playing, table

# ---- whole games ----


def hands(rng: random.Random, it: Table) -> tuple[list[list[str]], list[str]]:
    """The hands of a round, and what is left."""
    deck = [card for card, copies in it.state.setup.deck.items() for _ in range(copies)]
    rng.shuffle(deck)
    number, count = it.state.round, len(it.state.bids)
    return [deck[i * number : (i + 1) * number] for i in range(count)], deck[number * count :]


def follow(it: Table, hand: list[str], rng: random.Random) -> str:
    led = it.state.lead_colour
    bound = [card for card in hand if led is not None and card[0] == led[0] and card[1:].isdigit()]
    free = [card for card in hand if not card[1:].isdigit()]
    return rng.choice(bound + free if bound else hand)


def play_round(it: Table, did: list[dict[str, Any]], undo: float) -> None:
    rng, count = it.rng, len(it.state.bids)
    held, rest = hands(rng, it)
    it.clear_all()
    it.t_ms += 10_000
    it.look(touched=False)
    if rest:
        card = rest[0]
        it.turn_up(card)
        did.append({"event": "trump", "card": card})
    else:
        it.look()
        did.append({"event": "trump", "card": None})
    assert it.events == did
    if it.state.phase == "trump_colour":
        colour = rng.choice(["blue", "red", "yellow", "green"])
        it.choose(colour)
        did.append({"event": "trump_colour", "colour": colour})
    for _ in range(count):
        state = it.state
        barred = state.round - sum(bid or 0 for bid in state.bids) if state.to_act == state.dealer else -1
        strict = state.setup.bids == "plus_minus_one"
        bid = rng.choice([n for n in range(state.round + 1) if not strict or n != barred])
        did.append({"event": "bid", "player": state.to_act, "tricks": bid})
        it.bid(bid)
    for _ in range(it.state.round):
        play_trick(it, held, did, undo)
        if it.camera:
            assert it.view.code in ("cards.trick", "cards.result", "cards.over", "cards.revoke"), it.view
            it.clear()


def play_trick(it: Table, held: list[list[str]], did: list[dict[str, Any]], undo: float) -> None:
    rng = it.rng
    for _ in it.state.bids:
        player = it.state.to_act
        assert player is not None
        card = follow(it, held[player], rng)
        held[player].remove(card)
        event: dict[str, Any] = {"event": "play", "player": player, "card": card}
        if it.camera:
            it.lay(card)
        else:
            it.press("ok", "ok")
            it.choose_card(card)
        if card in ("cloud", "juggler"):
            event["colour"] = rng.choice(["blue", "green"])
            it.choose(event["colour"])
        did.append(event)
        assert it.events == did, it.view
        if it.state.phase == "play" and rng.random() < undo:
            it.press("back", hold=True)
            did.pop()
            assert it.events == did
            if it.camera:
                it.look(touched=False)
                assert it.problem == "undone" or card in ("cloud", "juggler")
                it.press("ok")
                if it.view.code == "cards.whose_card":
                    it.press("ok")
            else:
                it.press("ok", "ok")
                it.choose_card(card)
            if card in ("cloud", "juggler"):
                it.choose(event["colour"])
            did.append(event)
            assert it.events == did, it.view
    if it.state.phase == "change_bid":
        taker = it.state.to_act
        assert taker is not None
        bid = it.state.bids[taker] or 0
        down = bid > 0 and (bid == it.state.round or rng.random() < 0.5)
        it.press("ok") if down or bid == 0 else it.press("down", "ok")
        did.append({"event": "change_bid", "player": taker, "tricks": bid - 1 if down else bid + 1})
        assert it.events == did


@pytest.mark.parametrize(
    ("players", "confirm", "camera", "undo", "settings"),
    [
        (6, "unsure", True, 0.1, {"bids": "plus_minus_one"}),
        (5, "always", True, 0.05, {"specials": list(SPECIALS), "bids_shown": "together"}),
        (6, "always", False, 0.1, {"bids_shown": "after_round"}),
    ],
)
def test_whole_games(
    tmp_path: Path, players: int, confirm: str, camera: bool, undo: float, settings: dict[str, Any]
) -> None:
    it = table(tmp_path, players, confirm, camera, **settings)
    it.rng = random.Random(players)
    did: list[dict[str, Any]] = []
    while it.state.phase != "over":
        play_round(it, did, undo)
    saved = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert [{k: v for k, v in row.items() if k not in ("crc", "t_ms")} for row in saved] == [
        header(players, **settings),
        *did,
    ]
    assert it.view.code == "cards.over" and it.view.facts["winners"] == it.state.winners


# ---- what is seen ----


def test_each_card_is_taken_for_whose_turn_it_is_and_the_winner_is_named(tmp_path: Path) -> None:
    it = playing(tmp_path)
    assert it.view.facts["leads"] == 2 and it.view.big is not None and it.view.big.id == "{name} leads"
    it.lay("b13")
    assert it.view.facts["to_act"] == 0
    it.lay("r3")
    it.lay("b1")
    assert [e["player"] for e in it.events[-3:]] == [2, 0, 1]
    view = it.view
    assert (view.code, view.facts["winner"], view.facts["why"]) == ("cards.trick", 0, "trump_beats")
    assert view.lines[0].id == "trump {number} beats led {led}" and view.lines[1].id == "clear the cards"
    it.clear()
    it.t_ms += 10_000
    assert it.look().facts["leads"] == 0


def test_the_turned_card_is_asked_about_where_everything_is_confirmed(tmp_path: Path) -> None:
    it = table(tmp_path, confirm="always")
    it.cards = [Card("r7", 700, 100)]
    assert it.look().code == "cards.confirm_trump" and it.events == []
    it.press("down", "ok")
    it.choose_card("r8")
    assert it.events == [{"event": "trump", "card": "r8"}]


def test_a_card_that_cannot_be_read_is_asked_for(tmp_path: Path) -> None:
    it = playing(tmp_path)
    it.lay(None)
    assert it.problem == "unread_card" and len(it.state.trick) == 0
    it.press("ok")
    it.choose_card("b4")
    assert it.state.trick[0].card == "b4"
    assert it.look(touched=False).facts["to_act"] == 0 and it.problem is None, "it lies there, unread"
    it.lay("b5")
    assert [p.card for p in it.state.trick] == ["b4", "b5"]


def test_a_misread_card_is_corrected_and_not_asked_about_again(tmp_path: Path) -> None:
    it = playing(tmp_path)
    it.lay("b8")
    it.press("ok", hold=True)
    it.choose("correct the camera")
    it.choose_card("b6")
    assert it.events[-1] == {"event": "play", "player": 2, "card": "b6"}
    assert it.look().facts["problem"] is None
    it.lay("b9")
    assert [p.card for p in it.state.trick] == ["b6", "b9"] and it.problem is None


def test_a_misread_last_card_of_a_trick_is_cleared_like_the_others(tmp_path: Path) -> None:
    it = playing(tmp_path)
    for card in ("b8", "b2", "b3"):
        it.lay(card)
    it.press("ok", hold=True)
    it.choose("correct the camera")
    it.choose_card("b12")  # it still reads as b3
    assert it.events[-1]["card"] == "b12"
    assert it.look().code == "cards.trick" and it.problem is None and it.view.facts["winner"] == 1
    it.clear()
    it.lay("b9")
    assert [p.card for p in it.state.trick] == ["b9"]


def test_two_at_once_are_said_and_sorted_by_the_players(tmp_path: Path) -> None:
    it = playing(tmp_path)
    before = len(it.events)
    it.lay("b1", 2, look=False)
    it.lay("b2", 0)
    assert it.problem == "two_at_once" and it.view.facts["cards"] == ("b1", "b2") and len(it.events) == before
    it.press("ok", "down", "ok")
    assert it.events[before:] == [
        {"event": "play", "player": 2, "card": "b2"},
        {"event": "play", "player": 0, "card": "b1"},
    ]
    assert it.look().facts["problem"] is None


def test_two_at_once_one_taken_back(tmp_path: Path) -> None:
    it = playing(tmp_path)
    it.lay("b1", look=False)
    it.lay("b2")
    assert it.problem == "two_at_once"
    it.cards.pop()
    it.look()
    assert [p.card for p in it.state.trick] == ["b1"] and it.problem is None


def test_a_card_seen_twice_in_a_round(tmp_path: Path) -> None:
    it = playing(tmp_path)
    for card in ("b1", "b2", "b3"):
        it.lay(card)
    it.clear()
    it.lay("b1")
    assert it.problem == "card_already_seen" and it.view.facts["cards"] == ("b1",) and it.state.trick == ()
    it.cards.pop()
    it.look()
    assert it.problem is None
    it.lay("b4")
    assert len(it.state.trick) == 1


def test_the_next_lead_before_the_trick_is_cleared(tmp_path: Path) -> None:
    it = playing(tmp_path)
    for card in ("b1", "b2", "b3"):
        it.lay(card)
    it.lay("b4")
    assert it.problem == "not_cleared" and it.state.trick == ()
    it.cards = [c for c in it.cards if c.value in ("b4", "r7")]
    it.look()
    assert [p.card for p in it.state.trick] == ["b4"] and it.problem is None


def test_a_card_before_the_bids_are_made(tmp_path: Path) -> None:
    it = table(tmp_path)
    it.turn_up("r7")
    it.cards.append(Card("b1", 400, 400))
    it.look()
    assert it.problem == "bids_first" and it.view.facts["cards"] == ("b1",)
    it.cards.pop()
    it.look()
    assert it.problem is None and it.view.code == "cards.bid"


def test_a_card_exchanged_for_another(tmp_path: Path) -> None:
    it = playing(tmp_path)
    it.lay("b1")
    it.cards[-1].value = "g1"
    it.look()
    assert it.problem == "card_gone" and len(it.state.trick) == 1
    it.press("ok")
    it.choose("last was {card}")
    assert it.state.trick[0].card == "g1" and it.look().facts["problem"] is None


def test_a_covered_card_is_not_missed_for_ever(tmp_path: Path) -> None:
    it = playing(tmp_path)
    it.lay("b1")
    hidden = it.cards.pop()
    it.lay("b2")
    assert it.problem == "card_gone"
    it.press("ok")
    it.choose("next is {card}")
    assert [p.card for p in it.state.trick] == ["b1", "b2"]
    it.look()
    assert it.problem is None, "an arm may rest on it"
    it.t_ms += 5000
    it.look(touched=False)
    assert it.problem == "card_gone"
    it.press("ok")
    it.choose("it is covered")
    assert it.look().facts["problem"] is None
    it.lay("b3")
    assert it.view.code == "cards.trick"
    it.cards.append(hidden)
    assert it.look().facts["problem"] is None


def test_a_card_that_the_next_one_covers_is_not_missed(tmp_path: Path) -> None:
    it = playing(tmp_path, rounds=6, players=6)
    deck = iter([card for card in COPIES if len(card) > 1 and card != "r7"])
    for _ in range(4):
        for _ in range(6):
            it.lay(next(deck))
            assert it.problem is None
        it.clear()
    first, second, third = (next(deck) for _ in range(3))
    it.lay(first)
    it.cards.pop()
    it.lay(second)
    assert it.problem is None and [p.card for p in it.state.trick] == [first, second]
    it.cards[-1].value = third  # in its own place lies another one: exchanged
    it.look()
    assert it.problem == "card_gone" and len(it.state.trick) == 2


def test_a_card_that_reads_otherwise_under_the_next_one_is_still_itself(tmp_path: Path) -> None:
    it = playing(tmp_path)
    it.lay("r1")
    it.lay("b2", look=False)
    it.cards[-2].value = "r9"  # half of it is hidden now
    it.cards[-1].x, it.cards[-1].y = it.cards[-2].x + 35, it.cards[-2].y + 30
    it.look()
    assert it.problem is None and [p.card for p in it.state.trick] == ["r1", "b2"]
    assert it.look().facts["problem"] is None
    it.lay("b3")
    assert it.view.code == "cards.trick" and it.view.facts["problem"] is None
    it.clear()
    it.lay("r9")
    assert [p.card for p in it.state.trick] == ["r9"], "the word was about that place only"


def test_out_of_turn_is_told_by_where_everybody_lays_their_cards(tmp_path: Path) -> None:
    it = playing(tmp_path, rounds=6)
    for _ in range(4):
        for value in ("b", "g", "y"):
            it.lay(f"{value}{it.state.tricks_played + 1}")
            assert it.problem is None
        it.clear()
    turn = it.state.to_act
    assert turn is not None
    other = (turn + 1) % 3
    before = len(it.events)
    it.lay("b9", other)
    assert it.problem == "out_of_turn" and it.view.facts["player"] == other and len(it.events) == before
    it.cards.pop()
    assert it.look().facts["problem"] is None
    it.lay("b9", other)
    it.press("ok", "ok")
    assert it.events[-1] == {"event": "play", "player": turn, "card": "b9"}, "the players know better"


def test_a_revoke_is_said_at_once_and_the_table_decides(tmp_path: Path) -> None:
    it = playing(tmp_path, rounds=4)  # Ana leads
    for card in ("b1", "g2", "b3"):
        it.lay(card)
    it.clear()
    assert it.problem is None and it.state.to_act == 0
    it.lay("y1")
    it.lay("y2")
    it.lay("b9")
    assert it.view.code == "cards.revoke" and it.view.facts["problem"] == "revoke"
    assert (it.view.facts["player"], it.view.facts["instead"], it.view.facts["card"]) == (2, "g2", "b9")
    assert it.events[-1]["card"] == "b9" and it.look().code == "cards.revoke"
    it.press("down", "down", "ok")
    assert it.events[-1]["card"] == "y2", "taken back"
    it.cards.pop()
    it.look()
    it.lay("y3")
    assert it.view.code == "cards.trick" and it.state.warnings == ()


def test_a_revoke_given_away_by_the_last_card_of_a_round(tmp_path: Path) -> None:
    it = playing(tmp_path)
    for card in ("b1", "g2", "b3"):
        it.lay(card)
    it.clear()
    for player in range(3):  # who did not follow blue now plays it, whenever the turn comes
        turn = it.state.to_act
        it.lay("b9" if turn == 0 else f"y{player + 1}")
    assert it.state.round == 3 and it.view.code == "cards.revoke"
    assert (it.view.facts["player"], it.view.facts["instead"], it.view.facts["card"]) == (0, "g2", "b9")
    it.press("down", "ok")
    assert it.problem is None and it.view.code == "cards.trick"


def test_of_two_wizards_in_a_trick_the_one_that_came_is_the_fresh_one(tmp_path: Path) -> None:
    it = playing(tmp_path, rounds=6)
    for _ in range(4):
        for value in ("b", "g", "y"):
            it.lay(f"{value}{it.state.tricks_played + 1}")
        it.clear()
    it.lay("W")
    it.lay("W", look=False)
    it.cards.reverse()
    it.look()
    assert it.problem is None and [p.card for p in it.state.trick] == ["W", "W"]


def test_a_jester_that_was_turned_up_is_not_played_by_lying_there(tmp_path: Path) -> None:
    it = playing(tmp_path, trump="J")
    assert it.look().facts["problem"] is None and it.state.trick == ()
    it.lay("J")
    assert [p.card for p in it.state.trick] == ["J"]
    it.cards[0].x += 300
    it.look()
    assert it.problem == "which_card" and len(it.state.trick) == 1, "moved, or another one"


def test_a_turned_card_that_was_put_away_may_come_again(tmp_path: Path) -> None:
    it = table(tmp_path)
    it.turn_up("W")
    it.choose("red")
    it.cards.clear()
    it.look()
    for _ in range(3):
        it.bid(0)
    it.lay("W")
    assert [p.card for p in it.state.trick] == ["W"] and it.problem is None


def test_a_jester_of_the_last_trick_pushed_aside_is_not_the_next_lead(tmp_path: Path) -> None:
    it = playing(tmp_path)
    for card in ("J", "b2", "b3"):
        it.lay(card)
    jester = next(card for card in it.cards if card.value == "J")
    it.clear(look=False)
    it.cards.append(Card("J", jester.x + 200, jester.y))
    it.look()
    assert it.problem == "which_card" and it.state.trick == ()
    it.cards.pop()
    assert it.look().facts["problem"] is None
    it.lay("J")
    assert [p.card for p in it.state.trick] == ["J"], "the table was seen empty: another jester"


def test_a_jester_led_beside_the_last_trick_is_known_by_its_place(tmp_path: Path) -> None:
    it = playing(tmp_path)
    for card in ("J", "b2", "b3"):
        it.lay(card)
    it.cards.append(Card("J", 400, 300))
    it.look()
    assert it.problem == "not_cleared" and it.view.facts["cards"] == ("J",)


def test_a_lead_that_was_taken_back_is_not_taken_for_the_last_trick(tmp_path: Path) -> None:
    it = playing(tmp_path)
    for card in ("W", "b2", "b3"):
        it.lay(card)
    it.clear()
    it.lay("W")
    it.press("back", hold=True)
    it.look(touched=False)
    assert it.problem == "undone" and it.state.trick == ()
    it.press("ok", "ok")
    assert [p.card for p in it.state.trick] == ["W"]


def test_a_turned_card_that_was_overlooked_while_bids_were_made_is_known_by_its_place(tmp_path: Path) -> None:
    it = table(tmp_path)
    it.turn_up("r7")
    turned = it.cards.pop()
    it.look()
    for _ in range(3):
        it.bid(0)
    it.cards.append(turned)
    assert it.look().facts["problem"] is None
    it.lay("b1")
    assert it.problem is None and len(it.state.trick) == 1
    it.cards.append(Card("r7", 300, 600))
    it.cards.remove(turned)
    it.look()
    assert it.problem == "card_already_seen", "put away, and played"


def test_the_stock_beside_the_trick_is_nothing(tmp_path: Path) -> None:
    it = table(tmp_path)
    it.cards.append(Card(None, 900, 300))
    it.look()
    it.turn_up("r7")
    for _ in range(3):
        it.bid(0)
        it.look()
    assert it.problem is None
    it.lay("b1")
    assert len(it.state.trick) == 1 and it.problem is None


def test_a_resumed_game_knows_what_lies_there(tmp_path: Path) -> None:
    it = playing(tmp_path)
    for card in ("b1", "b2", "b3"):
        it.lay(card)
    again = table(tmp_path)
    again.arbiter.resume()
    again.cards = it.cards
    again.look()
    assert again.events == it.events and again.view.code == "cards.trick" and again.problem is None
    again.clear()
    again.lay("b4")
    assert [p.card for p in again.state.trick] == ["b4"]


# ---- the buttons ----


def test_a_bid_of_nothing_is_no_accident_and_the_barred_one_says_why(tmp_path: Path) -> None:
    it = table(tmp_path, bids="plus_minus_one")
    it.turn_up("r7")
    it.press("ok", "ok")
    assert it.state.bids == (None, None, None)
    it.bid(0)
    it.bid(1)
    view = it.view
    assert view.title is not None and view.title.id == "{name}: not {number}" and view.facts["barred"] == 0
    it.press("up", "ok")
    assert it.view.tone == "wrong" and it.view.lines[-1].id == "it would total {round}" and it.state.bids[0] is None
    it.press("up", "ok")
    assert it.state.bids == (1, 0, 1)


def test_hidden_bids_are_entered_alone_and_shown_together(tmp_path: Path) -> None:
    it = table(tmp_path, bids_shown="together")
    it.turn_up("r7")
    for bid in (1, 0):
        assert it.view.code == "cards.secret"
        it.bid(bid)
        assert "1" not in str(it.arbiter.view(it.t_ms).lines)
    it.bid(1)
    it.look()
    assert it.view.code == "cards.play" and it.view.facts["bids"] == (1, 1, 0)


def test_a_round_by_its_counts_is_checked_against_the_total(tmp_path: Path) -> None:
    it = playing(tmp_path, camera=False)
    it.press("ok")
    it.choose("tricks of the round")
    it.press("up", "ok", "ok", "ok")
    assert it.view.code == "cards.tricks" and it.view.tone == "wrong" and it.state.round == 2
    it.press("ok", "up", "ok", "ok")
    assert it.events[-1] == {"event": "tricks", "taken": [1, 1, 0]} and it.state.round == 3


def test_a_round_by_who_takes_each_trick(tmp_path: Path) -> None:
    it = playing(tmp_path, camera=False)
    for name in ("Ben", "Ana"):
        it.press("ok")
        it.choose("who took a trick")
        it.choose("{words}", words=name)
    assert it.events[-2:] == [{"event": "trick", "winner": 1}, {"event": "trick", "winner": 0}]
    assert it.state.round == 3 and it.view.code == "cards.result"


def test_the_past_is_changed_and_all_scores_follow(tmp_path: Path) -> None:
    it = playing(tmp_path, rounds=3, camera=False)
    assert it.state.scores == (-10 - 20, 20 + 20, 20 + 20)
    it.press("ok", hold=True)
    it.choose("change the past")
    it.choose("Round {round}", round=1)
    it.choose("{name} bid {number}")
    it.press("up", "up", "ok")
    assert it.state.round == 3 and it.state.scores == (-30, -10 + 20, 40), "Ben bid 1 and took none"
    it.press("ok", hold=True)
    it.choose("change the past")
    it.choose("Round {round}", round=2)
    it.choose("the tricks")
    it.press("down", "ok", "up", "ok", "ok")
    assert it.state.scores == (-10 - 10, -10 - 10, 40)
    saved = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert [{k: v for k, v in row.items() if k not in ("crc", "t_ms")} for row in saved[1:]] == it.events


def test_a_change_of_the_past_that_no_longer_fits_is_refused_whole(tmp_path: Path) -> None:
    it = table(tmp_path, camera=False, bids="plus_minus_one")
    it.press("ok")
    it.choose_card("r7")
    for bid in (1, 0, 1):
        it.bid(bid)
    before = it.events
    refusal = it.arbiter.edit(1, RULES.parse_event({"event": "bid", "player": 1, "tricks": 0}), it.t_ms)
    assert refusal is not None and (refusal.code, refusal.details["index"]) == ("total_not_allowed", 3)
    assert it.events == before and it.view.title is not None and it.view.title.id == "Later it fails"
    with pytest.raises(IndexError):
        it.arbiter.edit(4, RULES.parse_event(before[0]), it.t_ms)


def test_a_round_of_cards_becomes_its_counts(tmp_path: Path) -> None:
    it = playing(tmp_path, rounds=1)
    for card in ("b1", "b2", "b3"):
        it.lay(card)
    assert it.state.round == 2 and it.state.scores == (-10, 20, 20)
    it.press("ok", hold=True)
    it.choose("change the past")
    it.choose("Round {round}", round=1)
    it.choose("the tricks")
    it.press("down", "ok", "up", "ok", "ok")
    assert it.events[-1] == {"event": "tricks", "taken": [0, 1, 0]} and it.state.scores == (20, -10, 20)


def test_pages_and_standing(tmp_path: Path) -> None:
    it = playing(tmp_path, rounds=3, camera=False)
    codes = {it.press("down").code for _ in range(9)}
    assert codes == {"cards.play", *(f"cards.{c}" for c in ("scores", "round", "tallies", "possible", "curve"))}
    it.press("ok", hold=True)
    it.choose("points")
    assert it.view.code == "cards.scores"
    it.press("back")
    it.press("ok", hold=True)
    it.choose("why?")
    assert it.view.code == "cards.why_nothing"


def test_the_setup_leads_to_a_game(tmp_path: Path) -> None:
    from companion.arbiter.arbiter import Arbiter
    from companion.journal import Journal

    it = Table(Arbiter(Journal(tmp_path), names=NAMES, draw=lambda: 1), camera=False)
    it.arbiter.open()
    it.choose("Wizard cards")
    it.choose("{number} players", number=4)
    for name in ("Ana", "Ben", "Cleo", "Dan"):
        it.choose("{words}", words=name)
    it.choose("settings")
    it.choose("bids: free")
    it.choose("{mark} {card}", mark="-", card="bomb")
    it.choose("done")
    it.choose("{name} deals", name="Ben")
    assert it.arbiter.game is not None and it.arbiter.game.header == header(
        4, 1, bids="plus_minus_one", specials=["bomb"]
    )


def test_every_card_can_be_entered() -> None:
    assert all(len(card) <= 3 for card in COPIES) and Play(0, "b1").colour is None
