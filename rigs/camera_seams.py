"""Lets the real Picamera2 run on libcamera's virtual camera: import this before anything else of picamera2.

Three seams, none in what the driver uses of it: a display library that is not there (pykms), buffers in anonymous
memory in place of a DMA heap, and no raw modes, which the virtual camera refuses to be asked for.
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

sys.modules["pykms"] = sys.modules["kms"] = types.SimpleNamespace(PixelFormat=types.SimpleNamespace())  # type: ignore[assignment]

import picamera2  # noqa: E402
from picamera2.allocators import dmaallocator  # noqa: E402
from picamera2.dma_heap import UniqueFD  # noqa: E402


class AnonymousHeap:
    """Memory where a DMA heap would be."""

    def alloc(self, name: str, size: int) -> UniqueFD:
        """A file descriptor of so many bytes."""
        handle = os.memfd_create(name)
        os.truncate(handle, size)
        return UniqueFD(handle)

    def close(self) -> None:
        """Nothing to let go of."""


def no_sync(handle: int, request: int, argument: Any) -> int:
    """Anonymous memory is always in step."""
    return 0


dmaallocator.DmaHeap = AnonymousHeap
dmaallocator.fcntl = types.SimpleNamespace(ioctl=no_sync)
picamera2.Picamera2._get_raw_modes = lambda self: []
