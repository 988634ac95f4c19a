"""What the workers say, newest at the bottom. It follows the end until the user scrolls up."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from tmstudio.app.theme import mono_font

_MOST_LINES = 2000


class LogPane(QPlainTextEdit):
    """A read-only text that forgets its oldest lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setMaximumBlockCount(_MOST_LINES)
        self.setFont(mono_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText("Events and messages of the learner and the driver appear here.")
        self.setAccessibleName("Log")

    def add_lines(self, lines: Iterable[str]) -> None:
        """Add lines at the end."""
        text = "\n".join(line.rstrip() for line in lines)
        if not text:
            return
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 4
        self.appendPlainText(text)
        if at_end:
            bar.setValue(bar.maximum())
            self.horizontalScrollBar().setValue(0)
