"""Editors made from the configuration's own fields: title, unit, range and help come from the models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pydantic.fields import FieldInfo
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QVBoxLayout, QWidget

from tmstudio.app import formatting
from tmstudio.app.theme import font, tokens
from tmstudio.app.widgets.panel import Panel, Rule
from tmstudio.app.widgets.text import fault_text, muted, value
from tmstudio.config.run_config import RunConfig
from tmstudio.config.structure import values

EDITOR_WIDTH = 176


def field_at(path: str) -> FieldInfo:
    """The field at a dotted path of a run's configuration, such as ``budget.minutes``."""
    for candidate, _value, field in values(RunConfig()):
        if candidate == path:
            return field
    raise KeyError(path)


def title_of(path: str, field: FieldInfo) -> str:
    """The name that a field has in the window."""
    return field.title or path.rpartition(".")[2].replace("_", " ").capitalize()


def unit_of(field: FieldInfo) -> str:
    """The unit of a field, empty where it has none."""
    extra = field.json_schema_extra
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


def range_of(field: FieldInfo) -> str:
    """``0 to 20``: the values that a field may have, empty where it has no bounds."""
    bounds: dict[str, float] = {}
    for part in field.metadata:
        for name in ("ge", "gt", "le", "lt"):
            if hasattr(part, name):
                bounds[name] = getattr(part, name)
    low, high = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    if low is None or high is None:
        return ""
    if "gt" in bounds:
        return f"Above {_number(low)}, at most {_number(high)}"
    return f"{_number(low)} to {_number(high)}"


def help_of(field: FieldInfo) -> str:
    """What a field does, with the range of its values."""
    limits = range_of(field)
    return f"{field.description or ''}{f' {limits}.' if limits else ''}"


def _number(number: float) -> str:
    return formatting.count(number) if float(number).is_integer() else f"{number:g}"


class UnitEdit(QLineEdit):
    """A line of input with its unit at the right end."""

    def __init__(self, unit: str = "") -> None:
        super().__init__()
        self._unit = unit
        self.setFont(font(13, 500))
        if unit:
            self.setTextMargins(0, 0, QFontMetrics(font(12)).horizontalAdvance(unit) + 8, 0)

    def sizeHint(self) -> QSize:
        return QSize(EDITOR_WIDTH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._unit:
            with QPainter(self) as painter:
                painter.setFont(font(12))
                painter.setPen(tokens().color("muted"))
                painter.drawText(
                    QRectF(self.rect()).adjusted(0, 0, -10, 0),
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    self._unit,
                )


class FieldRow(QWidget):
    """Name, editor and help of one field, with its fault below.

    Args:
        title: the name.
        editor: what takes the value.
        help_text: what it does.
    """

    def __init__(self, title: str, editor: QWidget, help_text: str) -> None:
        super().__init__()
        self.editor = editor
        self.fault = fault_text()
        self.fault.setVisible(False)
        self.help = muted(help_text, pixels=12, wrap=True)
        self.help.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        name = value(title)
        name.setFont(font(13, 500))
        name.setFixedWidth(96)
        name.setBuddy(editor)
        editor.setFixedWidth(EDITOR_WIDTH)
        editor.setAccessibleName(title)
        editor.setToolTip(help_text)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self.help)
        words.addWidget(self.fault)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.addWidget(name, 0, 0)
        grid.addWidget(editor, 0, 1)
        grid.addLayout(words, 0, 2)
        grid.setColumnStretch(2, 1)

    def show_fault(self, problem: str) -> None:
        """Mark the field as wrong, or as right where there is no problem."""
        self.fault.setText(problem[:1].upper() + problem[1:])
        self.fault.setVisible(bool(problem))
        self.help.setVisible(not problem)
        if self.editor.property("fault") != bool(problem):
            self.editor.setProperty("fault", bool(problem))
            self.editor.style().unpolish(self.editor)
            self.editor.style().polish(self.editor)


def add_rows(panel: Panel, rows: Iterable[FieldRow]) -> None:
    """Put rows into a panel from its top, with a line between two."""
    for position, row in enumerate(rows):
        if position:
            panel.body.addWidget(Rule())
        panel.body.addWidget(row)
    panel.body.addStretch(1)


def number_row(path: str, on_change: Callable[[], object]) -> FieldRow:
    """A row for the plain field at ``path``."""
    field = field_at(path)
    editor = UnitEdit(unit_of(field))
    editor.textEdited.connect(lambda _text: on_change())
    return FieldRow(title_of(path, field), editor, help_of(field))


def parsed(text: str) -> Any:
    """What the user typed, as a number where it is one; the models complain about anything else."""
    plain = text.strip().replace("\u202f", "").replace(" ", "").replace("\u2212", "-")
    for kind in (int, float):
        try:
            return kind(plain)
        except ValueError:
            continue
    return text.strip()
