#!/bin/sh
# Sets up and runs all checks: format, lint, types, tests. Arguments go to pytest instead of the whole run.
set -eu
cd "$(dirname "$0")"
. scripts/environment.sh
environment dev
if [ $# -gt 0 ]; then
    exec .venv/bin/pytest "$@"
fi
.venv/bin/ruff format --check .
.venv/bin/ruff check .
.venv/bin/mypy
.venv/bin/pytest -n "$(nproc)"
