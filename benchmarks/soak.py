"""Endurance: many games on virtual time, and hours of real time with faults of every kind.

usage: soak.py games [--count 10000] [--seed 1]
       soak.py hours [--seconds 3600] [--seed 1]

``games``: pizza, dice and card games at the arbiter with settled readings as perfect eyes give them, in one process;
nothing is drawn and no picture is read. After each game the journal on the disk is compared with what the players did,
and replayed. Memory and file descriptors are noted on the way.

``hours``: the whole daemon in two processes, with pictures that nobody reads (a table gives the readings), the real
drivers of camera thread, OLED and buttons on a bus and pins in memory, and a player who lays pieces, presses buttons at
random and opens every menu. Faults: the camera fails to open, fails or hangs; the display's bus fails in mid-frame or
the display is unplugged; bursts of button edges; the disk refuses every fsync for a while. One process is never stopped
(memory, descriptors); the other is ended by SIGTERM or SIGKILL every half minute, and its journal is compared with the
last game that it had told of.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from companion.arbiter.arbiter import Arbiter
from companion.arbiter.game import Game
from companion.arbiter.sight import Sight
from companion.errors import CompanionError
from companion.games.wizard_cards.cards import SPECIALS
from companion.journal import Journal, read_journal
from companion.layout import load_layout
from tests.arbiter import cards_table, settled, test_cards_table, test_dice_table, test_pizza_table

TURN_S = 0.05
CONFIRM = ("unsure", "always")
Rows = list[dict[str, Any]]


def memory_mb() -> float:
    """Resident memory of this process, MB."""
    with Path("/proc/self/status").open() as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def descriptors() -> int:
    """Open file descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir())) - 1


# ---- many games on virtual time ----


def play_games(count: int, seed: int) -> None:
    """Play, compare, and print what was found; of fifty games one is of dice and one of cards: they are long."""
    rng = random.Random(seed)
    base = Path(tempfile.mkdtemp(prefix="soak-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    games, events = dict.fromkeys(PLAYERS_OF, 0), dict.fromkeys(PLAYERS_OF, 0)
    start, samples = time.monotonic(), list[tuple[int, float, int]]()
    try:
        for number in range(count):
            folder = base / str(number)
            kind = {24: "cards", 49: "dice"}.get(number % 50, "pizza")
            games[kind] += 1
            events[kind] += _play_one(kind, folder, random.Random(rng.random()))
            shutil.rmtree(folder)
            if (number + 1) % max(1, count // 20) == 0:
                gc.collect()
                samples.append((number + 1, memory_mb(), descriptors()))
                print(f"{number + 1} games, {memory_mb():.1f} MB, {descriptors()} descriptors", flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    first, last = samples[len(samples) // 4], samples[-1]
    print(
        f"{count} games ({', '.join(f'{games[kind]} {kind}: {events[kind]} events' for kind in games)}), none lost, in "
        f"{(time.monotonic() - start) / 60:.1f} min; memory {first[1]:.1f} MB after {first[0]} games, {last[1]:.1f} MB "
        f"after all; descriptors {first[2]} and {last[2]}"
    )
    assert last[1] - first[1] < 5, "memory grows"
    assert last[2] == first[2], "descriptors are lost"


def _pizza(folder: Path, rng: random.Random) -> tuple[Arbiter, Rows]:
    it = settled.ready(folder, rng.randint(2, 3), rng.choice("AB"), rng.choice(CONFIRM))
    return it.arbiter, test_pizza_table.play_by_sight(it, rng)


def _dice(folder: Path, rng: random.Random) -> tuple[Arbiter, Rows]:
    it = test_dice_table.table(folder, rng.randint(2, 5), rng.choice(CONFIRM))
    it.rng = rng
    return it.arbiter, test_dice_table.play(it, undo=rng.choice([0.0, 0.1]))


def _cards(folder: Path, rng: random.Random) -> tuple[Arbiter, Rows]:
    bids, shown = rng.choice(
        [("free", "open"), ("free", "together"), ("free", "after_round"), ("plus_minus_one", "open")]
    )
    settings = {"bids": bids, "bids_shown": shown, "specials": list(SPECIALS) * rng.randint(0, 1)}
    it = cards_table.table(folder, rng.randint(3, 6), rng.choice(CONFIRM), **settings)
    it.rng = rng
    did: Rows = []
    undo = rng.choice([0.0, 0.1])
    while it.state.phase != "over":
        test_cards_table.play_round(it, did, undo)
    return it.arbiter, did


PLAYERS_OF = {"pizza": _pizza, "dice": _dice, "cards": _cards}


def _play_one(kind: str, folder: Path, rng: random.Random) -> int:
    """Play a game and compare what the disk holds with what was done; returns the number of events."""
    arbiter, did = PLAYERS_OF[kind](folder, rng)
    saved, rest = read_journal(folder / "journal.jsonl")
    assert saved is not None and not rest
    rows = [{k: v for k, v in row.items() if k != "t_ms"} for row in saved.events]
    assert _alike(rows) == _alike(did), "an event was lost"
    assert arbiter.game is not None
    assert Game(saved.header, saved.events).state == arbiter.game.state
    return len(did)


def _alike(rows: Rows) -> Rows:
    """The events; the faces of rolled dice in one order, for on the table they have none."""
    return [row | {"faces": sorted(row["faces"])} if "faces" in row else row for row in rows]


# ---- hours of real time ----


class Weather:
    """Which faults there are now: each comes and goes at random."""

    KINDS = ("camera", "hang", "open", "bus", "unplugged", "storm", "full")

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.now: dict[str, float] = {}  # until when
        self.counts = dict.fromkeys(self.KINDS, 0)

    def blow(self, t_s: float) -> None:
        """Let faults begin: one of each kind about every forty seconds, for some seconds."""
        for kind in self.KINDS:
            if self.now.get(kind, 0) < t_s and self._rng.random() < TURN_S / 40:
                self.now[kind] = t_s + self._rng.choice([0.2, 1, 7])
                self.counts[kind] += 1

    def is_on(self, kind: str) -> bool:
        """Whether there is this fault."""
        return self.now.get(kind, 0) > time.monotonic()


def _devices(weather: Weather) -> tuple[Any, Any, Any, Any]:
    """The real drivers on a bus and pins in memory: camera, display, buttons; and the pins."""
    import numpy as np
    from gpiozero import Device
    from gpiozero.pins.mock import MockFactory

    from hardware.buttons import GpioButtons
    from hardware.camera import LiveCamera
    from hardware.display import OledDisplay
    from tests.hardware.oled import Ssd1306Bus, serial_on

    class Source:
        def __init__(self) -> None:
            if weather.is_on("open"):
                raise RuntimeError("Device or resource busy")

        def next_picture(self) -> Any:
            time.sleep(0.1)
            if weather.is_on("camera"):
                raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
            while weather.is_on("hang"):
                time.sleep(0.1)
            return np.zeros((48, 64, 3), np.uint8)

        def close(self) -> None:
            pass

    class Bus(Ssd1306Bus):
        def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
            self.fail_data, self.plugged = weather.is_on("bus"), not weather.is_on("unplugged")
            super().write_i2c_block_data(address, register, data)

    Device.pin_factory = MockFactory()
    bus = Bus()
    return (
        LiveCamera(Source),
        OledDisplay("ssd1306", (128, 64), lambda: serial_on(bus)),
        GpioButtons(),
        Device.pin_factory,
    )


class Monkey:
    """Lays pieces and presses buttons, sensibly or not; is the table's eyes, too."""

    bottom = 1
    latest = None

    def __init__(self, arbiter: Arbiter, rng: random.Random) -> None:
        self.table = settled.Table(arbiter)
        self._rng = rng
        self._moved_s = 0.0

    def places(self) -> None:
        """No page asks."""

    def see(self, t_ms: int, picture: Any, *, dice: bool = True) -> Sight:
        """What lies there; in motion for a moment after each change."""
        still = time.monotonic() - self._moved_s > 0.4
        return Sight(settled=self.table.reading(), since_ms=t_ms - 1000) if still else Sight()

    def lay(self) -> None:
        """Change the table: what is due in this state of the game, or anything."""
        it, rng = self.table, self._rng
        if it.arbiter.game is None or it.arbiter.game.rules.name != "pizza":
            return
        self._moved_s = time.monotonic()
        state = it.state
        if not it.spaces or rng.random() < 0.3 or state.phase in ("rotate", "over"):
            it.lay_as_state()
            it.sticks.clear()
        if rng.random() < 0.1:
            it.spaces[rng.choice(list(it.spaces))] = rng.choice([*settled.COLOURS, "empty", None])
        elif state.phase == "place" and state.to_act is not None and state.legal:
            it.spaces[rng.choice(state.setup.board.names(state.legal))] = state.setup.player(state.to_act).colour
        elif state.phase == "neutral_roll" and state.setup.neutral is not None:
            it.dice[state.setup.neutral.colour] = rng.randint(1, 6)
            it.die_at[state.setup.neutral.colour] = it.die_at.get(state.setup.neutral.colour, 0) + 1
        elif state.phase == "neutral_place" and state.setup.neutral is not None and state.legal:
            it.spaces[rng.choice(state.setup.board.names(state.legal))] = state.setup.neutral.colour
        elif state.phase == "cut":
            for seat in state.order:
                side, laid = test_pizza_table.stick(state, seat, rng.randint(1, 6))
                it.sticks[side] = laid


def run_daemon(folder: Path, seconds: float, seed: int) -> None:
    """The daemon with its faults; tells on standard output of each game that is safe, and of its memory."""
    import companion.files
    from companion.daemon import Daemon
    from companion.screens.idle import Idle, WakingButtons
    from hardware.buttons import PINS

    logging.basicConfig(level=logging.CRITICAL)
    rng = random.Random(seed)
    weather = Weather(rng)
    real_fsync = os.fsync

    def fsync(handle: int) -> None:
        if weather.is_on("full"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real_fsync(handle)

    os.fsync = fsync  # type: ignore[assignment]
    assert companion.files.os.fsync is fsync
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)
    arbiter = Arbiter(Journal(folder), names=["Ana", "Ben", "Cleo"], draw=lambda: rng.randrange(6), confirm="unsure")
    arbiter.open()
    arbiter.resume()
    if arbiter.game is None:
        while arbiter.game is None:
            with contextlib.suppress(OSError):
                arbiter.begin(settled.header(rng.choice([2, 3])))
    camera, display, buttons, pins = _devices(weather)
    idle = Idle(5, 15)
    monkey = Monkey(arbiter, rng)
    monkey.table.spaces = dict.fromkeys(load_layout("hex37").spaces, "empty")
    daemon = Daemon(arbiter, camera, display, WakingButtons(buttons, idle), lambda kind, layout: monkey, idle=idle)  # type: ignore[arg-type, return-value]
    start, told, noted, held = time.monotonic(), "", 0.0, dict[str, float]()
    while not stopped and (t_s := time.monotonic() - start) < seconds:
        weather.blow(time.monotonic())
        if rng.random() < TURN_S / 1.5:
            monkey.lay()
        for name, until in list(held.items()):
            if until < t_s:
                pins.pin(PINS[name]).drive_high()  # type: ignore[index]
                del held[name]
        if rng.random() < TURN_S and len(held) < 2:
            button = rng.choices(["ok", "back", "up", "down"], [6, 6, 2, 2])[0]
            if button not in held:
                pins.pin(PINS[button]).drive_low()  # type: ignore[index]
                held[button] = t_s + rng.choices([0.1, 1.3, 2.3], [20, 1, 1])[0]
        if weather.is_on("storm"):
            for _ in range(40):
                pin = pins.pin(PINS[rng.choice(["up", "down"])])
                rng.choice([pin.drive_low, pin.drive_high])()
        daemon.turn(round(t_s * 1000))
        if arbiter.game is None or (arbiter.game.rules.is_over(arbiter.game.state) and rng.random() < 0.01):
            with contextlib.suppress(OSError, CompanionError):
                arbiter.begin(settled.header(rng.choice([2, 3])))
        if arbiter.game is not None:
            now = json.dumps([arbiter.game.header, arbiter.game.events])
            if now != told:
                told = now
                print("game", now, flush=True)
        if t_s - noted > 10:
            noted = t_s
            for pin in pins.pins.values():
                pin.clear_states()  # the mock keeps every edge there ever was: some megabytes an hour
            gc.collect()
            print("size", json.dumps([round(memory_mb(), 1), descriptors(), weather.counts]), flush=True)
        time.sleep(max(0.0, start + t_s + TURN_S - time.monotonic()))
    daemon.close()
    print("left", flush=True)


def follows(told: Any, found: Any) -> bool:
    """Whether a journal is the game that was told of, or one step further."""
    (header, events), (now_header, now_events) = told, found
    if header == now_header and (now_events == events or now_events[:-1] == events or now_events == events[:-1]):
        return True
    return not now_events  # a new game had just begun


def run_hours(seconds: float, seed: int) -> None:
    """Two daemons, one of them ended again and again; prints what was found."""
    rng = random.Random(seed)
    base = Path(tempfile.mkdtemp(prefix="soak-"))
    end = time.monotonic() + seconds
    long_out = (base / "long.out").open("w+")
    long = _start(base / "long", seconds, seed, long_out)
    starts = kills = terms = events = 0
    try:
        while time.monotonic() < end:
            starts += 1
            with (base / "short.out").open("w+") as out:
                short = _start(base / "short", seconds, seed + starts, out)
                _wait_for_game(short, base / "short.out")
                time.sleep(rng.uniform(3, 40))
                assert short.poll() is None, f"crashed: {(base / 'short.err').read_text()[-2000:]}"
                kind = rng.choice([signal.SIGKILL, signal.SIGTERM])
                short.send_signal(kind)
                code = short.wait(20)
                assert kind == signal.SIGKILL or code == 0, f"SIGTERM: exit code {code}"
                kills, terms = kills + (kind == signal.SIGKILL), terms + (kind == signal.SIGTERM)
                games = list(_told(base / "short.out"))
                events += len(games)
            saved, rest = read_journal(base / "short" / "journal.jsonl")
            assert saved is not None and (not rest or kind == signal.SIGKILL)
            found = [dict(saved.header), [dict(e) for e in saved.events]]
            assert follows(games[-1], json.loads(json.dumps(found))), "an event was lost"
            if starts % 10 == 0:
                print(f"{starts} starts, {kills} SIGKILL, {terms} SIGTERM, {events} changes told of", flush=True)
        assert long.wait(60) == 0, f"the long one crashed: {(base / 'long.err').read_text()[-2000:]}"
        long_out.seek(0)
        sizes = [json.loads(line[5:]) for line in long_out if line.startswith("size ")]
        changes = sum(1 for _ in _told(base / "long.out"))
        settled_at = sizes[len(sizes) // 4]
        print(
            f"{seconds / 60:.0f} min; {starts} starts, ended by {kills} SIGKILL and {terms} SIGTERM, "
            f"{events} changes of the game told of, none lost; "
            f"without a stop: {changes} changes, faults {sizes[-1][2]}, memory {settled_at[0]} MB after a quarter and "
            f"{sizes[-1][0]} MB at the end (most {max(s[0] for s in sizes)}), descriptors {settled_at[1]} and "
            f"{sizes[-1][1]} (most {max(s[1] for s in sizes)})"
        )
        assert sizes[-1][0] - settled_at[0] < 5, "memory grows"
        assert max(s[1] for s in sizes) - settled_at[1] <= 4, "descriptors are lost"
    finally:
        for process in (long, short):
            if process.poll() is None:
                process.kill()
                process.wait()
        long_out.close()
        shutil.rmtree(base, ignore_errors=True)


def _wait_for_game(process: subprocess.Popen[bytes], out: Path) -> None:
    """Until it has told of its game: before that, a signal finds no one at home."""
    for _ in range(1200):
        if process.poll() is not None or "game " in out.read_text():
            return
        time.sleep(0.1)


def _start(folder: Path, seconds: float, seed: int, out: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, "daemon", "--folder", str(folder), "--seconds", str(seconds)]
    with folder.with_suffix(".err").open("w") as err:
        return subprocess.Popen([*command, "--seed", str(seed)], stdout=out, stderr=err)


def _told(path: Path) -> Iterator[Any]:
    """The games that a daemon told of; the last line may be torn by its end."""
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("game ") and line.endswith("\n"):
            yield json.loads(line[5:])


def main() -> None:
    """Run what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("games", "hours", "daemon"))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.what == "games":
        play_games(args.count, args.seed)
    elif args.what == "hours":
        run_hours(args.seconds, args.seed)
    else:
        run_daemon(args.folder, args.seconds, args.seed)


if __name__ == "__main__":
    main()
