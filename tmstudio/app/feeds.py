"""Threads that read a run for the window: its files twice a second, its driver's ring sixty times.

The window's thread only ever takes what lies ready.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from tmstudio.app.live_data import LiveBatch, LiveSource
from tmstudio.app.run_data import MetricsCursor, MetricsDelta
from tmstudio.app.supervisor import DRIVER_ID
from tmstudio.errors import TMStudioError
from tmstudio.runs.events import EventReader, log_file
from tmstudio.runs.jobs import Job, live_jobs
from tmstudio.runs.metrics import MetricsReader

_FILES_EVERY_S = 0.4
_RING_EVERY_S = 1 / 60
_REPEAT_FAULT_S = 5.0
_LOG_PIECE_BYTES = 65_536


@dataclass
class RunReport:
    """What a look into the run folder brought.

    Attributes:
        metrics: what was measured since the last look.
        jobs: who is at work now.
        left_behind: roles whose announcement is there without its process: they were killed.
        events: new events, oldest first.
        log_lines: new lines of the workers' own logs, each with the role in front.
        fault: why something could not be read, or nothing.
    """

    metrics: MetricsDelta = field(default_factory=MetricsDelta)
    jobs: list[Job] = field(default_factory=list)
    left_behind: tuple[str, ...] = ()
    events: list[dict[str, Any]] = field(default_factory=list)
    log_lines: list[str] = field(default_factory=list)
    fault: str = ""


class RunFeed(QObject):
    """Looks into a run folder again and again and signals each `RunReport`."""

    arrived = Signal(object)

    def __init__(self, run_path: Path, metrics_path: Path) -> None:
        super().__init__()
        self._run_path = run_path
        self._metrics = MetricsReader(metrics_path)
        self._cursor = MetricsCursor(self._metrics)
        self._events = EventReader(run_path)
        self._logs = {role: LogFollower(log_file(run_path, role)) for role in ("learner", DRIVER_ID)}
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=f"files of {run_path.name}")

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def look_now(self) -> None:
        """Do not wait for the next turn."""
        self._wake.set()

    def stop(self) -> None:
        """Stop looking, and wait until that is so."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        self._metrics.close()

    def _loop(self) -> None:
        while not self._stop.is_set():
            report = self._look()
            if self._stop.is_set():
                return
            self.arrived.emit(report)
            # Much to read comes in pieces with a pause, so that the window is never held up by a long history.
            self._wake.wait(0.02 if report.metrics.more else _FILES_EVERY_S)
            self._wake.clear()

    def _look(self) -> RunReport:
        report = RunReport()
        try:
            report.jobs = live_jobs(self._run_path)
            report.left_behind = self._left_behind(report.jobs)
            report.events = self._events.read()
            for role, follower in self._logs.items():
                report.log_lines += [f"{role}: {line}" for line in follower.read()]
            report.metrics = self._cursor.read()
        except TMStudioError as error:
            report.fault = str(error)
        except OSError as error:
            report.fault = f"The run's folder could not be read: {error}"
        return report

    def _left_behind(self, jobs: list[Job]) -> tuple[str, ...]:
        alive = {job.role for job in jobs}
        names = [path.stem.partition("-")[0] for path in (self._run_path / "jobs").glob("*.json")]
        return tuple(sorted({name for name in names if name not in alive}))


class LogFollower:
    """Reads what is added to a text file. It begins at the end: old lines belong to earlier starts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset: int | None = None

    def read(self) -> list[str]:
        """The whole lines since the last call."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, 2)
                if self._offset is None:
                    self._offset = size
                if size < self._offset:
                    self._offset = 0  # begun anew
                file.seek(self._offset)
                content = file.read(_LOG_PIECE_BYTES)
        except FileNotFoundError:
            self._offset = 0
            return []
        whole = content[: content.rfind(b"\n") + 1]
        self._offset += len(whole)
        return whole.decode("utf-8", errors="replace").splitlines()


class LiveFeed:
    """Looks into the driver's ring and lays what is new ready for the window.

    Looking is also what keeps the driver writing, so a window that shows nothing does not look.
    """

    def __init__(self, ring_path: Path) -> None:
        self.ring_path = ring_path
        self.fault = ""
        self._ready: deque[LiveBatch] = deque(maxlen=256)
        self._stop = threading.Event()
        self._shown = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=f"ring {ring_path.stem}")

    def start(self) -> None:
        """Begin to look."""
        self._shown.set()
        self._thread.start()

    def set_shown(self, shown: bool) -> None:
        """Look only while someone sees it."""
        if shown:
            self._shown.set()
        else:
            self._shown.clear()

    def take(self) -> list[LiveBatch]:
        """What lies ready, oldest first."""
        taken = []
        while self._ready:
            taken.append(self._ready.popleft())
        return taken

    def stop(self) -> None:
        """Stop looking, and wait until that is so."""
        self._stop.set()
        self._shown.set()
        if self._thread.is_alive():
            self._thread.join()

    def _loop(self) -> None:
        source = LiveSource(self.ring_path)
        while not self._stop.is_set():
            self._shown.wait()
            began = time.monotonic()
            try:
                batch = source.read()
            except TMStudioError as error:
                self.fault = str(error)
                self._stop.wait(_REPEAT_FAULT_S)
                source.close()
                source = LiveSource(self.ring_path)
                continue
            except Exception:  # noqa: BLE001 - a bug on this thread must be seen, not end the picture silently
                sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
                return
            if batch:
                self.fault = ""
                self._ready.append(batch)
            self._stop.wait(max(_RING_EVERY_S - (time.monotonic() - began), 0.002))
        source.close()
