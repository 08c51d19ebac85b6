"""What tests do with an arbiter of any game: look at the display, press buttons, take lines; time is theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.arbiter.arbiter import Arbiter
from companion.screens.view import Button, Text, View
from hardware.base import Press


@dataclass
class Watched:
    """An arbiter whose buttons are pressed twice a second."""

    arbiter: Arbiter
    t_ms: int = 0

    @property
    def state(self) -> Any:
        assert self.arbiter.game is not None
        return self.arbiter.game.state

    @property
    def events(self) -> list[dict[str, Any]]:
        assert self.arbiter.game is not None
        return [{k: v for k, v in e.items() if k != "t_ms"} for e in self.arbiter.game.events]

    @property
    def view(self) -> View:
        return self.arbiter.view(self.t_ms)

    @property
    def problem(self) -> str | None:
        problem: str | None = self.view.facts.get("problem")
        return problem

    def press(self, *buttons: Button, hold: bool = False) -> View:
        for button in buttons:
            self.t_ms += 500
            self.arbiter.press(Press(self.t_ms, button, "hold" if hold else "press"))
        return self.view

    def choose(self, message: str, **values: Any) -> None:
        """Take the option of this message, whose values are among its own."""
        for _ in range(20):
            text = self.view.choices[self.view.chosen]
            if text.id == message and values.items() <= {k: said(v) for k, v in text.values}.items():
                self.press("ok")
                return
            self.press("down")
        raise AssertionError(f"{message} {values} is not among {self.view.choices}")


def said(value: Any) -> Any:
    """What a value in a text says, in English."""
    return value.values[0][1] if isinstance(value, Text) and value.id == "{words}" else getattr(value, "id", value)
