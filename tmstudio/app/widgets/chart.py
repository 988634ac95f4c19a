"""How a chart looks: what is visible, and the strokes for grid, curves, reference lines and names."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen

from tmstudio.app.series import Floats, Series
from tmstudio.app.theme import Tokens, font
from tmstudio.app.widgets.axes import axis_texts, polygon, round_steps, time_steps

_TOP, _BOTTOM, _RIGHT = 6, 18, 2
MIN_SPAN_S = 5.0
"""No less time than this is ever in view."""

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


@dataclass(frozen=True)
class View:
    """What is visible: ranges of time and value, where they are in pixels, and the values of the grid."""

    x: tuple[float, float] = (0.0, 60.0)
    y: tuple[float, float] = (0.0, 1.0)
    frame: QRectF = field(default_factory=QRectF)
    grid: tuple[tuple[float, str], ...] = ()

    def px(self, x: Floats | float) -> Floats:
        """Columns of times."""
        return self.frame.left() + (np.asarray(x) - self.x[0]) / (self.x[1] - self.x[0]) * self.frame.width()

    def py(self, y: Floats | float) -> Floats:
        """Rows of values."""
        share = (np.asarray(y) - self.y[0]) / (self.y[1] - self.y[0])
        return self.frame.bottom() - share * self.frame.height()

    def time_at(self, column: float) -> float:
        """The time at a column."""
        low, high = self.x
        return low + (column - self.frame.left()) / max(self.frame.width(), 1.0) * (high - low)

    def spot(self, line: Line, index: int) -> QPointF:
        """Where a point of a curve is."""
        x, y = float(line.series.x[index]), float(line.series.y[index])
        return QPointF(float(self.px(x)), float(self.py(y)))


def fit(
    lines: Sequence[Line],
    references: Sequence[Reference],
    size: QSize,
    metrics: QFontMetrics,
    *,
    span: tuple[float, float] | None,
    y_range: tuple[float, float] | None,
    unit: str,
) -> View:
    """Choose what is visible, and leave room for the numbers on the left.

    Args:
        lines: the curves; one at least has a point.
        references: the reference lines; those near the curves are brought into view.
        size: the chart in pixels.
        metrics: of the font of the numbers.
        span: the visible time; all of it if None.
        y_range: the visible values; what is in the span if None.
        unit: unit of the numbers.
    """
    newest = max(float(line.series.x[-1]) for line in lines if len(line.series))
    x = span or (0.0, max(newest, MIN_SPAN_S))
    y = y_range or _visible_range(lines, references, x)
    height = max(size.height() - _TOP - _BOTTOM, 10)
    steps = round_steps(*y, max(2, int(height / 34)))
    texts = axis_texts(steps, unit)
    left = max([metrics.horizontalAdvance(text) for text in texts], default=0) + 7
    frame = QRectF(left, _TOP, max(size.width() - left - _RIGHT, 10), height)
    return View(x, y, frame, tuple(zip(steps.tolist(), texts, strict=True)))


def paint_chart(
    painter: QPainter, colors: Tokens, view: View, lines: Sequence[Line], references: Sequence[Reference]
) -> None:
    """Paint all of a chart but what the pointer adds."""
    _paint_grid(painter, colors, view)
    painter.setClipRect(view.frame.adjusted(0, -3, 2, 3))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for line in reversed(lines):
        if len(line.series):
            _paint_line(painter, colors, view, line)
    painter.setClipping(False)
    _paint_references(painter, colors, view, references)
    _paint_names(painter, colors, view, lines)


def paint_empty(painter: QPainter, colors: Tokens, size: QSize, text: str) -> None:
    """Paint a chart without points: faint lines where there is room, and what will be here."""
    painter.setFont(font(12))
    painter.setPen(colors.color("line"))
    frame = QRectF(0, _TOP, size.width(), max(size.height() - _TOP - _BOTTOM, 1))
    for row in range(4) if frame.height() > _ROOM_FOR_LINES else ():
        y = round(frame.top() + row * frame.height() / 3) + 0.5
        painter.drawLine(QPointF(frame.left(), y), QPointF(frame.right(), y))
    painter.setPen(colors.color("muted"))
    painter.drawText(frame, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)


def _visible_range(
    lines: Sequence[Line], references: Sequence[Reference], x: tuple[float, float]
) -> tuple[float, float]:
    parts = []
    for line in lines:
        if len(line.series):
            _, smooth = line.series.thinned(*x, 200, mean=line.smooth)
            _, raw = line.series.thinned(*x, 200, mean=False)
            # A few wild raw values may leave the chart; the running mean never does.
            parts += [smooth, np.percentile(raw, [2, 98] if len(raw) > 20 else [0, 100])]
    values = np.concatenate(parts)
    low, high = float(values.min()), float(values.max())
    span = max(high - low, abs(high) * 0.02, 1e-9)
    near = [mark.value for mark in references if low - 0.6 * span <= mark.value <= high + 0.6 * span]
    low, high = min([low, *near]), max([high, *near])
    margin = 0.06 * max(high - low, span)
    return low - margin, high + margin


def _paint_grid(painter: QPainter, colors: Tokens, view: View) -> None:
    frame = view.frame
    last_label = math.inf
    for y, text in view.grid:
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
        painter.drawText(QRectF(left, frame.bottom() + 3, width + 2, 14), Qt.AlignmentFlag.AlignLeft, text)


def _paint_line(painter: QPainter, colors: Tokens, view: View, line: Line) -> None:
    columns = max(int(view.frame.width()), 1)
    if line.smooth:
        raw = line.series.thinned(*view.x, columns, mean=False)
        # Dense values are upright strokes, which smoothing changes little and costs ten times as much.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(raw[0]) <= columns)
        _stroke(painter, view, raw, QPen(colors.color(line.color, _FAINT)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    x, y = line.series.thinned(*view.x, columns, mean=line.smooth)
    _stroke(painter, view, (x, y), QPen(colors.color(line.color, _FAINT if line.faint else 1.0)))
    if line.dots and len(x) < columns / 6:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colors.color(line.color))
        raw_x, raw_y = line.series.thinned(*view.x, columns, mean=False)
        for left, top in zip(view.px(raw_x), view.py(raw_y), strict=True):
            painter.drawEllipse(QPointF(left, top), 2.2, 2.2)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _stroke(painter: QPainter, view: View, points: tuple[Floats, Floats], pen: QPen) -> None:
    # One pixel: a wider antialiased line is ten times slower.
    pen.setWidthF(1.0)
    painter.setPen(pen)
    painter.drawPolyline(polygon(view.px(points[0]), view.py(points[1])))


def _paint_references(painter: QPainter, colors: Tokens, view: View, references: Sequence[Reference]) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    frame = view.frame
    taken: list[float] = []
    for mark in sorted(references, key=lambda mark: -mark.value):
        if not view.y[0] <= mark.value <= view.y[1]:
            continue
        row = round(float(view.py(mark.value))) + 0.5
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


def _paint_names(painter: QPainter, colors: Tokens, view: View, lines: Sequence[Line]) -> None:
    """Name the curves where several stand in their own right."""
    named = [line for line in lines if line.name and not line.faint and len(line.series)]
    if len(named) < 2:
        return
    frame, right = view.frame, view.frame.right()
    for line in reversed(named):
        width = painter.fontMetrics().horizontalAdvance(line.name) + 4
        spot = QRectF(right - width, frame.bottom() - 17, width, 14)
        painter.fillRect(spot.adjusted(-4, 0, 0, 0), colors.color("panel", 0.8))
        painter.setPen(colors.color(line.color))
        painter.drawText(spot, Qt.AlignmentFlag.AlignLeft, line.name)
        right -= width + 8
