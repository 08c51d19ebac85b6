"""``companion run``: the daemon at a real table, or through a recording on a virtual clock."""

from __future__ import annotations

import argparse
import faulthandler
import logging
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import CameraError, DeviceError, DisplayError, InputError, RecordError

if TYPE_CHECKING:
    from companion.config import Config
    from companion.daemon import Daemon
    from companion.screens.idle import Idle
    from companion.web.hub import Hub
    from hardware.base import Buttons, Camera, Display
    from hardware.signals import Signals

log = logging.getLogger(__name__)
TURN_MS = 50  # of the live loop: a button is answered within a twentieth of a second, a camera gives less pictures


def register(commands: Any) -> None:
    """Add the subcommand to the command line."""
    parser = commands.add_parser(
        "run",
        help="referee the game on the table",
        description="Looks at the table through the camera and referees the game, or plays a recording through the "
        "whole daemon on a virtual clock.",
        epilog="example: companion run --config companion.toml; or: companion run --recording DIR --out OUT",
    )
    parser.add_argument("--config", type=Path, help="TOML file; without it every setting has its default")
    parser.add_argument("--recording", type=Path, metavar="DIR", help="play this recording instead of the live table")
    parser.add_argument("--out", type=Path, help="with --recording: folder for journal.jsonl and display/*.png")
    parser.add_argument("--profile", type=Path, metavar="DIR", help="the calibration (default: from the configuration)")
    parser.add_argument("--game", type=Path, metavar="HEADER.json", help="start at once with this record's header")
    parser.add_argument("--confirm", choices=("always", "unsure"), help="what takes a press of ok (default: always)")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Run until the recording ends, or until the process is told to stop."""
    from companion.config import load_config

    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    config = load_config(args.config)
    if (args.recording is None) != (args.out is None):
        raise InputError("--recording and --out belong together")
    header = read_header(args.game) if args.game is not None else None
    confirm = args.confirm or config.game["confirm"]
    profile = args.profile or config.profile
    if args.recording is not None:
        return _replay(args.recording, args.out, profile, header, confirm, config)
    return _live(config, profile, header, confirm)


def read_header(path: Path) -> Mapping[str, Any]:
    """The header in the first line of a record.

    Raises:
        RecordError: no file, no JSON object, or a header that no game knows.
    """
    from companion.games import rules_of
    from companion.games.record import decoded

    try:
        with path.open("rb") as file:
            number_and_header = next(iter(decoded(file)), None)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror or error}") from error
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from error
    if number_and_header is None:
        raise RecordError(f"{path}: no header")
    header = number_and_header[1]
    game = header.get("game")
    if not isinstance(game, str):
        raise RecordError(f"{path}: the header names no game")
    try:
        rules_of(game).start(header)
    except InputError as error:
        raise RecordError(f"{path}: {error}") from error
    return header


def _daemon(
    config: Config,
    folder: Path,
    profile: Path,
    header: Mapping[str, Any] | None,
    confirm: Any,
    devices: Any,
    draw: Any,
    *,
    replay: bool = False,
    hub: Hub | None = None,
    idle: Idle | None = None,
    signals: Signals | None = None,
) -> Daemon:
    from calibration.profile import layout_name
    from companion.arbiter.arbiter import Arbiter
    from companion.arbiter.sight import Watcher
    from companion.daemon import Daemon
    from companion.guides import open_guide
    from companion.journal import Journal
    from companion.vision.eyes import open_eyes

    camera, display, buttons = devices
    arbiter = Arbiter(
        Journal(folder),
        names=config.game["names"],
        draw=draw,
        confirm=confirm,
        camera=replay or config.camera["driver"] != "none",
        fresh=replay,
        language=config.game["language"],
        board=partial(layout_name, profile),
    )
    if header is None:
        arbiter.open()
    else:
        try:
            arbiter.begin(header)
        except OSError as error:
            raise InputError(f"{folder}: {error.strerror or error}") from error
    return Daemon(
        arbiter,
        camera,
        display,
        buttons,
        lambda kind, layout: Watcher(open_eyes(kind, profile, config.game["dice"], layout)),
        lambda name: open_guide(name, profile),
        hub,
        idle,
        signals,
    )


def _replay(
    recording: Path, out: Path, profile: Path, header: Mapping[str, Any] | None, confirm: Any, config: Config
) -> int:
    from companion.games import flow_of
    from companion.vision.eyes import open_eyes
    from hardware.buttons import ScriptedButtons
    from hardware.camera import RecordedCamera
    from hardware.display import open_display
    from hardware.recording import Recording

    kind = "board" if header is None else flow_of(header["game"]).eyes
    open_eyes(kind, profile, config.game["dice"])  # a recording without its calibration is a malformed call
    played = Recording.open(recording)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: {error.strerror or error}") from error
    for old in (out / "display").glob("[0-9]" * 8 + ".png"):
        old.unlink()
    display = open_display("png", {**config.display, "folder": out / "display"})
    devices = (RecordedCamera(played), display, ScriptedButtons(played.presses))
    daemon = _daemon(config, out, profile, header, confirm, devices, lambda: 0, replay=True)
    for t_ms in sorted({*played.frames_ms, *(press.t_ms for press in played.presses), played.end_ms}):
        daemon.turn(t_ms)
    daemon.close()
    return 0


def _live(config: Config, profile: Path, header: Mapping[str, Any] | None, confirm: Any) -> int:
    from companion.notify import Supervisor, status_line
    from companion.screens.idle import Idle, WakingButtons
    from companion.web.hub import Hub, share
    from companion.web.whole import Files, open_page

    faulthandler.enable()  # the watchdog's signal writes into the log where each thread hangs
    hub = Hub()
    camera, display, buttons = open_devices(config)
    idle = Idle(config.display["dim_after"], config.display["off_after"]) if display.burns_in else None
    if idle is not None:
        buttons = WakingButtons(buttons, idle)
    devices = share(camera, display, buttons, hub)
    draw = partial(secrets.randbelow, 6)
    signals = _open_signals(config)
    daemon = _daemon(config, config.data, profile, header, confirm, devices, draw, hub=hub, idle=idle, signals=signals)
    daemon.arbiter.sound = config.signals["sound"] if signals is not None else None
    page = open_page(hub, config.web, Files(config.data, profile, config.file))
    if page is not None:
        daemon.arbiter.phone = page.phone
        log.info('the page for the phone: %s (hold ok, then "phone", for the code)', page.address)
    supervisor = Supervisor()
    for t_ms in live_moments():
        daemon.turn(t_ms)
        supervisor.turned(t_ms, status_line(daemon.view(t_ms), daemon.arbiter.language), alive=not devices[0].stuck)
    supervisor.stopping()
    if page is not None:
        page.close()
    daemon.close()
    return 0


def open_devices(config: Config) -> tuple[Camera, Display, Buttons]:
    """The devices that the configuration names; one that can't be opened keeps nothing else from running.

    Raises:
        ConfigError: it names one that there is not.
        InputError: a recording that it names is none.
    """
    from hardware.buttons import open_buttons
    from hardware.camera import open_camera
    from hardware.display import NoDisplay, open_display
    from hardware.missing import MissingCamera, PatientButtons

    camera: Camera
    display: Display
    try:
        camera = open_camera(config.camera["driver"], config.camera)
    except CameraError as error:
        camera = MissingCamera(error)
    try:
        display = open_display(config.display["driver"], config.display)
    except DisplayError as error:
        log.error("%s", error)
        display = NoDisplay()
    open_them = partial(open_buttons, config.buttons["driver"], config.buttons)
    return camera, display, open_them() if config.buttons["driver"] != "gpiozero" else PatientButtons(open_them)


def _open_signals(config: Config) -> Signals | None:
    from hardware.signals import open_signals

    try:
        return open_signals(config.signals["driver"], config.signals) if config.signals["driver"] != "none" else None
    except DeviceError as error:
        log.error("%s", error)
        return None


def live_moments() -> Iterator[int]:
    """The times of a live loop's turns, ms since the start, until SIGTERM or SIGINT tells the process to stop."""
    stop = threading.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: stop.set())
    start = time.monotonic()
    while not stop.wait(TURN_MS / 1000):
        yield round((time.monotonic() - start) * 1000)
