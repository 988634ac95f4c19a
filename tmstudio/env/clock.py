"""The control clock: makes a game that simulates at once keep the time of a wall clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from tmstudio.game.interface import Game, Origin, Starts
from tmstudio.game.state import BoolArray, Controls, VehicleState


class RealTimeGame:
    """A game whose every `advance` ends on a grid of the wall clock.

    What is computed between two calls comes out of the waiting time, so that the car drives at the speed of a
    clock however long the policy thinks. A late call is made up for by the next; one that is later than a
    whole step restarts the grid and is counted.

    Args:
        game: the game to slow down.
        step_s: length of a control step.
        now: the monotonic clock, in seconds.
        sleep: waits for some seconds.
    """

    def __init__(
        self,
        game: Game,
        step_s: float,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.game = game
        self.deadline_misses = 0
        self._step_s = step_s
        self._now = now
        self._sleep = sleep
        self._due_s: float | None = None

    @property
    def origin(self) -> Origin:
        """Whether laps come from the simulator or from the game."""
        return self.game.origin

    @property
    def cars(self) -> int:
        """Number of cars."""
        return self.game.cars

    @property
    def capabilities(self) -> frozenset[str]:
        """The fields that the game has."""
        return self.game.capabilities

    def reset(self, cars: BoolArray, starts: Starts) -> None:
        """Put cars on their starts; takes no time on the grid."""
        self.game.reset(cars, starts)

    def advance(self, controls: Controls, duration_s: float) -> None:
        """Hold the controls for ``duration_s`` and return when that time has passed on the grid."""
        self.game.advance(controls, duration_s)
        now = self._now()
        due = (now if self._due_s is None else self._due_s) + duration_s
        if now > due + self._step_s:
            self.deadline_misses += 1
            due = now
        self._due_s = due
        if due > now:
            self._sleep(due - now)

    def observe(self) -> VehicleState:
        """The newest state of all cars."""
        return self.game.observe()
