"""The display, fed with views: draws what has changed, rests when nothing happens, outlives a display that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.errors import DisplayError
from companion.screens.idle import Idle, shifted
from companion.screens.language import Translator
from companion.screens.render import render

if TYPE_CHECKING:
    from companion.screens.view import View
    from companion.troubles import Troubles
    from hardware.base import Display, Light

BLINK_MS = 500
RETRY_MS = (500, 1000, 2000, 5000, 10_000)  # a display that is not there costs the loop a hundredth of a second a try


class Panel:
    """Shows views.

    Args:
        display: where.
        troubles: told when the display fails, and when it works again.
        idle: dims a display that burns in; None: it never rests.
    """

    def __init__(self, display: Display, troubles: Troubles, idle: Idle | None = None) -> None:
        self._display = display
        self._troubles = troubles
        self._idle = idle if display.burns_in else None
        self._light: Light = "on"
        self._said: View | None = None
        self._shown: tuple[View, str, int, tuple[int, int]] | None = None
        self._failures = 0
        self._retry_ms = 0

    def show(self, view: View, language: str, t_ms: int) -> None:
        """Draw a view, when it or a blinking part of it differs from the last one. Never raises for a bad display.

        Args:
            view: what to say.
            language: code of the players' language.
            t_ms: now.
        """
        light: Light = "on"
        shift = (0, 0)
        if self._idle is not None:
            if view != self._said:
                self._said = view
                self._idle.stir(t_ms)
            light, shift = self._idle.light(t_ms), self._idle.shift(t_ms)
        key = (view, language, t_ms // BLINK_MS % 2, shift)
        if (key == self._shown and light == self._light) or t_ms < self._retry_ms:
            return
        try:
            if light != self._light:
                self._light = light
                self._display.light(light)
            if light != "off":
                self._display.show(shifted(render(view, self._display.size, Translator(language), t_ms), shift), t_ms)
        except DisplayError as error:
            self._troubles.say("display", str(error))
            self._retry_ms = t_ms + RETRY_MS[min(self._failures, len(RETRY_MS) - 1)]
            self._failures += 1
            self._shown = None
            return
        self._troubles.say("display", "")
        self._failures = 0
        self._shown = key
