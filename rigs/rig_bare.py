#!/usr/bin/env python3
"""The README's two commands on a Debian that has nothing but Python: they bring along what else they need."""

from __future__ import annotations

import re

from frame import SLOW, Root, debian_root, expect, main, need_network, network_settings


def rig() -> str:
    """Run demo.sh and test.sh as somebody who has just cloned the repository."""
    with Root(debian_root("trixie", ("python3",))) as root:
        need_network(root)
        # CI: beside other rigs a test may be slow; Hypothesis does not mind then
        network = {**network_settings(root.path), "CI": "true"}
        root.copy_tree("/root/companion")
        missing = "import ensurepip"
        expect(root.run("python3", "-c", missing, check=False).returncode, "the root has no python3-venv yet")
        told = root.run("/root/companion/demo.sh", "--auto", "--fast", env=network, timeout=1200).stdout
        print("\n".join(told.splitlines()[-12:]))
        expect("Debian packages needed: python3-venv libgl1 libglib2.0-0" in told, "demo.sh says what it installs")
        again = root.run("/root/companion/demo.sh", "--help", env=network).stdout
        expect("needed" not in again and "setting up" not in again, "and installs nothing the second time")
        quick = [f"--deselect={test}" for test in SLOW]  # the others are run outside, on the same processor
        told = root.run("/root/companion/test.sh", "-n", "2", *quick, env=network, timeout=1500).stdout
        print("\n".join(told.splitlines()[-12:]))
        counts = re.findall(r"\d+ (?:passed|skipped)", told.splitlines()[-1])
        python = root.run("/root/companion/.venv/bin/python", "--version").stdout.strip()
    return f"demo.sh and test.sh on bare Debian 13, {python}: {', '.join(counts)} without the slowest"


main(rig)
