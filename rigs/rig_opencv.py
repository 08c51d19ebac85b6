#!/usr/bin/env python3
"""The eyes, the devices and the screens on the oldest OpenCV and NumPy that pyproject.toml allows: 4.10 and 1.24.

The tests otherwise run on OpenCV 5 and NumPy 2. NumPy 1 is what Raspberry Pi OS bookworm has.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from frame import CACHE, TREE, BuildError, ProofError, locked, main

OLDEST = re.compile(r"(numpy|opencv-python)>=([\d.]+)")
FOLDERS = ("tests/vision", "tests/calibration", "tests/guides", "tests/hardware", "tests/screens", "tests/simulator")
PACKAGES = ("companion/vision", "companion/screens", "calibration", "hardware")


def wanted() -> list[str]:
    """What pip is to install: the oldest OpenCV and NumPy allowed, all else as in constraints.txt."""
    project = tomllib.loads((TREE / "pyproject.toml").read_text())["project"]
    tools = ("pytest", "pytest-xdist", "hypothesis", "babel")
    oldest = [f"{m[1]}=={m[2]}.*" for line in project["dependencies"] if (m := OLDEST.match(line))]
    return [*oldest, *(line for line in project["dependencies"] if not OLDEST.match(line)), *tools]


def rig() -> str:
    """Make the environment, run the tests in it."""
    python = shutil.which("python3.11")
    if python is None:
        raise BuildError("needs Python 3.11: NumPy 1.24 has no wheels for younger ones")
    place = CACHE / "oldest"
    lines = (TREE / "constraints.txt").read_text().splitlines(keepends=True)
    constraints = "".join(line for line in lines if not line.startswith(("numpy==", "opencv-python==")))
    key = repr(wanted()) + constraints
    with locked("oldest"):
        done = place / "installed"
        if not done.exists() or done.read_text() != key:
            shutil.rmtree(place, ignore_errors=True)
            subprocess.run([python, "-m", "venv", str(place)], check=True)
            (place / "constraints.txt").write_text(constraints)
            pip: list[str | Path] = [
                place / "bin" / "pip",
                "install",
                "--quiet",
                "--constraint",
                place / "constraints.txt",
            ]
            if subprocess.run([*pip, *wanted()], check=False).returncode:
                raise BuildError(f"pip can't install {' '.join(wanted())} (no network?)")
            done.write_text(key)
    about = "import cv2, numpy; print('OpenCV', cv2.__version__, 'NumPy', numpy.__version__)"
    told = subprocess.run([place / "bin" / "python", "-c", about], check=True, capture_output=True, text=True)
    print(told.stdout)
    tests = subprocess.run(
        [place / "bin" / "python", "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", *FOLDERS, *PACKAGES],
        cwd=TREE, env={**os.environ, "CI": "true", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    print(tests.stdout)
    if tests.returncode:
        raise ProofError(f"tests failed on {told.stdout.strip()}")
    counts = re.findall(r"\d+ (?:passed|skipped)", tests.stdout.splitlines()[-1])
    return f"{told.stdout.strip()}, Python {sys.version_info[0]}.11: {', '.join(counts)}"


main(rig)
