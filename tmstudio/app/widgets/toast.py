"""A sentence at the foot of the window that goes away by itself."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from tmstudio.app.theme import font

_SHOWN_MS = 5000
_WIDEST = 620


class Toast(QFrame):
    """Lies over the window it belongs to, and takes no room in it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setProperty("role", "banner-blue")
        self._text = QLabel()
        self._text.setFont(font(13, 500))
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 16, 10)
        row.addWidget(self._text)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def say(self, text: str) -> None:
        """Show a sentence for some seconds."""
        self._text.setText(text)
        self._text.setMinimumWidth(min(self._text.fontMetrics().horizontalAdvance(text) + 4, _WIDEST))
        self.adjustSize()
        self.move((self._over.width() - self.width()) // 2, self._over.height() - self.height() - 24)
        self.raise_()
        self.show()
        self._timer.start()

    def text(self) -> str:
        """What it says, empty while hidden."""
        return self._text.text() if not self.isHidden() else ""
