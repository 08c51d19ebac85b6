"""The words of the page, for the catalogues: what its scripts say in English is looked up here."""

from __future__ import annotations

import functools

from companion.screens.language import translator
from companion.screens.view import T

WORDS = (
    T("A calibration is on"),
    T("A hand is over the table: I wait."),
    T("Back"),
    T("Card: {value} ({sure} %)"),
    T("Change"),
    T("Change the past"),
    T("Change: {what}"),
    T("Changed. Everything after it was judged anew."),
    T("Close"),
    T("Code"),
    T("Colour"),
    T("Die: {value} ({sure} %)"),
    T("Down"),
    T("Hello!"),
    T("I read: {what} ({sure} %)."),
    T("Is something read wrongly? Tap it."),
    T("Let me in"),
    T("Line"),
    T("Menu"),
    T("No game is on"),
    T("Note"),
    T("Note: {what}"),
    T("Nothing lies there"),
    T("OK"),
    T("Pages"),
    T("Score"),
    T("Skip to the content"),
    T("Something moves: I wait until it lies still."),
    T("Stick on line {number}: {colour}"),
    T("Table"),
    T("Take back"),
    T("That did not work: {why}"),
    T("That is not the code. Look at the display again."),
    T("The board as the game has it"),
    T("The camera sees"),
    T("The companion does not answer …"),
    T("The companion does not answer. Is it switched on?"),
    T("The display: {words}"),
    T("The four buttons"),
    T("The game is over"),
    T("The game says"),
    T("The table, live"),
    T("There is no picture. The game goes on with the buttons."),
    T("There is no stick"),
    T("Too many tries. Wait a minute, then try again."),
    T('Type the six digits that the small display shows. To see them, hold ok and choose "phone".'),
    T("Up"),
    T("What came after it stays, if the rules still allow it."),
    T("What does the die show?"),
    T("What happened"),
    T("What lies on {space}?"),
    T("What the camera reads"),
    T("Which card is this?"),
    T("Which stick is this?"),
    T("Write down"),
    T("Written down."),
    T("You said: {what}."),
    T("Your word counts until something changes there."),
    T("Your words"),
    T("blue"),
    T("empty"),
    T("green"),
    T("hold: menu"),
    T("hold: take back"),
    T("jester"),
    T("red"),
    T("unsure"),
    T("white"),
    T("wizard"),
    T("yellow"),
    T("{name}'s turn"),
    T("{space}: should be {should}, I see {seen}"),
    T("{space}: {what} ({sure} %)"),
    T("{space}: {what}, as you said"),
)


@functools.cache
def words_of(language: str) -> dict[str, str]:
    """English -> the same in a language.

    >>> words_of("de")["Table"]
    'Tisch'
    """
    words = translator(language)
    return {text.id: words.message(text) for text in WORDS}
