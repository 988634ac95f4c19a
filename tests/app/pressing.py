"""Buttons of the window, pressed by their text as a person finds them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot


def press(qtbot: QtBot, within: QWidget, text: str) -> None:
    """Click the button with this text, which must be on."""
    button = next(one for one in within.findChildren(QPushButton) if one.text() == text)
    assert button.isEnabled(), button.toolTip()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
