"""The display, fed with views: draws what has changed, and outlives a display that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.errors import DisplayError
from companion.screens.language import Translator
from companion.screens.render import render

if TYPE_CHECKING:
    from companion.screens.view import View
    from companion.troubles import Troubles
    from hardware.base import Display

BLINK_MS = 500


class Panel:
    """Shows views.

    Args:
        display: where.
        troubles: told when the display fails, and when it works again.
    """

    def __init__(self, display: Display, troubles: Troubles) -> None:
        self._display = display
        self._troubles = troubles
        self._shown: tuple[View, str, int] | None = None

    def show(self, view: View, language: str, t_ms: int) -> None:
        """Draw a view, when it or a blinking part of it differs from the last one. Never raises for a bad display.

        Args:
            view: what to say.
            language: code of the players' language.
            t_ms: now.
        """
        key = (view, language, t_ms // BLINK_MS % 2)
        if key == self._shown:
            return
        image = render(view, self._display.size, Translator(language), t_ms)
        try:
            self._display.show(image, t_ms)
        except DisplayError as error:
            self._troubles.say("display", str(error))
            return
        self._troubles.say("display", "")
        self._shown = key
