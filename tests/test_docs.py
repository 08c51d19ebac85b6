"""The documents, and the list of slow tests that rigs go by, name tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FAULTS = (ROOT / "docs" / "known-faults.md").read_text("utf-8")
SLOW = (ROOT / "rigs" / "slow.txt").read_text("utf-8")
NAMED = sorted(
    {
        *re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", FAULTS),
        *re.findall(r"^(tests/[\w/.]+)::(\w+)$", SLOW, re.MULTILINE),
    }
)


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_a_named_test_exists(file: str, test: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    assert not test or f"def {test}(" in text
