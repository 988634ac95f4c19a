"""A small curve without axes, for a table's cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from tmstudio.app.theme import tokens
from tmstudio.app.widgets.axes import polygon


def paint_sparkline(painter: QPainter, area: QRectF, values: Sequence[float], color: str) -> None:
    """Paint ``values`` evenly from left to right over three faint lines; one value is a dot."""
    colors = tokens()
    painter.save()
    painter.setPen(QPen(colors.color("line", 0.6), 1))
    for row in (0.0, 0.5, 1.0):
        y = round(area.top() + row * area.height()) + 0.5
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
    finite = np.array([value for value in values if np.isfinite(value)])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if len(finite):
        span = float(np.ptp(finite)) or 1.0
        rows = area.bottom() - 2 - (finite - finite.min()) / span * (area.height() - 4)
        if len(finite) == 1:
            painter.setPen(QPen(colors.color(color), 1))
            painter.setBrush(colors.color(color))
            painter.drawEllipse(QPointF(area.left() + 2, area.center().y()), 2, 2)
        else:
            painter.setPen(QPen(colors.color(color), 1.2))
            painter.drawPolyline(polygon(np.linspace(area.left(), area.right(), len(finite)), rows))
    painter.restore()
