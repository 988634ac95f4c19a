"""Settings: the look, and where things are kept."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from tmstudio import __version__
from tmstudio.app.pages.page import Page
from tmstudio.app.studio import Studio
from tmstudio.app.theme import ThemeMode, mono_font, theme
from tmstudio.app.widgets.inputs import Choice, button
from tmstudio.app.widgets.panel import Panel, Rule
from tmstudio.app.widgets.text import ElidedLabel, muted, value
from tmstudio.config import folders

_THEMES = (
    (ThemeMode.SYSTEM, "As the desktop"),
    (ThemeMode.DARK, "Dark"),
    (ThemeMode.LIGHT, "Light"),
)
_WIDTH = 720


class SettingsPage(Page):
    """The page of settings."""

    def __init__(self, studio: Studio) -> None:
        super().__init__("Settings")
        self._studio = studio
        look = Panel("Look")
        row = QHBoxLayout()
        row.addWidget(value("Theme"))
        row.addStretch(1)
        self.theme_choice = Choice()
        self.theme_choice.setFixedWidth(180)
        for mode, text in _THEMES:
            self.theme_choice.addItem(text, mode)
        self.theme_choice.activated.connect(self._choose)
        row.addWidget(self.theme_choice)
        look.body.addLayout(row)
        kept = Panel("Folders")
        places = [
            ("Runs", "One folder for each run: settings, curves, saved policies", folders.runs()),
            ("Tracks", "Your own tracks", folders.tracks()),
            ("Logs", "What the studio itself writes down", folders.logs()),
        ]
        for position, (name, text, path) in enumerate(places):
            if position:
                kept.body.addWidget(Rule())
            kept.body.addLayout(self._folder_row(name, text, path))
        kept.body.addWidget(
            muted("All of them move where the environment variable TMSTUDIO_HOME says.", pixels=12, wrap=True)
        )
        column = QVBoxLayout()
        column.setSpacing(12)
        for panel in (look, kept):
            panel.setMaximumWidth(_WIDTH)
            column.addWidget(panel)
        column.addWidget(muted(f"TMStudio {__version__}", pixels=12))
        column.addStretch(1)
        self.body.addLayout(column)
        theme().changed.connect(self._show_mode)
        self._show_mode()

    def _folder_row(self, name: str, text: str, path: Path) -> QHBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(2)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(value(name))
        head.addWidget(muted(text, pixels=12))
        head.addStretch(1)
        place = ElidedLabel(str(path), middle=True)
        place.setFont(mono_font())
        place.setProperty("role", "muted")
        words.addLayout(head)
        words.addWidget(place)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addLayout(words, 1)
        row.addWidget(button("Open", lambda: _open(path)))
        return row

    def _choose(self) -> None:
        self._studio.set_theme(ThemeMode(self.theme_choice.currentData()))

    def _show_mode(self) -> None:
        self.theme_choice.setCurrentIndex([mode for mode, _ in _THEMES].index(theme().mode))


def _open(path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
