"""What simulated players of the card game do wrong, how they mend it, and harmless things that look alike.

A slip is made when its moment comes and the position allows it; else it waits for the next such moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.wizard_cards import rounds
from companion.games.wizard_cards.cards import VALUES, colour_of
from companion.games.wizard_cards.hands import HEAP_MM, SEATS
from companion.games.wizard_cards.judge import LEAST_HABIT
from companion.simulator.cards import value_of
from companion.simulator.script import Script
from companion.simulator.slips import Slip, lamp, shadow

if TYPE_CHECKING:
    from companion.games.wizard_cards.table import SimulatedGame


def _turn(game: SimulatedGame) -> int:
    player = game.state.to_act
    assert player is not None
    return player


def _plain(game: SimulatedGame, player: int) -> list[str]:
    """Cards of a hand that need no naming."""
    return [card for card in game.held[player] if value_of(card) not in VALUES]


# ---- mistakes ----


def _too_early(game: SimulatedGame) -> Script | None:
    """Lay a card while the others still bid."""
    player = game.index(len(game.held))
    card = game.stage.lying(player, game.pick(game.held[player]))
    value = value_of(card.picture)
    if value == game.state.trump_card:
        return None  # it would be taken for the turned one, moved

    def script() -> Script:
        yield from game.stage.put(player, card)
        yield from game.wrong("card_before_bids", "bids_first")
        yield from game.stage.think()
        yield from game.stage.take(player, [card])

    return script()


def _two_at_once(game: SimulatedGame) -> Script | None:
    """The next player does not wait: both cards come down before the table rests."""
    first = _turn(game)
    second = (first + 1) % len(game.held)
    if len(game.state.trick) + 1 == len(game.held):
        return None
    picture = rounds.choose(game, first)
    others = [card for card in _plain(game, second) if value_of(card) != game.state.trump_card]
    if not others or value_of(picture) in VALUES:
        return None
    card, early = game.stage.lying(first, picture), game.stage.lying(second, game.pick(others))

    def script() -> Script:
        yield from game.stage.put(first, card)
        yield from game.stage.put(second, early)
        yield from game.wrong("two_at_once", "two_at_once")
        yield from game.stage.think()
        revoke = game.state.revoke(first, value_of(picture))
        game.played(first, picture, None)
        yield from game.stage.take(second, [early])
        yield from game.taken_in()
        if revoke is not None:
            yield from rounds.told_of_revoke(game)

    return script()


def _out_of_turn(game: SimulatedGame) -> Script | None:
    """Somebody else plays, once it is known where everybody lays cards."""
    player = _turn(game)
    cards = sum(range(1, game.state.round)) + game.state.tricks_played
    others = [who for who in range(len(game.held)) if who != player and _plain(game, who)]
    if cards <= LEAST_HABIT + 1 or len(game.state.trick) + 1 == len(game.held) or not others:
        return None
    other = game.pick(others)
    hand = [card for card in _plain(game, other) if value_of(card) != game.state.trump_card]
    if not hand:
        return None
    card = game.stage.lying(other, game.pick(hand))

    def script() -> Script:
        yield from game.stage.put(other, card)
        yield from game.wrong("out_of_turn", "out_of_turn")
        yield from game.stage.think()
        yield from game.stage.take(other, [card])

    return script()


def _seen_twice(game: SimulatedGame) -> Script | None:
    """Play a card that lies in a trick of this round already."""
    player = _turn(game)
    used = [card for card in game.used if card[0] in "bryg" and card != "bomb"]
    if not game.state.tricks_played or not used:
        return None
    card = game.stage.lying(player, game.pick(used))
    if value_of(card.picture) in {played.card for played in game.state.trick}:
        return None

    def script() -> Script:
        yield from game.stage.put(player, card)
        yield from game.wrong("seen_twice", "card_already_seen")
        yield from game.stage.think()
        yield from game.stage.take(player, [card])

    return script()


def _exchanged(game: SimulatedGame) -> Script | None:
    """Take back the own card for a better one, when it was taken over already; put it back when told."""
    trick = game.state.trick
    if not trick:
        return None
    last = trick[-1].player
    hand = [card for card in _plain(game, last) if value_of(card) != game.state.trump_card]
    if not hand or trick[-1].card in VALUES or trick[-1].card == game.state.trump_card:
        return None
    old = game.stage.trick[-1]
    new = game.stage.lying(last, game.pick(hand))
    if value_of(new.picture) in {played.card for played in trick}:
        return None

    def script() -> Script:
        yield from game.stage.exchange(last, old, new)
        yield from game.wrong("exchanged", "card_gone")
        yield from game.stage.think()
        yield from game.stage.exchange(last, new, old)

    return script()


def _revoke(game: SimulatedGame) -> Script | None:
    """Don't follow, though the colour is in the hand; a later card will give it away."""
    player, led = _turn(game), game.state.lead_colour
    if led is None or game.state.round - game.state.tricks_played < 2 or "juggler" in game.state.setup.specials:
        return None
    colours = [(card, colour_of(value_of(card))) for card in game.held[player]]
    others = [card for card, colour in colours if colour not in (None, led)]
    if not others or all(colour != led for _, colour in colours):
        return None
    return rounds.play_card(game, game.pick(others))


# ---- harmless ----


def _hand_rests(game: SimulatedGame) -> Script:
    """A hand lies over the trick for a while."""
    at = (HEAP_MM[0] + float(game.rng.uniform(-30, 30)), HEAP_MM[1] + float(game.rng.uniform(-30, 30)))
    visit = game.stage.visit(SEATS[_turn(game)], at, lambda: None, pose="flat", stay_ms=1500)
    return game.harmless("hand_rests", visit)


def _nudged(game: SimulatedGame) -> Script | None:
    """A card of the trick is pushed by a few mm."""
    if not game.stage.trick:
        return None
    return game.harmless("card_nudged", game.stage.nudge(_turn(game), game.pick(game.stage.trick), 7.0))


# Moments: before a bid, before a card ("play"), when a trick is to be cleared away ("clear").
SLIPS: dict[str, Slip] = {
    "card_before_bids": Slip("bid", "bids_first", _too_early),
    "barred_bid": Slip("bid", None),
    "bid_taken_back": Slip("bid", None),
    "two_at_once": Slip("play", "two_at_once", _two_at_once),
    "out_of_turn": Slip("play", "out_of_turn", _out_of_turn),
    "seen_twice": Slip("play", "card_already_seen", _seen_twice),
    "exchanged": Slip("play", "card_gone", _exchanged),
    "revoke": Slip("play", "revoke", _revoke),
    "not_cleared": Slip("clear", "not_cleared"),
    "hand_rests": Slip("play", None, _hand_rests),
    "card_nudged": Slip("play", None, _nudged),
    "lamp": Slip("play", None, lamp),
    "shadow": Slip("play", None, shadow(-60, 90)),
}
