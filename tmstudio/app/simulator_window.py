"""The simulator for people: arrow keys, a road, a clock."""

from __future__ import annotations

import time

import cv2
import numpy as np
from PySide6.QtCore import QEvent, QRectF, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from tmstudio.app.driving import Drive, Keys
from tmstudio.app.settings import load_settings
from tmstudio.app.theme import DARK, ThemeMode, load_fonts, theme
from tmstudio.app.widgets.race_view import RaceView
from tmstudio.app.widgets.track_view import TrackView
from tmstudio.game.simulator.renderer import HoodRenderer
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary

_PICTURE_EVERY_MS = 16
_FIRST_SIZE = (1150, 640)
_MAP_SIZE = (210, 150)

_KEYS = {
    Qt.Key.Key_Up: "gas",
    Qt.Key.Key_W: "gas",
    Qt.Key.Key_Down: "brake",
    Qt.Key.Key_S: "brake",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_A: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_D: "right",
}
_RESTART = (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)


class _Map(TrackView):
    """The track from above on a dark plate."""

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(DARK.color("ground", 0.72))
            painter.drawRoundedRect(QRectF(self.rect()), 10, 10)
        super().paintEvent(event)


class SimulatorWindow(QMainWindow):
    """A window to drive in.

    Args:
        track: where.
    """

    def __init__(self, track: Track) -> None:
        super().__init__()
        self.setWindowTitle(f"TMStudio simulator · {track.name}")
        self.resize(*_FIRST_SIZE)
        self.drive = Drive(track)
        self.keys = Keys()
        self._renderer = HoodRenderer(track)
        self.view = RaceView(self.drive)
        self.setCentralWidget(self.view)
        self.map = _Map()
        self.map.setParent(self.view)
        self.map.setFixedSize(*_MAP_SIZE)
        self.map.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.map.show_track(track)
        self.map.move(18, 18)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._last_s = time.monotonic()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_PICTURE_EVERY_MS)
        self._timer.timeout.connect(self.tick)
        self._timer.start()
        self._show()

    def tick(self) -> None:
        """Let the time since the last call pass, and show where the car is now."""
        now = time.monotonic()
        self.drive.advance(now - self._last_s, self.keys)
        self._last_s = now
        self._show()

    def restart(self) -> None:
        """Back to the line."""
        self.drive.restart()
        self.map.begin_attempt()
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._press(event, held=True):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self._press(event, held=False):
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.keys = Keys()  # their release would go to another window

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.keys = Keys()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._timer.stop()
        super().closeEvent(event)

    def _press(self, event: QKeyEvent, *, held: bool) -> bool:
        """Take a key; whether it is one of ours."""
        key = Qt.Key(event.key())
        if key in _KEYS:
            if not event.isAutoRepeat():
                setattr(self.keys, _KEYS[key], held)
            return True
        if key in _RESTART and held:
            if not event.isAutoRepeat():
                self.restart()
            return True
        return False

    def _show(self) -> None:
        state = self.drive.state
        frame = self._renderer.render(state.position_m[0], float(state.heading_rad[0]))
        self.view.show_frame(np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2BGRA), dtype=np.uint8))
        x, _, z = state.position_m[0]
        self.map.set_car(float(x), float(z))
        if self.drive.race_time_s > 0 and not state.finished[0]:
            self.map.extend_trace(np.array([[x, z, float(state.speed_mps[0])]]))


def run_simulator(track_name: str) -> int:
    """Open the simulator on a track of the library; returns the exit code when its window closes.

    Raises:
        TMStudioError: there is no such track.
    """
    track = TrackLibrary().load(track_name)
    application = QApplication.instance() or QApplication(["tmstudio"])
    assert isinstance(application, QApplication)
    application.setApplicationName("TMStudio simulator")
    load_fonts()
    theme().set_mode(ThemeMode(load_settings().theme))
    window = SimulatorWindow(track)
    window.show()
    window.activateWindow()
    return application.exec()
