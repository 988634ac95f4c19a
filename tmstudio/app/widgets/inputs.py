"""Buttons and input fields."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QComboBox, QPushButton, QSizePolicy

from tmstudio.app.theme import font, tokens


def button(text: str, on_click: Callable[[], object], *, kind: str = "") -> QPushButton:
    """A button. ``kind`` is empty, ``primary``, ``danger`` or ``link``."""
    made = QPushButton(text)
    made.setFont(font(13, 600 if kind == "primary" else 500))
    if kind:
        made.setProperty("kind", kind)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setAutoDefault(False)
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)  # a verb is never cut
    made.clicked.connect(lambda: on_click())
    return made


def switch(target: QPushButton, reason_off: str, hint: str = "") -> None:
    """Turn a button off with the reason as its tooltip, or on (empty reason) with a hint of what it does."""
    target.setEnabled(not reason_off)
    tooltip = reason_off or hint
    if target.toolTip() != tooltip:
        target.setToolTip(tooltip)
        target.setAccessibleDescription(tooltip)


class Choice(QComboBox):
    """A drop-down list that ignores the wheel unless it has the focus, so that scrolling a page changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.setFont(font(13))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(tokens().color("muted"), 1.5))
            x, y = self.width() - 15, self.height() / 2
            painter.drawPolyline(QPolygonF([QPointF(x - 4, y - 2), QPointF(x, y + 2), QPointF(x + 4, y - 2)]))
