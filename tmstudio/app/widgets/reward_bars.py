"""The terms of the reward of one attempt, as bars of a common scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from tmstudio.app import formatting
from tmstudio.app.theme import font
from tmstudio.app.widgets.bars import Bar
from tmstudio.app.widgets.text import set_text

_COLORS = {
    "progress": "accent",
    "finish": "blue",
    "time": "amber",
    "failure": "red",
    "wall_contact": "red",
    "steering": "violet",
}


class RewardBars(QWidget):
    """One row a term: its name, a bar as long as its size, and its value with sign.

    Args:
        terms: names of the terms in the order of the reward.
    """

    def __init__(self, terms: Sequence[str]) -> None:
        super().__init__()
        self._bars: dict[str, Bar] = {}
        self._values: dict[str, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for row, term in enumerate(terms):
            name = QLabel(term.replace("_", " "))
            name.setFont(font(12))
            name.setProperty("role", "muted")
            number = QLabel(formatting.NOTHING)
            number.setFont(font(12, 600))
            number.setMinimumWidth(50)
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            bar = Bar(_COLORS.get(term, "blue"))
            for column, part in enumerate((name, bar, number)):
                grid.addWidget(part, row, column)
            self._bars[term], self._values[term] = bar, number
        grid.setRowStretch(len(terms), 1)

    def show_terms(self, terms: Mapping[str, float]) -> None:
        """Show the weighted sums by term; a term that is not named counts as nothing yet."""
        known = {name: terms.get(name, math.nan) for name in self._bars}
        largest = max([abs(value) for value in known.values() if math.isfinite(value)], default=0.0)
        for name, value in known.items():
            self._bars[name].set_share(abs(value) / largest if largest > 0 else 0.0)
            set_text(self._values[name], formatting.decimal(value, 1, signed=True))

    def shown(self, term: str) -> str:
        """The value that is shown for a term."""
        return self._values[term].text()
