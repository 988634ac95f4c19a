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
        records: (2 B, D + A + 2) float32 that all of these are views of.
        indices: (2, B) int64, the rows, and the rows where the n-step returns end.
    """

    observation_pair: NDArray[np.float32]
    actions: NDArray[np.float32]
    returns: NDArray[np.float32]
    discounts: NDArray[np.float32]
    rows: NDArray[np.int64]
    records: NDArray[np.float32]
    indices: NDArray[np.int64]

    def __len__(self) -> int:
        """Number of transitions B."""
        return len(self.actions)

    @classmethod
    def empty(cls, size: int, observation_size: int, action_size: int) -> Batch:
        """Zeros for ``size`` transitions, to be filled by a replay."""
        records = np.zeros((2 * size, observation_size + action_size + 2), np.float32)
        indices = np.zeros((2, size), np.int64)
        starts = records[:size]
        return cls(
            observation_pair=records.reshape(2, size, -1)[:, :, :observation_size],
            actions=starts[:, observation_size:-2],
            returns=starts[:, -2],
            discounts=starts[:, -1],
            rows=indices[0],
            records=records,
            indices=indices,
        )
