"""A notice across a page: something ended, something waits for a decision."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout

from tmstudio.app.theme import mono_font
from tmstudio.app.widgets.inputs import button
from tmstudio.app.widgets.text import muted, set_role, value


class Banner(QFrame):
    """A title, an explanation, the last lines of a log, and up to two actions. Hidden until it has to say something."""

    def __init__(self) -> None:
        super().__init__()
        self._title = value()
        self._text = muted(wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._lines = QPlainTextEdit()
        self._lines.setReadOnly(True)
        self._lines.setFont(mono_font())
        self._lines.setFixedHeight(92)
        self._actions = QHBoxLayout()
        self._actions.setSpacing(8)
        self._buttons: list[QPushButton] = []
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self._title)
        words.addWidget(self._text)
        words.addWidget(self._lines)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 14, 10)
        row.setSpacing(16)
        row.addLayout(words, 1)
        row.addLayout(self._actions)
        self.setVisible(False)

    def say(
        self,
        title: str,
        text: str = "",
        *,
        color: str = "amber",
        lines: str = "",
        actions: list[tuple[str, Callable[[], object]]] | None = None,
    ) -> None:
        """Show a notice.

        Args:
            title: what happened, in a few words.
            text: the cause and what to do.
            color: "red", "amber" or "blue".
            lines: last lines of a log.
            actions: buttons as (verb, function), the suggested one first.
        """
        set_role(self, f"banner-{color}")
        set_role(self._title, color)
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self._lines.setPlainText(lines)
        self._lines.setVisible(bool(lines))
        if lines:
            bar = self._lines.verticalScrollBar()
            bar.setValue(bar.maximum())
        for old in self._buttons:
            self._actions.removeWidget(old)
            old.deleteLater()
        self._buttons = [
            button(verb, action, kind="primary" if first == 0 else "")
            for first, (verb, action) in enumerate(actions or [])
        ]
        for made in self._buttons:
            self._actions.addWidget(made, 0, Qt.AlignmentFlag.AlignTop)
        self.setAccessibleName(f"{title}. {text}")
        self.setVisible(True)

    def clear(self) -> None:
        """Hide it."""
        self.setVisible(False)

    def title(self) -> str:
        """What it says, empty while hidden."""
        return self._title.text() if not self.isHidden() else ""

    def text(self) -> str:
        """The explanation below the title."""
        return self._text.text()

    def lines(self) -> str:
        """The log lines it shows."""
        return self._lines.toPlainText()
