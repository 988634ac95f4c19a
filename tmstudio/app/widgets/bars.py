"""Bars: inputs and engine, replay fill, reward terms."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from tmstudio.app.theme import font, tokens
from tmstudio.app.widgets.text import label, set_text

_FROZEN = 0.35


class Bar(QWidget):
    """A horizontal bar from the left, or from the middle where values have a sign."""

    def __init__(self, color: str, *, signed: bool = False, height: int = 7) -> None:
        super().__init__()
        self._color = color
        self._signed = signed
        self._height = height
        self._share = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_share(self, share: float, color: str = "") -> None:
        """Fill to ``share``: 0 to 1, or -1 to 1 where signed. Values beyond are cut; NaN is empty."""
        low = -1.0 if self._signed else 0.0
        share = min(max(share, low), 1.0) if math.isfinite(share) else 0.0
        if abs(share - self._share) < 1e-4 and color in ("", self._color):
            return
        self._share = share
        self._color = color or self._color
        self.update()

    def share(self) -> float:
        """How far it is filled."""
        return self._share

    def sizeHint(self) -> QSize:
        return QSize(120, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(30, self._height)

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = tokens()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            radius = self.height() / 2
            painter.setBrush(colors.color("raised"))
            painter.drawRoundedRect(QRectF(self.rect()), radius, radius)
            if self._share == 0:
                return
            painter.setBrush(colors.color(self._color, 1.0 if self.isEnabled() else _FROZEN))
            width = float(self.width())
            if self._signed:
                half = width / 2
                left, length = half + min(0.0, self._share) * half, abs(self._share) * half
            else:
                left, length = 0.0, self._share * width
            length = max(length, self.height())
            if self._signed and self._share < 0:
                left = min(left, width / 2 - length)
            painter.drawRoundedRect(QRectF(left, 0, length, self.height()), radius, radius)


class Meter(QWidget):
    """A name, a value and a bar below both."""

    def __init__(self, name: str, color: str, *, signed: bool = False) -> None:
        super().__init__()
        self.value = QLabel()
        self.value.setFont(font(12, 600))
        self.bar = Bar(color, signed=signed)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(label(name))
        head.addStretch(1)
        head.addWidget(self.value)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addStretch(1)
        self.setAccessibleName(name)

    def set_value(self, text: str) -> None:
        """Show the number."""
        set_text(self.value, text)
        self.setAccessibleDescription(text)
