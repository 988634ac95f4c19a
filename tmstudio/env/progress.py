"""Progress that is paid once: the furthest place each car has reached.

A metre counts the first time it is driven. Going back and driving it again earns nothing, a jump that no car can
drive (a cut through a hairpin, a teleport) is passed over unpaid, and so is what is driven off the track. What lies
beyond a missed checkpoint does not count at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_PROGRESS_MPS = 280.0
"""No car gains more than this along the centre line: 14 m in 50 ms."""

OFF_TRACK_M = 3.0
"""A car whose centre is this far beyond a border has left the track. Walls stop it at 1.1 m, grass does not."""

CREEPING_MPS = 2.0
"""A car that is slower than this over the time after which it counts as stuck is not moving on."""

_ROUNDING = 1e-9
"""Places are sums: a step of exactly the most that a car can drive may look a little longer."""

Cars = NDArray[np.intp] | slice


class ProgressRatchet:
    """The furthest place of N cars, in metres from the start line, and how long each has not gone on.

    Args:
        cars: how many cars.
        length_m: length of the lap; places are clipped to [0, length_m].
        step_s: time between two calls of `advance`.
        stuck_s: time after which a car without progress counts as stuck.
    """

    def __init__(self, cars: int, length_m: float, step_s: float, stuck_s: float) -> None:
        self.place_m: NDArray[np.float64] = np.zeros(cars)
        self.furthest_m: NDArray[np.float64] = np.zeros(cars)
        self.stalled_s: NDArray[np.float64] = np.zeros(cars)
        self._gained_m: NDArray[np.float64] = np.zeros(cars)
        self._length_m = length_m
        self._step_s = step_s
        self._max_gain_m = MAX_PROGRESS_MPS * step_s
        self._jump_m = self._max_gain_m * (1.0 + _ROUNDING)
        self._stuck_s = stuck_s
        self._moving_on_m = CREEPING_MPS * stuck_s

    def restart(self, cars: Cars, place_m: NDArray[np.float64]) -> None:
        """Begin anew for some cars, at these places (n,): what lies behind them is not paid."""
        place = np.clip(place_m, 0.0, self._length_m)
        self.place_m[cars] = place
        self.furthest_m[cars] = place
        self._gained_m[cars] = 0.0
        self.stalled_s[cars] = 0.0

    def advance(
        self,
        place_m: NDArray[np.float64],
        beyond_border_m: NDArray[np.float64],
        finished: NDArray[np.bool_],
        reach_m: NDArray[np.float64] | float = np.inf,
    ) -> NDArray[np.float64]:
        """Take in where the cars are one step later.

        Args:
            place_m: (N,) place along the centre line, metres from the start line.
            beyond_border_m: (N,) how far the car's centre is beyond the nearer border, negative inside.
            finished: (N,) cars that have crossed the finish line: they are at the end of the lap.
            reach_m: (N,) places beyond this do not count: a checkpoint before them was missed.

        Returns:
            (N,) metres driven for the first time in this step.
        """
        np.clip(place_m, 0.0, np.minimum(reach_m, self._length_m), out=self.place_m)
        self.place_m[finished] = self._length_m
        gain = self.place_m - self.furthest_m
        driven = (gain > 0.0) & (gain <= self._jump_m) & (beyond_border_m <= OFF_TRACK_M)
        np.maximum(self.furthest_m, self.place_m, out=self.furthest_m)
        paid: NDArray[np.float64] = np.where(driven, np.minimum(gain, self._max_gain_m), 0.0)
        self._gained_m += paid
        self.stalled_s += self._step_s
        moved_on = self._gained_m >= self._moving_on_m
        self._gained_m[moved_on] = 0.0
        self.stalled_s[moved_on] = 0.0
        return paid

    @property
    def without_progress(self) -> NDArray[np.float64]:
        """(N,) time without progress over the time after which a car counts as stuck: 1 is stuck."""
        return self.stalled_s / self._stuck_s

    @property
    def stuck(self) -> NDArray[np.bool_]:
        """(N,) cars that have not moved on for too long."""
        # Steps are added up: half a step of room for the sum's rounding.
        return self.stalled_s > self._stuck_s - 0.5 * self._step_s

    @property
    def behind_m(self) -> NDArray[np.float64]:
        """(N,) how far each car is behind the furthest place it has reached."""
        return self.furthest_m - self.place_m
