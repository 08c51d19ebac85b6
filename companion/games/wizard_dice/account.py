"""A readable account of a game: one English line an event, with the reason of each ruling."""

from __future__ import annotations

from companion.games.record import printable
from companion.games.wizard_dice.state import Bid, Erase, Event, Pass, Roll, Score, Spell, State, WizardColour


def account(before: State, event: Event, after: State) -> str:
    """What a legal event did and why."""
    start = f"Round {before.round}: "
    match event:
        case Bid(player, colour, number):
            return f"{start}{who(before, player)} bids {colour} {number}."
        case Pass(player):
            return f"{start}{who(before, player)} passes: no cell is free."
        case WizardColour(colour):
            return f"{start}{who(before, before.seer)} is the seer: wizards count as {colour}."
        case Roll(faces):
            return f"{start}roll {after.rolls}: {', '.join(faces)}."
        case Score(player, entry):
            return f"{start}{_score(before, player, entry)}{_round_end(before, after)}"
        case Spell():
            return f"{start}spell {printable(event.name) or 'without a name'}: {_modifiers(event)}."
        case Erase(player, colour, number):
            gone = before.sheets[player].cells[colour, number]
            return f"{start}{who(before, player)} erases {gone} in {colour} {number}, by the spell."


def who(state: State, player: int) -> str:
    """A player's name and number, on one line whatever the name holds."""
    name = printable(state.setup.names[player])
    return f"{name} ({player})" if name else f"player {player}"


def _score(before: State, player: int, entry: str) -> str:
    bid = before.bids[player]
    assert bid is not None, "only those who have bid score"
    colour, number = bid
    count = before.count(colour)
    wizards = ", wizards counted" if before.wizard_colour == colour and "wizard" in before.faces else ""
    text = f"{who(before, player)} bid {colour} {number}, has {count}{wizards}: "
    if entry == "jesters":
        jesters = before.faces.count("jester")
        return f"{text}X in jester cell {jesters}, 0 in {colour} {number}."
    if before.force.double:
        found = f"two X, worth {2 * number}" if count == number else f"{2 * abs(count - number)} minus points"
        return f"{text}{found}, doubled by the spell."
    return text + (f"X, worth {number}." if count == number else f"{abs(count - number)} minus points.")


def _modifiers(spell: Spell) -> str:
    said = {
        "double": "bids count double",
        "late_bids": "bids come after the first roll",
        "seer_sets": f"the seer sets {spell.seer_sets} dice",
        "jesters_locked": "jesters are not rolled again",
        "erase_minus": "each may erase a difference",
    }
    return ", ".join(text for key, text in said.items() if getattr(spell, key)) or "the rules stay as they are"


def _round_end(before: State, after: State) -> str:
    if after.phase == "over":
        target = after.setup.target
        points = ", ".join(f"{who(after, i)} {sheet.points(target)}" for i, sheet in enumerate(after.sheets))
        why = f"{target} X" if any(sheet.crosses >= target for sheet in after.sheets) else "a full sheet"
        names = " and ".join(who(after, player) for player in after.winners)
        verb = "wins" if len(after.winners) == 1 else "win together (our ruling)"
        return f" The game ends with {why}: {points}; {names} {verb}."
    if after.round == before.round:
        return ""
    stays = "stays" if after.seer == before.seer else "is next"
    return f" The round is over; seer {stays}: {who(after, after.seer)}."
