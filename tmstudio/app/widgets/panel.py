"""Panels, rules and chips: the pieces that pages are laid out with."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from tmstudio.app.theme import font, label_font, tokens
from tmstudio.app.widgets.text import ElidedLabel

GAP = 12
"""Pixels between panels and around them."""


class Panel(QFrame):
    """A surface with a small title on the left, an aside on the right and a body below."""

    def __init__(self, title: str = "", *, margins: int = GAP) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(margins, 10, margins, margins)
        self.body.setSpacing(8)
        self.title = ElidedLabel(title.upper())
        self.title.setFont(label_font())
        self.title.setProperty("role", "label")
        self.aside = QLabel()
        self.aside.setFont(font(12))
        self.aside.setTextFormat(Qt.TextFormat.RichText)
        if title:
            self.setAccessibleName(title)
            head = QHBoxLayout()
            head.setSpacing(10)
            head.addWidget(self.title, 1)
            head.addWidget(self.aside)
            self.body.addLayout(head)


class Rule(QFrame):
    """A line one pixel high."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "rule")
        self.setFixedHeight(1)


class Chip(QWidget):
    """A short fact in a rounded outline, with a dot in front where its state has a colour.

    Args:
        text: the fact.
        color: token of the dot's colour; no dot where empty.
        whole: whether it is never shortened, however little room there is.
    """

    _PADDING = 10
    _DOT = 8

    def __init__(self, text: str = "", color: str = "", *, whole: bool = False) -> None:
        super().__init__()
        self._whole = whole
        self._text = text
        self._color = color
        self.setFont(font(12, 500 if color else 400))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)
        if not text:
            self.hide()  # an empty outline says nothing

    def show_text(self, text: str, color: str = "") -> None:
        """Change text and the token of the dot's colour; no dot where it is empty."""
        if (text, color) == (self._text, self._color):
            return
        self._text, self._color = text, color
        self.setFont(font(12, 500 if color else 400))
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The fact it shows."""
        return self._text

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance(self._text) + 2 * self._PADDING + 1
        return QSize(width + (self._DOT + 6 if self._color else 0), 24)

    def minimumSizeHint(self) -> QSize:
        whole = self.sizeHint().width()
        return QSize(whole if self._whole else min(60, whole), 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = tokens()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(colors.color(self._color or "line", 0.55 if self._color else 1.0))
            painter.setBrush(colors.color(self._color, 0.13) if self._color else Qt.BrushStyle.NoBrush)
            outline = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(outline, outline.height() / 2, outline.height() / 2)
            left = self._PADDING
            if self._color:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colors.color(self._color))
                painter.drawEllipse(QRectF(left, (self.height() - self._DOT) / 2, self._DOT, self._DOT))
                left += self._DOT + 6
            painter.setPen(colors.color(self._color or "muted"))
            room = self.width() - left - self._PADDING + 2
            shown = QFontMetrics(self.font()).elidedText(self._text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(
                QRectF(left, 0, room + 2, self.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                shown,
            )
            self.setToolTip(self._text if shown != self._text else "")


class FactTable(QWidget):
    """Rows of a name on the left and a value on the right, with a line below each."""

    def __init__(self, names: list[str], *, compact: bool = False) -> None:
        super().__init__()
        self.values: dict[str, ElidedLabel] = {}
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(3 if compact else 6)
        for position, name in enumerate(names):
            if position:
                rows.addWidget(Rule())
            row = QHBoxLayout()
            row.setSpacing(10)
            caption = QLabel(name)
            caption.setFont(font(12))
            caption.setProperty("role", "muted")
            shown = ElidedLabel()
            shown.setFont(font(12, 600))
            shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row.addWidget(caption)
            row.addWidget(shown, 1)
            rows.addLayout(row)
            self.values[name] = shown

    def set_value(self, name: str, text: str) -> None:
        """Show ``text`` in the row ``name``."""
        self.values[name].set_full_text(text)
