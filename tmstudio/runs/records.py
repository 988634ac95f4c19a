"""The rows of a run's metrics."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class EpisodeRow:
    """One attempt of one car, and under which circumstances it was driven.

    Attributes:
        time_s: seconds of training over all segments of the run, at the end of the attempt.
        step: steps of the run at the end of the attempt.
        actor_id: who drove.
        car: which of the actor's cars.
        policy_step: step of the newest policy that drove in it.
        origin: "simulator" or "game".
        exploring: whether the policy explored; False for deterministic driving.
        speed_factor: driven seconds for each second of the clock; 1.0 is real time.
        from_start: whether it began at the start line. Only then is a lap time a lap time.
        finished: whether it crossed the finish line.
        lap_time_s: None unless it began at the start line and finished.
        progress_m: track driven.
        progress_fraction: the same as a share of the lap, 0 to 1.
        return_: sum of the weighted reward.
        steps: length in steps.
        end: how it ended ("finished", "stuck", "wrong way", "time limit", ...).
        terms: weighted sum of each reward term, by name.
        sectors_s: time from the start at each checkpoint passed.
        start_seed: seed of its start.
        mixed_policies: whether newer policies took over on the way: its result is not that of one policy.
    """

    time_s: float
    step: int
    actor_id: str
    car: int
    policy_step: int
    origin: str
    exploring: bool
    speed_factor: float
    from_start: bool
    finished: bool
    lap_time_s: float | None
    progress_m: float
    progress_fraction: float
    return_: float
    steps: int
    end: str
    terms: dict[str, float] = field(default_factory=dict)
    sectors_s: tuple[float, ...] = ()
    start_seed: int = 0
    mixed_policies: bool = False
    rowid: int = 0


@dataclass(frozen=True)
class EvaluationRow:
    """One deterministic trial of a policy.

    Attributes:
        time_s: seconds of training over all segments of the run.
        step: steps of the run when it was made.
        policy_step: step of the policy that drove.
        updates: updates in that policy.
        episodes: attempts, all from the start line.
        finish_rate: share of them that finished.
        median_lap_s: None where none finished.
        best_lap_s: None where none finished.
        mean_return: mean of the weighted returns.
        lap_times_s: one an attempt, None where it did not finish.
        seeds: the start seeds, one an attempt.
        speed: driven seconds for each second of the clock; 1.0 is real time.
        origin: "simulator" or "game".
        best: whether its policy became the run's best checkpoint.
    """

    time_s: float
    step: int
    policy_step: int
    updates: int
    episodes: int
    finish_rate: float
    median_lap_s: float | None
    best_lap_s: float | None
    mean_return: float
    lap_times_s: tuple[float | None, ...]
    seeds: tuple[int, ...]
    speed: float
    origin: str
    best: bool = False
    rowid: int = 0


@dataclass(frozen=True)
class ScalarRows:
    """A stretch of one curve, oldest first; all arrays have the same length.

    ``rowid`` only serves to ask for what came later.
    """

    rowid: NDArray[np.int64]
    step: NDArray[np.int64]
    updates: NDArray[np.int64]
    time_s: NDArray[np.float64]
    value: NDArray[np.float64]

    def __len__(self) -> int:
        """Number of points."""
        return len(self.rowid)
