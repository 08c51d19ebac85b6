"""Scripts for simulated people: generators that yield what they wait for, run on a clock that is passed in."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hardware.base import ButtonName, Press

if TYPE_CHECKING:
    from companion.screens.view import View

PATIENCE_MS = 60_000


class Stuck(RuntimeError):  # noqa: N818 - it says how things stand
    """People wait for something that never comes; the message says what."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let some time pass."""

    ms: float


@dataclass(frozen=True, slots=True)
class Until:
    """Wait until the display says something.

    Args:
        test: whether a view says it.
        what: named when it never does.
        limit_ms: how long to wait.
        soft: after the limit go on (the yield gives False) instead of being stuck.
    """

    test: Callable[[View], bool]
    what: str
    limit_ms: int = PATIENCE_MS
    soft: bool = False


@dataclass(frozen=True, slots=True)
class Tap:
    """Press a button, or hold it."""

    button: ButtonName
    action: Literal["press", "hold"] = "press"


Script = Generator[Wait | Until | Tap, bool, None]


class Runner:
    """Runs one script.

    >>> from companion.screens.view import View
    >>> def greet():
    ...     yield Wait(500)
    ...     yield Until(lambda view: view.code == "ready", "ready")
    ...     yield Tap("ok")
    >>> runner = Runner(greet())
    >>> [len(runner.advance(t, View("busy" if t < 900 else "ready"))) for t in range(0, 1200, 300)]
    [0, 0, 0, 1]
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._due = 0.0
        self._until: Until | None = None
        self._answer = False
        self.waiting_since: float | None = None
        self.done = False

    def advance(self, t_ms: int, shown: View) -> tuple[Press, ...]:
        """Let the script go on as far as time and display allow.

        Args:
            t_ms: now; never less than the last time.
            shown: the display.

        Returns:
            The buttons pressed.

        Raises:
            Stuck: the display has not said in time what the script waits for.
        """
        presses: list[Press] = []
        while not self.done:
            if self._until is not None:
                if not self._look(t_ms, shown):
                    break
            elif self._due > t_ms:
                break
            try:
                step = next(self._script) if self._due == 0 and self._fresh else self._script.send(self._answer)
            except StopIteration:
                self.done = True
                break
            self._fresh, self._answer = False, True
            if isinstance(step, Wait):
                self._due += step.ms
            elif isinstance(step, Tap):
                presses.append(Press(t_ms, step.button, step.action))
            else:
                self._until, self.waiting_since = step, max(self._due, float(t_ms))
        return tuple(presses)

    _fresh = True

    def _look(self, t_ms: int, shown: View) -> bool:
        """Whether the wait for the display is over."""
        assert self._until is not None and self.waiting_since is not None
        said = self._until.test(shown)
        late = t_ms - self.waiting_since >= self._until.limit_ms
        if not said and not late:
            return False
        if not said and not self._until.soft:
            facts = {
                k: v for k, v in shown.facts.items() if k in ("phase", "problem", "spaces", "events", "ask", "hand")
            }
            raise Stuck(
                f"after {t_ms / 1000:.1f} s: waited {self._until.limit_ms / 1000:.0f} s for {self._until.what}; "
                f"the display shows {shown.code} {facts}"
            )
        self._answer, self._until, self.waiting_since = said, None, None
        self._due = max(self._due, float(t_ms))
        return True
