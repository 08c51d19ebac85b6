"""The arbiter's own screens: what to play, going on after a power cut, the menu, and what can't be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.arbiter.flow import Command
from companion.arbiter.forms import Choice, Form
from companion.guides import GUIDES
from companion.screens.view import T, Text, View, verbatim

LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français"}


def which_game(setups: Mapping[str, tuple[Text, Form]]) -> Form:
    """The first question: which game (or at once its own first question, when there is only one)."""
    if len(setups) == 1:
        return next(iter(setups.values()))[1]
    return Choice("which_game", T("What do we play?"), tuple(setups.values()))


def go_on(names: Sequence[str], events: int, *, damaged: bool) -> Form:
    """The question after a start with a saved game.

    Args:
        names: the players of the saved game.
        events: how many events it holds.
        damaged: whether a damaged end was set aside.
    """
    title = T("Last line was damaged") if damaged else T("Go on with the game?")
    return Choice(
        "go_on",
        title,
        (
            (T("go on: {names}", names=", ".join(names)), Command("resume")),
            (T("new game"), Command("new_game")),
        ),
        facts={"saved_events": events, "damaged": damaged},
    )


def main_menu(
    *,
    correct: Form | None,
    playing: bool,
    past: Form | None = None,
    camera: bool = True,
    phone: Form | None = None,
    sound: bool | None = None,
) -> Form:
    """What holding ok opens."""
    languages = Choice(
        "language",
        T("Language"),
        tuple((verbatim(name), Command("language", code)) for code, name in LANGUAGES.items()),
    )
    options: list[tuple[Text, Form | Command]] = []
    if playing:
        options.append((T("why?"), Command("why")))
        if correct is not None:
            options.append((T("correct the camera"), correct))
        options.append((T("take back"), Command("undo")))
        if past is not None:
            options.append((T("change the past"), past))
        options.append((T("points"), Command("standing")))
    if camera and GUIDES:
        guides = tuple((text, Command("calibrate", name)) for name, (text, _) in GUIDES.items())
        options.append((T("camera"), Choice("camera", T("Camera: learn the"), guides)))
    if phone is not None:
        options.append((T("phone"), phone))
    if sound is not None:
        options.append((T("sound off"), Command("sound", "off")) if sound else (T("sound on"), Command("sound", "on")))
    options.append((T("language"), languages))
    options.append((T("new game"), sure_new_game() if playing else Command("new_game")))
    return Choice("menu", T("Menu"), tuple(options))


def sure_new_game() -> Form:
    """Ask before leaving a game; "no" is the marked answer."""
    return Choice(
        "sure_new_game",
        T("Leave this game?"),
        ((T("no"), Command("look_again")), (T("yes, new game"), Command("new_game"))),
    )


def not_saved() -> View:
    """The journal could not be written."""
    return View("not_saved", title=T("Not saved!"), big=T("Card full?"), lines=(T("Check the SD card"),), tone="wrong")


def trouble(short: Text) -> View:
    """A device or the eyes don't work; the game goes on by buttons."""
    return View("trouble", title=short, big=T("by buttons"), lines=(T("the game goes on"),), tone="wrong")


HANDS = T("Hands off the table")
UNREADABLE = T("Can't see the table")


def starting() -> View:
    """Before anything is known."""
    return View("starting", big=T("Hello!"), lines=(T("Looking at the table"),))


def samples() -> Sequence[View]:
    """One view of every screen here, for the contact sheet and the tests of texts."""
    forms: list[Form] = [
        go_on(["Ana", "Ben", "Cleo"], 12, damaged=False),
        go_on(["Ana", "Ben", "Cleo"], 12, damaged=True),
        main_menu(correct=None, playing=True),
        main_menu(correct=None, playing=False),
        sure_new_game(),
        which_game({"pizza": (T("Pizza"), sure_new_game()), "other": (T("Pizza"), sure_new_game())}),
    ]
    return [*(form.view() for form in forms), not_saved(), trouble(UNREADABLE), starting()]
