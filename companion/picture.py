"""Opens picture files without trusting them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.errors import PictureError

MAX_BYTES = 200_000_000
MAX_PIXELS = 50_000_000
MIN_SIDE = 64
_CUT_OFF = 128
"""Grey value of all channels that a JPEG decoder leaves where the data ended too early."""


def read_picture(path: str | Path) -> npt.NDArray[np.uint8]:
    """Decode a JPEG or PNG file (or another that both Pillow and OpenCV know).

    Returns:
        BGR uint8, h x w x 3, as stored: a rotation noted in the file's metadata is ignored, because boxes are
        pixels of the picture as given.

    Raises:
        PictureError: no such file, no picture, cut off, or of a size that no camera makes; names the file.
    """
    path = Path(path)
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe or a device may never end
            raise PictureError(f"{path}: not a file")
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise PictureError(f"{path}: too large a file for a picture")
        data = path.read_bytes()
    except OSError as error:
        raise PictureError(f"{path}: {error.strerror or error}") from error
    return decode_picture(data, str(path))


def decode_picture(data: bytes, where: str = "picture") -> npt.NDArray[np.uint8]:
    """Decode the bytes of a picture file; see :func:`read_picture`.

    >>> decode_picture(b"not a picture", "x.jpg")
    Traceback (most recent call last):
    ...
    companion.errors.PictureError: x.jpg: not a picture
    """
    import io
    import warnings

    import cv2
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            header = Image.open(io.BytesIO(data))
            width, height = header.size
    except Exception as error:  # Pillow's parsers raise many kinds on hostile bytes
        size = "too large a picture" if isinstance(error, Image.DecompressionBombError) else "not a picture"
        raise PictureError(f"{where}: {size}") from error
    if width * height > MAX_PIXELS or min(width, height) < MIN_SIDE:
        raise PictureError(
            f"{where}: {width}x{height} px, must be {MIN_SIDE} or more a side, {MAX_PIXELS // 10**6} megapixels at most"
        )
    # OpenCV fills what is missing of a cut-off JPEG with grey and says nothing.
    ends = {"JPEG": b"\xff\xd9", "PNG": b"IEND"}
    if header.format in ends and ends[header.format] not in data[-4096:]:
        raise PictureError(f"{where}: the file is cut off")
    try:
        if header.format == "JPEG" and header.mode in ("L", "RGB"):
            # The same pixels, but OpenCV's decoder writes its doubts to standard error.
            rgb = header if header.mode == "RGB" else header.convert("RGB")  # which copies one that is RGB already
            frame: npt.NDArray[np.uint8] | None = np.asarray(rgb)[:, :, ::-1].copy()
        else:
            frame = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    except (cv2.error, OSError, SyntaxError, ValueError) as error:  # Pillow's are of all kinds
        raise PictureError(f"{where}: damaged picture") from error
    if frame is None or frame.shape[:2] != (height, width):
        raise PictureError(f"{where}: damaged picture")
    # Some writers close a file properly whose middle is lost. No camera makes its last 64 px of exactly one mid-grey.
    if header.format == "JPEG" and (frame[-8:, -8:] == _CUT_OFF).all():
        raise PictureError(f"{where}: the file is cut off")
    return np.asarray(frame, np.uint8)
