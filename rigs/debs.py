"""Stand-ins for the two packages that only Raspberry Pi OS has, in an apt repository of a root's own.

They hold no driver. They prove what the installer does about such packages: takes them from apt, sees them from its
virtual environment, and leaves the NumPy that they were built for in place.
"""

from __future__ import annotations

import hashlib

from frame import Root

PACKAGES = {
    # bottleneck is built against Debian's NumPy, as simplejpeg is, which the real one needs.
    "python3-picamera2": (
        "python3-numpy, python3-bottleneck",
        "picamera2",
        "import bottleneck, numpy\n"
        "bottleneck.nanmean(numpy.ones(3))\n"
        "class Picamera2:\n"
        "    @staticmethod\n"
        "    def global_camera_info():\n"
        "        return []\n",
    ),
    "python3-lgpio": ("python3", "lgpio", "SBC = 'a stand-in'\n"),
}


def offer(root: Root) -> None:
    """Let the root's apt find the packages."""
    place = root.path / "debs"
    index = ""
    for package, (depends, module, code) in PACKAGES.items():
        control = f"Package: {package}\nVersion: 1.0\nArchitecture: all\nMaintainer: rig\nDepends: {depends}\n"
        build = place / package
        (build / "DEBIAN").mkdir(parents=True)
        (build / "DEBIAN" / "control").write_text(control + "Description: stand-in\n")
        (build / "usr/lib/python3/dist-packages" / module).mkdir(parents=True)
        (build / "usr/lib/python3/dist-packages" / module / "__init__.py").write_text(code)
        root.run("dpkg-deb", "--build", "--root-owner-group", f"/debs/{package}", f"/debs/{package}.deb")
        data = (place / f"{package}.deb").read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        index += f"{control}Filename: ./{package}.deb\nSize: {len(data)}\nSHA256: {digest}\nDescription: stand-in\n\n"
    (place / "Packages").write_text(index)
    (root.path / "etc/apt/sources.list.d/debs.list").write_text("deb [trusted=yes] file:/debs ./\n")
