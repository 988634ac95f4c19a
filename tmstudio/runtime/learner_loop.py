"""The learner's loop: take driving in, learn, publish, save, order trials, and know when it is enough."""

from __future__ import annotations

import time
from typing import Any, Final

from tmstudio.config.run_config import RunConfig
from tmstudio.errors import TMStudioError
from tmstudio.runs.events import EventLog
from tmstudio.runtime.clock import Every, TrainingClock
from tmstudio.runtime.examiner import Candidate, Examiner
from tmstudio.runtime.ingest import Arrival, Ingest
from tmstudio.runtime.learner_report import LearnerReport
from tmstudio.runtime.orders import OrderBoard
from tmstudio.runtime.pacing import Pacer
from tmstudio.runtime.reception import PolicyShelf
from tmstudio.runtime.saver import Saver
from tmstudio.runtime.scoreboard import Scoreboard
from tmstudio.runtime.student import Student
from tmstudio.runtime.worker import StopRequest

_METRICS_EVERY_S: Final = 0.5
_WAIT_S: Final = 0.05
_LAST_DRIVING_S: Final = 3.0
_QUIET_S: Final = 1.0
_LAST_TRIALS_S: Final = 120.0
_FAREWELL_S: Final = 5.0
_ROLL_BACKS: Final = 3
ORIGIN: Final = "simulator"


class LearnerLoop:
    """Everything that happens in the learner's main thread.

    Args:
        config: the run's configuration.
        student: the algorithm and its replay.
        ingest: gives the driving.
        board: tells the drivers.
        shelf: gives them policies.
        examiner: orders trials.
        saver: saves checkpoints.
        scores: keeps the metrics.
        clock: the time of training.
        events: where is told what happens.
        stop: ends the loop.

    Attributes:
        state: what it is doing, for people.
    """

    def __init__(  # noqa: PLR0913
        self,
        config: RunConfig,
        *,
        student: Student,
        ingest: Ingest,
        board: OrderBoard,
        shelf: PolicyShelf,
        examiner: Examiner,
        saver: Saver,
        scores: Scoreboard,
        clock: TrainingClock,
        events: EventLog,
        stop: StopRequest,
    ) -> None:
        self.state = "waiting for a driver"
        self._config = config
        self._student = student
        self._ingest = ingest
        self._board = board
        self._shelf = shelf
        self._examiner = examiner
        self._saver = saver
        self._scores = scores
        self._clock = clock
        self._events = events
        self._stop = stop
        self._pacer = Pacer(config, student.steps, student.updates)
        self._metrics_due = Every(_METRICS_EVERY_S, time.monotonic())
        self._checkpoint_due = Every(config.checkpoints.every_s, clock.elapsed_s)
        self._trials_due = Every(config.evaluation.every_s, clock.elapsed_s)
        self._paused = False
        self._wanted: set[str] = set()
        self._roll_backs = 0
        self._report = LearnerReport(config, student, ingest, examiner, saver, scores, clock)

    def run(self) -> bool:
        """Learn until the budget is used up or the end is asked for; whether the run is finished."""
        if self._student.updates:
            self._publish()
        self._board.allow_steps(self._pacer.step_limit(self._student.updates))
        while not self._stop.requested:
            self._take_in(self._ingest.take())
            if self._over_budget():
                return self._finish()
            self._learn_or_wait()
            self._now_and_then()
        self.state = "stopping"
        self._ingest.close()
        self._checkpoint()
        return False

    # What is asked of it, from other threads.

    def pause(self, *, paused: bool) -> str:
        """Stop learning and driving for a while, or go on."""
        self._paused = paused
        self._board.pause(paused=paused)
        self._events.emit("paused" if paused else "resumed")
        return "Learning and driving wait" if paused else "Learning and driving go on"

    def want(self, what: str) -> str:
        """Do ``checkpoint`` or ``evaluate`` at the next opportunity."""
        if what == "evaluate" and not self._student.updates:
            return "There is no policy yet; trials are driven as soon as there is one"
        self._wanted.add(what)
        return "A checkpoint is saved" if what == "checkpoint" else "The newest policy is put on trial"

    def status(self) -> dict[str, Any]:
        """How it stands, as plain data."""
        return self._report.status(self.state, paused=self._paused)

    # The loop's parts.

    def _take_in(self, arrivals: list[Arrival]) -> None:
        for arrival in arrivals:
            before = self._student.steps
            time_s = self._clock.elapsed_s
            self._student.take_in(arrival, time_s)
            for episode in arrival.batch.episodes:
                self._scores.attempt(
                    episode,
                    actor_id=arrival.actor_id,
                    origin=ORIGIN,
                    step=self._student.steps,
                    updates=self._student.updates,
                    time_s=time_s,
                )
            self._report.steps_rate.add(self._student.steps - before)

    def _over_budget(self) -> bool:
        budget = self._config.budget
        return self._clock.elapsed_s >= 60.0 * budget.minutes or self._student.steps >= budget.steps

    def _learn_or_wait(self) -> None:
        student = self._student
        if self._paused:
            self.state = "paused"
            self._stop.wait(_WAIT_S)
        elif student.ready and self._pacer.may_update(student.steps, student.updates):
            self.state = "learning"
            student.update()
            self._report.updates_rate.add(1)
            self._board.allow_steps(self._pacer.step_limit(student.updates))
            if student.updates % self._config.pacing.policy_every_updates == 0:
                self._publish()
        else:
            if student.steps < self._config.replay.warmup:
                self.state = "warming up" if self._driver_present() else "waiting for a driver"
            elif not self._driver_present():
                self.state = "waiting for a driver"
            self._take_in(self._ingest.take(_WAIT_S))

    def _now_and_then(self) -> None:
        now = time.monotonic()
        if self._metrics_due.due(now):
            self._metrics_due.done(now)
            if self._paused or not self._driver_present():
                self._clock.stand()
            else:
                self._clock.run()
            self._report.record(self._checked_metrics())
        self._hear_verdict()
        time_s = self._clock.elapsed_s
        if (
            self._student.updates
            and not self._examiner.busy
            and self._due("evaluate", self._trials_due, time_s)
        ):
            self._put_on_trial()
        elif self._due("checkpoint", self._checkpoint_due, time_s):
            self._checkpoint()

    def _due(self, what: str, every: Every, time_s: float) -> bool:
        if what in self._wanted or every.due(time_s):
            self._wanted.discard(what)
            every.done(time_s)
            return True
        return False

    def _driver_present(self) -> bool:
        with self._ingest.lock:
            return any(driver.present for driver in self._ingest.drivers)

    def _publish(self) -> int:
        version = self._student.updates
        self._shelf.publish(version, self._student.policy_file())
        self._board.publish(version)
        return version

    def _checkpoint(self) -> str:
        """Save everything as it is now, in the background; the checkpoint's name."""
        self._checked_metrics()
        with self._ingest.held() as arrivals:
            self._take_in(arrivals)
            name = self._saver.save(self._student, self._ingest.drivers.state(), self._clock.elapsed_s)
        self._checkpoint_due.done(self._clock.elapsed_s)
        return name

    def _put_on_trial(self) -> None:
        self._checked_metrics()
        version = self._publish()
        self._shelf.keep_for_trials()
        candidate = Candidate(self._checkpoint(), version, self._student.steps, self._student.updates)
        self._saver.keep(candidate.checkpoint)
        self._examiner.order(candidate)

    def _hear_verdict(self) -> None:
        verdict = self._examiner.verdict(step=self._student.steps, time_s=self._clock.elapsed_s)
        if verdict is not None:
            trials = verdict.trials
            score = {
                "finish_rate": trials.finish_rate,
                "median_lap_s": trials.median_lap_s,
                "mean_return": trials.mean_return,
                "policy_step": trials.policy_step,
            }
            self._events.emit("evaluated", **score)
            if trials.best:
                self._saver.promote(verdict.candidate.checkpoint)
        elif self._examiner.give_up_if_late():
            self._events.emit("evaluation given up", cause="no driver reported it")

    def _checked_metrics(self) -> dict[str, float]:
        """The newest update's metrics; goes back to the last checkpoint where they show that learning has run away."""
        values = self._student.metrics()
        problem = self._student.problem_of(values)
        if not problem:
            return values
        self._roll_backs += 1
        self._events.emit("rolled back", cause=problem, updates=self._student.updates)
        if self._roll_backs > _ROLL_BACKS or not self._saver.last:
            raise TMStudioError(
                "Learning has run away",
                cause=problem,
                hint="try smaller learning rates; the last checkpoint is sound" if self._saver.last else "",
            )
        self._student.load_state(self._saver.load_algorithm())
        self._publish()
        return {}

    def _finish(self) -> bool:
        """Let the last driving arrive, judge the last policy, save, send the drivers home."""
        self.state = "finishing"
        self._clock.stand()
        self._board.pause(paused=True)
        deadline = time.monotonic() + _LAST_DRIVING_S
        while time.monotonic() < deadline and not self._stop.requested:
            arrivals = self._ingest.take(_QUIET_S)
            if not arrivals:
                break
            self._take_in(arrivals)
        if self._student.updates:
            self._put_on_trial()
        deadline = time.monotonic() + _LAST_TRIALS_S
        while self._examiner.busy and time.monotonic() < deadline and not self._stop.requested:
            if not self._driver_present():
                break
            self._take_in(self._ingest.take(_WAIT_S))
            self._hear_verdict()
        if self._stop.requested:
            self._ingest.close()
            self._checkpoint()
            return False
        if self._examiner.busy:
            self._events.emit("evaluation given up", cause="no driver reported it")
        self._report.record(self._checked_metrics())
        self._board.finish()
        deadline = time.monotonic() + _FAREWELL_S
        while time.monotonic() < deadline and self._drivers_to_tell():
            self._take_in(self._ingest.take(_WAIT_S))
        self._ingest.close()
        self._checkpoint()
        self.state = "finished"
        return True

    def _drivers_to_tell(self) -> bool:
        with self._ingest.lock:
            return any(driver.present and not driver.told_finished for driver in self._ingest.drivers)
