"""Plain fully connected network, as in the papers of SAC and TQC."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from tmstudio.learning.networks.dense import Dense


class Mlp(nn.Module):
    """E networks of ``layers`` rectified layers each."""

    def __init__(
        self, members: int, inputs: int, width: int, layers: int, generator: torch.Generator
    ) -> None:
        super().__init__()
        sizes = [inputs, *[width] * layers]
        self.layers = nn.ModuleList(
            Dense(members, before, after).initialise_uniform(generator) for before, after in pairwise(sizes)
        )

    def forward(self, x: Tensor) -> Tensor:
        """(E, B, inputs) -> (E, B, width)."""
        for layer in self.layers:
            x = layer(x).relu_()
        return x
