"""Guards that what was drawn is what a player sees, and that a display that fails comes back."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import random
import select
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from companion.errors import ConfigError, DisplayError
from hardware.display import NoDisplay, OledDisplay, PngDisplay, open_display
from hardware.terminal import ENTER, LEAVE, TerminalDisplay, braille, half_blocks
from tests.hardware.oled import CHIPS, OledBus, Ssd1306Bus, serial_on, spi_on


def noise(seed: int, size: tuple[int, int] = (128, 64)) -> Image.Image:
    dots = random.Random(seed)
    image = Image.new("1", size)
    image.putdata([dots.random() < 0.5 for _ in range(size[0] * size[1])])
    return image


def same(a: Image.Image, b: Image.Image) -> bool:
    return a.size == b.size and ImageChops.logical_xor(a, b).getbbox() is None


def oled(bus: Ssd1306Bus, **more: int) -> OledDisplay:
    return OledDisplay("ssd1306", (128, 64), lambda: serial_on(bus), **more)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("serial", [serial_on, spi_on])
def test_the_picture_reaches_the_glass(chip: str, serial: Callable[[OledBus], Any]) -> None:
    bus = CHIPS[chip]()
    display = OledDisplay(chip, (128, 64), lambda: serial(bus))
    assert display.size == (128, 64)
    assert not bus.on
    for seed in (1, 2):
        display.show(noise(seed), seed)
        assert same(bus.glass(), noise(seed))
    display.close()
    assert not bus.on


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(CHIPS)),
    st.lists(
        st.tuples(st.integers(0, 127), st.integers(0, 63), st.integers(0, 127), st.integers(0, 63), st.booleans()),
        max_size=8,
    ),
    st.sets(st.integers(0, 8)),
)
def test_whatever_changes_and_whatever_fails_the_glass_shows_the_last_picture(
    chip: str, changes: list[tuple[int, int, int, int, bool]], failing: set[int]
) -> None:
    bus = CHIPS[chip]()
    display = OledDisplay(chip, (128, 64), lambda: serial_on(bus))
    image = noise(3)
    display.show(image, 0)
    for turn, (x1, y1, x2, y2, ink) in enumerate(changes):
        image = image.copy()
        ImageDraw.Draw(image).rectangle((min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), fill=int(ink))
        bus.fail_data = turn in failing
        with contextlib.suppress(DisplayError):
            display.show(image, turn * 20_000)  # a minute passes now and then
        if bus.fail_data:
            bus.fail_data = False
            display.show(image, turn * 20_000)
        assert same(bus.glass(), image)


DEVICES = {
    "ssd1306": (128, 64), "ssd1309": (128, 64), "sh1106": (128, 64), "sh1107": (64, 128), "ssd1322": (256, 64),
    "ssd1325": (128, 64), "ssd1327": (128, 128), "ssd1331": (96, 64), "ssd1351": (128, 128), "ssd1362": (256, 64),
}  # fmt: skip


@pytest.mark.parametrize("name", DEVICES)
def test_a_first_picture_is_sent_as_the_driver_alone_sends_it_to_every_chip(name: str) -> None:
    import luma.oled.device

    class Bus:
        def __init__(self) -> None:
            self.sent: list[tuple[str, bytes]] = []

        def command(self, *code: int) -> None:
            self.sent.append(("command", bytes(code)))

        def data(self, pixels: Any) -> None:
            self.sent.append(("data", bytes(pixels)))

        def cleanup(self) -> None:
            pass

    size = DEVICES[name]
    alone, through = Bus(), Bus()
    device = getattr(luma.oled.device, name)(alone, width=size[0], height=size[1])
    device.contrast(255)
    device.show()
    device.display(noise(1, size).convert(device.mode))
    OledDisplay(name, size, lambda: through).show(noise(1, size), 0)
    assert through.sent == alone.sent


@pytest.mark.parametrize("chip", CHIPS)
def test_only_what_has_changed_is_sent_and_now_and_then_all_of_it(chip: str) -> None:
    bus = CHIPS[chip]()
    display = OledDisplay(chip, (128, 64), lambda: serial_on(bus))
    image = noise(3)
    display.show(image, 0)

    def cost(x: int, y: int, t_ms: int) -> int:
        image.putpixel((x, y), not image.getpixel((x, y)))
        before = bus.bytes_sent
        display.show(image, t_ms)
        assert same(bus.glass(), image)
        return bus.bytes_sent - before

    assert cost(60, 30, 1000) < 20
    assert cost(60, 30, 61_000) > 1024
    assert cost(60, 30, 62_000) < 20


@pytest.mark.parametrize("chip", CHIPS)
def test_it_is_dimmed_switched_off_and_lit_again(chip: str) -> None:
    bus = CHIPS[chip]()
    display = OledDisplay(chip, (128, 64), lambda: serial_on(bus), contrast=200)
    display.light("dim")  # not there yet: it is dimmed when it is
    display.show(noise(1), 0)
    assert bus.on and bus.contrast < 10
    display.light("on")
    assert bus.on and bus.contrast == 200
    display.light("off")
    display.show(noise(2), 100)
    assert not bus.on
    bus.plugged = False
    with pytest.raises(DisplayError):
        display.light("on")
    bus.power_up()
    bus.plugged = True
    display.show(noise(2), 200)
    assert bus.contrast == 200 and same(bus.glass(), noise(2))


def test_a_display_mounted_upside_down() -> None:
    bus = Ssd1306Bus()
    oled(bus, rotate=2).show(noise(1), 0)
    assert same(bus.glass(), noise(1).transpose(Image.Transpose.ROTATE_180))


def test_nothing_is_sent_for_an_unchanged_picture() -> None:
    bus = Ssd1306Bus()
    display = oled(bus)
    display.show(noise(1), 0)
    sent = bus.bytes_sent
    display.show(noise(1), 100)
    assert bus.bytes_sent == sent


def test_contrast_is_set() -> None:
    bus = Ssd1306Bus()
    oled(bus, contrast=7).show(noise(1), 0)
    assert bus.contrast == 7


def test_a_display_that_is_plugged_in_later_is_set_up_then() -> None:
    bus = Ssd1306Bus()
    bus.plugged = False
    display = oled(bus)
    for t_ms in (0, 100):
        with pytest.raises(DisplayError):
            display.show(noise(1), t_ms)
    bus.plugged = True
    display.show(noise(1), 200)
    assert same(bus.glass(), noise(1))


def test_a_display_that_lost_its_power_is_set_up_again() -> None:
    bus = Ssd1306Bus()
    display = oled(bus)
    display.show(noise(1), 0)
    bus.plugged = False
    with pytest.raises(DisplayError):
        display.show(noise(2), 100)
    bus.power_up()
    bus.plugged = True
    display.show(noise(1), 200)  # the picture shown before the fault: it must be sent all the same
    assert same(bus.glass(), noise(1))


def test_an_error_amid_the_data_is_a_display_error_and_the_next_picture_recovers() -> None:
    bus = Ssd1306Bus()
    display = oled(bus)
    display.show(noise(1), 0)
    bus.fail_data = True
    with pytest.raises(DisplayError, match="121"):
        display.show(noise(2), 100)
    bus.fail_data = False
    display.show(noise(2), 200)
    assert same(bus.glass(), noise(2))
    bus.plugged = False
    display.close()  # an unplugged display can be closed


def test_trying_a_missing_display_again_and_again_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    import atexit

    registered: list[object] = []
    monkeypatch.setattr(atexit, "register", registered.append)
    bus = Ssd1306Bus()
    bus.plugged = False
    display = oled(bus)
    before = len(registered)
    for t_ms in range(50):
        with pytest.raises(DisplayError):
            display.show(noise(1), t_ms)
    assert len(registered) == before == 1


def test_no_bus_at_all_is_a_display_error() -> None:
    with pytest.raises(DisplayError):
        open_display("ssd1306", {"port": 63}).show(noise(1), 0)


def test_drivers_that_send_differences_get_the_whole_picture_after_a_fault() -> None:
    class Log:
        def __init__(self) -> None:
            self.data: list[int] = []
            self.fail = False

        def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
            if self.fail:
                raise OSError(121, "Remote I/O error")
            self.data += data if register == 0x40 else []

    log = Log()
    display = OledDisplay("ssd1327", (128, 128), lambda: serial_on(log))  # type: ignore[arg-type]
    lit = Image.new("1", (128, 128), 1)
    display.show(lit, 0)
    log.fail = True
    with pytest.raises(DisplayError):
        display.show(Image.new("1", (128, 128)), 100)
    log.fail = False
    log.data.clear()
    display.show(lit, 200)
    assert log.data.count(0xFF) == 128 * 64  # four bits a pixel, all of them sent anew


def test_names_and_sizes_that_cannot_be_are_told_with_those_that_can() -> None:
    with pytest.raises(ConfigError, match=r"terminal, png, none, .*sh1106.*ssd1306"):
        open_display("ssd9999")
    with pytest.raises(ConfigError, match="100x64"):
        open_display("ssd1306", {"size": (100, 64)})


@pytest.mark.parametrize("driver", ["terminal", "png", "none"])
def test_a_turned_display_swaps_its_sides(driver: str) -> None:
    assert open_display(driver, {"size": [128, 64], "rotate": 1}).size == (64, 128)


def test_png_writes_each_changed_picture_under_its_time(tmp_path: Path) -> None:
    display = open_display("png", {"folder": tmp_path / "out"})
    for t_ms, seed in ((0, 1), (200, 1), (400, 2), (1234, 1)):
        display.show(noise(seed), t_ms)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["00000000.png", "00000400.png", "00001234.png"]
    assert same(Image.open(tmp_path / "out" / "00000400.png"), noise(2))


def test_png_into_a_folder_that_cannot_be_is_a_display_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DisplayError, match="file"):
        PngDisplay((128, 64), tmp_path / "file").show(noise(1), 0)


def test_none_remembers_the_last_picture() -> None:
    display = NoDisplay()
    display.show(noise(1), 0)
    assert display.image is not None and same(display.image, noise(1))


def test_half_blocks_and_braille_are_true_to_the_pixels() -> None:
    image = noise(5, (10, 12))
    back = Image.new("1", image.size)
    for row, text in enumerate(half_blocks(image)):
        for x, letter in enumerate(text):
            back.putpixel((x, 2 * row), letter in "▀█")
            back.putpixel((x, 2 * row + 1), letter in "▄█")
    assert same(back, image)
    dots = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]  # braille dots 1 to 8
    for row, text in enumerate(braille(image)):
        for column, letter in enumerate(text):
            for bit, (x, y) in enumerate(dots):
                back.putpixel((2 * column + x, 4 * row + y), (ord(letter) - 0x2800) >> bit & 1)
    assert same(back, image)


class Stream(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]


def test_a_stream_that_is_no_terminal_gets_plain_lines_of_changed_pictures() -> None:
    stream = Stream()
    display = TerminalDisplay((128, 64), stream)
    display.show(noise(1), 0)
    display.show(noise(1), 100)
    display.close()
    assert stream.getvalue() == "\n".join(half_blocks(noise(1))) + "\n\n"


def test_a_stream_without_block_letters_gets_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    TerminalDisplay((128, 64), stream).show(noise(1), 0)
    stream.seek(0)
    assert set(stream.read()) == set(" .':\n")


def arrived(terminal: int, whole: Callable[[str], bool]) -> str:
    """What has been written to a terminal, which hands it over in pieces: read until it is whole."""
    data = b""
    while select.select([terminal], [], [], 10)[0]:
        data += os.read(terminal, 100_000)
        with contextlib.suppress(UnicodeDecodeError):  # a letter has come in part
            if whole(data.decode()):
                break
    return data.decode()


@pytest.mark.parametrize(
    ("columns", "rows", "letter"),
    [(33, 9, "█"), (20, 9, "⣿"), (40, 7, "⣿")],
    ids=["half blocks", "narrow: braille", "low: braille"],
)
def test_a_terminal_is_drawn_in_place_and_given_back(
    columns: int, rows: int, letter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(os, "get_terminal_size", lambda fd: os.terminal_size((columns, rows)))
    theirs, ours = pty.openpty()
    with os.fdopen(ours, "w", encoding="utf-8") as stream:
        display = TerminalDisplay((32, 16), stream)
        solid = Image.new("1", (32, 16), 1)
        display.show(solid, 0)
        across, down = (32, 8) if letter == "█" else (16, 4)
        text = arrived(theirs, lambda text: text.count(letter) == across * down)
        assert text.startswith(ENTER)
        lines = text.split("\r\n")
        assert len(lines) <= rows
        assert [line.count(letter) for line in lines] == [across] * down
        display.close()
        display.close()
        assert arrived(theirs, lambda text: len(text) >= len(LEAVE)) == LEAVE
    os.close(theirs)


def test_a_terminal_that_is_gone_is_a_display_error() -> None:
    stream = Stream()
    stream.close()
    with pytest.raises(DisplayError):
        display = TerminalDisplay.__new__(TerminalDisplay)
        display._stream = stream
        display._write("x")
