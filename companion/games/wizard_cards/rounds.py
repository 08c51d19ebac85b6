"""How the simulated players play: deal, turn up, bid, play tricks by the rules, clear them away; slips included.

Each function is a script (see :mod:`companion.simulator.script`) that changes the table by hands and presses buttons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.wizard_cards import views
from companion.games.wizard_cards.cards import COLOURS, VALUES, colour_of
from companion.games.wizard_cards.state import Bid, ChangeBid, Trump, TrumpColour
from companion.simulator.cards import value_of
from companion.simulator.deck import DECK
from companion.simulator.script import Script, Until, Wait

if TYPE_CHECKING:
    from companion.games.wizard_cards.table import SimulatedGame


def play(game: SimulatedGame) -> Script:
    """A whole game, from the first deal to its end."""
    while game.state.phase != "over":
        yield from _deal(game)
        if game.state.phase == "trump_colour":
            yield from _name_trump(game)
        while game.state.phase == "bid":
            yield from _bid(game)
        number = game.state.round
        while game.state.round == number and game.state.phase == "play":
            yield from _trick(game)
    yield Until(lambda v: v.facts.get("winners") == game.state.winners, "the winners")
    yield Wait(2000)


# ---- before the tricks ----


def _deal(game: SimulatedGame) -> Script:
    """The dealer gathers the cards, shuffles, deals, and turns up trump."""
    stage, state = game.stage, game.state
    deck = [str(card) for card in game.rng.permutation([*DECK, *state.setup.specials])]
    count = len(state.bids)
    game.held = [deck[i * state.round : (i + 1) * state.round] for i in range(count)]
    rest = deck[count * state.round :]
    if not rest:  # the companion says so itself, as soon as the table is empty
        game.happened(Trump(None))
    if stage.stock:
        yield from stage.think()
        yield from stage.take(state.dealer, stage.stock)
    yield Wait(float(game.rng.integers(2000, 4000)))
    if rest:
        card = rest[0]
        yield from stage.turn_up(state.dealer, card, lambda: game.happened(Trump(value_of(card))))
    yield from game.taken_in()


def _name_trump(game: SimulatedGame) -> Script:
    yield from game.stage.think()
    colour = game.pick(COLOURS)
    yield Until(lambda v: v.facts.get("ask") == "cards.trump_colour", "the question for trump")
    name = views.COLOUR_NAMES[colour]
    yield from game.choose(colour, lambda text: text == name, lambda: game.happened(TrumpColour(colour)))
    yield from game.taken_in()


def _wish(game: SimulatedGame, player: int) -> int:
    """About how many tricks a hand is worth."""
    state = game.state
    strong = 0.0
    for card in game.held[player]:
        value = value_of(card)
        colour = colour_of(value)
        if value in ("W", "dragon"):
            strong += 0.9
        elif colour is not None and colour == state.trump:
            strong += int(value[1:]) / 15
        elif colour is not None and int(value[1:]) > 10:
            strong += 0.3
    return min(state.round, max(0, round(strong + float(game.rng.normal(0, 0.5)))))


def _bid(game: SimulatedGame) -> Script:
    """One player says a number; the dealer may want the one that is barred."""
    state = game.state
    player = state.to_act
    assert player is not None
    yield from game.slips("bid")
    yield from game.stage.think()
    yield Until(
        lambda v: v.facts.get("ask") in ("cards.bid", "cards.secret") and v.facts.get("player") == player,
        f"player {player} to be asked",
    )
    if game.shown.facts.get("ask") == "cards.secret":
        yield from game.tap("ok")
    wish = _wish(game, player)
    barred = game.shown.facts.get("barred")
    if barred is not None and game.take_slip("barred_bid"):
        yield from game.harmless("barred_bid", _try(game, barred), {"total_not_allowed"})
    if wish == barred:
        wish = wish - 1 if wish else 1
    if game.take_slip("bid_taken_back"):
        wrong = next(n for n in (wish + 1, wish - 1) if n != barred and 0 <= n <= state.round)
        yield from _say(game, player, wrong)
        yield from game.stage.think()
        yield from game.undo()
        yield Until(
            lambda v: v.facts.get("ask") in ("cards.bid", "cards.secret") and v.facts.get("player") == player,
            "the bid to be asked again",
        )
        if game.shown.facts.get("ask") == "cards.secret":
            yield from game.tap("ok")
    yield from _say(game, player, wish)


def _try(game: SimulatedGame, number: int) -> Script:
    yield from game.to_number(number)
    yield from game.tap("ok")


def _say(game: SimulatedGame, player: int, number: int) -> Script:
    yield from game.to_number(number)
    game.happened(Bid(player, number))
    yield from game.tap("ok")
    yield from game.taken_in()


# ---- the tricks ----


def _trick(game: SimulatedGame) -> Script:
    """Everybody plays a card; who takes the trick clears it away."""
    number, tricks = game.state.round, game.state.tricks_played
    while (game.state.round, game.state.tricks_played, game.state.phase) == (number, tricks, "play"):
        yield from game.slips("play")
        if (game.state.round, game.state.tricks_played) != (number, tricks):
            break
        player = game.state.to_act
        assert player is not None
        yield from game.stage.think()
        yield from play_card(game, choose(game, player))
    if game.state.phase == "change_bid":
        yield from _change_bid(game)
    yield from _clear(game)


def choose(game: SimulatedGame, player: int) -> str:
    """A card that may be played, by chance; who has revoked gives it away as soon as it goes."""
    led, held = game.state.lead_colour, game.held[player]
    bound = [card for card in held if led is not None and colour_of(value_of(card)) == led]
    free = [card for card in held if colour_of(value_of(card)) is None]
    return game.pick(bound + free if bound else held)


def play_card(game: SimulatedGame, picture: str) -> Script:
    """Lay a card of the player whose turn it is, and see that it is taken in."""
    player = game.state.to_act
    assert player is not None
    card = game.stage.lying(player, picture)
    value = value_of(picture)
    colour = game.pick(COLOURS) if value in VALUES else None
    revoke = game.state.revoke(player, value)
    yield from game.stage.put(player, card, lambda: game.played(player, picture, colour))
    yield from game.taken_in()
    if revoke is not None:
        yield from told_of_revoke(game)


def told_of_revoke(game: SimulatedGame) -> Script:
    """Read what a card has given away, and play on."""
    yield from game.wrong("revoke", "revoke")
    yield from game.stage.think()
    if game.shown.facts.get("ask") == "cards.revoke":
        yield from game.choose("playing on", lambda text: text.id == "we play on")


def _change_bid(game: SimulatedGame) -> Script:
    player = game.state.to_act
    assert player is not None
    bid = game.state.bids[player] or 0
    new = game.pick([n for n in (bid - 1, bid + 1) if 0 <= n <= game.state.round])
    yield from game.stage.think()
    yield Until(lambda v: v.facts.get("ask") == "cards.cloud", "the question for the cloud")
    wanted = "one less" if new < bid else "one more"
    shown = {"old": bid, "new": new}
    yield from game.choose(
        f"{new}",
        lambda text: text.id == wanted or dict(text.values) == shown,
        lambda: game.happened(ChangeBid(player, new)),
    )
    yield from game.taken_in()


def _clear(game: SimulatedGame) -> Script:
    """Clear the trick away; somebody may lead too early."""
    state, stage = game.state, game.stage
    old = stage.trick
    leader = state.to_act
    if state.phase == "play" and leader is not None and game.take_slip("not_cleared"):
        picture = choose(game, leader)
        if value_of(picture) not in VALUES:
            card = stage.lying(leader, picture)
            yield from stage.put(leader, card)
            yield from game.wrong("not_cleared", "not_cleared")
            yield from stage.think()
            revoke = state.revoke(leader, value_of(picture))
            game.played(leader, picture, None)
            yield from stage.take(leader, old)
            yield from game.taken_in()
            if revoke is not None:
                yield from told_of_revoke(game)
            return
    yield from stage.think()
    yield from stage.take(leader if leader is not None else state.dealer, old)
    if state.phase == "play":
        yield Until(lambda v: not v.facts.get("clear"), "the table to be seen cleared")
