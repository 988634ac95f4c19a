"""Makes a track of files: what they hold is told, and the road they make is shown before anything is saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPixmap
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from tmstudio.app import formatting
from tmstudio.app.background import Newest
from tmstudio.app.dialogs.fields import FieldRow
from tmstudio.app.dialogs.form import FormDialog
from tmstudio.app.dialogs.name_track import fault_of_name
from tmstudio.app.theme import font
from tmstudio.app.widgets.inputs import button, switch
from tmstudio.app.widgets.panel import FactTable, Panel, Rule
from tmstudio.app.widgets.text import muted, value
from tmstudio.app.widgets.track_view import TrackView
from tmstudio.errors import TMStudioError
from tmstudio.track.geometry import Track
from tmstudio.track.importers.detect import look_into, make_track
from tmstudio.track.importers.found import Found
from tmstudio.track.library import TrackLibrary
from tmstudio.track.verdict import verdict

FILTER = "Tracks, laps, maps, ghosts and replays (*.npy *.npz *.gbx *.Gbx *.pkl);;All files (*)"
NARROWEST_M, WIDEST_M = 4.0, 60.0
_FACTS = ("length", "width", "drives in")


def dropped_files(event: QDragEnterEvent | QDropEvent) -> list[Path]:
    """The files that are dragged over a widget or dropped on it."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


class ImportDialog(FormDialog):
    """Files in, a track out.

    Args:
        library: whose names are taken.
        files: what to look into at once.
        take: gets the track that shall be saved.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        library: TrackLibrary,
        files: Sequence[Path],
        take: Callable[[Track], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Import a track", "Save track", self._finish, parent)
        self.setAcceptDrops(True)
        self.resize(1040, 660)
        self._library = library
        self._taken = {name.lower() for name in library.names()}
        self._take = take
        self.files: list[Path] = []
        self.found: Found | None = None
        """What the files hold, once it is known."""
        self.track: Track | None = None
        """What is made of them; None while nothing is."""
        self._newest = Newest(self)
        self.lay_out((self._build_files(), 1), (self._build_preview(), 1))
        if files:
            self.add_files(files)
        else:
            self._tell("Drop files here, or choose them.")

    def _build_files(self) -> Panel:
        panel = Panel("Files", margins=16)
        self._title = value(pixels=14)
        self._title.setWordWrap(True)
        self._files_text = muted(pixels=12, wrap=True)
        self._found_text = muted(pixels=12, wrap=True)
        self._found_text.setTextFormat(Qt.TextFormat.RichText)
        self._picture = QLabel()
        self._picture.setVisible(False)
        self._notes = muted(pixels=12, wrap=True)
        self._notes.setProperty("role", "amber")
        self._clear_button = button("Start over", self._start_over)
        choose = QHBoxLayout()
        choose.setSpacing(8)
        choose.addWidget(button("Choose files", self._choose))
        choose.addWidget(self._clear_button)
        choose.addStretch(1)
        facts = QHBoxLayout()
        facts.setSpacing(12)
        facts.addWidget(self._found_text, 1)
        facts.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        panel.body.addWidget(self._title)
        panel.body.addWidget(self._files_text)
        panel.body.addLayout(choose)
        panel.body.addLayout(facts)
        panel.body.addWidget(self._notes)
        panel.body.addStretch(1)
        panel.body.addWidget(Rule())
        panel.body.addWidget(self._build_name())
        panel.body.addWidget(self._build_width())
        return panel

    def _build_name(self) -> FieldRow:
        self.name = QLineEdit()
        self.name.setFont(font(13, 500))
        self.name.textEdited.connect(lambda _text: self._check())
        self._name_row = FieldRow("Name", self.name, "The track's name in the library.")
        return self._name_row

    def _build_width(self) -> FieldRow:
        self.width_edit = QDoubleSpinBox()
        self.width_edit.setFont(font(13, 500))
        self.width_edit.lineEdit().setTextMargins(8, 0, 0, 0)  # the style sheet's padding does not reach it
        self.width_edit.setRange(NARROWEST_M, WIDEST_M)
        self.width_edit.setDecimals(1)
        self.width_edit.setSuffix(" m")
        self.width_edit.valueChanged.connect(lambda _value: self._make())
        self._width_row = FieldRow(
            "Width", self.width_edit, "Of the road: a driven line does not tell it. Compare with the map."
        )
        return self._width_row

    def _build_preview(self) -> Panel:
        panel = Panel("Preview")
        self.view = TrackView(line=True)
        self.view.setMinimumHeight(240)
        self._facts = FactTable(list(_FACTS), compact=True)
        panel.body.addWidget(self.view, 1)
        panel.body.addWidget(self._facts)
        return panel

    # Files

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.add_files(dropped_files(event))

    def add_files(self, files: Sequence[Path]) -> None:
        """Look into more files together with those that are there already."""
        self.files += [path for path in files if path not in self.files]
        given = list(self.files)
        self._tell("Looking into the files…")

        def failed(error: TMStudioError) -> None:
            self._tell(error.message, f"{error.cause}. {error.hint}".strip(". "))

        self._newest.ask(lambda: look_into(given), self._show_found, failed)

    def _choose(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Files of a track", "", FILTER)
        if names:
            self.add_files([Path(name) for name in names])

    def _start_over(self) -> None:
        self._newest.forget()
        self.files.clear()
        self._tell("Drop files here, or choose them.")

    # What is shown

    def _tell(self, title: str, fault: str = "") -> None:
        """Say what there is instead of a track."""
        self.found = None
        self._title.setText(title)
        self._files_text.setText(
            ", ".join(path.name for path in self.files)
            or "Recorded borders or a line (.npy), laps and exported tracks (.npz), maps, ghosts and replays (.Gbx), "
            "TMRL’s reward.pkl. Files that belong together are taken together: two borders, or laps and their map."
        )
        self._found_text.clear()
        self._notes.clear()
        self._picture.setVisible(False)
        self._width_row.setVisible(False)
        self._clear_button.setVisible(bool(self.files))
        self._show_track(None, fault)

    def _show_found(self, found: Found) -> None:
        self.found = found
        self._title.setText(found.title)
        rows = (f"{name}: <b>{escape(text, quote=False)}</b>" for name, text in found.facts)
        self._found_text.setText("<br>".join(rows))
        self._notes.setText("\n".join(found.notes))
        picture = QPixmap()
        if found.thumbnail_jpeg and picture.loadFromData(found.thumbnail_jpeg):
            self._picture.setPixmap(picture.scaledToWidth(150, Qt.TransformationMode.SmoothTransformation))
        self._picture.setVisible(not picture.isNull())
        self._clear_button.setVisible(True)
        if not self.name.isModified():
            self.name.setText(self._library.free_name(found.suggested_name or "my track"))
        self._width_row.setVisible(found.needs_width)
        if found.needs_width and found.width_m is not None:
            self.width_edit.blockSignals(True)
            self.width_edit.setValue(found.width_m)
            self.width_edit.blockSignals(False)
        self._make()

    def _make(self) -> None:
        found = self.found
        if found is None:
            return
        if found.road is None:
            self._show_track(
                None, "A map’s file has no road. Add recorded borders, laps or a ghost of the map."
            )
            return
        width = self.width_edit.value() if found.needs_width else None
        self.track = None  # what is shown has another width than will be saved
        self._check()

        def failed(error: TMStudioError) -> None:
            self._show_track(None, f"{error.message} {error.cause}")

        self._newest.ask(
            lambda: make_track(found, "preview", width), lambda track: self._show_track(track, ""), failed
        )

    def _show_track(self, track: Track | None, fault: str) -> None:
        self.track = track
        self.view.empty_text = "The road appears here."
        self.view.show_track(track)
        self._facts.set_value("length", formatting.metres(track.length_m if track else None))
        self._facts.set_value("width", formatting.metres(track.width_m if track else None))
        self._facts.set_value("drives in", str(verdict(track)) if track else formatting.NOTHING)
        self.fault.setText(fault)
        self._check()

    def _check(self) -> None:
        fault = fault_of_name(self.name.text().strip(), self._taken) if self.found is not None else ""
        self._name_row.show_fault(fault)
        switch(
            self.finish_button, fault or ("" if self.track is not None else "There is no road to save yet")
        )

    def _finish(self) -> None:
        if self.track is not None:
            self._take(replace(self.track, name=self.name.text().strip()))
            self.accept()
