"""What the learner tells of itself: curves for the metrics, its status for whoever asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tmstudio.config.run_config import RunConfig
from tmstudio.runtime.clock import TrainingClock
from tmstudio.runtime.drivers import Driver
from tmstudio.runtime.examiner import Examiner
from tmstudio.runtime.ingest import Ingest
from tmstudio.runtime.rates import Rate
from tmstudio.runtime.saver import Saver
from tmstudio.runtime.scoreboard import Scoreboard
from tmstudio.runtime.student import Student


class LearnerReport:
    """Reads the learner's parts; changes none of them.

    Args:
        config: the run's configuration.
        student: the algorithm and its replay.
        ingest: knows the drivers.
        examiner: orders trials.
        saver: saves checkpoints.
        scores: keeps the metrics.
        clock: the time of training.

    Attributes:
        updates_rate: counts updates.
        steps_rate: counts steps that were taken in.
    """

    def __init__(
        self,
        config: RunConfig,
        student: Student,
        ingest: Ingest,
        examiner: Examiner,
        saver: Saver,
        scores: Scoreboard,
        clock: TrainingClock,
    ) -> None:
        self.updates_rate = Rate()
        self.steps_rate = Rate()
        self._budget = config.budget
        self._student = student
        self._ingest = ingest
        self._examiner = examiner
        self._saver = saver
        self._scores = scores
        self._clock = clock

    def record(self, metrics: Mapping[str, float]) -> None:
        """Add a point to every curve; ``metrics`` are those of the newest update."""
        student, time_s = self._student, self._clock.elapsed_s
        values = {
            **metrics,
            "learner/updates_per_s": self.updates_rate.per_s,
            "learner/update_ratio": student.updates / max(1, student.steps),
            "replay/size": float(len(student.replay)),
            "replay/capacity": float(student.replay.capacity),
            "replay/age_s": student.replay.age_s(time_s),
        }
        with self._ingest.lock:
            health = [driver.health for driver in self._ingest.drivers if driver.present]
        if health:
            values |= {
                "actor/steps_per_s": sum(each.steps_per_s for each in health),
                "actor/policy_lag_s": max(each.policy_lag_s for each in health),
                "actor/speed_factor": max(each.speed_factor for each in health),
            }
        self._scores.scalars(values, step=student.steps, updates=student.updates, time_s=time_s)

    def status(self, state: str, *, paused: bool) -> dict[str, Any]:
        """How the learner stands, as plain data; from any thread."""
        student, scores, budget = self._student, self._scores, self._budget
        time_s = self._clock.elapsed_s
        best, newest = scores.best, scores.newest
        with self._ingest.lock:
            drivers = [_driver(driver) for driver in self._ingest.drivers]
        fault = self._ingest.fault or self._saver.fault or scores.fault
        return {
            "role": "learner",
            "state": state,
            "paused": paused,
            "time_s": time_s,
            "time_left_s": max(0.0, 60.0 * budget.minutes - time_s),
            "steps": student.steps,
            "steps_left": max(0, budget.steps - student.steps),
            "updates": student.updates,
            "updates_per_s": self.updates_rate.per_s,
            "steps_per_s": self.steps_rate.per_s,
            "replay_size": len(student.replay),
            "replay_capacity": student.replay.capacity,
            "rolling_finish_rate": scores.rolling_finish_rate,
            "recent_laps_s": list(scores.recent_laps_s),
            "first_finish_s": scores.first_finish_s,
            "finish_rate": best.finish_rate if best is not None else None,
            "best_lap_s": scores.best_lap_s,
            "best_policy_step": best.policy_step if best is not None else None,
            "newest_finish_rate": newest.finish_rate if newest is not None else None,
            "newest_median_lap_s": newest.median_lap_s if newest is not None else None,
            "on_trial": self._examiner.busy,
            "last_checkpoint": self._saver.last,
            "drivers": drivers,
            "problem": "" if fault is None else f"{fault.message} ({fault.cause})",
        }


def _driver(driver: Driver) -> dict[str, Any]:
    health = driver.health
    return {
        "actor_id": driver.actor_id,
        "present": driver.present,
        "steps": driver.steps,
        "cars": driver.cars,
        "steps_per_s": health.steps_per_s,
        "speed_factor": health.speed_factor,
        "step_ms": health.step_ms,
        "deadline_misses": health.deadline_misses,
        "policy_lag_s": health.policy_lag_s,
        "backlog_steps": health.backlog_steps,
    }
