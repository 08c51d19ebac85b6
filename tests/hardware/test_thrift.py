"""Guards what is left out on the display's bus: nothing but pixels that are there already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from hardware.thrift import Thrift


class Bus:
    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.broken = False

    def command(self, *code: int) -> None:
        self.sent.append(code)

    def data(self, pixels: Sequence[int]) -> None:
        if self.broken:
            raise OSError(121, "Remote I/O error")
        self.sent.append(bytes(pixels))


def test_another_chips_command_that_begins_like_a_page_passes_at_once() -> None:
    bus = Bus()
    thrift = Thrift(bus.command, bus.data)
    thrift.command(0xB4, 0xA0, 0xFD)  # SSD1322: display enhancement
    assert bus.sent == [(0xB4, 0xA0, 0xFD)]


def test_a_window_without_pixels_is_sent_before_what_follows() -> None:
    bus = Bus()
    thrift = Thrift(bus.command, bus.data)
    thrift.command(0xB0, 0x02, 0x10)
    thrift.command(0xAF)
    assert bus.sent == [(0xB0, 0x02, 0x10), (0xAF,)]


def test_an_error_leaves_its_window_unknown_and_the_others_known() -> None:
    bus = Bus()
    thrift = Thrift(bus.command, bus.data)

    def show(page: int, pixels: bytes) -> None:
        thrift.command(0xB0 + page, 0x02, 0x10)
        thrift.data(pixels)

    show(0, b"aaaa")
    show(1, b"aaaa")
    bus.broken = True
    with pytest.raises(OSError, match="121"):
        show(0, b"abaa")
    bus.broken, bus.sent = False, []
    show(0, b"aaaa")  # what was there before the error may be there no more
    show(1, b"aaaa")
    assert bus.sent == [(0xB0, 0x02, 0x10), b"aaaa"]


def test_one_window_around_near_changes_and_one_each_for_far_ones() -> None:
    bus = Bus()
    thrift = Thrift(bus.command, bus.data)
    picture = bytearray(128 * 8)

    def show() -> None:
        thrift.command(0x21, 0, 127, 0x22, 0, 7)
        thrift.data(picture)

    show()
    bus.sent = []
    picture[10], picture[128 + 12] = 1, 1
    show()
    assert bus.sent == [(0x21, 10, 12, 0x22, 0, 1), bytes([1, 0, 0, 0, 0, 1])]
    bus.sent = []
    picture[0], picture[7 * 128 + 127] = 1, 1
    show()
    assert bus.sent == [(0x21, 0, 0, 0x22, 0, 0), b"\1", (0x21, 127, 127, 0x22, 7, 7), b"\1"]
