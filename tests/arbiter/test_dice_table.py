"""Guards the dice game at the table: whole games by sight, what is and is not a roll, and every mistake named."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.sight import Sight
from companion.games.wizard_dice.state import COLOURS, DICE, FACES, Cell, Sheet
from companion.journal import Journal
from companion.screens.view import View
from companion.vision.readings import BoardReading, DieReading
from companion.web.acts import _mend

from .watched import Watched, said

NAMES = ["Ana", "Ben", "Cleo", "Dan", "Eva"]
EDGE = 30


@dataclass
class Die:
    face: str | None
    x: int
    y: int
    confidence: float = 0.99
    likely: tuple[str, ...] = ()


@dataclass
class Table(Watched):
    """Dice in a tray as perfect eyes see them, and the buttons; looks are two seconds apart."""

    rng: random.Random = field(default_factory=lambda: random.Random(1))
    dice: list[Die] = field(default_factory=list)
    camera: bool = True

    def look(self, *, touched: bool = True, still_ms: int = 10_000) -> View:
        """One settled look, after a hand or a motion where something was touched; so long the table has been still."""
        if not self.camera:
            self.t_ms += 2000
            self.arbiter.tick(self.t_ms)
            return self.view
        if touched:
            self.t_ms += 1000
            self.arbiter.see(self.t_ms, Sight(hand=True))
        self.t_ms += 1000
        dice = tuple(DieReading(d.face, None, (d.x, d.y, EDGE, EDGE), d.confidence, d.likely) for d in self.dice)
        reading = BoardReading("ok", spaces={}, dice=dice, hand=False)
        self.arbiter.see(self.t_ms, Sight(settled=reading, since_ms=self.t_ms - still_ms))
        return self.view

    def place(self, faces: list[str], far_from: list[Die] | None = None) -> list[Die]:
        """Drop dice anywhere, none on another; ``far_from`` keeps them from where dice lay."""
        dropped: list[Die] = []
        for face in faces:
            while True:
                die = Die(face, self.rng.randrange(0, 900), self.rng.randrange(0, 600))
                others = [*self.dice, *dropped]
                if all(apart(die, d) >= EDGE for d in others) and all(apart(die, d) > 2 * EDGE for d in far_from or ()):
                    break
            dropped.append(die)
        return dropped

    def roll(self, faces: list[str] | None = None, rolled: list[int] | None = None, *, lift: bool = False) -> list[str]:
        """Throw dice (all, or those of these indices) and look; returns the faces on the table."""
        which = list(range(len(self.dice))) if rolled is None else rolled
        lay = [self.dice[i] for i in which]
        count = DICE if rolled is None else len(which)
        faces = self.rng.choices(FACES, k=count) if faces is None else faces
        self.dice = [d for i, d in enumerate(self.dice) if i not in which]
        if lift:
            self.look()
        self.dice += self.place(faces, far_from=lay)
        self.look()
        return [str(d.face) for d in self.dice]

    def bid(self, cell: Cell) -> None:
        assert self.view.code == "dice.bid"
        self.press("ok")
        self.choose("{colour}  {numbers}", colour=cell[0])
        self.choose("{words}", words=str(cell[1]))

    def bid_all(self, *cells: Cell, wizards: str = "red") -> None:
        for cell in cells:
            self.bid(cell)
        self.press("ok")
        self.choose(wizards)

    def score(self, player: int, option: int) -> dict[str, Any]:
        """Take an entry of the scoring question that is on the display."""
        assert self.view.code == "dice.score" and self.view.facts["player"] == player
        jesters = self.view.choices[option].values[1][1]
        self.press(*["down"] * option, "ok")  # type: ignore[list-item]
        return {"event": "score", "player": player, "entry": "jesters" if jesters.id.startswith("jester") else "bid"}

    def leave(self, player: int, option: int = 0) -> dict[str, Any]:
        """Score between the rolls."""
        exact = self.state.count(self.state.bids[player][0]) == self.state.bids[player][1]  # type: ignore[index]
        verb = "stops" if player == self.state.seer else "leaves"
        self.press("ok")
        self.choose(f"{{name}} {verb}" + (": X!" if exact else ""), name=NAMES[player])
        return self.score(player, min(option, self.view.facts["options"] - 1))

    def enter_roll(self, faces: list[str]) -> None:
        """Enter a roll with the buttons alone."""
        self.press("ok")
        if self.view.code != "dice.confirm":
            self.choose("enter the roll")
        for _ in range(DICE):
            wanted = sorted(faces, key=FACES.index)
            marked = self.view.facts["marked"]
            while self.view.facts["faces"][marked] != wanted[marked]:
                self.press("up")
            self.press("down")
        self.press("ok")


def apart(a: Die, b: Die) -> float:
    return float(((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5)


def header(players: int, seer: int = 0, **settings: Any) -> dict[str, Any]:
    return {
        "game": "wizard_dice",
        "players": [{"name": name} for name in NAMES[:players]],
        "first_seer": seer,
        "settings": settings,
    }


def table(folder: Path, players: int = 3, confirm: str = "unsure", camera: bool = True, **settings: Any) -> Table:
    arbiter = Arbiter(Journal(folder), names=NAMES, draw=lambda: 0, confirm=confirm, camera=camera)  # type: ignore[arg-type]
    arbiter.begin(header(players, **settings))
    it = Table(arbiter, camera=camera)
    it.dice = it.place([*FACES, "red"])
    it.look()
    return it


BIDS = (("blue", 3), ("red", 2), ("green", 1))


def rolling(folder: Path, confirm: str = "unsure", **settings: Any) -> Table:
    """Three players have bid; wizards count as red; the seer is about to roll."""
    it = table(folder, confirm=confirm, **settings)
    if settings.get("spells"):
        it.press("ok")
        it.choose("no spell")
        it.choose("{colour}  {numbers}", colour=BIDS[0][0])
        it.choose("{words}", words=str(BIDS[0][1]))
        it.bid_all(*BIDS[1:])
    else:
        it.bid_all(*BIDS)
    it.look(touched=False)
    assert it.view.code == "dice.roll"
    return it


def rolled(folder: Path, confirm: str = "unsure", **settings: Any) -> Table:
    """The first roll lies on the table: blue 3 and red 2 are met, there are two jesters."""
    it = rolling(folder, confirm, **settings)
    it.roll(["blue", "blue", "blue", "red", "wizard", "jester", "jester"])
    if confirm == "always":
        it.press("ok")
    assert it.state.rolls == 1
    return it


# ---- whole games ----


def alike(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events, the faces of rolls in one order: on the table they have none."""
    return [e | {"faces": sorted(e["faces"])} if e["event"] == "roll" else e for e in events]


def throw(it: Table, did: list[dict[str, Any]]) -> None:
    rng, before = it.rng, len(it.events)
    again = None if it.state.rolls == 0 else rng.sample(range(DICE), rng.randint(1, DICE))
    if it.camera:
        faces = it.roll(rolled=again, lift=rng.random() < 0.5)
        if it.view.facts.get("ask") == "dice.confirm":
            assert it.arbiter._confirm == "always" or it.problem == "unsure_roll"
            it.press("ok")
    else:
        faces = rng.choices(FACES, k=DICE)
    if len(it.events) == before:  # unseen: without a camera, or the same dice where others lay
        assert not it.camera or it.problem is None
        it.enter_roll(faces)
    did.append({"event": "roll", "faces": faces})


def play(it: Table, undo: float = 0.0) -> list[dict[str, Any]]:
    """Play as people would, leaving, stopping and taking jester cells at random; returns what they did.

    Args:
        it: the table.
        undo: how often the last event is taken back, 0 to 1.
    """
    rng, did = it.rng, list[dict[str, Any]]()
    while it.state.phase != "over":
        state = it.state
        if state.phase == "bid":
            player = state.to_act
            assert player is not None
            free = state.free_bids(player)
            if free:
                colour, number = rng.choice(free)
                it.bid((colour, number))
                did.append({"event": "bid", "player": player, "colour": colour, "number": number})
            else:  # a passing that was taken back
                it.press("ok", "ok")
                did.append({"event": "pass", "player": player})
        elif state.phase == "wizard_colour":
            colour = rng.choice(COLOURS)
            it.press("ok")
            it.choose(colour)
            did.append({"event": "wizard_colour", "colour": colour})
        elif state.phase == "score":
            did.append(it.score(it.view.facts["player"], rng.randrange(it.view.facts["options"])))
        elif state.rolls and rng.random() < 0.4:
            players = [p for p in state.order if p not in state.scored]
            exact = [p for p in players if state.count(state.bids[p][0]) == state.bids[p][1]]  # type: ignore[index]
            player = rng.choice(exact or players)
            if player == state.seer or exact or state.setup.drop_out == "any":
                did.append(it.leave(player, rng.randrange(2)))
        else:
            throw(it, did)
        if rng.random() < undo:
            it.press("back", hold=True)
            while did and len(it.events) < len(did):
                did.pop()
        it.look(touched=rng.random() < 0.3)
        passed = [e for e in it.events[len(did) :] if e["event"] == "pass"]
        did += passed
        assert alike(it.events) == alike(did)
    return did


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("confirm", ["unsure", "always"])
@pytest.mark.parametrize("seed", range(3))
def test_a_whole_game_by_sight_gives_the_events_that_were_played(
    tmp_path: Path, players: int, confirm: str, seed: int
) -> None:
    strict = {"drop_out": "exact_only"} if seed == 1 else {}
    it = table(tmp_path, players, confirm, **strict)
    it.rng = random.Random(seed * 10 + players)
    did = play(it)
    assert it.view.code == "dice.over" and it.view.facts["winners"] == it.state.winners
    rows = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert alike([{k: v for k, v in r.items() if k not in ("t_ms", "crc")} for r in rows[1:]]) == alike(did)
    assert {e["event"] for e in did} >= {"bid", "wizard_colour", "roll", "score"}


@pytest.mark.parametrize("players", [2, 4])
def test_a_whole_game_can_be_played_by_buttons_alone(tmp_path: Path, players: int) -> None:
    it = table(tmp_path, players, "always", camera=False)
    it.rng = random.Random(players)
    play(it)
    assert it.view.code == "dice.over"


@pytest.mark.parametrize("confirm", ["unsure", "always"])
def test_a_game_with_much_taken_back_still_gives_what_was_played(tmp_path: Path, confirm: str) -> None:
    it = table(tmp_path, 3, confirm)
    it.rng = random.Random(4)
    play(it, undo=0.15)
    assert it.view.code == "dice.over"


# ---- bids ----


def test_taken_bids_and_used_cells_say_why_and_cant_be_chosen(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.leave(1)
    it.leave(0)
    it.press("down")  # Cleo: one jester is not the bid's X
    it.press("ok")
    assert it.state.round == 2 and it.state.seer == 1  # red 2 was the highest off blue
    it.look(touched=False)
    it.bid(("yellow", 4))
    it.press("ok")
    assert it.view.code == "dice.colour"
    it.choose("{colour}  {numbers}", colour="yellow")
    texts = [c.id for c in it.view.choices]
    assert texts[3] == "{number} is {name}'s" and it.view.barred == {3}
    it.press("down", "down", "down", "ok")
    assert it.view.code == "dice.number" and it.state.bids[2] is None, "what is taken can't be chosen"
    it.press("back", "up", "up")
    it.choose("{colour}  {numbers}", colour="green")
    assert it.view.choices[0].id == "{number} is used"


def test_the_sheets_can_be_paged_through_and_read_from_the_menu(tmp_path: Path) -> None:
    it = table(tmp_path)
    it.press("down")
    assert it.view.code == "dice.sheet" and it.view.facts["player"] == 0
    it.press("down", "down")
    assert it.view.facts["player"] == 2
    it.press("up", "up", "up")
    assert it.view.code == "dice.bid"
    it.press("ok", hold=True)
    it.choose("points")
    assert it.view.code == "dice.results"
    it.press("down")
    assert it.view.code == "dice.sheet"


# ---- what is a roll ----


def test_a_roll_shows_count_against_bid_and_who_may_leave_with_an_x(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.look(touched=False)
    assert it.view.facts["counts"] == {0: 3, 1: 2, 2: 0} and it.view.facts["exact"] == (0, 1)
    assert len(it.view.picture.values) == DICE  # type: ignore[union-attr]


@pytest.mark.parametrize("rolls", [0, 1])
def test_dice_turned_or_nudged_or_pushed_are_no_roll(tmp_path: Path, rolls: int) -> None:
    it = rolled(tmp_path) if rolls else rolling(tmp_path)
    before = it.events
    it.dice[2].face = "green" if it.dice[2].face != "green" else "red"
    it.look()
    assert it.problem == "turned_die" and it.view.tone == "wrong"
    it.t_ms += 1000
    it.arbiter.see(it.t_ms, Sight(hand=True))
    assert it.problem == "turned_die", "it stands while a hand turns it back"
    it.dice[2].face = str(it.state.faces[2]) if rolls else "yellow"
    it.look()
    assert it.problem is None
    it.dice[4].x += EDGE // 2 + 4
    it.look()
    assert it.problem is None and it.view.facts.get("ask") is None
    for die in it.dice:
        die.x, die.y = die.x + 70, die.y - 45
    it.look()
    assert it.problem is None and it.view.facts.get("ask") is None
    assert it.events == before


def test_a_turned_die_can_be_said_to_be_a_roll_or_to_lie_right(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.dice[6].face = "green"
    it.look()
    it.press("ok")
    it.choose("leave it so")
    it.look(touched=False)
    assert it.problem is None and it.state.rolls == 1
    it.dice[6].face = "yellow"
    it.look()
    it.press("ok")
    it.choose("it was a roll")
    it.press("ok")
    assert it.state.rolls == 2 and "yellow" in it.events[-1]["faces"]


def test_nothing_is_a_roll_without_a_hand_or_a_motion(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.look()  # a hand was there, and changed nothing
    it.dice[1].x += 200
    it.dice[1].face = "green"
    it.look(touched=False)
    assert it.state.rolls == 1 and it.view.facts.get("ask") is None


def test_dice_set_aside_with_the_same_faces_are_asked_about_once(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.dice[0].x += 100
    it.dice[1].y += 200
    it.look()
    assert it.view.code == "dice.confirm" and it.problem == "unsure_roll"
    it.press("back")
    it.look(touched=False)
    assert it.view.code == "dice.table" and it.state.rolls == 1
    it.roll(rolled=[3, 4], faces=["green", "green"])
    assert it.state.rolls == 2


def test_lifted_dice_are_waited_for(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    kept = it.dice[:4]
    it.dice = kept[:]
    it.look()
    assert it.view.code == "dice.lifted" and it.view.facts["lifted"] == 3 and it.problem is None
    it.dice = kept + it.place(["green", "green", "jester"])
    it.look()
    assert it.events[-1]["event"] == "roll" and it.state.rolls == 2


def test_the_first_roll_must_be_of_all_seven_or_is_asked_about(tmp_path: Path) -> None:
    it = rolling(tmp_path)
    it.roll(rolled=[0, 1, 2, 3], faces=["green"] * 4)
    assert it.state.rolls == 0 and it.problem == "unsure_roll"
    it.press("ok")
    assert it.state.rolls == 1


@pytest.mark.parametrize(("count", "code"), [(6, "too_few_dice"), (8, "too_many_dice")])
def test_six_or_eight_dice_are_named_and_the_rest_can_be_entered(tmp_path: Path, count: int, code: str) -> None:
    it = rolling(tmp_path)
    lay = it.dice
    it.dice = []
    it.dice = it.place(["blue", "blue", "red", "green", "wizard", "jester", "yellow", "yellow"][:count], far_from=lay)
    it.look()
    assert it.problem == code and it.view.facts["number"] == count
    it.look(touched=False)
    assert it.problem == code and it.state.rolls == 0
    it.press("ok")
    assert it.view.code == "dice.confirm"
    it.press("ok")
    assert it.state.rolls == 0, "six or eight dice can't be confirmed"
    if count == 6:
        it.press("up", "ok")
        assert it.events[-1]["faces"].count("blue") == 3
    else:
        while it.view.facts["faces"].count("away") == 0:
            it.press("up")
        it.press("ok")
    assert it.state.rolls == 1 and len(it.state.faces) == DICE
    it.look(touched=False)
    assert it.problem is None


def test_a_missing_die_that_turns_up_makes_the_roll(tmp_path: Path) -> None:
    it = rolling(tmp_path)
    lay, it.dice = it.dice, []
    it.dice = it.place(["blue"] * 6, far_from=lay)
    it.look()
    assert it.problem == "too_few_dice"
    it.dice += it.place(["red"], far_from=lay)
    it.look()
    assert it.problem is None and it.events[-1]["faces"] == ["blue"] * 6 + ["red"]


def test_a_die_that_cant_be_read_is_asked_for_even_where_certain_rolls_are_not(tmp_path: Path) -> None:
    it = rolling(tmp_path)
    it.dice = [Die(None if i == 3 else "blue", 40 * i, 700) for i in range(DICE)]
    it.look()
    assert it.view.code == "dice.confirm" and it.problem == "unsure_die"
    it.press("ok")
    assert it.state.rolls == 0
    it.press("up", "up", "ok")
    assert it.events[-1]["faces"].count("red") == 1


@pytest.mark.parametrize("confirm", ["unsure", "always"])
def test_a_hand_that_rests_over_dice_is_neither_a_roll_nor_refused(tmp_path: Path, confirm: str) -> None:
    it = rolled(tmp_path, confirm)
    lay = it.dice
    for fingers in ([], [0.1], [0.2, 0.5], [0.3, 0.6, 0.7], [0.1] * 9):
        it.dice = [*lay[:5], *(Die(None, 40 * k, 900, c) for k, c in enumerate(fingers))]
        view = it.look(still_ms=1000)
        assert (it.problem, view.facts.get("ask")) == (None, None)
        it.dice = lay
        assert it.look().code == "dice.table"
    assert it.state.rolls == 1


def test_a_die_that_stays_unread_is_asked_about(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.dice = [*it.dice[:6], Die(None, 40, 900, 0.2)]
    it.look(still_ms=1000)
    assert it.problem is None
    it.look(touched=False, still_ms=5000)
    assert (it.view.code, it.problem) == ("dice.confirm", "unsure_die")
    it.press("up", "ok")
    assert it.state.rolls == 2


def test_what_a_lamp_makes_look_like_dice_is_not_counted(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    rims = [Die(None, 60 * k, 1200, 0.1) for k in range(4)]
    it.dice += rims
    it.look()
    assert (it.problem, it.state.rolls) == (None, 1)
    seven = it.dice[:7]
    it.dice = [*it.place(["green"] * 7, far_from=seven), *rims]
    it.look()
    assert it.state.rolls == 2 and it.state.faces == ("green",) * 7
    it.dice = it.dice[1:]  # one of the seven is gone while the light still deceives
    it.dice = [*it.place(["red"] * 6, far_from=it.dice), *rims]
    it.look()
    assert it.problem == "too_few_dice"


def test_a_die_whose_face_the_players_gave_is_known_when_it_is_turned(tmp_path: Path) -> None:
    it = rolling(tmp_path, "always")
    it.roll(["blue", "blue", "red", "red", "wizard", "jester", "green"])
    it.dice[6].face = None  # badly lit
    it.look()
    while it.view.facts["faces"][it.view.facts["marked"]] != "green":
        it.press("up")
    it.press("ok")
    assert it.state.rolls == 1 and it.state.faces.count("green") == 1
    it.dice[6].face = "blue"
    it.look()
    assert it.problem == "turned_die"
    it.dice[6].face = "green"
    it.look()
    assert it.problem is None and it.state.rolls == 1


def test_a_wrong_die_is_mended_in_two_presses(tmp_path: Path) -> None:
    it = rolling(tmp_path, "always")
    it.dice = [Die("green", 40 * i, 700, 0.9 if i == 2 else 0.8 if i == 5 else 0.99) for i in range(DICE)]
    it.look()
    assert it.view.code == "dice.confirm" and it.state.rolls == 0
    assert it.view.facts["marked"] == 5, "the least certain die is marked"
    it.look(touched=False)
    it.press("down", "up")
    it.look(touched=True)  # a hand over the table on its way to the button
    it.press("ok")
    assert it.events[-1]["faces"].count("wizard") == 1


def test_a_tap_means_the_roll_that_is_asked_about_not_an_equal_one_before_it(tmp_path: Path) -> None:
    it = rolling(tmp_path, "always")
    it.dice = [Die("green", 40 * i, 700) for i in range(DICE)]
    it.look()
    it.press("ok")
    daemon: Any = SimpleNamespace(arbiter=it.arbiter)
    first = it.arbiter.scene(it.t_ms).reading
    assert first is not None and not it.arbiter.asking
    assert _mend(daemon, it.t_ms, "die", first.dice[0].box, "red") is None
    assert it.events[-1]["faces"].count("red") == 1, "nothing is asked: the roll that was taken over is meant"
    it.dice = [Die("green", 40 * i, 300) for i in range(DICE - 1)] + [Die("red", 0, 500)]
    it.look()
    again = it.arbiter.scene(it.t_ms).reading
    assert again is not None and it.arbiter.asking
    before = list(it.events)
    assert _mend(daemon, it.t_ms, "die", again.dice[0].box, "blue") is None
    assert it.events == before


def test_the_likeliest_other_face_is_offered_first(tmp_path: Path) -> None:
    it = rolling(tmp_path, "always")
    likely = ("red", "jester", "green")
    it.dice = [Die("green", 40 * i, 700, 0.99) for i in range(DICE - 2)]
    it.dice += [Die("red", 280, 700, 0.85, likely), Die(None, 320, 700, 0.5, likely[::-1])]
    it.look()
    it.press("up")
    assert it.view.facts["faces"][it.view.facts["marked"]] == "green", "unread, so the likeliest one comes first"
    it.press("down", "up")
    assert it.view.facts["faces"][it.view.facts["marked"]] == "jester", "instead of the red that was read"
    it.press("ok")
    assert it.events[-1]["faces"].count("green") == 6
    assert it.events[-1]["faces"].count("jester") == 1


def test_a_roll_that_was_taken_over_can_be_mended(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.press("ok")
    it.choose("a die is wrong")
    it.press("up", "ok")
    assert it.state.rolls == 1 and it.events[-1]["faces"].count("red") == 2
    assert sum(e["event"] == "roll" for e in it.events) == 1
    it.look(touched=False)
    assert it.state.rolls == 1 and it.view.code == "dice.table"
    it.press("ok", hold=True)
    it.choose("correct the camera")
    assert it.view.code == "dice.confirm"


# ---- scoring, and the next seer ----


def test_the_jester_entry_is_offered_where_it_is_legal_and_says_what_it_changes(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.press("ok")
    it.choose("{name} leaves", name="Cleo")
    assert len(it.view.choices) == 2 and it.view.picture is not None
    values = [{k: said(v) for k, v in c.values} for c in it.view.choices]
    assert (values[0]["entry"], values[0]["points"], values[0]["crosses"]) == ("-1", -1, 0)
    assert (values[1]["entry"], values[1]["points"], values[1]["crosses"]) == ("jester {number}", 0, 1)
    it.press("down", "ok")
    assert it.events[-1] == {"event": "score", "player": 2, "entry": "jesters"}
    it.press("ok")
    it.choose("{name} leaves: X!", name="Ben")
    assert len(it.view.choices) == 1, "never instead of an X"


def test_leaving_with_a_difference_is_not_offered_where_the_table_forbids_it(tmp_path: Path) -> None:
    it = rolling(tmp_path, drop_out="exact_only")
    it.roll(["blue", "blue", "red", "red", "jester", "jester", "jester"])
    it.press("ok")
    assert [c.id for i, c in enumerate(it.view.choices) if i in it.view.barred] == ["{name}: X only"]
    assert [c.id for c in it.view.choices].count("{name} leaves: X!") == 1


def test_why_names_the_next_seer_and_each_entry(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.press("ok", hold=True)
    it.press("ok")
    assert it.view.code == "dice.why_nothing"
    it.press("back")
    it.leave(1)
    it.leave(0)
    it.press("ok")
    assert it.state.round == 2 and it.state.seer == 1
    assert it.view.code == "dice.bid" and it.view.lines[0].id == "highest: {bid}"
    it.press("ok", hold=True)
    it.press("ok")
    assert it.view.code == "dice.why_seer" and said(it.view.big) == "Ben"
    seen = []
    for _ in range(3):
        it.press("down")
        seen.append((it.view.code, it.view.facts["player"]))
    assert seen == [("dice.why", 2), ("dice.why", 0), ("dice.why", 1)]


def test_the_chance_is_shown_on_request_and_before_the_roll_only_where_switched_on(tmp_path: Path) -> None:
    it = rolling(tmp_path / "off")
    assert "{bid}: {percent} %" not in [line.id for line in it.view.lines]
    it.roll(["blue", "blue", "red", "red", "jester", "jester", "jester"])
    it.press("down")
    assert it.view.code == "dice.chance" and it.view.facts["reroll"] == (2, 3, 4, 5, 6)
    assert round(it.view.facts["chance"], 3) == 0.722
    on = rolling(tmp_path / "on", chances=True)
    line = next(line for line in on.view.lines if line.id == "{bid}: {percent} %")
    assert dict(line.values)["percent"] == 53


# ---- undo, resume, faults ----


def test_a_roll_that_was_taken_back_is_not_taken_over_again_by_itself(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.press("back", hold=True)
    it.look(touched=False)
    it.look()
    assert it.state.rolls == 0 and it.view.code == "dice.roll"
    it.press("ok")
    assert it.view.code == "dice.confirm" and None not in it.view.facts["faces"], "what lies there is proposed"
    it.press("back")
    it.roll(["blue"] * 7)
    assert it.state.rolls == 1


def test_a_game_goes_on_after_a_restart_exactly_where_it_was(tmp_path: Path) -> None:
    it = rolled(tmp_path)
    it.leave(1)
    arbiter = Arbiter(Journal(tmp_path), names=NAMES, draw=lambda: 0)
    arbiter.open()
    again = Table(arbiter, dice=it.dice)
    assert again.view.code == "go_on"
    again.press("ok")
    assert again.events == it.events and again.state == it.state
    again.look()
    assert again.view.code == "dice.table" and again.state.rolls == 1


def test_without_sight_for_a_while_the_game_goes_on_by_buttons(tmp_path: Path) -> None:
    it = rolling(tmp_path)
    it.arbiter.lose_sight(it.t_ms, "unplugged", it.view.big)  # type: ignore[arg-type]
    it.press("ok")  # the notice
    it.enter_roll(["blue"] * 4 + ["wizard"] * 3)
    assert it.state.rolls == 1
    it.look()
    it.look(touched=False)
    assert it.state.rolls == 1 and it.view.code == "dice.table"


def test_the_questions_before_a_game_lead_to_a_header(tmp_path: Path) -> None:
    arbiter = Arbiter(Journal(tmp_path), names=NAMES[:3], draw=lambda: 5)
    arbiter.open()
    it = Table(arbiter)
    it.choose("Wizard dice")
    it.choose("{number} players", number=4)
    it.press("ok", "ok", "ok", "ok")  # the fourth has no name left
    assert it.view.code == "dice.first" and it.view.facts["first"] == 1
    it.choose("settings")
    it.choose("ends with {number} X")
    it.choose("spells: no")
    it.choose("done")
    it.press("ok")
    assert arbiter.game is not None
    assert arbiter.game.header["settings"] == {"target": 12, "drop_out": "any", "spells": True}
    assert [p["name"] for p in arbiter.game.header["players"]] == ["Ana", "Ben", "Cleo", "4"]
    assert arbiter.game.header["first_seer"] == 1


# ---- spells ----


def test_a_spell_is_switched_on_named_and_kept_to(tmp_path: Path) -> None:
    it = table(tmp_path, spells=True)
    it.press("ok")
    it.choose("a spell")
    it.choose("{mark} bids double")
    it.choose("{mark} jesters stay")
    it.choose("name: {name}")
    it.press("down", "ok", "ok", "up", "up", "ok")  # B, B; then past A: done
    it.choose("done")
    modifiers = {"double": True, "jesters_locked": True}
    assert it.events == [{"event": "spell", "name": "BB", "modifiers": modifiers}]
    it.bid_all(*BIDS)
    it.look(touched=False)
    it.roll(["blue", "blue", "blue", "red", "jester", "jester", "jester"])
    it.roll(["red", "red"], [5, 6])
    assert it.problem == "jester_rerolled" and it.state.rolls == 1
    it.dice[5].face = it.dice[6].face = "jester"
    it.look()
    it.press("back")
    it.leave(0)
    assert it.state.sheets[0].crosses == 2 and it.state.sheets[0].points(9) == 6


def test_with_late_bids_the_roll_comes_first(tmp_path: Path) -> None:
    it = table(tmp_path, spells=True)
    it.press("ok")
    it.choose("a spell")
    it.choose("{mark} roll, then bid")
    it.press("down", "down", "down", "down")
    it.choose("done")
    it.look(touched=False)
    it.roll(["blue", "blue", "blue", "red", "wizard", "jester", "jester"])
    assert it.state.rolls == 1 and it.state.phase == "bid"
    it.bid_all(*BIDS)
    it.look(touched=False)
    assert it.view.code == "dice.table" and it.state.phase == "roll"
    assert it.leave(1)["entry"] == "bid" and it.state.sheets[1].crosses == 1


def test_dice_that_the_seer_may_turn_by_a_spell_are_asked_about_as_a_roll(tmp_path: Path) -> None:
    it = table(tmp_path, spells=True)
    it.press("ok")
    it.choose("a spell")
    it.choose("{number} dice set by seer")
    it.press("ok")
    it.press("down", "down", "down")
    it.choose("done")
    assert it.events[0]["modifiers"] == {"seer_sets": 2}
    it.bid_all(*BIDS)
    it.look(touched=False)
    it.roll(["blue", "blue", "green", "red", "wizard", "jester", "jester"])
    it.dice[6].face = "blue"
    it.look()
    assert it.view.code == "dice.confirm" and it.problem == "unsure_roll" and it.state.rolls == 1
    it.press("ok")
    assert it.state.rolls == 2 and it.events[-1]["faces"].count("blue") == 3


def test_a_minus_is_erased_at_the_own_turn_to_bid(tmp_path: Path) -> None:
    it = rolled(tmp_path, spells=True)
    for player in (2, 1, 0):
        it.leave(player)
    assert it.state.sheets[2].minus == [("green", 1)]
    it.press("ok")
    it.choose("a spell")
    it.choose("{mark} erase a minus")
    it.choose("done")
    it.bid(("yellow", 1))  # Ben has no minus
    it.press("ok")
    it.choose("erase a minus")
    it.press("ok")
    assert it.events[-1] == {"event": "erase", "player": 2, "colour": "green", "number": 1}
    assert it.state.sheets[2].points(9) == 0
    it.press("ok")
    assert "erase a minus" not in [c.id for c in it.view.choices], "once"


def test_who_has_no_free_cell_passes(tmp_path: Path) -> None:
    it = table(tmp_path, 2)
    assert it.arbiter.game is not None
    sheet = Sheet({(c, n): 0 for c in COLOURS for n in range(1, 6) if (c, n) != ("red", 1)})
    it.arbiter.game.state = replace(it.state, sheets=(Sheet(), sheet))
    it.bid(("red", 1))
    it.look()
    assert it.events[-1] == {"event": "pass", "player": 1} and it.state.phase == "wizard_colour"
    assert it.view.code == "dice.wizards"


def test_without_a_spell_card_bidding_goes_on(tmp_path: Path) -> None:
    it = table(tmp_path, spells=True)
    it.press("ok")
    it.choose("no spell")
    it.choose("{colour}  {numbers}", colour="red")
    it.choose("{words}", words="4")
    assert it.events == [{"event": "bid", "player": 0, "colour": "red", "number": 4}]
