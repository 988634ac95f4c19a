"""Crashes and uncaught exceptions: kept in files, told in the window, never on a worker's thread.

A crash of the interpreter itself writes a traceback of all threads through `faulthandler`, which the next start
shows. An uncaught Python exception only records and signals: the hook may run on any thread.
"""

from __future__ import annotations

import faulthandler
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from PySide6.QtCore import QObject, Signal

from tmstudio import __version__
from tmstudio.config import folders

_CRASH = "studio-crash.log"
_ERRORS = "studio-errors.log"
_MOST_BYTES = 1_000_000


class Reporter(QObject):
    """Tells about uncaught exceptions: connect `reported` to whoever shows them."""

    reported = Signal(str, str)
    """One line, and all details."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._folder = folder or folders.logs()
        self._crash_file: IO[Any] | None = None
        self._hooks: tuple[Any, Any] | None = None

    def install(self) -> str:
        """Take over from now on; returns what the last start left behind when it crashed, or nothing."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / _CRASH
        try:
            last = path.read_text(errors="replace")[-20_000:].strip()
        except OSError:
            last = ""
        self._crash_file = path.open("w")
        faulthandler.enable(self._crash_file, all_threads=True)
        self._hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._record
        threading.excepthook = lambda info: self._record(
            info.exc_type, info.exc_value or info.exc_type(), info.exc_traceback
        )
        return last

    def uninstall(self) -> None:
        """Give the hooks back, at a clean end."""
        if self._hooks is not None:
            sys.excepthook, threading.excepthook = self._hooks
            self._hooks = None
        if self._crash_file is not None:
            faulthandler.disable()
            self._crash_file.close()
            self._crash_file = None

    def _record(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        text = f"TMStudio {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n{details}"
        print(text, file=sys.stderr)  # noqa: T201 - a terminal may be watching
        try:
            path = self._folder / _ERRORS
            if path.exists() and path.stat().st_size > _MOST_BYTES:
                path.replace(path.with_suffix(".1.log"))
            with path.open("a") as file:
                file.write(text + "\n")
        except OSError:
            pass  # the window still tells
        self.reported.emit(f"{kind.__name__}: {error}", text)
