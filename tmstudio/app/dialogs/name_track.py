"""Asks for the name of a track: of one that is renamed, or of its copy."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from tmstudio.app.theme import font
from tmstudio.app.widgets.inputs import button, switch
from tmstudio.app.widgets.text import fault_text, heading
from tmstudio.track.library import name_fault


class NameDialog(QDialog):
    """One line for a name, checked while it is typed.

    Args:
        title: what is going to happen.
        name: the name to begin with.
        taken: names that other tracks have.
        verb: the button.
        take: gets the name.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        title: str,
        name: str,
        taken: list[str],
        verb: str,
        take: Callable[[str], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)
        self.setMinimumWidth(420)
        self._taken = {other.lower() for other in taken}
        self._take = take
        self.edit = QLineEdit(name)
        self.edit.setFont(font(13, 500))
        self.edit.setAccessibleName("Name")
        self.edit.selectAll()
        self.edit.textEdited.connect(lambda _text: self._check())
        self.fault = fault_text()
        self.accept_button = button(verb, self._finish, kind="primary")
        self.accept_button.setDefault(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(heading(title))
        column.addWidget(self.edit)
        column.addWidget(self.fault)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(button("Cancel", self.reject))
        row.addWidget(self.accept_button)
        column.addLayout(row)
        self._check()

    def _check(self) -> None:
        fault = fault_of_name(self.edit.text().strip(), self._taken)
        self.fault.setText(fault)
        switch(self.accept_button, fault)

    def _finish(self) -> None:
        self._take(self.edit.text().strip())
        self.accept()


def fault_of_name(name: str, taken: set[str]) -> str:
    """Why a track cannot have this name, as a sentence; nothing where it can.

    Args:
        name: what was typed.
        taken: names of the other tracks, in lower case.
    """
    fault = name_fault(name)
    if not fault and name.lower() in taken:
        fault = "there is a track of this name already"
    return f"{fault[:1].upper()}{fault[1:]}." if fault else ""
