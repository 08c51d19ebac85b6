"""The pizza game once more, as one would write it first: sets, dicts and the layout's JSON; nothing precomputed.

It is the yardstick of the referee's speed and, in the tests, a second opinion on every ruling. It shares no code with
the referee: where seats and sides are it works out from their angles, where slices are from the millimetres.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

COLOURS = ("red", "green", "white")
SEAT_ANGLES = {"A": -90.0, "B": 150.0, "C": 30.0}


class NaivePizza:
    """One game; ``play`` returns the refusal's code or None, ``describe`` the state's JSON form."""

    def __init__(self, header: dict[str, Any], layout: dict[str, Any]) -> None:
        self.layout = layout
        self.spaces = layout["spaces"]
        self.total = layout["toppings_per_colour"]
        self.lines = {(line["side"], line["number"]): line for line in layout["lines"]}
        self.colour_of = {p["seat"]: p["colour"] for p in header["players"]}
        self.players = list(self.colour_of)
        self.first = header["first"]
        self.neutral_seat = None
        if len(self.players) == 2:
            self.neutral_seat = next(seat for seat in SEAT_ANGLES if seat not in self.colour_of)
            self.colour_of[self.neutral_seat] = next(c for c in COLOURS if c not in self.colour_of.values())
        self.round = 1
        self.board = {
            space: self.colour_of[seat]
            for seat, side in self.facing().items()
            for space in layout["start_spaces"][str(side)]
        }
        self.phase = "place"
        self.waiting = self.turn_order()
        self.neutral_line: int | None = None
        self.after_cut: dict[str, Any] = {}
        self.winners: list[str] = []
        self.result: str | None = None

    def facing(self) -> dict[str, int]:
        angles = {int(side): entry["angle_deg"] for side, entry in self.layout["sides"].items()}
        turned = SEAT_ANGLES[self.first] - angles[1] - 120 * (self.round - 1)
        faced = {}
        for side, angle in angles.items():
            for seat, seat_angle in SEAT_ANGLES.items():
                if math.cos(math.radians(angle + turned - seat_angle)) > 0.99:
                    faced[seat] = side
        return faced

    def turn_order(self) -> list[str]:
        if len(self.players) == 2:
            other = next(seat for seat in self.players if seat != self.first)
            return [self.first, other] if self.round % 2 else [other, self.first]
        facing = self.facing()
        return sorted(self.players, key=lambda seat: facing[seat])

    def legal(self) -> list[str]:
        spaces = []
        for space, entry in self.spaces.items():
            if space in self.board:
                continue
            if self.phase == "place":
                colour = self.colour_of[self.waiting[0]]
                if any(self.board.get(near) == colour for near in entry["neighbours"]):
                    continue
            else:
                line = self.lines[self.facing()[self.neutral_seat], self.neutral_line]
                if space not in line["touching"]:
                    continue
            spaces.append(space)
        return sorted(spaces)

    def play(self, event: dict[str, Any]) -> str | None:
        name = event["event"]
        if self.phase == "over":
            return "game_over"
        if {"pass": "place", "neutral_pass": "neutral_place"}.get(name, name) != self.phase:
            return "wrong_phase"
        if name in ("place", "pass") and event["seat"] != self.waiting[0]:
            return "not_your_turn"
        if name in ("place", "neutral_place"):
            space = event["space"]
            if space not in self.spaces:
                return "unknown_space"
            if space in self.board:
                return "space_occupied"
            if space not in self.legal():
                return "adjacent_own_topping" if name == "place" else "not_touching_cutter"
            self.board[space] = self.colour_of[self.waiting[0] if name == "place" else self.neutral_seat]
        if name in ("pass", "neutral_pass") and self.legal():
            return "must_place"
        if name in ("place", "pass"):
            self.waiting.pop(0)
            if not self.waiting:
                self.phase = "cut" if self.neutral_seat is None else "neutral_roll"
        elif name in ("neutral_place", "neutral_pass"):
            self.phase = "cut"
        elif name == "neutral_roll":
            if (self.facing()[self.neutral_seat], event["value"]) not in self.lines:
                return "line_out_of_range"
            self.neutral_line = event["value"]
            self.phase = "neutral_place"
        elif name == "cut":
            if set(event["lines"]) != set(self.players):
                return "wrong_cutters"
            if any((self.facing()[seat], number) not in self.lines for seat, number in event["lines"].items()):
                return "line_out_of_range"
            self.cut(event["lines"])
        else:
            self.round += 1
            self.phase = "place"
            self.waiting = self.turn_order()
            self.after_cut = {}
        return None

    def cut(self, numbers: dict[str, int]) -> None:
        cutters = [self.lines[self.facing()[seat], number] for seat, number in numbers.items()]
        if self.neutral_seat is not None:
            cutters.append(self.lines[self.facing()[self.neutral_seat], self.neutral_line])
        regions = defaultdict(list)
        for space, entry in self.spaces.items():
            regions[tuple(self.is_left(line, entry) for line in cutters)].append(space)
        slices = []
        for spaces in sorted(sorted(spaces) for spaces in regions.values()):
            on = [self.board.get(space) for space in spaces]
            counts = {colour: on.count(colour) for colour in COLOURS}
            leaders = [colour for colour in COLOURS if counts[colour] == max(counts.values())]
            outcome = {1: leaders[0], 2: "two_way_tie", 3: "three_way_tie"}[len(leaders)]
            if not any(counts.values()):
                outcome = "empty"
            slices.append({"spaces": spaces, "counts": counts, "outcome": outcome})
        safe = [colour for colour in COLOURS if all(part["counts"][colour] <= 1 for part in slices)]
        removed, wanted = {}, {}
        for part in slices:
            counts, outcome = part["counts"], part["outcome"]
            for space in part["spaces"]:
                colour = self.board.get(space)
                if colour is None or colour in safe:
                    continue
                if outcome in COLOURS and colour != outcome:
                    removed[space] = colour
                    wanted[space] = outcome
                if outcome == "two_way_tie" and counts[colour] == min(counts.values()):
                    removed[space] = colour
        for space in removed:
            del self.board[space]
        placed = {}
        for space in sorted(wanted):
            if list(self.board.values()).count(wanted[space]) < self.total:
                self.board[space] = placed[space] = wanted[space]
        self.after_cut = {"slices": slices, "safe": safe, "removed": removed, "placed": placed}
        self.phase = "rotate"
        full = sorted(s for s, c in self.colour_of.items() if list(self.board.values()).count(c) == self.total)
        if full:
            self.phase = "over"
            if self.neutral_seat in full:
                self.result = "both_lose"
            else:
                self.winners = full
                self.result = "win" if len(full) == 1 else "shared_win"

    @staticmethod
    def is_left(line: dict[str, Any], space: dict[str, Any]) -> bool:
        (x0, y0), (x1, y1) = line["near_mm"], line["far_mm"]
        return (x1 - x0) * (space["y_mm"] - y0) > (y1 - y0) * (space["x_mm"] - x0)

    def describe(self) -> dict[str, Any]:
        on = list(self.board.values())
        state = {
            "round": self.round,
            "phase": self.phase,
            "facing": self.facing(),
            "board": dict(self.board),
            "supply": {colour: self.total - on.count(colour) for colour in COLOURS},
            "winners": list(self.winners),
            "result": self.result,
        }
        if self.phase == "place":
            state["to_act"] = self.waiting[0]
        if self.phase in ("place", "neutral_place"):
            state["legal"] = self.legal()
        return state | {key: value.copy() for key, value in self.after_cut.items()}
