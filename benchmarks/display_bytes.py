"""How many bytes a frame of the display takes on its bus: all of it, and only what has changed.

usage: display_bytes.py

Every screen there is, one after the other on an SSD1306 and an SH1106 of 128x64, each also blinking twice; what
reaches the chip is decoded and compared with what was drawn, pixel for pixel. "All" is what luma's driver sends by
itself. Times are those of the wire: 9 bits a byte, at the Pi's default 100 kHz and at 400 kHz.
"""

from __future__ import annotations

import statistics
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from companion.screens.language import Translator
from companion.screens.render import render
from companion.screens.samples import sample_views
from hardware.display import OledDisplay
from tests.hardware.oled import CHIPS, serial_on


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore", DeprecationWarning)
    english = Translator("en")
    frames = [render(view, (128, 64), english, t) for view in sample_views().values() for t in (0, 500, 0)]
    for name, chip in CHIPS.items():
        bus = chip()
        display = OledDisplay(name, (128, 64), lambda bus=bus: serial_on(bus))  # type: ignore[misc]
        display.show(frames[0], 0)
        start = bus.bytes_sent
        display._wire.thrift.forget()
        display._device.display(frames[0])
        whole = bus.bytes_sent - start
        sent = []
        for frame in frames[1:]:
            before = bus.bytes_sent
            display.show(frame, 0)
            sent.append(bus.bytes_sent - before)
            assert bus.glass().tobytes() == frame.tobytes()
        new, blinks = sent[2::3], [n for i, n in enumerate(sent) if i % 3 != 2]
        moving = [n for n in blinks if n]
        print(f"{name}: all of a frame {_told(whole)}")
        print(f"  another screen: median {_told(statistics.median(new))}, most {_told(max(new))}")
        print(f"  something blinks: median {_told(statistics.median(moving))}, most {_told(max(moving))}")
        print(f"  nothing has changed: {min(blinks)} bytes")


def _told(count: float) -> str:
    return f"{count:.0f} bytes ({count * 9 / 100:.1f} ms, at 400 kHz {count * 9 / 400:.1f} ms)"


if __name__ == "__main__":
    main()
