"""How the simulated players play: set up, add, roll, cut, replace, turn, round by round, slips included.

Each function is a script (see :mod:`companion.simulator.script`) that changes the table by hands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.pizza.rules import RULES
from companion.games.pizza.slips import wrong
from companion.games.pizza.state import Cut, NeutralPlace, NeutralRoll, Place, Rotate
from companion.layout import COLOURS
from companion.simulator.script import Script, Until, Wait

if TYPE_CHECKING:
    from companion.games.pizza.table import SimulatedGame


def play(game: SimulatedGame) -> Script:
    """A whole game, from the empty board to its end."""
    yield from _set_up(game)
    while game.state.phase != "over":
        while game.state.phase == "place":
            before = len(game.truth)
            yield from game.slips("place")
            if len(game.truth) == before:
                yield from _add(game)
        if game.state.phase == "neutral_roll":
            yield from _neutral(game)
        yield from _cut(game)
        if game.state.phase == "rotate":
            yield from _replace(game)
            yield from _turn(game)
    yield Wait(2000)


def _set_up(game: SimulatedGame) -> Script:
    """Lay the toppings of the start, the neutral ones by the first player's hand."""
    start = {
        space: (seat if seat in game.seats else game.state.setup.first, COLOURS[colour])
        for seat, colour in game.state.setup.colour.items()
        for space in game.stage.layout.start_spaces[game.state.facing[seat]]
    }
    slip = game.take_slip("setup_missing", "setup_wrong_space")
    odd = game.pick(sorted(start)) if slip else ""
    aside = ""
    for space, (hand, colour) in start.items():
        yield from game.stage.think()
        if space != odd:
            yield from game.stage.put(hand, space, colour)
        elif slip == "setup_wrong_space":
            aside = game.pick([n for n in game.stage.layout.spaces[space].neighbours if n not in start])
            yield from game.stage.put(hand, aside, colour)
    if slip:
        hand, colour = start[odd]
        yield from wrong(game, slip, [odd, aside] if aside else [odd])
        yield from game.stage.move(hand, aside, odd) if aside else game.stage.put(hand, odd, colour)
    yield Until(lambda v: v.facts.get("phase") == "place" and v.facts.get("problem") is None, "the set-up to be seen")


def _add(game: SimulatedGame) -> Script:
    seat = game.state.to_act
    assert seat is not None
    space, colour = game.pick(game.legal()), game.state.setup.player(seat).colour
    yield from game.stage.think()
    yield from game.stage.put(seat, space, colour, lambda: game.happened(Place(seat, space)))
    yield from game.taken_in(lambda: _again(game, seat, space, colour))


def _again(game: SimulatedGame, seat: str, space: str, colour: str) -> Script:
    """Lay a topping anew that was not taken in."""
    yield from game.stage.take(seat, space)
    yield from game.stage.put(seat, space, colour)


def _neutral(game: SimulatedGame) -> Script:
    neutral = game.state.setup.neutral
    assert neutral is not None
    seat, side = game.state.order[0], game.state.facing[neutral.seat]
    value = 1 + game.index(min(len(game.stage.layout.numbers(side)), 6))
    yield from game.stage.think()
    yield from game.stage.roll_die(seat, neutral.colour, value)
    game.happened(NeutralRoll(value))
    yield from game.taken_in()
    line = value
    if game.state.phase == "neutral_place" and game.take_slip("wrong_line"):
        line = value % len(game.stage.layout.numbers(side)) + 1
    yield from game.stage.lay_stick(seat, side, line, neutral.colour)
    if line != value:
        yield from wrong(game, "wrong_line")
        yield from game.stage.lay_stick(seat, side, value, neutral.colour)
    if game.state.phase != "neutral_place":
        return
    yield from game.slips("neutral")
    space = game.pick(game.legal())
    yield from game.stage.think()
    yield from game.stage.put(seat, space, neutral.colour, lambda: game.happened(NeutralPlace(space)))
    yield from game.taken_in(lambda: _again(game, seat, space, neutral.colour))


def _cut(game: SimulatedGame) -> Script:
    facing, colour_of = game.state.facing, game.state.setup.player
    lines = {seat: 1 + game.index(min(len(game.stage.layout.numbers(facing[seat])), 6)) for seat in game.seats}
    yield from game.stage.think()
    for seat in game.seats:
        yield from game.stage.show_die(seat, colour_of(seat).colour, lines[seat])
    slip = game.take_slip("stick_and_die_disagree")
    odd = game.pick(game.seats) if slip else ""
    for seat in game.seats:
        number = lines[seat] % len(game.stage.layout.numbers(facing[seat])) + 1 if seat == odd else lines[seat]
        yield from game.stage.lay_stick(seat, facing[seat], number, colour_of(seat).colour)
    if slip:
        yield from wrong(game, slip)
        yield from game.stage.lay_stick(odd, facing[odd], lines[odd], colour_of(odd).colour)
    game.happened(Cut(tuple(sorted(lines.items()))))
    yield from game.taken_in()


def _wanted(game: SimulatedGame) -> dict[str, str]:
    """What should lie on the board by the rules: id -> colour."""
    names = game.state.setup.board.names
    return {s: c for c, mask in zip(COLOURS, game.state.pieces, strict=True) for s in names(mask)}


def _hand_for(game: SimulatedGame, colour: str) -> str:
    """Whose hand handles a colour: its player's, or the first player's for the neutral one."""
    for seat in game.seats:
        if game.state.setup.player(seat).colour == colour:
            return seat
    return game.state.order[0]


def _replace(game: SimulatedGame) -> Script:
    """Take off and put slice by slice, by the hand of who takes the slice."""
    yield from game.slips("replace")
    ruling = game.state.ruling
    assert ruling is not None
    lying, wanted = game.stage.lying(), _wanted(game)
    changed = [s for part in ruling.slices for s in part.spaces if lying.get(s) != wanted.get(s)]
    slip, odd = None, ""
    if any(s in wanted for s in changed):
        slip = game.take_slip("replace_left_out", "replace_wrong_colour")
    elif changed:
        slip = game.take_slip("replace_left_out")
    if slip:
        odd = game.pick([s for s in changed if s in wanted] or changed)
    for space in changed:
        yield from game.stage.think()
        if space != odd:
            yield from _set_right(game, space)
        elif slip == "replace_wrong_colour":
            colour = game.pick([c for c in COLOURS if c not in (wanted[space], lying[space])])
            yield from game.stage.swap(_hand_for(game, wanted[space]), space, colour)
    if not slip:
        yield Until(lambda v: v.facts.get("stage") == "turn", "the screen that says to turn the board")
        return
    yield from _clear(game)
    yield from game.stage.turn_board(game.pick(game.seats), 120)
    yield from wrong(game, slip, [odd])
    yield from _set_right(game, odd)
    game.happened(Rotate())
    yield from game.taken_in()


def _set_right(game: SimulatedGame, space: str) -> Script:
    lies, should = game.stage.lying().get(space), _wanted(game).get(space)
    if should is None:
        assert lies is not None
        yield from game.stage.take(_hand_for(game, lies), space)
    elif lies is None:
        yield from game.stage.put(_hand_for(game, should), space, should)
    else:
        yield from game.stage.swap(_hand_for(game, should), space, should)


def _clear(game: SimulatedGame) -> Script:
    """Take sticks and dice away."""
    for colour in [s.colour for s in game.stage.scene.sticks]:
        yield from game.stage.take_stick(_hand_for(game, colour), colour)
    for colour in [d.colour for d in game.stage.scene.dice]:
        yield from game.stage.take_die(_hand_for(game, colour), colour)


def _turn(game: SimulatedGame) -> Script:
    if game.state.phase != "rotate":  # the replacing went wrong and they have turned already
        return
    yield from game.stage.think()
    yield from _clear(game)
    seat = game.pick(game.seats)
    free = [s for s in game.stage.layout.spaces if s not in game.stage.lying()]
    if free and game.take_slip("not_rotated"):
        adder = RULES.apply(game.state, Rotate()).to_act  # whoever adds next forgets the board
        assert adder is not None
        space = game.pick(free)
        yield from game.stage.put(adder, space, game.state.setup.player(adder).colour)
        yield from wrong(game, "not_rotated", [space])
        yield from game.stage.take(adder, space)
        yield from game.stage.turn_board(seat, 120)
    elif game.take_slip("turned_wrong_way"):
        yield from game.stage.turn_board(seat, -120)
        yield from wrong(game, "turned_wrong_way")
        yield from game.stage.turn_board(seat, 240)
    else:
        yield from game.stage.turn_board(seat, 120)
    game.happened(Rotate())
    yield from game.taken_in()
