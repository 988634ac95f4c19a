"""The navigation on the left: pages above, settings and theme below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QPushButton, QVBoxLayout, QWidget

from tmstudio.app.theme import font, theme, tokens

WIDTH = 176


class Logo(QWidget):
    """The program's name."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(56)
        self.setAccessibleName("TMStudio")

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = tokens()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
            painter.setFont(font(17, 700))
            left = 12
            for text, color in (("TM", "text"), ("Studio", "accent")):
                painter.setPen(colors.color(color))
                width = painter.fontMetrics().horizontalAdvance(text)
                painter.drawText(
                    QRectF(left, 0, width + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, text
                )
                left += width


class NavButton(QPushButton):
    """One entry, with a bar at its left end while its page is shown, and a dot where something goes on there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setProperty("kind", "nav")
        self.setFont(font(13, 500))
        self.setCheckable(True)
        self.setFocusPolicy(
            Qt.FocusPolicy.TabFocus
        )  # a click shows its page by the mark, not by a focus frame
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._dot = ""

    def show_dot(self, color: str, meaning: str) -> None:
        """Show a dot of the colour of a token, with its meaning in words; none where it is empty."""
        if color != self._dot:
            self._dot = color
            self.update()
        self.setToolTip(meaning)
        self.setAccessibleDescription(meaning)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 20, 34)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        colors = tokens()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            if self.isChecked():
                painter.setBrush(colors.color("accent"))
                painter.drawRoundedRect(QRectF(0, 6, 3, self.height() - 12), 1.5, 1.5)
            if self._dot:
                painter.setBrush(colors.color(self._dot))
                painter.drawEllipse(QRectF(self.width() - 20, self.height() / 2 - 4, 8, 8))


class Nav(QWidget):
    """All entries.

    Args:
        pages: names of the pages, those after a None at the bottom.
        show_page: shows a page by name.
        toggle_theme: changes between dark and light.
    """

    def __init__(
        self, pages: list[str | None], show_page: Callable[[str], object], toggle_theme: Callable[[], object]
    ) -> None:
        super().__init__()
        self.setProperty("role", "nav")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        self.buttons: dict[str, NavButton] = {}
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 0, 10, 12)
        column.setSpacing(2)
        column.addWidget(Logo())
        for name in pages:
            if name is None:
                column.addStretch(1)
                continue
            made = NavButton(name)
            made.clicked.connect(lambda _checked, name=name: show_page(name))
            self._group.addButton(made)
            self.buttons[name] = made
            column.addWidget(made)
        self.theme_button = NavButton("")
        self.theme_button.setCheckable(False)
        self.theme_button.clicked.connect(lambda: toggle_theme())
        column.addWidget(self.theme_button)
        theme().changed.connect(self._name_theme)
        self._name_theme()

    def show_current(self, name: str) -> None:
        """Mark the page that is shown."""
        self.buttons[name].setChecked(True)

    def _name_theme(self) -> None:
        other = "Light theme" if tokens().name == "dark" else "Dark theme"
        self.theme_button.setText(other)
        self.theme_button.setToolTip(f"Change to the {other.lower()}")
