"""Whether a run has anything left to do."""

from __future__ import annotations

from tmstudio.config.run_config import RunConfig
from tmstudio.errors import TMStudioError
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.metrics import MetricsReader


def check_budget(run: RunFolder, config: RunConfig | None = None) -> None:
    """Raise if the run has used up the time or the steps that it was given, or is to be given."""
    budget = (config or run.config).budget
    with MetricsReader(run.metrics_path) as metrics:
        time_s, steps = metrics.last_time_s(), metrics.last_step()
    if time_s >= 60.0 * budget.minutes or steps >= budget.steps:
        raise TMStudioError(
            f"Run '{run.name}' has used up its budget",
            cause=f"{time_s / 60:.1f} of {budget.minutes:g} minutes, {steps} of {budget.steps} steps",
            hint=f"give it more: tmstudio train '{run.name}' --minutes {max(1.0, 2 * time_s / 60):.0f}",
        )
