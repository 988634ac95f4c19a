"""The end of a window while runs are at work: they are stopped, or handed over to run without it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QProgressDialog, QWidget

from tmstudio.app.session import RunSession
from tmstudio.app.supervisor import STOP_WITHIN_S

_LOOK_EVERY_MS = 200
_HAND_OVER_S = 12.0


class Farewell(QObject):
    """Sees runs off. Signals `done` when the window may close.

    Args:
        sessions: the runs at work.
        keep: whether they go on without the window.
        parent: the window.
    """

    done = Signal()
    cancelled = Signal()

    def __init__(self, sessions: list[RunSession], *, keep: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._sessions = sessions
        self._keep = keep
        self._waited_s = 0.0
        text = "Handing over to the background…" if keep else "Saving and stopping…"
        self._progress = QProgressDialog(text, "Cancel", 0, 0, parent)
        self._progress.setWindowTitle("TMStudio")
        self._progress.setMinimumDuration(400)
        self._progress.setAutoClose(False)
        self._progress.canceled.connect(self._cancel)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)

    def begin(self) -> None:
        """Begin."""
        for session in self._sessions:
            if not self._keep:
                session.stop()
            elif session.supervisor.owns_driver():
                session.supervisor.dismiss_driver(
                    lambda session=session: session.control.send("actor", "stop")
                )
        self._timer.start()

    def _look(self) -> None:
        self._waited_s += _LOOK_EVERY_MS / 1000
        if self._keep:
            waiting = [session for session in self._sessions if session.supervisor.owns_driver()]
            limit_s = _HAND_OVER_S
        else:
            waiting = [session for session in self._sessions if session.supervisor.alive()]
            limit_s = STOP_WITHIN_S + 5
        if waiting and self._waited_s < limit_s:
            return
        self._end()
        if self._keep:
            for session in self._sessions:
                if session.supervisor.job("actor") is None:
                    session.supervisor.start_detached_driver()
        self.done.emit()

    def _cancel(self) -> None:
        self._end()
        self.cancelled.emit()

    def _end(self) -> None:
        self._timer.stop()
        self._progress.canceled.disconnect(self._cancel)
        self._progress.reset()
        self._progress.deleteLater()
