"""What an evening writes to the SD card.

usage: evening.py [--games 5] [--seed 1]

Plays pizza games at the arbiter (settled readings, as perfect eyes give them; one event in ten taken back) with the
real journal on the real disk, and counts what is written: by the program, and by the kernel (``/proc/self/io``: whole
pages, without what the file system adds for its own book-keeping). The log goes to the system's journal, not to a file;
its length is told as well.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import companion.journal
from companion.arbiter.arbiter import Arbiter
from companion.arbiter.game import Game
from companion.journal import Journal
from tests.arbiter import settled, test_pizza_table


class Counting(logging.Handler):
    """Counts letters of the log."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += len(record.getMessage()) + 60  # time, level, name


def written_by_kernel() -> int:
    """Bytes of pages that this process has sent to the disk so far."""
    lines = Path("/proc/self/io").read_text().split("\n")
    return next(int(line.split()[1]) for line in lines if line.startswith("write_bytes"))


def main() -> None:
    """Play, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    log = Counting()
    logging.getLogger().addHandler(log)
    logging.getLogger().setLevel(logging.INFO)
    syncs = 0
    real_fsync = os.fsync

    def fsync(handle: int) -> None:
        nonlocal syncs
        syncs += 1
        real_fsync(handle)

    os.fsync = fsync  # type: ignore[assignment]
    assert companion.journal.os.fsync is fsync
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        before = written_by_kernel()
        events = undone = 0
        for _ in range(args.games):
            arbiter = Arbiter(Journal(folder), names=["Ana", "Ben"], draw=lambda: 0, confirm="unsure")
            arbiter.begin(settled.header(3))
            table = settled.Table(arbiter)
            table.spaces = dict.fromkeys(settled.load_layout("hex37").spaces, "empty")
            table.lay_as_state()
            table.look()
            events += len(test_pizza_table.play_by_sight(table, rng))
            journal, game = Journal(folder), arbiter.game
            assert game is not None
            for _ in range(len(game.events) // 10):  # taken back and played again
                journal.replace(game.header, game.events[:-1])
                journal.append(game.events[-1])
                undone += 1
            assert Game(game.header, Journal(folder).saved.events).state == game.state  # type: ignore[union-attr]
        kernel = written_by_kernel() - before
        left = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    print(
        f"{args.games} games, {events} events, {undone} taken back and played again: {syncs} fsyncs, "
        f"{kernel / 1000:.0f} kB of pages written, {left / 1000:.0f} kB of files left; log {log.count / 1000:.0f} kB"
    )


if __name__ == "__main__":
    main()
