"""``pytest tests/screens --regenerate-golden`` draws the golden pictures anew: look at them before committing."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate-golden", action="store_true", help="draw tests/screens/golden anew")


@pytest.fixture(scope="session")
def regenerate(request: pytest.FixtureRequest) -> bool:
    # Not registered when the whole suite is run: conftest files below the test paths come too late for options.
    return bool(request.config.getoption("--regenerate-golden", default=False))
