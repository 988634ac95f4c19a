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
        self._fractions = (torch.arange(config.quantiles, device=self.device) + 0.5) / config.quantiles

    def update(self, batch: Batch) -> Metrics:
        """One step for critics, actor, temperature and targets."""
        observations, next_observations, actions, returns, discounts = self.to_device(batch)
        noise, next_noise = self.noise(len(batch))

        # y_i = R + γⁿ (z_(i)(s', a') - α log π(a'|s')), the lowest atoms z_(i) of all target critics together
        with torch.no_grad():
            temperature = self.temperature()
            next_actions, next_log_density = self.actor.sample(next_observations, next_noise)
            atoms = self.target_critics(next_observations, next_actions).transpose(0, 1).flatten(1)
            lowest = atoms.topk(self._kept, dim=1, largest=False, sorted=False).values
            soft_atoms = lowest - (temperature * next_log_density)[:, None]
            targets = returns[:, None] + discounts[:, None] * soft_atoms

        # J(ψ) = mean of the quantile Huber losses of every θ_m against every y_i (equation 6)
        quantiles = self.critics(observations, actions)
        critic_loss = quantile_huber_loss(quantiles, targets, self._fractions)
        self.critic_parameters.minimise(critic_loss)

        # J(π) = α log π(a|s) - mean of all quantiles of all critics at a ~ π(s)
        new_actions, log_density = self.actor.sample(observations, noise)
        new_values = self.frozen_critics(observations, new_actions).mean(dim=(0, 2))
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
            "value/q_mean": quantiles.detach().mean(),
        }


def quantile_huber_loss(quantiles: Tensor, targets: Tensor, fractions: Tensor) -> Tensor:
    """Quantile Huber loss (equation 7), κ = 1: mean over the batch, all θ_m and all y_i of |τ_m - 1(δ < 0)| H(δ).

    With δ = y_i - θ_m, where H(δ) is δ²/2 up to 1 and |δ| - 1/2 beyond.

    Args:
        quantiles: (E, B, M) the θ_m.
        targets: (B, K) the y_i, which get no gradient.
        fractions: (M,) the τ_m.
    """
    loss: Tensor = _QuantileHuberLoss.apply(quantiles, targets, fractions)  # type: ignore[no-untyped-call]
    return loss


class _QuantileHuberLoss(torch.autograd.Function):
    """The pairs are the largest arrays of an update by far, so the slope is summed on the way: H'(δ) = clip(δ, ± 1)."""

    @staticmethod
    def forward(
        context: torch.autograd.function.FunctionCtx, quantiles: Tensor, targets: Tensor, fractions: Tensor
    ) -> Tensor:
        members, batch, count = quantiles.shape
        tau = fractions.repeat(members)[:, None]
        # The batch last: sums over the targets then run along whole vectors.
        predicted = quantiles.transpose(1, 2).reshape(members * count, 1, batch)
        targets = targets.t().contiguous()
        errors = targets - predicted  # δ, (E · M, K, B)
        above, below = errors.clamp(0, 1), errors.clamp(-1, 0)
        errors.sub_(above, alpha=0.5).sub_(below, alpha=0.5)  # H(δ) / H'(δ)
        weighted = torch.lerp(below, above, tau[:, :, None], out=above)  # |τ_m - 1(δ < 0)| H'(δ)
        pairs = errors.numel()
        slope = weighted.sum(dim=1).div_(-pairs)
        context.save_for_backward(slope.view(members, count, batch).transpose(1, 2))
        return weighted.mul_(errors).sum() / pairs

    @staticmethod
    def backward(context: torch.autograd.function.FunctionCtx, gradient: Tensor) -> tuple[Tensor, None, None]:
        (slope,) = context.saved_tensors  # type: ignore[attr-defined]
        return slope * gradient, None, None
