"""The screens of the card game: who deals, bids and leads, bid against tricks, who takes a trick and why, scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion.games.wizard_cards.cards import JESTER, WIZARD, Played, colour_of
from companion.games.wizard_cards.reasons import TrickEnd, still_possible
from companion.games.wizard_cards.state import HIDDEN, Event, Revoke, State
from companion.screens.view import PlotPicture, T, Text, View, verbatim

COLOUR_NAMES: dict[str, Text] = {"blue": T("blue"), "red": T("red"), "yellow": T("yellow"), "green": T("green")}
CARD_NAMES: dict[str, Text] = {
    WIZARD: T("wizard"),
    JESTER: T("jester"),
    "bomb": T("bomb"),
    "cloud": T("cloud 9¾"),
    "juggler": T("juggler 7½"),
    "dragon": T("dragon"),
    "fairy": T("fairy"),
}
NO_BID = "-"  # a bid of 0 is "0"
UNSEEN = "?"


def plain_names(state: State) -> tuple[str, ...]:
    """The players' names, or numbers where the record gives none."""
    return tuple(name.strip() or str(i) for i, name in enumerate(state.setup.names, 1))


def name_of(state: State, player: int) -> Text:
    """A player's name, or number where the record gives none."""
    return verbatim(plain_names(state)[player])


def card_name(card: str) -> Text:
    """A card as it is called."""
    colour = colour_of(card)
    if colour is None:
        return CARD_NAMES.get(card, verbatim(card))
    return T("{colour} {number}", colour=COLOUR_NAMES[colour], number=card[1:])


def trump_name(state: State) -> Text:
    """The colour of trump, or that there is none."""
    return T("no trump") if state.trump is None else T("trump {colour}", colour=COLOUR_NAMES[state.trump])


def bid_text(bid: int | str | None) -> str:
    """A bid in one or two letters: none, not shown yet, or the number."""
    return NO_BID if bid is None else UNSEEN if bid == HIDDEN else str(bid)


def in_order(state: State) -> list[int]:
    """The players in the order of bidding."""
    count = len(state.bids)
    return [(state.dealer + 1 + i) % count for i in range(count)]


def short_names(names: Sequence[str]) -> tuple[str, ...]:
    """Two letters for each player, for a row of three: the first of the name, or the first and the player's number.

    >>> short_names(["Ana", "Ben", "Bernd", ""])
    ('An', 'B2', 'B3', '4')
    """
    first = [name.strip()[:2] for name in names]
    return tuple(
        (short if first.count(short) == 1 else f"{short[:1]}{i}") if short else str(i)
        for i, short in enumerate(first, 1)
    )


def three_a_line(texts: Sequence[Text]) -> tuple[Text, ...]:
    """Very short texts in rows of three."""
    rows = [texts[i : i + 3] for i in range(0, len(texts), 3)]
    return tuple(
        T("{one} {two} {three}", one=r[0], two=r[1], three=r[2]) if len(r) == 3 else two_a_line(r)[0] for r in rows
    )


def two_a_line(texts: Sequence[Text]) -> tuple[Text, ...]:
    """Short texts in pairs."""
    pairs = [texts[i : i + 2] for i in range(0, len(texts), 2)]
    return tuple(T("{one} {two}", one=p[0], two=p[1]) if len(p) > 1 else p[0] for p in pairs)


def tally(state: State, player: int, name: Text) -> Text:
    """Tricks taken against the bid."""
    bid = bid_text(state.shown_bids[player])
    return T("{name} {count}/{bid}", name=name, count=state.taken[player], bid=bid)


def tallies(state: State) -> tuple[Text, ...]:
    """Tricks taken against the bid, of everybody, in at most four lines."""
    players = range(len(state.bids))
    if len(players) > 4:
        short = short_names(state.setup.names)
        return three_a_line([tally(state, player, verbatim(short[player])) for player in players])
    return tuple(tally(state, player, name_of(state, player)) for player in players)


# ---- before the tricks ----


def deal(state: State) -> View:
    """Who deals how many cards, and that trump is turned up."""
    lines = (T("then turn up trump"),) if _card_left(state) else (T("the last: no trump"),)
    return View(
        "cards.deal",
        title=T("Round {round} of {rounds}", round=state.round, rounds=state.setup.rounds),
        big=T("{name} deals {number}", name=name_of(state, state.dealer), number=state.round),
        lines=lines,
        facts={"dealer": state.dealer},
    )


def this_round(state: State) -> View:
    """Who deals, the turned card and trump, and the bids with their sum: the page to look it up."""
    lines = [bids_so_far(state), bids_made(state)]
    if state.trump_card is not None:
        lines.insert(0, T("turned: {card}", card=card_name(state.trump_card)))
    return View(
        "cards.round",
        title=T("Round {round} of {rounds}", round=state.round, rounds=state.setup.rounds),
        big=T("{name} deals", name=name_of(state, state.dealer)),
        lines=tuple(lines[-2:]) if state.trump is not None else tuple(lines[:2]),
    )


def _card_left(state: State) -> bool:
    return state.round < state.setup.rounds or bool(state.setup.specials)


def bids_made(state: State) -> Text:
    """The bids in the order of bidding."""
    return _bids(state.shown_bids[player] for player in in_order(state))


def _bids(bids: Iterable[int | str | None]) -> Text:
    # A text, not a string: of names and other strings the display cuts off what has no room.
    return T("bids: {bids}", bids=Text(" ".join(map(bid_text, bids))))


def bids_so_far(state: State) -> Text:
    """Trump, and the sum of the bids so far where everybody may know it."""
    if not state.bids_are_shown and any(bid is not None for bid in state.bids):
        return trump_name(state)
    total = sum(bid for bid in state.bids if bid is not None)
    if state.trump is None:
        return T("no trump: {total} of {round}", total=total, round=state.round)
    colour = COLOUR_NAMES[state.trump]
    return T("trump {colour}: {total} of {round}", colour=colour, total=total, round=state.round)


# ---- the tricks ----


def play(state: State) -> View:
    """Whose card is awaited, the colours to follow and of trump, and tricks against bids."""
    player = state.to_act
    assert player is not None
    name = name_of(state, player)
    title = T("{number}/{of} {trump}", number=state.tricks_played + 1, of=state.round, trump=trump_name(state))
    if state.lead_colour is not None and state.trump is not None:
        title = T("{led}, {trump} trumps", led=COLOUR_NAMES[state.lead_colour], trump=COLOUR_NAMES[state.trump])
    elif state.lead_colour is not None:
        title = T("{led}, no trump", led=COLOUR_NAMES[state.lead_colour])
    return View(
        "cards.play",
        title=title,
        big=name if state.trick else T("{name} leads", name=name),
        lines=tallies(state),
        facts={"taken": state.taken, "bids": state.shown_bids, "leads": None if state.trick else player},
    )


def play_tallies(state: State) -> View:
    """Tricks taken against the bids, as a page of its own."""
    return View("cards.tallies", title=T("Tricks / bids"), lines=tallies(state))


def reason(state: State, end: TrickEnd) -> Text:
    """Why a trick goes to the best card: one line."""
    if end.why == "trump_beats" and end.beaten is not None:
        return T("trump {number} beats led {led}", number=_value(end.best), led=_value(end.beaten))
    colour = COLOUR_NAMES.get(end.best.colour or "", verbatim(""))
    return {
        "first_wizard": T("first wizard"),
        "dragon": T("the dragon"),
        "fairy": T("fairy beats dragon"),
        "jesters": T("first of the jesters"),
        "highest_trump": T("highest trump: {number}", number=_value(end.best)),
        "highest_led": T("highest {colour}: {number}", colour=colour, number=_value(end.best)),
    }[end.why]


def _value(played: Played) -> Text:
    return verbatim({"juggler": "7½", "cloud": "9¾"}.get(played.card, played.card[1:]))


def trick(before: State, end: TrickEnd, *, last: bool, clear: bool) -> View:
    """Who takes a trick and why.

    Args:
        before: the state before its last card.
        end: the trick.
        last: whether it was the last of its round.
        clear: whether its cards still lie.
    """
    name = name_of(before, end.best.player)
    lines = [reason(before, end)]
    if any(played.card == "juggler" for played in end.cards) and not last:
        lines.append(T("pass a card left"))
    elif clear:
        lines.append(T("clear the cards"))
    return View(
        "cards.trick",
        title=T("The bomb: nobody's") if end.bomb else T("Trick {number}", number=before.tricks_played + 1),
        big=T("{name} leads", name=name) if end.bomb else T("{name} takes it", name=name),
        lines=tuple(lines),
        facts={"winner": None if end.bomb else end.best.player, "why": end.why, "clear": clear},
    )


def cloud(state: State) -> View:
    """Who changes the bid by the cloud."""
    assert state.to_act is not None
    return View("cards.cloud", title=T("The cloud"), big=name_of(state, state.to_act), lines=(T("changes the bid"),))


# ---- what is wrong ----


def problem(code: str, state: State, cards: Sequence[str] = (), other: int | None = None) -> View:
    """Why what lies on the table is not taken over.

    Args:
        code: one of those below, or a code of the rules.
        state: the state.
        cards: the cards it is about.
        other: the player it is about.
    """
    names = [card_name(card) for card in cards]
    name = names[0] if names else verbatim("")
    act = state.to_act if state.to_act is not None else state.dealer
    title, big, *lines = {
        "two_at_once": (T("More than one card"), T("One by one"), *names[:2]),
        "card_already_seen": (T("Was played before"), name, T("take it back")),
        "not_cleared": (T("Not cleared yet"), T("Clear the trick"), T("then {card}", card=name)),
        "bids_first": (T("Bids come first"), name, T("take it back")),
        "choice_first": (T("Trump comes first"), name, T("take it back")),
        "card_gone": (T("A card is gone"), name, T("put it back")),
        "unread_card": (T("I can't read it"), T("Which card?"), T("turn it to me")),
        "out_of_turn": (T("{name} is next", name=name_of(state, act)), T("Out of turn?"), name),
        "which_card": (T("The turned card?"), T("Which is it?"), name),
        "unknown_card": (T("Not in this game"), name, T("take it back")),
        "undone": (T("Taken back"), name, T("take it back")),
    }[code]
    who = {} if other is None else {"player": other}
    facts = {"problem": code, "cards": tuple(cards), **who}
    if len(lines) < 2:
        lines.append(T("or press ok"))
    return View("cards.problem", title=title, big=big, lines=tuple(lines), tone="wrong", facts=facts)


def revoke(state: State, found: Revoke) -> tuple[Text, tuple[Text, ...]]:
    """What a card has given away: title and lines."""
    return (
        T("{name}: revoke?", name=name_of(state, found.player)),
        (
            T("now {card}", card=card_name(found.card)),
            T("trick {number}: {card}", number=found.trick, card=card_name(found.instead)),
        ),
    )


def revoke_page(state: State, found: Revoke) -> View:
    """A revoke of this round, to read again."""
    title, lines = revoke(state, found)
    return View("cards.why_revoke", title=title, lines=(*lines, T("the table decides")))


REFUSALS: dict[str, Text] = {
    "trump_card_missing": T("Turn up a card"),
    "no_card_left_to_turn": T("No card is left"),
    "unknown_card": T("No such card"),
    "bad_colour": T("No such colour"),
    "not_your_turn": T("Not your turn"),
    "no_such_player": T("Nobody there"),
    "bid_out_of_range": T("Not that bid"),
    "total_not_allowed": T("Total not allowed"),
    "card_already_seen": T("Was played before"),
    "wrong_total": T("Wrong total"),
    "wrong_phase": T("Not now"),
    "game_over": T("The game is over"),
}


def refusal(code: str, *, later: bool) -> View:
    """Why the rules refuse what was entered.

    Args:
        code: the refusal's.
        later: a change of the past is refused, because something later no longer fits.
    """
    title = T("Later it fails") if later else T("Not possible")
    return View("cards.refused", title=title, big=REFUSALS[code], tone="wrong", facts={"problem": code})


# ---- scores ----


def result(before: State, event: Event, after: State) -> View:
    """What a round gave, and the scores; secret bids are shown now.

    Args:
        before: the state before the round's last event.
        event: that event.
        after: the state after it.
    """
    gains = [new - old for old, new in zip(before.scores, after.scores, strict=True)]
    lines = [
        T("{name} {gain} = {score}", name=name_of(after, i), gain=f"{gain:+d}", score=after.scores[i])
        if len(gains) < 5
        else T("{name} {gain}", name=name_of(after, i), gain=f"{gain:+d}")
        for i, gain in enumerate(gains)
    ]
    told = before.setup.bids_shown == "after_round"
    return View(
        "cards.result",
        title=_bids(before.final_bids(event)) if told else T("Round {round} gives", round=before.round),
        lines=tuple(lines) if len(lines) < 5 else two_a_line(lines),
        facts={"gains": tuple(gains), "scores": after.scores},
    )


def scores(state: State) -> View:
    """The scores of all, the best first."""
    order = sorted(range(len(state.scores)), key=lambda i: -state.scores[i])
    lines = [T("{name}: {points}", name=name_of(state, i), points=state.scores[i]) for i in order]
    return View("cards.scores", title=T("Points"), lines=tuple(lines) if len(lines) < 5 else two_a_line(lines))


def possible(state: State) -> View:
    """The best score that each can still have after this round."""
    best = still_possible(state)
    lines = [
        T("{name} {score}>{best}", name=name_of(state, i), score=state.scores[i], best=best[i])
        if len(best) < 5
        else T("{name} {best}", name=name_of(state, i), best=best[i])
        for i in range(len(best))
    ]
    return View(
        "cards.possible",
        title=T("Still possible"),
        lines=tuple(lines) if len(lines) < 5 else two_a_line(lines),
        facts={"possible": best},
    )


def curve(state: State, player: int) -> View:
    """The scores over the game, one player's as the bold line."""
    lines = tuple((0, *(after[i] for after in state.past)) for i in range(len(state.scores)))
    return View(
        "cards.curve",
        title=T("{name}: {points}", name=name_of(state, player), points=state.scores[player]),
        picture=PlotPicture(lines, player),
        facts={"player": player},
    )


def over(state: State) -> View:
    """Who has won."""
    names = [name_of(state, player) for player in state.winners]
    big = names[0] if len(names) == 1 else T("{one} and {two}", one=names[0], two=names[1])
    if len(names) > 2:
        big = T("{number} players", number=len(names))
    best = max(state.scores)
    return View(
        "cards.over",
        title=T("The winner is") if len(names) == 1 else T("Shared win"),
        big=big,
        lines=(T("{points} points", points=best),),
        tone="win",
        facts={"winners": state.winners, "points": best},
    )


def nothing_yet() -> View:
    """There is nothing to explain yet."""
    return View("cards.why_nothing", title=T("Why?"), big=T("No trick yet"), lines=(T("ask after a trick"),))


def facts(state: State) -> Mapping[str, Any]:
    """What every screen carries."""
    return {
        "phase": state.phase,
        "round": state.round,
        "dealer": state.dealer,
        "to_act": state.to_act,
        "trump": state.trump,
        "tricks": state.tricks_played,
    }
