"""Guards the arrows of docs/architecture.md: who may import whom, and what stays out of a quick start."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The pure modules of a game's package.
RULES = ("state", "rules", "board", "account", "position", "cards", "dice", "sheet", "scoring", "spells", "chances")
TABLE = ("flow", "table")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offenders(files: Iterator[Path], forbidden: tuple[str, ...]) -> list[str]:
    return sorted(
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in set(imports(path))
        if any(name == f or name.startswith(f + ".") for f in forbidden)
    )


def test_rules_know_no_device_picture_clock_or_file() -> None:
    files = (p for name in RULES for p in (ROOT / "companion" / "games").rglob(f"{name}.py"))
    forbidden = ("cv2", "numpy", "PIL", "time", "threading", "pathlib", "os", "hardware", "calibration")
    forbidden += tuple(
        f"companion.{name}" for name in ("vision", "arbiter", "screens", "simulator", "daemon", "journal")
    )
    assert offenders(files, forbidden) == []
    assert (ROOT / "companion" / "games" / "pizza" / "rules.py").exists()


def test_eyes_and_calibration_know_no_game() -> None:
    folders = (ROOT / "companion" / "vision", ROOT / "calibration")
    files = (p for folder in folders for p in folder.rglob("*.py"))
    forbidden = ("companion.games", "companion.arbiter", "companion.screens.render", "companion.simulator", "hardware")
    assert offenders(files, forbidden) == []


def test_hardware_knows_errors_only() -> None:
    names = ("games", "arbiter", "vision", "screens", "simulator", "daemon", "journal", "config")
    forbidden = ("calibration", *(f"companion.{name}" for name in names))
    assert offenders((ROOT / "hardware").rglob("*.py"), forbidden) == []


def test_arbiter_and_screens_name_no_game() -> None:
    folders = ("arbiter", "screens", "commands")
    files = (p for folder in folders for p in (ROOT / "companion" / folder).rglob("*.py"))
    assert (
        offenders(files, ("companion.games.pizza", "companion.games.wizard_dice", "companion.games.wizard_cards")) == []
    )


def test_guides_know_no_game_and_open_no_device() -> None:
    drivers = tuple(f"hardware.{p.stem}" for p in (ROOT / "hardware").glob("[a-z]*.py") if p.stem != "base")
    forbidden = ("companion.games", "companion.arbiter", "companion.daemon", "companion.config", *drivers)
    assert offenders((ROOT / "companion" / "guides").rglob("*.py"), forbidden) == []


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, companion.cli as c\nc.parser()\n"
        "print([m for m in ('cv2', 'numpy', 'PIL', 'luma', 'gpiozero', 'companion.games.pizza') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
