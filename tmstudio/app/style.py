"""The style sheet of the studio, made of the theme's tokens.

Widgets are addressed by the properties ``role`` (what a text or frame is) and ``kind`` (what a button does).
Sizes and weights of type are set as fonts, not here: a style sheet would lose the tabular figures.
"""

from __future__ import annotations

from string import Template

from tmstudio.app.theme import Tokens

_SHEET = Template("""
QMainWindow, QDialog, QWidget[role="ground"] { background: $ground; }
QWidget { color: $text; }
QLabel { background: transparent; }
QLabel:disabled { color: $muted; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 5px 8px; }

QWidget[role="nav"] { background: $panel; border: none; border-right: 1px solid $line; }
QWidget[role="header"] { background: $ground; border: none; border-bottom: 1px solid $line; }
QFrame[role="panel"] { background: $panel; border: 1px solid $line; border-radius: 10px; }
QFrame[role="panel-active"] { background: $panel; border: 1px solid $accent; border-radius: 10px; }
QFrame[role="panel-picture"] { background: $panel; border: 1px solid $line; border-radius: 10px; }
QFrame[role="banner-red"] { background: $panel; border: 1px solid $red; border-radius: 10px; }
QFrame[role="banner-amber"] { background: $panel; border: 1px solid $amber; border-radius: 10px; }
QFrame[role="banner-blue"] { background: $panel; border: 1px solid $blue; border-radius: 10px; }
QFrame[role="rule"] { background: $line; border: none; max-height: 1px; min-height: 1px; }

QLabel[role="muted"] { color: $muted; }
QLabel[role="label"] { color: $muted; }
QLabel[role="accent"] { color: $accent; }
QLabel[role="blue"] { color: $blue; }
QLabel[role="amber"] { color: $amber; }
QLabel[role="red"] { color: $red; }

QPushButton {
    background: $raised; color: $text; border: 1px solid $line; border-radius: 7px; padding: 0px 13px;
    min-height: 28px;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $line; }
QPushButton:focus { border: 1px solid $accent; }
QPushButton:disabled { color: $muted; background: transparent; border: 1px solid $line; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border: 1px solid $accent; }
QPushButton[kind="primary"]:hover { background: $accent; border: 1px solid $text; }
QPushButton[kind="primary"]:focus { border: 2px solid $text; padding: 0px 12px; min-height: 26px; }
QPushButton[kind="primary"]:disabled { background: transparent; color: $muted; border: 1px solid $line; }
QPushButton[kind="danger"] { color: $red; }
QPushButton[kind="danger"]:disabled { color: $muted; }
QPushButton[kind="link"] {
    background: transparent; border: 1px solid transparent; color: $blue; padding: 0px 4px; min-height: 20px;
}
QPushButton[kind="link"]:hover { color: $text; }
QPushButton[kind="link"]:focus { border: 1px solid $blue; }
QPushButton[kind="link"]:disabled { color: $muted; }
QPushButton[kind="nav"] {
    background: transparent; border: none; border-radius: 7px; color: $muted; text-align: left;
    padding: 0px 12px; min-height: 32px;
}
QPushButton[kind="nav"]:hover { background: $raised; color: $text; }
QPushButton[kind="nav"]:focus { border: 1px solid $accent; padding: 0px 11px; }
QPushButton[kind="nav"]:checked { background: $raised; color: $text; }

QLineEdit, QAbstractSpinBox, QComboBox {
    background: $raised; color: $text; border: 1px solid $line; border-radius: 7px; padding: 0px 9px;
    min-height: 28px; selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus { border: 1px solid $accent; }
QLineEdit[fault="true"], QAbstractSpinBox[fault="true"], QComboBox[fault="true"] { border: 1px solid $red; }
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled { color: $muted; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0px; border: none; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: none; width: 0px; height: 0px; }
QComboBox QAbstractItemView {
    background: $raised; color: $text; border: 1px solid $line; outline: none; padding: 4px;
    selection-background-color: $hover; selection-color: $text;
}
QComboBox QAbstractItemView::item { min-height: 28px; padding: 0px 8px; }

QTableView {
    background: transparent; border: none; gridline-color: transparent; outline: none;
    selection-background-color: $raised; selection-color: $text;
}
QTableView::item { border: none; border-bottom: 1px solid $line; padding: 0px 5px; }
QTableView::item:selected { background: $raised; color: $text; }
QTableView QTableCornerButton::section { background: transparent; border: none; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section {
    background: transparent; color: $muted; border: none; border-bottom: 1px solid $line; padding: 0px 8px;
    font-size: 11px; font-weight: 600;
}

QPlainTextEdit {
    background: $ground; color: $text; border: 1px solid $line; border-radius: 7px; padding: 6px;
    selection-background-color: $accent; selection-color: $on_accent;
}
QScrollArea { background: transparent; border: none; }
QWidget[role="scrolled"] { background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0px; }
QScrollBar::handle:vertical { background: $line; border-radius: 4px; min-height: 28px; margin: 1px; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0px; }
QScrollBar::handle:horizontal { background: $line; border-radius: 4px; min-width: 28px; margin: 1px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {
    background: transparent; border: none; width: 0px; height: 0px;
}
QMenu { background: $raised; color: $text; border: 1px solid $line; padding: 5px; }
QMenu::item { padding: 6px 18px; border-radius: 5px; }
QMenu::item:selected { background: $hover; }
QMenu::item:disabled { color: $muted; }
QProgressBar { background: $raised; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
""")


def style_sheet(colors: Tokens) -> str:
    """The whole style sheet in the given colours."""
    return _SHEET.substitute(vars(colors))
