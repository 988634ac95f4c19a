"""What trials have shown, with all that belongs to a lap time: how many, from where, which policy, how fast."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tmstudio.env.loop import Trials
from tmstudio.game.interface import Origin


@dataclass(frozen=True)
class EvaluationReport:
    """The outcome of deterministic trials of one policy."""

    track: str
    origin: Origin
    checkpoint: str
    """Name of the checkpoint that drove."""
    policy_step: int
    """Steps of driving that the policy had been trained on."""
    seeds: tuple[int, ...]
    """The seed of each trial's start."""
    lap_times_s: tuple[float, ...]
    """Times of the finished laps, in the order of the seeds."""
    distinct_laps: int
    """How many of them differ: equal laps count once."""
    ends: dict[str, int]
    """How many trials ended in which way."""
    mean_return: float
    mean_progress: float
    """Mean part of the lap that was driven."""
    speed: float
    """How fast time ran for the car: 1 is real time."""

    @property
    def episodes(self) -> int:
        """How many trials were driven."""
        return len(self.seeds)

    @property
    def finish_rate(self) -> float:
        """Part of the trials that finished the lap."""
        return len(self.lap_times_s) / self.episodes if self.seeds else 0.0

    @property
    def best_lap_s(self) -> float | None:
        """The fastest lap; None where none was finished."""
        return min(self.lap_times_s, default=None)

    @property
    def median_lap_s(self) -> float | None:
        """The median of the finished laps; None where none was finished."""
        return statistics.median(self.lap_times_s) if self.lap_times_s else None

    @property
    def mean_lap_s(self) -> float | None:
        """The mean of the finished laps; None where none was finished."""
        return statistics.fmean(self.lap_times_s) if self.lap_times_s else None

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "episodes": self.episodes,
            "finish_rate": self.finish_rate,
            "lap_times_s": list(self.lap_times_s),
            "distinct_laps": self.distinct_laps,
            "best_lap_s": self.best_lap_s,
            "median_lap_s": self.median_lap_s,
            "mean_lap_s": self.mean_lap_s,
            "mean_return": self.mean_return,
            "mean_progress": self.mean_progress,
            "ends": dict(self.ends),
            "seeds": list(self.seeds),
            "checkpoint": self.checkpoint,
            "policy_step": self.policy_step,
            "speed": self.speed,
            "origin": self.origin,
            "track": self.track,
        }


def report_of(
    trials: Trials, *, track: str, origin: Origin, checkpoint: str, policy_step: int
) -> EvaluationReport:
    """Sum up finished trials of one policy."""
    episodes = trials.episodes
    laps = [episode for episode in episodes if episode.lap_time_s is not None]
    return EvaluationReport(
        track=track,
        origin=origin,
        checkpoint=checkpoint,
        policy_step=policy_step,
        seeds=trials.seeds,
        lap_times_s=tuple(lap.lap_time_s for lap in laps if lap.lap_time_s is not None),
        distinct_laps=len({(lap.lap_time_s, lap.return_, lap.steps) for lap in laps}),
        ends=dict(Counter(episode.end for episode in episodes)),
        mean_return=statistics.fmean(episode.return_ for episode in episodes),
        mean_progress=statistics.fmean(episode.progress_fraction for episode in episodes),
        speed=trials.speed,
    )
