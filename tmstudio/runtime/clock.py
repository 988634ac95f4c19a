"""The time that training has taken, over all processes that worked on the run."""

from __future__ import annotations

import time
from collections.abc import Callable


class TrainingClock:
    """Seconds of training: stands while nothing is trained.

    Args:
        elapsed_s: seconds of training before this process.
        now: the monotonic clock, in seconds.
    """

    def __init__(self, elapsed_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._before_s = elapsed_s
        self._started: float | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds of training so far."""
        running = 0.0 if self._started is None else self._now() - self._started
        return self._before_s + running

    def run(self) -> None:
        """Let it run; no change if it does."""
        if self._started is None:
            self._started = self._now()

    def stand(self) -> None:
        """Let it stand; no change if it does."""
        self._before_s, self._started = self.elapsed_s, None


class Every:
    """Says when something that is done at intervals is due.

    Args:
        interval_s: time between two.
        now_s: the time from which the first interval counts, on any clock that grows.
    """

    def __init__(self, interval_s: float, now_s: float) -> None:
        self.interval_s = interval_s
        self._last_s = now_s

    def due(self, now_s: float) -> bool:
        """Whether the interval has passed."""
        return now_s - self._last_s >= self.interval_s

    def done(self, now_s: float) -> None:
        """Begin a new interval."""
        self._last_s = now_s
