"""Texts: labels, headings, values, and texts that are cut with an ellipsis where the room ends."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from tmstudio.app.theme import font, label_font


def set_role(widget: QWidget, role: str) -> None:
    """Give ``widget`` another role in the style sheet, and repaint it if that changed anything."""
    if widget.property("role") == role:
        return
    widget.setProperty("role", role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def set_text(label: QLabel, text: str) -> None:
    """Set the text only where it differs: an equal text would still cause a new layout."""
    if label.text() != text:
        label.setText(text)


def label(text: str) -> QLabel:
    """A small spaced label above or before a value: give it in normal case."""
    made = QLabel(text.upper())
    made.setFont(label_font())
    made.setProperty("role", "label")
    return made


def heading(text: str) -> QLabel:
    """The title of a page, a step or a dialog."""
    made = QLabel(text)
    made.setFont(font(15, 600))
    return made


def muted(text: str = "", *, pixels: int = 13, wrap: bool = False) -> QLabel:
    """Secondary text."""
    made = QLabel(text)
    made.setFont(font(pixels))
    made.setProperty("role", "muted")
    made.setWordWrap(wrap)
    if wrap:
        made.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    return made


def fault_text() -> QLabel:
    """What is wrong with what a person typed or chose, empty at first."""
    made = QLabel()
    made.setFont(font(12, 500))
    made.setProperty("role", "red")
    made.setWordWrap(True)
    return made


def value(text: str = "", *, pixels: int = 13) -> QLabel:
    """A number or name that the eye looks for."""
    made = QLabel(text)
    made.setFont(font(pixels, 600))
    return made


class ElidedLabel(QLabel):
    """A line of text that ends in an ellipsis where the room ends, with the whole text as its tooltip."""

    def __init__(self, text: str = "", *, middle: bool = False) -> None:
        super().__init__()
        self._full = ""
        self._mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_full_text(text)

    def set_full_text(self, text: str) -> None:
        """Set the whole text."""
        if text == self._full:
            return
        self._full = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def full_text(self) -> str:
        """The whole text, however much of it is visible."""
        return self._full

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self._full) + 2, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(24, QFontMetrics(self.font()).height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        shown = QFontMetrics(self.font()).elidedText(self._full, self._mode, self.width())
        self.setText(shown)
        self.setToolTip(self._full if shown != self._full else "")
