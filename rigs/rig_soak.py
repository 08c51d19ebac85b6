#!/usr/bin/env python3
"""A short endurance run: two hundred games on virtual time, two minutes of real time with faults of every kind.

The long one (ten thousand games, an hour) is benchmarks/soak.py by itself; docs/reliability.md has its figures.
"""

from __future__ import annotations

import subprocess

from frame import TREE, BuildError, ProofError, main

RUNS = (["games", "--count", "200"], ["hours", "--seconds", "120"])


def prove() -> str:
    """Run both; the last line of each is its result."""
    python = TREE / ".venv" / "bin" / "python"
    if not python.exists():
        raise BuildError("needs the environment that ./test.sh makes (.venv)")
    told = []
    for arguments in RUNS:
        done = subprocess.run(
            [python, "benchmarks/soak.py", *arguments], cwd=TREE, check=False, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        print(done.stdout)
        if done.returncode:
            raise ProofError(f"soak.py {' '.join(arguments)} failed")
        told.append(done.stdout.strip().splitlines()[-1])
    return "; ".join(told)


if __name__ == "__main__":
    main(prove)
