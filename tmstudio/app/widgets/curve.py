"""A chart of one quantity over training time: raw values faint behind a running mean, and reference lines.

It follows the newest data until the user zooms (wheel, or a drag across a span); a double click follows again.
The pointer shows the exact values of the nearest point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from tmstudio.app import formatting
from tmstudio.app.series import Floats, Series
from tmstudio.app.theme import Tokens, font, theme, tokens
from tmstudio.app.widgets.axes import axis_texts, polygon, round_steps, time_steps

_TOP, _BOTTOM, _RIGHT = 6, 18, 2
_MIN_SPAN_S = 5.0
_FAINT = 0.34
_LABEL_HEIGHT = 13
_ROOM_FOR_LINES = 90


@dataclass(frozen=True)
class Reference:
    """A horizontal line that means something."""

    value: float
    text: str
    color: str = "muted"


@dataclass
class Line:
    """One curve of a chart.

    Attributes:
        series: its points.
        color: token of its colour.
        smooth: whether the running mean stands in front of the raw values.
        dots: whether every point is marked, for sparse measurements.
        faint: whether it stands back behind another curve, and is not read by the pointer.
        name: what it is, where several are compared.
        point_text: writes the details of a point by its index; value and time if None.
    """

    series: Series
    color: str
    smooth: bool = True
    dots: bool = False
    faint: bool = False
    name: str = ""
    point_text: Callable[[int], str] | None = None


@dataclass
class _View:
    """What is visible: data ranges, and where they are in pixels."""

    x: tuple[float, float] = (0.0, 60.0)
    y: tuple[float, float] = (0.0, 1.0)
    frame: QRectF = field(default_factory=QRectF)

    def px(self, x: Floats | float) -> Floats:
        return self.frame.left() + (np.asarray(x) - self.x[0]) / (self.x[1] - self.x[0]) * self.frame.width()

    def py(self, y: Floats | float) -> Floats:
        return (
            self.frame.bottom() - (np.asarray(y) - self.y[0]) / (self.y[1] - self.y[0]) * self.frame.height()
        )


class Curve(QWidget):
    """A chart of one or more `Line`.

    Args:
        lines: the curves; the pointer reads the one that is nearest to it.
        value_text: writes a value with its unit.
        empty_text: what will be here, shown while there are no points.
        y_range: fixed range of the values; None fits what is visible.
        axis_unit: unit of the values beside the grid; ``%`` writes shares of one as percent.
    """

    def __init__(
        self,
        lines: list[Line],
        value_text: Callable[[float], str] = formatting.compact,
        *,
        empty_text: str = "Nothing measured yet",
        y_range: tuple[float, float] | None = None,
        axis_unit: str = "",
    ) -> None:
        super().__init__()
        self.lines = lines
        self.references: list[Reference] = []
        self._value_text = value_text
        self._axis_unit = axis_unit
        self.empty_text = empty_text
        self._fixed_y = y_range
        self._zoom: tuple[float, float] | None = None
        self._view = _View()
        self._grid: list[tuple[float, str]] = []
        self._picture: QPixmap | None = None
        self._pointer: QPointF | None = None
        self._drag_from: float | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme().changed.connect(self.refresh)

    def refresh(self) -> None:
        """Draw again, after points were added or references changed."""
        self._picture = None
        self.update()

    def follow(self) -> None:
        """Show everything up to the newest point again."""
        self._zoom = None
        self.refresh()

    def zoom_to(self, low_x: float, high_x: float) -> None:
        """Show the span from ``low_x`` to ``high_x`` and stop following."""
        middle, half = (low_x + high_x) / 2, max(high_x - low_x, _MIN_SPAN_S) / 2
        self._zoom = (middle - half, middle + half)
        self.refresh()

    def is_following(self) -> bool:
        """Whether the newest data is in view."""
        return self._zoom is None

    def sizeHint(self) -> QSize:
        return QSize(240, 120)

    def minimumSizeHint(self) -> QSize:
        return QSize(90, 48)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._picture = None

    # What is drawn

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None or self._picture.devicePixelRatio() != self.devicePixelRatioF():
            self._picture = self._draw()
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._picture)
            if self._drag_from is not None and self._pointer is not None:
                left, right = sorted((self._drag_from, self._pointer.x()))
                painter.fillRect(
                    QRectF(left, self._view.frame.top(), right - left, self._view.frame.height()),
                    tokens().color("blue", 0.15),
                )
            elif self._pointer is not None:
                self._paint_reading(painter, self._pointer)

    def _draw(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap((QSize(max(self.width(), 1), max(self.height(), 1)).toSizeF() * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        colors = tokens()
        with QPainter(picture) as painter:
            painter.setFont(font(10))
            if not any(len(line.series) for line in self.lines):
                self._paint_empty(painter, colors)
                return picture
            self._fit(painter.fontMetrics())
            self._paint_grid(painter, colors)
            painter.setClipRect(self._view.frame.adjusted(0, -3, 2, 3))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for line in reversed(self.lines):
                self._paint_line(painter, colors, line)
            painter.setClipping(False)
            self._paint_references(painter, colors)
            self._paint_legend(painter, colors)
            if self._zoom is not None:
                painter.setPen(colors.color("blue"))
                painter.drawText(
                    self._view.frame.adjusted(4, 2, 0, 0),
                    Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop,
                    "zoomed · double-click to follow",
                )
        return picture

    def _paint_empty(self, painter: QPainter, colors: Tokens) -> None:
        painter.setFont(font(12))
        painter.setPen(colors.color("line"))
        frame = QRectF(self.rect()).adjusted(0, _TOP, 0, -_BOTTOM)
        for row in range(4) if frame.height() > _ROOM_FOR_LINES else ():
            y = round(frame.top() + row * frame.height() / 3) + 0.5
            painter.drawLine(QPointF(frame.left(), y), QPointF(frame.right(), y))
        painter.setPen(colors.color("muted"))
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.empty_text)

    def _fit(self, metrics: QFontMetrics) -> None:
        """Choose the visible ranges, and the frame that leaves room for the numbers on the left."""
        newest = max(float(line.series.x[-1]) for line in self.lines if len(line.series))
        low_x, high_x = self._zoom or (0.0, max(newest, _MIN_SPAN_S))
        low_y, high_y = self._fixed_y or self._visible_range(low_x, high_x)
        height = max(self.height() - _TOP - _BOTTOM, 10)
        steps = round_steps(low_y, high_y, max(2, int(height / 42)))
        texts = axis_texts(steps, self._axis_unit)
        left = max([metrics.horizontalAdvance(text) for text in texts], default=0) + 7
        frame = QRectF(left, _TOP, max(self.width() - left - _RIGHT, 10), height)
        self._view = _View((low_x, high_x), (low_y, high_y), frame)
        self._grid = list(zip(steps.tolist(), texts, strict=True))

    def _visible_range(self, low_x: float, high_x: float) -> tuple[float, float]:
        parts = []
        for line in self.lines:
            if len(line.series):
                _, smooth = line.series.thinned(low_x, high_x, 200, mean=line.smooth)
                _, raw = line.series.thinned(low_x, high_x, 200, mean=False)
                # A few wild raw values may leave the chart; the running mean never does.
                parts += [smooth, np.percentile(raw, [2, 98] if len(raw) > 20 else [0, 100])]
        values = np.concatenate(parts)
        low, high = float(values.min()), float(values.max())
        span = max(high - low, abs(high) * 0.02, 1e-9)
        near = [mark.value for mark in self.references if low - 0.6 * span <= mark.value <= high + 0.6 * span]
        low, high = min([low, *near]), max([high, *near])
        margin = 0.06 * max(high - low, span)
        return low - margin, high + margin

    def _paint_grid(self, painter: QPainter, colors: Tokens) -> None:
        view = self._view
        frame = view.frame
        last_label = math.inf
        for y, text in self._grid:
            row = round(float(view.py(y))) + 0.5
            painter.setPen(colors.color("line", 0.7))
            painter.drawLine(QPointF(frame.left(), row), QPointF(frame.right(), row))
            if last_label - row < _LABEL_HEIGHT:
                continue
            last_label = row
            painter.setPen(colors.color("muted"))
            painter.drawText(
                QRectF(0, row - 8, frame.left() - 6, 16),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                text,
            )
        painter.setPen(colors.color("muted"))
        for seconds, text in time_steps(*view.x, max(1, int(frame.width() / 62))):
            column = float(view.px(seconds))
            width = painter.fontMetrics().horizontalAdvance(text)
            left = min(max(column - width / 2, frame.left()), frame.right() - width)
            painter.drawText(
                QRectF(left, frame.bottom() + 3, width + 2, 14), Qt.AlignmentFlag.AlignLeft, text
            )

    def _paint_line(self, painter: QPainter, colors: Tokens, line: Line) -> None:
        if not len(line.series):
            return
        view = self._view
        columns = max(int(view.frame.width()), 1)
        if line.smooth:
            self._stroke(
                painter,
                line.series.thinned(*view.x, columns, mean=False),
                QPen(colors.color(line.color, _FAINT)),
            )
        x, y = line.series.thinned(*view.x, columns, mean=line.smooth)
        self._stroke(painter, (x, y), QPen(colors.color(line.color, _FAINT if line.faint else 1.0)))
        if line.dots and len(x) < columns / 6:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colors.color(line.color))
            raw_x, raw_y = line.series.thinned(*view.x, columns, mean=False)
            for left, top in zip(view.px(raw_x), view.py(raw_y), strict=True):
                painter.drawEllipse(QPointF(left, top), 2.2, 2.2)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _stroke(self, painter: QPainter, points: tuple[Floats, Floats], pen: QPen) -> None:
        # One pixel: a wider antialiased line is ten times slower.
        pen.setWidthF(1.0)
        painter.setPen(pen)
        painter.drawPolyline(polygon(self._view.px(points[0]), self._view.py(points[1])))

    def _paint_references(self, painter: QPainter, colors: Tokens) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        frame = self._view.frame
        taken: list[float] = []
        for mark in sorted(self.references, key=lambda mark: -mark.value):
            if not self._view.y[0] <= mark.value <= self._view.y[1]:
                continue
            row = round(float(self._view.py(mark.value))) + 0.5
            pen = QPen(colors.color(mark.color), 1)
            pen.setDashPattern([5, 4])
            painter.setPen(pen)
            painter.drawLine(QPointF(frame.left(), row), QPointF(frame.right(), row))
            above = row - 15 if row - 15 >= frame.top() else row + 1
            if all(abs(above - other) >= 13 for other in taken):
                taken.append(above)
                width = painter.fontMetrics().horizontalAdvance(mark.text) + 6
                spot = QRectF(frame.right() - width, above, width, 14)
                painter.fillRect(spot, colors.color("panel", 0.8))
                painter.drawText(spot.adjusted(3, 0, -3, 0), Qt.AlignmentFlag.AlignRight, mark.text)

    def _paint_legend(self, painter: QPainter, colors: Tokens) -> None:
        """Name the curves where several stand in their own right."""
        named = [line for line in self.lines if line.name and not line.faint and len(line.series)]
        if len(named) < 2:
            return
        frame, right = self._view.frame, self._view.frame.right()
        for line in reversed(named):
            width = painter.fontMetrics().horizontalAdvance(line.name) + 4
            painter.setPen(colors.color(line.color))
            painter.drawText(
                QRectF(right - width, frame.bottom() - 17, width, 14), Qt.AlignmentFlag.AlignLeft, line.name
            )
            right -= width + 8

    def _paint_reading(self, painter: QPainter, pointer: QPointF) -> None:
        colors, view = tokens(), self._view
        found = self._point_near(pointer)
        if found is None:
            return
        line, index, spot = found
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colors.color("muted", 0.5), 1))
        painter.drawLine(QPointF(spot.x(), view.frame.top()), QPointF(spot.x(), view.frame.bottom()))
        painter.setPen(QPen(colors.color("panel"), 1.5))
        painter.setBrush(colors.color(line.color))
        painter.drawEllipse(
            QPointF(spot.x(), min(max(spot.y(), view.frame.top()), view.frame.bottom())), 4, 4
        )
        painter.setFont(font(11, 500))
        text = self.reading(line, index)
        size = painter.fontMetrics().size(0, text) + QSize(16, 10)
        left = spot.x() + 10 if spot.x() + 10 + size.width() < self.width() else spot.x() - 10 - size.width()
        box = QRectF(max(left, 0), max(view.frame.top(), 0), size.width(), size.height())
        painter.setPen(QPen(colors.color("line"), 1))
        painter.setBrush(colors.color("raised", 0.96))
        painter.drawRoundedRect(box, 6, 6)
        painter.setPen(colors.color("text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _point_near(self, pointer: QPointF) -> tuple[Line, int, QPointF] | None:
        """The point of the curve nearest to the pointer: curve, index and pixel; None where no curve is visible."""
        view, best = self._view, None
        seconds = self._time_at(pointer.x())
        for line in self.lines:
            if line.faint or not len(line.series):
                continue
            index = line.series.nearest(seconds)
            spot = QPointF(
                float(view.px(float(line.series.x[index]))), float(view.py(float(line.series.y[index])))
            )
            if not view.frame.left() - 1 <= spot.x() <= view.frame.right() + 1:
                continue
            distance = abs(spot.x() - pointer.x()) + abs(spot.y() - pointer.y())
            if best is None or distance < best[0]:
                best = (distance, line, index, spot)
        return None if best is None else best[1:]

    def reading(self, line: Line, index: int) -> str:
        """What the pointer shows at a point of a curve."""
        if line.point_text is not None:
            return line.point_text(index)
        time_s, number = float(line.series.x[index]), float(line.series.y[index])
        text = f"{formatting.clock(time_s)} · {self._value_text(number)}"
        if line.name:
            text = f"{line.name}\n{text}"
        return f"{text}\nmean {self._value_text(float(line.series.mean[index]))}" if line.smooth else text

    # What the user does

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self._drag_from = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._view.frame.contains(event.position()):
            self._drag_from = event.position().x()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        start, self._drag_from = self._drag_from, None
        if start is not None and abs(event.position().x() - start) > 6:
            low, high = sorted((self._time_at(start), self._time_at(event.position().x())))
            self.zoom_to(low, high)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._drag_from = None
        self.follow()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not any(len(line.series) for line in self.lines):
            event.ignore()
            return
        factor = 0.8 ** (event.angleDelta().y() / 120)
        middle = self._time_at(event.position().x())
        low, high = self._view.x
        self.zoom_to(middle - (middle - low) * factor, middle + (high - middle) * factor)

    def _time_at(self, pixel: float) -> float:
        low, high = self._view.x
        return low + (pixel - self._view.frame.left()) / max(self._view.frame.width(), 1) * (high - low)
