"""Spells: their form in a record, and the rules that a spell in force adds.

The record has one more setting, ``"spells": true``, and two more events. Without the setting a spell is out of phase.

    {"event": "spell", "name": "Echo", "modifiers": {"double": true}}     before the first bid of a round, at most once
    {"event": "erase", "player": 0, "colour": "red", "number": 2}         at that player's turn to bid

Refusals: ``bad_spell`` (more dice to set than there are), ``not_your_turn``, ``already_erased``, ``no_minus``;
a roll with fewer jesters than lay there while they are locked: ``jester_rerolled``. While a spell is in force the state
has ``spell`` (name and modifiers) and ``erased`` (player numbers); an X that counts twice is "XX" on the sheet.

What a spell changes beyond the effects that are known is our ruling: an X twice is worth its number twice; a jester
entry is no bid and never doubled; with late bids the wizard colour follows the bids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.errors import RecordError
from companion.games.base import Refusal
from companion.games.record import need, shown, typed
from companion.games.wizard_dice.state import DICE, Erase, Spell, State

SWITCHES = ("double", "late_bids", "jesters_locked", "erase_minus")
MODIFIERS = (*SWITCHES, "seer_sets")


def parsed(data: Mapping[str, Any]) -> Spell:
    """The spell of a decoded line; modifiers that are left out are off.

    Raises:
        RecordError: a field is missing or of the wrong type, or a modifier unknown: a rule must not be overlooked.

    >>> parsed({"name": "Echo", "modifiers": {"double": True}}).double
    True
    """
    given = need(data, "modifiers", dict)
    for key in given:
        if key not in MODIFIERS:
            raise RecordError(f"modifiers: unknown {shown(key)}: known are {', '.join(MODIFIERS)}")
    on = {key: typed(given.get(key, False), f"modifiers: {key}", bool) for key in SWITCHES}
    return Spell(need(data, "name", str), seer_sets=typed(given.get("seer_sets", 0), "modifiers: seer_sets", int), **on)


def spell_json(spell: Spell) -> dict[str, Any]:
    """Name and modifiers of a spell, those that are off left out."""
    return {"name": spell.name, "modifiers": {key: getattr(spell, key) for key in MODIFIERS if getattr(spell, key)}}


def why_no_spell(state: State, spell: Spell) -> Refusal | None:
    """Why a spell can't be in force."""
    if 0 <= spell.seer_sets <= DICE:
        return None
    return Refusal("bad_spell", f"the seer sets 0 to {DICE} dice, not {shown(spell.seer_sets)}")


def why_no_roll(state: State, faces: tuple[str, ...]) -> Refusal | None:
    """Why a spell forbids a roll."""
    lay, lie = state.faces.count("jester"), faces.count("jester")
    if not state.force.jesters_locked or lie >= lay:
        return None
    return Refusal("jester_rerolled", f"jesters may not be rolled again: {lay} lay there, now {lie}", lay=lay, lie=lie)


def why_no_erasing(state: State, erase: Erase) -> Refusal | None:
    """Why a player, whose turn it is, can't erase a difference."""
    if erase.player in state.erased:
        return Refusal("already_erased", f"player {erase.player} has erased in this round", player=erase.player)
    if (erase.colour, erase.number) not in state.sheets[erase.player].minus:
        return Refusal("no_minus", f"no difference in {shown(erase.colour)} {shown(erase.number)} to erase")
    return None


def erased(state: State, erase: Erase) -> State:
    """The state after a legal erasing; the cell stays used."""
    sheet = state.sheets[erase.player]
    sheet = replace(sheet, cells={**sheet.cells, (erase.colour, erase.number): 0})
    sheets = tuple(sheet if i == erase.player else other for i, other in enumerate(state.sheets))
    return replace(state, sheets=sheets, erased=state.erased | {erase.player})
