"""The log of the Live page: one line while closed, a pane while open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from tmstudio.app.theme import mono_font
from tmstudio.app.widgets.inputs import button
from tmstudio.app.widgets.log_pane import LogPane
from tmstudio.app.widgets.text import ElidedLabel, label

_OPEN_HEIGHT = 150


class LogCard(QFrame):
    """Events and messages of the workers.

    Args:
        open_now: whether the pane is open at first.
        on_toggle: told when the user opens or closes it.
    """

    def __init__(self, *, open_now: bool, on_toggle: Callable[[bool], object]) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._on_toggle = on_toggle
        self.last = ElidedLabel()
        self.last.setFont(mono_font())
        self.last.setProperty("role", "muted")
        self.toggle = button("", self._toggle, kind="link")
        self.pane = LogPane()
        self.pane.setFixedHeight(_OPEN_HEIGHT)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(label("Log"))
        head.addWidget(self.last, 1)
        head.addWidget(self.toggle)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.pane)
        self._show_open(open_now)

    def add_lines(self, lines: list[str]) -> None:
        """Add lines at the end."""
        self.pane.add_lines(lines)
        if lines:
            self.last.set_full_text(lines[-1])

    def clear(self) -> None:
        """Forget all lines."""
        self.pane.clear()
        self.last.set_full_text("nothing yet")

    def _toggle(self) -> None:
        open_now = self.pane.isHidden()
        self._show_open(open_now)
        self._on_toggle(open_now)

    def _show_open(self, open_now: bool) -> None:
        self.pane.setVisible(open_now)
        self.last.setVisible(not open_now)
        self.toggle.setText("Hide log" if open_now else "Show log")
