"""Troubles of devices in the log: each is said once when it begins, and once when it is over."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)


class Troubles:
    """What is wrong with which device now.

    >>> troubles = Troubles()
    >>> troubles.say("camera", "unplugged")
    >>> dict(troubles.now)
    {'camera': 'unplugged'}
    """

    def __init__(self) -> None:
        self.now: dict[str, str] = {}

    def say(self, device: str, trouble: str) -> None:
        """Note a device's state; "" is well. Only a change is logged."""
        if self.now.get(device, "") == trouble:
            return
        log.warning("%s: %s", device, trouble or "works again")
        if trouble:
            self.now[device] = trouble
        else:
            del self.now[device]
