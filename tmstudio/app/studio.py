"""What the pages share: settings, tracks, runs, and the runs that are open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from tmstudio.app.background import in_background
from tmstudio.app.run_list import RunLine, RunList
from tmstudio.app.session import RunSession
from tmstudio.app.settings import Settings
from tmstudio.app.theme import ThemeMode, theme
from tmstudio.config.run_config import RunConfig
from tmstudio.errors import TMStudioError
from tmstudio.runs.folder import RunFolder
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary


class Studio(QObject):
    """The state of the program behind its pages.

    Args:
        settings: what it remembers from last time.
    """

    runs_changed = Signal()
    track_changed = Signal()
    session_changed = Signal()
    """Another run is shown, or none."""
    failed = Signal(object)
    """Something asked for could not be done: a `TMStudioError`."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.library = TrackLibrary()
        self.runs: list[RunLine] = []
        self.runs_known = False
        self.track: Track | None = None
        self.session: RunSession | None = None
        """The run that the Live page shows."""
        self.sessions: dict[str, RunSession] = {}
        """All open runs by name: the one that is shown, and those that still work."""
        self._run_list = RunList()
        self._scanning = False

    # Settings

    def set_theme(self, mode: ThemeMode) -> None:
        """Choose a theme, for this time and the next."""
        self.settings.theme = mode.value
        theme().set_mode(mode)
        self.save_settings()

    def save_settings(self) -> None:
        """Keep the settings; a disk that refuses is told, and costs nothing else."""
        try:
            self.settings.save()
        except (TMStudioError, OSError) as error:
            self.failed.emit(
                error
                if isinstance(error, TMStudioError)
                else TMStudioError("The settings could not be saved.", cause=str(error))
            )

    # Tracks

    def choose_track(self, name: str, then: Callable[[], object] | None = None) -> None:
        """Show another track on Home, and do something with it once it is loaded."""

        def done(track: Track) -> None:
            self.track = track
            if self.settings.track != track.name:
                self.settings.track = track.name
                self.save_settings()
            self.track_changed.emit()
            if then is not None:
                then()

        in_background(self, lambda: self.library.load(name), done, self.failed.emit)

    def load_first_track(self) -> None:
        """Show the track of last time, or the first there is."""
        names = self.library.names()
        if names:
            self.choose_track(self.settings.track if self.settings.track in names else names[0])

    # Runs

    def refresh_runs(self) -> None:
        """Read the list of runs again."""
        if self._scanning:
            return
        self._scanning = True

        def done(lines: list[RunLine]) -> None:
            self._scanning = False
            self.runs_known = True
            if lines != self.runs:
                self.runs = lines
            self.runs_changed.emit()

        def failed(error: TMStudioError) -> None:
            self._scanning = False
            self.failed.emit(error)

        in_background(self, self._run_list.read, done, failed)

    def create_run(self, config: RunConfig, *, start: bool = True) -> None:
        """Make a run, show it, and start it."""

        def work() -> tuple[RunFolder, Track]:
            track = self.library.load(config.track)
            return RunFolder.create(config, track_sha256=track.sha256), track

        def done(made: tuple[RunFolder, Track]) -> None:
            session = self._show(*made)
            if session is not None and start:
                session.command("start")
            self.refresh_runs()

        in_background(self, work, done, self.failed.emit)

    def open_run(self, name: str, *, start: bool = False) -> None:
        """Show a run; with ``start`` also go on with it."""
        if name in self.sessions:
            self.session = self.sessions[name]
            self.session_changed.emit()
            if start:
                self.session.command("start")
            return

        def work() -> tuple[RunFolder, Track]:
            run = RunFolder.open(name)
            track = self.library.load(run.config.track)
            run.check_track(track.sha256)
            return run, track

        def done(opened: tuple[RunFolder, Track]) -> None:
            session = self._show(*opened)
            if session is not None and start:
                session.command("start")

        in_background(self, work, done, self.failed.emit)

    def extend_budget(self, session: RunSession, minutes: float) -> None:
        """Let a run train for some minutes more than it has trained, and start it."""
        config = session.run.config
        budget = config.budget.model_copy(
            update={
                "minutes": round(session.data.time_s() / 60 + minutes, 2),
                "steps": max(config.budget.steps, 2 * session.data.step()),
            }
        )
        changed = config.model_copy(update={"budget": budget})

        def done(run: RunFolder) -> None:
            session.replace_run(run)
            session.command("start")

        in_background(self, lambda: session.run.with_config(changed), done, self.failed.emit)

    def working_sessions(self) -> list[RunSession]:
        """The open runs that are at work."""
        return [session for session in self.sessions.values() if session.state.running]

    def close(self) -> None:
        """Let go of all runs."""
        for session in list(self.sessions.values()):
            session.close()
        self.sessions.clear()
        self.session = None

    def _show(self, run: RunFolder, track: Track) -> RunSession | None:
        if run.name in self.sessions:
            session = self.sessions[run.name]
        else:
            try:
                session = RunSession(run, track)
            except TMStudioError as error:
                self.failed.emit(error)
                return None
            self._drop_idle()
            self.sessions[run.name] = session
        self.session = session
        self.session_changed.emit()
        return session

    def _drop_idle(self) -> None:
        """Close the open runs at which nothing works: the Live page shows another one now."""
        for name, session in list(self.sessions.items()):
            if not session.state.running:
                session.close()
                del self.sessions[name]
