"""A run in a few figures, each with its origin; for lists of runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tmstudio.errors import TMStudioError
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import live_jobs
from tmstudio.runs.metrics import MetricsReader


@dataclass(frozen=True)
class RunSummary:
    """The figures of a run.

    Attributes:
        name: name of the run.
        track: name of its track.
        algorithm: "tqc", "sac", ...
        created_at: UTC, ISO 8601.
        state: "new", "running", "stopped", "finished" (its budget is used up) or "damaged".
        steps: steps driven.
        updates: updates made.
        time_s: seconds of training.
        episodes: attempts while exploring.
        finish_rate: of the evaluation that chose the best policy, or the newest if none did; None without any.
        evaluated_laps: how many attempts that rate is of.
        policy_step: step of the policy that was evaluated.
        origin: where: "simulator" or "game"; None without any evaluation.
        speed: at what speed, 1.0 is real time.
        best_lap_s: best evaluated lap of that origin, over all evaluations.
        best_exploring_lap_s: best lap from the start line while exploring.
        problem: why there are no figures, where the state is "damaged".
    """

    name: str
    track: str
    algorithm: str
    created_at: str
    state: str
    steps: int = 0
    updates: int = 0
    time_s: float = 0.0
    episodes: int = 0
    finish_rate: float | None = None
    evaluated_laps: int = 0
    policy_step: int | None = None
    origin: str | None = None
    speed: float | None = None
    best_lap_s: float | None = None
    best_exploring_lap_s: float | None = None
    problem: str = ""


def summary(run: RunFolder) -> RunSummary:
    """The figures of ``run``, as far as they are recorded by now."""
    running = any(job.role == "learner" for job in live_jobs(run.path))
    state = "running" if running else "stopped"
    bare = RunSummary(run.name, run.config.track, run.config.algorithm.kind, run.manifest.created_at, state)
    try:
        with MetricsReader(run.metrics_path) as metrics:
            steps, time_s = metrics.last_step(), metrics.last_time_s()
            evaluations = metrics.evaluations_since()
            chosen = next(
                (row for row in reversed(evaluations) if row.best), evaluations[-1] if evaluations else None
            )
            laps = [
                row.best_lap_s for row in evaluations if chosen is not None and row.origin == chosen.origin
            ]
            return replace(
                bare,
                state=_state(run, running=running, steps=steps, time_s=time_s),
                steps=steps,
                updates=metrics.last_updates(),
                time_s=time_s,
                episodes=metrics.count_episodes(),
                finish_rate=chosen.finish_rate if chosen else None,
                evaluated_laps=chosen.episodes if chosen else 0,
                policy_step=chosen.policy_step if chosen else None,
                origin=chosen.origin if chosen else None,
                speed=chosen.speed if chosen else None,
                best_lap_s=min((lap for lap in laps if lap is not None), default=None),
                best_exploring_lap_s=metrics.best_exploring_lap_s(),
            )
    except TMStudioError as error:
        return replace(bare, state="damaged", problem=f"{error.message} ({error.cause})")


def _state(run: RunFolder, *, running: bool, steps: int, time_s: float) -> str:
    if running:
        return "running"
    if steps >= run.config.budget.steps or time_s >= 60 * run.config.budget.minutes:
        return "finished"
    return "stopped" if steps else "new"
