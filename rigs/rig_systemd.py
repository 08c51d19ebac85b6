#!/usr/bin/env python3
"""The unit under a real systemd as PID 1: ready, watched, restarted, limited, and kept in its place."""

from __future__ import annotations

import re
import subprocess
import time

from frame import TREE, expect, main, need_network, need_tools
from service import NO_DEVICES, UNIT, ServiceRoot

WATCHDOG_S = 4  # instead of 60, so that the rig does not wait for so long; all else is as installed
CAMERA = NO_DEVICES.replace('"none"', '"opencv"', 1)
PLACES = """
from pathlib import Path
found = {}
for place in ("/usr/x", "/etc/x", "/etc/companion/x", "/opt/tabletop-companion/x", "/home/pi/x", "/var/lib/x",
              "/boot/x", "/sys/x", "/root/x", "/var/lib/companion/x", "/run/probe/x", "/tmp/x"):
    try:
        Path(place).write_text("x")
        found[place] = "written"
    except OSError as error:
        found[place] = error.strerror
found["homes"] = [str(p) for p in Path("/home").glob("*")]
print(json.dumps(found))
"""
DEVICES = """
import os
found = {}
for name in ("null", "urandom", "mem", "kmsg", "fuse", "disk"):
    try:
        os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK))
        found[name] = "opened"
    except OSError as error:
        found[name] = error.strerror
print(json.dumps(found))
"""
POWERS = """
import ctypes, os, socket
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
found = {name: status[name].strip() for name in ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp", "Uid", "Gid")}
import grp
found["groups"] = sorted(grp.getgrgid(g).gr_name for g in os.getgroups())
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    ctypes.set_errno(0)
    return os.strerror(ctypes.get_errno()) if getattr(libc, name)(*args) < 0 else "done"
found["mount"] = call("mount", b"none", b"/tmp", b"tmpfs", 0, None)
found["new namespace"] = call("unshare", 0x10000000)
found["another's memory"] = call("ptrace", 16, 1, 0, 0)
found["clock"] = call("stime" if hasattr(libc, "stime") else "settimeofday", ctypes.byref(ctypes.c_int64(0)), None)
found["be root"] = call("setuid", 0)
found["real time"] = call("sched_setscheduler", 0, 1, ctypes.byref(ctypes.c_int(1)))
for name, make in {
    "raw packets": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    "the internet": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9)),
    "this machine": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(),
}.items():
    try:
        make()
        found[name] = "done"
    except OSError as error:
        found[name] = error.strerror
# What the program needs must work in the same place: threads, callbacks from C, OpenCV, the networks of the eyes.
import threading
import cv2, numpy, PIL.Image, gpiozero
import luma.oled.device
called = []
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda a, b: called.append(1) or 0)
libc.qsort((ctypes.c_int * 3)(3, 1, 2), 3, 4, compare)
from companion.vision.dice import read_pip_dice
nothing = read_pip_dice(numpy.full((300, 400, 3), 200, numpy.uint8))
found["works"] = bool(called) and not nothing
print(json.dumps(found))
"""


def rig() -> str:
    """Everything, one thing after the other."""
    need_tools(ip="iproute2")
    with ServiceRoot("trixie") as root:
        need_network(root)
        root.boot()
        root.set_config(NO_DEVICES)
        root.install()
        exposure = analyze(root)
        ready(root)
        hangs(root)
        place(root)
        ends(root)
        boots_again(root)
    return f"ready, watchdog, limit and sandbox hold under systemd; exposure {exposure}"


def analyze(root: ServiceRoot) -> str:
    """What systemd-analyze says; returns the exposure."""
    expect(root.run("systemd-analyze", "verify", UNIT).stdout == "", "systemd-analyze verify says nothing")
    path = f"/etc/systemd/system/{UNIT}"
    told = root.run("systemd-analyze", "security", "--offline=true", "--threshold=18", "--no-pager", path).stdout
    found = re.search(r"exposure level for \S+ ([\d.]+)", told)
    expect(found, "systemd-analyze security --threshold=18 is content")
    assert found is not None
    return found[1]


def ready(root: ServiceRoot) -> None:
    """Ready when the first screen is drawn, with what it says."""
    start = time.monotonic()
    root.run("systemctl", "restart", UNIT)
    print(f"ready {time.monotonic() - start:.1f} s after its start")
    expect(root.active(), "systemctl restart returns when the service is ready")
    root.wait_for("the status says what the display says", lambda: "Pizza" in root.show("StatusText")["StatusText"])
    doctor = root.run("companion", "doctor", check=False).stdout
    expect("runs; the display says: " in doctor, "companion doctor finds it running")


def hangs(root: ServiceRoot) -> None:
    """A frozen process, a loop that hangs, a camera that hangs: each ends in a restart."""
    settings(root, f"[Service]\nWatchdogSec={WATCHDOG_S}\n")
    # Beside Debian's packages, which the environment sees last: NumPy is among them.
    site = root.path / "usr/lib/python3/dist-packages"
    (site / "rig_hook.py").write_text((TREE / "rigs" / "hook.py").read_text())
    (site / "rig_hook.pth").write_text("import rig_hook\n")
    root.set_config(CAMERA)
    root.run("systemctl", "restart", UNIT)
    pictures(root)
    first = root.process()
    time.sleep(3 * WATCHDOG_S)
    expect(root.process() == first and root.active(), f"left alone for {3 * WATCHDOG_S} s, it is left alone")

    root.run("sh", "-c", f"kill -STOP {first}")
    restarted(root, "a frozen process", first, 60)
    pictures(root)
    second = root.process()
    root.run("touch", "/run/companion/hang-loop")
    root.wait_for("a loop that hangs is told apart by where: the log shows the threads' stacks",
                  lambda: "hang_if" in root.log() and "Current thread" in root.log(), 40)  # fmt: skip
    restarted(root, "a loop that hangs", second, 60)
    pictures(root)
    third, start = root.process(), time.monotonic()
    root.run("touch", "/run/companion/hang-camera")
    root.wait_for("a camera that hangs is said first", lambda: "no picture for" in root.log(), 30)
    expect(root.process() == third, "and the game goes on meanwhile")
    restarted(root, "a camera that hangs for good", third, 120)
    print(f"after {time.monotonic() - start:.0f} s")
    pictures(root)
    told = root.show("NRestarts")["NRestarts"]
    expect(told == "3", f"three hangs, three restarts (NRestarts={told})")
    (site / "rig_hook.pth").unlink()
    root.set_config(NO_DEVICES)
    settings(root, "")


def pictures(root: ServiceRoot) -> None:
    """Wait until the camera gives pictures."""

    def given() -> bool:
        told = root.run("cat", "/run/companion/pictures", check=False).stdout.strip()
        return told.isdigit() and int(told) > 5

    root.wait_for("the camera gives pictures", given, 40)


def restarted(root: ServiceRoot, what: str, before: int, timeout: float) -> None:
    """Wait until the service is another process, and ready."""
    root.wait_for(f"{what}: the service was restarted",
                  lambda: root.process() not in (0, before) and root.active(), timeout)  # fmt: skip


def settings(root: ServiceRoot, text: str) -> None:
    """Own settings of the unit; "" for none."""
    folder = root.path / "etc/systemd/system" / f"{UNIT}.d"
    folder.mkdir(exist_ok=True)
    (folder / "rig.conf").write_text(text)
    root.run("systemctl", "daemon-reload")


def place(root: ServiceRoot) -> None:
    """Read-only system, refused devices, no powers."""
    found = root.inside(PLACES)
    own = {"/var/lib/companion/x", "/run/probe/x", "/tmp/x"}
    expect({p for p, what in found.items() if what == "written"} == own, f"it writes its own folders only: {found}")
    expect(found["homes"] == [], "it sees nobody's home")
    expect(not (root.path / "tmp/x").exists(), "its /tmp is its own")
    numbers = {"mem": "c 1 1", "kmsg": "c 1 11", "fuse": "c 10 229", "disk": "b 7 0"}
    for name, number in numbers.items():
        root.run("mknod", "-m", "666", f"/dev/{name}", *number.split())
    found = root.inside(DEVICES)
    expect(found["null"] == found["urandom"] == "opened", "it opens /dev/null")
    refused = {name: found[name] for name in numbers}
    expect("opened" not in refused.values(), f"it may open none of {refused}")
    unit = root.unit()
    text = unit.read_text()
    unit.write_text(text.replace("DeviceAllow=char-i2c rw", "DeviceAllow=/dev/fuse rw"))
    expect(root.inside(DEVICES)["fuse"] == "opened", "(it is the list of devices that refuses)")
    unit.write_text(text)
    loopback = f"nsenter --target {root.pid_1()} --net ip route add 192.0.2.0/24 dev lo"
    subprocess.run(loopback.split(), check=True)
    send = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))"
    root.run("python3", "-c", send, inner_net=True)
    found = root.inside(POWERS)
    print(found)
    expect(found["CapEff"] == found["CapBnd"] == "0" * 16, "it has no capabilities and can't get any")
    expect((found["NoNewPrivs"], found["Seccomp"]) == ("1", "2"), "no new privileges; system calls are filtered")
    expect(set(found["groups"]) == {"companion", "gpio", "i2c", "spi", "video"}, f"its groups: {found['groups']}")
    for what in ("mount", "new namespace", "another's memory", "clock", "be root", "real time", "raw packets",
                 "the internet"):  # fmt: skip
        expect(found[what] != "done", f"refused: {what} ({found[what]})")
    expect(found["the internet"] == "Operation not permitted", "(it is the list of addresses that refuses)")
    expect(found["this machine"] == found["netlink"] == "done", "it may speak to this machine")
    expect(found["works"], "OpenCV, the eyes' networks and callbacks from C work there")


def ends(root: ServiceRoot) -> None:
    """Killed: restarted. Ended again and again: left down. A mistake in the settings: not restarted at all."""
    root.run("systemctl", "reset-failed", UNIT, check=False)
    root.run("systemctl", "restart", UNIT)
    before = root.process()
    root.run("sh", "-c", f"kill -KILL {before}")
    restarted(root, "kill -9", before, 30)
    settings(root, "[Service]\nRestartSec=100ms\nExecStart=\nExecStart=/bin/false\n")
    root.run("systemctl", "reset-failed", UNIT)
    root.run("systemctl", "restart", UNIT, check=False)
    root.wait_for("a program that always fails is left down", lambda: root.show("ActiveState", "Result")
                  == {"ActiveState": "failed", "Result": "exit-code"} or root.show("ActiveState", "Result")
                  == {"ActiveState": "failed", "Result": "start-limit-hit"}, 40)  # fmt: skip
    restarts = root.show("NRestarts")["NRestarts"]
    expect(restarts in ("9", "10"), f"after ten starts (NRestarts={restarts})")
    expect("does not run" in root.run("companion", "doctor", check=False).stdout, "companion doctor says so")
    settings(root, "")
    root.set_config('[camera]\ndriver = "telescope"\n')
    root.run("systemctl", "reset-failed", UNIT)
    root.run("systemctl", "restart", UNIT, check=False)
    time.sleep(5)
    state = root.show("ActiveState", "NRestarts", "ExecMainStatus")
    expect(state == {"ActiveState": "failed", "NRestarts": "0", "ExecMainStatus": "2"},
           f"a mistake in the settings is not tried again: {state}")  # fmt: skip
    told = root.run("companion", "doctor", check=False)
    expect(told.returncode == 1 and "telescope" in told.stdout, "companion doctor names the mistake")
    root.set_config(NO_DEVICES)


def boots_again(root: ServiceRoot) -> None:
    """After a power cut it starts by itself."""
    root.run("sync")
    root.power_off()
    root.boot()
    root.wait_for("after the plug was pulled, the service starts with the system", root.active, 40)
    root.run("systemctl", "stop", UNIT)
    expect(root.show("ActiveState", "Result") == {"ActiveState": "inactive", "Result": "success"}, "it ends when told")


if __name__ == "__main__":
    main(rig)
