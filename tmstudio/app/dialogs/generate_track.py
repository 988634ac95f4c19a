"""Makes a track from a seed, with a picture of it that follows every change."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from tmstudio.app import formatting
from tmstudio.app.background import Newest
from tmstudio.app.dialogs.fields import FieldRow, add_rows
from tmstudio.app.dialogs.form import FormDialog
from tmstudio.app.dialogs.name_track import fault_of_name
from tmstudio.app.theme import font
from tmstudio.app.widgets.inputs import Choice, button, switch
from tmstudio.app.widgets.panel import FactTable, Panel
from tmstudio.app.widgets.track_view import TrackView
from tmstudio.errors import TMStudioError
from tmstudio.track.circuit import MAX_LAPS, generate_circuit
from tmstudio.track.generator import (
    MAX_DIFFICULTY,
    MAX_LENGTH_M,
    MAX_WIDTH_M,
    MIN_LENGTH_M,
    MIN_WIDTH_M,
    generate,
)
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary

_AFTER_MS = 120
_LARGEST_SEED = 999_999


class GenerateDialog(FormDialog):
    """Seed, shape, length, width and difficulty, and the track that they make.

    Args:
        library: whose names are taken.
        take: gets the track that shall be saved.
        parent: the window it belongs to.
    """

    def __init__(
        self, library: TrackLibrary, take: Callable[[Track], object], parent: QWidget | None = None
    ) -> None:
        super().__init__("Generate a track", "Save track", self._finish, parent)
        self.resize(980, 540)
        self._take = take
        self._taken = {name.lower() for name in library.names()}
        self.track: Track | None = None
        """What the settings make; None while they make nothing."""
        self._newest = Newest(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MS)
        self._timer.timeout.connect(self._draw)
        self.shape = Choice()
        self.shape.addItem("Road from A to B", "road")
        self.shape.addItem("Circuit", "circuit")
        self.seed = _number(0, _LARGEST_SEED, secrets.randbelow(1000))
        self.difficulty = _number(1, MAX_DIFFICULTY, 3)
        self.length = _number(round(MIN_LENGTH_M), round(MAX_LENGTH_M), 1000, " m", step=50)
        self.width_edit = _number(round(MIN_WIDTH_M), round(MAX_WIDTH_M), 22, " m")
        self.laps = _number(1, MAX_LAPS, 3)
        self.name = QLineEdit(library.free_name("my track"))
        self.name.setFont(font(13, 500))
        self._build()
        self.shape.activated.connect(lambda _index: self._changed())
        for editor in (self.seed, self.difficulty, self.length, self.width_edit, self.laps):
            editor.valueChanged.connect(lambda _value: self._changed())
        self.name.textEdited.connect(lambda _text: self._check())
        self._changed()

    def _build(self) -> None:
        form = Panel(margins=16)
        form.body.setSpacing(12)
        self._laps_row = FieldRow("Laps", self.laps, "How often a race goes round.")
        self._name_row = FieldRow("Name", self.name, "The track's name in the library.")
        rows = [
            FieldRow(
                "Shape", self.shape, "A road has a start and a finish; a circuit comes back to its start."
            ),
            FieldRow("Seed", self.seed, "Another number, another track. The same number, the same track."),
            FieldRow("Difficulty", self.difficulty, "1 has wide bends, 6 has hairpins and chicanes."),
            FieldRow(
                "Length",
                self.length,
                f"Of one lap. {MIN_LENGTH_M:.0f} to {formatting.count(MAX_LENGTH_M)} m.",
            ),
            FieldRow("Width", self.width_edit, f"Of the road. {MIN_WIDTH_M:.0f} to {MAX_WIDTH_M:.0f} m."),
            self._laps_row,
            self._name_row,
        ]
        add_rows(form, rows)
        picture = Panel("Preview")
        self.view = TrackView(line=True)
        self.view.setMinimumHeight(220)
        self._facts = FactTable(["length of a race", "checkpoints"], compact=True)
        picture.body.addWidget(self.view, 1)
        picture.body.addWidget(self._facts)
        another = QHBoxLayout()
        another.addWidget(button("Another one", self._another))
        another.addStretch(1)
        picture.body.addLayout(another)
        self.lay_out((form, 7), (picture, 6))

    def _another(self) -> None:
        self.seed.setValue((self.seed.value() + 1) % (_LARGEST_SEED + 1))

    def _changed(self) -> None:
        self._laps_row.setEnabled(self._is_circuit())
        self.track = None
        self._newest.forget()
        self._timer.start()
        self._check()

    def _is_circuit(self) -> bool:
        return bool(self.shape.currentData() == "circuit")

    def _draw(self) -> None:
        settings = (self.seed.value(), self.difficulty.value(), self.length.value(), self.width_edit.value())
        laps = self.laps.value() if self._is_circuit() else None

        def work() -> Track:
            if laps is None:
                return generate(*settings, "preview")
            return generate_circuit(*settings, laps, "preview")

        def failed(error: TMStudioError) -> None:
            self._show(None, f"{error.message} {error.hint[:1].upper()}{error.hint[1:]}.")

        self._newest.ask(work, lambda track: self._show(track, ""), failed)

    def _show(self, track: Track | None, fault: str) -> None:
        self.track = track
        self.view.empty_text = fault
        self.view.show_track(track)
        self._facts.set_value("length of a race", formatting.metres(track.length_m if track else None))
        gates = formatting.count(len(track.checkpoints_m)) if track else formatting.NOTHING
        self._facts.set_value("checkpoints", gates)
        self.fault.setText(fault)
        self._check()

    def _check(self) -> None:
        fault = fault_of_name(self.name.text().strip(), self._taken)
        self._name_row.show_fault(fault)
        switch(self.finish_button, fault or ("" if self.track is not None else "Wait for the preview"))

    def _finish(self) -> None:
        if self.track is not None:
            self._take(replace(self.track, name=self.name.text().strip()))
            self.accept()


def _number(low: int, high: int, value: int, unit: str = "", *, step: int = 1) -> QSpinBox:
    made = QSpinBox()
    made.setFont(font(13, 500))
    made.lineEdit().setTextMargins(8, 0, 0, 0)  # the style sheet's padding does not reach it
    made.setRange(low, high)
    made.setValue(value)
    made.setSuffix(unit)
    made.setSingleStep(step)
    made.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.PlusMinus)
    return made
