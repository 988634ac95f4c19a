"""Dialogs that tell what went wrong, and the one that asks what becomes of a training run at the end."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from tmstudio.app.theme import font, mono_font
from tmstudio.app.widgets.inputs import button
from tmstudio.app.widgets.text import heading, muted, value
from tmstudio.errors import TMStudioError

_NARROW, _WIDE = 500, 700


class MessageDialog(QDialog):
    """What happened, why, what to do, and the details to copy.

    Args:
        title: what happened.
        cause: the likely cause.
        hint: what to do next.
        details: a traceback or a log.
        parent: the window it belongs to.
    """

    def __init__(
        self, title: str, *, cause: str = "", hint: str = "", details: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("TMStudio")
        self.setModal(True)
        self._all = "\n".join(part for part in (title, cause, hint, details) if part)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        head = heading(title)
        head.setWordWrap(True)
        column.addWidget(head)
        for name, text in (("Cause", cause), ("Try", hint)):
            if text:
                column.addWidget(_paragraph(name, text))
        self.details = QPlainTextEdit(details)
        self.details.setReadOnly(True)
        self.details.setFont(mono_font())
        self.details.setMinimumSize(620, 220)
        self.details.setVisible(bool(details))
        column.addWidget(self.details, 1)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.copy_button = button("Copy details", self._copy)
        row.addWidget(self.copy_button)
        row.addStretch(1)
        close = button("Close", self.accept, kind="primary")
        close.setDefault(True)
        row.addWidget(close)
        column.addSpacing(4)
        column.addLayout(row)
        close.setFocus()
        width = _WIDE if details else _NARROW
        self.resize(width, max(column.heightForWidth(width), column.sizeHint().height() if details else 0))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._all)
        self.copy_button.setText("Copied")


def error_dialog(error: TMStudioError, parent: QWidget | None = None) -> MessageDialog:
    """The dialog for a fault that a person can do something about."""
    return MessageDialog(error.message, cause=error.cause, hint=error.hint, parent=parent)


def bug_dialog(summary: str, details: str, parent: QWidget | None = None) -> MessageDialog:
    """The dialog for a fault of the program itself."""
    return MessageDialog(
        "Something in TMStudio went wrong.",
        cause=summary,
        hint="What runs goes on. If it happens again, report it with the details below.",
        details=details,
        parent=parent,
    )


def _paragraph(name: str, text: str) -> QLabel:
    made = QLabel(f"<b>{name}</b>&nbsp; {_escaped(text)}")
    made.setTextFormat(Qt.TextFormat.RichText)
    made.setFont(font(13))
    made.setWordWrap(True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>")


class AtClosing(Enum):
    """What becomes of runs that train when the window closes."""

    KEEP = "keep running"
    STOP = "stop and save"
    CANCEL = "cancel"


class ClosingDialog(QDialog):
    """Asks what becomes of the runs that are at work.

    Args:
        names: their names.
        parent: the window it belongs to.
    """

    def __init__(self, names: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("TMStudio")
        self.setModal(True)
        self.choice = AtClosing.CANCEL
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        one = len(names) == 1
        column.addWidget(heading(f"{names[0]} is training." if one else f"{len(names)} runs are training."))
        if not one:
            column.addWidget(value(", ".join(names)))
        column.addWidget(
            muted("It can go on without this window, and you find it again at the next start.", wrap=True)
        )
        column.addSpacing(6)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        for text, choice, kind in (
            ("Cancel", AtClosing.CANCEL, ""),
            ("Stop and save", AtClosing.STOP, ""),
            ("Keep running", AtClosing.KEEP, "primary"),
        ):
            made = button(text, lambda choice=choice: self._choose(choice), kind=kind)
            made.setDefault(choice is AtClosing.KEEP)
            row.addWidget(made)
        column.addLayout(row)

    def _choose(self, choice: AtClosing) -> None:
        self.choice = choice
        self.accept()


class LongerDialog(QDialog):
    """Asks for how many minutes more a finished run shall train.

    Args:
        trained: how long it has trained, for the text.
        parent: the window it belongs to.
    """

    CHOICES = (2, 10, 30, 60, 480)

    def __init__(self, trained: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Train longer")
        self.setModal(True)
        self.minutes = 0
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(heading("Train longer"))
        column.addWidget(
            muted(f"The run has trained {trained} and goes on from there. How much longer?", wrap=True)
        )
        row = QHBoxLayout()
        row.setSpacing(8)
        for minutes in self.CHOICES:
            text = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h"
            row.addWidget(button(text, lambda minutes=minutes: self._choose(minutes)))
        row.addStretch(1)
        column.addLayout(row)
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(button("Cancel", self.reject))
        column.addLayout(last)

    def _choose(self, minutes: int) -> None:
        self.minutes = minutes
        self.accept()
