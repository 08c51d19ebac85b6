"""The arbiter: one writer of the game. A reading never edits it; only what is legal and certain, or confirmed, does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from companion.arbiter import menus
from companion.arbiter.believed import Believed
from companion.arbiter.book import Book
from companion.arbiter.flow import Answer, Command, Commit, Confirm, Edit, Overrule, Remember, Scene, Start, Step
from companion.arbiter.forms import Form, Pages
from companion.arbiter.game import Game
from companion.arbiter.overruled import Overruled
from companion.errors import RecordError
from companion.games import GAMES, flow_of
from companion.games.base import Refusal
from companion.layout import BUILT_IN
from companion.screens.view import Text, View

if TYPE_CHECKING:
    from companion.arbiter.sight import Sight
    from companion.journal import Journal
    from hardware.base import Press

log = logging.getLogger(__name__)
NOTICE_MS = 4000
CHAINED = 8  # events that one reading may settle at once (a placing and the passes after it), against endless loops


class Arbiter:
    """Leads the players through a game.

    Args:
        journal: where every committed event goes before it is shown.
        names: names that players can choose from.
        confirm: whether cuts, bids and rolls are always confirmed, or only where a reading is unsure.
        draw: gives a random number, for drawing the first player.
        camera: whether there is a camera at all.
        fresh: never offer to go on with a saved game (a recording is played the same way every time).
        language: code of the language to start with.
        board: tells name or file of the layout that new games on a board are played on.

    Attributes:
        phone: makes the screen that lets a phone in; None where there is no page for it.
        can_guide: whether whoever runs the arbiter can lead through a calibration.
        guide_wanted: the calibration that the players chose from the menu, until whoever runs the arbiter takes it.
        sound: whether the buzzer is on; None: there is none.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        names: Sequence[str],
        draw: Callable[[], int],
        confirm: Confirm = "always",
        camera: bool = True,
        fresh: bool = False,
        language: str = "en",
        board: Callable[[], str] = lambda: BUILT_IN[0],
    ) -> None:
        self.language = language
        self.can_guide = False
        self.guide_wanted: str | None = None
        self.sound: bool | None = None
        self.phone: Callable[[], Form] | None = None
        self._book = Book(journal)
        self._names = tuple(dict.fromkeys(names))
        self._confirm = confirm
        self._draw = draw
        self._camera = camera
        self._fresh = fresh
        self._board = board
        self._form: Form | None = None  # opened by a player; takes the buttons first
        self._entering = False  # whether it enters what was due when it was opened
        self._ask: Form | None = None  # asked by the flow
        self._step: Step[Any] | None = None
        self._memory: Any = None
        self._page = 0
        self._table = Believed()
        self._notice: tuple[View, int] | None = None
        self._undone: Any = None
        self._asked_key = ""

    # ---- beginning ----

    def open(self) -> None:
        """Offer to go on with the saved game, or ask what to play."""
        saved = None if self._fresh else self._book.saved
        if self._book.damage:
            log.warning("%s", self._book.damage)
        self._form = self._games()
        if saved is None:
            return
        try:
            game = Game(saved.header, saved.events)
        except (RecordError, Refusal) as error:
            log.warning("the saved game can't be replayed (%s); it is kept in games/", error)
            return
        if not game.rules.is_over(game.state):
            names = [str(p.get("name", "")) for p in saved.header.get("players", ())]
            self._form = menus.go_on(names, len(saved.events), damaged=self._book.damage is not None)

    def begin(self, header: Mapping[str, Any]) -> None:
        """Start a new game.

        Args:
            header: of its record. Without a layout, a game on a board is played on the calibrated one.

        Raises:
            RecordError: the header describes no possible game.
            OSError: the journal can't be written.
        """
        if "layout" not in header and flow_of(str(header.get("game"))).eyes == "board":
            header = {**header, "layout": self._board()}
        self._book.begin(header)
        self._begun()

    def resume(self) -> None:
        """Go on with the saved game."""
        if self._book.resume():
            self._begun()

    @property
    def game(self) -> Game | None:
        """The game being played; None before the first."""
        return self._book.game

    def _begun(self) -> None:
        """Forget what belonged to the game before."""
        self._form = self._ask = self._step = self._notice = None
        self._memory, self._page, self._undone = None, 0, None
        self._table.words = Overruled()

    def _changed(self) -> None:
        """Go on after a change of the game's past; the players' words against the camera still hold."""
        assert self.game is not None
        words, memory = self._table.words, self.game.flow.kept(self._memory)
        self._begun()
        self._table.words, self._memory = words, memory

    def _games(self) -> Form:
        """The question which game to play, each with its set-up behind it."""
        draw, flows = self._draw(), {name: flow_of(name) for name in GAMES}
        forms = {name: (flow.title, flow.setup(self._names, draw)) for name, flow in flows.items()}
        return menus.which_game(forms)

    # ---- what comes in ----

    def see(self, t_ms: int, sight: Sight, bottom: int = 1) -> None:
        """Take what the camera sees now.

        Args:
            t_ms: now.
            sight: from the watcher.
            bottom: the board side at the picture's bottom edge in the calibration picture.
        """
        self._say_trouble(t_ms, sight.problem, menus.UNREADABLE)
        self._table.take(t_ms, sight, bottom)
        self.tick(t_ms)

    def lose_sight(self, t_ms: int, problem: str, short: Text) -> None:
        """The camera gives no pictures; the game goes on by buttons.

        Args:
            t_ms: now.
            problem: why, one English line.
            short: the same for the display.
        """
        self._say_trouble(t_ms, problem, short)
        self._table.lose(problem)
        self.tick(t_ms)

    def _say_trouble(self, t_ms: int, problem: str | None, short: Text) -> None:
        """Say a trouble once, when it begins."""
        if problem is not None and self._table.sight.problem is None:
            self._notice = (menus.trouble(short), t_ms + NOTICE_MS)

    def press(self, press: Press) -> None:
        """Take a finished button action."""
        t_ms = press.t_ms
        if press.action == "hold":
            if press.button == "back":
                self._undo(t_ms)
            elif press.button == "ok":
                self._form, self._entering = self._menu(t_ms), False
        elif self._notice is not None and t_ms < self._notice[1]:
            self._notice = None
        elif self._form is not None:
            self._answer(self._form.press(press.button), t_ms, modal=True)
        elif self._ask is not None:
            self._answer(self._ask.press(press.button), t_ms, modal=False)
        elif press.button in ("up", "down"):
            self._page += 1 if press.button == "down" else -1
        elif press.button == "ok" and self._step is not None:
            self._form, self._entering = self._step.on_ok, True
        self.tick(t_ms)

    def edit(self, index: int, event: Any, t_ms: int, *, count: int = 1) -> Refusal | None:
        """Put another event in the place of past ones, and judge everything after it anew.

        The journal is replaced in one step; when an event no longer fits, or the disk refuses, nothing has changed.

        Args:
            index: of the first event to replace, from 0.
            event: what comes in its place, as the game's rules parse it.
            t_ms: now.
            count: how many events it replaces.

        Returns:
            The refusal of the first event that no longer fits (``details["index"]``: which), shown on the display,
            too; None when it is done, or when the disk refused, which the display says.

        Raises:
            IndexError: no game is being played, or it has no such events.
        """
        if self.game is None:
            raise IndexError("no game is being played")
        against = self._against(lambda: self._book.edit(index, event, count), t_ms)
        if against is None:
            self._changed()
        return against if isinstance(against, Refusal) else None

    def tick(self, t_ms: int) -> None:
        """Let the flow judge the scene as it is now, and commit what is legal and certain."""
        if self.game is None:
            return
        for _ in range(CHAINED):
            step = self.game.flow.step(self.scene(t_ms))
            self._step, self._memory = step, step.memory
            if step.ask is None or self._ask is None or step.ask.key != self._asked_key:
                self._ask = step.ask
                self._asked_key = step.ask.key if step.ask else ""
            if step.commit is None:
                quiet = step.ask is None and not step.view.facts.get("problem")
                if self._table.sight.settled and quiet and not step.shows_undone:
                    self._undone = None
                return
            if step.commit == self._undone or not self._commit(step.commit, t_ms):
                return
            if self._entering:  # the eyes were faster than the players' fingers
                self._form = None

    def scene(self, t_ms: int) -> Scene[Any]:
        """What the flow judges now; there must be a game."""
        assert self.game is not None
        sight = self._table.sight
        return Scene(
            state=self.game.state,
            reading=self._table.reading,
            memory=self._memory,
            t_ms=t_ms,
            settled=sight.settled is not None,
            hand=sight.hand,
            camera=self._camera and sight.problem is None,
            confirm=self._confirm,
            page=self._page,
            bottom=self._table.bottom,
            since_ms=sight.since_ms,
            last=self.game.last,
            undone=self._undone,
        )

    def answer(self, answer: Answer, t_ms: int) -> None:
        """Take what the players say without the buttons, as if a form had asked for it.

        Args:
            answer: an event, a word against a reading, a command.
            t_ms: now.
        """
        self._answer(answer, t_ms, modal=True)
        self.tick(t_ms)

    def settle(self, *, names: Sequence[str] | None = None, confirm: Confirm | None = None) -> None:
        """Take other settings than those of the start; names are for the next game.

        Args:
            names: that players can choose from.
            confirm: what is always confirmed.
        """
        self._names = self._names if names is None else tuple(dict.fromkeys(names))
        self._confirm = self._confirm if confirm is None else confirm

    @property
    def names(self) -> tuple[str, ...]:
        """The names that players can choose from."""
        return self._names

    def drawn(self, count: int) -> int:
        """One of so many, drawn by lot."""
        return self._draw() % count

    @property
    def notes(self) -> Mapping[int, str]:
        """The players' words about events of this game: number of the event from 0 -> text."""
        return self._book.notes

    def annotate(self, index: int, text: str) -> None:
        """Write down the players' words about an event, beside the journal; an empty text takes them away.

        Raises:
            IndexError: no game is being played, or it has no such event.
            OSError: the disk refused.
        """
        self._book.annotate(index, text)

    @property
    def overruled(self) -> frozenset[str]:
        """What the players have said against readings (see :attr:`Overruled.things`)."""
        return self._table.words.things

    # ---- what goes out ----

    @property
    def asking(self) -> bool:
        """Whether the players are asked about what lies there now, before it is taken over."""
        return self._ask is not None

    def view(self, t_ms: int) -> View:
        """The screen to show now, with the facts of the game in it."""
        if self._notice is not None and t_ms < self._notice[1]:
            view = self._notice[0]
        elif self._form is not None:
            view = self._form.view()
        elif self._ask is not None:
            view = self._ask.view()
        elif self._step is not None:
            view = self._step.view
            if self._table.hand_stays(t_ms):
                view = replace(view, title=menus.HANDS)
        else:
            view = menus.starting()
        if self.game is None:
            return view
        facts: dict[str, Any] = {"problem": None, "events": len(self.game.events), "hand": self._table.sight.hand}
        facts |= self.game.flow.facts(self.game.state)
        if self._step is not None:
            facts |= self._step.view.facts
        return replace(view, facts={**facts, **view.facts})

    # ---- inside ----

    def _answer(self, answer: object, t_ms: int, *, modal: bool) -> None:
        """Take what a form's press gave: the form again, an answer, or None."""
        if isinstance(answer, Commit):
            self._form = None
            self._table.doubt()
            if answer.instead:
                self._commit_instead(answer.event, t_ms)
            else:
                all(self._commit(event, t_ms) for event in (answer.event, *answer.following))
        elif isinstance(answer, Edit):
            self._form = None
            self.edit(answer.index, answer.event, t_ms, count=answer.count)
        elif isinstance(answer, Overrule):
            self._form = None
            self._table.overrule(answer)
        elif isinstance(answer, Remember):
            self._form = self._ask = None
            self._memory = answer.memory
        elif isinstance(answer, Start):
            try:
                self.begin(answer.header)
            except OSError as error:
                self._fail_to_save(error, t_ms)
        elif isinstance(answer, Command):
            self._obey(answer, t_ms)
        elif modal:
            self._form = answer  # type: ignore[assignment]  # a Form or None: the answers are all handled above
            if answer is None and self.game is None:
                self.open()
        elif answer is not None:
            self._ask = answer  # type: ignore[assignment]

    def _obey(self, command: Command, t_ms: int) -> None:
        self._form = None
        if command.name == "undo":
            self._undo(t_ms)
        elif command.name == "why":
            pages = self.game.flow.why(self.scene(t_ms)) if self.game else ()
            self._form = Pages(tuple(pages)) if pages else None
        elif command.name == "standing":
            pages = self.game.flow.standing(self.game.state) if self.game else ()
            self._form = Pages(tuple(pages)) if pages else None
        elif command.name == "resume":
            self.resume()
        elif command.name == "new_game":
            self._form = self._games()
        elif command.name == "language":
            self.language = command.value
            if self.game is None:
                self.open()
        elif command.name == "sound":
            self.sound = command.value == "on"
            if self.game is None:
                self.open()
        elif command.name == "calibrate":
            self.guide_wanted = command.value
            if self.game is None:
                self.open()
        else:
            self._table.words = Overruled()

    def _menu(self, t_ms: int) -> Form:
        correct = self.game.flow.correct(self.scene(t_ms)) if self.game else None
        past = self.game.flow.past(self.game.history) if self.game else None
        phone = self.phone() if self.phone is not None else None
        return menus.main_menu(
            correct=correct,
            playing=self.game is not None,
            past=past,
            camera=self._camera and self.can_guide,
            phone=phone,
            sound=self.sound,
        )

    def _commit(self, event: Any, t_ms: int) -> bool:
        """Let an event happen; False when the rules or the disk refuse."""
        if self._against(lambda: self._book.append(event, t_ms), t_ms) is not None:
            return False
        self._page = 0
        self._ask = self._undone = None
        self._table.trust_turn()
        return True

    def _commit_instead(self, event: Any, t_ms: int) -> None:
        """Replace the last event in one step: nothing is lost when the rules or the disk refuse."""
        if self._against(lambda: self._book.replace_last(event, t_ms), t_ms) is None:
            self._changed()

    def _undo(self, t_ms: int) -> None:
        """Take the last event back, if there is one."""
        if self.game is None or not self.game.events:
            return
        event = self.game.history[-1][1]
        if self._against(self._book.undo, t_ms) is None:
            self._changed()
            self._undone = event

    def _against(self, change: Callable[[], None], t_ms: int) -> Refusal | OSError | None:
        """What stands against a change of the game, said on the display; None when it is done."""
        try:
            change()
        except Refusal as refusal:
            assert self.game is not None
            log.info("refused: %s (%s)", refusal.message, refusal.code)
            self._notice = (self.game.flow.refused(refusal), t_ms + NOTICE_MS)
            return refusal
        except OSError as error:
            self._fail_to_save(error, t_ms)
            return error
        return None

    def _fail_to_save(self, error: OSError, t_ms: int) -> None:
        """Say that the disk refuses; the game is as it was."""
        log.error("the journal can't be written: %s", error)
        self._notice = (menus.not_saved(), t_ms + NOTICE_MS)
