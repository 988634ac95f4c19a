"""The newest policy drives lap after lap at play speed, for people to look at while training goes on.

It takes its turns in the driving loop, between steps of the training: these are a hundred times shorter than a step
of the clock, and nothing has to be guarded against another thread.
"""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.config.run_config import RunConfig
from tmstudio.env.build import simulated_game
from tmstudio.env.starts import TrainingStarts
from tmstudio.env.task import DriveTask
from tmstudio.game.simulator.starts import random_starts
from tmstudio.runtime.collector import Pace
from tmstudio.runtime.live import SOURCE_WATCH, LiveShow, Shown, halfway, record_of
from tmstudio.runtime.pilot import LoadedPolicy
from tmstudio.track.geometry import Track

_FRAMES_PER_S: Final = 100.0  # as many as there are records


class Watch:
    """One car on the clock, shown twice a step: 40 pictures a second look like motion, 20 do not.

    A step is shown when it is driven as the place halfway to where it led, and there half a step later.

    Args:
        config: the run's configuration.
        track: the run's track.
        seed: start of the random numbers of its starts.
    """

    def __init__(self, config: RunConfig, track: Track, seed: int) -> None:
        starts = TrainingStarts(track, 0.0, np.random.default_rng(seed), random_starts)
        self._task = DriveTask(config, track, simulated_game(config, track, 1), starts)
        self._observation = self._task.reset()
        self._attempt = 1
        self._due_s = time.monotonic()
        self._late_steps = 0
        self._record: NDArray[Any] | None = None
        self._record_due_s = self._due_s

    def wait_s(self) -> float:
        """Time until there is something to do; 0 when it is due."""
        next_s = self._due_s if self._record is None else min(self._due_s, self._record_due_s)
        return max(0.0, next_s - time.monotonic())

    def take_turn(self, policy: LoadedPolicy, show: LiveShow) -> None:
        """Drive or show what the clock says is due."""
        now = time.monotonic()
        if now >= self._due_s:
            before = self._record
            self._drive(policy, now)
            after = record_of(self._task, self._shown(policy, now))
            same_attempt = before is not None and before["episode"] == after["episode"]
            show.show(halfway(before, after) if before is not None and same_attempt else after, _FRAMES_PER_S)
            self._record, self._record_due_s = after, self._due_s - self._task.step_s / 2
        elif self._record is not None and now >= self._record_due_s:
            show.show(self._record, _FRAMES_PER_S)
            self._record_due_s = self._due_s + self._task.step_s

    def _drive(self, policy: LoadedPolicy, now: float) -> None:
        step_s = self._task.step_s
        self._due_s += step_s
        if now > self._due_s:
            self._late_steps += 1
            self._due_s = now + step_s
        transition = self._task.step(policy.policy.act(self._observation, deterministic=True))
        self._observation = transition.observation
        self._attempt += len(transition.episodes)

    def _shown(self, policy: LoadedPolicy, begun: float) -> Shown:
        step_s = self._task.step_s
        return Shown(
            source=SOURCE_WATCH,
            car=0,
            attempt=self._attempt,
            policy_step=policy.policy_step,
            pace=Pace(1.0 / step_s, 1.0, 1e3 * (time.monotonic() - begun)),
            deadline_misses=self._late_steps,
        )
