"""Guards `companion calibrate board` without a picture: camera, display and buttons of the configuration lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.profile import load_profile
from companion.cli import main
from companion.commands import run
from companion.layout import load_layout
from companion.simulator.renderer import Renderer
from companion.simulator.scene import Scene
from hardware.base import Press
from hardware.recording import RecordingWriter


def recorded(folder: Path, presses: list[Press]) -> Path:
    """A recording of an empty board and of presses, and the configuration that plays it."""
    picture = Renderer(3, load_layout("hex37"), (640, 480)).draw(Scene(), 0)
    writer = RecordingWriter(folder / "table", fps=5)
    for t_ms in range(0, 2400, 200):
        writer.frame(t_ms, picture)
    for press in presses:
        writer.press(press)
    writer.close()
    config = folder / "companion.toml"
    config.write_text(
        f"""
[camera]
driver = "recording"
folder = "{folder}/table"
[display]
driver = "png"
folder = "{folder}/display"
[buttons]
driver = "recording"
folder = "{folder}/table"
[folders]
profile = "here"
"""
    )
    return config


@pytest.fixture
def virtual_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "live_moments", lambda: iter(range(0, 3000, 200)))


@pytest.mark.usefixtures("virtual_time")
def test_taken_judged_and_saved(tmp_path: Path) -> None:
    config = recorded(tmp_path, [Press(300, "down", "press"), Press(500, "ok", "press"), Press(2200, "ok", "press")])
    assert main(["calibrate", "board", "--config", str(config)]) == 0
    profile = load_profile(tmp_path / "here")
    assert profile.side_at_bottom == 3 and profile.error_mm < 0.3
    assert len(list((tmp_path / "display").glob("*.png"))) >= 3, "aiming, measuring, the judgement"


@pytest.mark.usefixtures("virtual_time")
def test_left_without_saving_is_a_no(tmp_path: Path) -> None:
    config = recorded(tmp_path, [Press(300, "back", "press")])
    assert main(["calibrate", "board", "--config", str(config), "--profile", str(tmp_path / "there")]) == 1
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--json"], "need a picture"),
        (["--point", "a1=3,4"], "need a picture"),
        (["x.jpg"], "--profile"),
        (["--layout", "chess"], "chess"),
        (["--config", "none.toml"], "none.toml"),
    ],
)
def test_a_malformed_call_is_one_line(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "board", *arguments]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1
