"""The track from above with the car, its attempt so far and the one before, coloured by speed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from tmstudio.app.theme import DARK, Tokens, font, theme, tokens
from tmstudio.app.top_view import TopView
from tmstudio.app.widgets.axes import polygon
from tmstudio.track.geometry import Track

_MARGIN = 10
_RAMP = ("blue", "accent", "amber", "red")
_SHADES = 32
_TOP_SPEED_MPS = 300 / 3.6
_LARGEST_STEP_M = 60.0
_OLDER = 0.3


class TrackView(QWidget):
    """A track from above.

    Args:
        legend: whether the colours of speed are explained in the corner.
        line: whether the centre line is drawn, where no lap will be.
    """

    def __init__(self, *, legend: bool = False, line: bool = False) -> None:
        super().__init__()
        self._legend = legend
        self._line = line
        self._track: Track | None = None
        self._view: TopView | None = None
        self._car: tuple[float, float] | None = None
        self._faded = False
        self._trace = np.empty((0, 3))
        self._older = np.empty((0, 3))
        self._base: QPixmap | None = None
        self._painted = 0
        self.empty_text = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Track from above")
        theme().changed.connect(self._start_again)

    def show_track(self, track: Track | None) -> None:
        """Show another track, without car and trace; none for an empty view."""
        self._track = track
        self._car = None
        self._trace = self._older = np.empty((0, 3))
        self.setAccessibleDescription(track.name if track is not None else "")
        self._start_again()

    def set_car(self, x_m: float, z_m: float) -> None:
        """Put the car at a place in the world."""
        self._car = (x_m, z_m)
        self.update()

    def set_faded(self, faded: bool) -> None:
        """Dim car and trace, where they are no longer what happens now."""
        if faded != self._faded:
            self._faded = faded
            self.update()

    def begin_attempt(self) -> None:
        """Start a new trace; the one so far becomes the faint one behind it."""
        if len(self._trace) > 1:
            self._older = self._trace
        self._trace = np.empty((0, 3))
        self._start_again()

    def extend_trace(self, places: NDArray[np.float64]) -> None:
        """Go on with the trace.

        Args:
            places: (n, 3) x, z in metres and speed in m/s.
        """
        if len(places):
            self._trace = np.concatenate([self._trace, places])
            self.update()

    def trace_length(self) -> int:
        """Number of points in the trace of the attempt so far."""
        return len(self._trace)

    def car_pixel(self) -> QPointF | None:
        """Where the car is in the widget, or None without a car."""
        view = self._fit()
        return None if view is None or self._car is None else QPointF(*view.pixels(self._car).tolist())

    def sizeHint(self) -> QSize:
        return QSize(320, 220)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 70)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._view = None
        self._start_again()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = tokens()
        view = self._fit()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if view is None:
                painter.setPen(colors.color("muted"))
                painter.drawText(
                    self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.empty_text
                )
                return
            if self._faded:
                painter.setOpacity(0.45)
            painter.drawPixmap(0, 0, self._current_base(view, colors))
            car = self.car_pixel()
            if car is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colors.color("accent", 0.28))
                painter.drawEllipse(car, 9, 9)
                painter.setBrush(colors.color("text"))
                painter.drawEllipse(car, 4.5, 4.5)

    def _start_again(self) -> None:
        self._base = None
        if self._track is None:
            self._view = None
        self.update()

    def _fit(self) -> TopView | None:
        if self._track is not None and (self._view is None or self._base is None):
            bottom = 18 if self._legend else 0
            self._view = TopView(
                self._track,
                _MARGIN,
                _MARGIN,
                max(self.width() - 2 * _MARGIN, 10),
                max(self.height() - 2 * _MARGIN - bottom, 10),
            )
        return self._view

    def _current_base(self, view: TopView, colors: Tokens) -> QPixmap:
        """Road, legend and traces as a picture, to which only the newest piece of the trace is added."""
        if self._base is None or self._base.devicePixelRatio() != self.devicePixelRatioF():
            ratio = self.devicePixelRatioF()
            self._base = QPixmap((self.size().toSizeF() * ratio).toSize())
            self._base.setDevicePixelRatio(ratio)
            self._base.fill(Qt.GlobalColor.transparent)
            self._painted = 0
            with QPainter(self._base) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._paint_road(painter, view, colors)
                if self._legend:
                    self._paint_legend(painter, colors)
                _paint_trace(painter, view, self._older, _OLDER)
        if self._painted < len(self._trace):
            with QPainter(self._base) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                _paint_trace(painter, view, self._trace[max(self._painted - 1, 0) :], 1.0)
            self._painted = len(self._trace)
        return self._base

    def _paint_road(self, painter: QPainter, view: TopView, colors: Tokens) -> None:
        outline = np.concatenate([view.left_border, view.right_border[::-1]])
        road = QPainterPath()
        road.addPolygon(polygon(outline[:, 0], outline[:, 1]))
        road.closeSubpath()
        road.setFillRule(Qt.FillRule.WindingFill)
        painter.setPen(QPen(colors.color("line"), 1))
        painter.setBrush(colors.color("road"))
        painter.drawPath(road)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        middle = (view.left_border + view.right_border) / 2
        if self._line:
            painter.setPen(QPen(colors.color("accent"), 1.6))
            painter.drawPolyline(polygon(middle[:, 0], middle[:, 1]))
        for index, color in ((0, "accent"), (-1, "text")):
            painter.setPen(QPen(colors.color(color, 0.9), 2))
            painter.drawLine(
                QPointF(*view.left_border[index].tolist()), QPointF(*view.right_border[index].tolist())
            )

    def _paint_legend(self, painter: QPainter, colors: Tokens) -> None:
        top = self.height() - 14
        painter.setFont(font(10))
        metrics = painter.fontMetrics()
        left_text, right_text = "0", f"{_TOP_SPEED_MPS * 3.6:.0f} km/h"
        left = _MARGIN + metrics.horizontalAdvance(left_text) + 6
        gradient = QLinearGradient(left, 0, left + 70, 0)
        for position, color in enumerate(_RAMP):
            gradient.setColorAt(position / (len(_RAMP) - 1), DARK.color(color))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(QRectF(left, top + 3, 70, 4), 2, 2)
        painter.setPen(colors.color("muted"))
        painter.drawText(QPointF(_MARGIN, top + 9), left_text)
        painter.drawText(QPointF(left + 76, top + 9), right_text)


def speed_color(speed_mps: float, alpha: float = 1.0) -> QColor:
    """The colour of a speed: slow is blue, then green and amber, fast is red.

    The bright colours of the dark theme in both: they fill a picture here, nobody has to read them.
    """
    colors = DARK
    place = min(max(speed_mps / _TOP_SPEED_MPS, 0.0), 1.0) * (len(_RAMP) - 1)
    index = min(int(place), len(_RAMP) - 2)
    low, high, part = colors.color(_RAMP[index]), colors.color(_RAMP[index + 1]), place - index
    return QColor.fromRgbF(
        low.redF() + (high.redF() - low.redF()) * part,
        low.greenF() + (high.greenF() - low.greenF()) * part,
        low.blueF() + (high.blueF() - low.blueF()) * part,
        alpha,
    )


def _paint_trace(painter: QPainter, view: TopView, trace: NDArray[np.float64], alpha: float) -> None:
    """Draw the pieces of a trace, all pieces of one shade of speed together."""
    if len(trace) < 2:
        return
    pixels = view.pixels(trace[:, :2])
    steps = np.hypot(*np.diff(trace[:, :2], axis=0).T)
    shade = np.clip(trace[1:, 2] / _TOP_SPEED_MPS * _SHADES, 0, _SHADES - 1).astype(int)
    shade[steps > _LARGEST_STEP_M] = -1  # the car was put somewhere else
    for value in np.unique(shade[shade >= 0]):
        where = np.flatnonzero(shade == value)
        pen = QPen(speed_color((value + 0.5) / _SHADES * _TOP_SPEED_MPS, alpha), 2.2)
        # Faint round ends would show where two pieces overlap.
        pen.setCapStyle(Qt.PenCapStyle.RoundCap if alpha == 1.0 else Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLines([QLineF(*pixels[index].tolist(), *pixels[index + 1].tolist()) for index in where])
