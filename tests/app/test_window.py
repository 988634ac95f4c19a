"""The window itself: pages, theme, errors, and what becomes of running work when it closes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.app.fake_run import FakeRun
from tests.app.pressing import press
from tmstudio.app.dialogs.message import ClosingDialog, MessageDialog
from tmstudio.app.dialogs.new_run import NewRunDialog
from tmstudio.app.settings import Settings, load_settings
from tmstudio.app.studio import Studio
from tmstudio.app.theme import DARK, LIGHT, tokens
from tmstudio.app.window import MainWindow
from tmstudio.errors import TMStudioError
from tmstudio.runs import jobs

PATIENCE_MS = 20_000


def dialog_of(window: MainWindow, kind: type[QWidget]) -> QWidget:
    found = [child for child in window.findChildren(kind) if not child.isHidden()]
    assert found, f"no {kind.__name__} is open"
    return found[-1]


def test_the_navigation_shows_each_page(qtbot: QtBot, window: MainWindow) -> None:
    assert list(window.nav.buttons) == ["Home", "Live", "Tracks", "Settings"]
    for name, made in window.nav.buttons.items():
        qtbot.mouseClick(made, Qt.MouseButton.LeftButton)
        assert window._stack.currentWidget() is window.page(name)
        assert made.isChecked()


def test_the_theme_is_changed_and_remembered(qtbot: QtBot, window: MainWindow) -> None:
    assert window.nav.theme_button.text() == "Light theme"
    qtbot.mouseClick(window.nav.theme_button, Qt.MouseButton.LeftButton)
    assert tokens() is LIGHT
    assert load_settings().theme == "light"
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    assert LIGHT.panel in application.styleSheet()
    window.show_page("Settings")
    settings = window.page("Settings")
    assert settings.theme_choice.currentText() == "Light"  # type: ignore[attr-defined]
    qtbot.mouseClick(window.nav.theme_button, Qt.MouseButton.LeftButton)
    assert tokens() is DARK


def test_nothing_is_clipped_at_the_smallest_size(window: MainWindow) -> None:
    window.resize(1100, 700)
    assert (window.width(), window.height()) == (1100, 700)
    window.resize(300, 200)
    assert (window.width(), window.height()) == (1100, 700)


def test_the_size_is_remembered(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1234, 777)
    window.close()
    assert load_settings().window == (1234, 777)


def test_an_error_is_shown_with_what_to_do(qtbot: QtBot, window: MainWindow, studio: Studio) -> None:
    studio.failed.emit(TMStudioError("The disk is full", hint="make room"))
    dialog = dialog_of(window, MessageDialog)
    press(qtbot, dialog, "Close")


def test_new_run_opens_the_dialog(qtbot: QtBot, window: MainWindow, studio: Studio) -> None:
    qtbot.mouseClick(window.page("Home").new_run_button, Qt.MouseButton.LeftButton)  # type: ignore[attr-defined]
    dialog = dialog_of(window, NewRunDialog)
    assert dialog.config().track == "valley"  # type: ignore[attr-defined]
    press(qtbot, dialog, "Cancel")


def test_the_last_crash_is_told_once(qtbot: QtBot, studio: Studio) -> None:
    window = MainWindow(studio, "Fatal Python error: Segmentation fault")
    qtbot.addWidget(window)
    window.show()
    banner = window.page("Home").banner  # type: ignore[attr-defined]
    assert banner.title() == "TMStudio ended unexpectedly last time."
    press(qtbot, banner, "Show details")
    assert "Segmentation" in dialog_of(window, MessageDialog).details.toPlainText()  # type: ignore[attr-defined]
    press(qtbot, banner, "Dismiss")
    assert banner.title() == ""
    qtbot.waitUntil(lambda: studio.runs_known and studio.track is not None)


def test_an_idle_window_closes_without_a_question(qtbot: QtBot, window: MainWindow) -> None:
    assert window.close()


@pytest.fixture
def training(
    qtbot: QtBot, window: MainWindow, studio: Studio, fake_run: Callable[..., FakeRun], fake_workers: None
) -> FakeRun:
    """A run at work in the window."""
    run = fake_run("valley-tqc")
    studio.open_run("valley-tqc", start=True)
    qtbot.waitUntil(
        lambda: studio.session is not None and studio.session.state.learner and studio.session.state.driver,
        timeout=PATIENCE_MS,
    )
    return run


def roles_at_work(run: FakeRun) -> list[str]:
    return [job.role for job in jobs.live_jobs(run.folder.path)]


def test_closing_and_cancel_changes_nothing(qtbot: QtBot, window: MainWindow, training: FakeRun) -> None:
    assert not window.close()
    press(qtbot, dialog_of(window, ClosingDialog), "Cancel")
    assert window.isVisible()
    assert roles_at_work(training) == ["learner", "actor"]


def test_closing_stops_and_saves(qtbot: QtBot, window: MainWindow, training: FakeRun) -> None:
    window.close()
    press(qtbot, dialog_of(window, ClosingDialog), "Stop and save")
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=PATIENCE_MS)
    assert roles_at_work(training) == []


def test_closing_lets_the_run_go_on(qtbot: QtBot, window: MainWindow, training: FakeRun) -> None:
    before = {job.role: job.pid for job in jobs.live_jobs(training.folder.path)}
    window.close()
    press(qtbot, dialog_of(window, ClosingDialog), "Keep running")
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: len(roles_at_work(training)) == 2, timeout=PATIENCE_MS)
    after = {job.role: job.pid for job in jobs.live_jobs(training.folder.path)}
    assert after["learner"] == before["learner"]
    assert after["actor"] != before["actor"], "a driver that is not bound to this window has taken over"
    second = Studio(Settings())
    second.open_run("valley-tqc")
    qtbot.waitUntil(lambda: second.session is not None and second.session.state.driver, timeout=PATIENCE_MS)
    assert second.session is not None
    second.session.command("stop")
    qtbot.waitUntil(lambda: roles_at_work(training) == [], timeout=PATIENCE_MS)
    second.close()
