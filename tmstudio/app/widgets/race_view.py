"""What a person sees who drives: the road, the speed, the clock, and the big words at start and finish."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from tmstudio.app import formatting
from tmstudio.app.driving import Drive, Stage
from tmstudio.app.theme import DARK, font
from tmstudio.app.widgets.hood_view import HEIGHT_PX, WIDTH_PX

_TOP_RPM = 11_000.0
_PAD = 18
_GO_S = 0.8


class RaceView(QWidget):
    """The road of a `Drive` with everything written over it. Bright on dark in both themes: it lies over a picture.

    Args:
        drive: what it shows.
    """

    def __init__(self, drive: Drive) -> None:
        super().__init__()
        self._drive = drive
        self._pixels: NDArray[np.uint8] | None = None
        self._image: QImage | None = None
        self.setMinimumSize(WIDTH_PX // 2, HEIGHT_PX // 2)
        self.setAccessibleName("Race")

    def show_drive(self, drive: Drive) -> None:
        """Show another drive."""
        self._drive = drive
        self.update()

    def show_frame(self, frame: NDArray[np.uint8]) -> None:
        """Show a new picture of the road: (488, 958, 4) uint8, BGR and an unused byte."""
        self._pixels = frame  # QImage borrows the memory
        height, width = frame.shape[:2]
        self._image = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            if self._image is None:
                painter.fillRect(self.rect(), DARK.color("ground"))
                return
            painter.drawImage(self._target(), self._image)
            self._paint_speed(painter)
            self._paint_clock(painter)
            self._paint_gates(painter)
            self._paint_words(painter)

    def _target(self) -> QRectF:
        scale = max(self.width() / WIDTH_PX, self.height() / HEIGHT_PX)
        width, height = WIDTH_PX * scale, HEIGHT_PX * scale
        return QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)

    def _paint_speed(self, painter: QPainter) -> None:
        state = self._drive.state
        box = QRectF(self.width() - 190 - _PAD, self.height() - 96 - _PAD, 190, 96)
        _plate(painter, box)
        painter.setPen(DARK.color("text"))
        painter.setFont(font(42, 700))
        speed = f"{float(state.speed_mps[0]) * 3.6:.0f}"
        painter.drawText(
            box.adjusted(0, 4, -66, -26), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, speed
        )
        painter.setFont(font(13, 500))
        painter.setPen(DARK.color("muted"))
        painter.drawText(
            box.adjusted(130, 32, 0, -26), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "km/h"
        )
        gear = int(state.gear[0])
        painter.setFont(font(18, 700))
        painter.setPen(DARK.color("text"))
        painter.drawText(
            box.adjusted(0, 6, -16, -56),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            "R" if gear == 0 else str(gear),
        )
        bar = QRectF(box.left() + 16, box.bottom() - 20, box.width() - 32, 6)
        share = min(float(state.engine_rpm[0]) / _TOP_RPM, 1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(DARK.color("line"))
        painter.drawRoundedRect(bar, 3, 3)
        painter.setBrush(DARK.color("red" if share > 0.92 else "accent"))
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(bar.width() * share, 6), 6), 3, 3)

    def _paint_clock(self, painter: QPainter) -> None:
        box = QRectF(self.width() / 2 - 110, _PAD, 220, 62)
        _plate(painter, box)
        painter.setPen(DARK.color("text"))
        painter.setFont(font(26, 700))
        painter.drawText(
            box.adjusted(0, 4, 0, -20),
            Qt.AlignmentFlag.AlignCenter,
            formatting.lap_exact(self._drive.race_time_s),
        )
        best = self._drive.best_lap_s
        painter.setFont(font(12, 500))
        painter.setPen(DARK.color("muted"))
        text = f"your best {formatting.lap_exact(best)}" if best is not None else self._drive.track.name
        painter.drawText(box.adjusted(0, 36, 0, -4), Qt.AlignmentFlag.AlignCenter, text)

    def _paint_gates(self, painter: QPainter) -> None:
        """Progress along the lap as a line, with its checkpoints as dots."""
        track = self._drive.track
        box = QRectF(_PAD, self.height() - 56 - _PAD, 240, 56)
        _plate(painter, box)
        painter.setFont(font(12, 500))
        painter.setPen(DARK.color("text"))
        count = len(track.checkpoints_m)
        text = f"Checkpoint {self._drive.gates_passed} of {count}"
        painter.drawText(
            box.adjusted(16, 6, -16, -26), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text
        )
        painter.drawText(
            box.adjusted(16, 6, -16, -26),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            formatting.percent(self._drive.progress),
        )
        line = QRectF(box.left() + 16, box.bottom() - 20, box.width() - 32, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(DARK.color("line"))
        painter.drawRoundedRect(line, 2, 2)
        painter.setBrush(DARK.color("accent"))
        painter.drawRoundedRect(
            QRectF(line.left(), line.top(), max(line.width() * self._drive.progress, 4), 4), 2, 2
        )
        painter.setPen(QPen(DARK.color("ground"), 1.5))
        for number, place in enumerate(track.checkpoints_m):
            painter.setBrush(DARK.color("accent" if number < self._drive.gates_passed else "muted"))
            painter.drawEllipse(
                QPointF(line.left() + line.width() * place / track.length_m, line.center().y()), 5, 5
            )

    def _paint_words(self, painter: QPainter) -> None:
        drive = self._drive
        if drive.stage is Stage.COUNTDOWN:
            self._big(
                painter,
                str(math.ceil(drive.countdown_s)),
                DARK.color("text"),
                "Hold the up arrow for a fast start",
            )
        elif drive.stage is Stage.RACING and drive.race_time_s < _GO_S:
            self._big(painter, "Go", DARK.color("accent"), "")
        elif drive.stage is Stage.FINISHED and drive.last_lap_s is not None:
            words = (
                "Your best lap so far"
                if drive.new_best
                else f"Your best is {formatting.lap_exact(drive.best_lap_s)}"
            )
            self._big(
                painter,
                formatting.lap_exact(drive.last_lap_s),
                DARK.color("accent" if drive.new_best else "text"),
                f"{words} · Backspace for another lap",
            )

    def _big(self, painter: QPainter, word: str, color: QColor, below: str) -> None:
        box = QRectF(0, self.height() * 0.26, self.width(), 130)
        painter.setFont(font(64, 700))
        width = painter.fontMetrics().horizontalAdvance(word)
        painter.setFont(font(15, 500))
        width = max(width, painter.fontMetrics().horizontalAdvance(below)) + 64
        _plate(painter, QRectF((self.width() - width) / 2, box.top(), width, box.height() if below else 96))
        painter.setFont(font(64, 700))
        painter.setPen(color)
        painter.drawText(QRectF(0, box.top() + 8, self.width(), 80), Qt.AlignmentFlag.AlignCenter, word)
        if below:
            painter.setFont(font(15, 500))
            painter.setPen(DARK.color("text"))
            painter.drawText(QRectF(0, box.top() + 88, self.width(), 30), Qt.AlignmentFlag.AlignCenter, below)


def _plate(painter: QPainter, box: QRectF) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(DARK.color("ground", 0.72))
    painter.drawRoundedRect(box, 10, 10)
