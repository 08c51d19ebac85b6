"""What simulated players of the pizza game do wrong, how they mend it, and harmless things that look alike.

A slip is made when its moment comes and the position allows it; else it waits for the next such moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from companion.games.pizza.state import Place
from companion.layout import COLOURS
from companion.simulator.script import Script
from companion.simulator.slips import Slip, lamp, shadow

if TYPE_CHECKING:
    from companion.games.pizza.table import SimulatedGame


def wrong(game: SimulatedGame, kind: str, spaces: Iterable[str] | None = None) -> Script:
    """Wait until a screen says what is wrong, and about which spaces, then take the time to read it.

    When none does, people see it themselves after a while; the slip then stays unanswered.
    """
    expected = SLIPS[kind].expected
    about = None if spaces is None else set(spaces)

    def told(facts: Mapping[str, Any]) -> bool:
        if expected == "not_rotated" and facts.get("stage") == "replace":  # it sees an addition to the replacing
            return set(facts.get("remaining", ())) == about
        return facts.get("problem") == expected and (about is None or set(facts.get("spaces", ())) == about)

    yield from game.wrong(kind, str(expected), told)
    yield from game.stage.think()


# ---- while toppings are added: the seat to act is about to add one ----


def _own(game: SimulatedGame) -> tuple[str, str]:
    seat = game.state.to_act
    assert seat is not None
    return seat, game.state.setup.player(seat).colour


def _free(game: SimulatedGame) -> list[str]:
    lying = game.stage.lying()
    return [s for s in game.stage.layout.spaces if s not in lying]


def _adjacent(game: SimulatedGame) -> Script | None:
    seat, colour = _own(game)
    lying = game.stage.lying()
    near = [s for s in _free(game) if any(lying.get(n) == colour for n in game.stage.layout.spaces[s].neighbours)]
    return _added_wrongly(game, "adjacent_own_topping", seat, game.pick(near), colour) if near else None


def _wrong_colour(game: SimulatedGame) -> Script | None:
    seat, colour = _own(game)
    other = game.pick([c for c in COLOURS if c != colour])
    return _added_wrongly(game, "wrong_colour", seat, game.pick(_free(game)), other)


def _not_your_turn(game: SimulatedGame) -> Script | None:
    seat, _ = _own(game)
    other = game.pick([s for s in game.seats if s != seat])
    return _added_wrongly(game, "not_your_turn", other, game.pick(_free(game)), game.state.setup.player(other).colour)


def _added_wrongly(game: SimulatedGame, kind: str, seat: str, space: str, colour: str) -> Script:
    yield from game.stage.put(seat, space, colour)
    yield from wrong(game, kind, [space])
    yield from game.stage.take(seat, space)


def _two_at_once(game: SimulatedGame) -> Script | None:
    seat, colour = _own(game)
    space = game.pick(game.legal())
    others = [s for s in _free(game) if s != space]
    if not others:
        return None
    second = game.pick(others)

    def script() -> Script:
        yield from game.stage.put(seat, space, colour)
        yield from game.stage.put(seat, second, colour)  # at once: the table never rests in between
        yield from wrong(game, "two_at_once", [space, second])
        yield from game.stage.take(seat, second)
        game.happened(Place(seat, space))
        yield from game.taken_in()

    return script()


def _moved(game: SimulatedGame) -> Script | None:
    seat, _ = _own(game)
    lying = game.stage.lying()
    ways = [
        (s, n)
        for s in lying
        for n in game.stage.layout.spaces[s].neighbours
        if n not in lying and s in game.state.setup.board.names(game.state.occupied)
    ]
    if not ways:
        return None
    space, to = ways[game.index(len(ways))]

    def script() -> Script:
        yield from game.stage.move(seat, space, to)
        yield from wrong(game, "moved_topping", [space, to])
        yield from game.stage.move(seat, to, space)

    return script()


def _missing(game: SimulatedGame) -> Script | None:
    seat, _ = _own(game)
    lying = game.stage.lying()
    space = game.pick(list(lying))

    def script() -> Script:
        yield from game.stage.take(seat, space)
        yield from wrong(game, "missing_topping", [space])
        yield from game.stage.put(seat, space, lying[space])

    return script()


# ---- the neutral topping ----


def _not_touching(game: SimulatedGame) -> Script | None:
    neutral = game.state.setup.neutral
    legal = set(game.legal())
    away = [s for s in _free(game) if s not in legal]
    if neutral is None or not away:
        return None
    return _added_wrongly(game, "not_touching_cutter", game.state.order[0], game.pick(away), neutral.colour)


# ---- harmless ----


def _hand_rests(game: SimulatedGame) -> Script | None:
    seat = game.pick(game.seats)
    at = (float(game.stage.rng.uniform(-60, 60)), float(game.stage.rng.uniform(-60, 60)))
    visit = game.stage.visit(seat, at, lambda: None, pose="flat", stay_ms=1500)
    return game.harmless("hand_rests", visit)


def _slid(game: SimulatedGame) -> Script | None:
    seat = game.pick(game.seats)
    space = game.pick(list(game.stage.lying()))
    dx, dy = ((3.0, 0.0), (-3.0, 0.0), (0.0, 3.0), (0.0, -3.0))[game.index(4)]
    return game.harmless("topping_slid", game.stage.nudge_topping(seat, space, dx, dy))


def _nudged(game: SimulatedGame) -> Script | None:
    seat = game.pick(game.seats)
    to = (
        (0.0, 0.0) if game.stage.scene.shift_mm != (0.0, 0.0) else ((8.0, 0.0), (-5.0, 6.2), (0.0, -8.0))[game.index(3)]
    )
    return game.harmless("board_nudged", game.stage.nudge_board(seat, to))


def _die_touched(game: SimulatedGame) -> Script | None:
    if not game.stage.scene.dice:
        return None
    colour = game.pick([d.colour for d in game.stage.scene.dice])
    seat = game.pick(game.seats)
    return game.harmless("die_touched", game.stage.touch_die(seat, colour))


# Moments: setup, place, neutral, cut, replace, turn.
SLIPS: dict[str, Slip] = {
    "setup_missing": Slip("setup", "missing_topping"),
    "setup_wrong_space": Slip("setup", "missing_topping"),
    "adjacent_own_topping": Slip("place", "adjacent_own_topping", _adjacent),
    "wrong_colour": Slip("place", "wrong_colour", _wrong_colour),
    "not_your_turn": Slip("place", "wrong_colour", _not_your_turn),
    "two_at_once": Slip("place", "two_at_once", _two_at_once),
    "moved_topping": Slip("place", "moved_topping", _moved),
    "missing_topping": Slip("place", "missing_topping", _missing),
    "wrong_line": Slip("neutral", "wrong_line", two_players=True),
    "not_touching_cutter": Slip("neutral", "not_touching_cutter", _not_touching, two_players=True),
    "stick_and_die_disagree": Slip("cut", "stick_and_die_disagree"),
    "replace_left_out": Slip("replace", "not_replaced"),
    "replace_wrong_colour": Slip("replace", "not_replaced"),
    "not_rotated": Slip("turn", "not_rotated"),
    "turned_wrong_way": Slip("turn", "turned_wrong_way"),
    "hand_rests": Slip("place", None, _hand_rests),
    "topping_slid": Slip("place", None, _slid),
    "lamp": Slip("place", None, lamp),
    "shadow": Slip("place", None, shadow(-80, 120)),
    "board_nudged": Slip("place", None, _nudged),
    "die_touched": Slip("replace", None, _die_touched),
}
