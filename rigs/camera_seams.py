"""Lets the real Picamera2 run on libcamera's virtual camera: import this before anything else of picamera2.

Five seams: a display library that is not there (pykms), one for raw files that wants a compiler (pidng), buffers in
anonymous memory in place of a DMA heap, no raw modes, which the virtual camera refuses to be asked for; and the colour
space is told as it is: the virtual camera of libcamera 0.7.1 copies the full range of a JPEG and calls it Rec709.
"""

from __future__ import annotations

import mmap
import os
import sys
import types
from typing import Any
from unittest.mock import MagicMock


def stub(name: str, **contents: Any) -> None:
    """A module that is not there."""
    module = types.ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module


stub("pykms", PixelFormat=MagicMock())
stub("pidng")
stub("pidng.camdefs", Picamera2Camera=None)
stub("pidng.core", PICAM2DNG=None)

import libcamera  # noqa: E402
import picamera2.picamera2 as whole  # noqa: E402
from picamera2.allocators import Allocator  # noqa: E402

SIZE = (1280, 960)  # of the virtual camera


class AnonymousAllocator(Allocator):
    """Buffers in anonymous memory: two planes one after the other, as the virtual camera writes NV12."""

    def __init__(self) -> None:
        super().__init__()
        self.mapped_buffers: dict[Any, mmap.mmap] = {}
        self._handles: list[int] = []
        self._buffers: dict[Any, list[Any]] = {}
        self.sync = Mapped

    def allocate(self, libcamera_config: Any, _: Any) -> None:
        """Make all buffers of a configuration."""
        for configured in libcamera_config:
            made = self._buffers[configured.stream] = []
            luma = configured.stride * configured.size.height
            for _number in range(configured.buffer_count):
                handle = os.memfd_create("buffer")
                os.truncate(handle, configured.frame_size)
                self._handles.append(handle)
                planes = [libcamera.FrameBuffer.Plane() for _ in range(2)]
                for plane, start, end in zip(planes, (0, luma), (luma, configured.frame_size), strict=True):
                    plane.fd, plane.offset, plane.length = handle, start, end - start
                made.append(libcamera.FrameBuffer(planes))
                self.mapped_buffers[made[-1]] = mmap.mmap(handle, configured.frame_size)

    def buffers(self, stream: Any) -> list[Any]:
        """The buffers of a stream."""
        return self._buffers[stream]

    def close(self) -> None:
        """Let go of the memory."""
        for handle in self._handles:
            os.close(handle)
        self._handles.clear()

    __del__ = close


class Mapped:
    """A buffer for reading; anonymous memory needs no synchronising."""

    def __init__(self, allocator: AnonymousAllocator, buffer: Any, write: bool) -> None:
        self._memory = allocator.mapped_buffers[buffer]

    def __enter__(self) -> mmap.mmap:
        return self._memory

    def __exit__(self, *_: object) -> None:
        pass


whole.DmaAllocator = AnonymousAllocator
_camera_configuration = whole.Picamera2.camera_configuration


def camera_configuration(self: Any, *names: str) -> Any:
    """As the library's, with the colour space of the pixels."""
    actual = _camera_configuration(self, *names)
    return {**actual, "colour_space": libcamera.ColorSpace.Sycc()} if not names else actual


whole.Picamera2.camera_configuration = camera_configuration
whole.Picamera2._get_raw_modes = lambda self: [{"format": "NV12", "size": SIZE}]
