"""The dice game on the page for the phone."""

from __future__ import annotations

from collections.abc import Sequence

from companion.games.page import Drawing, Field, NewGame, Rolls, RuleSetting, Thing, Value, joined
from companion.games.wizard_dice import views
from companion.games.wizard_dice.state import (
    COLOURS,
    FACES,
    NUMBERS,
    Bid,
    Erase,
    Event,
    Pass,
    Roll,
    Score,
    Spell,
    State,
    WizardColour,
    in_order,
)
from companion.screens.view import DicePicture, T, Text, verbatim
from companion.vision.readings import BoardReading

FACE_NAMES: dict[str, Text] = {**views.COLOUR_NAMES, "wizard": T("wizard"), "jester": T("jester")}


class WizardDicePage:
    """See :class:`companion.games.page.GamePage`."""

    new: NewGame | None = NewGame(
        2,
        5,
        "first_seer",
        T("Who is the first seer?"),
        rules=(
            RuleSetting(T("Length"), tuple(({"target": n}, T("ends with {number} X", number=n)) for n in (9, 12))),
            RuleSetting(
                T("Leaving the round"),
                (({}, T("leave at any count")), ({"drop_out": "exact_only"}, T("leave with X only"))),
            ),
            RuleSetting(T("Spells"), (({}, T("off")), ({"spells": True}, T("on")))),
            RuleSetting(T("Chances on the display"), (({}, T("off")), ({"chances": True}, T("on")))),
        ),
    )

    def drawing(self, state: State, reading: BoardReading | None) -> Drawing | None:
        """The dice of the last roll."""
        return Drawing(DicePicture(state.faces)) if state.faces else None

    def turn(self, state: State) -> Text | None:
        """Who bids, rolls or scores now."""
        if state.phase == "over":
            return None
        player = state.to_act if state.phase == "bid" else state.seer
        if state.phase == "score":
            player = views.still_in(state)[0]
        return None if player is None else views.name_of(state, player)

    def told(self, before: State, event: Event, after: State) -> tuple[Text, ...]:
        """What happened, and the reason of an entry."""
        match event:
            case Bid(player, colour, number):
                name = views.name_of(before, player)
                return (T("{name} bids {bid}", name=name, bid=views.cell((colour, number))),)
            case Pass(player):
                return (T("{name} passes", name=views.name_of(before, player)), T("no free cell"))
            case WizardColour(colour):
                return (T("Wizards count as {colour}", colour=views.COLOUR_NAMES[colour]),)
            case Roll(faces):
                names = joined([FACE_NAMES[face] for face in faces])
                return (T("Roll {number}: {dice}", number=after.rolls, dice=names),)
            case Score():
                return self._scored(before, event, after)
            case Spell(name):
                return (T("Spell: {name}", name=name or "-"),)
            case Erase(player, colour, number):
                name = views.name_of(before, player)
                return (T("{name} erases the minus at {bid}", name=name, bid=views.cell((colour, number))),)

    @staticmethod
    def _scored(before: State, score: Score, after: State) -> tuple[Text, ...]:
        name = views.name_of(before, score.player)
        bid = views.bid_of(before, score.player)
        lines: list[Text] = [T("{name} writes {entry}", name=name, entry=views.entry_name(before, score))]
        have = views.count(before, score.player)
        if score.entry == "jesters":
            lines.append(T("jesters: {number}", number=before.faces.count("jester")))
        else:
            lines.append(T("bid {bid}, has {count}", bid=views.cell(bid), count=have))
        if after.phase == "over":
            winners = [views.name_of(after, player) for player in after.winners]
            lines.append(T("The winner is {names}", names=joined(winners)))
        return tuple(lines)

    def fields(self, before: State, event: Event) -> tuple[Field, ...]:
        """Colour and number of a bid, the dice of a roll, the kind of an entry."""
        colours = tuple((c, views.COLOUR_NAMES[c]) for c in COLOURS)
        numbers = tuple((n, verbatim(str(n))) for n in NUMBERS)
        match event:
            case Bid(_, colour, number):
                return (
                    Field(T("Colour"), ("colour",), colour, colours),
                    Field(T("Number"), ("number",), number, numbers),
                )
            case WizardColour(colour):
                return (Field(T("Colour"), ("colour",), colour, colours),)
            case Roll(faces):
                options = tuple((face, FACE_NAMES[face]) for face in FACES)
                return tuple(
                    Field(T("Die {number}", number=i + 1), ("faces", i), face, options) for i, face in enumerate(faces)
                )
            case Erase(_, colour, number):
                return (
                    Field(T("Colour"), ("colour",), colour, colours),
                    Field(T("Number"), ("number",), number, numbers),
                )
            case Score(_, entry):
                return (Field(T("Entry"), ("entry",), entry, (("bid", T("bid")), ("jesters", T("jester cell")))),)
        return ()

    def choices(self, kind: Thing) -> tuple[tuple[str | int, Text], ...]:
        """The faces of a die."""
        return tuple((face, FACE_NAMES[face]) for face in FACES) if kind == "die" else ()

    def entered(self, state: State, space: str, value: str) -> Event | None:
        """There are no spaces."""
        return None

    def mended(
        self, history: Sequence[tuple[State, Event]], kind: Thing, lying: Sequence[Value], was: Value, now: Value
    ) -> tuple[int, Event] | None:
        """The roll that was just taken over, with another face; None when other dice lie there now."""
        if kind != "die" or not history or not isinstance(history[-1][1], Roll):
            return None
        faces = list(history[-1][1].faces)
        if sorted(map(str, lying)) != sorted(faces):
            return None
        faces[faces.index(str(was))] = str(now)
        return len(history) - 1, Roll(in_order(faces))

    def rolls(self, before: State, event: Event) -> Sequence[Rolls]:
        """All seven dice at the first roll of a round: at later ones some are kept, which would spoil the count."""
        if not isinstance(event, Roll) or before.rolls:
            return ()
        return (Rolls(T("the seven dice"), tuple((face, FACE_NAMES[face]) for face in FACES), event.faces),)

    def secret(self, now: State, before: State, event: Event) -> bool:
        """Everybody sees everything."""
        return False


PAGE = WizardDicePage()
