"""SimBa: a residual network that keeps its features simple (Lee 2024, arXiv 2410.09754).

Departures from the paper: the layer normalisations have no scale and shift of their own, as the linear layer
that follows each of them can express both; and no weight decay.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - the name that everybody knows
from torch import Tensor, nn

from tmstudio.learning.networks.dense import Dense

EXPANSION = 4


class ResidualBlock(nn.Module):
    """x + W₂ relu(W₁ norm(x)), the inner layer ``EXPANSION`` times as wide, for E networks."""

    def __init__(self, members: int, width: int, generator: torch.Generator) -> None:
        super().__init__()
        self.width = width
        self.expand = Dense(members, width, EXPANSION * width).initialise_he(generator)
        self.contract = Dense(members, EXPANSION * width, width).initialise_he(generator)

    def forward(self, x: Tensor) -> Tensor:
        """(E, B, width) -> (E, B, width)."""
        hidden = self.expand(F.layer_norm(x, (self.width,))).relu_()
        return (x + self.contract.bias).baddbmm_(hidden, self.contract.weight)


class Simba(nn.Module):
    """E networks: a linear layer, residual blocks, a last layer normalisation."""

    def __init__(
        self, members: int, inputs: int, width: int, blocks: int, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.width = width
        self.input = Dense(members, inputs, width).initialise_orthogonal(generator)
        self.blocks = nn.ModuleList(ResidualBlock(members, width, generator) for _ in range(blocks))

    def forward(self, x: Tensor) -> Tensor:
        """(E, B, inputs) -> (E, B, width)."""
        x = self.input(x)
        for block in self.blocks:
            x = block(x)
        return F.layer_norm(x, (self.width,))
