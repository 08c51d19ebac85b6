"""How the simulated players play: bid, name the wizards' colour, roll, leave, stop, score; slips included.

Each function is a script (see :mod:`companion.simulator.script`) that changes the table by hands and presses buttons.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from companion.games.wizard_dice import chances, views
from companion.games.wizard_dice.rules import RULES
from companion.games.wizard_dice.state import (
    COLOURS,
    FACES,
    Bid,
    Entry,
    Erase,
    Roll,
    Score,
    Spell,
    WizardColour,
)
from companion.screens.view import T, Text, verbatim
from companion.simulator.script import Script, Until, Wait

if TYPE_CHECKING:
    from companion.games.wizard_dice.table import SimulatedGame
    from companion.simulator.scene import Die

SPELLS = (
    Spell(double=True),
    Spell(late_bids=True),
    Spell(seer_sets=2),
    Spell(jesters_locked=True),
    Spell(erase_minus=True),
)
WEIGHTS = (4, 4, 3, 1, 1)  # of bids on 1 to 5


def play(game: SimulatedGame) -> Script:
    """A whole game, from dice that lie about to its end."""
    game.stage.set(dice=tuple(game.stage.places([*range(1, 7), 2])))
    scripts = {"bid": _bid, "wizard_colour": _name_colour, "roll": _roll, "score": _score}
    while game.state.phase != "over":
        yield Until(lambda v: v.facts.get("phase") == game.state.phase, f"phase {game.state.phase}")
        yield from scripts[game.state.phase](game)
    yield Until(lambda v: v.facts.get("winners") == game.state.winners, "the winners")
    yield Wait(2000)


# ---- bids ----


def _bid(game: SimulatedGame) -> Script:
    player = game.state.to_act
    assert player is not None
    yield from game.stage.think()
    yield Until(lambda v: v.code == "dice.bid" and v.facts.get("to_act") == player, f"player {player} to be asked")
    yield from game.tap("ok")
    if game.state.setup.spells and game.state.spell is None and game.state.acted == 0:
        if game.rng.random() < 0.4:
            yield from _turn_up(game, SPELLS[game.index(len(SPELLS))])
            return
        yield from game.choose("no spell", lambda text: text.id == "no spell")
    minus = game.state.sheets[player].minus
    if game.state.force.erase_minus and player not in game.state.erased and minus:
        yield from _erase(game, player, *game.pick(minus))
        return
    yield from game.slips("bid")
    free = game.state.free_bids(player)
    weights = [WEIGHTS[number - 1] for _, number in free]
    colour, number = free[int(game.rng.choice(len(free), p=[w / sum(weights) for w in weights]))]
    yield from pick_colour(game, colour)
    bid = Bid(player, colour, number)
    yield from game.choose(f"{number}", lambda text: text == verbatim(str(number)), lambda: game.happened(bid))
    yield from game.taken_in()


def pick_colour(game: SimulatedGame, colour: str) -> Script:
    """Choose the colour of a bid."""
    name = views.COLOUR_NAMES[colour]
    yield from game.choose(colour, lambda text: dict(text.values).get("colour") == name)


def _turn_up(game: SimulatedGame, spell: Spell) -> Script:
    yield from game.choose("a spell", lambda text: text.id == "a spell")
    said = {
        "double": "bids double",
        "late_bids": "roll, then bid",
        "seer_sets": "dice set by seer",
        "jesters_locked": "jesters stay",
        "erase_minus": "erase a minus",
    }
    for effect, line in said.items():
        for _ in range(int(getattr(spell, effect))):
            yield from game.choose(effect, partial(_ends_with, line))
    yield from game.choose("done", lambda text: text.id == "done", lambda: game.happened(spell))
    yield from game.taken_in()


def _ends_with(line: str, text: Text) -> bool:
    return text.id.endswith(line)


def _erase(game: SimulatedGame, player: int, colour: str, number: int) -> Script:
    yield from game.choose("erasing", lambda text: text.id == "erase a minus")
    name = views.cell((colour, number))
    erase = Erase(player, colour, number)
    yield from game.choose("the minus", lambda text: dict(text.values).get("bid") == name, lambda: game.happened(erase))
    yield from game.taken_in()


def _name_colour(game: SimulatedGame) -> Script:
    yield from game.stage.think()
    own = game.state.bids[game.state.seer]
    colour = own[0] if own is not None and game.rng.random() < 0.6 else game.pick(COLOURS)
    yield Until(lambda v: v.code == "dice.wizards", "the question for the wizards' colour")
    yield from game.tap("ok")
    named = WizardColour(colour)
    yield from game.choose(colour, lambda text: text == views.COLOUR_NAMES[colour], lambda: game.happened(named))
    yield from game.taken_in()


# ---- rolling ----


def _roll(game: SimulatedGame) -> Script:
    """Who has an X leaves, mostly; then the seer stops, sets dice by a spell, or rolls."""
    state = game.state
    if not state.rolls:
        yield from _throw(game, game.stage.scene.dice)
        return
    yield from game.slips("table")
    seer = state.seer
    for player in views.still_in(state):
        exact = views.exact(state, player)
        leaves = game.rng.random() < (0.9 if exact else 0.04) if player != seer else exact
        if leaves and RULES.why_not(game.state, Score(player, "bid")) is None:
            yield from _leave(game, player)
            return
    plan = chances.best(state)
    if plan is not None and not plan.reroll and seer not in state.scored:
        yield from _leave(game, seer)
        return
    if state.force.seer_sets and seer not in state.scored:
        yield from _set_dice(game)
        return
    again = [] if plan is None else [state.faces[i] for i in plan.reroll]
    yield from _throw(game, _lying(game, again or [f for f in state.faces if f != "jester"] or ["jester"]))


def _lying(game: SimulatedGame, faces: Sequence[str]) -> list[Die]:
    """Dice in the tray with these faces."""
    free = list(game.stage.scene.dice)
    found = []
    for face in faces:
        die = next((d for d in free if FACES[d.value - 1] == face), None)
        if die is not None:
            free.remove(die)
            found.append(die)
    return found


def _seat(game: SimulatedGame) -> str:
    return game.seats[game.state.seer]


def _throw(game: SimulatedGame, dice: Sequence[Die]) -> Script:
    """Pick some dice up and roll them, by cup or, a single one, by hand."""
    stage = game.stage
    yield from stage.think()
    if not game.state.rolls and game.take_slip("one_left_lying"):
        yield from _one_left_lying(game)
        dice = stage.scene.dice
    yield from stage.gather(_seat(game), dice)
    if game.rng.random() < 0.5:
        yield from stage.think()
    locked = game.state.force.jesters_locked
    values = [game.index(len(FACES)) + 1 for _ in dice]
    lie = stage.places(values, stage.scene.dice)

    def rolled() -> None:
        game.happened(Roll(game.faces))

    slip = None if locked else game.take_slip("die_under_cup", "die_on_floor", "eighth_die")
    if slip is None and len(lie) == 1 and game.rng.random() < 0.7:
        yield from stage.drop(_seat(game), lie[0])
        rolled()
    elif slip is None:
        yield from stage.throw(_seat(game), lie, rolled)
    elif slip == "die_under_cup":
        *seen, hidden = lie
        yield from stage.throw(_seat(game), seen, lambda: None, leave_cup=(hidden.x_mm, hidden.y_mm))
        yield from game.wrong(slip, "too_few_dice")
        yield from stage.think()
        yield from stage.lift_cup(_seat(game), [hidden])
        rolled()
    elif slip == "die_on_floor":
        yield from stage.throw(_seat(game), lie[1:], lambda: None)
        yield from game.wrong(slip, "too_few_dice")
        yield from stage.think()
        yield from stage.drop(_seat(game), lie[0])
        rolled()
    else:
        foreign = stage.place(game.index(len(FACES)) + 1, [*stage.scene.dice, *lie])
        yield from stage.throw(_seat(game), [*lie, foreign], lambda: None)
        yield from game.wrong(slip, "too_many_dice")
        yield from stage.think()
        yield from stage.take(_seat(game), foreign)
        rolled()
    yield from game.taken_in()


def _one_left_lying(game: SimulatedGame) -> Script:
    """The first roll must be of all seven; one stays, is noticed, and all are rolled again."""
    stage = game.stage
    again = list(stage.scene.dice)[1:]
    yield from stage.gather(_seat(game), again)
    yield from stage.throw(_seat(game), stage.places([d.value % 6 + 1 for d in again], stage.scene.dice), lambda: None)
    yield from game.wrong("one_left_lying", "unsure_roll")
    yield from game.tap("back")


def _set_dice(game: SimulatedGame) -> Script:
    """By a spell the seer turns dice to any face instead of rolling them."""
    state, stage = game.state, game.stage
    bid = state.bids[state.seer]
    assert bid is not None
    colour, number = bid
    others = [d for d in stage.scene.dice if FACES[d.value - 1] not in (colour, "wizard")]
    missing = number - state.count(colour)
    if missing > 0 and others:
        turned, face = others[: min(missing, state.force.seer_sets)], FACES.index(colour) + 1
    else:
        turned = [d for d in stage.scene.dice if FACES[d.value - 1] == colour][:1] or list(stage.scene.dice[:1])
        face = FACES.index("jester") + 1
    for die in turned:
        yield from stage.turn(_seat(game), die, face)
    game.happened(Roll(game.faces))
    yield from game.taken_in()


# ---- entries ----


def _leave(game: SimulatedGame, player: int) -> Script:
    """A player scores between the rolls; the seer's scoring ends them."""
    state = game.state
    name = views.name_of(state, player)
    lines = (
        (T("{name} stops: X!", name=name), T("{name} stops", name=name))
        if player == state.seer
        else (T("{name} leaves: X!", name=name), T("{name} leaves", name=name))
    )
    yield from game.stage.think()
    yield from game.tap("ok")
    yield from game.choose(f"{lines[0].id} {player}", lambda text: text in lines)
    yield from _enter(game, player)


def _score(game: SimulatedGame) -> Script:
    """The rolls are over: everybody still in scores, in the order that the display asks."""
    yield Until(lambda v: v.facts.get("ask") == "dice.score", "the question for an entry")
    player = game.shown.facts["player"]
    yield from game.stage.think()
    yield from _enter(game, player)


def _enter(game: SimulatedGame, player: int) -> Script:
    """Choose an entry, and see that the display offers exactly those that are legal."""
    yield Until(lambda v: v.facts.get("ask") == "dice.score" and v.facts["player"] == player, f"entries of {player}")
    entries: tuple[Entry, ...] = ("bid", "jesters")
    legal = [entry for entry in entries if RULES.why_not(game.state, Score(player, entry)) is None]
    if len(game.shown.choices) != len(legal):
        game.faults.append(f"{len(game.shown.choices)} entries are offered, {len(legal)} are legal: {legal}")
    entry = legal[-1] if game.rng.random() < 0.7 else legal[0]
    jesters = T("jester {number}", number=game.state.faces.count("jester"))
    score = Score(player, entry)
    yield from game.choose(
        f"the entry {entry}",
        lambda text: (dict(text.values).get("entry") == jesters) == (entry == "jesters"),
        lambda: game.happened(score),
    )
    yield from game.taken_in()
