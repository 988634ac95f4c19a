"""A track of the library as a card: its road from above, its name, and the facts that tell it from the others."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from tmstudio.app import formatting
from tmstudio.app.theme import font
from tmstudio.app.widgets.text import ElidedLabel, muted, set_role
from tmstudio.app.widgets.track_view import TrackView
from tmstudio.track.library import TrackEntry

HEIGHT = 176


class TrackCard(QFrame):
    """One track; a click, Enter or Space chooses it.

    Args:
        entry: the track.
    """

    chosen = Signal(str)

    def __init__(self, entry: TrackEntry) -> None:
        super().__init__()
        self.entry = entry
        self.setProperty("role", "panel")
        self.setFixedHeight(HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        view = TrackView()
        view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.empty_text = "Its file cannot be used."
        view.show_track(entry.track)
        name = ElidedLabel(entry.name)
        name.setFont(font(13, 600))
        facts = muted(_facts(entry), pixels=12)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(name, 1)
        row.addWidget(facts)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 12, 10)
        column.setSpacing(4)
        column.addWidget(view, 1)
        column.addLayout(row)
        self.setAccessibleName(f"{entry.name}, {_facts(entry)}")

    def show_chosen(self, chosen: bool) -> None:
        """Mark it as the one whose details are shown, or not."""
        set_role(self, "panel-active" if chosen else "panel")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self.entry.name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(self.entry.name)
        else:
            super().keyPressEvent(event)


def _facts(entry: TrackEntry) -> str:
    if entry.track is None:
        return "damaged"
    return f"{formatting.metres(entry.track.length_m)} · {formatting.metres(entry.track.width_m)} wide"
