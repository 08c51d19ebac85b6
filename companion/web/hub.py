"""Where the loop that keeps the game and the page for the phone meet.

The loop publishes frozen snapshots and obeys what the page asks; the page never touches the game. Neither waits for
the other: the newest picture, screen and snapshot are single references, and what the page asks is a queue that the
loop empties at its next turn.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from companion.errors import CameraError, InputError
from companion.screens.view import View
from companion.web.phone import LETS_IN
from hardware.base import BUTTON_NAMES, ButtonName, Press

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

    from companion.arbiter.flow import Scene
    from companion.daemon import Daemon
    from companion.vision.places import Places
    from companion.vision.readings import BoardReading
    from hardware.base import Buttons, Camera, Display, Light

log = logging.getLogger(__name__)
Wish = Callable[["Daemon", int], Any]
MOST_PRESSES = 32  # waiting for the loop; a finger makes ten a second at most


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How everything stands after a turn of the loop.

    Args:
        t_ms: the turn.
        language: code of the players' language.
        view: the screen shown.
        header: of the game being played; None when there is none.
        scene: what the game's flow judges; None without a game.
        history: each event of the game with the state before it.
        times: ``t_ms`` of each event.
        notes: the players' words beside the journal: number of the event -> text.
        reading: of the table as it lies now, also before it counts as settled; None while it moves.
        places: where spaces and lines lie in the pictures; None when that is not known.
        overruled: what the players have said against readings, as ``"space a1"``, ``"die 2"``.
        guided: whether a calibration is led on the display.
        troubles: the devices that are missing or broken, by the names of :class:`companion.troubles.Troubles`.
    """

    t_ms: int
    language: str
    view: View
    header: Mapping[str, Any] | None = None
    scene: Scene[Any] | None = None
    history: tuple[tuple[Any, Any], ...] = ()
    times: tuple[int | None, ...] = ()
    notes: Mapping[int, str] = field(default_factory=dict)
    reading: BoardReading | None = None
    places: Places | None = None
    overruled: frozenset[str] = frozenset()
    guided: bool = False
    troubles: tuple[str, ...] = ()


class Hub:
    """The exchange between the loop and the page.

    Attributes:
        snapshot: the newest one; None before the first turn.
        frame: the newest picture (BGR uint8, h x w x 3) and its number, counted from 1; (0, None) before the first.
        screen: the newest picture of the display; None before the first.
        screen_for_all: the newest one that holds no code by which a phone is let in.
        past_fixed: events can't be taken back or changed, because simulated players could not follow.
        ring: called by the loop whenever something is new; set by the page's server while somebody looks.
    """

    def __init__(self) -> None:
        self.snapshot: Snapshot | None = None
        self.frame: tuple[int, npt.NDArray[np.uint8] | None] = (0, None)
        self.screen: Image.Image | None = None
        self.screen_for_all: Image.Image | None = None
        self.past_fixed = False
        self.ring: Callable[[], None] | None = None
        self._secret: Image.Image | None = None
        self._wishes: deque[tuple[Wish, Future[Any]]] = deque()
        self._presses: deque[tuple[ButtonName, Literal["press", "hold"]]] = deque(maxlen=MOST_PRESSES)

    # ---- the loop's side ----

    def obey(self, daemon: Daemon, t_ms: int) -> None:
        """Do what the page has asked since the last turn; whatever goes wrong is the page's answer.

        Args:
            daemon: it is done to.
            t_ms: now.
        """
        while self._wishes:
            wish, answer = self._wishes.popleft()
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(wish(daemon, t_ms))
            except Exception as error:  # the page is told; the game must go on
                answer.set_exception(error)

    def refuse(self, reason: str) -> None:
        """Do nothing of what the page has asked, and say why."""
        while self._wishes:
            _, answer = self._wishes.popleft()
            if answer.set_running_or_notify_cancel():
                answer.set_exception(InputError(reason))

    def publish(self, snapshot: Snapshot) -> None:
        """Show how everything stands now."""
        if snapshot.view.code == LETS_IN:
            self._secret = self.screen
        elif self.screen is not self._secret:  # a broken or dark display may still show what was before
            self.screen_for_all = self.screen
        self.snapshot = snapshot
        self._tell()

    def see(self, picture: npt.NDArray[np.uint8]) -> None:
        """Show the camera's newest picture; nobody may change it from here on."""
        self.frame = (self.frame[0] + 1, picture)
        self._tell()

    def show(self, image: Image.Image) -> None:
        """Show what the display shows; nobody may change it from here on."""
        self.screen = image
        self._tell()

    def presses(self, t_ms: int) -> tuple[Press, ...]:
        """The buttons pressed on the page since the last call."""
        pressed = []
        while self._presses:
            button, action = self._presses.popleft()
            pressed.append(Press(t_ms, button, action))
        return tuple(pressed)

    def _tell(self) -> None:
        ring = self.ring
        if ring is not None:
            ring()

    # ---- the page's side ----

    def ask(self, wish: Wish) -> Future[Any]:
        """Have something done by the loop at its next turn.

        Args:
            wish: called with the daemon and the time in ms.

        Returns:
            Its result, or what it raised.
        """
        answer: Future[Any] = Future()
        self._wishes.append((wish, answer))
        return answer

    def press(self, button: ButtonName, action: Literal["press", "hold"] = "press") -> None:
        """Press one of the four buttons."""
        assert button in BUTTON_NAMES
        self._presses.append((button, action))


class SharedCamera:
    """A camera whose pictures the page sees, too."""

    def __init__(self, camera: Camera, hub: Hub) -> None:
        self.stuck = camera.stuck
        self._camera = camera
        self._hub = hub

    def read(self, t_ms: int) -> npt.NDArray[np.uint8] | None:
        """See :meth:`hardware.base.Camera.read`."""
        try:
            picture = self._camera.read(t_ms)
        except CameraError:
            self._hub.frame = (self._hub.frame[0], None)
            raise
        finally:
            self.stuck = self._camera.stuck
        if picture is not None:
            self._hub.see(picture)
        return picture

    def close(self) -> None:
        """Let go of the camera."""
        self._camera.close()


class SharedDisplay:
    """A display that the page shows, too."""

    def __init__(self, display: Display, hub: Hub) -> None:
        self._display = display
        self._hub = hub
        self.size = display.size
        self.burns_in = display.burns_in

    def show(self, image: Image.Image, t_ms: int) -> None:
        """See :meth:`hardware.base.Display.show`; the page shows it also when the display is broken."""
        self._hub.show(image)
        self._display.show(image, t_ms)

    def light(self, light: Light) -> None:
        """See :meth:`hardware.base.Display.light`; on the page it stays lit."""
        self._display.light(light)

    def close(self) -> None:
        """Blank the display and let go of it."""
        self._display.close()


class SharedButtons:
    """Four buttons that can be pressed on the page, too."""

    def __init__(self, buttons: Buttons, hub: Hub) -> None:
        self._buttons = buttons
        self._hub = hub

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """See :meth:`hardware.base.Buttons.poll`."""
        return (*self._buttons.poll(t_ms), *self._hub.presses(t_ms))

    def close(self) -> None:
        """Let go of the buttons."""
        self._buttons.close()


def announced(moments: Iterable[int], hub: Hub, language: str) -> Iterator[int]:
    """The turns of a calibration that is led without a game, told to the page, which has nothing else to ask for.

    Args:
        moments: the times of the turns, ms.
        hub: where the page looks.
        language: code of the players' language.
    """
    for t_ms in moments:
        hub.refuse("only a calibration is on, no game")
        hub.publish(Snapshot(t_ms, language, View("guide"), guided=True))
        yield t_ms


def share(camera: Camera, display: Display, buttons: Buttons, hub: Hub) -> tuple[Camera, Display, Buttons]:
    """The three devices, with the page beside them."""
    return SharedCamera(camera, hub), SharedDisplay(display, hub), SharedButtons(buttons, hub)
