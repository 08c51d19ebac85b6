"""An OLED for tests: what an SSD1306 makes of the bytes on its I2C bus, down to the pixels on the glass."""

from __future__ import annotations

from typing import Any

from PIL import Image

COMMAND, DATA = 0x00, 0x40
# How many bytes follow a command, from the data sheet; others stand alone.
ARGUMENTS = {0x20: 1, 0x21: 2, 0x22: 2, 0x81: 1, 0x8D: 1, 0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1}


class Ssd1306Bus:
    """Stands in for an smbus; ``plugged`` and ``fail_data`` make it fail as the kernel does.

    It powers up as the chip does: display off, charge pump off, page addressing; only a full set-up lights it.
    """

    def __init__(self) -> None:
        self.plugged = True
        self.fail_data = False
        self.bytes_sent = 0
        self.power_up()

    def power_up(self) -> None:
        """What unplugging and plugging in leaves."""
        self.memory = bytearray(range(256)) * 4  # noise
        self.on = self.pump = self.horizontal = False
        self.contrast = 0x7F
        self.columns, self.pages = (0, 127), (0, 7)
        self.column = self.page = 0

    def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
        if not self.plugged or address != 0x3C or (self.fail_data and register == DATA):
            raise OSError(121, "Remote I/O error")
        self.bytes_sent += len(data) + 1
        if register == DATA:
            for byte in data:
                self._store(byte)
            return
        assert register == COMMAND
        rest = list(data)
        while rest:
            code = rest.pop(0)
            arguments = [rest.pop(0) for _ in range(ARGUMENTS.get(code, 0))]
            self._command(code, arguments)

    def _command(self, code: int, arguments: list[int]) -> None:
        if code in (0xAE, 0xAF):
            self.on = code == 0xAF
        elif code == 0x8D:
            self.pump = arguments == [0x14]
        elif code == 0x20:
            self.horizontal = arguments == [0x00]
        elif code == 0x81:
            (self.contrast,) = arguments
        elif code == 0x21:
            self.columns = (arguments[0], arguments[1])
            self.column = arguments[0]
        elif code == 0x22:
            self.pages = (arguments[0], arguments[1])
            self.page = arguments[0]

    def _store(self, byte: int) -> None:
        assert self.horizontal
        self.memory[self.page * 128 + self.column] = byte
        self.column += 1
        if self.column > self.columns[1]:
            self.column = self.columns[0]
            self.page = self.page + 1 if self.page < self.pages[1] else self.pages[0]

    def glass(self) -> Image.Image:
        """What a player sees."""
        image = Image.new("1", (128, 64))
        if self.on and self.pump:
            for page in range(8):
                for x in range(128):
                    for bit in range(8):
                        image.putpixel((x, page * 8 + bit), self.memory[page * 128 + x] >> bit & 1)
        return image


def serial_on(bus: Ssd1306Bus) -> Any:
    """Luma's I2C interface on that bus."""
    from luma.core.interface.serial import i2c

    return i2c(bus=bus)
