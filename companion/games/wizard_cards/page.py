"""The card game on the page for the phone. Bids that are not shown yet are told nobody."""

from __future__ import annotations

from collections.abc import Sequence

from companion.games.page import (
    Drawing,
    Field,
    LaidCard,
    NewGame,
    Rolls,
    RuleSetting,
    Thing,
    TrickPicture,
    Value,
    joined,
)
from companion.games.wizard_cards import views
from companion.games.wizard_cards.cards import NUMBER_CARDS, SPECIALS, VALUES, Played
from companion.games.wizard_cards.reasons import trick_end
from companion.games.wizard_cards.setup import BIDS
from companion.games.wizard_cards.state import Bid, ChangeBid, Event, Play, State, Trick, Tricks, Trump, TrumpColour
from companion.screens.view import T, Text, verbatim
from companion.vision.readings import BoardReading


class WizardCardsPage:
    """See :class:`companion.games.page.GamePage`."""

    new: NewGame | None = NewGame(
        3,
        6,
        "dealer",
        T("Who deals first?"),
        rules=(
            RuleSetting(T("Bids"), tuple((settings, name) for name, settings in BIDS)),
            RuleSetting(T("Special cards"), tuple((card, views.card_name(card)) for card in SPECIALS), "specials"),
        ),
    )

    def drawing(self, state: State, reading: BoardReading | None) -> Drawing | None:
        """The trick on the table; None before its first card."""
        if not state.trick:
            return None
        return Drawing(TrickPicture(tuple(_laid(state, played) for played in state.trick)))

    def turn(self, state: State) -> Text | None:
        """Who bids or plays now."""
        return None if state.to_act is None else views.name_of(state, state.to_act)

    def told(self, before: State, event: Event, after: State) -> tuple[Text, ...]:
        """What happened; at the end of a trick who takes it and why, at the end of a round the scores."""
        return (*_told(before, event, after), *_scores(before, after))

    def fields(self, before: State, event: Event) -> tuple[Field, ...]:
        """The card, the colour, the number, who took it. Of bids that are not shown yet, see :meth:`secret`."""
        cards = self.choices("card")
        numbers = tuple((n, verbatim(str(n))) for n in range(before.round + 1))
        colours = tuple(views.COLOUR_NAMES.items())
        match event:
            case Trump(card):
                return (Field(T("Card"), ("card",), card, cards),) if card is not None else ()
            case TrumpColour(colour):
                return (Field(T("Colour"), ("colour",), colour, colours),)
            case Bid(_, tricks) | ChangeBid(_, tricks):
                return (Field(T("Number"), ("tricks",), tricks, numbers),)
            case Play(_, card, named):
                field = Field(T("Card"), ("card",), card, cards)
                return (field,) if named is None else (field, Field(T("Colour"), ("colour",), named, colours))
            case Trick(winner):
                players = tuple((i, views.name_of(before, i)) for i in range(len(before.taken)))
                return (Field(T("Who?"), ("winner",), winner, players),)
            case Tricks(taken):
                return tuple(
                    Field(views.name_of(before, i), ("taken", i), number, numbers) for i, number in enumerate(taken)
                )
        return ()

    def choices(self, kind: Thing) -> tuple[tuple[str | int, Text], ...]:
        """All cards there are."""
        if kind != "card":
            return ()
        return tuple((card, views.card_name(card)) for card in (*NUMBER_CARDS, *views.CARD_NAMES))

    def entered(self, state: State, space: str, value: str) -> Event | None:
        """There are no spaces."""
        return None

    def mended(
        self, history: Sequence[tuple[State, Event]], kind: Thing, lying: Sequence[Value], was: Value, now: Value
    ) -> tuple[int, Event] | None:
        """The card of this trick, or the turned one of this round; None where two such cards lie or were played."""
        found: list[tuple[int, Event]] = []
        card, older = str(now), False
        for index in reversed(range(len(history)) if kind == "card" and lying.count(was) == 1 else ()):
            before, event = history[index]
            if before.round != history[-1][0].round:
                break
            if isinstance(event, Play) and not older:
                if event.card == was:
                    found.append((index, Play(event.player, card, event.colour if card in VALUES else None)))
                older = not before.trick
            elif isinstance(event, Trump) and event.card == was:
                found.append((index, Trump(card)))
        return found[0] if len(found) == 1 else None

    def rolls(self, before: State, event: Event) -> Sequence[Rolls]:
        """There are no dice."""
        return ()

    def secret(self, now: State, before: State, event: Event) -> bool:
        """Whether it is a bid of this round that not everybody may know yet."""
        return isinstance(event, Bid | ChangeBid) and not now.bids_are_shown and before.round == now.round


PAGE = WizardCardsPage()


def _laid(state: State, played: Played) -> LaidCard:
    number = verbatim(played.card[1:]) if played.card in NUMBER_CARDS else views.card_name(played.card)
    colour = played.colour
    name = None if colour is None else views.COLOUR_NAMES[colour]
    return LaidCard(views.name_of(state, played.player), number, colour, name, played.player == state.leader)


def _told(before: State, event: Event, after: State) -> tuple[Text, ...]:
    match event:
        case Trump(card):
            name = views.name_of(before, before.dealer)
            turned = T("no card is left to turn up") if card is None else views.card_name(card)
            trump = T("the dealer chooses trump") if after.phase == "trump_colour" else views.trump_name(after)
            return (T("{name} deals {number} each", name=name, number=before.round), turned, trump)
        case TrumpColour(colour):
            name = views.name_of(before, before.dealer)
            return (T("{name} chooses {colour} as trump", name=name, colour=views.COLOUR_NAMES[colour]),)
        case Bid(player, tricks):
            name = views.name_of(before, player)
            if not after.bids_are_shown:
                return (T("{name} has bid", name=name),)
            if before.bids_are_shown:
                return (T("{name} bids {bid}", name=name, bid=tricks),)
            bids = [T("{name} {number}", name=views.name_of(after, i), number=bid) for i, bid in enumerate(after.bids)]
            return (T("{name} has bid", name=name), T("The bids: {bids}", bids=joined(bids)))
        case Play(player, card):
            what = T("{name} plays {card}", name=views.name_of(before, player), card=views.card_name(card))
            return (what, *_trick(before, event))
        case Trick(best, bomb):
            name = views.name_of(before, best)
            return (T("{name} leads", name=name) if bomb else T("{name} takes it", name=name),)
        case ChangeBid(player, tricks):
            name = views.name_of(before, player)
            if not before.bids_are_shown:
                return (T("{name} changes the bid", name=name),)
            return (T("{name} changes the bid to {number}", name=name, number=tricks),)
        case Tricks(taken):
            counts = [T("{name} {number}", name=views.name_of(before, i), number=n) for i, n in enumerate(taken)]
            return (T("Tricks taken: {counts}", counts=joined(counts)),)


def _trick(before: State, event: Play) -> list[Text]:
    lines = []
    revoke = before.revoke(event.player, event.card)
    if revoke is not None:
        title, found = views.revoke(before, revoke)
        lines += [title, *found]
    end = trick_end(before, event)
    if end is not None:
        name = views.name_of(before, end.best.player)
        takes = T("{name} leads", name=name) if end.bomb else T("{name} takes it", name=name)
        lines.append(T("{one}: {two}", one=takes, two=views.reason(before, end)))
    return lines


def _scores(before: State, after: State) -> tuple[Text, ...]:
    if after.round == before.round and after.phase != "over":
        return ()
    gains = [
        T("{name} {gain} = {points}", name=views.name_of(after, i), gain=f"{new - old:+d}", points=new)
        for i, (old, new) in enumerate(zip(before.scores, after.scores, strict=True))
    ]
    lines = [T("Scores: {scores}", scores=joined(gains))]
    if after.phase == "over":
        lines.append(T("The winner is {names}", names=joined([views.name_of(after, i) for i in after.winners])))
    return tuple(lines)
