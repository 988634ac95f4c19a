"""Fully connected layers for several networks at once."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Dense(nn.Module):
    """E linear layers side by side: one batched matrix product instead of a loop over an ensemble.

    Attributes:
        weight: (E, inputs, outputs).
        bias: (E, 1, outputs).
    """

    def __init__(self, members: int, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(members, inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(members, 1, outputs))

    def forward(self, x: Tensor) -> Tensor:
        """(E, B, inputs) -> (E, B, outputs)."""
        if self.weight.shape[2] == 1:
            # A matrix product with a single column is several times slower than what it stands for.
            return (x * self.weight.transpose(1, 2)).sum(dim=-1, keepdim=True) + self.bias
        return torch.baddbmm(self.bias, x, self.weight)

    def initialise_uniform(self, generator: torch.Generator) -> Dense:
        """Weights and biases as PyTorch's own linear layer has them at the start."""
        bound = 1 / math.sqrt(self.weight.shape[1])
        nn.init.uniform_(self.weight, -bound, bound, generator=generator)
        nn.init.uniform_(self.bias, -bound, bound, generator=generator)
        return self

    def initialise_he(self, generator: torch.Generator) -> Dense:
        """Normal weights that keep the variance through a rectifier; biases 0."""
        nn.init.normal_(self.weight, 0, math.sqrt(2 / self.weight.shape[1]), generator=generator)
        return self

    def initialise_orthogonal(self, generator: torch.Generator, gain: float = 1.0) -> Dense:
        """Orthogonal weights, each member its own; biases 0."""
        for member in self.weight:
            nn.init.orthogonal_(member, gain, generator=generator)
        return self
