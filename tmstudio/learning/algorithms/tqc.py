"""Truncated quantile critics (Kuznetsov 2020, arXiv 2005.04269): SAC with distributions as critics.

Departures from the paper: n-step returns, the entropy of the steps between left out; two critics by default.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tmstudio.config.run_config import Tqc
from tmstudio.learning.algorithms.actor_critic import ActorCritic
from tmstudio.learning.algorithms.base import Metrics
from tmstudio.learning.replay.batch import Batch


class TqcAlgorithm(ActorCritic):
    """Learns the quantiles of the return; the highest of all critics' together are left out of the target."""

    config: Tqc

    def __init__(
        self, config: Tqc, observation_size: int, action_size: int, *, seed: int, device: str = "cpu"
    ) -> None:
        super().__init__(
            config, observation_size, action_size, critic_outputs=config.quantiles, seed=seed, device=device
        )
        self._kept = config.critics * (config.quantiles - config.dropped_quantiles)
        # τ_m = (2m - 1) / 2M, shaped for (E · M, K, B)
        midpoints = (torch.arange(config.quantiles, device=self.device) + 0.5) / config.quantiles
        self._fractions = midpoints.repeat(config.critics)[:, None]

    def update(self, batch: Batch) -> Metrics:
        """One step for critics, actor, temperature and targets."""
        observations, next_observations, actions, returns, discounts = self.to_device(batch)
        noise, next_noise = self.noise(len(batch))

        # y_i = R + γⁿ (z_(i)(s', a') - α log π(a'|s')), the lowest atoms z_(i) of all target critics together
        with torch.no_grad():
            temperature = self.log_temperature.exp()
            next_actions, next_log_density = self.actor.sample(next_observations, next_noise)
            atoms = self.target_critics(next_observations, next_actions).transpose(0, 1).flatten(1)
            lowest = atoms.sort(dim=1).values[:, : self._kept]
            soft_atoms = lowest - (temperature * next_log_density)[:, None]
            targets = returns[:, None] + discounts[:, None] * soft_atoms

        # J(ψ) = Σ of the quantile Huber losses of every θ_m against every y_i
        quantiles = self.critics(observations, actions)
        critic_loss = quantile_huber_loss(quantiles, targets, self._fractions)
        self.critic_parameters.minimise(critic_loss, self.critic_optimiser)

        # J(π) = α log π(a|s) - mean of all quantiles of all critics at a ~ π(s)
        new_actions, log_density = self.actor.sample(observations, noise)
        new_values = self.frozen_critics(observations, new_actions).mean(dim=(0, 2))
        actor_loss = (temperature * log_density - new_values).mean()
        self.actor_parameters.minimise(actor_loss, self.actor_optimiser)

        # J(α) = -log α (log π(a|s) + H)
        entropy = -log_density.detach().mean()
        self.log_temperature.grad = entropy - self.config.target_entropy
        self.temperature_optimiser.step()

        self.move_targets()
        self.updates += 1
        return {
            "loss/critic": critic_loss.detach(),
            "loss/actor": actor_loss.detach(),
            "policy/entropy": entropy,
            "policy/temperature": temperature,
            "value/q_mean": quantiles.detach().mean(),
        }


def quantile_huber_loss(quantiles: Tensor, targets: Tensor, fractions: Tensor) -> Tensor:
    """Mean over the batch and all pairs of the quantile Huber loss (equation 7), κ = 1.

    Args:
        quantiles: (E, B, M).
        targets: (B, K).
        fractions: (E · M, 1).
    """
    members, batch, count = quantiles.shape
    predicted = quantiles.transpose(1, 2).reshape(members * count, 1, batch)
    errors = targets.t()[None] - predicted  # (E · M, K, B)
    clipped = errors.clamp(-1, 1)
    huber = clipped * (errors - 0.5 * clipped)
    weights = (fractions[:, None] - (errors.detach() < 0).float()).abs()
    return (weights * huber).mean()
