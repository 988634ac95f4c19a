"""Soft actor-critic with a learned temperature (Haarnoja 2018, arXiv 1812.05905).

Departures from the paper: n-step returns, the entropy of the steps between left out as usual; any number of
critics; the actor's loss takes the smallest critic as the paper's code does.
"""

from __future__ import annotations

import torch

from tmstudio.config.run_config import Sac
from tmstudio.learning.algorithms.actor_critic import ActorCritic
from tmstudio.learning.algorithms.base import Metrics
from tmstudio.learning.replay.batch import Batch


class SacAlgorithm(ActorCritic):
    """Learns Q by the soft Bellman equation, π by the reparametrised gradient, α by the entropy's distance."""

    def __init__(
        self, config: Sac, observation_size: int, action_size: int, *, seed: int, device: str = "cpu"
    ) -> None:
        super().__init__(config, observation_size, action_size, critic_outputs=1, seed=seed, device=device)

    def update(self, batch: Batch) -> Metrics:
        """One step for critics, actor, temperature and targets."""
        observations, next_observations, actions, returns, discounts = self.to_device(batch)
        noise, next_noise = self.noise(len(batch))

        # y = R + γⁿ (min_e Q̄_e(s', a') - α log π(a'|s')), a' ~ π(s')
        with torch.no_grad():
            temperature = self.temperature()
            next_actions, next_log_density = self.actor.sample(next_observations, next_noise)
            next_values = self.target_critics(next_observations, next_actions).squeeze(-1).amin(dim=0)
            targets = returns + discounts * (next_values - temperature * next_log_density)

        # J(Q) = Σ_e ½ (Q_e(s, a) - y)²
        values = self.critics(observations, actions).squeeze(-1)
        critic_loss = 0.5 * (values - targets).square().mean(dim=1).sum()
        self.critic_parameters.minimise(critic_loss)

        # J(π) = α log π(a|s) - min_e Q_e(s, a), a ~ π(s)
        new_actions, log_density = self.actor.sample(observations, noise)
        new_values = self.frozen_critics(observations, new_actions).squeeze(-1).amin(dim=0)
        actor_loss = (temperature * log_density - new_values).mean()
        self.actor_parameters.minimise(actor_loss)

        # J(α) = -log α (log π(a|s) + H)
        entropy = -log_density.detach().mean()
        self.temperature_parameters.gradients.copy_(entropy - self.config.target_entropy)
        self.temperature_parameters.step()

        self.move_targets()
        self.updates += 1
        return {
            "loss/critic": critic_loss.detach(),
            "loss/actor": actor_loss.detach(),
            "policy/entropy": entropy,
            "policy/temperature": temperature,
            "value/q_mean": values.detach().mean(),
        }
