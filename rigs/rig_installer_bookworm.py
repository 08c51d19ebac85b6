#!/usr/bin/env python3
"""The installer for real on Debian's bookworm, up to a started service under systemd: see installing.py."""

from frame import main
from installing import prove

main(lambda: prove("bookworm"))
