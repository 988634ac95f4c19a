"""What SAC and TQC share: a stochastic actor, an ensemble of critics with slow targets, a learned temperature."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tmstudio.config.run_config import Sac, Tqc
from tmstudio.learning.algorithms.base import Algorithm, AlgorithmState
from tmstudio.learning.algorithms.state import StateTensors
from tmstudio.learning.networks.heads import Critics, GaussianActor, normalises_observations
from tmstudio.learning.networks.parameters import FlatParameters, frozen_twin
from tmstudio.learning.normaliser import Normaliser, RunningMoments
from tmstudio.learning.replay.batch import Batch

_REFRESH_UPDATES = 100


class Temperature(nn.Module):
    """The weight α of the entropy, learned as its logarithm."""

    def __init__(self, initial: float) -> None:
        super().__init__()
        self.log = nn.Parameter(torch.tensor(math.log(initial)))

    def forward(self) -> Tensor:
        """α, without axes and without a gradient."""
        return self.log.detach().exp()


class ActorCritic(Algorithm):
    """Networks, optimisers and state of an off-policy actor-critic; subclasses write the update.

    Attributes:
        actor: the policy's network.
        critics: the critics that learn.
        frozen_critics: the same parameters, through which the actor's loss passes without work for them.
        target_critics: a slow copy of the critics.
        temperature: weight of the entropy.
    """

    def __init__(
        self,
        config: Sac | Tqc,
        observation_size: int,
        action_size: int,
        *,
        critic_outputs: int,
        seed: int,
        device: str,
    ) -> None:
        self.config = config
        self.device = torch.device(device)
        self.action_size = action_size
        self.updates = 0
        initial = torch.Generator().manual_seed(seed)  # on the CPU, so that every device starts the same
        self.random = torch.Generator(self.device).manual_seed(seed)

        self.actor = GaussianActor(config.network, observation_size, action_size, initial).to(self.device)
        self.critics = Critics(
            config.network, config.critics, observation_size, action_size, critic_outputs, initial
        ).to(self.device)
        self.actor_parameters = FlatParameters(self.actor, config.actor_learning_rate)
        self.critic_parameters = FlatParameters(self.critics, config.critic_learning_rate)
        self.frozen_critics = frozen_twin(self.critics, self.critic_parameters.values)
        self.target_values = self.critic_parameters.values.clone()
        self.target_critics = frozen_twin(self.critics, self.target_values)
        self.temperature = Temperature(config.initial_temperature).to(self.device)
        self.temperature_parameters = FlatParameters(self.temperature, config.actor_learning_rate)

        self.moments = RunningMoments(observation_size)
        self.normaliser = Normaliser(observation_size).to(self.device)
        self._normalises = normalises_observations(config.network)

    def observe(self, observations: NDArray[np.float32]) -> None:
        """Take (N, D) new raw observations into the running moments."""
        if self._normalises:
            self.moments.update(observations)

    def policy_tensors(self) -> dict[str, NDArray[np.float32]]:
        """The actor's parameters and the normaliser's numbers by name."""
        tensors = {f"actor.{name}": value for name, value in self.actor.state_dict().items()}
        tensors |= {f"normaliser.{name}": value for name, value in self.normaliser.state_dict().items()}
        return {name: value.cpu().numpy().copy() for name, value in tensors.items()}

    def state(self) -> AlgorithmState:
        """A copy of everything."""
        return AlgorithmState(
            self._state_tensors().copies(), {"updates": self.updates, "moments": self.moments.count}
        )

    def load_state(self, state: AlgorithmState) -> None:
        """Go back to a state, whole or not at all."""
        tensors = self._state_tensors()
        tensors.check(state, counters=("updates", "moments"))
        tensors.write(state.tensors)
        self.updates = state.counters["updates"]
        self.moments.count = state.counters["moments"]

    def to_device(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Normalised observations and next observations (B, D), actions (B, A), returns (B,), discounts (B,)."""
        if self._normalises and self.updates % _REFRESH_UPDATES == 0:
            self.normaliser.refresh(self.moments)
        pair, actions, returns, discounts = (
            torch.from_numpy(array).to(self.device)
            for array in (batch.observation_pair, batch.actions, batch.returns, batch.discounts)
        )
        if self._normalises:
            pair = self.normaliser(pair)
        return pair[0], pair[1], actions, returns, discounts

    def noise(self, batch_size: int) -> Tensor:
        """(2, B, A) standard normal numbers."""
        return torch.randn((2, batch_size, self.action_size), generator=self.random, device=self.device)

    def move_targets(self) -> None:
        """Let the target critics follow the critics."""
        self.target_values.lerp_(self.critic_parameters.values, self.config.target_rate)

    def _state_tensors(self) -> StateTensors:
        state = StateTensors()
        state.add_parameters("actor", self.actor_parameters)
        state.add_parameters("critics", self.critic_parameters)
        state.add_parameters("temperature", self.temperature_parameters)
        state.add("target_critics", self.target_values)
        state.add("normaliser.mean", self.normaliser.mean)
        state.add("normaliser.scale", self.normaliser.scale)
        state.add("moments.mean", torch.from_numpy(self.moments.mean))
        state.add("moments.squares", torch.from_numpy(self.moments.squares))
        state.add_generator("random", self.random)
        return state
