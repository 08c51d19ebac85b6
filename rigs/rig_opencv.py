#!/usr/bin/env python3
"""The eyes, the devices and the screens on the oldest libraries that pyproject.toml allows: OpenCV 4.10, NumPy 1.

The tests otherwise run on OpenCV 5 and NumPy 2. NumPy 1 is what Raspberry Pi OS bookworm has.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib

from frame import CACHE, TREE, BuildError, ProofError, locked, main

FOLDERS = ("tests/vision", "tests/calibration", "tests/guides", "tests/hardware", "tests/screens", "tests/simulator")
FOLDERS += ("companion/vision", "companion/screens", "calibration", "hardware")


def oldest() -> list[str]:
    """The oldest versions of the dependencies that are allowed."""
    project = tomllib.loads((TREE / "pyproject.toml").read_text())["project"]
    found = [re.match(r"([\w.-]+)>=([\d.]+)", line) for line in project["dependencies"]]
    return [f"{match[1]}=={match[2]}.*" for match in found if match is not None]


def rig() -> str:
    """Make the environment, run the tests in it."""
    python = shutil.which("python3.11")
    if python is None:
        raise BuildError("needs Python 3.11: NumPy 1.24 has no wheels for younger ones")
    place = CACHE / "oldest"
    wanted = [*oldest(), "pytest", "pytest-xdist", "hypothesis", "babel"]
    with locked("oldest"):
        done = place / "installed"
        if not done.exists() or done.read_text() != repr(wanted):
            shutil.rmtree(place, ignore_errors=True)
            subprocess.run([python, "-m", "venv", str(place)], check=True)
            if subprocess.run([place / "bin" / "pip", "install", "--quiet", *wanted], check=False).returncode:
                raise BuildError(f"pip can't install {' '.join(wanted)} (no network?)")
            done.write_text(repr(wanted))
    about = "import cv2, numpy; print('OpenCV', cv2.__version__, 'NumPy', numpy.__version__)"
    told = subprocess.run([place / "bin" / "python", "-c", about], check=True, capture_output=True, text=True)
    print(told.stdout)
    tests = subprocess.run(
        [place / "bin" / "python", "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", *FOLDERS],
        cwd=TREE, env={**os.environ, "CI": "true", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    print(tests.stdout)
    if tests.returncode:
        raise ProofError(f"tests failed on {told.stdout.strip()}")
    counts = re.findall(r"\d+ (?:passed|skipped)", tests.stdout.splitlines()[-1])
    return f"{told.stdout.strip()}, Python {sys.version_info[0]}.11: {', '.join(counts)}"


main(rig)
