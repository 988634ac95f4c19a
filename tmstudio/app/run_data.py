"""What has been measured in a run, as the window holds it: curves, attempts, trials. Plain Python, no Qt."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from tmstudio.app.series import Series
from tmstudio.runs.metrics import MetricsReader
from tmstudio.runs.records import EpisodeRow, EvaluationRow, ScalarRows

_KEPT_ATTEMPTS = 200
_ROWS_AT_ONCE = 20_000
_ATTEMPTS_AT_ONCE = 5_000


@dataclass
class MetricsDelta:
    """What came into the metrics store since the last look.

    Attributes:
        scalars: new points by curve.
        attempts: new attempts, oldest first.
        trials: new evaluations, oldest first.
        more: whether there is more that did not fit.
    """

    scalars: dict[str, ScalarRows] = field(default_factory=dict)
    attempts: list[EpisodeRow] = field(default_factory=list)
    trials: list[EvaluationRow] = field(default_factory=list)
    more: bool = False

    def __bool__(self) -> bool:
        return bool(self.scalars or self.attempts or self.trials)


class MetricsCursor:
    """Reads a metrics store piece by piece; each call gives what is new."""

    def __init__(self, reader: MetricsReader) -> None:
        self._reader = reader
        self._scalar_rows: dict[str, int] = {}
        self._attempt_row = 0
        self._trial_row = 0

    def read(self) -> MetricsDelta:
        """What is new, at most some ten thousand rows of each kind."""
        delta = MetricsDelta()
        for name in self._reader.names():
            rows = self._reader.scalars_since(name, self._scalar_rows.get(name, 0), _ROWS_AT_ONCE)
            if len(rows):
                delta.scalars[name] = rows
                self._scalar_rows[name] = int(rows.rowid[-1])
                delta.more |= len(rows) == _ROWS_AT_ONCE
        delta.attempts = self._reader.episodes_since(self._attempt_row, _ATTEMPTS_AT_ONCE)
        if delta.attempts:
            self._attempt_row = delta.attempts[-1].rowid
            delta.more |= len(delta.attempts) == _ATTEMPTS_AT_ONCE
        delta.trials = self._reader.evaluations_since(self._trial_row)
        if delta.trials:
            self._trial_row = delta.trials[-1].rowid
        return delta


@dataclass(frozen=True)
class Latest:
    """The newest point of a curve."""

    value: float
    time_s: float
    step: int


class RunData:
    """All that the charts and tables of a run show.

    Attributes:
        curves: every scalar by name, over training time.
        latest: the newest point of every scalar.
        attempts: the newest attempts, oldest first.
        attempt_count: how many there were in all.
        trials: all evaluations, oldest first.
        laps: every evaluated lap.
        lap_time: median lap of each evaluation in which a lap was finished.
        lap_trials: the evaluations behind the points of `lap_time`.
        finish_rate: share of finished laps of each evaluation.
        best_lap_s: best evaluated lap, or None.
    """

    def __init__(self) -> None:
        self.curves: dict[str, Series] = {}
        self.latest: dict[str, Latest] = {}
        self.attempts: deque[EpisodeRow] = deque(maxlen=_KEPT_ATTEMPTS)
        self.attempt_count = 0
        self.trials: list[EvaluationRow] = []
        self.laps = Series(window=1)
        self.lap_time = Series(window=1)
        self.lap_trials: list[EvaluationRow] = []
        self.finish_rate = Series(window=1)
        self.best_lap_s: float | None = None

    def curve(self, name: str) -> Series:
        """The curve of a scalar, empty while it has no points."""
        if name not in self.curves:
            self.curves[name] = Series(window=25)
        return self.curves[name]

    def value(self, name: str) -> float | None:
        """The newest value of a scalar."""
        point = self.latest.get(name)
        return None if point is None or not np.isfinite(point.value) else point.value

    def time_s(self) -> float:
        """Training time of the newest thing measured."""
        times = [point.time_s for point in self.latest.values()]
        times += [trial.time_s for trial in self.trials[-1:]]
        times += [attempt.time_s for attempt in list(self.attempts)[-1:]]
        return max(times, default=0.0)

    def step(self) -> int:
        """Step of the newest thing measured."""
        steps = [point.step for point in self.latest.values()]
        steps += [trial.step for trial in self.trials[-1:]]
        steps += [attempt.step for attempt in list(self.attempts)[-1:]]
        return max(steps, default=0)

    def apply(self, delta: MetricsDelta) -> None:
        """Take in what is new."""
        for name, rows in delta.scalars.items():
            self.curve(name).append(rows.time_s, rows.value)
            self.latest[name] = Latest(float(rows.value[-1]), float(rows.time_s[-1]), int(rows.step[-1]))
        self.attempts.extend(delta.attempts)
        if delta.attempts:
            self.attempt_count = delta.attempts[-1].rowid
        for trial in delta.trials:
            self._add_trial(trial)

    def _add_trial(self, trial: EvaluationRow) -> None:
        self.trials.append(trial)
        self.finish_rate.append(trial.time_s, trial.finish_rate)
        laps = [lap for lap in trial.lap_times_s if lap is not None]
        self.laps.append([trial.time_s] * len(laps), laps)
        if trial.median_lap_s is not None:
            before = len(self.lap_time)
            self.lap_time.append(trial.time_s, trial.median_lap_s)
            if len(self.lap_time) > before:
                self.lap_trials.append(trial)
        if trial.best_lap_s is not None:
            self.best_lap_s = min(trial.best_lap_s, self.best_lap_s or trial.best_lap_s)
