#!/usr/bin/env python3
"""The test suite on the processor and the Python of a Pi with trixie (aarch64, 3.13), on the wheels that a Pi gets.

The processor is emulated (qemu-user), a dozen times slower than this machine's. The tests that take long even on a real
one (slow.txt) would take two hours: each day has its sixteenth of them, so that in sixteen days all get their turn.
RIG_SLOW_MINUTES=120 tries them all at once, the dearest at the end. What is not done within its time is left out and
counted.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from datetime import date
from pathlib import Path

from frame import SLOW, TREE, BuildError, ProofError, Root, debian_root, locked, main, need_tools

PYTHON = "3.13"
SUITE = "trixie"
PACKAGES = ("base-files", "base-passwd", "coreutils", "dash", "libc-bin", "python3", "libgl1", "libglib2.0-0t64", "sed")
PROCESSOR = "cortex-a72"
"""A Pi 4's. qemu's own default signs the return address of each call, for new processors do, by a slow hash: a loop
of Python took 19.9 s there, 0.9 s here."""
BINFMT = Path("/proc/sys/fs/binfmt_misc")
# Linux's documentation, admin-guide/binfmt-misc: an ELF file of 64 bits, little-endian, machine 183 (aarch64).
MAGIC = rb"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
MASK = rb"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
PLACE = "/usr/local/lib/python3.13/dist-packages"
MINUTES = 20
PARTS = 16
"""Of the slow tests: a sixteenth takes some seven minutes of one processor, or twenty with one of the dearest."""
ALL_MINUTES = 25
"""After which the slow ones are broken off, for the rigs' thirty."""
LIMIT = """
import os, signal, time, zlib
import pytest

END = float(os.environ["RIG_END"])


def out_of_time(*_):
    pytest.skip("out of time")


def pytest_collection_modifyitems(items):
    signal.signal(signal.SIGALRM, out_of_time)
    if len(items) > 1000:  # file by file, but not in the order of the alphabet: no package is to go without
        items.sort(key=lambda item: zlib.crc32(str(item.path).encode()))


@pytest.hookimpl(wrapper=True, trylast=True)
def limited():
    left = END - time.time()
    if left <= 0:
        out_of_time()
    # Again after 5 s: what is raised where nothing can be, in a callback, is lost.
    signal.setitimer(signal.ITIMER_REAL, left, 5)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


pytest_runtest_setup = pytest_runtest_call = limited
"""


def emulation() -> None:
    """Let the kernel start programs of the other processor by qemu."""
    need_tools(qemu_aarch64_static="qemu-user-static")
    if not (BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(BINFMT)], check=False)
    with locked("binfmt"):
        if not (BINFMT / "register").exists():
            raise BuildError("the kernel has no binfmt_misc: it can't start programs of another processor")
        if not any(BINFMT.glob("qemu-aarch64*")):
            line = b":qemu-aarch64:M::" + MAGIC + b":" + MASK + b":/usr/bin/qemu-aarch64-static:FP"
            (BINFMT / "register").write_bytes(line)


def wheels(target: Path) -> None:
    """Put the packages of the project and of its tests into a folder, as pip on a Pi would choose them."""
    project = tomllib.loads((TREE / "pyproject.toml").read_text())["project"]
    tools = [line for line in project["optional-dependencies"]["dev"] if not re.match("mypy|ruff", line)]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(target)]
    command += ["--only-binary=:all:", "--python-version", PYTHON, "--implementation", "cp"]
    command += [f"--abi={abi}" for abi in ("cp313", "abi3", "none")]
    command += [f"--platform=manylinux_2_{n}_aarch64" for n in (17, 26, 27, 28, 31, 34)]
    command += ["--platform=manylinux2014_aarch64", "--constraint", str(TREE / "constraints.txt")]
    if subprocess.run([*command, *project["dependencies"], *tools], check=False).returncode:
        raise BuildError("pip can't fetch the wheels for aarch64 (no network?)")


def compiled(native: Root, root: Root) -> None:
    """Move the packages over, with byte code that this machine makes of them in a twentieth of the time.

    Args:
        native: a root with the same Python for this machine's processor, with the wheels in /packages.
        root: the emulated one.
    """
    native.run("python3", "-m", "compileall", "-q", "-s", "/packages", "-p", PLACE, "/packages", check=False)
    (root.path / PLACE[1:]).parent.mkdir(parents=True, exist_ok=True)
    (native.path / "packages").rename(root.path / PLACE[1:])
    for cache in (native.path / "usr/lib/python3.13").rglob("__pycache__"):
        shutil.copytree(cache, root.path / cache.relative_to(native.path), dirs_exist_ok=True)


def rig() -> str:
    """Build the root, run the tests in it."""
    start = time.monotonic()
    template = debian_root(SUITE, PACKAGES, architecture="arm64", variant="extract")
    emulation()
    with Root(debian_root(SUITE, ("python3",))) as native, Root(template) as root:
        packages = root.path / PLACE[1:]
        wheels(native.path / "packages")
        compiled(native, root)
        # An unpacked root has no list of libraries, no groups, no users yet.
        root.run("/sbin/ldconfig")
        for name in ("passwd", "group"):
            (root.path / "etc" / name).write_text((root.path / "usr/share/base-passwd" / f"{name}.master").read_text())
        root.copy_tree("/tree")
        about = "import platform, cv2, numpy; print(platform.machine(), platform.python_version(), cv2.__version__)"
        told = root.run("python3", "-c", about).stdout.split()
        print(told)
        (packages / "rig_limit.py").write_text(LIMIT)
        passed, late = suite(root, MINUTES, *(f"--deselect={test}" for test in SLOW))
        if passed < 10 * late:
            raise BuildError(f"too slow a machine to emulate another: {late} tests not reached in {MINUTES} minutes")
        part = date.today().toordinal() % PARTS
        if minutes := float(os.environ.get("RIG_SLOW_MINUTES", "0")):
            name, slow = "the slow tests", suite(root, minutes, *SLOW)
        else:
            minutes = max(1.0, ALL_MINUTES - (time.monotonic() - start) / 60)
            name, slow = f"part {part + 1} of {PARTS} of the slow tests", suite(root, minutes, *SLOW[part::PARTS])
    machine, python, opencv = told
    told_slow = f"of {name} {slow[0]} passed, {slow[1]} not reached"
    return f"{machine}, Python {python}, OpenCV {opencv}: {passed} tests passed, {late} not reached; {told_slow}"


def suite(root: Root, minutes: float, *arguments: str) -> tuple[int, int]:
    """Run tests for a time; returns how many passed and how many were not reached.

    Raises:
        ProofError: one failed.
    """
    end = time.time() + minutes * 60
    done = root.run(
        "env", "--chdir=/tree", "python3", "-m", "pytest", "-p", "rig_limit", "-p", "no:cacheprovider",
        "-n", str(min(2, os.cpu_count() or 1)), "-rs", "--durations=100", *arguments,
        # CI: Hypothesis then sets no deadline for a test
        env={"QEMU_CPU": PROCESSOR, "PYTHONPATH": "/tree", "OMP_NUM_THREADS": "1", "CI": "1", "RIG_END": str(end)},
        check=False, timeout=minutes * 60 + 300,
    )  # fmt: skip
    print(done.stdout)
    if done.returncode:
        raise ProofError(f"tests failed on aarch64: {done.stdout.splitlines()[-1]}")
    passed = re.search(r"(\d+) passed", done.stdout)
    late = re.findall(r"^SKIPPED \[(\d+)\].*out of time", done.stdout, re.MULTILINE)
    return int(passed[1]) if passed else 0, sum(map(int, late))


if __name__ == "__main__":
    main(rig)
