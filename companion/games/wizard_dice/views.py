"""The screens of the dice game: whose turn it is, the dice, count against bid, and every sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.games.wizard_dice import chances
from companion.games.wizard_dice.state import BONUS, COLOURS, DICE, NUMBERS, ROLLS, Cell, Score, Sheet, State
from companion.screens.view import DicePicture, GridPicture, T, Text, View, verbatim

COLOUR_NAMES: dict[str, Text] = {"blue": T("blue"), "red": T("red"), "yellow": T("yellow"), "green": T("green")}
CROSS = verbatim("X")


def name_of(state: State, player: int) -> Text:
    """A player's name, or number where the record gives none."""
    return verbatim(state.setup.names[player].strip() or str(player + 1))


def cell(bid: Cell) -> Text:
    """A bid or a cell of the sheet: its colour and number."""
    return T("{colour} {number}", colour=COLOUR_NAMES[bid[0]], number=bid[1])


def bid_of(state: State, player: int) -> Cell:
    """The bid of a player who has made one."""
    bid = state.bids[player]
    assert bid is not None, "those who have not bid score nothing"
    return bid


def count(state: State, player: int) -> int:
    """How many dice on the table count for a player's bid."""
    return state.count(bid_of(state, player)[0])


def exact(state: State, player: int) -> bool:
    """Whether a player's bid is met by the dice on the table."""
    return count(state, player) == bid_of(state, player)[1]


def still_in(state: State) -> tuple[int, ...]:
    """Who has not scored in this round, the seer first."""
    return tuple(player for player in state.order if player not in state.scored)


def _two_a_line(texts: Sequence[Text]) -> tuple[Text, ...]:
    pairs = [texts[i : i + 2] for i in range(0, len(texts), 2)]
    return tuple(T("{one} {two}", one=p[0], two=p[1]) if len(p) > 1 else p[0] for p in pairs)


# ---- bids, and the colour of the wizards ----


def bid(state: State, player: int, reason: Text | None) -> View:
    """Whose turn it is to bid, and what is taken.

    Args:
        state: while bidding.
        player: whose turn it is.
        reason: why that player is the seer, at the start of a round.
    """
    taken = [cell(bid) for i in state.order if (bid := state.bids[i]) is not None]
    seer = player == state.seer
    title = T("Round {round}: the seer", round=state.round) if seer else T("Round {round}: bid", round=state.round)
    lines = _two_a_line(taken) or (() if reason is None else (reason,))
    if state.spell is not None:
        lines = (*lines[:1], spell_name(state)) if len(lines) < 2 else lines
    return View("dice.bid", title=title, big=name_of(state, player), lines=lines, facts={"bids": state.bids})


def spell_name(state: State) -> Text:
    """The spell in force."""
    return verbatim(state.force.name) if state.force.name else T("spell")


def passes(state: State, player: int) -> View:
    """A player has no free cell to bid."""
    return View("dice.pass", title=name_of(state, player), big=T("passes"), lines=(T("no free cell"),))


def wizard_colour(state: State) -> View:
    """The seer is asked which colour wizards count as."""
    return View(
        "dice.wizards",
        title=T("{name} is the seer", name=name_of(state, state.seer)),
        big=T("Wizards are?"),
        lines=_two_a_line([cell(bid) for i in state.order if (bid := state.bids[i]) is not None][:4]),
    )


# ---- rolling ----


def _wizards(state: State) -> Text:
    if state.wizard_colour is None:
        return spell_name(state)
    return T("wizards: {colour}", colour=COLOUR_NAMES[state.wizard_colour])


def roll(state: State) -> View:
    """Ask for the first roll of a round."""
    lines = [T("{name}: all seven", name=name_of(state, state.seer))]
    seers = state.bids[state.seer]
    if state.setup.chances and seers is not None and not state.force.seer_sets:
        chance = chances.before_roll(seers[1], wizards=seers[0] == state.wizard_colour)
        lines.append(T("{bid}: {percent} %", bid=cell(seers), percent=round(100 * chance)))
    return View("dice.roll", title=_wizards(state), big=T("Roll"), lines=tuple(lines), facts={"rolls": 0})


def standing_of(state: State, player: int) -> Text:
    """Count against bid, or the X."""
    name = name_of(state, player)
    if exact(state, player):
        return T("{name} X!", name=name)
    return T("{name} {count}/{number}", name=name, count=count(state, player), number=bid_of(state, player)[1])


def table(state: State, note: Text | None = None) -> View:
    """The dice after a roll, and count against bid of everybody still in."""
    players = still_in(state)
    title = T("{number}/{of} {wizards}", number=state.rolls, of=ROLLS, wizards=_wizards(state))
    shown = {player: count(state, player) for player in players}
    return View(
        "dice.table",
        title=note or title,
        picture=DicePicture(state.faces),
        lines=_two_a_line([standing_of(state, player) for player in players]),
        facts={"counts": shown, "exact": tuple(p for p in players if exact(state, p)), "rolls": state.rolls},
    )


def in_hand(state: State, seen: int) -> View:
    """Some dice are lifted: the seer is about to roll them."""
    rest = DICE - seen
    return View(
        "dice.lifted",
        title=T("{number}/{of} {wizards}", number=state.rolls + 1, of=ROLLS, wizards=_wizards(state)),
        big=T("Roll {number}", number=rest),
        lines=(T("{number} dice stay", number=seen),),
        facts={"rolls": state.rolls, "lifted": rest},
    )


def chance(state: State) -> View | None:
    """The seer's best play and its chance, where there is one."""
    plan = chances.best(state)
    seers = state.bids[state.seer]
    if plan is None or seers is None:
        return None
    percent = T("{percent} %", percent=round(100 * plan.chance))
    return View(
        "dice.chance",
        title=T("{name}: {bid}", name=name_of(state, state.seer), bid=cell(seers)),
        big=percent,
        lines=(T("roll what blinks") if plan.reroll else T("stop"),),
        picture=DicePicture(state.faces, frozenset(plan.reroll)),
        facts={"chance": float(plan.chance), "reroll": plan.reroll},
    )


def problem(code: str, number: int) -> View:
    """Why what lies on the table is not taken for a roll.

    Args:
        code: "too_few_dice", "too_many_dice", "turned_die" or "jester_rerolled".
        number: how many dice are seen, or how many jesters must stay.
    """
    title, big, *lines = {
        "too_few_dice": (T("{number} dice, not 7", number=number), T("Cup? Floor?"), T("is one under the cup?")),
        "too_many_dice": (T("{number} dice, not 7", number=number), T("One too many"), T("take it away")),
        "turned_die": (T("No roll"), T("Die turned"), T("turn it back")),
        "jester_rerolled": (T("Spell: jesters stay"), T("Turn it back"), T("jesters: {number}", number=number)),
    }[code]
    facts = {"problem": code, "number": number}
    return View("dice.problem", title=title, big=big, lines=(*lines, T("or press ok")), tone="wrong", facts=facts)


REFUSALS: dict[str, Text] = {
    "not_your_turn": T("Not your turn"),
    "bad_colour": T("No such colour"),
    "number_out_of_range": T("1 to 5"),
    "duplicate_bid": T("Bid is taken"),
    "cell_used": T("Cell is used"),
    "must_bid": T("A cell is free"),
    "wrong_dice_count": T("Seven dice"),
    "bad_face": T("No such face"),
    "already_scored": T("Has scored"),
    "exact_bid": T("That is an X"),
    "no_jester_entry": T("No jester cell"),
    "jester_cell_used": T("Cell is used"),
    "not_exact": T("Only with an X"),
    "wrong_phase": T("Not now"),
    "game_over": T("The game is over"),
    "bad_spell": T("Seven dice"),
    "already_erased": T("One each"),
    "no_minus": T("No minus there"),
    "jester_rerolled": T("Jesters stay"),
}


def refusal(code: str) -> View:
    """Why the rules refuse what was entered with the buttons."""
    return View("dice.refused", title=T("Not possible"), big=REFUSALS[code], tone="wrong", facts={"problem": code})


# ---- sheets, and the end ----


def sheet(state: State, player: int) -> View:
    """A player's sheet: free cells as their numbers, used ones as X, minus points or 0."""
    own: Sheet = state.sheets[player]
    rows = [tuple(_entry(own, (colour, number)) for number in NUMBERS) for colour in COLOURS]
    rows.append(tuple("X" if number in own.jesters else str(number) for number in NUMBERS))
    bid_now = state.bids[player]
    blink = frozenset() if bid_now is None else frozenset({(COLOURS.index(bid_now[0]), bid_now[1] - 1)})
    return View(
        "dice.sheet",
        title=name_of(state, player),
        big=verbatim(str(own.points(state.setup.target))),
        lines=(T("{number} X", number=own.crosses),),
        picture=GridPicture((*COLOURS, "jester"), tuple(rows), blink),
        facts={"player": player, "points": own.points(state.setup.target), "crosses": own.crosses},
    )


def _entry(own: Sheet, place: Cell) -> str:
    if place not in own.cells:
        return str(place[1])
    value = own.cells[place]
    if value is None:
        return "XX" if place in own.doubled else "X"
    return str(value)


def over(state: State) -> View:
    """Who has won."""
    names = [name_of(state, player) for player in state.winners]
    target = state.setup.target
    best = state.sheets[state.winners[0]]
    points = best.points(target)
    big = names[0] if len(names) == 1 else T("{one} and {two}", one=names[0], two=names[1])
    if len(names) > 2:
        big = T("{number} players", number=len(names))
    return View(
        "dice.over",
        title=T("The winner is") if len(names) == 1 else T("Shared win"),
        big=big,
        lines=(
            T("{points} points", points=points),
            *([_bonus(target)] if best.crosses >= target and len(names) == 1 else []),
        ),
        tone="win",
        facts={"winners": state.winners, "points": points},
    )


def results(state: State) -> View:
    """The points of all, the best first, and who has the bonus."""
    target = state.setup.target
    order = sorted(range(len(state.sheets)), key=lambda i: -state.sheets[i].points(target))
    lines = []
    for player in order:
        own = state.sheets[player]
        points = str(own.points(target)) + ("*" if own.crosses >= target else "")
        lines.append(T("{name}: {points}", name=name_of(state, player), points=points))
    starred = any(own.crosses >= target for own in state.sheets)
    return View(
        "dice.results",
        title=T("* {bonus}", bonus=_bonus(target)) if starred else T("Points"),
        lines=_two_a_line(lines) if len(lines) > 4 else tuple(lines),
    )


def _bonus(target: int) -> Text:
    return T("+{bonus} for {target} X", bonus=BONUS, target=target)


# ---- why? ----


def why_seer(before: State, seer: int) -> Text:
    """Why a player is the seer after a round: one line.

    Args:
        before: the round that was played.
        seer: who is the next one.
    """
    if seer == before.seer:
        return T("all on {colour}: stays", colour=COLOUR_NAMES[bid_of(before, seer)[0]])
    return T("highest: {bid}", bid=cell(bid_of(before, seer)))


def why_next(before: State, seer: int) -> View:
    """Why a player is the seer: the page."""
    own = COLOUR_NAMES[bid_of(before, before.seer)[0]]
    ties = [p for p, b in enumerate(before.bids) if p != seer and b is not None and b[1] == bid_of(before, seer)[1]]
    first = T("and bid first") if ties and seer != before.seer else T("not on {colour}", colour=own)
    return View(
        "dice.why_seer",
        title=T("Why is the seer"),
        big=name_of(before, seer),
        lines=(why_seer(before, seer), first if seer != before.seer else T("our own ruling")),
    )


def why_entry(before: State, score: Score) -> View:
    """Why an entry is what it is.

    Args:
        before: the state that was scored in.
        score: who and how.
    """
    colour, number = bid_of(before, score.player)
    plain = before.faces.count(colour)
    wizards = count(before, score.player) - plain
    if wizards > 1:
        have = T("{count} and {wizards} wizards", count=plain, wizards=wizards)
    else:
        have = T("{count} and 1 wizard", count=plain) if wizards else T("{count} of them", count=plain)
    entry: Text = entry_name(before, score)
    return View(
        "dice.why",
        title=T("{name}: {bid}", name=name_of(before, score.player), bid=cell((colour, number))),
        big=entry,
        lines=(have, spell_name(before)) if before.force.double else (have,),
        picture=DicePicture(before.faces),
        facts={"player": score.player},
    )


def entry_name(before: State, score: Score) -> Text:
    """What an entry writes: X, minus points, or X in a jester cell."""
    if score.entry == "jesters":
        return T("jester {number}", number=before.faces.count("jester"))
    difference = abs(count(before, score.player) - bid_of(before, score.player)[1])
    twice = 2 if before.force.double else 1
    return verbatim(f"-{difference * twice}") if difference else verbatim("X" * twice)


def nothing_yet() -> View:
    """There is nothing to explain yet."""
    return View("dice.why_nothing", title=T("Why?"), big=T("No entry yet"), lines=(T("ask after a round"),))


def facts(state: State) -> Mapping[str, Any]:
    """What every screen carries."""
    return {"phase": state.phase, "round": state.round, "seer": state.seer, "to_act": state.to_act}
