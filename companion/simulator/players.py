"""What simulated players of every game have in common: they read the display, keep the truth and a list of mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from companion.screens.view import Text, View
from companion.simulator.base import Mistake
from companion.simulator.script import Runner, Script, Stuck, Tap, Until, Wait
from hardware.base import ButtonName, Press

if TYPE_CHECKING:
    from companion.simulator.slips import Slip

T = TypeVar("T")
NAMES = ("Ana", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gül", "Hugo", "Íñigo", "Jana")
TAP_MS = 350  # from a press until people have seen what it did
UNDUE_MS = 3000  # a refusal may stand for about a second after it was mended
UNNOTICED_MS = 20_000
QUIET_MS = 3000  # as long as people wait for a refusal that must not come: the companion needs about one second


class Players:
    """The half of a :class:`companion.simulator.base.SimulatedGame` that no game changes.

    Args:
        header: of the game.
        rng: the source of chance.
        play: the script of the whole game.

    Attributes:
        kinds: of slips, by name.
        plan: the slips that will be made: from which round on, which kind.
        state: of the rules, as things truly stand; it knows its ``round``.
    """

    kinds: ClassVar[Mapping[str, Slip]]
    plan: list[tuple[int, str]]
    state: Any

    def __init__(self, header: Mapping[str, Any], rng: np.random.Generator, play: Script) -> None:
        self.header = header
        self.rng = rng
        self.truth: list[dict[str, Any]] = []
        self.mistakes: list[Mistake] = []
        self.disputes: list[dict[str, Any]] = []
        self.entered: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.over = False
        self.confirming = True
        self.shown = View("off")
        self._now = 0
        self._runner = Runner(play)

    def act(self, t_ms: int, shown: View) -> tuple[Press, ...]:
        """Let the players look at the display and the table and go on; returns the buttons they press now.

        Raises:
            Stuck: the players wait for something that the display never says, or the companion took over an event
                that did not happen.
        """
        self._now, self.shown = t_ms, shown
        if self.events > len(self.truth):
            raise Stuck(f"after {t_ms / 1000:.1f} s: the companion took over something that did not happen")
        presses = self._runner.advance(t_ms, shown)
        self.over = self._runner.done
        self._mind(t_ms)
        return presses

    @property
    def events(self) -> int:
        """How many events the display says were taken over."""
        events = self.shown.facts.get("events", 0)
        return events if isinstance(events, int) else 0

    def _mind(self, t_ms: int) -> None:
        """Keep a refusal in mind that the display shows though nobody did anything wrong."""
        problem, since = self.shown.facts.get("problem"), self._runner.waiting_since
        owed = bool(self.mistakes) and self.mistakes[-1].expected is not None and not self.mistakes[-1].answered
        if problem is None or since is None or owed or t_ms - since < UNDUE_MS:
            return
        fault = f"event {len(self.truth)}: {problem} is shown for nothing by {self.shown.code}"
        if fault not in self.faults:
            self.faults.append(fault)

    # ---- choices ----

    def pick(self, options: Sequence[T]) -> T:
        """One of several, by chance."""
        return options[self.index(len(options))]

    def index(self, count: int) -> int:
        """A number below ``count``, by chance."""
        return int(self.rng.integers(count))

    # ---- buttons ----

    def tap(self, button: ButtonName) -> Script:
        """Press a button and look at what it did."""
        yield Tap(button)
        yield Wait(TAP_MS)

    def choose(self, what: str, wanted: Callable[[Text], bool], then: Callable[[], None] | None = None) -> Script:
        """Take a line of the list on the display.

        Args:
            what: is chosen, named when the line never comes.
            wanted: tells the line.
            then: called before the last press.
        """
        yield Until(lambda v: any(wanted(text) for text in v.choices), f"a line for {what}")
        while not wanted(self.shown.choices[self.shown.chosen]):
            lines = self.shown.choices
            away = next(i for i, text in enumerate(lines) if wanted(text)) - self.shown.chosen
            yield from self.tap("down" if away % len(lines) <= len(lines) // 2 else "up")
        yield Wait(float(self.rng.integers(150, 500)))
        if then is not None:
            then()
        yield from self.tap("ok")

    # ---- mistakes ----

    def slips(self, moment: str) -> Script:
        """Make one of the slips of this moment that are scripts of their own."""
        for first, name in list(self.plan):
            slip = self.kinds[name]
            if slip.moment == moment and first <= self.state.round and slip.make is not None:
                script = slip.make(self)
                if script is not None:
                    self.plan.remove((first, name))
                    yield from script
                    return

    def take_slip(self, *names: str) -> str | None:
        """One of these slips if it is due: it is made now."""
        for first, name in self.plan:
            if name in names and first <= self.state.round:
                self.plan.remove((first, name))
                return name
        return None

    def note(self, kind: str, expected: str | None) -> None:
        """A mistake lies on the table."""
        self.mistakes.append(Mistake(self._now, kind, expected))

    def noted(self) -> None:
        """The last mistake was answered as it should be."""
        self.mistakes[-1] = replace(self.mistakes[-1], answered=True)

    def wrong(self, kind: str, expected: str, told: Callable[[Mapping[str, Any]], bool] | None = None) -> Script:
        """Wait until a screen says what is wrong; when none does, people see it themselves after a while.

        Args:
            kind: of the mistake.
            expected: the problem that the screen must name.
            told: whether facts say it; None: when they name that problem.
        """
        self.note(kind, expected)
        said = told or (lambda facts: facts.get("problem") == expected)
        if (yield Until(lambda view: said(view.facts), f"the refusal {expected!r}", UNNOTICED_MS, soft=True)):
            self.noted()

    def harmless(self, kind: str, script: Script, allowed: Iterable[str] = ()) -> Script:
        """Do something, then see that nothing comes of it.

        Args:
            kind: what it is.
            script: does it.
            allowed: problems that may be shown all the same.
        """
        self.note(kind, None)
        events, silent = len(self.truth), {None, *allowed}
        yield from script
        came: set[str] = set()
        for _ in range(QUIET_MS // 200):
            yield Wait(200)
            if self.shown.facts.get("problem") not in silent or self.events > events:
                came.add(f"{self.shown.code} {self.shown.facts.get('problem')}")
        if not came:
            self.noted()
        else:
            self.faults.append(f"event {events}: {kind} was not let pass: {', '.join(sorted(came))}")
