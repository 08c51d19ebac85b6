"""The referee of the pizza game: legality with a named reason, and what an event does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.errors import RecordError
from companion.games.base import Refusal
from companion.games.pizza.account import account
from companion.games.pizza.board import board_of
from companion.games.pizza.cutting import end, rule
from companion.games.pizza.state import (
    SEATS,
    Cut,
    Event,
    Masks,
    NeutralPass,
    NeutralPlace,
    NeutralRoll,
    Pass,
    Phase,
    Place,
    Player,
    Rotate,
    Setup,
    State,
    setup,
)
from companion.games.record import need, shown, typed
from companion.layout import COLOURS

EVENTS: dict[str, type[Event]] = {
    "place": Place,
    "pass": Pass,
    "neutral_roll": NeutralRoll,
    "neutral_place": NeutralPlace,
    "neutral_pass": NeutralPass,
    "cut": Cut,
    "rotate": Rotate,
}
NAMES: dict[type[Event], str] = {kind: name for name, kind in EVENTS.items()}
PHASES: dict[type[Event], Phase] = {
    Place: "place",
    Pass: "place",
    NeutralRoll: "neutral_roll",
    NeutralPlace: "neutral_place",
    NeutralPass: "neutral_place",
    Cut: "cut",
    Rotate: "rotate",
}


class PizzaRules:
    """The pure referee (see :class:`companion.games.base.Rules`).

    >>> rules = PizzaRules()
    >>> game = rules.start({"game": "pizza", "layout": "hex37", "first": "A", "players": [
    ...     {"name": "Ana", "seat": "A", "colour": "red"}, {"name": "Ben", "seat": "B", "colour": "green"}]})
    >>> game.to_act
    'A'
    >>> rules.why_not(game, Place("A", "c2")).code
    'adjacent_own_topping'
    >>> rules.apply(game, Place("A", "d4")).to_act
    'B'
    """

    name = "pizza"

    def start(self, header: Mapping[str, Any]) -> State:
        """The state after a header: every colour has its two toppings on the board.

        Raises:
            RecordError: the header is malformed or describes no possible game.
        """
        game = _setup(header)
        pieces = [0, 0, 0]
        for seat, colour in game.colour.items():
            pieces[colour] = game.board.start[game.facings[0][seat]]
        return State(game, 1, "place", (pieces[0], pieces[1], pieces[2]))

    def parse_event(self, data: Mapping[str, Any]) -> Event:
        """The event of a decoded line.

        Raises:
            RecordError: unknown event, or a field missing or of the wrong type.
        """
        name = need(data, "event", str)
        if name == "place":
            return Place(need(data, "seat", str), need(data, "space", str))
        if name == "pass":
            return Pass(need(data, "seat", str))
        if name == "neutral_roll":
            return NeutralRoll(need(data, "value", int))
        if name == "neutral_place":
            return NeutralPlace(need(data, "space", str))
        if name == "cut":
            lines = need(data, "lines", dict)
            return Cut(tuple(sorted((seat, typed(n, f"lines: {shown(seat)}", int)) for seat, n in lines.items())))
        if name == "neutral_pass":
            return NeutralPass()
        if name == "rotate":
            return Rotate()
        raise RecordError(f"unknown event {shown(name)}: known are {', '.join(EVENTS)}")

    def event_json(self, event: Event) -> dict[str, Any]:
        """The event's line in a record."""
        data: dict[str, Any] = {"event": NAMES[type(event)]}
        match event:
            case Place(seat, space):
                data |= {"seat": seat, "space": space}
            case Pass(seat):
                data |= {"seat": seat}
            case NeutralRoll(value):
                data |= {"value": value}
            case NeutralPlace(space):
                data |= {"space": space}
            case Cut(lines):
                data |= {"lines": dict(lines)}
        return data

    def why_not(self, state: State, event: Event) -> Refusal | None:
        """Why an event is not legal now: the first reason in the order of the rules page, or None if it is legal."""
        if state.phase == "over":
            return Refusal("game_over", "the game is over")
        if PHASES[type(event)] != state.phase:
            wanted = " or ".join(name for kind, name in NAMES.items() if PHASES[kind] == state.phase)
            return Refusal("wrong_phase", f"now comes {wanted}, not {NAMES[type(event)]}", phase=state.phase)
        match event:
            case Place(seat, space):
                return _turn(state, seat) or _space(state, space) or _adjacent(state, seat, space)
            case Pass(seat):
                return _turn(state, seat) or _must_place(state)
            case NeutralRoll(value):
                return _line(state, _neutral(state).seat, value)
            case NeutralPlace(space):
                refusal = _space(state, space)
                if refusal is None and not state.legal & state.setup.board.bits[space]:
                    return Refusal("not_touching_cutter", f"{space} does not touch the neutral cutter", space=space)
                return refusal
            case NeutralPass():
                return _must_place(state)
            case Cut(lines):
                return _cutters(state, lines)
        return None

    def apply(self, state: State, event: Event) -> State:
        """The state after an event.

        Raises:
            Refusal: the rules refuse it.
        """
        refusal = self.why_not(state, event)
        if refusal is not None:
            raise refusal
        match event:
            case Place(seat, space):
                return _added(state, _with(state, state.setup.colour[seat], space))
            case Pass():
                return _added(state, state.pieces)
            case NeutralRoll(value):
                return State(state.setup, state.round, "neutral_place", state.pieces, state.acted, value)
            case NeutralPlace(space):
                pieces = _with(state, state.setup.colour[_neutral(state).seat], space)
                return State(state.setup, state.round, "cut", pieces, state.acted, state.neutral_line)
            case NeutralPass():
                return State(state.setup, state.round, "cut", state.pieces, state.acted, state.neutral_line)
            case Cut(lines):
                return _after_cut(state, lines)
        return State(state.setup, state.round + 1, "place", state.pieces)

    def describe(self, state: State) -> dict[str, Any]:
        """The state in the JSON form of the rules page."""
        names = state.setup.board.names
        data: dict[str, Any] = {
            "round": state.round,
            "phase": state.phase,
            "facing": dict(state.facing),
            "board": _by_space(state, state.pieces),
            "supply": {colour: state.supply(i) for i, colour in enumerate(COLOURS)},
            "winners": list(state.winners),
            "result": state.result,
        }
        if state.phase == "place":
            data["to_act"] = state.to_act
            data["legal"] = names(state.legal)
        elif state.phase == "neutral_place":
            data["legal"] = names(state.legal)
        if state.ruling is not None:
            data["slices"] = [
                {"spaces": list(s.spaces), "counts": dict(zip(COLOURS, s.counts, strict=True)), "outcome": s.outcome}
                for s in state.ruling.slices
            ]
            data["safe"] = [COLOURS[i] for i in state.ruling.safe]
            data["removed"] = _by_space(state, state.ruling.removed)
            data["placed"] = _by_space(state, state.ruling.placed)
        return data

    def account(self, before: State, event: Event, after: State) -> str:
        """What the event did and why, in one English line."""
        return account(before, event, after)

    def is_over(self, state: State) -> bool:
        """Whether the game has ended."""
        return state.phase == "over"


RULES = PizzaRules()


def _setup(header: Mapping[str, Any]) -> Setup:
    layout = need(header, "layout", str)
    players = []
    for i, item in enumerate(need(header, "players", list), 1):
        entry = typed(item, f"player {i}", dict)
        player = Player(need(entry, "name", str), need(entry, "seat", str), need(entry, "colour", str))
        if player.seat not in SEATS:
            raise RecordError(f"player {i}: unknown seat {shown(player.seat)}: known are {', '.join(SEATS)}")
        if player.colour not in COLOURS:
            raise RecordError(f"player {i}: unknown colour {shown(player.colour)}: known are {', '.join(COLOURS)}")
        players.append(player)
        if i > 3:
            break
    if len(players) not in (2, 3):
        raise RecordError("players: must be two or three")
    if len({player.seat for player in players}) < len(players):
        raise RecordError("players: two have the same seat")
    if len({player.colour for player in players}) < len(players):
        raise RecordError("players: two have the same colour")
    first = need(header, "first", str)
    if first not in {player.seat for player in players}:
        raise RecordError(f"first: nobody sits at {shown(first)}")
    return setup(board_of(layout), tuple(players), first)


def _neutral(state: State) -> Player:
    assert state.setup.neutral is not None, "the neutral phases exist with two players only"
    return state.setup.neutral


def _turn(state: State, seat: str) -> Refusal | None:
    if seat == state.to_act:
        return None
    return Refusal("not_your_turn", f"it is {state.to_act}'s turn, not {shown(seat)}'s", seat=seat, turn=state.to_act)


def _space(state: State, space: str) -> Refusal | None:
    bit = state.setup.board.bits.get(space)
    if bit is None:
        return Refusal("unknown_space", f"this board has no space {shown(space)}", space=space)
    for colour, mask in zip(COLOURS, state.pieces, strict=True):
        if mask & bit:
            return Refusal("space_occupied", f"{space} holds a {colour} topping", space=space, colour=colour)
    return None


def _adjacent(state: State, seat: str, space: str) -> Refusal | None:
    colour = state.setup.colour[seat]
    near = state.setup.board.near[space] & state.pieces[colour]
    if not near:
        return None
    beside = state.setup.board.names(near)
    message = f"{space} is next to {COLOURS[colour]} at {', '.join(beside)}"
    return Refusal("adjacent_own_topping", message, space=space, beside=beside)


def _must_place(state: State) -> Refusal | None:
    if not state.legal:
        return None
    legal = state.setup.board.names(state.legal)
    return Refusal("must_place", f"a topping can go on {', '.join(legal)}", legal=legal)


def _line(state: State, seat: str, number: int) -> Refusal | None:
    side = state.facing[seat]
    highest = state.setup.board.numbers[side]
    if 1 <= number <= highest:
        return None
    message = f"side {side} has the lines 1 to {highest}, not {shown(number)}"
    return Refusal("line_out_of_range", message, seat=seat, side=side, number=number)


def _cutters(state: State, lines: tuple[tuple[str, int], ...]) -> Refusal | None:
    seats = tuple(sorted(state.order))
    if tuple(seat for seat, _ in lines) != seats:
        return Refusal("wrong_cutters", f"a number each of {', '.join(seats)} is needed, and no other", seats=seats)
    for seat, number in lines:
        refusal = _line(state, seat, number)
        if refusal is not None:
            return refusal
    return None


def _with(state: State, colour: int, space: str) -> Masks:
    red, green, white = state.pieces
    bit = state.setup.board.bits[space]
    return (
        (red | bit, green, white)
        if colour == 0
        else (red, green | bit, white)
        if colour == 1
        else (red, green, white | bit)
    )


def _added(state: State, pieces: Masks) -> State:
    acted = state.acted + 1
    phase: Phase = "place"
    if acted == len(state.order):
        phase = "cut" if state.setup.neutral is None else "neutral_roll"
    return State(state.setup, state.round, phase, pieces, acted)


def _after_cut(state: State, lines: tuple[tuple[str, int], ...]) -> State:
    numbers = {state.facing[seat]: number for seat, number in lines}
    if state.setup.neutral is not None and state.neutral_line is not None:
        numbers[state.facing[state.setup.neutral.seat]] = state.neutral_line
    ruling = rule((numbers[1], numbers[2], numbers[3]), state)
    pieces = [
        own & ~removed | placed
        for own, removed, placed in zip(state.pieces, ruling.removed, ruling.placed, strict=True)
    ]
    masks = (pieces[0], pieces[1], pieces[2])
    winners, result = end(state.setup, masks)
    phase: Phase = "rotate" if result is None else "over"
    return State(state.setup, state.round, phase, masks, state.acted, state.neutral_line, ruling, winners, result)


def _by_space(state: State, masks: Masks) -> dict[str, str]:
    names = state.setup.board.names
    red, green, white = masks
    return (
        dict.fromkeys(names(red), "red") | dict.fromkeys(names(green), "green") | dict.fromkeys(names(white), "white")
    )
