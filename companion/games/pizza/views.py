"""The screens of the pizza game: one big thing at a time, and the board with what it is about blinking."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from companion.arbiter.forms import STATE_NAMES
from companion.games.pizza.drawing import board_picture
from companion.games.pizza.judge import EMPTY, Chosen, Difference, Problem, wanted
from companion.games.pizza.state import Ruling, Slice, State
from companion.layout import COLOURS
from companion.screens.view import T, Text, View, verbatim

COUNTS = T("R{red} G{green} W{white}")  # the initials of the colours

ADD = {"red": T("add red"), "green": T("add green"), "white": T("add white")}
TAKES = {"red": T("red takes it"), "green": T("green takes it"), "white": T("white takes it")}
PUT = {"red": T("put red"), "green": T("put green"), "white": T("put white")}
TAKE_OFF = {"red": T("take red off"), "green": T("take green off"), "white": T("take white off")}
SAFE = {"red": T("red is safe"), "green": T("green is safe"), "white": T("white is safe")}


def name_of(state: State, seat: str) -> Text:
    """Who sits at a seat; the neutral colour is called so."""
    player = state.setup.player(seat)
    return verbatim(player.name) if player.name else T("neutral")


def counts(state: State) -> Text:
    """How many toppings of each colour are on the board: this is the score."""
    on_board = {c: mask.bit_count() for c, mask in zip(COLOURS, state.pieces, strict=True)}
    return Text(COUNTS.id, tuple(sorted(on_board.items())))


def table(state: State, spaces: Mapping[str, str | None] | None, blink: Collection[str] = ()) -> Any:
    """The board as the camera sees it, or as it should be where nothing was seen."""
    sticks = []
    if state.neutral_line is not None and state.setup.neutral is not None and state.ruling is None:
        sticks = [(state.facing[state.setup.neutral.seat], state.neutral_line)]
    should = wanted(state)
    seen = {} if spaces is None else {s: v for s, v in spaces.items() if v is not None}
    return board_picture(state, {**should, **seen}, blink, sticks)


# ---- adding toppings ----


def place(state: State, seat: str, note: Text | None) -> View:
    """Whose turn it is to add; at the start of a round also the order."""
    add = ADD[state.setup.player(seat).colour]
    if note is None and state.acted == 0:
        one, *others = (name_of(state, s) for s in state.order)
        note = T("{one}, {two}", one=one, two=others[0])
        if len(others) > 1:
            note = T("{one}, {two}, {three}", one=one, two=others[0], three=others[1])
    return View(
        "pizza.place",
        title=note or T("Round {round}  {counts}", round=state.round, counts=counts(state)),
        big=name_of(state, seat),
        lines=(add, counts(state)) if note is not None else (add,),
        picture=table(state, None),
    )


def score(state: State) -> View:
    """Who has how many toppings on the board; all of them win."""
    total = state.setup.board.layout.toppings_per_colour
    seats = sorted(state.setup.colour)
    return View(
        "pizza.score",
        title=T("On the board, of {total}", total=total),
        lines=tuple(
            T("{name}: {number}", name=name_of(state, seat), number=state.pieces[state.setup.colour[seat]].bit_count())
            for seat in seats
        ),
    )


def passes(state: State, seat: str) -> Text:
    """A note that somebody could not add."""
    return T("{name} passes", name=name_of(state, seat))


def cannot_add(state: State, seat: str) -> View:
    """A player has no legal space and passes."""
    return View(
        "pizza.pass",
        title=name_of(state, seat),
        big=T("passes"),
        lines=(T("no free space"),),
        picture=table(state, None),
    )


# What is wrong, and what to do about it.
PROBLEMS: dict[str, tuple[Text, Text]] = {
    "adjacent_own_topping": (T("Next to own colour"), T("move it")),
    "space_occupied": (T("Space is taken"), T("move it")),
    "wrong_colour": (T("Wrong colour"), T("take off")),
    "two_at_once": (T("Only one topping"), T("take off")),
    "moved_topping": (T("A topping was moved"), T("put back")),
    "missing_topping": (T("A topping is missing"), T("put back")),
    "swapped_topping": (T("A topping is swapped"), T("put back")),
    "not_touching_cutter": (T("Not at the stick"), T("move it")),
    "board_turned": (T("Board was turned"), T("turn back")),
    "turned_wrong_way": (T("Turned the wrong way"), T("other way")),
    "cutters_left": (T("Sticks still there"), T("take off")),
    "not_replaced": (T("Not yet right"), T("mend it")),
    "wrong_stick": (T("Stick on wrong side"), T("move it")),
    "wrong_line": (T("Stick on wrong line"), T("move it")),
}
REFUSALS: dict[str, Text] = {
    "adjacent_own_topping": T("Next to own colour"),
    "space_occupied": T("Space is taken"),
    "not_touching_cutter": T("Not at the stick"),
    "not_your_turn": T("Not your turn"),
    "unknown_space": T("No such space"),
    "wrong_phase": T("Not now"),
    "must_place": T("There is a free space"),
    "line_out_of_range": T("No such line"),
    "wrong_cutters": T("One stick each"),
    "game_over": T("The game is over"),
}


def problem(state: State, found: Problem, spaces: Mapping[str, str | None] | None) -> View:
    """Why what lies on the table is not taken over, and where."""
    wrong, mend = PROBLEMS[found.code]
    return View(
        "pizza.problem",
        title=wrong,
        big=mend,
        lines=(verbatim(" ".join(found.spaces[:4])),) if found.spaces else (),
        picture=table(state, spaces, found.spaces),
        tone="wrong",
        facts={"problem": found.code, "spaces": found.spaces, "beside": found.beside},
    )


def refusal(found: Problem) -> View:
    """Why the rules refuse what was entered with the buttons."""
    return View(
        "pizza.refused",
        title=T("Not possible"),
        big=REFUSALS[found.code],
        tone="wrong",
        facts={"problem": found.code},
    )


def setting_up(
    state: State, diff: Difference, spaces: Mapping[str, str | None] | None, *, start: bool, turn: bool
) -> View:
    """What is missing or wrong before the game can go on.

    Args:
        state: how the table should lie.
        diff: where it doesn't.
        spaces: the reading; None before the first one.
        start: whether the game begins (else it goes on after a pause or an undo).
        turn: whether the board must be turned.
    """
    title = T("Set up") if start else T("Put it as it was")
    facts: dict[str, Any] = {"problem": None}
    if start:
        facts["phase"] = "setup"
    if spaces is None:
        return View("pizza.look", title=title, big=T("Hands off"), lines=(T("I look at the table"),), facts=facts)
    big, lines, blink = T("Ready"), (), ()  # type: tuple[Text, tuple[Text, ...], tuple[str, ...]]
    if diff:
        should = wanted(state)
        changes = {space: _change(should[space], spaces.get(space)) for space in diff.spaces}
        big = changes[diff.spaces[0]]
        same = [space for space, change in changes.items() if change == big]  # the others come after these
        lines, blink = (verbatim(" ".join(same[:4])),), diff.spaces
        code = "missing_topping" if diff.missing else "extra_topping" if diff.extra else "swapped_topping"
        facts |= {"problem": code, "spaces": diff.spaces}
    elif turn:
        big, lines = T("turn it"), (T("1st: {name}", name=name_of(state, state.setup.first)),)
        facts["problem"] = "board_turned"
        if not start:
            lines = (T("side {number} front", number=state.facing["A"]),)
    return View(
        "pizza.setup" if start else "pizza.restore",
        title=title,
        big=big,
        lines=lines,
        picture=table(state, spaces, blink),
        facts=facts,
    )


def _change(should: str, lies: str | None) -> Text:
    """What to do with one space so that it holds what it should."""
    if should == EMPTY:
        return TAKE_OFF.get(lies or "", T("clear it"))
    return PUT[should]


# ---- the neutral colour, and the cut ----


def neutral_roll(state: State) -> View:
    """Ask for the roll of the neutral die."""
    return View(
        "pizza.neutral_roll",
        title=T("Neutral {colour}", colour=_neutral_colour(state)),
        big=T("Roll"),
        lines=(T("{name}: neutral die", name=name_of(state, state.order[0])),),
    )


def neutral_place(state: State) -> View:
    """Show line and side of the neutral cutter, and the spaces that touch it."""
    assert state.neutral_line is not None and state.setup.neutral is not None
    legal = state.setup.board.names(state.legal)
    side = state.facing[state.setup.neutral.seat]
    return View(
        "pizza.neutral_place",
        title=T("Neutral {colour}", colour=_neutral_colour(state)),
        big=T("line {number}", number=state.neutral_line),
        lines=(T("side {number}", number=side), ADD[state.setup.neutral.colour]),
        picture=table(state, None, legal),
    )


def _neutral_colour(state: State) -> Text:
    return STATE_NAMES[state.setup.neutral.colour if state.setup.neutral else None]


def cut(state: State, numbers: Sequence[Chosen]) -> View:
    """Ask for the sticks; show the numbers known so far."""
    if not any(c.proposal for c in numbers):
        return View(
            "pizza.cut",
            title=T("Cut"),
            big=T("Choose"),
            lines=(T("show dice together"), T("then lay the sticks")),
        )
    lines = tuple(
        T("{name}: {number}", name=name_of(state, c.seat), number=c.proposal if c.proposal is not None else "?")
        for c in numbers
    )
    return View("pizza.cut", title=T("Cut"), big=T("Sticks"), lines=lines)


# ---- replacing and turning ----

OUTCOMES = {
    **TAKES,
    "two_way_tie": T("tie of two"),
    "three_way_tie": T("tie of three"),
    "empty": T("empty"),
}


def slice_counts(part: Slice) -> Text:
    """How many toppings of each colour were in a slice at the cut."""
    return Text(COUNTS.id, tuple(sorted(zip(COLOURS, part.counts, strict=True))))


def replace_slice(
    state: State, ruling: Ruling, index: int, left: Difference, spaces: Mapping[str, str | None] | None
) -> View:
    """Who takes a slice and what is still to be changed in it.

    Args:
        state: after the cut.
        ruling: of that cut.
        index: the slice.
        left: what still differs on the whole table.
        spaces: the reading, for the drawing.
    """
    part = ruling.slices[index]
    here = [s for s in left.spaces if s in part.spaces]
    step = ()  # type: tuple[Text, ...]
    if here:
        step = (T("{space}: {what}", space=here[0], what=STATE_NAMES[wanted(state)[here[0]]]),)
    return View(
        "pizza.replace",
        title=T("Slice {number} of {count}", number=index + 1, count=len(ruling.slices)),
        big=OUTCOMES[part.outcome],
        lines=step or (slice_counts(part),),
        picture=table(state, spaces, here or part.spaces),
        facts={"stage": "replace", "remaining": left.spaces},
    )


def stray(state: State, left: Difference, spaces: Mapping[str, str | None] | None) -> View:
    """Something differs in no slice that changed: a topping was pushed, or a space lies on a stick."""
    space = left.spaces[0]
    lies = (spaces or {}).get(space)
    return View(
        "pizza.replace",
        title=T("Put it right"),
        big=_change(wanted(state)[space], lies),
        lines=(verbatim(" ".join(left.spaces[:4])),),
        picture=table(state, spaces, left.spaces),
        facts={"stage": "replace", "remaining": left.spaces},
    )


def turn_board(state: State) -> View:
    """All is replaced: sticks off, and turn."""
    return View(
        "pizza.turn",
        title=T("All right  {counts}", counts=counts(state)),
        big=T("Turn"),
        lines=(T("take the sticks off"), T("a third clockwise")),
        facts={"stage": "turn"},
    )


def over(state: State) -> View:
    """Who has won."""
    names = [name_of(state, seat) for seat in state.winners]
    if state.result == "both_lose":
        title, big = T("All neutral on board"), T("Both lose")
    elif len(names) == 1:
        title, big = T("The winner is"), names[0]
    else:
        title, big = T("Shared win"), T("{one} and {two}", one=names[0], two=names[-1])
    return View(
        "pizza.over",
        title=title,
        big=big,
        lines=(counts(state),),
        tone="win",
        facts={"winners": state.winners},
    )
