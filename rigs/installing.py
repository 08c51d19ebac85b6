"""The installer's proof, the same for each Debian: from nothing to a service, updated, rolled back, removed."""

from __future__ import annotations

import threading

import debs
from frame import ProofError, expect, need_network
from service import NO_DEVICES, UNIT, ServiceRoot

PICAMERA = '[camera]\ndriver = "picamera2"\n[display]\ndriver = "none"\n[buttons]\ndriver = "none"\n'


def prove(suite: str) -> str:
    """Install, update, fail to update and uninstall in a root of this suite of Debian."""
    with ServiceRoot(suite) as root:
        need_network(root)
        told = root.install(check=False)
        expect("systemd does not run here" in told and "exit code 1" in told, "without systemd: one line, nothing done")
        root.boot()
        _refusals(root)
        _first(root)
        _again(root)
        _update(root)
        _failures(root)
        _power_cuts(root)
        _packages_of_the_pi(root)
        _out(root)
    return f"{suite}: installed, updated, three failed updates and two power cuts undone, uninstalled, purged"


def _refusals(root: ServiceRoot) -> None:
    told = root.run("runuser", "-u", "nobody", "--", "/home/pi/companion/install.sh", check=False)
    expect(told.returncode == 1 and "needs root" in told.stdout, "not root: one line")
    told = root.run("/home/pi/companion/install.sh", "frobnicate", check=False)
    expect(told.returncode == 2 and "uninstall" in told.stdout, "an unknown word: the help")
    expect("not installed yet" in root.install("update", check=False), "update of nothing: one line")


def _first(root: ServiceRoot) -> None:
    told = root.install(check=False)
    for package in debs.PACKAGES:
        expect(f"no {package} in this system's apt" in told, f"plain Debian has no {package}: said in one line")
    root.wait_for("the camera of the example can't be had here: the log says so", lambda: "picamera2" in root.log())
    config = (root.path / "etc/companion/companion.toml").read_text()
    expect('data = "/var/lib/companion"' in config, "the example configuration keeps its data in /var/lib")
    root.set_config(NO_DEVICES)
    told = root.install()
    expect(root.active(), "with devices that are there: a started service")
    expect("Type=notify" in root.run("systemctl", "cat", UNIT).stdout and root.show("StatusText")["StatusText"],
           f"which is ready and says what the display says: {root.show('StatusText')['StatusText']}")  # fmt: skip
    for group in ("gpio", "i2c", "spi", "video"):
        expect(group in root.run("id", "-nG", "companion").stdout.split(), f"the user companion is in {group}")
    expect(root.run("systemd-analyze", "verify", UNIT).stdout == "", "systemd-analyze verify says nothing")
    expect(root.run("systemctl", "is-enabled", UNIT).stdout == "enabled\n", "it starts at boot")
    expect(root.run("git", "-C", "/home/pi/companion", "status", check=False).returncode != 0
           and not any(root.checkout.glob("*.egg-info")) and not (root.checkout / "build").exists(),
           "the checkout is as it was")  # fmt: skip
    help_ = root.run("runuser", "-u", "nobody", "--", "companion", "--help").stdout
    expect("doctor" in help_, "the command `companion` is there for every user")


def _keep(root: ServiceRoot) -> tuple[str, str]:
    """What must outlive everything: the configuration and the games, as they are now."""
    journal = root.path / "var/lib/companion/kept.jsonl"
    if not journal.exists():
        root.run("runuser", "-u", "companion", "--", "sh", "-c", "echo saved > /var/lib/companion/kept.jsonl")
    return (root.path / "etc/companion/companion.toml").read_text(), journal.read_text()


def _versions(root: ServiceRoot) -> list[str]:
    return sorted(p.name for p in (root.path / "opt/tabletop-companion").glob("version-*"))


def _again(root: ServiceRoot) -> None:
    kept, process = _keep(root), root.process()
    root.install()
    expect(root.active() and root.process() != process, "installed again: a new process runs")
    expect(_keep(root) == kept, "configuration and games are as they were")
    expect(len(_versions(root)) == 1, "one version is on the card")


def _update(root: ServiceRoot) -> None:
    kept, project = _keep(root), root.checkout / "pyproject.toml"
    project.write_text(project.read_text().replace('version = "0.1.0"', 'version = "0.1.1"'))
    root.install("update")
    python = "/opt/tabletop-companion/current/.venv/bin/python"
    version = "import importlib.metadata as m; print(m.version('tabletop-companion'))"
    expect(root.run(python, "-c", version).stdout == "0.1.1\n", "updated: the new version is there")
    expect(root.active() and _keep(root) == kept, "and runs; configuration and games are as they were")


def _failures(root: ServiceRoot) -> None:
    kept, versions = _keep(root), _versions(root)
    run, project = root.checkout / "companion/commands/run.py", root.checkout / "pyproject.toml"
    loop = "    for t_ms in live_moments():\n"
    good_run, good_project = run.read_text(), project.read_text()
    if loop not in good_run:
        raise ProofError(f"{run}: no live loop to break")
    for what, path, broken, process_stays in (
        ("that ends before it is ready", run, good_run.replace(loop, f'    raise SystemExit("broken")\n{loop}'), False),
        (
            "that is ready and ends after two seconds",
            run,
            good_run.replace(loop, f"{loop}        if t_ms > 2000:\n            raise SystemExit('broken')\n"),
            False,
        ),
        ("that pip can't install", project, good_project.replace("numpy>=1.24", "numpy>=999"), True),
    ):
        process = root.process()
        path.write_text(broken)
        told = root.install("update", check=False)
        run.write_text(good_run)
        project.write_text(good_project)
        expect("exit code 1" in told, f"an update {what} fails")
        said = "nothing was changed" if process_stays else "the old one runs again"
        expect(said in told, f"and says: {said}")
        expect(process_stays or "broken" in told, "and shows the log of the start")
        expect(root.active() and (root.process() == process) is process_stays, "the old version runs")
        expect(_versions(root) == versions, "it is the only one on the card")
        expect(_keep(root) == kept, "configuration and games are as they were")


def _power_cuts(root: ServiceRoot) -> None:
    """Pull the plug while a version is being put together, and while one runs that has not proven itself."""
    kept, versions = _keep(root), _versions(root)
    current = root.path / "opt/tabletop-companion/current"
    was = current.readlink()

    def command() -> str:
        return root.run("cat", f"/proc/{root.process()}/cmdline").stdout if root.active() else ""

    for what, reached in (
        ("pip fills the folder of the new version", lambda: any(current.parent.glob("version-*/source"))),
        ("the new version has just become ready", lambda: command() and was.name not in command()),
    ):
        update = threading.Thread(target=root.install, args=("update",), kwargs={"check": False})
        update.start()
        root.wait_for(f"an update goes on until {what}", reached, timeout=300)
        root.power_off()
        update.join()
        expect(current.readlink() == was, "the plug is pulled: the old version is the installed one")
        root.boot()
        root.wait_for("after the next start of the system it runs", lambda: "/current/" in command())
        expect(_keep(root) == kept, "configuration and games are as they were")
    root.install("update")
    expect(root.active() and current.readlink() != was, "and the next update succeeds")
    expect(len(_versions(root)) == len(versions), "nothing of the broken off ones is left on the card")
    root.power_off()
    root.boot()
    root.wait_for("its plug is pulled: it starts with the system", lambda: "/current/" in command())


def _packages_of_the_pi(root: ServiceRoot) -> None:
    debs.offer(root)
    root.set_config(PICAMERA)
    told = root.install("update")
    expect("in this system's apt" not in told, "where apt has python3-picamera2 and python3-lgpio they are installed")
    python = "/opt/tabletop-companion/current/.venv/bin/python"
    of = "import numpy, lgpio, picamera2; print(numpy.__file__, lgpio.__file__, picamera2.__file__)"
    files = root.run(python, "-c", of).stdout.split()
    expect(all(f.startswith("/usr/lib/python3/dist-packages/") for f in files), f"seen from the venv: {files}")
    versions = (
        "import numpy, cv2; print(numpy.__version__, cv2.__version__, cv2.Canny(numpy.eye(9, dtype='u1'), 1, 2).shape)"
    )
    expect(
        root.run(python, "-c", versions).returncode == 0,
        f"OpenCV runs with that NumPy: {root.run(python, '-c', versions).stdout}",
    )
    root.wait_for("the service looks for the ribbon cable's camera", lambda: "ribbon cable" in root.log())
    expect(root.active(), "and goes on without one")


def _out(root: ServiceRoot) -> None:
    kept = _keep(root)
    root.install("uninstall")
    gone = ("opt/tabletop-companion", f"etc/systemd/system/{UNIT}", "usr/local/bin/companion")
    expect(not any((root.path / p).exists() for p in gone), "uninstalled: program, unit and command are gone")
    expect(_keep(root) == kept, "configuration and games are as they were")
    root.install("uninstall")
    root.install()
    expect(root.active() and _keep(root) == kept, "installed anew: it goes on with them")
    root.install("uninstall", "--purge")
    everything = (*gone, "etc/companion", "var/lib/companion")
    expect(not any((root.path / p).exists() for p in everything), "purged: nothing is left")
    expect(root.run("id", "companion", check=False).returncode != 0, "nor the user")
