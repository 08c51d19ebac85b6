#!/usr/bin/env python3
"""Pictures through the real Picamera2 and libcamera: what the driver gives reads as the file itself does.

libcamera's virtual camera is fed with JPEG files in a Debian 13 root. Each goes through the driver, and
`companion read board` of the result is compared with that of the file.
"""

import sys
from pathlib import Path

from frame import Root, debian_root, main, network_settings

PACKAGES = (
    "python3-libcamera/trixie-backports", "libcamera-ipa/trixie-backports", "python3-venv", "python3-prctl",
    "python3-numpy", "python3-pil", "libgl1", "libglib2.0-0t64", "ca-certificates",
)  # fmt: skip
# What picamera2 imports; its wheel asks for more, which serves previews and recordings of films.
WHEELS = ("piexif", "simplejpeg", "videodev2", "av", "libarchive-c", "tqdm", "jsonschema", "openexr")
OWN = ("opencv-python-headless", "luma.oled", "gpiozero")


def prove() -> str:
    """Build, run, and say what was proved."""
    with Root(debian_root("trixie-backports", PACKAGES)) as root:
        root.copy_tree("/src")
        variables = network_settings(root.path)
        root.run("python3", "-m", "venv", "--system-site-packages", "/venv")
        pip = ["/venv/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
        root.run(*pip, "--no-deps", "picamera2", env=variables)
        root.run(*pip, *WHEELS, *OWN, env=variables)
        place = root.path / "usr/share/libcamera/pipeline/virtual"
        place.mkdir(parents=True, exist_ok=True)
        (place / "virtual.yaml").write_text(
            '"Virtual0":\n'
            "  supported_formats:\n"
            "  - width: 1280\n"
            "    height: 960\n"
            "    frame_rates: [10, 10]\n"
            "  frames:\n"
            '    path: "/pictures/now.jpg"\n'
            '  location: "CameraLocationExternal"\n'
            '  model: "Virtual Video Device"\n'
        )
        (root.path / "pictures").mkdir()
        done = root.run(
            "/venv/bin/python", "/src/rigs/camera_inside.py", env={"PYTHONPATH": "/src:/src/rigs"}, timeout=600
        )
        print(done.stdout)
        return done.stdout.strip().splitlines()[-1]


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main(prove)
