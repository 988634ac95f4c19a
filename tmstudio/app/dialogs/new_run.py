"""The dialog for a new run: track, preset, algorithm, and the few numbers that matter at the start."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tmstudio.app import formatting
from tmstudio.app.background import in_background
from tmstudio.app.dialogs.fields import FieldRow, UnitEdit, add_rows, field_at, help_of, number_row, parsed
from tmstudio.app.dialogs.form import FormDialog
from tmstudio.app.widgets.inputs import Choice, switch
from tmstudio.app.widgets.panel import FactTable, Panel
from tmstudio.app.widgets.text import muted
from tmstudio.app.widgets.track_view import TrackView
from tmstudio.config.loading import apply_overrides, parse_run_config
from tmstudio.config.presets import PRESETS, SUMMARIES, difference, preset
from tmstudio.config.run_config import RunConfig
from tmstudio.errors import ConfigError, TMStudioError
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary

_NUMBERS = ("budget.minutes", "game.cars", "seed")
_ALGORITHMS = {"tqc": "TQC · recommended", "sac": "SAC"}
_ALGORITHM_HELP = {
    "tqc": "Truncated quantile critics: careful estimates, the quickest to a clean lap.",
    "sac": "Soft actor-critic: simpler, as TMRL had it. Good to compare with.",
}
_SOURCE = "the new run"


class NewRunDialog(FormDialog):
    """Asks for what defines a run.

    Args:
        library: the tracks to choose from.
        track: the track that is chosen at first; the preset's where empty.
        create: takes the finished configuration.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        library: TrackLibrary,
        track: str,
        create: Callable[[RunConfig], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("New run", "Start", self._finish, parent)
        self.resize(980, 560)
        self._library = library
        self._create = create
        self._touched: set[str] = set()
        self._config: RunConfig | None = None
        self._names = library.names()
        self._rows: dict[str, FieldRow] = {}
        self.lay_out((self._build_form(), 8), (self._build_side(), 5))
        self._use_preset()
        if track in self._names:
            self._track.setCurrentIndex(self._names.index(track))
            self._touched.add("track")
        self._show_track()
        self._check()

    # What it is made of

    def _build_form(self) -> Panel:
        panel = Panel(margins=16)
        panel.body.setSpacing(12)
        self._track, self._preset, self._algorithm = Choice(), Choice(), Choice()
        self._track.addItems(self._names)
        for name in PRESETS:
            self._preset.addItem(name, name)
        self._preset.setCurrentIndex(list(PRESETS).index("default"))
        for kind, text in _ALGORITHMS.items():
            self._algorithm.addItem(text, kind)
        self._track.activated.connect(lambda _index: self._changed("track"))
        self._preset.activated.connect(lambda _index: self._use_preset())
        self._algorithm.activated.connect(lambda _index: self._changed("algorithm.kind"))
        self._name = UnitEdit()
        self._name.setPlaceholderText("by date and track")
        self._name.textEdited.connect(lambda _text: self._check())
        self._rows["track"] = FieldRow(
            "Track", self._track, "Where the car drives. A run stays with its track."
        )
        self._rows["preset"] = FieldRow("Preset", self._preset, "")
        self._rows["algorithm.kind"] = FieldRow("Algorithm", self._algorithm, "")
        for path in _NUMBERS:
            self._rows[path] = number_row(path, lambda path=path: self._changed(path))
        self._rows["name"] = FieldRow(
            "Name", self._name, help_of(field_at("name")).strip() + " It may stay empty."
        )
        add_rows(panel, self._rows.values())
        return panel

    def _build_side(self) -> QVBoxLayout:
        side = QVBoxLayout()
        side.setSpacing(12)
        self._track_panel = Panel("Track")
        self._view = TrackView(line=True)
        self._view.setMinimumHeight(170)
        self._facts = FactTable(["length", "width", "checkpoints"], compact=True)
        self._track_panel.body.addWidget(self._view, 1)
        self._track_panel.body.addWidget(self._facts)
        self._difference_panel = Panel("Difference from the preset")
        self._difference = muted("None.", pixels=12, wrap=True)
        self._difference.setTextFormat(Qt.TextFormat.RichText)
        self._difference_panel.body.addWidget(self._difference)
        side.addWidget(self._track_panel, 1)
        side.addWidget(self._difference_panel)
        return side

    # What the user does

    def _changed(self, path: str) -> None:
        self._touched.add(path)
        if path == "track":
            self._show_track()
        self._check()

    def _use_preset(self) -> None:
        """Take the preset's values for everything that the user has not set."""
        config = preset(self._preset.currentData())
        self._rows["preset"].help.setText(SUMMARIES.get(self._preset.currentData(), ""))
        if "track" not in self._touched and config.track in self._names:
            self._track.setCurrentIndex(self._names.index(config.track))
            self._show_track()
        if "algorithm.kind" not in self._touched:
            self._algorithm.setCurrentIndex(list(_ALGORITHMS).index(config.algorithm.kind))
        for path in _NUMBERS:
            if path not in self._touched:
                self._editor(path).setText(_shown(_value(config, path)))
        self._check()

    def _finish(self) -> None:
        self._check()
        if self._config is not None:
            self._create(self._config)
            self.accept()

    # What follows from it

    def config(self) -> RunConfig:
        """The configuration that the dialog describes.

        Raises:
            ConfigError: with every fault.
        """
        base = apply_overrides(
            preset(self._preset.currentData()), [f"algorithm.kind={self._algorithm.currentData()}"], _SOURCE
        )
        data = base.model_dump(mode="json")
        data["track"] = self._track.currentText()
        for path in _NUMBERS:
            section, _, name = path.rpartition(".")
            (data[section] if section else data)[name] = parsed(self._editor(path).text())
        if self._name.text().strip():
            data["name"] = self._name.text().strip()
        return parse_run_config(data, _SOURCE)

    def _check(self) -> None:
        self._rows["algorithm.kind"].help.setText(_ALGORITHM_HELP[self._algorithm.currentData()])
        problems: dict[str, str] = {}
        try:
            self._config = self.config()
        except ConfigError as error:
            self._config = None
            problems = {fault.path: fault.problem for fault in error.faults}
        for path, row in self._rows.items():
            row.show_fault(problems.pop(path, ""))
        # Faults in fields that have no row here: only a broken preset could cause them.
        self.fault.setText("; ".join(f"{path} {problem}" for path, problem in problems.items()))
        reason = "" if self._config is not None else "Correct the marked fields first"
        if not self._names:
            reason = "There is no track: import or generate one first"
        switch(self.finish_button, reason, "Make the run and start learner and driver")
        self._show_difference()

    def _show_track(self) -> None:
        name = self._track.currentText()
        if not name:
            return

        def done(track: Track) -> None:
            if track.name.lower() != self._track.currentText().lower():
                return  # another one was chosen in the meantime
            self._view.show_track(track)
            self._track_panel.aside.setText(f"<b>{track.name}</b>")
            self._facts.set_value("length", formatting.metres(track.length_m))
            self._facts.set_value("width", formatting.metres(track.width_m))
            self._facts.set_value("checkpoints", formatting.count(len(track.checkpoints_m)))
            self._rows["track"].show_fault("")

        def failed(error: TMStudioError) -> None:
            self._rows["track"].show_fault(f"{error.message} {error.cause}")
            self._view.show_track(None)

        in_background(self, lambda: self._library.load(name), done, failed)

    def _show_difference(self) -> None:
        if self._config is None:
            return
        found = difference(self._config, preset(self._preset.currentData()))
        lines = [
            f"{one.path.replace('_', ' ')}: {_shown(one.preset_value)} → <b>{_shown(one.value)}</b>"
            for one in found[:8]
        ]
        self._difference.setText("<br>".join(lines) if lines else "None: the run is the preset as it stands.")

    def _editor(self, path: str) -> UnitEdit:
        editor = self._rows[path].editor
        assert isinstance(editor, UnitEdit)
        return editor


def _value(config: RunConfig, path: str) -> object:
    found: object = config
    for name in path.split("."):
        found = getattr(found, name)
    return found


def _shown(number: object) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)
