"""Opens the studio."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QApplication

from tmstudio.app.display import check_display
from tmstudio.app.single_instance import RaiseServer, raise_running_studio


def main(argv: Sequence[str]) -> int:
    """Open the studio's window and return the program's exit code when it closes.

    Args:
        argv: arguments for Qt itself, such as ``-platform``.

    Raises:
        TMStudioError: there is no display.
    """
    check_display()
    application = QApplication.instance() or QApplication(["tmstudio", *argv])
    assert isinstance(application, QApplication)
    application.setApplicationName("TMStudio")
    application.setDesktopFileName("tmstudio")
    if raise_running_studio():
        print("TMStudio is open already; its window was brought to the front.")  # noqa: T201 - for a terminal
        return 0
    server = RaiseServer()
    server.listen()
    try:
        return _run(application, server)
    finally:
        server.close()


def _run(application: QApplication, server: RaiseServer) -> int:
    # Imported only now: a second start that raises the first window needs none of it.
    from tmstudio.app.background import finish_background
    from tmstudio.app.crash import Reporter
    from tmstudio.app.settings import load_settings
    from tmstudio.app.studio import Studio
    from tmstudio.app.theme import ThemeMode, load_fonts, theme
    from tmstudio.app.window import MainWindow

    reporter = Reporter()
    last_crash = reporter.install()
    settings = load_settings()
    load_fonts()
    theme().set_mode(ThemeMode(settings.theme))
    theme().follow_desktop()
    window = MainWindow(Studio(settings), last_crash)
    server.wanted.connect(window.raise_window)
    reporter.reported.connect(window.show_bug)
    window.show()
    try:
        return application.exec()
    finally:
        finish_background()
        reporter.uninstall()
