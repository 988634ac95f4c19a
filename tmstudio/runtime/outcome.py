"""What a run has come to, in the figures that ``tmstudio train`` ends with."""

from __future__ import annotations

from typing import Any

from tmstudio.runs.folder import RunFolder
from tmstudio.runs.metrics import MetricsReader
from tmstudio.runs.summary import summary


def outcome(run: RunFolder) -> dict[str, Any]:
    """The figures as plain data; finish rate and laps are those of trials without exploration."""
    figures = summary(run)
    with MetricsReader(run.metrics_path) as metrics:
        first_finish_s = metrics.first_finish_s()
    return {
        "run": run.name,
        "track": figures.track,
        "steps": figures.steps,
        "updates": figures.updates,
        "time_s": figures.time_s,
        "state": figures.state,
        "first_finish_s": first_finish_s,
        "finish_rate": figures.finish_rate,
        "evaluated_laps": figures.evaluated_laps,
        "best_lap_s": figures.best_lap_s,
        "policy_step": figures.policy_step,
        "origin": figures.origin,
        "speed": figures.speed,
    }
