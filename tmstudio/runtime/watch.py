"""The newest policy drives lap after lap at play speed, for people to look at while training goes on.

It takes its turns in the driving loop, between steps of the training: these are a hundred times shorter than a step
of the clock, and nothing has to be guarded against another thread.
"""

from __future__ import annotations

import time
from typing import Final

import numpy as np

from tmstudio.config.run_config import RunConfig
from tmstudio.env.build import simulated_game
from tmstudio.env.starts import TrainingStarts
from tmstudio.env.task import DriveTask
from tmstudio.game.simulator.starts import random_starts
from tmstudio.runtime.collector import Pace
from tmstudio.runtime.live import SOURCE_WATCH, LiveShow, Shown
from tmstudio.runtime.pilot import LoadedPolicy
from tmstudio.track.geometry import Track

_FRAMES_PER_S: Final = 60.0  # as many as there are steps


class Watch:
    """One car on the clock.

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

    def wait_s(self) -> float:
        """Time until the next step; 0 when it is due."""
        return max(0.0, self._due_s - time.monotonic())

    def step_if_due(self, policy: LoadedPolicy, show: LiveShow) -> None:
        """Drive one step when the clock says so, and show it."""
        begun = time.monotonic()
        if begun < self._due_s:
            return
        step_s = self._task.step_s
        self._due_s += step_s
        if begun > self._due_s:
            self._late_steps += 1
            self._due_s = begun + step_s
        actions = policy.policy.act(self._observation, deterministic=True)
        transition = self._task.step(actions)
        self._observation = transition.observation
        self._attempt += len(transition.episodes)
        step_ms = 1e3 * (time.monotonic() - begun)
        show.show(
            self._task,
            Shown(
                source=SOURCE_WATCH,
                car=0,
                attempt=self._attempt,
                policy_step=policy.policy_step,
                frames_per_s=_FRAMES_PER_S,
                pace=Pace(1.0 / step_s, 1.0, step_ms),
                deadline_misses=self._late_steps,
            ),
        )
