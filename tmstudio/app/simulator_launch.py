"""Opens the simulator in a process of its own: it drives at 100 Hz whatever the studio does."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QProcess

from tmstudio.errors import TMStudioError
from tmstudio.runs.jobs import program


def open_simulator(track: str, parent: QObject, failed: Callable[[TMStudioError], object]) -> None:
    """Open the simulator's window on a track.

    Args:
        track: name of the track; the simulator's own choice where empty.
        parent: whose process it is; the simulator closes with it.
        failed: told when it cannot be opened.
    """
    command = [*program(), "simulator", *(["--track", track] if track else [])]
    process = QProcess(parent)
    process.setProgram(command[0])
    process.setArguments(command[1:])
    process.setStandardOutputFile(QProcess.nullDevice())

    def ended(code: int, status: QProcess.ExitStatus) -> None:
        words = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        process.deleteLater()
        if code != 0 or status == QProcess.ExitStatus.CrashExit:
            last = words.splitlines()[-1] if words else f"it ended with code {code}"
            failed(TMStudioError("The simulator has ended unexpectedly.", cause=last, hint="open it again"))

    process.finished.connect(ended)
    process.errorOccurred.connect(
        lambda error: (
            failed(TMStudioError("The simulator could not be opened.", cause=process.errorString()))
            if error == QProcess.ProcessError.FailedToStart
            else None
        )
    )
    process.start()
