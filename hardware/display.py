"""Small displays: any OLED that luma.oled drives, a terminal, a folder of PNG files, or none.

Example:
    >>> from PIL import Image
    >>> display = open_display("none", {"size": (128, 64)})
    >>> display.show(Image.new("1", display.size), t_ms=0)
    >>> display.close()
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import ConfigError, DisplayError
from hardware.terminal import TerminalDisplay
from hardware.thrift import Thrift

if TYPE_CHECKING:
    from PIL import Image

    from hardware.base import Display, Light

OWN_DRIVERS = ("terminal", "png", "none")
FULL_MS = 60_000
DIM = 1  # of 255: legible from near, and a small part of the current


def open_display(driver: str, settings: Mapping[str, Any] | None = None) -> Display:
    """Make the display of a name: "terminal", "png", "none", or a device of luma.oled such as "ssd1306".

    An OLED is not touched before the first picture, so that a missing one does not keep the game from starting.

    Args:
        driver: the name.
        settings: the table [display] of the configuration: ``size`` (px, before turning), ``rotate`` (quarter turns
            clockwise), ``interface`` ("i2c" or "spi"), ``port``, ``address``, ``contrast`` (0 to 255); for "png" also
            ``folder``. Missing keys have the defaults of the shipped example.

    Raises:
        ConfigError: unknown driver, or a size that the device does not have.
        DisplayError: the library of the device is not installed.
    """
    settings = settings or {}
    width, height = settings.get("size", (128, 64))
    rotate = settings.get("rotate", 0)
    if driver in OWN_DRIVERS:
        size = (height, width) if rotate % 2 else (width, height)
        if driver == "terminal":
            return TerminalDisplay(size)
        if driver == "png":
            return PngDisplay(size, Path(settings.get("folder", "display")))
        return NoDisplay(size)
    serial = functools.partial(
        _open_serial,
        settings.get("interface", "i2c"),
        settings.get("port", 1),
        settings.get("address", 0x3C),
    )
    return OledDisplay(driver, (width, height), serial, rotate=rotate, contrast=settings.get("contrast", 255))


class NoDisplay:
    """No display; remembers the last picture, which serves tests."""

    burns_in = False

    def __init__(self, size: tuple[int, int] = (128, 64)) -> None:
        self.size = size
        self.image: Image.Image | None = None

    def show(self, image: Image.Image, t_ms: int) -> None:
        """Remember the picture."""
        self.image = image

    def light(self, light: Light) -> None:
        """Nothing to light."""

    def close(self) -> None:
        """Nothing to let go of."""


class PngDisplay:
    """Writes each picture that differs from the one before as ``NNNNNNNN.png``, named by its milliseconds."""

    burns_in = False

    def __init__(self, size: tuple[int, int], folder: Path) -> None:
        self.size = size
        self._folder = folder
        self._shown: bytes | None = None

    def show(self, image: Image.Image, t_ms: int) -> None:
        """Write the picture if it is a new one.

        Raises:
            DisplayError: it can't be written.
        """
        pixels = image.tobytes()
        if pixels == self._shown:
            return
        path = self._folder / f"{t_ms:08d}.png"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            image.save(path)
        except OSError as error:
            raise DisplayError(f"{path}: {error.strerror or error}") from error
        self._shown = pixels

    def light(self, light: Light) -> None:
        """Nothing to light."""

    def close(self) -> None:
        """Nothing to let go of: every file is complete."""


class OledDisplay:
    """An OLED on I2C or SPI, by its luma.oled device name.

    Wiring (I2C): VCC to 3.3 V, GND to ground, SDA to GPIO2, SCL to GPIO3.

    Only what has changed is sent, see :mod:`hardware.thrift`; once a minute a changed picture is sent in full, which
    mends what a spark may have done to the chip's memory. A display that was unplugged has lost its set-up: after an
    error the next picture opens the bus anew and sends the set-up again.

    Args:
        name: class name in luma.oled.device.
        size: width and height before turning, px.
        open_serial: opens the bus: a serial interface of luma.core.
        rotate: quarter turns clockwise.
        contrast: 0 to 255.

    Raises:
        ConfigError: luma.oled has no such device, or not in this size.
        DisplayError: luma.oled is not installed.
    """

    burns_in = True

    def __init__(
        self,
        name: str,
        size: tuple[int, int],
        open_serial: Callable[[], Any],
        *,
        rotate: int = 0,
        contrast: int = 255,
    ) -> None:
        self._wire = _Wire(open_serial)
        self._device = _luma_device(name, size, rotate, self._wire)
        self.size: tuple[int, int] = self._device.size
        self._contrast = contrast
        self._light: Light = "on"
        self._full_ms = 0
        self._set_up = self._wire.take_recording()
        self._shown: bytes | None = None

    def show(self, image: Image.Image, t_ms: int) -> None:
        """Send the picture if it differs from the one shown.

        Raises:
            DisplayError: the display does not answer; the next call starts it again.
        """
        pixels = image.tobytes()
        if pixels == self._shown:
            return
        with _display_errors():
            if not self._wire.connected:
                self._start()
            if t_ms - self._full_ms >= FULL_MS:
                self._wire.thrift.forget()
                self._full_ms = t_ms
            try:
                self._device.display(image.convert(self._device.mode))
            except Exception:
                self._shown = None
                self._wire.disconnect()
                raise
        self._shown = pixels

    def light(self, light: Light) -> None:
        """Light the display, dim it, or switch its pixels off.

        Raises:
            DisplayError: the display does not answer; it is lit so when it is started again.
        """
        self._light = light
        if not self._wire.connected:
            return
        with _display_errors():
            try:
                self._set_light()
            except Exception:
                self._shown = None
                self._wire.disconnect()
                raise

    def _set_light(self) -> None:
        if self._light == "off":
            self._device.hide()
            return
        self._device.contrast(DIM if self._light == "dim" else self._contrast)
        self._device.show()

    def close(self) -> None:
        """Switch the display off and let go of the bus; an error no longer matters to anyone."""
        if self._wire.connected:
            with contextlib.suppress(DisplayError), _display_errors():
                self._device.hide()
        self._shown = None
        self._wire.disconnect()

    def _start(self) -> None:
        # Drivers that send only differences must believe what the set-up leaves on the glass: black.
        self._device.clear()
        self._wire.take_recording()
        self._wire.connect()
        try:
            for send, data in self._set_up:
                getattr(self._wire, send)(*data)
            self._set_light()
        except Exception:
            self._wire.disconnect()
            raise


class _Wire:
    """The bus as luma sees it. While it is not connected it records what is sent.

    A luma device registers itself to be closed at exit, for good, also when making it fails: 130 kB for each attempt
    to reach a display that is not there. So the device is made once, off line, and its set-up is replayed on
    each connection.
    """

    def __init__(self, open_serial: Callable[[], Any]) -> None:
        self._open = open_serial
        self._serial: Any = None
        self.thrift = Thrift(lambda *code: self._serial.command(*code), lambda pixels: self._serial.data(pixels))
        self._recording: list[tuple[str, tuple[Any, ...]]] = []

    @property
    def connected(self) -> bool:
        return self._serial is not None

    def take_recording(self) -> list[tuple[str, tuple[Any, ...]]]:
        taken, self._recording = self._recording, []
        return taken

    def connect(self) -> None:
        self._serial = self._open()
        self.thrift.forget()

    def disconnect(self) -> None:
        serial, self._serial = self._serial, None
        if serial is not None:
            with contextlib.suppress(Exception):
                serial.cleanup()

    def command(self, *data: int) -> None:
        self._send("command", data)

    def data(self, data: Any) -> None:
        self._send("data", (data,))

    def _send(self, method: str, data: tuple[Any, ...]) -> None:
        if self._serial is None:
            self._recording.append((method, data))
        else:
            getattr(self.thrift, method)(*data)

    def cleanup(self) -> None:
        self.disconnect()


@contextlib.contextmanager
def _display_errors() -> Iterator[None]:
    """Map what luma and the kernel raise: a missing device has luma's class, a failed transfer is a bare OSError."""
    import luma.core.error

    try:
        yield
    except ImportError as error:
        raise DisplayError(f"the display's bus needs a package that is not installed: {error}") from error
    except (luma.core.error.Error, OSError) as error:
        raise DisplayError(f"display: {error}") from error


def _luma_device(name: str, size: tuple[int, int], rotate: int, wire: _Wire) -> Any:
    try:
        import luma.core.device
        import luma.core.error
        import luma.oled.device
    except ImportError as error:
        raise DisplayError(f"luma.oled is not installed: {error}") from error
    devices = {
        key: kind
        for key, kind in vars(luma.oled.device).items()
        if isinstance(kind, type)
        and issubclass(kind, luma.core.device.device)
        and not issubclass(kind, luma.core.device.parallel_device)
        and kind.__module__ == "luma.oled.device"
    }
    if name not in devices:
        allowed = ", ".join((*OWN_DRIVERS, *sorted(devices)))
        raise ConfigError(f"unknown display driver {name!r}: allowed are {allowed}")
    try:
        return devices[name](wire, width=size[0], height=size[1], rotate=rotate)
    except (luma.core.error.DeviceDisplayModeError, AssertionError) as error:
        raise ConfigError(f"display {name} can't be {size[0]}x{size[1]}, rotate {rotate}: {error}") from error


def _open_serial(interface: str, port: int, address: int) -> Any:
    """Open the bus; an SPI display has chip select 0, data/command on GPIO24 and reset on GPIO25, luma's defaults."""
    import luma.core.interface.serial as serial

    if interface == "i2c":
        return serial.i2c(port=port, address=address)
    return serial.spi(port=port)
