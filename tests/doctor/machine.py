"""A machine made of dictionaries: a Pi on which all is well, for tests that take something away."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from companion.doctor.machine import Machine
from companion.errors import ButtonsError, CameraError

SERVICE = "LoadState=loaded\nActiveState=inactive\nSubState=dead\nResult=success\nNRestarts=0\nStatusText=\n"


class Pi(Machine):
    """What each question is answered; ``Exception`` values are raised."""

    user = "companion"

    def __init__(self) -> None:
        self.files = {
            "/proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4",
            "/boot/firmware/config.txt": "dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n",
            "/sys/class/thermal/thermal_zone0/temp": "51234",
            "/etc/os-release": 'PRETTY_NAME="Raspberry Pi OS"\n',
            "/dev/i2c-1": "", "/dev/gpiochip0": "", "/dev/video0": "", "/dev/media0": "",
        }  # fmt: skip
        self.commands: dict[str, str] = {
            "systemctl": SERVICE,
            "vcgencmd": "throttled=0x0\n",
            "timedatectl": "yes\n",
            "journalctl": "2026-05-01T20:00:00 companion[7]: INFO Ana takes the slice from Ben\n",
        }
        self.groups: dict[str, str] = {}  # what may not be used, and the group that may
        self.i2c: list[int] | OSError = [0x3C]
        self.ribbon: list[str] | CameraError = ["imx708"]
        self.sees: Any = np.full((96, 128, 3), 90, np.uint8)
        self.down: list[str] | ButtonsError = []
        self.packages = dict.fromkeys(
            ("tabletop-companion", "numpy", "opencv-python", "pillow", "gpiozero", "luma.oled", "lgpio"), "1.0"
        )
        self.free, self.locked = 5000, False
        self.using: list[str] = []

    def text(self, path: str) -> str:
        return self.files.get(path, "")

    def paths(self, pattern: str) -> list[str]:
        return sorted(p for p in self.files if Path(p).match(pattern))

    def run(self, *command: str) -> str | None:
        return self.commands.get(command[0])

    def barred(self, path: str) -> str:
        return self.groups.get(path, "")

    def free_mb(self, folder: Path) -> int:
        return self.free

    def read_only(self, folder: Path) -> bool:
        return self.locked

    def version(self, package: str) -> str | None:
        return self.packages.get(package)

    def holders(self, paths: list[str]) -> list[str]:
        return self.using

    def scan(self, port: int) -> list[int]:
        return _given(self.i2c)

    def ribbon_cameras(self) -> list[str]:
        return _given(self.ribbon)

    def picture(self, settings: Mapping[str, Any]) -> Any:
        return _given(self.sees)

    def held(self, settings: Mapping[str, Any]) -> list[str]:
        return _given(self.down)


def _given(answer: Any) -> Any:
    if isinstance(answer, Exception):
        raise answer
    return answer
