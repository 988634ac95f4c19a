"""The main window: navigation, pages, and what becomes of running work when it closes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QMainWindow, QStackedWidget, QWidget

from tmstudio.app import formatting
from tmstudio.app.dialogs.message import (
    AtClosing,
    ClosingDialog,
    LongerDialog,
    MessageDialog,
    bug_dialog,
    error_dialog,
)
from tmstudio.app.farewell import Farewell
from tmstudio.app.pages.home import HomePage
from tmstudio.app.pages.page import Page
from tmstudio.app.run_state import PHASE_COLORS
from tmstudio.app.session import RunSession
from tmstudio.app.simulator_launch import open_simulator
from tmstudio.app.studio import Studio
from tmstudio.app.theme import ThemeMode, tokens
from tmstudio.app.widgets.nav import Nav
from tmstudio.app.widgets.toast import Toast
from tmstudio.config.run_config import RunConfig
from tmstudio.errors import TMStudioError

HOME, LIVE, TRACKS, SETTINGS = "Home", "Live", "Tracks", "Settings"
_LEAST = (1100, 700)
_DOT_EVERY_MS = 500


class MainWindow(QMainWindow):
    """The studio's window.

    Args:
        studio: the state of the program.
        last_crash: what the last start left behind when it crashed, or nothing.
    """

    def __init__(self, studio: Studio, last_crash: str = "") -> None:
        super().__init__()
        self.setWindowTitle("TMStudio")
        self.setMinimumSize(*_LEAST)
        self.resize(*studio.settings.window)
        self._studio = studio
        self._farewell: Farewell | None = None
        self._pages: dict[str, Page] = {}
        # Home is there at once; the others are made when they are first asked for.
        self._makers: dict[str, Callable[[], Page]] = {
            HOME: self._make_home,
            LIVE: self._make_live,
            TRACKS: self._make_tracks,
            SETTINGS: self._make_settings,
        }
        self._stack = QStackedWidget()
        self.nav = Nav([HOME, LIVE, TRACKS, None, SETTINGS], self.show_page, self._toggle_theme)
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.nav)
        row.addWidget(self._stack, 1)
        self.setCentralWidget(whole)
        whole.setFocus()  # else the first entry of the navigation begins with a focus frame
        self.toast = Toast(self)
        self._dots = QTimer(self)
        self._dots.setInterval(_DOT_EVERY_MS)
        self._dots.timeout.connect(self._show_dot)
        self._dots.start()
        studio.failed.connect(self.show_error)
        studio.session_changed.connect(self._show_session)
        self.show_page(HOME)
        studio.load_first_track()
        if last_crash:
            self._tell_crash(last_crash)

    def page(self, name: str) -> Page:
        """A page, made if it was not shown yet."""
        if name not in self._pages:
            made = self._makers[name]()
            self._pages[name] = made
            self._stack.addWidget(made)
        return self._pages[name]

    def show_page(self, name: str) -> None:
        """Show a page."""
        page, before = self.page(name), self._stack.currentWidget()
        self._stack.setCurrentWidget(page)
        self.nav.show_current(name)
        if isinstance(before, Page) and before is not page:
            before.leave()
        page.arrive()

    def show_error(self, error: TMStudioError) -> None:
        """Tell about a fault that a person can do something about."""
        error_dialog(error, self).open()

    def show_bug(self, summary: str, details: str) -> None:
        """Tell about a fault of the program."""
        bug_dialog(summary, details, self).open()

    def raise_window(self) -> None:
        """Come to the front: the program was started a second time."""
        self.setWindowState(self.windowState() & ~self.windowState().WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def new_run(self) -> None:
        """Ask for a new run."""
        from tmstudio.app.dialogs.new_run import NewRunDialog

        track = self._studio.track.name if self._studio.track is not None else ""
        NewRunDialog(self._studio.library, track, self._studio.create_run, self).open()

    def try_now(self) -> None:
        """Make and start the quick-start run."""
        from tmstudio.config.presets import preset

        config: RunConfig = preset("quickstart")
        self._studio.create_run(config)

    def closeEvent(self, event: QCloseEvent) -> None:
        working = self._studio.working_sessions()
        if not working:
            self._leave()
            event.accept()
            return
        event.ignore()
        if self._farewell is not None:
            return
        dialog = ClosingDialog([session.name for session in working], self)
        dialog.finished.connect(lambda _result: self._after_question(dialog.choice, working))
        dialog.open()

    def _after_question(self, choice: AtClosing, working: list[RunSession]) -> None:
        if choice is AtClosing.CANCEL:
            return
        self._farewell = Farewell(working, keep=choice is AtClosing.KEEP, parent=self)
        self._farewell.done.connect(self._finish_farewell)
        self._farewell.cancelled.connect(self._forget_farewell)
        self._farewell.begin()

    def _finish_farewell(self) -> None:
        self._leave()
        self._farewell = None
        self.close()

    def _forget_farewell(self) -> None:
        self._farewell = None

    def _leave(self) -> None:
        self._dots.stop()
        self._studio.settings.window = (self.width(), self.height())
        self._studio.save_settings()
        self._studio.close()

    def _make_home(self) -> Page:
        return HomePage(self._studio, new_run=self.new_run, drive=self._drive, try_now=self.try_now)

    def _make_live(self) -> Page:
        from tmstudio.app.pages.live import LivePage

        return LivePage(
            self._studio,
            train_longer=self._train_longer,
            home=lambda: self.show_page(HOME),
            notify=self.toast.say,
        )

    def _make_tracks(self) -> Page:
        from tmstudio.app.pages.tracks import TracksPage

        return TracksPage(
            self._studio,
            drive=lambda name: open_simulator(name, self, self.show_error),
            train=self.new_run,
            notify=self.toast.say,
        )

    def _make_settings(self) -> Page:
        from tmstudio.app.pages.settings import SettingsPage

        return SettingsPage(self._studio)

    def _show_session(self) -> None:
        if self._studio.session is not None:
            self.show_page(LIVE)

    def _train_longer(self, session: RunSession) -> None:
        dialog = LongerDialog(formatting.clock(session.data.time_s()), self)

        def done(result: int) -> None:
            if result == QDialog.DialogCode.Accepted:
                self._studio.extend_budget(session, dialog.minutes)

        dialog.finished.connect(done)
        dialog.open()

    def _drive(self) -> None:
        track = self._studio.track
        open_simulator(track.name if track is not None else "", self, self.show_error)

    def _toggle_theme(self) -> None:
        self._studio.set_theme(ThemeMode.LIGHT if tokens().name == "dark" else ThemeMode.DARK)

    def _show_dot(self) -> None:
        session = self._studio.session
        if session is None:
            self.nav.buttons[LIVE].show_dot("", "")
            return
        phase = session.state.phase
        self.nav.buttons[LIVE].show_dot(PHASE_COLORS[phase], f"{session.name}: {phase.value.lower()}")

    def _tell_crash(self, details: str) -> None:
        home = self.page(HOME)
        assert isinstance(home, HomePage)

        def show_details() -> None:
            MessageDialog(
                "TMStudio ended unexpectedly last time.",
                cause="The log of that moment is below.",
                hint="Runs that were training are in the list; each goes on where it stopped.",
                details=details,
                parent=self,
            ).open()

        home.banner.say(
            "TMStudio ended unexpectedly last time.",
            "Runs that were training are in the list below and can be resumed.",
            actions=[("Dismiss", home.banner.clear), ("Show details", show_details)],
        )
