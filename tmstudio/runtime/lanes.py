"""From the steps of N cars to stretches of driving, one lane a car."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.env.task import Transition
from tmstudio.runs.chunk import Chunk
from tmstudio.transport.codec import LaneChunk

ACTION_SIZE: Final = 3
"""Gas, brake and steering."""

CHUNK_STEPS: Final = 50
"""A stretch that an attempt's end does not end earlier has so many transitions: 2.5 s of driving."""


class Lanes:
    """Gathers transitions of N cars and gives a chunk whenever one is full or its attempt has ended.

    Args:
        observations: (N, D) the first observations.
        action_size: A.
        reward_terms: K.
    """

    def __init__(self, observations: NDArray[np.float32], action_size: int, reward_terms: int) -> None:
        cars, size = observations.shape
        self._cars = np.arange(cars)
        self._filled = np.zeros(cars, np.intp)
        self._observations = np.zeros((cars, CHUNK_STEPS + 1, size), np.float32)
        self._observations[:, 0] = observations
        self._actions = np.zeros((cars, CHUNK_STEPS, action_size), np.float32)
        self._terms = np.zeros((cars, CHUNK_STEPS, reward_terms), np.float32)
        self._terminated = np.zeros((cars, CHUNK_STEPS), np.bool_)
        self._truncated = np.zeros((cars, CHUNK_STEPS), np.bool_)

    @property
    def steps(self) -> int:
        """Transitions that are gathered and not given yet."""
        return int(self._filled.sum())

    def add(self, actions: NDArray[np.float32], transition: Transition) -> list[LaneChunk]:
        """Take in one step of all cars, driven with ``actions`` (N, A); the chunks that it completed."""
        cars, at = self._cars, self._filled
        self._actions[cars, at] = actions
        self._terms[cars, at] = transition.reward_terms
        self._terminated[cars, at] = transition.terminated
        self._truncated[cars, at] = transition.truncated
        self._observations[cars, at + 1] = transition.final_observation
        self._filled = at + 1
        complete = (self._filled == CHUNK_STEPS) | transition.terminated | transition.truncated
        return [self._take(lane, transition.observation[lane]) for lane in np.flatnonzero(complete).tolist()]

    def flush(self) -> list[LaneChunk]:
        """All that is gathered so far, as chunks whose attempts go on."""
        begun = np.flatnonzero(self._filled).tolist()
        return [self._take(lane, self._observations[lane, self._filled[lane]].copy()) for lane in begun]

    def _take(self, lane: int, goes_on_with: NDArray[np.float32]) -> LaneChunk:
        steps = int(self._filled[lane])
        chunk = Chunk(
            observations=self._observations[lane, : steps + 1].copy(),
            actions=self._actions[lane, :steps].copy(),
            reward_terms=self._terms[lane, :steps].copy(),
            terminated=self._terminated[lane, :steps].copy(),
            truncated=self._truncated[lane, :steps].copy(),
        )
        self._observations[lane, 0] = goes_on_with
        self._filled[lane] = 0
        return LaneChunk(lane, chunk)
