"""A chart of one quantity over training time: raw values faint behind a running mean, and reference lines.

It follows the newest data until the user zooms (wheel, or a drag across a span); a double click follows again.
The pointer shows the exact values of the nearest point.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tmstudio.app import formatting
from tmstudio.app.theme import font, theme, tokens
from tmstudio.app.widgets.chart import MIN_SPAN_S, Line, Reference, View, fit, paint_chart, paint_empty


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
        self._view = View()
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
        middle, half = (low_x + high_x) / 2, max(high_x - low_x, MIN_SPAN_S) / 2
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
                paint_empty(painter, colors, self.size(), self.empty_text)
                return picture
            self._view = fit(
                self.lines,
                self.references,
                self.size(),
                painter.fontMetrics(),
                span=self._zoom,
                y_range=self._fixed_y,
                unit=self._axis_unit,
            )
            paint_chart(painter, colors, self._view, self.lines, self.references)
            if self._zoom is not None:
                painter.setPen(colors.color("blue"))
                painter.drawText(
                    self._view.frame.adjusted(4, 2, 0, 0),
                    Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop,
                    "zoomed · double-click to follow",
                )
        return picture

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
        seconds = self._view.time_at(pointer.x())
        for line in self.lines:
            if line.faint or not len(line.series):
                continue
            index = line.series.nearest(seconds)
            spot = view.spot(line, index)
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
            low, high = sorted((self._view.time_at(start), self._view.time_at(event.position().x())))
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
        middle = self._view.time_at(event.position().x())
        low, high = self._view.x
        self.zoom_to(middle - (middle - low) * factor, middle + (high - middle) * factor)
