"""The learner's metrics: attempts, trials and curves, and the few figures that its status shows."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from tmstudio.errors import TMStudioError
from tmstudio.runs.metrics import MetricsReader, MetricsWriter
from tmstudio.runs.records import EpisodeRow, EvaluationRow
from tmstudio.runtime.episode_records import lap_time_s, to_row
from tmstudio.runtime.promotion import is_better
from tmstudio.transport.proto import tmstudio_pb2 as pb

_ROLLING: Final = 50
_RECENT_LAPS: Final = 5
_HISTORY: Final = 2000


class Scoreboard:
    """Writes the metrics and knows the newest and best of them.

    Args:
        metrics: the store.
        history: what it held before.

    Attributes:
        best: the trials that chose the best policy; None before any.
        newest: the newest trials.
        best_lap_s: the fastest lap in any trials.
        first_finish_s: seconds of training at the first finished lap from the start line.
        recent_laps_s: the newest finished laps from the start line, exploring.
        fault: why the metrics cannot be written now; None if they can. What was added meanwhile is not lost.
    """

    def __init__(self, metrics: MetricsWriter, history: MetricsReader) -> None:
        self.best: EvaluationRow | None = None
        self.newest: EvaluationRow | None = None
        self.best_lap_s: float | None = None
        self.first_finish_s: float | None = None
        self.recent_laps_s: deque[float] = deque(maxlen=_RECENT_LAPS)
        self.fault: TMStudioError | None = None
        self._metrics = metrics
        self._finishes: deque[bool] = deque(maxlen=_ROLLING)
        for row in history.evaluations_since():
            self._see_trials(row)
        self.first_finish_s = history.first_finish_s()
        for episode in history.episodes_since(max(0, history.count_episodes() - _HISTORY)):
            self._see(episode)

    @property
    def rolling_finish_rate(self) -> float | None:
        """Share of finished attempts among the newest from the start line, exploring; None before the first."""
        return statistics.fmean(self._finishes) if self._finishes else None

    def scalars(self, values: Mapping[str, float], *, step: int, updates: int, time_s: float) -> None:
        """Add points to curves."""
        self._write(lambda: self._metrics.scalars(values, step=step, updates=updates, time_s=time_s))

    def attempt(
        self, episode: pb.Episode, *, actor_id: str, origin: str, step: int, updates: int, time_s: float
    ) -> None:
        """Add an attempt of the training."""
        row = to_row(episode, actor_id=actor_id, origin=origin, time_s=time_s, step=step)
        self._write(lambda: self._metrics.episode(row))
        self._see(row)
        values = {"episode/return": row.return_}
        if row.from_start and self.rolling_finish_rate is not None:
            values["rolling/finish_rate"] = self.rolling_finish_rate
        self.scalars(values, step=step, updates=updates, time_s=time_s)

    def trials(
        self,
        report: pb.TrialsReport,
        *,
        seeds: tuple[int, ...],
        policy_step: int,
        step: int,
        updates: int,
        time_s: float,
    ) -> EvaluationRow:
        """Add trials; their row says whether their policy is the best so far."""
        times = tuple(lap_time_s(episode) for episode in report.episodes)
        laps = [time for time in times if time is not None]
        row = EvaluationRow(
            time_s=time_s,
            step=step,
            policy_step=policy_step,
            updates=updates,
            episodes=len(times),
            finish_rate=len(laps) / len(times) if times else 0.0,
            median_lap_s=statistics.median(laps) if laps else None,
            best_lap_s=min(laps, default=None),
            mean_return=statistics.fmean(episode.return_sum for episode in report.episodes) if times else 0.0,
            lap_times_s=times,
            seeds=seeds,
            speed=report.speed,
            origin=report.origin,
        )
        if is_better(row, self.best):
            row = replace(row, best=True)
        self._see_trials(row)
        self._write(lambda: self._metrics.evaluation(row))
        return row

    def _write(self, add: Callable[[], None]) -> None:
        """Add to the metrics; a full disk does not end the training: they are written when there is room again."""
        try:
            add()
        except TMStudioError as error:
            self.fault = error
        else:
            self.fault = None

    def _see_trials(self, row: EvaluationRow) -> None:
        self.newest = row
        if row.best:
            self.best = row
        if row.best_lap_s is not None:
            self.best_lap_s = min(row.best_lap_s, self.best_lap_s or row.best_lap_s)
        self._see_finish(row.time_s, finished=row.finish_rate > 0.0)

    def _see(self, row: EpisodeRow) -> None:
        if not row.from_start:
            return
        self._finishes.append(row.finished)
        if row.lap_time_s is not None:
            self.recent_laps_s.append(row.lap_time_s)
        self._see_finish(row.time_s, finished=row.finished)

    def _see_finish(self, time_s: float, *, finished: bool) -> None:
        if finished and self.first_finish_s is None:
            self.first_finish_s = time_s
