"""``companion record``: make a recording of the live table, for a bug report."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from companion.errors import CameraError


def register(commands: Any) -> None:
    """Add the subcommand to the command line."""
    parser = commands.add_parser(
        "record",
        help="make a recording of the live table",
        description="Writes what the camera sees and which buttons are pressed to a folder, until it is stopped. The "
        "folder can be played with companion run --recording.",
        epilog="example: companion record --out problem --config companion.toml",
    )
    parser.add_argument("--out", type=Path, required=True, help="a new or empty folder")
    parser.add_argument("--config", type=Path, help="TOML file; without it every setting has its default")
    parser.add_argument("--fps", type=_rate, default=5.0, help="pictures a second to keep, 0.1 to 30 (default: 5)")
    parser.add_argument("--seconds", type=_seconds, help="stop after so long (default: Ctrl-C stops)")
    parser.set_defaults(func=run)


def _rate(text: str) -> float:
    rate = float(text)
    if not 0.1 <= rate <= 30:
        raise argparse.ArgumentTypeError("must be from 0.1 to 30")
    return rate


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError("must be above 0")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Record until Ctrl-C, SIGTERM, or the given time is over."""
    from companion.config import load_config
    from hardware.buttons import open_buttons
    from hardware.camera import open_camera
    from hardware.recording import RecordingWriter

    config = load_config(args.config)
    camera = open_camera(config.camera["driver"], config.camera)
    buttons = open_buttons(config.buttons["driver"], config.buttons)
    writer = RecordingWriter(args.out, args.fps)
    stop = threading.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: stop.set())
    print(f"recording to {args.out}; Ctrl-C stops", file=sys.stderr)
    start = time.monotonic()
    pictures, trouble = 0, ""
    try:
        while not stop.wait(0.02):
            t_ms = round((time.monotonic() - start) * 1000)
            for press in buttons.poll(t_ms):
                writer.press(press)
            try:
                picture = camera.read(t_ms)
            except CameraError as error:
                if str(error) != trouble:
                    trouble = str(error)
                    print(f"companion: {trouble}", file=sys.stderr)
                continue
            if picture is not None:
                pictures += writer.frame(t_ms, picture)
            if args.seconds is not None and t_ms >= args.seconds * 1000:
                break
    finally:
        for device in (buttons, camera, writer):
            device.close()
    print(f"{pictures} pictures in {args.out}", file=sys.stderr)
    return 0 if pictures else 1
