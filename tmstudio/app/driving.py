"""A person's drive in the simulator: countdown, race, finish. Plain Python, no Qt.

Physics run at 100 Hz in whole ticks of 10 ms, so a lap is the same lap on a fast and on a slow computer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S
from tmstudio.game.simulator.starts import spawn_starts
from tmstudio.game.simulator.world import Simulator
from tmstudio.game.state import Controls, VehicleState
from tmstudio.track.geometry import Track

COUNTDOWN_S = 3.0
_LONGEST_STEP_S = 0.25
"""A longer pause, such as a moved window, is not made up for: the race waits."""


class Stage(Enum):
    """Where a drive stands."""

    COUNTDOWN = "countdown"
    RACING = "racing"
    FINISHED = "finished"


@dataclass
class Keys:
    """Which keys are held down."""

    gas: bool = False
    brake: bool = False
    left: bool = False
    right: bool = False

    def controls(self) -> Controls:
        """What they do with the car: pressed or not, nothing between."""
        steer = float(self.right) - float(self.left)
        return Controls(np.array([float(self.gas)]), np.array([float(self.brake)]), np.array([steer]))


class Drive:
    """One car on one track, lap after lap.

    Args:
        track: where it drives.

    Attributes:
        state: the car now.
        best_lap_s: the best lap since the window was opened, or None.
        last_lap_s: the lap that was finished last, or None.
    """

    def __init__(self, track: Track) -> None:
        self.track = track
        self.best_lap_s: float | None = None
        self.last_lap_s: float | None = None
        self.new_best = False
        self._game = Simulator(track, 1)
        self._debt_s = 0.0
        self.state: VehicleState = self._game.observe()
        self.restart()

    @property
    def stage(self) -> Stage:
        """Where the drive stands."""
        if bool(self.state.finished[0]):
            return Stage.FINISHED
        return Stage.COUNTDOWN if self.countdown_s > 0 else Stage.RACING

    @property
    def countdown_s(self) -> float:
        """Time until the start, 0 from then on."""
        return float(self._game.countdown_s[0])

    @property
    def race_time_s(self) -> float:
        """The race clock; the lap time after the finish."""
        return float(self.state.race_time_s[0])

    @property
    def progress(self) -> float:
        """Share of the lap that lies behind the car."""
        done_m = float(self._game.projection.arc_m[0]) - self.track.start_arc_m
        return min(max(done_m / self.track.length_m, 0.0), 1.0)

    @property
    def gates_passed(self) -> int:
        """Checkpoints passed, the finish not included."""
        return int(self.state.checkpoint[0])

    def restart(self) -> None:
        """Put the car back on the line, with a countdown."""
        self._game.reset(np.array([True]), spawn_starts(self.track, 1, COUNTDOWN_S))
        self._debt_s = 0.0
        self.last_lap_s = None
        self.new_best = False
        self.state = self._game.observe()

    def advance(self, passed_s: float, keys: Keys) -> None:
        """Let time pass while keys are held.

        Args:
            passed_s: seconds of the clock since the last call.
            keys: what is held.
        """
        if self.stage is Stage.FINISHED:
            return
        self._debt_s += min(passed_s, _LONGEST_STEP_S)
        ticks = int(self._debt_s / SUBSTEP_S + 1e-9)
        if ticks < 1:
            return
        self._debt_s -= ticks * SUBSTEP_S
        self._game.advance(keys.controls(), ticks * SUBSTEP_S)
        self.state = self._game.observe()
        if self.stage is Stage.FINISHED:
            self._take_lap(self.race_time_s)

    def _take_lap(self, lap_s: float) -> None:
        self.last_lap_s = lap_s
        self.new_best = self.best_lap_s is None or lap_s < self.best_lap_s
        if self.new_best:
            self.best_lap_s = lap_s
