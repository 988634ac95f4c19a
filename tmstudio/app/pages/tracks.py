"""Tracks: the library, and where its tracks come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

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
from tmstudio.app.widgets.banner import Banner
from tmstudio.app.widgets.inputs import button, switch
from tmstudio.app.widgets.panel import FactTable, Panel
from tmstudio.app.widgets.text import muted, set_text
from tmstudio.app.widgets.track_card import TrackCard
from tmstudio.app.widgets.track_view import TrackView
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackEntry
from tmstudio.track.verdict import verdict

_CARD_WIDTH = 230
_FACTS = ("length", "width", "checkpoints", "laps of a race", "medals", "map UID", "made from", "runs")
_MADE_FROM: Final = {
    "generator": "generated",
    "borders": "recorded borders",
    "laps": "recorded laps",
    "ghost": "a ghost",
    "replay": "a replay",
    "trajectory": "a recorded line",
}
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
        self._entries: list[TrackEntry] = []
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

        def done(entries: list[TrackEntry]) -> None:
            self._show(sorted(entries, key=lambda entry: entry.bundled), wanted)

        self._in_background(self._studio.library.entries, done)

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

    def _show(self, entries: list[TrackEntry], wanted: str) -> None:
        self._entries = entries
        for card in self.cards:
            card.deleteLater()
        self.cards = [TrackCard(entry) for entry in entries]
        for card in self.cards:
            card.chosen.connect(self.choose)
        own = sum(not entry.bundled for entry in entries)
        self._panel.aside.setText(
            f"{formatting.plural(own, 'track')} of yours, {len(entries) - own} to begin with"
        )
        self._columns = 0
        self._lay_out()
        names = [entry.name for entry in entries]
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
            card.show_chosen(card.entry.name == name)
        entry = self._entry()
        track = entry.track
        self._details.aside.setText(f"<b>{entry.name}</b>")
        self.view.empty_text = f"{entry.fault.message} {entry.fault.cause}" if entry.fault else ""
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
        switch(self.delete_button, _STAYS if entry.bundled else "", "Move it to the trash")
        self._show_runs()

    def _show_runs(self) -> None:
        if not self._entries:
            return
        entry, runs = self._entry(), self._runs_on_it()
        self._facts.set_value("runs", formatting.count(runs))
        used = (
            f"{formatting.plural(runs, 'run')} would no longer find it; duplicate it instead" if runs else ""
        )
        switch(self.rename_button, _STAYS if entry.bundled else used, "Give it another name")

    def _entry(self) -> TrackEntry:
        return next(entry for entry in self._entries if entry.name == self._chosen)

    def _runs_on_it(self) -> int:
        return sum(line.summary.track == self._chosen for line in self._studio.runs)

    # What is done with a track

    def _use(self) -> None:
        self._studio.choose_track(self._chosen, then=self._train)

    def _rename(self) -> None:
        name = self._chosen
        taken = [entry.name for entry in self._entries if entry.name != name]

        def rename(new: str) -> None:
            self._change(lambda: self._studio.library.rename(name, new), new)

        NameDialog("Rename the track", name, taken, "Rename", rename, self).open()

    def _duplicate(self) -> None:
        name, library = self._chosen, self._studio.library
        taken = [entry.name for entry in self._entries]

        def duplicate(new: str) -> None:
            self._change(lambda: library.duplicate(name, new), new)

        free = library.free_name(name)
        NameDialog("Duplicate the track", free, taken, "Duplicate", duplicate, self).open()

    def _export(self) -> None:
        name = self._chosen
        path, _ = QFileDialog.getSaveFileName(self, "Export the track", f"{name}.npz", "Track (*.npz)")
        if path:
            self._in_background(
                lambda: self._studio.library.export(name, Path(path)),
                lambda _: self._notify(f"{name} is in {path}."),
            )

    def _delete(self) -> None:
        name, library, runs = self._chosen, self._studio.library, self._runs_on_it()

        def done(trashed: Path) -> None:
            self._chosen = ""
            lost = f" {formatting.plural(runs, 'run')} cannot go on without it." if runs else ""
            self.banner.say(
                f"{name} is in the trash.",
                f"“Undo” brings it back.{lost}",
                color="amber" if runs else "blue",
                actions=[("Undo", lambda: self._restore(trashed, name)), ("Dismiss", self.banner.clear)],
            )
            self.refresh()

        self._in_background(lambda: library.delete(name), done)

    def _restore(self, trashed: Path, name: str) -> None:
        self.banner.clear()
        self._change(lambda: self._studio.library.restore(trashed, name), name)

    def _change(self, work: Callable[[], object], name: str) -> None:
        """Change the library, and show the track of this name in it."""
        self._in_background(work, lambda _: self.refresh(name))

    def _in_background(self, work: Callable[[], Any], done: Callable[[Any], object]) -> None:
        in_background(self, work, done, self._studio.failed.emit)

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
        self._change(lambda: self._studio.library.save(track), track.name)


def _facts_of(track: Track) -> dict[str, str]:
    medals = [f"{medal} {formatting.lap(time_s)}" for medal, time_s in track.medals_s.items()]
    laps = track.origin.get("laps")  # as it stands in a file that may be anyone's
    return {
        "length": formatting.metres(track.length_m),
        "width": formatting.metres(track.width_m),
        "checkpoints": formatting.count(len(track.checkpoints_m)),
        "laps of a race": formatting.count(laps if isinstance(laps, int) else 1),
        "medals": ", ".join(reversed(medals)) or formatting.NOTHING,
        "map UID": track.map_uid or formatting.NOTHING,
        "made from": _MADE_FROM.get(str(track.origin.get("by", "")), "an imported file"),
    }


def _row(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for one in buttons:
        row.addWidget(one)
    row.addStretch(1)
    return row
