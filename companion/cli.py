"""The command line: one subcommand a module of :mod:`companion.commands`, imported only to be described or run."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from companion.errors import CompanionError, InputError

COMMANDS = ("demo", "run", "record", "read", "calibrate", "adjudicate", "screens", "deck", "doctor")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, like all others."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser with all subcommands.

    >>> parser().parse_args(["adjudicate", "-"]).record
    '-'
    """
    top = _Parser(
        prog="companion",
        description="Looks at a board game through a camera, keeps the rules and tells the players what happens.",
        epilog="Try: companion demo --auto --fast",
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for name in COMMANDS:
        importlib.import_module(f"companion.commands.{name}").register(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0 done, 1 the answer is "no", 2 malformed input or call."""
    if sys.stdout is None:  # started with standard output closed
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    args = parser().parse_args(argv)
    try:
        code: int = args.func(args)
        sys.stdout.flush()
        return code
    except InputError as error:
        return _complain(error, 2)
    except CompanionError as error:
        return _complain(error, 1)
    except OSError as error:
        # The reader of our output has gone, or the disk is full; what is still buffered must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1 if isinstance(error, BrokenPipeError) else _complain(error, 1)
    except KeyboardInterrupt:
        return 1


def _complain(error: Exception, code: int) -> int:
    line = " ".join(str(error).split())
    print(f"companion: {line.encode(errors='replace').decode()}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
