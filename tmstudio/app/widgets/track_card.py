"""A track of the library as a card: its road from above, its name, and the facts that tell it from the others."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from tmstudio.app import formatting
from tmstudio.app.theme import font
from tmstudio.app.track_list import TrackLine
from tmstudio.app.widgets.text import ElidedLabel, muted, set_role
from tmstudio.app.widgets.track_view import TrackView

HEIGHT = 176


class TrackCard(QFrame):
    """One track; a click, Enter or Space chooses it.

    Args:
        line: the track.
    """

    chosen = Signal(str)

    def __init__(self, line: TrackLine) -> None:
        super().__init__()
        self.line = line
        self.setProperty("role", "panel")
        self.setFixedHeight(HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        view = TrackView()
        view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.empty_text = "Its file cannot be used."
        view.show_track(line.track)
        name = ElidedLabel(line.name)
        name.setFont(font(13, 600))
        facts = muted(_facts(line), pixels=12)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(name, 1)
        row.addWidget(facts)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 12, 10)
        column.setSpacing(4)
        column.addWidget(view, 1)
        column.addLayout(row)
        self.setAccessibleName(f"{line.name}, {_facts(line)}")

    def show_chosen(self, chosen: bool) -> None:
        """Mark it as the one whose details are shown, or not."""
        set_role(self, "panel-active" if chosen else "panel")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self.line.name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(self.line.name)
        else:
            super().keyPressEvent(event)


def _facts(line: TrackLine) -> str:
    if line.track is None:
        return "damaged"
    return f"{formatting.metres(line.track.length_m)} · {formatting.metres(line.track.width_m)} wide"
