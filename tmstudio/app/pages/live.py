"""Live: one run as it learns. What the car does now, what has come of it, and how both processes feel."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from tmstudio.app import formatting
from tmstudio.app.outcome import ProcessOutcome
from tmstudio.app.pages.card_row import CardRow
from tmstudio.app.pages.live_cards import (
    AttemptsCard,
    LapTimeCard,
    LearnerCard,
    ReturnCard,
)
from tmstudio.app.pages.live_drive import DriveCards, drive_text
from tmstudio.app.pages.live_log import LogCard
from tmstudio.app.pages.live_notices import abandoned_notice, end_notice, finish_notice, missing_notice
from tmstudio.app.pages.page import Page
from tmstudio.app.run_state import COMMANDS, PHASE_COLORS, Command, Phase, RunState
from tmstudio.app.session import RunSession
from tmstudio.app.studio import Studio
from tmstudio.app.widgets.banner import Banner
from tmstudio.app.widgets.inputs import button, switch
from tmstudio.app.widgets.panel import Chip
from tmstudio.app.widgets.text import heading, muted

_PICTURES_EVERY_MS = 33
_NUMBERS_EVERY_MS = 100
_LEAST_TITLE = 110


class LivePage(Page):
    """The page of the run that is shown.

    Args:
        studio: the state of the program.
        train_longer: asks for more minutes for a finished run.
        home: shows the Home page.
        notify: shows a sentence for a moment.
    """

    def __init__(
        self,
        studio: Studio,
        *,
        train_longer: Callable[[RunSession], object],
        home: Callable[[], object],
        notify: Callable[[str], object],
    ) -> None:
        super().__init__("Live")
        self._studio = studio
        self._train_longer = train_longer
        self._notify = notify
        self._session: RunSession | None = None
        self._worked = False
        self._build_header()
        self.banner = Banner()
        self.empty = self._build_empty(home)
        self.content = self._build_content()
        self.body.addWidget(self.banner)
        self.body.addWidget(self.empty, 1)
        self.body.addWidget(self.content, 1)
        self._pictures = QTimer(self)
        self._pictures.setInterval(_PICTURES_EVERY_MS)
        self._pictures.timeout.connect(self._show_pictures)
        self._numbers = QTimer(self)
        self._numbers.setInterval(_NUMBERS_EVERY_MS)
        self._numbers.timeout.connect(self._show_numbers)
        studio.session_changed.connect(self._take_session)
        self._take_session()

    # What it is made of

    def _build_header(self) -> None:
        self.state_chip, self.seed_chip, self.drive_chip = Chip(whole=True), Chip(whole=True), Chip()
        self.title.setMinimumWidth(_LEAST_TITLE)
        for chip in (self.state_chip, self.seed_chip, self.drive_chip):
            self.chips.addWidget(chip)
        self.command_buttons: dict[str, QPushButton] = {}
        for command in COMMANDS:
            made = button("", lambda command=command: self._carry_out(command), kind=command.kind)
            self.buttons.addWidget(made)
            self.command_buttons[command.name] = made
        for key in dict.fromkeys(command.key for command in COMMANDS):
            QShortcut(QKeySequence(key), self, activated=lambda key=key: self._press(key))

    def _build_empty(self, home: Callable[[], object]) -> QWidget:
        empty = QWidget()
        column = QVBoxLayout(empty)
        column.addStretch(1)
        title = heading("No run is open")
        words = muted("Open one on Home, or start a new one: you see the car learn here.")
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(button("Go to Home", home, kind="primary"))
        row.addStretch(1)
        for line in (title, words):
            holder = QHBoxLayout()
            holder.addStretch(1)
            holder.addWidget(line)
            holder.addStretch(1)
            column.addLayout(holder)
        column.addSpacing(8)
        column.addLayout(row)
        column.addStretch(1)
        return empty

    def _build_content(self) -> QWidget:
        self.drive = DriveCards()
        self.attempts = AttemptsCard()
        self.lap_time, self.returns, self.learner = LapTimeCard(), ReturnCard(), LearnerCard()
        inner = QWidget()
        inner.setProperty("role", "scrolled")
        rows = QVBoxLayout(inner)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(12)
        for stretch, row in (
            (34, CardRow(140, [self.drive.hood, self.drive.track_panel])),
            (
                18,
                CardRow(
                    158,
                    [self.drive.gauges, self.drive.reward, self.attempts],
                    wide=(24, 9, 15),
                    narrow=(20, 11, 17),
                ),
            ),
            (36, CardRow(232, [self.lap_time, self.returns, self.learner], wide=(24, 12, 12))),
        ):
            rows.addWidget(row, stretch)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.viewport().setAutoFillBackground(False)
        area.setWidget(inner)
        self.log = LogCard(open_now=self._studio.settings.log_open, on_toggle=self._remember_log)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(area, 1)
        column.addWidget(self.log)
        return content

    # Which run it shows

    def _take_session(self) -> None:
        session = self._studio.session
        if session is self._session and session is not None:
            return
        if self._session is not None:
            self._disconnect(self._session)
        self._session = session
        self._worked = session is not None and session.state.running
        self.banner.clear()
        self.empty.setVisible(session is None)
        self.content.setVisible(session is not None)
        self.drive.begin(session.track if session is not None else None)
        self.log.clear()
        if session is not None:
            self._connect(session)
            config = session.run.config
            self.title.set_full_text(f"{session.name} · {config.algorithm.kind.upper()}")
            self.seed_chip.show_text(f"seed {config.seed}")
            self.lap_time.bind(session.data, session.track)
            self.returns.bind(session.data)
            self.learner.bind(session.data, config.algorithm.n_step)
            self.attempts.show_data(session.data)
            session.show_live(self.isVisible())
        else:
            self.title.set_full_text("Live")
            for chip in (self.state_chip, self.seed_chip, self.drive_chip):
                chip.show_text("")
        self._show_state()
        self._show_numbers()

    def _connect(self, session: RunSession) -> None:
        session.state_changed.connect(self._show_state)
        session.metrics_arrived.connect(self._show_metrics)
        session.log_arrived.connect(self.log.add_lines)
        session.worker_ended.connect(self._show_end)
        session.told.connect(self._notify)
        session.refused.connect(self._show_refusal)

    def _disconnect(self, session: RunSession) -> None:
        session.state_changed.disconnect(self._show_state)
        session.metrics_arrived.disconnect(self._show_metrics)
        session.log_arrived.disconnect(self.log.add_lines)
        session.worker_ended.disconnect(self._show_end)
        session.told.disconnect(self._notify)
        session.refused.disconnect(self._show_refusal)
        session.show_live(False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._pictures.start()
        self._numbers.start()
        if self._session is not None:
            self._session.show_live(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._pictures.stop()
        self._numbers.stop()
        if self._session is not None:
            self._session.show_live(False)

    # What it does

    def _state(self) -> RunState:
        return self._session.state if self._session is not None else RunState()

    def _carry_out(self, command: Command) -> None:
        session = self._session
        if session is None or command.off(session.state):
            return
        if command.name == "start" and session.state.phase is Phase.FINISHED:
            self._train_longer(session)
        elif command.name == "watch" and session.state.watching:
            session.command("unwatch")
        else:
            if command.name == "start":
                self.banner.clear()
            session.command(command.name)

    def _press(self, key: str) -> None:
        for command in COMMANDS:
            made = self.command_buttons[command.name]
            if command.key == key and not made.isHidden() and made.isEnabled():
                self._carry_out(command)
                return

    def _remember_log(self, open_now: bool) -> None:
        self._studio.settings.log_open = open_now
        self._studio.save_settings()

    # What it shows

    def _show_state(self) -> None:
        state = self._state()
        buttons = self.command_buttons
        hidden = {name for name, made in buttons.items() if made.isHidden()}
        focused = next((made for made in buttons.values() if made.hasFocus()), None)
        for command in COMMANDS:
            made = buttons[command.name]
            made.setVisible(self._session is not None and command.shown(state))
            set_button_text(made, command.text(state))
            key = QKeySequence(command.key).toString(QKeySequence.SequenceFormat.NativeText)
            switch(made, command.off(state), f"{command.hint} ({key})")
        if focused is not None and (focused.isHidden() or not focused.isEnabled()):
            # Qt would hand the focus to the next button, which is Stop after a click on Pause.
            shown = (buttons[name] for name in hidden if not buttons[name].isHidden())
            (next(shown, None) or self).setFocus()
        session = self._session
        if session is None:
            return
        self._worked |= state.running
        if state.phase is Phase.FINISHED and self._worked:
            self._worked = False  # it is told once
            finish_notice(self.banner, session.data, lambda: self._train_longer(session))
        elif state.phase in (Phase.TRAINING, Phase.STARTING, Phase.STOPPING):
            self.banner.clear()
        elif not self.banner.title():
            if state.phase is Phase.LOST:
                abandoned_notice(self.banner, lambda: self._resume(session))
            elif state.phase in (Phase.NO_DRIVER, Phase.NO_LEARNER) and not state.starting:
                missing_notice(self.banner, state.phase, lambda: self._resume(session))
        session.show_live(self.isVisible())

    def _show_end(self, outcome: ProcessOutcome, lines: list[str]) -> None:
        session = self._session
        if session is not None:
            end_notice(self.banner, outcome, lines, session.state, lambda: self._resume(session))
            self._show_numbers()

    def _resume(self, session: RunSession) -> None:
        self.banner.clear()
        session.command("start")

    def _show_refusal(self, error: Any) -> None:
        self._notify(str(error).replace("\n", " · "))

    def _show_metrics(self) -> None:
        session = self._session
        if session is not None and session.read_all:
            self.attempts.show_data(session.data)
            self.lap_time.refresh()
            self.returns.refresh()
            self.learner.refresh()

    def _show_pictures(self) -> None:
        if self._session is not None and self._session.live is not None:
            self.drive.show_pictures(self._session.live.take())

    def _show_numbers(self) -> None:
        session = self._session
        if session is not None:
            self._show_chips(session)
            self.drive.show_numbers(session.data.best_lap_s)
            self.learner.setEnabled(session.state.phase not in (Phase.NO_LEARNER, Phase.LOST))

    def _show_chips(self, session: RunSession) -> None:
        state = session.state
        phase = state.phase
        elapsed = formatting.clock(session.training_time_s()) if state.trained or state.learner else ""
        text = f"{phase.value} {elapsed}".strip()
        if phase in (Phase.NO_LEARNER, Phase.LOST) and session.learner_seen_s is not None:
            text = f"{phase.value}, frozen {formatting.age(time.monotonic() - session.learner_seen_s)} ago"
        self.state_chip.show_text(text, PHASE_COLORS[phase])
        self.drive_chip.show_text(drive_text(session.run.config.game.cars, self.drive.record))


def set_button_text(target: QPushButton, text: str) -> None:
    """Change a button's text only where it differs."""
    if target.text() != text:
        target.setText(text)
