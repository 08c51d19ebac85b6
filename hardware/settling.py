"""When a camera's exposure, white balance and focus are left to its own automatics, and when they are held.

A board is compared with pictures that were taken before: a white balance that drifts turns white into grey, and an
exposure that follows a sleeve over the table changes every space. So the automatics work once, are held, and are asked
again only when the room's light has changed for good. Pure: time, metadata and brightness are arguments.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, Literal

WARM_UP_MS = 1000  # the first frames of a sensor are dark, and its automatics still jump
STEADY_MS = 500
WARM_UP_LONGEST_MS = 4000  # flickering lamps keep the automatics busy for ever
STEADY_SHARE = 0.03
CHANGED_STOPS = 0.7  # a hand with its sleeve over a third of the picture changes it by less than half a stop
CHANGED_MS = 5000
FOCUS_LONGEST_MS = 5000
FOCUS_TRIES = 3
TABLE_DIOPTRES = 1.5  # 67 cm: a camera on a lamp arm above a table

# Values of libcamera's controls.
AF_MANUAL, AF_AUTO, AF_TRIGGER_START = 0, 1, 0
AF_FOCUSED, AF_FAILED = 2, 3


class Settling:
    """Holds a camera's exposure and white balance after a warm-up, and its focus after one search.

    Args:
        controls: names of the controls that the camera has; others are neither set nor waited for.

    >>> settling = Settling({"AeEnable", "ExposureTime"})
    >>> dark = {"ExposureTime": 1000}
    >>> [settling.update(t, dark, 90.0) for t in (0, 600, 1200)]
    [{}, {}, {'AeEnable': False, 'ExposureTime': 1000}]
    """

    def __init__(self, controls: Collection[str]) -> None:
        self._controls = frozenset(controls)
        self._light: Literal["free", "held"] = "free"
        self._free_since: int | None = None
        self._steady: tuple[int, float] | None = None  # since when, at which exposure
        self._held_at = 0.0  # brightness when it was held
        self._changed_since: int | None = None
        self._focus: Literal["waiting", "searching", "held"] = "waiting" if "AfMode" in controls else "held"
        self._focus_since = 0
        self._focus_tries = 0

    def update(self, t_ms: int, metadata: Mapping[str, Any], brightness: float) -> dict[str, Any]:
        """Take a picture's metadata.

        Args:
            t_ms: its time.
            metadata: by libcamera's names.
            brightness: mean of the picture, 0 to 255.

        Returns:
            Controls to set now, by libcamera's names; mostly none.
        """
        wanted = self._expose(t_ms, metadata, brightness) | self._find_focus(t_ms, metadata)
        return {name: value for name, value in wanted.items() if name in self._controls}

    def _expose(self, t_ms: int, metadata: Mapping[str, Any], brightness: float) -> dict[str, Any]:
        if self._light == "held":
            return self._watch_light(t_ms, brightness)
        if self._free_since is None:
            self._free_since = t_ms
        exposure = float(metadata.get("ExposureTime", 0)) * float(metadata.get("AnalogueGain", 1))
        if self._steady is None or abs(exposure - self._steady[1]) > STEADY_SHARE * self._steady[1]:
            self._steady = (t_ms, exposure)
        free = t_ms - self._free_since
        if free < WARM_UP_LONGEST_MS and (free < WARM_UP_MS or t_ms - self._steady[0] < STEADY_MS):
            return {}
        self._light, self._held_at, self._changed_since = "held", brightness, None
        held = {n: metadata[n] for n in ("ExposureTime", "AnalogueGain", "ColourGains") if n in metadata}
        return {"AeEnable": False, "AwbEnable": False} | held

    def _watch_light(self, t_ms: int, brightness: float) -> dict[str, Any]:
        if abs(math.log2((brightness + 1) / (self._held_at + 1))) < CHANGED_STOPS:
            self._changed_since = None
            return {}
        if self._changed_since is None:
            self._changed_since = t_ms
        if t_ms - self._changed_since < CHANGED_MS:
            return {}
        self._light, self._free_since, self._steady = "free", None, None
        return {"AeEnable": True, "AwbEnable": True}

    def _find_focus(self, t_ms: int, metadata: Mapping[str, Any]) -> dict[str, Any]:
        if self._focus == "held" or (self._focus == "waiting" and self._light == "free"):
            return {}  # in a picture that is still too dark nothing is found
        state = metadata.get("AfState")
        if self._focus == "searching" and state == AF_FOCUSED:
            self._focus = "held"
            return {"AfMode": AF_MANUAL, "LensPosition": metadata.get("LensPosition", TABLE_DIOPTRES)}
        failed = self._focus == "searching" and state == AF_FAILED
        if self._focus == "waiting" or failed or t_ms - self._focus_since > FOCUS_LONGEST_MS:
            if self._focus_tries == FOCUS_TRIES:
                self._focus = "held"
                return {"AfMode": AF_MANUAL, "LensPosition": TABLE_DIOPTRES}
            self._focus, self._focus_since = "searching", t_ms
            self._focus_tries += 1
            return {"AfMode": AF_AUTO, "AfTrigger": AF_TRIGGER_START}
        return {}
