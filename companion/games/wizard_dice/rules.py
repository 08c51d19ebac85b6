"""The referee of the dice game: legality with a named reason, and what an event does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from companion.errors import RecordError
from companion.games.base import Refusal
from companion.games.header import player_names, player_number, setting
from companion.games.record import need, shown, typed
from companion.games.wizard_dice import spells
from companion.games.wizard_dice.account import account
from companion.games.wizard_dice.state import (
    COLOURS,
    DICE,
    FACES,
    NUMBERS,
    ROLLS,
    Bid,
    DropOut,
    Entry,
    Erase,
    Event,
    Pass,
    Phase,
    Roll,
    Score,
    Setup,
    Sheet,
    Spell,
    State,
    WizardColour,
)

EVENTS: dict[str, type[Event]] = {
    "bid": Bid,
    "pass": Pass,
    "wizard_colour": WizardColour,
    "roll": Roll,
    "score": Score,
    "spell": Spell,
    "erase": Erase,
}
NAMES: dict[type[Event], str] = {kind: name for name, kind in EVENTS.items()}


class WizardDiceRules:
    """The pure referee (see :class:`companion.games.base.Rules`).

    >>> rules = WizardDiceRules()
    >>> game = rules.start({"game": "wizard_dice", "players": [{"name": "Ana"}, {"name": "Ben"}], "first_seer": 1})
    >>> game = rules.apply(game, Bid(1, "blue", 4))
    >>> rules.why_not(game, Bid(0, "blue", 4)).code
    'duplicate_bid'
    """

    name = "wizard_dice"

    def start(self, header: Mapping[str, Any]) -> State:
        """The state after a header: empty sheets, the first seer bids.

        Raises:
            RecordError: the header is malformed or describes no possible game.
        """
        names = player_names(header, 2, 5)
        seer = player_number(header, "first_seer", len(names))
        drop_out = cast("DropOut", setting(header, "drop_out", ("any", "exact_only")))
        spelled, chances = (bool(setting(header, key, (False, True))) for key in ("spells", "chances"))
        setup = Setup(names, seer, setting(header, "target", (9, 12)), drop_out, spelled, chances)
        return State(setup, 1, "bid", seer, (Sheet(),) * len(names), (None,) * len(names))

    def parse_event(self, data: Mapping[str, Any]) -> Event:
        """The event of a decoded line.

        Raises:
            RecordError: unknown event, or a field missing or of the wrong type.
        """
        name = need(data, "event", str)
        if name == "bid":
            return Bid(need(data, "player", int), need(data, "colour", str), need(data, "number", int))
        if name == "pass":
            return Pass(need(data, "player", int))
        if name == "wizard_colour":
            return WizardColour(need(data, "colour", str))
        if name == "roll":
            return Roll(tuple(typed(face, "faces", str) for face in need(data, "faces", list)))
        if name == "score":
            player, entry = need(data, "player", int), need(data, "entry", str)
            if entry not in ("bid", "jesters"):
                raise RecordError(f"entry: must be bid or jesters, not {shown(entry)}")
            return Score(player, cast("Entry", entry))
        if name == "spell":
            return spells.parsed(data)
        if name == "erase":
            return Erase(need(data, "player", int), need(data, "colour", str), need(data, "number", int))
        raise RecordError(f"unknown event {shown(name)}: known are {', '.join(EVENTS)}")

    def event_json(self, event: Event) -> dict[str, Any]:
        """The event's line in a record."""
        data: dict[str, Any] = {"event": NAMES[type(event)]}
        match event:
            case Bid(player, colour, number) | Erase(player, colour, number):
                data |= {"player": player, "colour": colour, "number": number}
            case Pass(player):
                data |= {"player": player}
            case Spell():
                data |= spells.spell_json(event)
            case WizardColour(colour):
                data |= {"colour": colour}
            case Roll(faces):
                data |= {"faces": list(faces)}
            case Score(player, entry):
                data |= {"player": player, "entry": entry}
        return data

    def why_not(self, state: State, event: Event) -> Refusal | None:
        """Why an event is not legal now: the first reason in the order of the rules page, or None if it is legal."""
        if state.phase == "over":
            return Refusal("game_over", "the game is over")
        possible = _possible(state)
        if type(event) not in possible:
            now = " or ".join(NAMES[kind] for kind in possible)
            return Refusal("wrong_phase", f"now comes {now}, not {NAMES[type(event)]}", phase=state.phase)
        match event:
            case Bid():
                return _why_no_bid(state, event)
            case Pass(player):
                return _turn(state, player) or _must_bid(state, player)
            case WizardColour(colour):
                return _colour(colour)
            case Roll(faces):
                return _dice(faces) or spells.why_no_roll(state, faces)
            case Score():
                return _why_no_score(state, event)
            case Spell():
                return spells.why_no_spell(state, event)
            case Erase(player):
                return _turn(state, player) or spells.why_no_erasing(state, event)

    def apply(self, state: State, event: Event) -> State:
        """The state after an event.

        Raises:
            Refusal: the rules refuse it.
        """
        refusal = self.why_not(state, event)
        if refusal is not None:
            raise refusal
        match event:
            case Bid(player, colour, number):
                bids = tuple((colour, number) if i == player else bid for i, bid in enumerate(state.bids))
                return _bid(replace(state, bids=bids))
            case Pass(player):
                return _bid(replace(state, scored=state.scored | {player}))
            case WizardColour(colour):
                return replace(state, phase="roll", wizard_colour=colour)
            case Roll(faces):
                rolls = state.rolls + 1
                phase: Phase = "roll" if rolls < ROLLS else "score"
                if state.wizard_colour is None:  # a spell: the bids come now
                    phase = "bid"
                return replace(state, phase=phase, rolls=rolls, faces=faces)
            case Score(player, entry):
                return _scored(state, player, entry)
            case Spell():
                return replace(state, spell=event, phase="roll" if event.late_bids else "bid")
            case Erase():
                return spells.erased(state, event)

    def describe(self, state: State) -> dict[str, Any]:
        """The state in the JSON form of the rules page."""
        data: dict[str, Any] = {
            "round": state.round,
            "phase": state.phase,
            "seer": state.seer,
            "bids": [bid and {"colour": bid[0], "number": bid[1]} for bid in state.bids],
            "wizard_colour": state.wizard_colour,
            "rolls": state.rolls,
            "faces": list(state.faces),
            "scored": sorted(state.scored),
            "sheets": [_sheet(sheet, state.setup.target) for sheet in state.sheets],
            "winners": list(state.winners),
        }
        if state.phase == "bid":
            data["to_act"] = state.to_act
        if state.spell is not None:
            data |= {"spell": spells.spell_json(state.spell), "erased": sorted(state.erased)}
        return data

    def account(self, before: State, event: Event, after: State) -> str:
        """What the event did and why, in one English line."""
        return account(before, event, after)

    def is_over(self, state: State) -> bool:
        """Whether the game has ended."""
        return state.phase == "over"


RULES = WizardDiceRules()


def _possible(state: State) -> tuple[type[Event], ...]:
    """The kinds of event that the phase allows: between the rolls the players may score as well."""
    if state.phase == "roll":
        return (Roll, Score) if state.rolls and state.wizard_colour is not None else (Roll,)
    bidding: tuple[type[Event], ...] = (Bid, Pass)
    if state.setup.spells and state.spell is None and state.acted == 0:
        bidding += (Spell,)
    if state.force.erase_minus:
        bidding += (Erase,)
    phases: dict[str, tuple[type[Event], ...]] = {"bid": bidding, "wizard_colour": (WizardColour,)}
    return phases.get(state.phase, (Score,))


def _turn(state: State, player: int) -> Refusal | None:
    if player == state.to_act:
        return None
    message = f"it is player {state.to_act}'s turn, not {shown(player)}'s"
    return Refusal("not_your_turn", message, player=player, turn=state.to_act)


def _colour(colour: str) -> Refusal | None:
    if colour in COLOURS:
        return None
    return Refusal("bad_colour", f"{shown(colour)} is none of {', '.join(COLOURS)}", colour=colour)


def _why_no_bid(state: State, bid: Bid) -> Refusal | None:
    refusal = _turn(state, bid.player) or _colour(bid.colour)
    if refusal is not None:
        return refusal
    cell = (bid.colour, bid.number)
    if bid.number not in NUMBERS:
        return Refusal("number_out_of_range", f"a bid is 1 to 5, not {shown(bid.number)}", number=bid.number)
    if cell in state.bids:
        other = state.bids.index(cell)
        return Refusal("duplicate_bid", f"player {other} has bid {bid.colour} {bid.number} already", player=other)
    if cell in state.sheets[bid.player].cells:
        return Refusal("cell_used", f"the cell {bid.colour} {bid.number} of player {bid.player} is used", cell=cell)
    return None


def _must_bid(state: State, player: int) -> Refusal | None:
    free = state.free_bids(player)
    if not free:
        return None
    colour, number = free[0]
    return Refusal("must_bid", f"player {player} can still bid, for example {colour} {number}", free=free)


def _dice(faces: tuple[str, ...]) -> Refusal | None:
    if len(faces) != DICE:
        return Refusal("wrong_dice_count", f"there are {DICE} dice, not {len(faces)}", count=len(faces))
    for face in faces:
        if face not in FACES:
            return Refusal("bad_face", f"{shown(face)} is none of {', '.join(FACES)}", face=face)
    return None


def _why_no_score(state: State, score: Score) -> Refusal | None:
    player = score.player
    if player in state.scored or player not in state.order:
        return Refusal("already_scored", f"player {shown(player)} is not in any more", player=player)
    exact = _difference(state, player) == 0
    if score.entry == "jesters":
        count = state.faces.count("jester")
        if exact:
            return Refusal("exact_bid", f"player {player} has met the bid exactly: that is an X", player=player)
        if count not in NUMBERS:
            return Refusal("no_jester_entry", f"a jester entry needs 1 to 5 jesters, not {count}", count=count)
        if count in state.sheets[player].jesters:
            return Refusal("jester_cell_used", f"the jester cell {count} of player {player} is used", count=count)
    # The seer may stop after any roll; the setting is about the others, while rolling goes on.
    if state.phase == "roll" and state.setup.drop_out == "exact_only" and player != state.seer and not exact:
        return Refusal("not_exact", f"player {player} may leave early only with the exact bid", player=player)
    return None


def _difference(state: State, player: int) -> int:
    """By how many the dice on the table miss a player's bid."""
    bid = state.bids[player]
    assert bid is not None, "those who passed have scored"
    colour, number = bid
    return abs(state.count(colour) - number)


def _bid(state: State) -> State:
    acted = state.acted + 1
    return replace(state, acted=acted, phase="bid" if acted < len(state.order) else "wizard_colour")


def _scored(state: State, player: int, entry: Entry) -> State:
    bid, sheet = state.bids[player], state.sheets[player]
    assert bid is not None, "those who passed have scored"
    difference = _difference(state, player)
    twice = state.force.double
    if entry == "jesters":
        sheet = replace(sheet, cells={**sheet.cells, bid: 0}, jesters=sheet.jesters | {state.faces.count("jester")})
    elif difference:
        sheet = replace(sheet, cells={**sheet.cells, bid: -difference * (2 if twice else 1)})
    else:
        doubled = sheet.doubled | {bid} if twice else sheet.doubled
        sheet = replace(sheet, cells={**sheet.cells, bid: None}, doubled=doubled)
    after = replace(
        state,
        sheets=tuple(sheet if i == player else other for i, other in enumerate(state.sheets)),
        scored=state.scored | {player},
        phase="score" if player == state.seer else state.phase,
    )
    return after if len(after.scored) < len(after.sheets) else _round_over(after)


def _round_over(state: State) -> State:
    target = state.setup.target
    if any(sheet.crosses >= target or sheet.is_full for sheet in state.sheets):
        points = [sheet.points(target) for sheet in state.sheets]
        winners = tuple(i for i, gained in enumerate(points) if gained == max(points))
        return replace(state, phase="over", winners=winners)
    return State(state.setup, state.round + 1, "bid", next_seer(state), state.sheets, (None,) * len(state.sheets))


def next_seer(state: State) -> int:
    """Who is the seer after this round: the highest bid in another colour than the seer's, the earliest of equals."""
    seers_bid = state.bids[state.seer]
    best, number = state.seer, 0
    for player in state.order:
        bid = state.bids[player]
        if bid is not None and seers_bid is not None and bid[0] != seers_bid[0] and bid[1] > number:
            best, number = player, bid[1]
    return best


def _sheet(sheet: Sheet, target: int) -> dict[str, Any]:
    cells = {
        f"{cell[0]}-{cell[1]}": v if v is not None else "XX" if cell in sheet.doubled else "X"
        for cell, v in sheet.cells.items()
    }
    return {
        "cells": cells,
        "jesters": sorted(sheet.jesters),
        "crosses": sheet.crosses,
        "points": sheet.points(target),
    }
