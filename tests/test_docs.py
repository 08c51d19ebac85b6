"""The documents name tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = sorted(
    set(re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", (ROOT / "docs" / "known-faults.md").read_text("utf-8")))
)


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_a_named_test_exists(file: str, test: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    assert not test or f"def {test}(" in text
