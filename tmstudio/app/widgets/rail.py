"""The pipeline rail of the Home page: what has been done for a track, and what comes next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from tmstudio.app.theme import font, tokens
from tmstudio.app.widgets.inputs import button
from tmstudio.app.widgets.text import heading, muted, set_role

_HEIGHT = 156


class StepState(Enum):
    """Where a step stands."""

    DONE = "done"
    NEXT = "next"
    OPEN = "open"
    LATER = "later"


@dataclass(frozen=True)
class Step:
    """What a card of the rail shows.

    Attributes:
        title: the step's name.
        text: its state in one or two short sentences, or the reason why it cannot be done.
        state: done, next, open, or not possible yet.
        verb: its button; none where empty.
        action: what the button does.
    """

    title: str
    text: str
    state: StepState
    verb: str = ""
    action: Callable[[], object] | None = None


class StepBadge(QWidget):
    """The number of a step, or a tick where it is done."""

    _SIZE = 22

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self._state = StepState.OPEN
        self.setFixedSize(self._SIZE, self._SIZE)

    def show_state(self, state: StepState) -> None:
        """Show another state."""
        if state is not self._state:
            self._state = state
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = tokens()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.setPen(Qt.PenStyle.NoPen)
            if self._state is StepState.DONE:
                painter.setBrush(colors.color("accent"))
                painter.drawEllipse(area)
                painter.setPen(QPen(colors.color("on_accent"), 1.8))
                painter.drawPolyline(QPolygonF([QPointF(7, 11.3), QPointF(10, 14.2), QPointF(15.2, 8.2)]))
                return
            painter.setBrush(colors.color("raised"))
            if self._state is StepState.NEXT:
                painter.setPen(QPen(colors.color("accent"), 1.2))
            elif self._state is StepState.LATER:
                pen = QPen(colors.color("line"), 1.2)
                pen.setDashPattern([2, 2])
                painter.setPen(pen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(area)
            painter.setPen(colors.color("muted" if self._state is StepState.LATER else "text"))
            painter.setFont(font(11, 600))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, str(self._number))


class StepCard(QFrame):
    """One step: badge, title, state, and its button."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.badge = StepBadge(number)
        self.title = heading("")
        self.text = muted(pixels=12, wrap=True)
        self.text.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
        self._action: Callable[[], object] = lambda: None
        self.button = button("", lambda: self._action())
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.badge)
        head.addWidget(self.title, 1)
        self.button_row = QHBoxLayout()
        self.button_row.addWidget(self.button)
        self.button_row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 12, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        column.addLayout(self.button_row)

    def show_step(self, step: Step) -> None:
        """Show a step."""
        self.badge.show_state(step.state)
        self.title.setText(step.title)
        set_role(self.title, "muted" if step.state is StepState.LATER else "")
        self.text.setText(step.text)
        set_role(self, "panel-active" if step.state is StepState.NEXT else "panel")
        self.button.setVisible(bool(step.verb))
        self.button.setText(step.verb)
        kind = "primary" if step.state is StepState.NEXT else ""
        if self.button.property("kind") != kind:
            self.button.setProperty("kind", kind)
            self.button.style().unpolish(self.button)
            self.button.style().polish(self.button)
            self.button.setFont(font(13, 600 if kind else 500))
        self._action = step.action or (lambda: None)
        self.setAccessibleName(f"{step.title}: {step.state.value}")


class Rail(QWidget):
    """All steps side by side, of equal width."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        self.cards = [StepCard(number + 1) for number in range(steps)]
        for card in self.cards:
            row.addWidget(card, 1)
        self.setFixedHeight(_HEIGHT)

    def show_steps(self, steps: list[Step]) -> None:
        """Show the steps in order."""
        for card, step in zip(self.cards, steps, strict=True):
            card.show_step(step)
