"""A window to test, and runs to show in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from pytestqt.qtbot import QtBot

from tmstudio.app.background import finish_background
from tmstudio.app.session import RunSession
from tmstudio.app.settings import Settings
from tmstudio.app.studio import Studio
from tmstudio.app.theme import ThemeMode, load_fonts, theme
from tmstudio.app.window import MainWindow
from tmstudio.runs import jobs
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.app.fake_run import FakeRun  # noqa: E402 - found by the line above


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Any warning of Qt fails a test of the window, but one that the offscreen platform always gives."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints", extend=True))


@pytest.fixture(scope="session")
def qapp(qapp: Any) -> Any:
    """The application with the studio's look."""
    load_fonts()
    theme().set_mode(ThemeMode.DARK)
    return qapp


@pytest.fixture
def dark(qapp: Any) -> Iterator[None]:
    """The dark theme, whatever a test before has chosen."""
    theme().set_mode(ThemeMode.DARK)
    yield
    theme().set_mode(ThemeMode.DARK)


@pytest.fixture(scope="session")
def valley() -> Track:
    """A bundled track."""
    return TrackLibrary().load("valley")


@pytest.fixture
def fake_run(valley: Track) -> Iterator[Callable[..., FakeRun]]:
    """Makes runs: ``fake_run("name")``."""
    made: list[FakeRun] = []

    def make(name: str = "valley-tqc", *overrides: str) -> FakeRun:
        made.append(FakeRun(valley, name, overrides))
        return made[-1]

    yield make
    for run in made:
        run.close()


@pytest.fixture
def fake_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the studio start workers that need no torch instead of the real ones."""
    script = Path(__file__).with_name("fake_worker.py")
    monkeypatch.setattr("tmstudio.app.supervisor.program", lambda: [sys.executable, str(script)])
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def studio(qapp: Any) -> Iterator[Studio]:
    """The state behind a window."""
    made = Studio(Settings(track="valley"))
    yield made
    for session in list(made.sessions.values()):
        stop_everything(session)
    made.close()
    finish_background()


@pytest.fixture
def window(qtbot: QtBot, studio: Studio, dark: None) -> MainWindow:
    """The main window, shown."""
    made = MainWindow(studio)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: studio.track is not None and studio.runs_known)
    return made


def stop_everything(session: RunSession) -> None:
    """End whatever works on a run, without asking. A run's fake workers are this very process."""
    supervisor = session.supervisor
    supervisor.stopping = True
    for process in (supervisor._learner, supervisor._driver):
        if process is not None:
            process.kill()
    for job in jobs.live_jobs(session.run.path):
        if job.pid != os.getpid():
            psutil.Process(job.pid).kill()
