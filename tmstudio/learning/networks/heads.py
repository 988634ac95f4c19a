"""The networks that algorithms use: a stochastic policy and an ensemble of critics."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # noqa: N812 - the name that everybody knows
from torch import Tensor, nn

from tmstudio.config.run_config import MlpNetwork, Network, SimbaNetwork
from tmstudio.learning.networks.dense import Dense
from tmstudio.learning.networks.mlp import Mlp
from tmstudio.learning.networks.simba import Simba

_LOG_STD_MIN, _LOG_STD_MAX = -10.0, 2.0
_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
_POLICY_GAIN = 0.01


class GaussianActor(nn.Module):
    """Observation -> a Gaussian over unsquashed actions; tanh brings a draw into [-1, 1] (SAC, appendix C)."""

    def __init__(self, network: Network, observations: int, actions: int, generator: torch.Generator) -> None:
        super().__init__()
        self.body: Simba | Mlp
        match network:
            case SimbaNetwork():
                width = network.actor_width
                self.body = Simba(1, observations, width, network.actor_blocks, generator)
            case MlpNetwork():
                width = network.width
                self.body = Mlp(1, observations, width, network.layers, generator)
        # A small last layer: the untrained policy has no preference.
        self.head = Dense(1, width, 2 * actions).initialise_orthogonal(generator, _POLICY_GAIN)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """(B, D) -> mean and logarithm of the standard deviation, (B, A) each."""
        outputs: Tensor = self.head(self.body(observations.unsqueeze(0)))[0]
        mean, log_std = outputs.chunk(2, dim=-1)
        return mean, log_std.clamp(_LOG_STD_MIN, _LOG_STD_MAX)

    def sample(self, observations: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Draw actions.

        Args:
            observations: (B, D).
            noise: (B, A) standard normal.

        Returns:
            (B, A) actions in [-1, 1], differentiable, and (B,) the logarithm of their density.
        """
        mean, log_std = self(observations)
        unsquashed = mean + log_std.exp() * noise
        # log(1 - tanh(u)²) = 2 (log 2 - u - softplus(-2u)), which does not run into log(0).
        log_slope = 2 * (math.log(2) - unsquashed - F.softplus(-2 * unsquashed))
        log_density = -0.5 * noise.square() - log_std - _HALF_LOG_TAU - log_slope
        return unsquashed.tanh(), log_density.sum(dim=-1)


class Critics(nn.Module):
    """E critics side by side: (observation, action) -> ``outputs`` numbers each."""

    def __init__(
        self,
        network: Network,
        members: int,
        observations: int,
        actions: int,
        outputs: int,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        self.members = members
        inputs = observations + actions
        self.body: Simba | Mlp
        match network:
            case SimbaNetwork():
                width = network.critic_width
                self.body = Simba(members, inputs, width, network.critic_blocks, generator)
                self.head = Dense(members, width, outputs).initialise_orthogonal(generator)
            case MlpNetwork():
                width = network.width
                self.body = Mlp(members, inputs, width, network.layers, generator)
                self.head = Dense(members, width, outputs).initialise_uniform(generator)

    def forward(self, observations: Tensor, actions: Tensor) -> Tensor:
        """(B, D) and (B, A) -> (E, B, outputs)."""
        inputs = torch.cat((observations, actions), dim=-1)
        values: Tensor = self.head(self.body(inputs.expand(self.members, -1, -1)))
        return values


def normalises_observations(network: Network) -> bool:
    """Whether the network sees observations brought to zero mean and unit variance."""
    return isinstance(network, SimbaNetwork)
