"""What an algorithm learns from in one update."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Batch:
    """B transitions drawn from a replay.

    The arrays are reused by the next draw: they must be consumed (or copied) before it.

    Attributes:
        observation_pair: (2, B, D) float32, raw: where each transition starts, and where its n-step return ends.
        actions: (B, A) float32 in [-1, 1].
        returns: (B,) float32, discounted sum of the rewards between the two observations.
        discounts: (B,) float32, what the value of the second observation counts; 0 after a termination.
        rows: (B,) int64, rows of the replay that were drawn.
        table: (B, A + 2) float32 that actions, returns and discounts are columns of: one row, one cache miss.
    """

    observation_pair: NDArray[np.float32]
    actions: NDArray[np.float32]
    returns: NDArray[np.float32]
    discounts: NDArray[np.float32]
    rows: NDArray[np.int64]
    table: NDArray[np.float32]

    def __len__(self) -> int:
        """Number of transitions B."""
        return len(self.actions)

    @classmethod
    def empty(cls, size: int, observation_size: int, action_size: int) -> Batch:
        """Zeros for ``size`` transitions, to be filled by a replay."""
        table = np.zeros((size, action_size + 2), np.float32)
        return cls(
            observation_pair=np.zeros((2, size, observation_size), np.float32),
            actions=table[:, :action_size],
            returns=table[:, action_size],
            discounts=table[:, action_size + 1],
            rows=np.zeros(size, np.int64),
            table=table,
        )
