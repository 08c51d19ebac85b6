#!/bin/sh
# Sets up and shows a simulated table being refereed; arguments go to `companion demo` (see --help).
set -eu
cd "$(dirname "$0")"
. scripts/environment.sh
environment
exec .venv/bin/companion demo "$@"
