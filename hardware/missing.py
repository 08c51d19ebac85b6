"""What stands in for a device that can't be opened, so that the companion runs on with the others."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from companion.errors import ButtonsError, CameraError

if TYPE_CHECKING:
    from hardware.base import Buttons, Press

log = logging.getLogger(__name__)
RETRY_MS = (1000, 2000, 5000, 10_000, 30_000)


class MissingCamera:
    """A camera that can't be had in this process: every read says why.

    Args:
        error: why.
    """

    stuck = False

    def __init__(self, error: CameraError) -> None:
        self._error = error

    def read(self, t_ms: int) -> NoReturn:
        """Say why there is none."""
        raise self._error

    def close(self) -> None:
        """Nothing to let go of."""


class PatientButtons:
    """Buttons that are opened again, after ever longer pauses, as long as they can't be.

    Another program may still hold their pins: the companion itself, when it is started again.

    Args:
        open_buttons: opens them; may raise ButtonsError.
    """

    def __init__(self, open_buttons: Callable[[], Buttons]) -> None:
        self._open = open_buttons
        self._buttons: Buttons | None = None
        self._retry_ms: int | None = None
        self._failures = 0
        self._said = ""

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """See :meth:`hardware.base.Buttons.poll`; none as long as there are no buttons."""
        if self._buttons is None:
            if self._retry_ms is not None and t_ms < self._retry_ms:
                return ()
            try:
                self._buttons = self._open()
            except ButtonsError as error:
                if str(error) != self._said:
                    self._said = str(error)
                    log.error("%s; they are tried again", error)
                self._retry_ms = t_ms + RETRY_MS[min(self._failures, len(RETRY_MS) - 1)]
                self._failures += 1
                return ()
            if self._said:
                log.warning("buttons: work now")
        return self._buttons.poll(t_ms)

    def close(self) -> None:
        """Let go of the buttons."""
        if self._buttons is not None:
            self._buttons.close()
