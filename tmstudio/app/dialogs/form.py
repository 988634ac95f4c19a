"""What the dialogs that make something have in common: a heading, columns, a fault, and the button that makes it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from tmstudio.app.widgets.inputs import button
from tmstudio.app.widgets.text import fault_text, heading


class FormDialog(QDialog):
    """A modal dialog with columns above and its fault and buttons below.

    Args:
        title: what it makes, in its frame and as its heading.
        verb: the button that makes it.
        finish: what that button does.
        parent: the window it belongs to.
    """

    def __init__(
        self, title: str, verb: str, finish: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)
        self.fault = fault_text()
        """What is wrong with the whole, empty where nothing is."""
        self.finish_button = button(verb, finish, kind="primary")
        self.finish_button.setDefault(True)

    def lay_out(self, *columns: tuple[QWidget | QLayout, int]) -> None:
        """Fill the dialog, once: its columns from left to right, each with its share of the width.

        Everything comes into the dialog here and in this order, in which Tab goes through it.
        """
        above = QHBoxLayout()
        above.setSpacing(12)
        last = QHBoxLayout()
        last.setSpacing(8)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(18, 16, 18, 16)
        whole.setSpacing(14)
        whole.addWidget(heading(self.windowTitle()))
        whole.addLayout(above, 1)
        whole.addLayout(last)
        for column, stretch in columns:
            if isinstance(column, QLayout):
                above.addLayout(column, stretch)
            else:
                above.addWidget(column, stretch)
        last.addWidget(self.fault, 1)
        last.addWidget(button("Cancel", self.reject))
        last.addWidget(self.finish_button)
