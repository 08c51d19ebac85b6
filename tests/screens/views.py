"""Views of every kind the renderer knows, whatever the games make of them."""

from __future__ import annotations

from companion.layout import load_layout
from companion.screens.view import BoardMark, BoardPicture, CameraPicture, DicePicture, PlotPicture, T, View, verbatim

STATES = ("empty", "red", "green", "white", None)


def board37() -> BoardPicture:
    """The built-in board with all kinds of spaces, one blinking, two sticks."""
    layout = load_layout("hex37")
    radius = layout.board_diameter_mm / 2
    marks = tuple(
        BoardMark(space.x_mm / radius, -space.y_mm / radius, STATES[i % 5], space.id == "c3")
        for i, space in enumerate(layout.spaces.values())
    )
    sticks = tuple(
        (line.near_mm[0] / radius, -line.near_mm[1] / radius, line.far_mm[0] / radius, -line.far_mm[1] / radius)
        for line in (layout.line(1, 2), layout.line(2, 4))
    )
    return BoardPicture(marks, sticks, layout.topping_diameter_mm / 2 / radius)


def board61() -> BoardPicture:
    """A hexagon of side 5."""
    span = range(-4, 5)
    places = [((q + r / 2) / 5, r * 0.866 / 5) for q in span for r in span if abs(q + r) <= 4]
    return BoardPicture(tuple(BoardMark(x, y, STATES[i % 5], i == 20) for i, (x, y) in enumerate(places)), radius=0.08)


def camera80() -> CameraPicture:
    """A grey slope with a dark disk in it, and an outline around the disk."""
    grey = bytes(
        40 if (x - 40) ** 2 + (y - 30) ** 2 < 400 else min(255, 90 + 2 * x) for y in range(60) for x in range(80)
    )
    square = ((0.25, 0.15), (0.75, 0.15), (0.75, 0.85), (0.25, 0.85))
    return CameraPicture(80, 60, grey, (square,))


SYMBOLS = ("blue", "red", "yellow", "green", "wizard", "jester", None)
LONG = "Bartholomew Featherstonehaugh"

VIEWS: dict[str, View] = {
    "big": View("x", title=verbatim("Round 2"), big=verbatim("Ana, put a topping")),
    "big-alone": View("x", big=verbatim("12")),
    "lines": View("x", title=verbatim("Scores"), lines=tuple(map(verbatim, ("Ana 20", "Ben 40", "Cléo -10")))),
    "numbers": View(
        "x",
        title=verbatim("Cut here?"),
        big=verbatim("3 6 2"),
        lines=tuple(T("{name}: {number}", name=name, number=3) for name in (LONG, "Ben", "Cleo")),
        keys=(("ok", verbatim("yes")), ("up", verbatim("change"))),
    ),
    "board": View(
        "x",
        title=verbatim("Ana: topping"),
        big=verbatim("c3"),
        lines=(verbatim("right?"),),
        picture=board37(),
        keys=(("ok", verbatim("yes")), ("back", verbatim("no"))),
    ),
    "board-long-lines": View(
        "x",
        title=verbatim("Board"),
        big=T("{name}", name="Maximilian"),
        lines=(verbatim("add red"),),
        picture=board37(),
    ),
    "board-alone": View("x", picture=board37()),
    "board61": View("x", title=verbatim("Board"), big=verbatim("e5"), picture=board61()),
    "wrong": View("x", title=verbatim("Next to own colour"), big=verbatim("move it"), tone="wrong", picture=board37()),
    "win": View("x", title=verbatim("The winner is"), big=T("{name}", name="Zoë"), lines=(verbatim("16"),), tone="win"),
    "win-long-name": View("x", big=T("{name} wins", name=LONG), tone="win"),
    "choices": View(
        "x",
        title=verbatim("Which game?"),
        choices=tuple(map(verbatim, ("Pizza", "Wizard dice", "Wizard cards", "Settings"))),
        chosen=2,
        keys=(("up", verbatim("choose")), ("down", verbatim("choose")), ("ok", verbatim("OK"))),
    ),
    "choices-few": View("x", title=verbatim("Trump?"), choices=(verbatim("red"), verbatim("green")), chosen=1),
    "choices-with-question": View(
        "x",
        title=verbatim("Ana bids"),
        big=verbatim("How many?"),
        choices=tuple(verbatim(str(n)) for n in range(8)),
        chosen=4,
        keys=(("up", verbatim("more")), ("down", verbatim("less")), ("ok", verbatim("OK"))),
    ),
    "pips": View("x", title=verbatim("Roll"), picture=DicePicture((1, 2, 3, 4, 5, 6, None), frozenset({2}))),
    "pip-and-text": View("x", title=verbatim("Roll"), picture=DicePicture((5,)), big=verbatim("line 5")),
    "symbols": View(
        "x",
        title=verbatim("Ana's roll"),
        picture=DicePicture(SYMBOLS, frozenset({1})),
        lines=(verbatim("blue 4: 2 hit"),),
        keys=(("ok", verbatim("right")), ("back", verbatim("again"))),
    ),
    "camera": View(
        "x",
        title=verbatim("Show the empty board"),
        lines=(verbatim("sharp: 42"), verbatim("too dark")),
        picture=camera80(),
        keys=(("ok", verbatim("take")),),
    ),
    "camera-alone": View("x", picture=camera80()),
    "plot": View(
        "x", title=verbatim("Ana: 130"), picture=PlotPicture(((0, 20, 10, 60, 130), (0, -10, 20, 0, -30), (0,) * 5), 0)
    ),
    "plot-begun": View("x", title=verbatim("Ana: 0"), picture=PlotPicture(((0,), (0,)), 1)),
    "nothing": View("x"),
}
