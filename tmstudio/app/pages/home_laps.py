"""The runs on one track against each other, by evaluated lap time over training time."""

from __future__ import annotations

from PySide6.QtCore import Qt

from tmstudio.app import formatting
from tmstudio.app.run_list import RunLine
from tmstudio.app.series import Series
from tmstudio.app.theme import theme, tokens
from tmstudio.app.widgets.chart import Line
from tmstudio.app.widgets.curve import Curve
from tmstudio.app.widgets.panel import Panel
from tmstudio.app.widgets.text import set_text
from tmstudio.track.geometry import Track

_COLORS = ("accent", "blue", "violet", "amber")
_LONGEST_NAME = 22


class LapComparison(Panel):
    """A chart with one curve for each of the newest runs on the chosen track."""

    def __init__(self) -> None:
        super().__init__("Lap time · evaluated, sim")
        self.aside.setTextFormat(Qt.TextFormat.RichText)
        self.curve = Curve([], formatting.lap, axis_unit="s")
        self.body.addWidget(self.curve, 1)
        self._names: list[str] = []
        self._shown: list[tuple[str, tuple[tuple[float, float], ...]]] = []
        theme().changed.connect(self._show_legend)

    def show_runs(self, track: Track | None, lines: list[RunLine]) -> None:
        """Show the newest runs on ``track`` that have finished an evaluated lap."""
        name = track.name if track is not None else ""
        found = [line for line in lines if line.summary.track == name and line.laps][: len(_COLORS)]
        shown = [(line.summary.name, tuple(line.laps)) for line in found]
        empty_text = f"Runs on {name} are compared here once one has finished a lap." if name else ""
        if empty_text != self.curve.empty_text:
            self.curve.empty_text = empty_text
            self.curve.refresh()
        if shown == self._shown:
            return
        self._shown = shown
        self._names = [name for name, _laps in shown]
        self.curve.lines = [
            Line(_series(laps), color, smooth=False, dots=True, name=name)
            for (name, laps), color in zip(shown, _COLORS, strict=False)
        ]
        self._show_legend()
        self.curve.refresh()

    def _show_legend(self) -> None:
        colors = tokens()
        parts = [
            f"<span style='color:{getattr(colors, color)}'>●</span> {name[:_LONGEST_NAME]}"
            for name, color in zip(self._names, _COLORS, strict=False)
        ]
        set_text(self.aside, " &nbsp; ".join(parts))


def _series(laps: tuple[tuple[float, float], ...]) -> Series:
    made = Series(window=1)
    made.append([time_s for time_s, _lap in laps], [lap for _time, lap in laps])
    return made
