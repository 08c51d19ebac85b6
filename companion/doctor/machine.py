"""The machine as the doctor sees it. Tests put another one in its place; everything that touches it is here."""

from __future__ import annotations

import contextlib
import errno
import functools
import getpass
import grp
import importlib.metadata
import os
import pwd
import subprocess
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import ButtonsError, CameraError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SERVICE = "companion"
UNIT = Path("/etc/systemd/system/companion.service")
CAMERA_S = 12.0  # opening (2 s), settling of light and focus, and a picture, on the slowest Pi
I2C_FIRST, I2C_LAST = 0x08, 0x77
I2C_READ_ONLY = (*range(0x30, 0x38), *range(0x50, 0x60))  # memories there take a written bit for data: as i2cdetect


class Machine:
    """This machine."""

    def text(self, path: str) -> str:
        """A small text file's content; "" when it is not there or can't be read."""
        try:
            return Path(path).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
        except OSError:
            return ""

    def paths(self, pattern: str) -> list[str]:
        """What there is of a pattern such as "/dev/video*"."""
        return sorted(str(p) for p in Path("/").glob(pattern.lstrip("/")))

    def run(self, *command: str) -> str | None:
        """What a command prints; None when it is not there, fails or takes more than ten seconds."""
        try:
            done = subprocess.run(
                command,
                check=True,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=10,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout

    @functools.cached_property
    def user(self) -> str:
        """Whose companion it is: the service's user where the service is installed, else who asks."""
        if UNIT.exists():
            with contextlib.suppress(KeyError):
                return pwd.getpwnam(SERVICE).pw_name
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            return str(os.geteuid())

    def barred(self, path: str) -> str:
        """The group that may read and write a file; "" when the user may.

        A folder must also be entered; a file of nobody's group is barred by "root".
        """
        try:
            about = Path(path).stat()
            entry = pwd.getpwnam(self.user)
        except (OSError, KeyError):
            return ""
        wanted = 7 if Path(path).is_dir() else 6
        groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
        if entry.pw_uid == 0:
            return ""
        if about.st_uid == entry.pw_uid:
            allowed = about.st_mode >> 6
        elif about.st_gid in groups:
            allowed = about.st_mode >> 3
        else:
            allowed = about.st_mode
        if allowed & wanted == wanted:
            return ""
        try:
            return grp.getgrgid(about.st_gid).gr_name
        except KeyError:
            return "root"

    def free_mb(self, folder: Path) -> int:
        """MB that may still be written where a folder is or will be."""
        about = os.statvfs(_nearest(folder))
        return about.f_bavail * about.f_frsize // 1_000_000

    def read_only(self, folder: Path) -> bool:
        """Whether the file system where a folder is or will be takes no writing."""
        return bool(os.statvfs(_nearest(folder)).f_flag & os.ST_RDONLY)

    def version(self, package: str) -> str | None:
        """The version of an installed Python package."""
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return None

    def holders(self, paths: list[str]) -> list[str]:
        """The programs that have one of these devices open, as far as this user may know."""
        found = set()
        for link in Path("/proc").glob("[0-9]*/fd/*"):
            with contextlib.suppress(OSError):
                if str(link.readlink()) in paths and link.parts[2] != str(os.getpid()):
                    found.add(f"{self.text(f'/proc/{link.parts[2]}/comm')} (process {link.parts[2]})")
        return sorted(found)

    def scan(self, port: int) -> list[int]:
        """The addresses that answer on an I2C bus.

        Raises:
            OSError: the bus can't be opened, or hangs.
        """
        from smbus2 import SMBus

        found = []
        with SMBus(port) as bus:
            for address in range(I2C_FIRST, I2C_LAST + 1):
                try:
                    if address in I2C_READ_ONLY:
                        bus.read_byte(address)
                    else:
                        bus.write_quick(address)
                except OSError as error:
                    if error.errno == errno.ETIMEDOUT:
                        raise
                    if error.errno != errno.EBUSY:  # busy: a driver of the kernel has it
                        continue
                found.append(address)
        return found

    def ribbon_cameras(self) -> list[str]:
        """The cameras that libcamera knows, by their sensors' names.

        Raises:
            CameraError: picamera2 is not installed, or libcamera can't be asked.
        """
        from hardware.picamera import load_picamera2

        os.environ.setdefault("LIBCAMERA_LOG_LEVELS", "*:FATAL")
        library = load_picamera2()
        try:
            return [str(info.get("Model", "?")) for info in library.global_camera_info()]
        except Exception as error:  # libcamera raises anything
            raise CameraError(f"camera: {error}") from error

    def picture(self, settings: Mapping[str, Any]) -> npt.NDArray[np.uint8]:
        """A picture of the camera, BGR uint8.

        Raises:
            CameraError: it gives none.
        """
        from hardware.camera import open_camera

        camera = open_camera(settings["driver"], settings)
        try:
            start = time.monotonic()
            while (passed := time.monotonic() - start) < CAMERA_S:
                found = camera.read(round(passed * 1000))
                if found is not None:
                    return found
                time.sleep(0.05)
        finally:
            camera.close()
        raise CameraError(f"no picture within {CAMERA_S:.0f} s")

    def held(self, settings: Mapping[str, Any]) -> list[str]:
        """The buttons that are down now.

        Raises:
            ButtonsError: the pins can't be opened.
        """
        from gpiozero import DigitalInputDevice

        from hardware.base import BUTTON_NAMES

        down: list[str] = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of pin libraries that are not there, before the one that is
                for name in BUTTON_NAMES:
                    with contextlib.closing(DigitalInputDevice(settings[name], pull_up=True)) as button:
                        down += [name] * bool(button.is_active)
        except Exception as error:  # each pin library has its own family of errors
            raise ButtonsError(f"buttons: {error}") from error
        return down


def _nearest(folder: Path) -> Path:
    folder = folder.absolute()
    while not folder.exists():
        folder = folder.parent
    return folder
