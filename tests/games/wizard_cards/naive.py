"""The card game as one would write it first, variants included: a second opinion that shares no code with the referee.

It knows legal and illegal events by the code it returns, and never raises for them.
"""

from __future__ import annotations

from typing import Any

COLOURS = {"b": "blue", "r": "red", "y": "yellow", "g": "green"}
PLAIN = [f"{c}{v}" for c in "bryg" for v in range(1, 14)] + ["W", "J"] * 4


class Naive:
    """A game in progress; ``play`` takes one event and gives None or the code of the refusal."""

    def __init__(self, head: dict[str, Any]) -> None:
        chosen = head.get("settings", {})
        self.n = len(head["players"])
        self.strict = chosen.get("bids") == "plus_minus_one"
        self.veil = chosen.get("bids_shown", "open")
        self.extra = chosen.get("specials", [])
        self.deck = PLAIN + self.extra
        self.rounds = {3: 20, 4: 15, 5: 12, 6: 10}[self.n]
        self.scores, self.winners = [0] * self.n, []
        self.round, self.dealer = 1, head["dealer"]
        self.deal()

    def deal(self) -> None:
        self.phase, self.card, self.trump = "trump", None, None
        self.bids: list[Any] = [None] * self.n
        self.taken = [0] * self.n
        self.bombed = 0
        self.trick: list[dict[str, Any]] = []
        self.warnings: list[dict[str, Any]] = []
        self.turn = (self.dealer + 1) % self.n
        self.pile: list[str] = []
        self.void: set[tuple[int, str]] = set()

    def suit(self, p: dict[str, Any]) -> str | None:
        return p.get("colour") or COLOURS.get(p["card"][0] if p["card"][1:].isdigit() else "")

    def lead(self) -> str | None:
        for p in self.trick:
            if p["card"] in ("W", "dragon"):
                return None
            if self.suit(p):
                return self.suit(p)
        return None

    def play(self, e: dict[str, Any]) -> str | None:
        if self.phase == "over":
            return "game_over"
        kind = e["event"]
        fits = self.phase == {"tricks": "play", "trick": "play"}.get(kind, kind)
        if kind == "change_bid" and self.phase == "play":
            fits = "cloud" in self.extra and "cloud" not in self.pile and not self.trick
        return getattr(self, f"on_{kind}")(e) if fits else "wrong_phase"

    def on_trump(self, e: dict[str, Any]) -> str | None:
        card = e["card"]
        left = len(self.deck) - self.n * self.round
        if card is None and left:
            return "trump_card_missing"
        if card is not None and not left:
            return "no_card_left_to_turn"
        if card is not None and card not in self.deck:
            return "unknown_card"
        self.card, self.phase = card, "trump_colour" if card in ("W", "dragon", "cloud", "juggler") else "bid"
        self.trump = self.suit({"card": card}) if card else None
        self.pile = [card]
        return None

    def on_trump_colour(self, e: dict[str, Any]) -> str | None:
        if e["colour"] not in COLOURS.values():
            return "bad_colour"
        self.trump, self.phase = e["colour"], "bid"
        return None

    def on_bid(self, e: dict[str, Any]) -> str | None:
        if e["player"] != self.turn:
            return "not_your_turn"
        if e["tricks"] < 0 or e["tricks"] > self.round:
            return "bid_out_of_range"
        if self.strict and self.turn == self.dealer and sum(filter(None, self.bids)) + e["tricks"] == self.round:
            return "total_not_allowed"
        self.bids[self.turn] = e["tricks"]
        if self.turn == self.dealer:
            self.phase = "play"
        self.turn = (self.turn + 1) % self.n
        return None

    def on_play(self, e: dict[str, Any]) -> str | None:
        player, card = e["player"], e["card"]
        if player != self.turn:
            return "not_your_turn"
        if card not in self.deck:
            return "unknown_card"
        if self.pile.count(card) == self.deck.count(card):
            return "card_already_seen"
        mine = {"player": player, "card": card}
        if card in ("cloud", "juggler"):
            if e.get("colour") not in COLOURS.values():
                return "bad_colour"
            mine["colour"] = e["colour"]
        elif (suit := self.suit(mine)) is not None:
            if (player, suit) in self.void:
                self.warnings.append({"code": "revoke", "player": player, "card": card})
            if self.lead() and suit != self.lead():
                self.void.add((player, str(self.lead())))
        self.pile.append(card)
        self.trick.append(mine)
        self.turn = (self.turn + 1) % self.n
        if len(self.trick) == self.n:
            self.end_trick()
        return None

    def end_trick(self) -> None:
        cards = [p["card"] for p in self.trick]
        self.turn = self.best()
        self.trick = []
        if "juggler" in cards:
            self.void.clear()
        if "bomb" in cards:
            self.bombed += 1
        else:
            self.taken[self.turn] += 1
            if "cloud" in cards:
                self.phase = "change_bid"
                return
        self.end_round_maybe()

    def best(self) -> int:
        def holder(card: str) -> int:
            return int(next(p["player"] for p in self.trick if p["card"] == card))

        cards = [p["card"] for p in self.trick]
        if "dragon" in cards:
            return holder("fairy" if "fairy" in cards else "dragon")
        if "W" in cards:
            return holder("W")
        for wanted in (self.trump, self.lead()):
            best, high = None, 0.0
            for p in self.trick:
                value = {"juggler": 7.5, "cloud": 9.75}.get(p["card"]) or float(p["card"][1:] if self.suit(p) else 0)
                if self.suit(p) and self.suit(p) == wanted and value > high:
                    best, high = p["player"], value
            if best is not None:
                return int(best)
        return holder("J")  # three cards at least, and there is one bomb and one fairy

    def on_change_bid(self, e: dict[str, Any]) -> str | None:
        player, new = e["player"], e["tricks"]
        if self.phase == "change_bid" and player != self.turn:
            return "not_your_turn"
        if player not in range(self.n):
            return "no_such_player"
        if new not in (self.bids[player] - 1, self.bids[player] + 1) or new not in range(self.round + 1):
            return "bid_out_of_range"
        self.bids[player] = new
        if self.phase == "play":
            self.pile.append("cloud")
        self.phase = "play"
        self.end_round_maybe()
        return None

    def on_trick(self, e: dict[str, Any]) -> str | None:
        if self.trick:
            return "wrong_phase"
        if e["winner"] not in range(self.n):
            return "no_such_player"
        if e.get("bomb"):
            if "bomb" not in self.extra:
                return "unknown_card"
            if "bomb" in self.pile:
                return "card_already_seen"
            self.pile.append("bomb")
            self.bombed += 1
        else:
            self.taken[e["winner"]] += 1
        self.turn = e["winner"]
        self.end_round_maybe()
        return None

    def on_tricks(self, e: dict[str, Any]) -> str | None:
        if self.trick or any(self.taken) or self.bombed:
            return "wrong_phase"
        allowed = [self.round] + ([self.round - 1] if "bomb" in self.extra else [])
        if len(e["taken"]) != self.n or any(t < 0 for t in e["taken"]) or sum(e["taken"]) not in allowed:
            return "wrong_total"
        self.taken = list(e["taken"])
        self.end()
        return None

    def end_round_maybe(self) -> None:
        if sum(self.taken) + self.bombed == self.round:
            self.end()

    def end(self) -> None:
        for i in range(self.n):
            off = abs(self.bids[i] - self.taken[i])
            self.scores[i] += -10 * off if off else 20 + 10 * self.taken[i]
        if self.round == self.rounds:
            self.phase = "over"
            self.winners = [i for i in range(self.n) if self.scores[i] == max(self.scores)]
        else:
            self.round, self.dealer = self.round + 1, (self.dealer + 1) % self.n
            self.deal()

    def describe(self) -> dict[str, Any]:
        secret = self.veil == "after_round" and self.phase != "over"
        veiled = secret or (self.veil == "together" and None in self.bids)
        state = {
            "round": self.round, "rounds": self.rounds, "phase": self.phase, "dealer": self.dealer,
            "bids": ["hidden" if veiled and b is not None else b for b in self.bids],
            "trump_card": self.card, "trump": self.trump, "taken": list(self.taken), "trick": list(self.trick),
            "scores": list(self.scores), "warnings": list(self.warnings), "winners": self.winners,
        }  # fmt: skip
        if "bomb" in self.extra:
            state["bombed"] = self.bombed
        if self.phase in ("bid", "play", "change_bid"):
            state["to_act"] = self.turn
        if self.phase == "play":
            state["lead_colour"] = self.lead()
        return state
