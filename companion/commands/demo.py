"""``companion demo``: a game on a table drawn in software, read by the real eyes, judged by the real rules."""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import InputError
from companion.games import GAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from companion.arbiter.arbiter import Arbiter
    from companion.daemon import Daemon
    from companion.simulator.base import SimulatedGame
    from companion.web.hub import Hub
    from companion.web.server import PageServer
    from hardware.base import Buttons, Display, Press

log = logging.getLogger(__name__)
PORT = 8037  # of the page, or another when it is taken
STEP_MS = 200  # five pictures a second, as a small Pi manages
LONGEST_MS = 4 * 3600 * 1000  # of virtual time: no game takes four hours; then it is stuck
EXAMPLE = "example: companion demo --auto --fast --players 2 --seed 1"


def register(commands: Any) -> None:
    """Add the subcommand to the command line."""
    parser = commands.add_parser(
        "demo",
        help="watch a simulated table being refereed; needs no hardware",
        description="Draws a table in software with players who also make mistakes, reads it with the real vision "
        "code, judges it by the real rules and shows the real display in the terminal.",
        epilog=EXAMPLE,
    )
    parser.add_argument("--game", choices=tuple(GAMES), default="pizza", help="which game (default: pizza)")
    parser.add_argument("--players", type=int, choices=range(2, 7), default=3, help="how many players (default: 3)")
    parser.add_argument("--seed", type=_seed, default=1, help="the table, the players and their mistakes (default: 1)")
    parser.add_argument("--layout", metavar="FILE.json", help="another board for pizza (default: hex37)")
    parser.add_argument("--auto", action="store_true", help="the players confirm what was read, too")
    parser.add_argument("--fast", action="store_true", help="as fast as it can be read, not at a human pace")
    parser.add_argument("--language", choices=("en", "de", "es", "fr"), default="en", help="of the display")
    parser.add_argument("--display", choices=("terminal", "png", "none"), help="default: terminal, if there is one")
    parser.add_argument(
        "--phone",
        action="store_true",
        help="let paired phones in the network open the page, too: the display shows a square code first",
    )
    parser.add_argument("--no-page", action="store_true", help="do not serve the page (--fast never does)")
    parser.add_argument("--out", type=Path, help="keep the journal and, with --display png, the pictures there")
    parser.set_defaults(func=run)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("must be a whole number from 0")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Play one game; 0 when the journal equals what was truly played and each mistake was answered rightly.

    Raises:
        InputError: the game can't be played by so many.
    """
    from companion.simulator.script import Stuck

    kind = args.display or ("terminal" if sys.stdout.isatty() else "none")
    if kind == "terminal":
        logging.getLogger("companion").propagate = False
        logging.getLogger("companion").setLevel(logging.INFO)
    else:
        logging.basicConfig(level=logging.INFO, format="%(message)s")
    folder = args.out or Path(tempfile.mkdtemp(prefix="companion-demo-"))
    try:
        return _play(args, kind, folder)
    except KeyboardInterrupt:
        return 0  # "q", or Ctrl-C: the demo was left, nothing failed
    except Stuck as stuck:
        print(f"companion: the game stands still: {stuck}", file=sys.stderr)
        return 1
    finally:
        if args.out is None:
            shutil.rmtree(folder, ignore_errors=True)


def _play(args: argparse.Namespace, kind: str, folder: Path) -> int:
    from companion.web.hub import Hub
    from companion.web.whole import Files, open_page
    from hardware.buttons import open_buttons
    from hardware.display import open_display

    hub = Hub()
    hub.past_fixed = True
    display = open_display(kind, {"folder": folder / "display"})
    caption = None
    if kind == "terminal":
        caption = _Caption(display)
        logging.getLogger("companion").addHandler(caption)
    keys = open_buttons("keyboard" if kind == "terminal" else "none")
    page = None
    try:
        _greet(display, args.language)
        table = _simulated(args)
        profile = folder / "profile"
        table.calibrate(profile)
        arbiter, daemon, players = _daemon(args, folder, profile, table, display, keys, hub)
        if not (args.fast or args.no_page):
            who = "network" if args.phone else "here"
            page = open_page(hub, {"page": who, "port": PORT}, Files(folder, profile), any_port=True)
        if page is not None:
            arbiter.phone = page.phone
            link = f"the page for a browser: {page.address}/p/{page.code()}"
            if caption is None:
                log.info("%s", link)
            else:
                caption.heads = (caption.LEGEND, link)
                caption.show()
            if args.phone:
                let_in(page, hub, display, keys, args.language, _real_moments())
        return _report(table, arbiter, _loop(args, table, daemon, players), folder if args.out else None)
    finally:
        if page is not None:
            page.close()
        keys.close()
        display.close()


class _Caption(logging.Handler):
    """Writes what the keys do, and the last rulings, under the display in the terminal."""

    LEGEND = "arrows = up, down   Enter = ok   Backspace = back   m = menu   q = quit"

    def __init__(self, display: Any) -> None:
        super().__init__()
        self._display = display
        self._rulings: tuple[str, ...] = ()
        self.heads: tuple[str, ...] = (self.LEGEND,)
        display.caption = ("", *self.heads)

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line of the log."""
        self._rulings = (*self._rulings[-3:], record.getMessage())
        self.show()

    def show(self) -> None:
        """Have it written with the next picture."""
        self._display.caption = ("", *self.heads, *self._rulings)


def _greet(display: Display, language: str) -> None:
    """The first picture, before anything heavy is imported."""
    from companion.arbiter.menus import starting
    from companion.screens.language import Translator
    from companion.screens.render import render

    display.show(render(starting(), display.size, Translator(language)), 0)


def let_in(page: PageServer, hub: Hub, display: Display, keys: Buttons, language: str, moments: Iterable[int]) -> None:
    """Show the square code until a phone looks, or ok or back is pressed; up and down change who it lets in.

    Args:
        page: of which address and code are shown.
        hub: knows whether somebody looks.
        display, keys: the demo's.
        language: of the display.
        moments: times at which to look, ms, ascending; waits between them.
    """
    from companion.screens.language import Translator
    from companion.screens.render import render

    form: Any = page.phone()
    for t_ms in moments:
        display.show(render(form.view(), display.size, Translator(language)), t_ms)
        for press in keys.poll(t_ms):
            form = form.press(press.button)
            if form is None:
                return
        if hub.ring is not None:
            return


def _real_moments() -> Iterator[int]:
    start = time.monotonic()
    while True:
        yield round((time.monotonic() - start) * 1000)
        time.sleep(STEP_MS / 1000)


def _simulated(args: argparse.Namespace) -> SimulatedGame:
    from companion.games import simulated_game

    if args.layout is not None and args.game != "pizza":
        raise InputError(f"demo --game {args.game}: is played on no board; leave --layout out")
    board: dict[str, Any] = {} if args.layout is None else {"layout": args.layout}
    try:
        return simulated_game(args.game)(args.players, args.seed, **board)
    except ValueError as error:
        raise InputError(f"demo --game {args.game}: {error}") from error


class _PlayersAndKeys:
    """The buttons of the demo: pressed by the simulated players, or by a person at the keyboard.

    Attributes:
        listen: whether the person's keys count.
        pressed: by the players since the last turn.
    """

    def __init__(self, keys: Buttons) -> None:
        self._keys = keys
        self.listen = False
        self.pressed: tuple[Press, ...] = ()

    def poll(self, t_ms: int) -> tuple[Press, ...]:
        """What was pressed since the last call."""
        # The simulated players can't take a move back, so taking back is not among the demo's keys.
        keys = [press for press in self._keys.poll(t_ms) if (press.button, press.action) != ("back", "hold")]
        presses, self.pressed = (*self.pressed, *(keys if self.listen else ())), ()
        return presses

    def close(self) -> None:
        """The keyboard is closed by who opened it."""


def _daemon(
    args: argparse.Namespace,
    folder: Path,
    profile: Path,
    table: SimulatedGame,
    display: Display,
    keys: Buttons,
    hub: Hub,
) -> tuple[Arbiter, Daemon, _PlayersAndKeys]:
    from companion.arbiter.arbiter import Arbiter
    from companion.arbiter.sight import Watcher
    from companion.daemon import Daemon
    from companion.journal import Journal
    from companion.vision.eyes import open_eyes
    from companion.web.hub import share
    from hardware.camera import open_camera

    names = [player["name"] for player in table.header["players"]]
    arbiter = Arbiter(Journal(folder), names=names, draw=lambda: 0, language=args.language)
    arbiter.begin(table.header)
    camera, display, shared_keys = share(open_camera("simulated", {"frame": table.frame}), display, keys, hub)
    players = _PlayersAndKeys(shared_keys)

    def watcher_for(kind: Any, layout: str | None) -> Watcher:
        return Watcher(open_eyes(kind, profile, layout=layout))

    return arbiter, Daemon(arbiter, camera, display, players, watcher_for, hub=hub), players


def _loop(args: argparse.Namespace, table: SimulatedGame, daemon: Daemon, players: _PlayersAndKeys) -> int:
    """Turn until the game is over; returns the virtual time that it took, ms."""
    wait = _no_wait if args.fast else _until(time.monotonic())
    t_ms = 0
    while not table.over and t_ms < LONGEST_MS:
        presses = table.act(t_ms, daemon.arbiter.view(t_ms))
        players.listen = table.confirming and not args.auto
        if not players.listen:
            players.pressed = presses
        daemon.turn(t_ms)
        t_ms += STEP_MS
        wait(t_ms)
    return t_ms


def _no_wait(t_ms: int) -> None:
    """On the virtual clock nothing has to be waited for."""


def _until(start: float) -> Callable[[int], None]:
    def wait(t_ms: int) -> None:
        time.sleep(max(0.0, start + t_ms / 1000 - time.monotonic()))

    return wait


def _report(table: SimulatedGame, arbiter: Arbiter, t_ms: int, folder: Path | None) -> int:
    """Compare the journal with what was truly played, and say so."""
    assert arbiter.game is not None
    journal = [{k: v for k, v in event.items() if k != "t_ms"} for event in arbiter.game.events]
    unanswered = [m for m in table.mistakes if not m.answered]
    wrong = next((i for i, (a, b) in enumerate(zip(journal, table.truth, strict=False)) if a != b), None)
    if wrong is None and len(journal) != len(table.truth):
        wrong = min(len(journal), len(table.truth))
    minutes = t_ms / 60000
    print(
        f"{len(journal)} events in {minutes:.1f} minutes at the table; {len(table.mistakes)} mistakes made on purpose"
    )
    for mistake in unanswered:
        print(f"not answered: {mistake.kind} at {mistake.t_ms} ms (expected {mistake.expected})")
    if wrong is not None:
        have = journal[wrong] if wrong < len(journal) else "nothing"
        want = table.truth[wrong] if wrong < len(table.truth) else "nothing"
        print(f"event {wrong + 1} is wrong: the journal says {have}, the table was {want}")
    if not table.over:
        print("the game was not played to its end")
    if folder is not None:
        print(f"journal: {folder / 'journal.jsonl'}")
    return 0 if table.over and wrong is None and not unanswered else 1
