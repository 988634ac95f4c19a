"""Home: the way from nothing to a driving car for the chosen track, the runs, and a first try."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedLayout, QVBoxLayout, QWidget

from tmstudio.app import formatting
from tmstudio.app.pages.home_laps import LapComparison
from tmstudio.app.pages.home_steps import RailActions, origin_word, steps_for
from tmstudio.app.pages.page import Page
from tmstudio.app.run_list import RunLine
from tmstudio.app.studio import Studio
from tmstudio.app.widgets.banner import Banner
from tmstudio.app.widgets.inputs import button, switch
from tmstudio.app.widgets.panel import Chip, FactTable, Panel
from tmstudio.app.widgets.rail import Rail
from tmstudio.app.widgets.runs_table import ACTION_COLUMN, RunsTable, resumes
from tmstudio.app.widgets.text import heading, muted, set_text
from tmstudio.app.widgets.track_view import TrackView

_REFRESH_MS = 3000
_STEPS = 6


class HomePage(Page):
    """The first page.

    Args:
        studio: the state of the program.
        new_run: opens the dialog for a new run.
        drive: opens the simulator on the chosen track.
        try_now: makes and starts the quick-start run.
    """

    def __init__(
        self,
        studio: Studio,
        *,
        new_run: Callable[[], object],
        drive: Callable[[], object],
        try_now: Callable[[], object],
    ) -> None:
        super().__init__("Home")
        self._studio = studio
        self._offered = False
        self._actions = RailActions(drive, self._choose_track, new_run, studio.open_run)
        self.track_chip = Chip()
        self.chips.addWidget(self.track_chip)
        self.chips.addWidget(Chip("simulator"))
        self.new_run_button = button("New run", new_run, kind="primary")
        self.buttons.addWidget(self.new_run_button)
        self.banner = Banner()
        self.rail = Rail(_STEPS)
        self.try_button = button("Try it now", try_now, kind="primary")
        middle = QHBoxLayout()
        middle.setSpacing(12)
        left = QVBoxLayout()
        left.setSpacing(12)
        left.addWidget(self._build_runs(), 5)
        left.addWidget(self._build_comparison(), 4)
        middle.addLayout(left, 9)
        middle.addWidget(self._build_track(), 4)
        self.body.addWidget(self.banner)
        self.body.addWidget(self.rail)
        self.body.addLayout(middle, 1)
        self.body.addWidget(self._build_try_bar())
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(studio.refresh_runs)
        studio.runs_changed.connect(self.refresh)
        studio.track_changed.connect(self._show_track)
        self.refresh()

    def arrive(self) -> None:
        self._studio.refresh_runs()
        self._timer.start()

    def leave(self) -> None:
        self._timer.stop()

    def refresh(self) -> None:
        """Show what the studio knows now."""
        lines = self._studio.runs
        self.rail.show_steps(steps_for(self._studio.track, lines, self._actions))
        self._runs_stack.setCurrentIndex(0 if lines or not self._studio.runs_known else 1)
        self.runs.show_rows(lines)
        self.runs_panel.aside.setText(formatting.plural(len(lines), "run") if lines else "")
        self._offer_to_go_on()
        self.comparison.show_runs(self._studio.track, lines)
        self._show_best()
        busy = any(line.summary.state == "running" for line in lines)
        switch(self.try_button, "", "Trains two minutes in the simulator; you can watch and stop at any time")
        set_text(
            self._try_text,
            "A run is training already: two at once share this computer and learn more slowly."
            if busy
            else "Trains in the built-in simulator on this computer. Nothing to install, nothing to set up.",
        )

    def _build_runs(self) -> Panel:
        self.runs_panel = Panel("Recent runs")
        self.runs = RunsTable()
        self.runs.row_chosen.connect(self._run_chosen)
        empty = QWidget()
        column = QVBoxLayout(empty)
        column.setSpacing(6)
        column.addStretch(1)
        title = heading("No runs yet")
        text = muted(
            "Each run is listed here with its lap times. Start with “Try it now” below, or set one up with “New run”.",
            wrap=True,
        )
        text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(title, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(text)
        column.addStretch(1)
        holder = QWidget()
        self._runs_stack = QStackedLayout(holder)
        self._runs_stack.addWidget(self.runs)
        self._runs_stack.addWidget(empty)
        self.runs_panel.body.addWidget(holder, 1)
        return self.runs_panel

    def _build_comparison(self) -> Panel:
        self.comparison = LapComparison()
        return self.comparison

    def _build_track(self) -> Panel:
        self.track_panel = Panel("Track")
        self.track_view = TrackView(line=True)
        self.track_view.empty_text = "The track appears here."
        self.track_facts = FactTable(["length", "width", "checkpoints", "best agent"])
        self.track_panel.body.addWidget(self.track_view, 1)
        self.track_panel.body.addWidget(self.track_facts)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(button("Change track", self._choose_track))
        row.addWidget(button("Drive it", self._actions.drive))
        row.addStretch(1)
        self.track_panel.body.addLayout(row)
        return self.track_panel

    def _build_try_bar(self) -> Panel:
        panel = Panel()
        row = QHBoxLayout()
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(heading("New here? See a car learn in two minutes."))
        self._try_text = muted()
        words.addWidget(self._try_text)
        row.addLayout(words, 1)
        row.addWidget(self.try_button)
        panel.body.addLayout(row)
        return panel

    def _offer_to_go_on(self) -> None:
        """Once, when the runs are first known: some may have been left at work or cut off by a crash."""
        studio = self._studio
        if self._offered or not studio.runs_known:
            return
        self._offered = True
        left = [line for line in studio.runs if line.summary.name not in studio.sessions]
        working = next((line.summary.name for line in left if line.summary.state == "running"), None)
        cut_off = next((line.summary.name for line in left if line.abandoned), None)
        if self.banner.title():
            return  # the crash itself is told first; the table has the rest
        if working is not None:
            self.banner.say(
                f"{working} is still at work.",
                "It was started before and goes on without this window.",
                color="blue",
                actions=[("Open", lambda: self._open_from_banner(working, start=False))],
            )
        elif cut_off is not None:
            self.banner.say(
                f"{cut_off} was interrupted.",
                "It can go on from its last checkpoint; driving that was on disk is kept.",
                actions=[
                    ("Resume", lambda: self._open_from_banner(cut_off, start=True)),
                    ("Not now", self.banner.clear),
                ],
            )

    def _open_from_banner(self, name: str, *, start: bool) -> None:
        self.banner.clear()
        self._studio.open_run(name, start=start)

    def _run_chosen(self, line: RunLine, column: int) -> None:
        if line.run is not None:
            self._studio.open_run(line.summary.name, start=column == ACTION_COLUMN and resumes(line))

    def _choose_track(self) -> None:
        menu = QMenu(self)
        names = self._studio.library.names()
        for name in names:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(self._studio.track is not None and self._studio.track.name == name)
            action.triggered.connect(lambda _checked, name=name: self._studio.choose_track(name))
        card = self.rail.cards[1]
        menu.popup(card.mapToGlobal(card.rect().bottomLeft()))

    def _show_track(self) -> None:
        track = self._studio.track
        if track is None:
            return
        self.track_chip.show_text(f"track · {track.name}")
        self.track_panel.aside.setText(f"<b>{track.name}</b>")
        self.track_view.show_track(track)
        self.track_facts.set_value("length", formatting.metres(track.length_m))
        self.track_facts.set_value("width", formatting.metres(track.width_m))
        self.track_facts.set_value("checkpoints", formatting.count(len(track.checkpoints_m)))
        self.refresh()

    def _show_best(self) -> None:
        track = self._studio.track
        done = [
            line.summary
            for line in self._studio.runs
            if track is not None and line.summary.track == track.name and line.summary.best_lap_s is not None
        ]
        if not done:
            self.track_facts.set_value("best agent", formatting.NOTHING)
            return
        best = min(done, key=lambda one: one.best_lap_s or 1e9)
        self.track_facts.set_value(
            "best agent", f"{formatting.lap_exact(best.best_lap_s)} ({origin_word(best)}, evaluated)"
        )
