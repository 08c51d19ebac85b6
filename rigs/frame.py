"""What the rigs share: verdicts, tools, Debian roots, and the running of programs (and of systemd) inside of them.

Debian roots are made once, by mmdebstrap from the mirror that this machine's own apt is set to, and kept in the cache
folder; a rig works on a copy. Programs run in a root in namespaces of their own, so that whatever goes wrong in there
stays in there; the network is the machine's.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, Self

TREE = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tabletop-companion-rigs"
SLOW = Path(__file__).with_name("slow.txt").read_text(encoding="utf-8").splitlines()
"""The tests that take more than a second or so of a PC's processor, the dearest last."""
SKIPPED = 77
_SPACE = ["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", str(TREE / "rigs" / "enter.sh")]


class ProofError(Exception):
    """What a rig was to prove does not hold."""


class BuildError(Exception):
    """The rig can't be built on this machine."""


def main(rig: Callable[[], str]) -> NoReturn:
    """Run a rig's function, print its verdict as the last line, and end the process with the verdict's code.

    Args:
        rig: raises ProofError or BuildError, or returns one line about what it has proved.
    """
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        print(rig())
        code = 0
    except BuildError as reason:
        print(reason)
        code = SKIPPED
    except ProofError as failure:
        print(failure)
        code = 1
    sys.exit(code)


def expect(holds: object, what: str) -> None:
    """Print what was checked, or fail."""
    if not holds:
        raise ProofError(f"does not hold: {what}")
    print(f"ok: {what}")


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold a lock among all rigs that run on this machine."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def need_root() -> None:
    """Skip the rig unless it may make namespaces."""
    if os.geteuid() != 0:
        raise BuildError("needs root (to make namespaces)")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "--uts", "--cgroup", "true"], check=False).returncode:
        raise BuildError("this root may not make namespaces")


def need_tools(**packages: str) -> None:
    """Install the Debian packages of commands that are missing.

    Args:
        packages: the package of each command, for example ``mmdebstrap="mmdebstrap"`` ("_" stands for "-").
    """
    wanted = {package for command, package in packages.items() if shutil.which(command.replace("_", "-")) is None}
    if wanted:
        need_packages(*sorted(wanted))


def need_packages(*packages: str) -> None:
    """Install Debian packages on this machine."""
    if shutil.which("apt-get") is None:
        raise BuildError(f"needs apt-get to install {' '.join(packages)}")
    apt = ["apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=600", "-o", "APT::Update::Error-Mode=any"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with locked("apt"):
        for step in (["update"], ["install", "--no-install-recommends", *packages]):
            if subprocess.run([*apt, *step], check=False, env=environment).returncode:
                raise BuildError(f"apt-get can't install {' '.join(packages)} (no network?)")


def mirror() -> str:
    """The Debian mirror that this machine's apt is set to."""
    fields = "$(ORIGIN) $(COMPONENT) $(LABEL) $(REPO_URI)"
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", fields, "Created-By: Packages"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        origin, component, label, *uri = line.split()
        if (origin, component, label) == ("Debian", "main", "Debian") and uri:
            return uri[0]
    raise BuildError("this machine's apt has no Debian mirror (or no lists: apt-get update)")


def debian_root(suite: str, packages: Sequence[str] = (), *, architecture: str = "", variant: str = "apt") -> Path:
    """A Debian root with these packages: made once, then kept. Work on a ``copy`` of it.

    Args:
        suite: "bookworm", "trixie" or "trixie-backports" (which is trixie with its backports).
        architecture: for example "arm64"; this machine's when empty.
        variant: mmdebstrap's; "extract" unpacks and configures nothing, so needs no emulation.
    """
    need_root()
    need_tools(mmdebstrap="mmdebstrap")
    source = mirror()
    base = suite.removesuffix("-backports")
    key = hashlib.sha256(repr((suite, sorted(packages), architecture, variant)).encode()).hexdigest()[:12]
    root = CACHE / "roots" / f"{suite}-{architecture or 'native'}-{key}"
    with locked(root.name):
        if not root.exists():
            root.parent.mkdir(parents=True, exist_ok=True)
            half = root.with_suffix(".half")
            shutil.rmtree(half, ignore_errors=True)
            print(f"making the Debian root {root.name} with {' '.join(packages) or 'nothing more'}", flush=True)
            command = ["mmdebstrap", f"--variant={variant}", "--mode=root", "--quiet"]
            command += [f"--architectures={architecture}"] * bool(architecture)
            command += [f"--include={','.join(packages)}"] * bool(packages)
            lines = [f"deb {source} {name} main" for name in sorted({base, suite})]
            if subprocess.run([*command, base, str(half), *lines], check=False).returncode:
                shutil.rmtree(half, ignore_errors=True)
                raise BuildError(f"mmdebstrap can't make a root of {suite} (no network?)")
            half.rename(root)
    return root


def network_settings(root: Path) -> dict[str, str]:
    """Give a root this machine's way to the network: name servers, certificates, pip's index.

    Returns:
        Variables of the environment that go with it.
    """
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        (root / name[1:]).unlink(missing_ok=True)
        shutil.copyfile(name, root / name[1:])
    passed = ("PIP_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_PROXY", "PIP_DEFAULT_TIMEOUT", "http_proxy", "https_proxy")
    variables = {name: os.environ[name] for name in passed if name in os.environ}
    certificates = Path("/etc/ssl/certs/ca-certificates.crt")
    if certificates.exists():  # not in its own place: a package of the root may write that anew
        shutil.copyfile(certificates, root / "etc" / "rig-certificates.crt")
        variables |= {name: "/etc/rig-certificates.crt" for name in ("PIP_CERT", "SSL_CERT_FILE")}
    return variables


class Root:
    """A copy of a Debian root in which programs run, and perhaps systemd as its PID 1.

    Use it as a context manager: leaving it ends all that runs in it and deletes it.

    Args:
        template: from ``debian_root``.
    """

    def __init__(self, template: Path) -> None:
        (CACHE / "work").mkdir(parents=True, exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix=f"{template.name}-", dir=CACHE / "work"))
        subprocess.run(["cp", "-a", "--reflink=auto", f"{template}/.", str(self.path)], check=True)
        self._console = self.path.with_name(f"{self.path.name}.console")
        self._boot: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.power_off()
        shutil.rmtree(self.path, ignore_errors=True)

    def run(
        self,
        *command: str,
        env: Mapping[str, str] | None = None,
        check: bool = True,
        timeout: float = 900,
        inner_net: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the root: beside systemd when it was booted, else in new namespaces.

        Args:
            command: the program and its arguments.
            env: variables of its environment.
            check: whether another exit code than 0 is a failure.
            timeout: seconds.
            inner_net: in the network that the services of a booted root are in, instead of the machine's.

        Returns:
            Exit code and ``stdout`` with standard error in it.

        Raises:
            ProofError: it ended with another code than 0 (unless ``check`` is False), or not in time.
        """
        variables = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", **(env or {}),
        }  # fmt: skip
        inside = [
            "env",
            "--ignore-environment",
            "--chdir=/",
            *(f"{name}={value}" for name, value in variables.items()),
            *command,
        ]
        if self._boot is not None:
            enter = ["nsenter", "-t", str(self.pid_1()), "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--root"]
            enter += ["--net"] * inner_net
            whole = [*enter, "--", *inside]
        else:
            whole = [*_SPACE, str(self.path), *inside]
        try:
            done = subprocess.run(
                whole, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, errors="replace", timeout=timeout,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            print((late.stdout or b"").decode(errors="replace") if isinstance(late.stdout, bytes) else late.stdout)
            raise ProofError(f"{' '.join(command)}: not finished after {timeout:.0f} s") from late
        if check and done.returncode:
            print(done.stdout)
            raise ProofError(f"{' '.join(command)}: exit code {done.returncode}")
        return done

    def boot(self, timeout: float = 60) -> None:
        """Start systemd as PID 1 of the root, and wait until it has started what it starts.

        Its services have a network of their own with nothing but a loopback: the ports of two rigs don't meet.

        Raises:
            BuildError: systemd does not come up in these namespaces.
        """
        with self._console.open("wb") as console:
            self._boot = subprocess.Popen(
                [_SPACE[0], "--net", *_SPACE[1:], str(self.path), "--boot", self.path.name],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            state = ""
            if self._boot.poll() is None and self._children():
                with contextlib.suppress(ProofError):
                    state = self.run("systemctl", "is-system-running", check=False, timeout=20).stdout.strip()
            if state in ("running", "degraded"):
                return
            if self._boot.poll() is not None:
                break
            time.sleep(0.2)
        print(self._console.read_text(errors="replace")[-4000:])
        self.power_off()
        raise BuildError("systemd does not come up as PID 1 in namespaces of this machine")

    @property
    def booted(self) -> bool:
        """Whether systemd runs in it."""
        return self._boot is not None

    def _children(self) -> list[str]:
        assert self._boot is not None
        with contextlib.suppress(OSError):
            return Path(f"/proc/{self._boot.pid}/task/{self._boot.pid}/children").read_text().split()
        return []

    def pid_1(self) -> int:
        """The PID 1 of the root, as this machine counts."""
        children = self._children()
        if not children:
            raise ProofError("the root's systemd has ended")
        return int(children[0])

    def power_off(self) -> None:
        """Pull the plug: the end of PID 1 is the end of everything in its namespace."""
        if self._boot is not None:
            with contextlib.suppress(ProofError, ProcessLookupError):
                os.kill(self.pid_1(), 9)
            self._boot.kill()
            self._boot.wait()
            self._boot = None
            self._console.unlink(missing_ok=True)

    def wait_for(self, what: str, holds: Callable[[], Any], timeout: float = 30) -> Any:
        """Ask again until it holds; returns what it gave.

        Raises:
            ProofError: it does not hold in time.
        """
        end = time.monotonic() + timeout
        while True:
            found = holds()
            if found:
                print(f"ok: {what}")
                return found
            if time.monotonic() > end:
                raise ProofError(f"does not hold within {timeout:.0f} s: {what}")
            time.sleep(0.2)

    def copy_tree(self, target: str) -> Path:
        """Put the files of this repository (what git does not ignore, as it is now) into the root; returns where."""
        place = self.path / target.lstrip("/")
        place.mkdir(parents=True)
        listing = ["git", "-C", str(TREE), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listing, check=True, capture_output=True).stdout
        for name in names.decode().split("\0"):
            if name and (TREE / name).exists():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(TREE / name, place / name)
        return place


def need_network(root: Root) -> None:
    """Skip the rig unless programs in a root reach what they install from: Debian's packages and Python's."""
    lists = "-o Dir::State::Lists=/lists -o Acquire::Retries=1 -o APT::Update::Error-Mode=any"
    update = f"mkdir -p /lists/partial; apt-get -q update {lists}; code=$?; rm -rf /lists; exit $code"
    apt = root.run("sh", "-c", update, env=network_settings(root.path), check=False)
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--retries=1", "--no-deps", "--dest", folder]
        if apt.returncode or subprocess.run([*pip, "segno"], check=False).returncode:
            print(apt.stdout)
            raise BuildError("neither apt nor pip can do without the network, which can't be reached")
