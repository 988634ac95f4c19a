"""Starts the workers of a run, finds running ones again, and tells how each ended.

The learner is started detached and may outlive the window. The driver belongs to the window and ends with it;
only a person who closes the window and lets the run go on starts a detached one. Whoever started a worker, it is
found by its job file and steered by Control calls.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from tmstudio.app.outcome import End, ProcessOutcome, outcome_of
from tmstudio.runs.events import last_lines, log_file
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import Job, is_alive, job_file, program

ANNOUNCE_WITHIN_S = 60.0
"""A worker that has not announced itself after this time is given up."""

STOP_WITHIN_S = 15.0
"""A worker that was told to stop is killed after this time."""

DRIVER_ID = "actor-1"
"""The name of the driver that a window starts."""

_EXCEPTION = re.compile(r"[A-Za-z_.]+(Error|Exception|Interrupt|Exit)\b")
# What a session of its own is on POSIX systems.
_OWN_SESSION = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
_LOOK_EVERY_MS = 500
_LOG_LINES = 12


class _Detached:
    """A worker in a session of its own: it outlives this process, and until then its exit code is known.

    Qt can start such a process too, but tells neither its id nor how it ended.
    """

    def __init__(self, command: list[str], log: Path) -> None:
        self.started_at = time.monotonic()
        self.announced = False
        log.parent.mkdir(exist_ok=True)
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                creationflags=_OWN_SESSION,
            )

    def ended_with(self) -> int | None:
        """Its exit code, negative for the signal that ended it; None while it runs."""
        return self._process.poll()

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def let_go(self) -> None:
        """Leave it to itself: nobody waits for its end any more."""
        if self._process.poll() is None:
            self._process.returncode = 0  # else Python complains that it was forgotten


class Supervisor(QObject):
    """The workers of one run.

    Args:
        run: the run.
    """

    changed = Signal()
    """Something about the workers is different now."""
    ended = Signal(object, list)
    """A worker has ended: its `ProcessOutcome`, and the last lines of its log."""

    def __init__(self, run: RunFolder) -> None:
        super().__init__()
        self.run = run
        self.stopping = False
        self._jobs: dict[str, Job] = {}
        self._driver: QProcess | None = None
        self._learner: _Detached | None = None
        self._stop_deadline: float | None = None
        self._settled: set[str] = set()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    # What is known

    def job(self, role: str) -> Job | None:
        """The announced live worker with this role, or None."""
        return self._jobs.get(role)

    def starting(self) -> bool:
        """Whether a worker was started and has not announced itself yet."""
        learner = self._learner is not None and "learner" not in self._jobs
        driver = self._driver is not None and "actor" not in self._jobs
        return learner or driver

    def owns_driver(self) -> bool:
        """Whether the driver ends with this window."""
        return self._driver is not None

    def set_jobs(self, jobs: list[Job]) -> None:
        """Take in which workers are alive, as the run folder tells."""
        before, self._jobs = self._jobs, {job.role: job for job in jobs}
        if self._learner is not None and "learner" in self._jobs:
            self._learner.announced = True
        for role, job in before.items():
            now = self._jobs.get(role)
            if now is None and not self._is_mine(role):
                self._tell_end(self._outcome_of_stranger(role, job))
            elif now is not None and now != job:
                self._settled.discard(role)
        if before != self._jobs:
            self.changed.emit()

    # What can be done

    def start(self) -> None:
        """Start what does not run: learner, driver, or both."""
        self.stopping = False
        self._stop_deadline = None
        if "learner" not in self._jobs and self._learner is None:
            self.start_learner()
        if "actor" not in self._jobs and self._driver is None:
            self.start_driver()

    def start_learner(self) -> None:
        """Start the learner, detached."""
        self._settled.discard("learner")
        try:
            self._learner = _Detached(self._command("learner", []), self._log("learner"))
        except OSError as error:
            self._tell_end(ProcessOutcome("learner", End.NOT_STARTED, reason=str(error)))
        self.changed.emit()

    def start_driver(self) -> None:
        """Start the driver, which ends when this window's process ends."""
        self._settled.discard("actor")
        command = self._command("actor", ["--name", DRIVER_ID, "--parent-bound"])
        process = QProcess(self)
        process.setProgram(command[0])
        process.setArguments(command[1:])
        process.setStandardOutputFile(QProcess.nullDevice())
        log = self._log("actor")
        log.parent.mkdir(exist_ok=True)
        process.setStandardErrorFile(str(log), QProcess.OpenModeFlag.Append)
        process.finished.connect(self._driver_finished)
        process.errorOccurred.connect(self._driver_error)
        self._driver = process
        process.start()
        self.changed.emit()

    def start_detached_driver(self) -> bool:
        """Start a driver that goes on without the window; whether that worked."""
        try:
            _Detached(self._command("actor", ["--name", DRIVER_ID]), self._log("actor")).let_go()
        except OSError:
            return False
        return True

    def dismiss_driver(self, tell: Callable[[], object]) -> None:
        """Let this window's driver end, so that a detached one can take its place; its end is then no news."""
        self._settled.add("actor")
        tell()

    def begin_stop(self) -> None:
        """Note that the workers were told to stop; they are killed if they do not.

        One that cannot take calls yet is told by a signal.
        """
        self.stopping = True
        if self._learner is not None and "learner" not in self._jobs:
            self._learner.terminate()
        if self._driver is not None and "actor" not in self._jobs:
            self._driver.terminate()
        self._stop_deadline = time.monotonic() + STOP_WITHIN_S
        self.changed.emit()

    def alive(self) -> bool:
        """Whether any worker is at work, announced or not."""
        return bool(self._jobs) or self._driver is not None or self._learner is not None

    def release(self) -> None:
        """Let go of everything: the end of the window. The driver notices the end of its input."""
        self._timer.stop()
        if self._learner is not None:
            self._learner.let_go()
            self._learner = None
        if self._driver is not None:
            self._driver.finished.disconnect(self._driver_finished)
            self._driver.errorOccurred.disconnect(self._driver_error)
            self._driver.closeWriteChannel()
            if not self._driver.waitForFinished(4000):
                self._driver.kill()
                self._driver.waitForFinished(2000)
            self._driver = None

    # How workers come and go

    def _command(self, role: str, arguments: list[str]) -> list[str]:
        return [*program(), role, str(self.run.path), *arguments]

    def _log(self, role: str) -> Path:
        return log_file(self.run.path, DRIVER_ID if role == "actor" else role)

    def _driver_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        crashed = status == QProcess.ExitStatus.CrashExit
        self._drop_driver()
        self._tell_end(
            outcome_of(
                "actor",
                code=code,
                crashed=crashed,
                asked_to_stop=self.stopping,
                reason=self._own_words("actor", code),
            )
        )
        self.changed.emit()

    def _driver_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._driver is not None:
            reason = self._driver.errorString()
            self._drop_driver()
            self._tell_end(ProcessOutcome("actor", End.NOT_STARTED, reason=reason))
            self.changed.emit()

    def _drop_driver(self) -> None:
        if self._driver is not None:
            self._driver.deleteLater()
        self._driver = None
        self._jobs.pop("actor", None)

    def _look(self) -> None:
        """Notice the end of a learner started here, and workers that do not stop."""
        now = time.monotonic()
        learner = self._learner
        if learner is not None:
            self._look_at_learner(learner, now)
        if self._stop_deadline is not None and now > self._stop_deadline:
            self._stop_deadline = None
            self._kill_all()
        if self.stopping and not self.alive():
            self.stopping = False
            self._stop_deadline = None
            self.changed.emit()

    def _look_at_learner(self, learner: _Detached, now: float) -> None:
        code = learner.ended_with()
        if code is None and not learner.announced and now - learner.started_at > ANNOUNCE_WITHIN_S:
            learner.kill()
            return  # the next look finds how it ended
        if code is None:
            return
        self._learner = None
        self._jobs.pop("learner", None)
        reason = self._last_error("learner") if code > 0 else ""
        self._tell_end(
            outcome_of(
                "learner", code=abs(code), crashed=code < 0, asked_to_stop=self.stopping, reason=reason
            )
        )
        self.changed.emit()

    def _kill_all(self) -> None:
        for job in self._jobs.values():
            if is_alive(job):
                try:
                    psutil.Process(job.pid).kill()
                except psutil.Error:
                    continue  # it has just gone
        if self._driver is not None:
            self._driver.kill()
        if self._learner is not None:
            self._learner.kill()

    def _is_mine(self, role: str) -> bool:
        return self._driver is not None if role == "actor" else self._learner is not None

    def _tell_end(self, outcome: ProcessOutcome) -> None:
        if outcome.role in self._settled:
            return
        self._settled.add(outcome.role)
        self.ended.emit(outcome, list(last_lines(self._log(outcome.role), _LOG_LINES)))

    def _outcome_of_stranger(self, role: str, job: Job | None) -> ProcessOutcome:
        """The end of a worker whose exit code nobody got: from what it left behind."""
        if job is not None and not job_file(self.run.path, role, job.actor_id).exists():
            # It took its announcement back, which a worker does at a clean end only.
            return ProcessOutcome(role, End.STOPPED if self.stopping else End.FINISHED)
        error = self._last_error(role)
        if error:
            return ProcessOutcome(role, End.FAILED, code=1, reason=error)
        return ProcessOutcome(role, End.VANISHED)

    def _own_words(self, role: str, code: int) -> str:
        return self._last_error(role) if code else ""

    def _last_error(self, role: str) -> str:
        """The message of the error that the last lines of a worker's log end with, or nothing."""
        lines = last_lines(self._log(role), _LOG_LINES)
        for line in reversed(lines):
            if line.startswith("error: "):
                return line.removeprefix("error: ")
        last = next((line for line in reversed(lines) if line.strip()), "")
        return last if _EXCEPTION.match(last) else ""
