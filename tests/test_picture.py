"""Picture files are not trusted: what is no whole picture is named and refused, and nothing waits for ever."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion import picture as pictures
from companion.errors import PictureError
from companion.picture import decode_picture, read_picture

RNG = np.random.default_rng(3)
PICTURE = cv2.GaussianBlur(RNG.integers(0, 256, (120, 160, 3), np.uint8), (0, 0), 3)


def jpeg() -> bytes:
    return cv2.imencode(".jpg", PICTURE)[1].tobytes()


def test_whole_pictures_are_read(tmp_path: Path) -> None:
    for name in ("a.jpg", "a.png"):
        cv2.imwrite(str(tmp_path / name), PICTURE)
        assert np.abs(read_picture(tmp_path / name).astype(int) - PICTURE).mean() < 3


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_jpeg_cut_off_is_refused_even_with_an_end_mark(kept: float) -> None:
    cut = jpeg()[: int(kept * len(jpeg()))]
    for data in (cut, cut + b"\xff\xd9"):
        with pytest.raises(PictureError, match=r"x\.jpg: the file is cut off"):
            decode_picture(data, "x.jpg")


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    with pytest.raises(PictureError, match=r"pipe\.jpg: not a file"):
        read_picture(tmp_path / "pipe.jpg")
    with pytest.raises(PictureError, match="not a file"):
        read_picture("/dev/zero")
    with pytest.raises(PictureError, match="directory"):
        read_picture(tmp_path)
    with pytest.raises(PictureError, match="No such file"):
        read_picture(tmp_path / "none.jpg")


def test_huge_files_and_tiny_pictures_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg())
    monkeypatch.setattr(pictures, "MAX_BYTES", 100)
    with pytest.raises(PictureError, match="too large a file"):
        read_picture(tmp_path / "a.jpg")
    with pytest.raises(PictureError, match="8x8"):
        decode_picture(cv2.imencode(".png", PICTURE[:8, :8])[1].tobytes())
