"""How fast something goes, over the last few seconds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

_WINDOW_S: Final = 5.0
_EVERY_S: Final = 0.25


class Rate:
    """Counts per second over a sliding window.

    Args:
        now: the monotonic clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._total = 0
        self._marks = deque([(now(), 0)])

    def add(self, count: int) -> None:
        """So many more."""
        self._total += count
        now = self._now()
        if now - self._marks[-1][0] >= _EVERY_S:
            self._marks.append((now, self._total))
            while now - self._marks[0][0] > _WINDOW_S:
                self._marks.popleft()

    @property
    def per_s(self) -> float:
        """The rate now; falls to 0 when nothing is added any more."""
        now = self._now()
        first_s, first = next(
            ((at, total) for at, total in self._marks if now - at <= _WINDOW_S), (now, self._total)
        )
        return (self._total - first) / (now - first_s) if now - first_s >= _EVERY_S else 0.0
