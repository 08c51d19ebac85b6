#!/usr/bin/env python3
"""Runs the rigs: real parts (systemd, Debian roots, emulated processors, ...) that the tests can't bring along.

A rig is an executable file ``rigs/rig_*.py``. It ends with 0 (passed), 1 (failed) or 77 (can't be built here: its last
line says why). Its output goes to a log of its own in the cache folder; the end of it is shown when it failed.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from frame import CACHE, SKIPPED  # noqa: E402 - needs the path above

TIMEOUT_S = 30 * 60


def rigs() -> dict[str, Path]:
    """All rigs by name."""
    return {p.stem.removeprefix("rig_"): p for p in sorted(HERE.glob("rig_*.py")) if os.access(p, os.X_OK)}


def run(name: str, script: Path) -> str:
    """Run one rig and print its line; returns "passed", "failed" or "skipped"."""
    log = CACHE / "logs" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with log.open("wb") as out:
        rig = subprocess.Popen(
            [script], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = rig.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(rig.pid, signal.SIGKILL)
            rig.wait()
            code = -1
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or [""]
    verdict = {0: "passed", SKIPPED: "skipped"}.get(code, "failed")
    told = f"not finished after {TIMEOUT_S // 60} minutes" if code == -1 else lines[-1]
    text = f"{verdict:8}{name:20}{time.monotonic() - start:5.0f} s  {told}"
    if verdict == "failed":
        text += "".join(f"\n    {line}" for line in (*lines[-40:], f"(all of it: {log})"))
    print(text, flush=True)
    return verdict


def main() -> int:
    """Run the rigs named on the command line, or all."""
    known = rigs()
    parser = argparse.ArgumentParser(description="Runs the rigs; each that can't be built here is skipped.")
    parser.add_argument("names", nargs="*", metavar="RIG", help=f"which ones (default: all): {', '.join(known)}")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="how many at once")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in known]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(known)}")
    names = args.names or list(known)
    with ThreadPoolExecutor(args.jobs) as pool:
        verdicts = list(pool.map(run, names, [known[name] for name in names]))
    print(", ".join(f"{verdicts.count(v)} {v}" for v in ("passed", "failed", "skipped")))
    return 1 if "failed" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
