"""One opened run: everything the window knows about it and does with it.

It brings supervisor, feeds and control calls together and boils them down to a `RunState`. Only one studio at a time
steers a run; a second one is told who does.
"""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import QObject, Signal

from tmstudio.app.control import ControlLine
from tmstudio.app.feeds import LiveFeed, RunFeed, RunReport
from tmstudio.app.log_text import event_line
from tmstudio.app.outcome import ProcessOutcome
from tmstudio.app.run_data import MetricsDelta, RunData
from tmstudio.app.run_state import RunState
from tmstudio.app.supervisor import DRIVER_ID, Supervisor
from tmstudio.errors import TMStudioError
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import Job
from tmstudio.runs.locks import FileLock, studio_lock
from tmstudio.track.geometry import Track

_LONGEST_GAP_S = 3.0
_MOST_LINES = 500


class RunSession(QObject):
    """An opened run.

    Args:
        run: the run.
        track: its track.

    Raises:
        TMStudioError: another studio steers it.
    """

    state_changed = Signal()
    metrics_arrived = Signal(object)
    """New metrics, a `MetricsDelta`; `data` holds them already."""
    log_arrived = Signal(list)
    worker_ended = Signal(object, list)
    """A worker ended by itself: its `ProcessOutcome` and its last lines."""
    told = Signal(str)
    """A sentence about a command that was carried out."""
    refused = Signal(object)
    """The `TMStudioError` of a command that was not."""

    def __init__(self, run: RunFolder, track: Track) -> None:
        super().__init__()
        self.run = run
        self.track = track
        self._lock: FileLock | None = studio_lock(run.path)
        self.data = RunData()
        self.state = RunState()
        self.statuses: dict[str, dict[str, Any]] = {}
        self.learner_seen_s: float | None = None
        """When the learner was last known to live, by the monotonic clock; None if it was not since the opening."""
        self.read_all = False
        """Whether all metrics that were there at the beginning have been read."""
        self._left_behind: tuple[str, ...] = ()
        self._metrics_s = time.monotonic()
        self.supervisor = Supervisor(run)
        self.control = ControlLine(lambda: run.token)
        self.feed = RunFeed(run.path, run.metrics_path)
        self.live: LiveFeed | None = None
        self.supervisor.changed.connect(self._judge)
        self.supervisor.ended.connect(self._worker_ended)
        self.control.answered.connect(lambda _name, text: self.told.emit(text))
        self.control.failed.connect(self._refuse)
        self.control.status.connect(self._take_status)
        self.feed.arrived.connect(self._take_report)
        self.feed.start()
        self.control.start()

    @property
    def name(self) -> str:
        """The run's name."""
        return self.run.name

    def training_time_s(self) -> float:
        """Time of training so far; between two measurements it is counted on while the learner works."""
        time_s = self.data.time_s()
        if self.state.learner and not self.state.paused and time_s > 0:
            time_s += min(time.monotonic() - self._metrics_s, _LONGEST_GAP_S)
        return time_s

    def replace_run(self, run: RunFolder) -> None:
        """Go on with the same run under a changed configuration, such as a larger budget."""
        self.run = run
        self.supervisor.run = run
        self._judge()

    def command(self, name: str) -> None:
        """Carry out a command of `run_state.COMMANDS`, or "unwatch"."""
        if name == "start":
            self.supervisor.start()
        elif name == "stop":
            self.stop()
        elif name in ("watch", "unwatch"):
            self.control.send("actor", name)
        else:
            self.control.send("learner", name)

    def stop(self) -> None:
        """Tell learner and driver to save and end."""
        self.supervisor.begin_stop()
        for role in ("learner", "actor"):
            if self.supervisor.job(role) is not None:
                self.control.send(role, "stop")

    def show_live(self, shown: bool) -> None:
        """Look into the driver's ring, or leave it alone."""
        job = self.supervisor.job("actor")
        path = self.run.live_path(job.actor_id if job is not None and job.actor_id else DRIVER_ID)
        if self.live is not None and self.live.ring_path != path:
            self.live.stop()
            self.live = None
        if self.live is None:
            if not shown:
                return
            self.live = LiveFeed(path)
            self.live.start()
        self.live.set_shown(shown)

    def close(self) -> None:
        """Stop watching the run, and let go of it. Its learner is left as it is."""
        self.feed.stop()
        if self.live is not None:
            self.live.stop()
            self.live = None
        self.control.stop()
        self.supervisor.release()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _take_report(self, report: RunReport) -> None:
        self._left_behind = report.left_behind
        self._take_jobs(report.jobs)
        self.read_all |= not report.metrics.more
        if report.metrics:
            self._take_metrics(report.metrics)
        lines = [*map(event_line, report.events), *report.log_lines]
        if report.fault:
            lines.append(f"studio: {report.fault}")
        if lines:
            self.log_arrived.emit(lines[-_MOST_LINES:])  # a long history would hold up the window
        self._judge()

    def _take_jobs(self, jobs: list[Job]) -> None:
        self.control.set_jobs(jobs)
        for role in ("learner", "actor"):
            if all(job.role != role for job in jobs):
                self.statuses.pop(role, None)
        if any(job.role == "learner" for job in jobs):
            self.learner_seen_s = time.monotonic()
        self.supervisor.set_jobs(jobs)

    def _take_metrics(self, delta: MetricsDelta) -> None:
        if delta.scalars:
            self._metrics_s = time.monotonic()
        self.data.apply(delta)
        self.metrics_arrived.emit(delta)

    def _take_status(self, role: str, status: dict[str, Any]) -> None:
        if self.supervisor.job(role) is not None:
            self.statuses[role] = status
            self._judge()

    def _worker_ended(self, outcome: ProcessOutcome, lines: list[str]) -> None:
        self.statuses.pop(outcome.role, None)
        if not outcome.expected:
            self.worker_ended.emit(outcome, lines)
        self.feed.look_now()
        self._judge()

    def _refuse(self, _name: str, error: TMStudioError) -> None:
        self.refused.emit(error)

    def _judge(self) -> None:
        """Boil the facts down to a state, and say so where it is another one."""
        learner, driver = self.supervisor.job("learner"), self.supervisor.job("actor")
        budget, time_s, step = self.run.config.budget, self.data.time_s(), self.data.step()
        state = RunState(
            learner=learner is not None,
            driver=driver is not None,
            starting=self.supervisor.starting(),
            stopping=self.supervisor.stopping,
            paused=bool(self.statuses.get("learner", {}).get("paused", False)),
            watching=bool(self.statuses.get("actor", {}).get("watching", False)),
            trained=step > 0,
            budget_used=time_s >= 60 * budget.minutes - 1 or step >= budget.steps,
            abandoned=bool(self._left_behind),
            has_policy=self.data.value("learner/updates_per_s") is not None or bool(self.data.trials),
        )
        if state != self.state:
            self.state = state
            self.state_changed.emit()
