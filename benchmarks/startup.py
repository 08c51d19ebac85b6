"""How long after a power cut the display asks "go on with the game of ...?".

usage: startup.py [--times 5] [--events 200]

A journal with a game of so many events lies there, and a profile; `companion run` is started with a display of PNG
files. The time to the first picture that asks is compared with that of a process that only imports what this one has
imported by then.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.power import HEADER, playing
from companion.journal import Journal

CONFIG = """
[camera]
driver = "{camera}"
device = 63
[display]
driver = "png"
[buttons]
driver = "none"
[web]
page = "off"
"""
PROGRAM = """
import sys
from companion.cli import main
from hardware.display import PngDisplay
show, modules = PngDisplay.show, []
def showing(self, image, t_ms):
    modules[:] = modules or list(sys.modules)
    show(self, image, t_ms)
PngDisplay.show = showing
main(["run", "--config", sys.argv[1]])
print("\\n".join(m for m in modules if m != "__main__"))
"""


def asked_after(config: Path) -> tuple[float, list[str]]:
    """Seconds to the first picture of the question, and the modules imported by then."""
    folder = config.parent / "display"
    for old in folder.glob("*.png"):
        old.unlink()
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(config)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        cwd=config.parent,
    ) as process:  # fmt: skip
        while not list(folder.glob("*.png")):
            assert process.poll() is None, "it has ended"
            time.sleep(0.002)
        took = time.perf_counter() - start
        process.terminate()
        assert process.stdout is not None
        return took, process.stdout.read().split()


def imports_take(modules: list[str]) -> float:
    """Seconds that a process takes to import them."""
    code = "import contextlib, importlib, sys\nfor m in sys.argv[1:]:\n    with contextlib.suppress(Exception):\n"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code + "        importlib.import_module(m)\n", *modules], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--events", type=int, default=200)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journal = Journal(folder / "data")
        journal.begin(HEADER)
        longest = max((list(_one_game(seed)) for seed in range(30)), key=len)[: args.events]
        for row in longest[:-1]:
            journal.append({**row, "t_ms": 0})
        for camera in ("none", "opencv"):
            config = folder / f"{camera}.toml"
            config.write_text(CONFIG.format(camera=camera))
            asked = [asked_after(config) for _ in range(args.times)]
            imports = [imports_take(asked[0][1]) for _ in range(args.times)]
            whole, bare = (statistics.median(v) for v in ([a for a, _ in asked], imports))
            print(
                f"camera {camera}: asks after {whole:.2f} s (median of {args.times}; {len(longest) - 1} events), "
                f"imports take {bare:.2f} s of it: {max(0.0, whole - bare):.2f} s beyond them"
            )
            assert whole - bare < 2


def _one_game(seed: int):  # type: ignore[no-untyped-def]
    for number, (_, row) in enumerate(playing(random.Random(seed).randrange(10**6))):
        if number and row is None:
            return
        if row is not None:
            yield row


if __name__ == "__main__":
    main()
