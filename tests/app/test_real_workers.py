"""The studio with the real learner and driver: a run is made, driven, shown, killed, and goes on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tmstudio.app.pages.live import LivePage
from tmstudio.app.run_state import Phase
from tmstudio.app.session import RunSession
from tmstudio.app.studio import Studio
from tmstudio.app.window import MainWindow
from tmstudio.config.loading import apply_overrides
from tmstudio.config.presets import preset
from tmstudio.runs.metrics import MetricsReader

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_MS = 60_000
SMALL = (
    "name=real", "game.cars=4", "replay.capacity=20000", "replay.warmup=200", "budget.minutes=30",
    "evaluation.every_s=600", "algorithm.batch_size=32",
)  # fmt: skip


@pytest.fixture
def session(qtbot: QtBot, window: MainWindow, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> RunSession:
    """A run in training."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    studio.create_run(apply_overrides(preset("quickstart"), SMALL, "the test"))
    qtbot.waitUntil(lambda: studio.session is not None, timeout=PATIENCE_MS)
    assert studio.session is not None
    return studio.session


def test_a_run_is_shown_killed_and_goes_on(qtbot: QtBot, window: MainWindow, session: RunSession) -> None:
    live = window.page("Live")
    assert isinstance(live, LivePage)
    qtbot.waitUntil(lambda: session.state.phase is Phase.TRAINING, timeout=PATIENCE_MS)
    qtbot.waitUntil(live.drive.hood.has_frame, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: session.data.value("learner/updates_per_s") is not None, timeout=PATIENCE_MS)
    assert session.state.has_policy

    driver = session.supervisor.job("actor")
    assert driver is not None
    os.kill(driver.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: "SIGKILL" in live.banner.title(), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "frozen" in live.drive.track_panel.aside.text(), timeout=PATIENCE_MS)
    speed = live.drive.gauges.speed.text()
    qtbot.wait(300)
    assert live.drive.gauges.speed.text() == speed
    assert session.state.phase is Phase.NO_DRIVER

    session.command("start")
    qtbot.waitUntil(lambda: session.state.phase is Phase.TRAINING, timeout=PATIENCE_MS)
    before = session.data.step()
    qtbot.waitUntil(lambda: session.data.step() > before, timeout=PATIENCE_MS)
    assert live.banner.title() == ""

    session.command("stop")
    qtbot.waitUntil(lambda: session.state.phase is Phase.STOPPED, timeout=PATIENCE_MS)
    qtbot.wait(1000)  # the last rows are read
    with MetricsReader(session.run.metrics_path) as reader:
        latest = reader.latest()
        assert session.data.attempt_count == reader.count_episodes()
        assert session.data.step() == reader.last_step()
    for name, value in latest.items():
        shown = session.data.latest[name].value
        assert shown == pytest.approx(value, nan_ok=True), name
