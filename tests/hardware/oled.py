"""OLEDs for tests: what an SSD1306 or SH1106 makes of the bytes on its bus, down to the pixels on the glass."""

from __future__ import annotations

from typing import Any, ClassVar

from PIL import Image

COMMAND, DATA = 0x00, 0x40


class OledBus:
    """Stands in for an smbus; ``plugged`` and ``fail_data`` make it fail as the kernel does.

    It powers up as the chips do: display off, memory full of noise; only a full set-up lights it.
    """

    ARGUMENTS: ClassVar[dict[int, int]]  # how many bytes follow a command, from the data sheet; others stand alone
    columns_of_memory: int

    def __init__(self) -> None:
        self.plugged = True
        self.fail_data = False
        self.bytes_sent = 0
        self.power_up()

    def power_up(self) -> None:
        """What unplugging and plugging in leaves."""
        self.memory = bytearray(i * 7 % 256 for i in range(self.columns_of_memory * 8))  # noise
        self.on = False
        self.contrast = 0x7F
        self.column = self.page = 0

    def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
        if not self.plugged or address != 0x3C or (self.fail_data and register == DATA):
            raise OSError(121, "Remote I/O error")
        self.bytes_sent += len(data) + 2  # the address and the control byte
        self.take(register, data)

    def take(self, register: int, data: list[int]) -> None:
        """Bytes from whatever bus."""
        if register == DATA:
            for byte in data:
                self._store(byte)
            return
        assert register == COMMAND
        rest = list(data)
        while rest:
            code = rest.pop(0)
            self._command(code, [rest.pop(0) for _ in range(self.ARGUMENTS.get(code, 0))])

    def _command(self, code: int, arguments: list[int]) -> None:
        raise NotImplementedError

    def _store(self, byte: int) -> None:
        raise NotImplementedError

    @property
    def lit(self) -> bool:
        return self.on

    def glass(self) -> Image.Image:
        """What a player sees."""
        image = Image.new("1", (128, 64))
        if self.lit:
            left = (self.columns_of_memory - 128) // 2
            for page in range(8):
                for x in range(128):
                    for bit in range(8):
                        image.putpixel((x, page * 8 + bit), self._at(page, left + x) >> bit & 1)
        return image

    def _at(self, page: int, column: int) -> int:
        return self.memory[page * self.columns_of_memory + column]


class Ssd1306Bus(OledBus):
    """Horizontal addressing in a window of columns and pages; needs its charge pump."""

    ARGUMENTS: ClassVar = {
        0x20: 1, 0x21: 2, 0x22: 2, 0x81: 1, 0x8D: 1, 0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1,
    }  # fmt: skip
    columns_of_memory = 128

    def power_up(self) -> None:
        super().power_up()
        self.pump = self.horizontal = False
        self.columns, self.pages = (0, 127), (0, 7)

    @property
    def lit(self) -> bool:
        return self.on and self.pump

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
            assert 0 <= arguments[0] <= arguments[1] <= 127
            self.columns = (arguments[0], arguments[1])
            self.column = arguments[0]
        elif code == 0x22:
            assert 0 <= arguments[0] <= arguments[1] <= 7
            self.pages = (arguments[0], arguments[1])
            self.page = arguments[0]

    def _store(self, byte: int) -> None:
        assert self.horizontal
        self.memory[self.page * 128 + self.column] = byte
        self.column += 1
        if self.column > self.columns[1]:
            self.column = self.columns[0]
            self.page = self.page + 1 if self.page < self.pages[1] else self.pages[0]


class Sh1106Bus(OledBus):
    """Page addressing in a memory of 132 columns, of which the glass shows the 128 in the middle."""

    # 0x20 is no command of this chip; luma sends it alone.
    ARGUMENTS: ClassVar = {0x81: 1, 0x8D: 1, 0xA8: 1, 0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1}
    columns_of_memory = 132

    def _command(self, code: int, arguments: list[int]) -> None:
        if code in (0xAE, 0xAF):
            self.on = code == 0xAF
        elif code == 0x81:
            (self.contrast,) = arguments
        elif code <= 0x0F:
            self.column = self.column & 0xF0 | code
        elif code <= 0x1F:
            self.column = self.column & 0x0F | (code & 0x0F) << 4
        elif 0xB0 <= code <= 0xB7:
            self.page = code & 0x07

    def _store(self, byte: int) -> None:
        assert self.column < 132
        self.memory[self.page * 132 + self.column] = byte
        self.column += 1


CHIPS: dict[str, type[OledBus]] = {"ssd1306": Ssd1306Bus, "sh1106": Sh1106Bus}


def serial_on(bus: OledBus) -> Any:
    """Luma's I2C interface on that bus."""
    from luma.core.interface.serial import i2c

    return i2c(bus=bus)


class SpiPins:
    """Stands in for spidev and the data/command and reset pins of an SPI display; hands its bytes to a chip."""

    OUT = HIGH = 1
    LOW = 0

    def __init__(self, chip: OledBus) -> None:
        self._chip = chip
        self._data = False
        self.max_speed_hz = 0
        self.opened: tuple[int, int] | None = None

    # what luma asks of the pins
    def setup(self, pin: int, direction: int) -> None:
        assert pin in (24, 25) and direction == self.OUT

    def output(self, pin: int, value: int) -> None:
        if pin == 24:
            self._data = bool(value)
        elif pin == 25 and not value:
            self._chip.power_up()

    # what luma asks of spidev
    def open(self, port: int, device: int) -> None:
        self.opened = (port, device)

    def writebytes(self, data: list[int]) -> None:
        self._chip.bytes_sent += len(data)
        self._chip.take(DATA if self._data else COMMAND, list(data))

    writebytes2 = writebytes

    def close(self) -> None:
        self.opened = None

    def cleanup(self, pins: Any = None) -> None:
        pass


def spi_on(chip: OledBus) -> Any:
    """Luma's SPI interface to that chip."""
    from luma.core.interface.serial import spi

    pins = SpiPins(chip)
    return spi(spi=pins, gpio=pins, port=0, device=0)
