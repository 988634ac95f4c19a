"""Colours and type of the studio. Nothing else names a colour or a font.

A painted widget asks `tokens()` each time it paints; everything else is coloured by the style sheet that
`style.style_sheet` makes of the same tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from tmstudio.config.assets import asset


@dataclass(frozen=True)
class Tokens:
    """The colours of one theme, as ``#rrggbb``."""

    name: str
    ground: str
    panel: str
    raised: str
    line: str
    text: str
    muted: str
    accent: str
    blue: str
    amber: str
    red: str
    violet: str
    on_accent: str
    """Text on a surface filled with the accent."""
    hover: str
    """A raised surface under the pointer."""
    road: str
    """The road in a view from above."""

    def color(self, token: str, alpha: float = 1.0) -> QColor:
        """The colour named by a field, with an opacity from 0 to 1."""
        color = QColor(getattr(self, token))
        color.setAlphaF(alpha)
        return color


DARK = Tokens(
    name="dark",
    ground="#101317",
    panel="#171b21",
    raised="#1e232b",
    line="#2a313b",
    text="#e8ecf2",
    muted="#8d97a6",
    accent="#35d6a4",
    blue="#5aa9ff",
    amber="#ffb454",
    red="#ff6b6b",
    violet="#b490ff",
    on_accent="#08130f",
    hover="#272e38",
    road="#232932",
)
LIGHT = Tokens(
    name="light",
    ground="#f4f6f9",
    panel="#ffffff",
    raised="#eef1f5",
    line="#d9dee6",
    text="#17202c",
    muted="#5d6878",
    accent="#0b7a5c",
    blue="#1c66c4",
    amber="#8f5500",
    red="#c22f2f",
    violet="#6d45c9",
    on_accent="#ffffff",
    hover="#e3e8ee",
    road="#e4e8ee",
)


class ThemeMode(StrEnum):
    """What the user chose; `SYSTEM` follows the desktop."""

    SYSTEM = "system"
    DARK = "dark"
    LIGHT = "light"


class Theme(QObject):
    """The theme in force. There is one in the program: `theme()`."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.mode = ThemeMode.SYSTEM
        self.tokens = DARK
        self._applied: Tokens | None = None

    def set_mode(self, mode: ThemeMode) -> None:
        """Choose a theme and colour the running program with it."""
        self.mode = mode
        self._apply()

    def follow_desktop(self) -> None:
        """Take part in changes of the desktop's own theme from now on."""
        QApplication.styleHints().colorSchemeChanged.connect(self._apply)

    def _apply(self) -> None:
        light = self.mode is ThemeMode.LIGHT
        if self.mode is ThemeMode.SYSTEM:
            light = QApplication.styleHints().colorScheme() == Qt.ColorScheme.Light
        self.tokens = LIGHT if light else DARK
        if self.tokens is self._applied:
            return
        self._applied = self.tokens
        application = QApplication.instance()
        if isinstance(application, QApplication):
            from tmstudio.app.style import style_sheet  # the style sheet needs the tokens, defined here

            application.setPalette(_palette(self.tokens))
            application.setStyleSheet(style_sheet(self.tokens))
        self.changed.emit()


_THEME: Theme | None = None


def theme() -> Theme:
    """The program's theme; made at its first use."""
    global _THEME  # noqa: PLW0603 - one theme a process is the point
    if _THEME is None:
        _THEME = Theme()
    return _THEME


def tokens() -> Tokens:
    """The colours in force."""
    return theme().tokens


_FAMILY = "Inter"
_WEIGHTS = {
    400: QFont.Weight.Normal,
    500: QFont.Weight.Medium,
    600: QFont.Weight.DemiBold,
    700: QFont.Weight.Bold,
}
_FACES = ("Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf", "Inter-Bold.otf")


def load_fonts() -> None:
    """Make the shipped faces known to Qt and set the program's font."""
    if _FAMILY not in QFontDatabase.families():
        for face in _FACES:
            QFontDatabase.addApplicationFont(str(asset("fonts", face)))
    QApplication.setFont(font(13))


def font(pixels: int, weight: int = 400, *, spacing: float = 0.0) -> QFont:
    """Inter with figures of equal width, so that changing numbers stand still.

    Args:
        pixels: size at 100 % scale.
        weight: 400, 500, 600 or 700.
        spacing: extra space between letters in pixels.
    """
    made = QFont(_FAMILY)
    made.setPixelSize(pixels)
    made.setWeight(_WEIGHTS[weight])
    made.setFeature(QFont.Tag("tnum"), 1)
    if spacing:
        made.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, spacing)
    return made


def label_font() -> QFont:
    """The font of spaced uppercase labels."""
    return font(11, 600, spacing=0.4)


def mono_font() -> QFont:
    """The system's monospaced font, for logs and paths only."""
    made = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    made.setPixelSize(12)
    return made


def _palette(colors: Tokens) -> QPalette:
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: colors.ground,
        QPalette.ColorRole.WindowText: colors.text,
        QPalette.ColorRole.Base: colors.panel,
        QPalette.ColorRole.AlternateBase: colors.raised,
        QPalette.ColorRole.Text: colors.text,
        QPalette.ColorRole.Button: colors.raised,
        QPalette.ColorRole.ButtonText: colors.text,
        QPalette.ColorRole.ToolTipBase: colors.raised,
        QPalette.ColorRole.ToolTipText: colors.text,
        QPalette.ColorRole.PlaceholderText: colors.muted,
        QPalette.ColorRole.Highlight: colors.accent,
        QPalette.ColorRole.HighlightedText: colors.on_accent,
        QPalette.ColorRole.Link: colors.blue,
    }
    for role, value in roles.items():
        palette.setColor(role, QColor(value))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colors.muted))
    return palette
