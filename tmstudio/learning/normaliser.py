"""Running mean and variance of what the policy sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

CLIP = 10.0
_SMALLEST_STD = 1e-2


class RunningMoments:
    """Mean and variance of all observations so far, in float64 (Chan's parallel form of Welford's method).

    Attributes:
        count: observations so far.
        mean: (D,).
        squares: (D,) sum of squared deviations from the mean.
    """

    def __init__(self, size: int) -> None:
        self.count = 0
        self.mean: NDArray[np.float64] = np.zeros(size)
        self.squares: NDArray[np.float64] = np.zeros(size)

    def update(self, observations: NDArray[np.floating[Any]]) -> None:
        """Take in (N, D) observations."""
        added = len(observations)
        if not added:
            return
        # A float32 mean of a batch around a large offset loses what the variance needs.
        batch = observations.astype(np.float64)
        batch_mean = batch.mean(axis=0)
        delta = batch_mean - self.mean
        total = self.count + added
        self.squares += np.square(batch - batch_mean).sum(axis=0) + np.square(delta) * (
            self.count * added / total
        )
        self.mean += delta * (added / total)
        self.count = total

    @property
    def std(self) -> NDArray[np.float64]:
        """(D,) standard deviation; 1 where nothing is known yet or where nothing ever changes."""
        if self.count < 2:
            return np.ones_like(self.mean)
        std = np.sqrt(self.squares / self.count)
        return np.where(std < _SMALLEST_STD, 1.0, std)


class Normaliser(nn.Module):
    """(x - mean) · scale, clipped to ± 10: the frozen copy of running moments that networks use."""

    mean: Tensor
    scale: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("scale", torch.ones(size))

    def forward(self, observations: Tensor) -> Tensor:
        """(..., D) -> (..., D)."""
        return ((observations - self.mean) * self.scale).clamp_(-CLIP, CLIP)

    def refresh(self, moments: RunningMoments) -> None:
        """Take over the moments as they are now."""
        self.mean.copy_(torch.from_numpy(moments.mean))
        self.scale.copy_(torch.from_numpy(1 / moments.std))

    def tensors(self) -> Mapping[str, Tensor]:
        """Mean and scale by name."""
        return {"mean": self.mean, "scale": self.scale}
