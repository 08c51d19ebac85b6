"""Guards the card game's referee against a second engine, over random games with mistakes and all variants."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.base import Refusal
from companion.games.record import Record
from companion.games.wizard_cards.cards import SPECIALS
from companion.games.wizard_cards.rules import RULES
from companion.games.wizard_cards.state import Event, State

from .naive import COLOURS, PLAIN, Naive

HUES = list(COLOURS.values())
KINDS = ("trump", "trump_colour", "bid", "play", "trick", "change_bid", "tricks")


def random_header(rng: random.Random, players: int, number: int) -> dict[str, Any]:
    """The header number so and so: all settings come in turn."""
    bids = ({"bids": "plus_minus_one"}, {}, {"bids_shown": "together"}, {"bids_shown": "after_round"})[number % 4]
    specials = ([], list(SPECIALS), rng.sample(SPECIALS, rng.randint(1, 4)))[number % 3]
    chosen: dict[str, Any] = {**bids, "specials": specials}
    people = [{"name": f"P{i}"} for i in range(players)]
    return {"game": "wizard_cards", "players": people, "dealer": rng.randrange(players), "settings": chosen}


def random_event(rng: random.Random, state: State) -> dict[str, Any]:
    """An event that mostly fits the phase; cards are mostly ones that were not seen, special ones often."""
    n, number, deck = len(state.bids), state.round, [*PLAIN, *state.setup.specials]
    wild = rng.random() < 0.25
    misplaced = wild and rng.random() < 0.2
    kind = rng.choice(KINDS) if misplaced else state.phase
    player = rng.randint(-1, n) if wild and rng.random() < 0.3 else state.to_act if state.to_act is not None else 0
    unseen = sorted((Counter(deck) - Counter(state.seen)).elements())
    special = [card for card in unseen if card in SPECIALS]
    card = rng.choice([*deck, "b14", "W", "fairy"] if wild or not unseen else unseen)
    if special and rng.random() < 0.3:
        card = rng.choice(special)
    if kind == "trump":
        last = number == state.setup.rounds and not state.setup.specials
        none = last != (wild or (last and rng.random() < 0.5))
        return {"event": "trump", "card": None if none else rng.choice([card, card, "W"])}
    if kind == "trump_colour":
        return {"event": "trump_colour", "colour": rng.choice(["red", "green", "none"]) if wild else rng.choice(HUES)}
    if kind == "bid":
        tricks = rng.randint(-1, number + 1) if wild else rng.randint(0, number)
        if rng.random() < 0.2:  # low ones, so that the total can be met, and then the one that meets it
            tricks = max(0, number - sum(bid or 0 for bid in state.bids)) if player == state.dealer else 0
        return {"event": "bid", "player": player, "tricks": tricks}
    bid = (state.bids[player] or 0) if 0 <= player < n else 0
    if kind == "change_bid" or (kind == "play" and "cloud" in state.setup.specials and rng.random() < 0.1):
        steps = [-2, -1, 0, 1, 2] if wild else [-1, 1]
        return {"event": "change_bid", "player": player, "tricks": bid + rng.choice(steps)}
    only_counts = kind == "play" and not state.trick and not state.tricks_played and rng.random() < 0.3
    if kind == "trick" or (kind == "play" and not only_counts and not state.trick and rng.random() < 0.3):
        winner = rng.randint(-1, n) if wild else rng.randrange(n)
        return {"event": "trick", "winner": winner} | ({"bomb": rng.random() < 0.7} if rng.random() < 0.3 else {})
    if kind == "play" and not only_counts and rng.random() < 0.95:
        colour = {"colour": rng.choice([*HUES, "pink", None] if wild else HUES)} if card in ("cloud", "juggler") else {}
        return {"event": "play", "player": player, "card": card} | colour
    cuts = sorted(rng.randint(0, number) for _ in range(n - 1))
    taken = [b - a for a, b in zip([0, *cuts], [*cuts, number], strict=True)]
    if rng.random() < 0.15:
        taken[rng.randrange(n)] -= 1
    return {"event": "tricks", "taken": [*taken, *([0] if rng.random() < 0.1 else [])]}


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_same_games_as_the_naive_engine(players: int) -> None:
    met = Counter[str]()
    for seed in range(12):
        rng = random.Random(1000 * players + seed)
        head = random_header(rng, players, seed)
        naive, state = Naive(head), RULES.start(head)
        for _ in range(3000):
            event = random_event(rng, state)
            expected = naive.play(event)
            try:
                after = RULES.apply(state, RULES.parse_event(event))
            except Refusal as refusal:
                assert refusal.code == expected, (event, refusal.message)
            else:
                assert expected is None, event
                assert RULES.account(state, RULES.parse_event(event), after).isprintable()
                state = after
            assert RULES.describe(state) == naive.describe(), event
            met[expected or event["event"]] += 1
            met["warned"] += bool(naive.warnings)
            met["bombed"] += bool(naive.bombed)
            if expected == "game_over":
                break
    wanted = "game_over wrong_phase not_your_turn unknown_card card_already_seen trump_card_missing bad_colour"
    wanted += " no_card_left_to_turn bid_out_of_range total_not_allowed wrong_total warned bombed no_such_player"
    assert {*wanted.split(), *KINDS} <= set(met), met


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(3, 6), st.integers(0, 150))
def test_round_trips_undo_and_edits(seed: int, players: int, length: int) -> None:
    rng = random.Random(seed)
    record: Record[State, Event] = Record(random_header(rng, players, seed))
    states = [RULES.start(record.header)]
    for _ in range(length):
        event = RULES.parse_event(random_event(rng, states[-1]))
        if RULES.why_not(states[-1], event):
            continue
        assert RULES.parse_event(json.loads(json.dumps(RULES.event_json(event)))) == event
        states.append(RULES.apply(states[-1], event))
        account = RULES.account(states[-2], event, states[-1])
        assert account.isprintable() and account.startswith("Round ")
        record = Record(record.header, (*record.events, event))
    assert len({hash(state) for state in states}) > len(states) // 2
    assert Record.parsed(record.lines()) == record and record.replay() == states[-1]
    assert record.undone().replay() == states[max(len(states) - 2, 0)]
    for index, event in enumerate(record.events):
        assert record.edited(index, event) == record
        other = RULES.parse_event(random_event(rng, states[index]))
        changed = (*record.events[:index], other, *record.events[index + 1 :])
        try:
            edited = record.edited(index, other)
        except Refusal as refusal:
            at = refusal.details["index"]
            assert at >= index
            before = Record(record.header, changed[:at]).replay()  # all before it fits
            assert RULES.why_not(before, changed[at]) is not None
        else:
            assert edited.events == changed
