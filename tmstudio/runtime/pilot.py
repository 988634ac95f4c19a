"""Who drives: the newest policy, and before the first one chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

_HELD_STEPS: Final = (4, 16)
"""A random action is held for so many steps: a car does not notice one of 50 ms."""


class ActingPolicy(Protocol):
    """What the driver needs of a policy."""

    def act(self, observations: NDArray[np.float32], *, deterministic: bool) -> NDArray[np.float32]:
        """Actions (N, A) in [-1, 1] for observations (N, D)."""
        ...


@dataclass(frozen=True)
class LoadedPolicy:
    """A policy that can drive, and where it comes from.

    Attributes:
        version: under which the learner published it.
        policy_step: steps of driving that it had been trained on.
        policy: drives.
    """

    version: int
    policy_step: int
    policy: ActingPolicy


class RandomPilot:
    """Drives by chance, mostly forwards: each car holds an action for a while, then draws the next.

    Args:
        cars: how many, N.
        seed: start of the random numbers.
    """

    def __init__(self, cars: int, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._actions = np.zeros((cars, 3), np.float32)
        self._left = np.zeros(cars, np.intp)

    def act(self) -> NDArray[np.float32]:
        """Actions (N, 3) for the next step."""
        self._left -= 1
        due = np.flatnonzero(self._left < 0)
        if len(due):
            drawn = self._random.uniform(-1.0, 1.0, (len(due), 3)).astype(np.float32)
            # Half of the draws would brake at once; a car that stands learns nothing.
            drawn[:, 0] = np.abs(drawn[:, 0])
            drawn[:, 1] -= 0.5
            self._actions[due] = drawn.clip(-1.0, 1.0)
            self._left[due] = self._random.integers(*_HELD_STEPS, len(due))
        return self._actions.copy()
