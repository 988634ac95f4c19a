"""Tables of plain rows. Cells elide with the whole text as tooltip; only whole rows are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from tmstudio.app.theme import font, label_font, tokens

_LEAST_OPEN = 64
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: its header.
        text: the text of a row's cell.
        width: preferred width in pixels; 0 shares what is left.
        least: width to which it may shrink; it keeps its width if 0.
        optional: whether it is left out where there is too little room for all.
        right: whether its cells stand to the right, as numbers do.
        color: token of the text's colour in a row; the normal one where empty.
        strong: whether its cells are bold.
        tip: the tooltip of a row's cell; the text itself where None.
        paint: paints a row's cell instead of its text.
    """

    title: str
    text: Callable[[Any], str]
    width: int = 0
    least: int = 0
    optional: bool = False
    right: bool = False
    color: Callable[[Any], str] | None = None
    strong: bool = False
    tip: Callable[[Any], str] | None = None
    paint: Callable[[QPainter, QRectF, Any], None] | None = None


class RowModel(QAbstractTableModel):
    """Rows of any objects, described by columns."""

    def __init__(self, columns: Sequence[Column]) -> None:
        super().__init__()
        self.columns = list(columns)
        self.rows: list[Any] = []

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Show other rows; the selection stays at its place where there still is one."""
        if len(rows) == len(self.rows):
            self.rows = list(rows)
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.columns) - 1))
            return
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column, row = self.columns[index.column()], self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip(row) if column.tip is not None else column.text(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and column.color is not None:
            return tokens().color(column.color(row) or "text")
        if role == Qt.ItemDataRole.FontRole:
            return font(12, 600 if column.strong else 400)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class _PaintedCells(QStyledItemDelegate):
    """Cells of columns that paint themselves; the others as usual."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        if isinstance(model, RowModel):
            column = model.columns[index.column()]
            if column.paint is not None:
                column.paint(painter, QRectF(option.rect).adjusted(8, 6, -8, -7), model.rows[index.row()])


class RowTable(QTableView):
    """A quiet table: no grid, a line below each row, whole rows selected.

    Args:
        columns: what it shows of a row.
        row_height: pixels.
        whole_rows: show only as many rows as fit whole, the first ones, instead of scrolling.
    """

    row_chosen = Signal(object, int)
    """A row was clicked or entered: its object, and the column."""

    def __init__(self, columns: Sequence[Column], *, row_height: int = 26, whole_rows: bool = False) -> None:
        super().__init__()
        self._row_height = row_height
        self._whole_rows = whole_rows
        self._rows: list[Any] = []
        self.table = RowModel(columns)
        self.setModel(self.table)
        self.setItemDelegate(_PaintedCells(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if whole_rows:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        else:
            self.setMouseTracking(True)
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
            self.clicked.connect(
                lambda index: self.row_chosen.emit(self.table.rows[index.row()], index.column())
            )
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(row_height)
        self.verticalHeader().setMinimumSectionSize(row_height)
        header = self.horizontalHeader()
        header.setFont(label_font())
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setFixedHeight(row_height)
        header.setMinimumSectionSize(20)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Show these rows."""
        self._rows = list(rows)
        self._show_what_fits()

    def capacity(self) -> int:
        """How many whole rows there is room for."""
        return max((self.height() - self.horizontalHeader().height()) // self._row_height, 0)

    def selected_row(self) -> Any | None:
        """The selected row's object, or None."""
        rows = self.selectionModel().selectedRows()
        return self.table.rows[rows[0].row()] if rows else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.selected_row()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.row_chosen.emit(row, 0)
            return
        super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._row_height * 2)

    def sizeHint(self) -> QSize:
        return QSize(320, self._row_height * 6)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        self.table.show_rows(self._rows[: self.capacity()] if self._whole_rows else self._rows)

    def _share_width(self) -> None:
        """Give each column its width, take from those that may shrink or go, and fill with the open ones."""
        shown = list(enumerate(self.table.columns))
        room = self.viewport().width()
        if _least_width([column for _index, column in shown]) > room:
            shown = [(index, column) for index, column in shown if not column.optional]
        for index in range(len(self.table.columns)):
            self.setColumnHidden(index, all(index != kept for kept, _column in shown))
        fixed = sum(column.width for _index, column in shown)
        takers = [index for index, column in shown if not column.width] or [index for index, _column in shown]
        missing = fixed + _LEAST_OPEN * len(takers) - room
        slack = sum(column.width - (column.least or column.width) for _index, column in shown)
        part = min(max(missing, 0) / slack, 1.0) if slack else 0.0
        widths = {
            index: column.width - round((column.width - (column.least or column.width)) * part)
            for index, column in shown
        }
        spare = max(room - sum(widths.values()), 0) // len(takers)
        for index, width in widths.items():
            self.setColumnWidth(index, width + (spare if index in takers else 0))


def _least_width(columns: list[Column]) -> int:
    return sum((column.least or column.width) or _LEAST_OPEN for column in columns)
