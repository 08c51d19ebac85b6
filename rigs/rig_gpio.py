#!/usr/bin/env python3
"""The real gpiozero and lgpio on a kernel's GPIO chip, in User Mode Linux: as on a Pi 4 and as on a Pi 5.

Debian's kernel source is built once with simulated GPIO chips; the kernel then runs as a program on a Debian root.
"""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from frame import CACHE, BuildError, ProofError, Root, debian_root, locked, main, need_packages, network_settings

SOURCE = Path("/usr/src/linux-source-6.1.tar.xz")
NEEDED = ("linux-source-6.1", "build-essential", "flex", "bison", "bc", "libelf-dev", "xz-utils")
# Nothing but what a Python program with threads and a GPIO chip needs: 300 files are compiled in place of 1,000.
SETTINGS = "".join(
    f"CONFIG_{name}=y\n"
    for name in (
        "64BIT", "EXPERT", "PRINTK", "BUG", "TTY", "STDERR_CONSOLE", "FD_CHAN", "NULL_CHAN", "MULTIUSER",
        "POSIX_TIMERS",
        "HIGH_RES_TIMERS", "BINFMT_ELF", "BINFMT_SCRIPT", "FUTEX", "EPOLL", "SIGNALFD", "TIMERFD", "EVENTFD", "SHMEM",
        "AIO", "ADVISE_SYSCALLS", "MEMBARRIER", "RSEQ", "FILE_LOCKING", "PROC_FS", "PROC_SYSCTL", "SYSFS", "TMPFS",
        "DEVTMPFS", "CONFIGFS_FS", "HOSTFS", "GPIOLIB", "GPIO_CDEV", "GPIO_CDEV_V1", "GPIO_SYSFS", "GPIO_SIM",
        "DEBUG_INFO_NONE", "SYSFS_SYSCALL", "SYSVIPC", "POSIX_MQUEUE",
    )
) + "CONFIG_KERNEL_STACK_ORDER=4\n"  # fmt: skip # 64 kB: sets of registers lie on the stack
PATCHES = (
    # All 64 interrupts are the kernel's own; each line that is watched takes another one.
    ("arch/um/include/asm/irq.h", "#define NR_IRQS\t\t\tUM_LAST_SIGNAL_IRQ\n", "#define NR_IRQS\t\t\t128\n"),
    # A processor with AMX has 11,008 bytes of floating-point state; the host takes all of it or nothing (EFAULT).
    ("arch/x86/um/user-offsets.c", "HOST_FP_SIZE, 2696", "HOST_FP_SIZE, 16384"),
)
# Revision codes of a Pi 4 and a Pi 5; on a Pi 5 the header's pins are those of the fifth chip.
BOARDS = {"pinctrl-bcm2711": ("c03111", 0), "pinctrl-rp1": ("d04170", 4)}
INIT = """#!/bin/sh
export PATH=/usr/bin:/bin:/usr/sbin:/sbin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t configfs configfs /sys/kernel/config
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mount -t tmpfs tmpfs /tmp
mount --bind /cpuinfo /proc/cpuinfo
chip() {{
    mkdir -p /sys/kernel/config/gpio-sim/$1/bank0
    echo 54 > /sys/kernel/config/gpio-sim/$1/bank0/num_lines
    echo "$2" > /sys/kernel/config/gpio-sim/$1/bank0/label
    echo 1 > /sys/kernel/config/gpio-sim/$1/live
}}
for number in $(seq 1 {before}); do chip "other$number" "other$number"; done
chip pi {label}
export HOME=/root PYTHONPATH=/src
/venv/bin/python /src/rigs/gpio_inside.py {label} > /result 2>&1
echo "exit code $?" >> /result
/venv/bin/python -c "import ctypes; ctypes.CDLL(None).reboot(0x4321fedc)"
"""


def kernel() -> Path:
    """The kernel as a program, made once."""
    key = hashlib.sha256(repr((SETTINGS, PATCHES)).encode()).hexdigest()[:12]
    made = CACHE / "uml" / f"linux-{key}"
    with locked("uml"):
        if made.exists():
            return made
        need_packages(*NEEDED)
        place = CACHE / "uml" / "source"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        subprocess.run(["tar", "xf", str(SOURCE), "--strip-components=1", "-C", str(place)], check=True)
        for name, old, new in PATCHES:
            (place / name).write_text((place / name).read_text().replace(old, new))
        (place / "rig.config").write_text(SETTINGS)
        for step in (
            ["make", "-s", "ARCH=um", "KCONFIG_ALLCONFIG=rig.config", "allnoconfig"],
            ["make", "-s", "ARCH=um", f"-j{os.cpu_count() or 1}", "linux"],
        ):
            if subprocess.run(step, cwd=place, check=False).returncode:
                raise BuildError(f"the kernel can't be built: {' '.join(step)}")
        subprocess.run(["strip", "-o", str(made), str(place / "linux")], check=True)
        shutil.rmtree(place)
        return made


def prove() -> str:
    """Build, run on both boards, and say what was proved."""
    program = kernel()
    with Root(debian_root("bookworm", ["python3-venv", "ca-certificates", "mount"])) as root:
        root.copy_tree("/src")
        variables = network_settings(root.path)
        root.run("python3", "-m", "venv", "/venv")
        pip = ["/venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        root.run(*pip, "gpiozero>=2.0.1", "lgpio", env=variables)
        lines = []
        for label, (revision, before) in BOARDS.items():
            (root.path / "cpuinfo").write_text(f"processor\t: 0\nRevision\t: {revision}\n")
            init = root.path / "rig-init"
            init.write_text(INIT.format(label=label, before=before))
            init.chmod(0o755)
            result = root.path / "result"
            result.unlink(missing_ok=True)
            command = [
                str(program), "mem=192M", "root=/dev/root", "rootfstype=hostfs", f"rootflags={root.path}", "rw",
                "init=/rig-init", "con=null", "con0=null,fd:1", "quiet",
            ]  # fmt: skip
            done = subprocess.run(
                command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=240,
            )  # fmt: skip
            told = result.read_text(errors="replace") if result.exists() else done.stdout.decode(errors="replace")
            print(told)
            if not told.strip().endswith("exit code 0"):
                raise ProofError(f"{label}: {told.strip().splitlines()[-2:]}")
            lines.append(told.strip().splitlines()[-2])
        return "; ".join(lines)


if __name__ == "__main__":
    main(prove)
