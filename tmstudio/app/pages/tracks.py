"""Tracks: the library, and where its tracks come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QWidget

from tmstudio.app import formatting
from tmstudio.app.background import in_background
from tmstudio.app.dialogs.generate_track import GenerateDialog
from tmstudio.app.dialogs.import_track import ImportDialog, dropped_files
from tmstudio.app.dialogs.name_track import NameDialog
from tmstudio.app.pages.page import Page
from tmstudio.app.studio import Studio
from tmstudio.app.track_list import TrackLine, origin_text, race_laps, read_tracks
from tmstudio.app.widgets.banner import Banner
from tmstudio.app.widgets.inputs import button, switch
from tmstudio.app.widgets.panel import FactTable, Panel
from tmstudio.app.widgets.text import muted, set_text
from tmstudio.app.widgets.track_card import TrackCard
from tmstudio.app.widgets.track_view import TrackView
from tmstudio.track.geometry import Track
from tmstudio.track.verdict import verdict

_CARD_WIDTH = 230
_FACTS = ("length", "width", "checkpoints", "laps of a race", "medals", "map UID", "made from", "runs")
_STAYS = "It ships with TMStudio and stays as it is; duplicate it to have one of your own"


class TracksPage(Page):
    """The library on the left, the chosen track on the right.

    Args:
        studio: the state of the program.
        drive: opens the simulator on a track by its name.
        train: asks for a new run on the studio's track.
        notify: says a sentence at the foot of the window.
    """

    def __init__(
        self,
        studio: Studio,
        *,
        drive: Callable[[str], object],
        train: Callable[[], object],
        notify: Callable[[str], object],
    ) -> None:
        super().__init__("Tracks")
        self._studio = studio
        self._drive = drive
        self._train = train
        self._notify = notify
        self._lines: list[TrackLine] = []
        self._columns = 0
        self._chosen = ""
        self.cards: list[TrackCard] = []
        self.setAcceptDrops(True)
        self.buttons.addWidget(button("Generate", self.generate))
        self.import_button = button("Import", self.import_files, kind="primary")
        self.buttons.addWidget(self.import_button)
        self.banner = Banner()
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._build_library(), 8)
        row.addWidget(self._build_details(), 5)
        self.body.addWidget(self.banner)
        self.body.addLayout(row, 1)
        studio.runs_changed.connect(self._show_runs)

    def arrive(self) -> None:
        self._studio.refresh_runs()
        self.refresh()

    def leave(self) -> None:
        self.banner.clear()

    def refresh(self, choose: str = "") -> None:
        """Read the library again, and show the details of a track of it."""
        wanted = choose or self._chosen or (self._studio.track.name if self._studio.track else "")
        library = self._studio.library
        in_background(
            self,
            lambda: read_tracks(library),
            lambda lines: self._show(lines, wanted),
            self._studio.failed.emit,
        )

    # What it is made of

    def _build_library(self) -> Panel:
        self._panel = Panel("Library")
        inside = QWidget()
        inside.setProperty("role", "scrolled")
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 4, 0)
        self._grid.setSpacing(10)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(inside)
        self._panel.body.addWidget(self._scroll, 1)
        self._panel.body.addWidget(
            muted(
                "Drop recorded borders, laps, maps, ghosts or replays here to make a track of them.",
                pixels=12,
            )
        )
        return self._panel

    def _build_details(self) -> Panel:
        self._details = Panel("Track")
        self.view = TrackView(line=True)
        self._facts = FactTable(list(_FACTS), compact=True)
        self._verdict = muted(wrap=True)
        self._use_button = button("Train on it", self._use, kind="primary")
        self._drive_button = button("Drive it", lambda: self._drive(self._chosen))
        self.rename_button = button("Rename", self._rename)
        self._duplicate_button = button("Duplicate", self._duplicate)
        self._export_button = button("Export", self._export)
        self.delete_button = button("Delete", self._delete, kind="danger")
        self._details.body.addWidget(self.view, 1)
        self._details.body.addWidget(self._verdict)
        self._details.body.addWidget(self._facts)
        for buttons in (
            (self._use_button, self._drive_button),
            (self.rename_button, self._duplicate_button, self._export_button, self.delete_button),
        ):
            self._details.body.addLayout(_row(*buttons))
        return self._details

    # The library

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _show(self, lines: list[TrackLine], wanted: str) -> None:
        self._lines = lines
        for card in self.cards:
            card.deleteLater()
        self.cards = [TrackCard(line) for line in lines]
        for card in self.cards:
            card.chosen.connect(self.choose)
        own = sum(not line.ships for line in lines)
        self._panel.aside.setText(
            f"{formatting.plural(own, 'track')} of yours, {len(lines) - own} to begin with"
        )
        self._columns = 0
        self._lay_out()
        names = [line.name for line in lines]
        self.choose(wanted if wanted in names else names[0])

    def _lay_out(self) -> None:
        columns = max(self._scroll.viewport().width() // _CARD_WIDTH, 1)
        if columns == self._columns:
            return
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 0)
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 0)
        self._columns = columns
        for position, card in enumerate(self.cards):
            self._grid.addWidget(card, position // columns, position % columns)
        for column in range(columns):
            self._grid.setColumnStretch(column, 1)
        self._grid.setRowStretch(len(self.cards) // columns + 1, 1)

    def choose(self, name: str) -> None:
        """Show the details of a track."""
        self._chosen = name
        for card in self.cards:
            card.show_chosen(card.line.name == name)
        line = self._line()
        track = line.track
        self._details.aside.setText(f"<b>{line.name}</b>")
        self.view.empty_text = line.problem
        self.view.show_track(track)
        set_text(self._verdict, f"Drives in: {verdict(track)}." if track else "")
        facts = _facts_of(track) if track else dict.fromkeys(_FACTS, formatting.NOTHING)
        for fact, text in facts.items():
            self._facts.set_value(fact, text)
        broken = "" if track else "Its file cannot be used"
        switch(self._use_button, broken, "Choose it for Home, and set up a run on it")
        switch(self._drive_button, broken, "Drive it yourself in the simulator")
        switch(self._duplicate_button, broken, "Save it once more under another name")
        switch(self._export_button, broken, "Write its file, to import it on another computer")
        switch(self.delete_button, _STAYS if line.ships else "", "Move it to the trash")
        self._show_runs()

    def _show_runs(self) -> None:
        if not self._lines:
            return
        line, runs = self._line(), self._runs_on_it()
        self._facts.set_value("runs", formatting.count(len(runs)))
        used = (
            f"{formatting.plural(len(runs), 'run')} would no longer find it; duplicate it instead"
            if runs
            else ""
        )
        switch(self.rename_button, _STAYS if line.ships else used, "Give it another name")

    def _line(self) -> TrackLine:
        return next(line for line in self._lines if line.name == self._chosen)

    def _runs_on_it(self) -> list[str]:
        return [line.summary.name for line in self._studio.runs if line.summary.track == self._chosen]

    # What is done with a track

    def _use(self) -> None:
        self._studio.choose_track(self._chosen, then=self._train)

    def _rename(self) -> None:
        self._ask_name(
            "Rename the track",
            self._chosen,
            "Rename",
            lambda new: self._studio.library.rename(self._chosen, new),
        )

    def _duplicate(self) -> None:
        name, library = self._chosen, self._studio.library
        self._ask_name(
            "Duplicate the track",
            library.free_name(name),
            "Duplicate",
            lambda new: library.duplicate(name, new),
        )

    def _ask_name(self, title: str, name: str, verb: str, change: Callable[[str], object]) -> None:
        taken = [other.name for other in self._lines if other.name != self._chosen or verb == "Duplicate"]

        def take(new: str) -> None:
            in_background(self, lambda: change(new), lambda _: self.refresh(new), self._studio.failed.emit)

        NameDialog(title, "", name, taken, verb, take, self).open()

    def _export(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Export the track", f"{self._chosen}.npz", "Track (*.npz)"
        )
        if path:
            name = self._chosen
            in_background(
                self,
                lambda: self._studio.library.export(name, Path(path)),
                lambda _: self._notify(f"{name} is in {path}."),
                self._studio.failed.emit,
            )

    def _delete(self) -> None:
        name, library, runs = self._chosen, self._studio.library, self._runs_on_it()

        def done(trashed: Path) -> None:
            self._chosen = ""
            lost = f" {formatting.plural(len(runs), 'run')} cannot go on without it." if runs else ""
            self.banner.say(
                f"{name} is in the trash.",
                f"“Undo” brings it back.{lost}",
                color="amber" if runs else "blue",
                actions=[("Undo", lambda: self._restore(trashed, name)), ("Dismiss", self.banner.clear)],
            )
            self.refresh()

        in_background(self, lambda: library.delete(name), done, self._studio.failed.emit)

    def _restore(self, trashed: Path, name: str) -> None:
        self.banner.clear()
        library = self._studio.library
        in_background(
            self,
            lambda: library.restore(trashed, name),
            lambda _: self.refresh(name),
            self._studio.failed.emit,
        )

    # New tracks

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.import_files(dropped_files(event))

    def import_files(self, files: list[Path] | None = None) -> None:
        """Ask what to make of files."""
        ImportDialog(self._studio.library, files or [], self._save, self).open()

    def generate(self) -> None:
        """Ask what track to generate."""
        GenerateDialog(self._studio.library, self._save, self).open()

    def _save(self, track: Track) -> None:
        in_background(
            self,
            lambda: self._studio.library.save(track),
            lambda _: self.refresh(track.name),
            self._studio.failed.emit,
        )


def _facts_of(track: Track) -> dict[str, str]:
    medals = [f"{medal} {formatting.lap(time_s)}" for medal, time_s in track.medals_s.items()]
    return {
        "length": formatting.metres(track.length_m),
        "width": formatting.metres(track.width_m),
        "checkpoints": formatting.count(len(track.checkpoints_m)),
        "laps of a race": formatting.count(race_laps(track)),
        "medals": ", ".join(reversed(medals)) or formatting.NOTHING,
        "map UID": track.map_uid or formatting.NOTHING,
        "made from": origin_text(track),
    }


def _row(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for one in buttons:
        row.addWidget(one)
    row.addStretch(1)
    return row
