"""Loops that let a policy drive: plain functions over a task, without any learning library."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tmstudio.env.episodes import EpisodeSummary
from tmstudio.env.task import DriveTask

PolicyFn = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""From observations (N, D) to actions (N, 3)."""

Watch = Callable[[DriveTask, NDArray[np.bool_]], None]
"""Sees the task after each step of trials, and which cars (N,) still drive theirs."""

TrialTaskFactory = Callable[[Sequence[int]], DriveTask]
"""Makes a task with one car for each seed, whose start is drawn from that seed."""

CARS_AT_ONCE = 32
"""Trials that drive side by side."""


@dataclass(frozen=True)
class Trials:
    """Finished trials, in the order of their seeds."""

    seeds: tuple[int, ...]
    episodes: tuple[EpisodeSummary, ...]
    simulated_s: float
    """Time that passed for the cars: that of one clock, however many drove side by side."""
    wall_s: float

    @property
    def speed(self) -> float:
        """How fast time ran for the cars: 1 is real time."""
        return self.simulated_s / self.wall_s if self.wall_s > 0.0 else 0.0


class TrialRound:
    """Trials driven side by side, a step at a time, so that their driver can do other work between steps.

    Args:
        task: a task with one car for each seed.
        policy: what drives.
        seeds: the seeds, by car.
        watch: sees each step.
    """

    def __init__(
        self, task: DriveTask, policy: PolicyFn, seeds: Sequence[int], watch: Watch | None = None
    ) -> None:
        self.task = task
        self.steps = 0
        self._policy = policy
        self._seeds = tuple(seeds)
        self._watch = watch
        self._ended: dict[int, EpisodeSummary] = {}
        self._observation = task.reset()

    @property
    def done(self) -> bool:
        """Whether every trial has ended."""
        return len(self._ended) == len(self._seeds)

    def step(self) -> None:
        """Drive one control step. A car whose trial has ended drives on, but that no longer counts."""
        transition = self.task.step(self._policy(self._observation))
        self._observation = transition.observation
        self.steps += 1
        for episode in transition.episodes:
            self._ended.setdefault(episode.car, episode)
        if self._watch is not None:
            self._watch(self.task, np.array([car not in self._ended for car in range(self.task.cars)]))

    def results(self) -> tuple[EpisodeSummary, ...]:
        """The trials that have ended, in the order of their seeds."""
        return tuple(self._ended[car] for car in sorted(self._ended))


def drive_trials(
    make_task: TrialTaskFactory, policy: PolicyFn, seeds: Sequence[int], watch: Watch | None = None
) -> Trials:
    """Drive one trial for each seed to its end. The same policy and seeds give the same trials."""
    episodes: list[EpisodeSummary] = []
    simulated_s = 0.0
    begun = time.perf_counter()
    for first in range(0, len(seeds), CARS_AT_ONCE):
        batch = list(seeds[first : first + CARS_AT_ONCE])
        trial_round = TrialRound(make_task(batch), policy, batch, watch)
        while not trial_round.done:
            trial_round.step()
        simulated_s += trial_round.steps * trial_round.task.step_s
        episodes += trial_round.results()
    return Trials(tuple(seeds), tuple(episodes), simulated_s, time.perf_counter() - begun)


def straight_ahead(observations: NDArray[np.float32]) -> NDArray[np.float32]:
    """Full gas, straight ahead."""
    return np.tile(np.array([1.0, -1.0, 0.0], dtype=np.float32), (len(observations), 1))


class RandomDriver:
    """Any action at any time."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Actions (N, 3), each number uniform in [-1, 1]."""
        return self._rng.uniform(-1.0, 1.0, (len(observations), 3)).astype(np.float32)
