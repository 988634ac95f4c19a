"""What every algorithm offers to the process that runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tmstudio.learning.replay.batch import Batch

Metrics = dict[str, Tensor]
"""Name of a scalar -> detached tensor without axes; reading it may wait for the device."""


@dataclass(frozen=True)
class AlgorithmState:
    """Everything that an algorithm needs to go on where it was: for a checkpoint.

    Attributes:
        tensors: name -> array, copies.
        counters: plain numbers, ready for JSON.
    """

    tensors: dict[str, NDArray[Any]]
    counters: dict[str, int]


class Algorithm(ABC):
    """Learns from batches. The side that acts is a :class:`~tmstudio.learning.policy.Policy`."""

    updates: int
    """Updates so far, over all segments of the run."""

    @abstractmethod
    def observe(self, observations: NDArray[np.float32]) -> None:
        """Take (N, D) new raw observations into the running statistics; once for each that is appended."""

    @abstractmethod
    def update(self, batch: Batch) -> Metrics:
        """Learn from one batch. Never waits for the device."""

    @abstractmethod
    def policy_tensors(self) -> dict[str, NDArray[np.float32]]:
        """A copy of what a policy needs to act as this algorithm now would."""

    @abstractmethod
    def state(self) -> AlgorithmState:
        """A copy of everything: parameters, optimisers, statistics, random numbers, counters."""

    @abstractmethod
    def load_state(self, state: AlgorithmState) -> None:
        """Go back to a state. All of it is checked before any of it is used.

        Raises:
            TMStudioError: a tensor is missing, of another shape or type, or not finite; nothing was changed.
        """


def read_metrics(metrics: Mapping[str, Tensor]) -> dict[str, float]:
    """The metrics as numbers, with one wait for the device."""
    values = torch.stack([value.float() for value in metrics.values()]).tolist()
    return dict(zip(metrics, values, strict=True))
