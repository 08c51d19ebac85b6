"""What simulated players of the dice game do wrong, how they mend it, and harmless things that look alike.

A slip is made when its moment comes and the position allows it; else it waits for the next such moment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from companion.games.wizard_dice import rounds
from companion.games.wizard_dice.state import FACES
from companion.simulator.script import Script, Wait
from companion.simulator.slips import Slip, lamp, shadow

if TYPE_CHECKING:
    from companion.games.wizard_dice.table import SimulatedGame


def _any_seat(game: SimulatedGame) -> str:
    return game.pick(game.seats)


# ---- bids ----


def _taken_bid(game: SimulatedGame) -> Script | None:
    """Try to bid what somebody has bid already: the line is there, says who has it, and can't be taken."""
    player = game.state.to_act
    assert player is not None
    used = game.state.sheets[player].cells
    taken = [bid for bid in game.state.bids if bid is not None and bid not in used]
    open_ = [(c, n) for c, n in taken if any(free == c for free, _ in game.state.free_bids(player))]
    return _barred(game, "taken_bid", *game.pick(open_)) if open_ else None


def _used_cell(game: SimulatedGame) -> Script | None:
    """Try to bid a used cell of the own sheet."""
    player = game.state.to_act
    assert player is not None
    used = [cell for cell in game.state.sheets[player].cells if cell not in game.state.bids]
    open_ = [(c, n) for c, n in used if any(free == c for free, _ in game.state.free_bids(player))]
    return _barred(game, "used_cell", *game.pick(open_)) if open_ else None


def _barred(game: SimulatedGame, kind: str, colour: str, number: int) -> Script:
    def script() -> Script:
        yield from rounds.pick_colour(game, colour)
        while game.shown.chosen != number - 1:
            yield from game.tap("down")
        line = game.shown.choices[number - 1]
        if number - 1 not in game.shown.barred or line.id == "{words}":
            game.faults.append(f"{colour} {number} is not barred: {line}")
        yield from game.tap("ok")
        yield from game.tap("back")

    return game.harmless(kind, script())


# ---- dice between two rolls ----


def _turned(game: SimulatedGame) -> Script | None:
    """Turn a die to another face where it lies; turn it back when told."""
    if game.state.force.seer_sets:
        return None
    die = game.pick(game.stage.scene.dice)
    seat = _any_seat(game)
    other = game.pick([value for value in range(1, len(FACES) + 1) if value != die.value])

    def script() -> Script:
        yield from game.stage.turn(seat, die, other)
        yield from game.wrong("die_turned", "turned_die")
        yield from game.stage.think()
        (new,) = (d for d in game.stage.scene.dice if abs(d.x_mm - die.x_mm) < 5 and abs(d.y_mm - die.y_mm) < 5)
        yield from game.stage.turn(seat, new, die.value)
        yield Wait(2500)
        if game.shown.facts.get("problem") is not None:
            game.faults.append(f"a die that was turned back is still named: {game.shown.facts.get('problem')}")

    return script()


def _set_aside(game: SimulatedGame) -> Script | None:
    """Lay some dice elsewhere in the tray, as they are; it was no roll."""
    dice = list(game.stage.scene.dice)[: 1 + game.index(3)]

    def script() -> Script:
        yield from game.stage.set_aside(_any_seat(game), dice)
        yield from game.wrong("set_aside", "unsure_roll")
        yield from game.tap("back")

    return script()


def _moved(kind: str, mm: float) -> Callable[[SimulatedGame], Script]:
    def make(game: SimulatedGame) -> Script:
        die = game.pick(game.stage.scene.dice)
        return game.harmless(kind, game.stage.nudge(_any_seat(game), die, mm))

    return make


def _tray(game: SimulatedGame) -> Script:
    here = game.stage.scene.shift_mm
    to = (0.0, 0.0) if here != (0.0, 0.0) else game.pick([(9.0, 0.0), (-5.0, 7.0), (0.0, -8.0), (-12.0, -3.0)])
    return game.harmless("tray_pushed", game.stage.push_tray(_any_seat(game), to))


def _hand_rests(game: SimulatedGame) -> Script:
    at = (float(game.rng.uniform(-60, 60)), float(game.rng.uniform(-50, 50)))
    visit = game.stage.visit(_any_seat(game), at, lambda: None, pose="flat", stay_ms=1500)
    return game.harmless("hand_rests", visit)


# Moments: before a bid is entered (the form is open), at a throw, while dice lie between two rolls ("table").
SLIPS: dict[str, Slip] = {
    "taken_bid": Slip("bid", None, _taken_bid),
    "used_cell": Slip("bid", None, _used_cell),
    "one_left_lying": Slip("throw", "unsure_roll"),
    "die_under_cup": Slip("throw", "too_few_dice"),
    "die_on_floor": Slip("throw", "too_few_dice"),
    "eighth_die": Slip("throw", "too_many_dice"),
    "die_turned": Slip("table", "turned_die", _turned),
    "set_aside": Slip("table", "unsure_roll", _set_aside),
    "die_touched": Slip("table", None, _moved("die_touched", 3.0)),
    "die_knocked": Slip("table", None, _moved("die_knocked", 11.0)),
    "tray_pushed": Slip("table", None, _tray),
    "hand_rests": Slip("table", None, _hand_rests),
    "lamp": Slip("table", None, lamp),
    "shadow": Slip("table", None, shadow(-60, 90)),
}
