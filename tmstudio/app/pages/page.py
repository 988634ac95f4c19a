"""What all pages have: a header with title, chips and buttons, and a body below it."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tmstudio.app.theme import font
from tmstudio.app.widgets.text import ElidedLabel

HEADER_HEIGHT = 56
MARGIN = 14


class Page(QWidget):
    """A page of the main window."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "ground")
        self.title = ElidedLabel(title)
        self.title.setFont(font(15, 600))
        self.chips = QHBoxLayout()
        self.chips.setSpacing(8)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)
        header = QWidget()
        header.setProperty("role", "header")
        header.setFixedHeight(HEADER_HEIGHT)
        head = QHBoxLayout(header)
        head.setContentsMargins(18, 0, MARGIN, 0)
        head.setSpacing(10)
        head.addWidget(self.title)
        head.addLayout(self.chips)
        head.addStretch(1)
        head.addLayout(self.buttons)
        self.body = QVBoxLayout()
        self.body.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        self.body.setSpacing(12)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(header)
        whole.addLayout(self.body, 1)

    def arrive(self) -> None:
        """The page is shown now."""

    def leave(self) -> None:
        """Another page is shown now."""
